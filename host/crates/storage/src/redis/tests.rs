//! The contract on real servers, and what only a server and a network can break.

mod clustered;
mod expiring;
mod failing;
mod hosts;
mod opening;
mod proxy;
mod surviving;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use bytes::Bytes;
use lifecycle::Millis;
use ports::Documents as _;
use ports::contract::documents::Fixture;
use ports::documents::{
    Append, Batch, CommitFault, CommitId, Document, Expect, Key, Order, Partition, Put, Select,
};

use crate::servers::RedisServer;
use crate::{RedisDocuments, RedisSettings};

struct OnServer {
    documents: RedisDocuments,
    // Dropped last.
    _server: RedisServer,
}

impl OnServer {
    async fn new() -> Self {
        let server = RedisServer::start();
        Self {
            documents: open(server.settings()).await,
            _server: server,
        }
    }
}

impl Fixture for OnServer {
    type Store = RedisDocuments;

    fn store(&self) -> &RedisDocuments {
        &self.documents
    }

    fn advance(&self, length: Millis) {
        self.documents.advance(length);
    }
}

ports::documents_contract!(OnServer::new().await);

async fn open(settings: RedisSettings) -> RedisDocuments {
    RedisDocuments::open(settings).await.unwrap()
}

/// The settings of another store on the same servers.
fn apart(settings: RedisSettings) -> RedisSettings {
    static STORES: AtomicU64 = AtomicU64::new(0);
    let number = STORES.fetch_add(1, Ordering::Relaxed);
    RedisSettings {
        namespace: format!("store-{number}"),
        ..settings
    }
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
    static COMMITS: AtomicU64 = AtomicU64::new(1);
    Batch {
        id: CommitId(u128::from(COMMITS.fetch_add(1, Ordering::Relaxed))),
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

async fn get(documents: &RedisDocuments, name: &str) -> Option<Document> {
    let select = vec![Select::Key(Key(name.to_owned()))];
    documents
        .read(&here(), select)
        .await
        .unwrap()
        .selected
        .remove(0)
        .pop()
}

async fn all(documents: &RedisDocuments) -> Vec<Document> {
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

async fn keys(documents: &RedisDocuments) -> Vec<String> {
    all(documents)
        .await
        .into_iter()
        .map(|document| document.key.0)
        .collect()
}

fn unavailable(outcome: Result<ports::documents::Committed, CommitFault>) -> String {
    match outcome {
        Err(CommitFault::Unavailable(why)) => why,
        other => panic!("expected unavailable, found {other:?}"),
    }
}

fn unknown(outcome: Result<ports::documents::Committed, CommitFault>) -> String {
    match outcome {
        Err(CommitFault::Unknown(why)) => why,
        other => panic!("expected unknown, found {other:?}"),
    }
}

/// Tries until it is so, with an end.
#[expect(
    clippy::disallowed_methods,
    reason = "waits on a condition of another process"
)]
async fn eventually<T>(what: &str, mut tried: impl AsyncFnMut() -> Option<T>) -> T {
    let waiting = async {
        loop {
            if let Some(found) = tried().await {
                return found;
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    match tokio::time::timeout(Duration::from_secs(20), waiting).await {
        Ok(found) => found,
        Err(_) => panic!("not in time: {what}"),
    }
}

fn source(login: crate::Login) -> crate::LoginSource {
    Arc::new(move || Ok(login.clone()))
}
