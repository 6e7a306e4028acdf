//! The contract, and what only a file can break.

mod child;
mod opening;
mod plans;
mod writing;

use std::path::Path;

use bytes::Bytes;
use lifecycle::{Millis, Timestamp};
use ports::Documents as _;
use ports::contract::documents::Fixture;
use ports::documents::{Append, Batch, CommitId, Document, Expect, Key, Order, Partition, Put, Select};
use tempfile::TempDir;

use crate::{ManualClock, SqliteDocuments, WallClock};

struct OnSqlite {
    documents: SqliteDocuments,
    clock: ManualClock,
    // Dropped last: the file is closed before its folder goes.
    _folder: TempDir,
}

impl OnSqlite {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let clock = stopped();
        let path = folder.path().join("store.db");
        let documents = SqliteDocuments::open(&path, WallClock::Manual(clock.clone())).unwrap();
        Self {
            documents,
            clock,
            _folder: folder,
        }
    }
}

impl Fixture for OnSqlite {
    type Store = SqliteDocuments;

    fn store(&self) -> &SqliteDocuments {
        &self.documents
    }

    fn advance(&self, length: Millis) {
        self.clock.advance(length);
    }
}

ports::documents_contract!(OnSqlite::new());

fn stopped() -> ManualClock {
    ManualClock::new(Timestamp(1_700_000_000_000))
}

fn open(path: &Path) -> SqliteDocuments {
    SqliteDocuments::open(path, WallClock::Manual(stopped())).unwrap()
}

fn here() -> Partition {
    Partition("here".to_owned())
}

fn put(name: &str, value: impl Into<Bytes>) -> Put {
    Put {
        key: Key(name.to_owned()),
        expect: Expect::Anything,
        value: value.into(),
        expires: None,
        wake: None,
    }
}

fn puts(puts: impl IntoIterator<Item = Put>) -> Batch {
    Batch {
        id: CommitId(1),
        checks: vec![],
        puts: puts.into_iter().collect(),
        deletes: vec![],
        appends: vec![],
    }
}

fn appends(prefix: &str) -> Batch {
    let append = Append {
        prefix: prefix.to_owned(),
        value: Bytes::from_static(b"1"),
        expires: None,
        wake: None,
    };
    Batch {
        appends: vec![append],
        ..puts([])
    }
}

async fn all(documents: &SqliteDocuments) -> Vec<Document> {
    let everything = Select::Prefix {
        prefix: String::new(),
        order: Order::Ascending,
        limit: usize::MAX,
    };
    documents
        .read(&here(), vec![everything])
        .await
        .unwrap()
        .selected
        .remove(0)
}

async fn keys(documents: &SqliteDocuments) -> Vec<String> {
    all(documents)
        .await
        .into_iter()
        .map(|document| document.key.0)
        .collect()
}
