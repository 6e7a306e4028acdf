//! Documents in one SQLite file, for a host that is alone.
//!
//! [`open`] takes the lock and checks the format; one [`writer`] thread applies [`batch`]es and commits them in groups; a few
//! [`readers`] answer reads, each from a snapshot that no writer disturbs.
//!
//! A commit is confirmed after SQLite has synced its log (WAL with `synchronous=FULL`): it survives a killed process, and a
//! power failure on a disk that honours a sync.

mod batch;
mod open;
mod readers;
mod rows;
mod writer;

#[cfg(test)]
mod tests;

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use lifecycle::Millis;
use ports::documents::{
    Batch, CommitFault, Committed, Documents, Due, Partition, ReadFault, Select, Snapshot,
};
use tokio::sync::oneshot;

use self::readers::Readers;
use self::writer::Writer;
use crate::clock::{StoreClock, WallClock};
use crate::nudges::{Nudges, soonest};

pub use self::open::OpenFault;

/// An opened SQLite store. Dropping it waits until every batch that it took has been written.
#[derive(Debug)]
pub struct SqliteDocuments {
    // Dropped in this order: the readers close, so that the writer is the last and moves the log into the file (of several
    // that close at once none does), and only then may another host take the file.
    readers: Readers,
    writer: Writer,
    nudges: Nudges,
    _lock: File,
}

impl SqliteDocuments {
    /// Opens the store at `path`, and creates it when there is none. Blocks while it reads the file.
    ///
    /// # Errors
    /// See [`OpenFault`].
    pub fn open(path: &Path, clock: WallClock) -> Result<Self, OpenFault> {
        let path = open::real_path(path)?;
        let lock = open::lock(&path)?;
        let clock = Arc::new(StoreClock::new(clock));
        let writer =
            Writer::start(open::writing(&path)?, Arc::clone(&clock)).map_err(|fault| fault.at(&path))?;
        let readers = Readers::start(&path, &clock)?;
        Ok(Self {
            writer,
            readers,
            nudges: Nudges::new(),
            _lock: lock,
        })
    }
}

impl Documents for SqliteDocuments {
    const NUDGES: bool = true;

    async fn read(&self, partition: &Partition, select: Vec<Select>) -> Result<Snapshot, ReadFault> {
        Select::within_bounds(partition, &select).map_err(|fault| ReadFault(fault.to_string()))?;
        let partition = partition.clone();
        self.readers
            .ask(|reply| readers::Question::Read {
                partition,
                select,
                reply,
            })
            .await
    }

    async fn commit(&self, partition: &Partition, batch: Batch) -> Result<Committed, CommitFault> {
        batch
            .within_bounds(partition)
            .map_err(|fault| CommitFault::Unavailable(fault.to_string()))?;
        let wake = soonest(&batch);
        let (reply, outcome) = oneshot::channel();
        self.writer.order(writer::Order {
            partition: partition.clone(),
            batch,
            reply,
        })?;
        let lost = |_| CommitFault::Unknown("the store's writer ended without a word".to_owned());
        let outcome = outcome.await.unwrap_or_else(|gone| Err(lost(gone)));
        match outcome {
            Ok(_) | Err(CommitFault::Unknown(_)) => self.nudges.wrote(wake),
            Err(CommitFault::Conflict(_) | CommitFault::Unavailable(_)) => {}
        }
        outcome
    }

    async fn due(&self, ahead: Millis, max: usize) -> Result<Due, ReadFault> {
        self.nudges.asked();
        let due = self
            .readers
            .ask(|reply| readers::Question::Due { ahead, max, reply })
            .await?;
        self.nudges.told(due.now, due.next);
        Ok(due)
    }

    async fn nudged(&self) {
        self.nudges.nudged().await;
    }
}
