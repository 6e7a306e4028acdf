//! The one thread that writes. It takes what waits in its queue as one group and commits it with one sync, which is what a
//! commit costs; while it syncs, the next group gathers.
//!
//! No batch suffers for another of its group: a conflict writes nothing, and when one cannot be written the group is rolled
//! back and each is tried alone.

use std::iter;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TrySendError, sync_channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use lifecycle::{Millis, Timestamp};
use ports::documents::{Batch, CommitFault, Committed, Partition, Version};
use rusqlite::{Connection, Error, ErrorCode, TransactionBehavior, params};
use tokio::sync::oneshot;

use super::batch::{self, Applied};
use super::open::Unplaced;
use super::rows::{number, stored};
use crate::clock::StoreClock;

/// The most batches that wait for the writer: at a slow disk's 5 ms a sync and full groups, 80 ms of work.
pub(super) const QUEUE_MAX: usize = 1_024;
/// The most batches of one transaction: enough to make the sync cheap, few enough to keep the first one's wait short.
pub(super) const GROUP_MAX: usize = 64;
/// The most expired documents that one purge deletes. A purge is due after as many commits have been written, so that
/// the expired ones cannot grow faster than they are deleted, and a commit waits for one purge at most.
pub(super) const PURGE_MAX: usize = 128;
/// How long an expired document stays in the file. A reader that took the time just before the expiry and its snapshot just
/// after the purge would otherwise miss a document that was there at its time.
pub(super) const PURGE_AFTER: Millis = Millis::minutes(1);
/// How long the writer waits for orders before it looks for expired documents.
const IDLE: Duration = Duration::from_secs(1);
/// The same while it knows that there are more: 6,400 documents in a second, and nine tenths of the time for orders.
const IDLE_BEHIND: Duration = Duration::from_millis(20);

pub(super) const PURGE: &str = "DELETE FROM documents WHERE rowid IN \
    (SELECT rowid FROM documents WHERE expires <= ?1 ORDER BY expires LIMIT ?2)";

/// A batch on its way to the writer.
#[derive(Debug)]
pub(super) struct Order {
    pub(super) partition: Partition,
    pub(super) batch: Batch,
    pub(super) reply: oneshot::Sender<Result<Committed, CommitFault>>,
}

/// The writer's thread and the way to it. Dropping it waits until the queue is written.
#[derive(Debug)]
pub(super) struct Writer {
    orders: Option<SyncSender<Order>>,
    thread: Option<JoinHandle<()>>,
}

impl Writer {
    /// Starts the thread.
    pub(super) fn start(connection: Connection, clock: Arc<StoreClock>) -> Result<Self, Unplaced> {
        let commits = Commits::new(connection, clock)?;
        let (orders, queue) = sync_channel(QUEUE_MAX);
        let thread = thread::Builder::new()
            .name("sqlite-writer".to_owned())
            .spawn(move || commits.run(&queue));
        Ok(Self {
            orders: Some(orders),
            thread: Some(thread.map_err(Unplaced::Io)?),
        })
    }

    /// Queues a batch, or says at once that it will not be written.
    pub(super) fn order(&self, order: Order) -> Result<(), CommitFault> {
        let refused = |why: &str| Err(CommitFault::Unavailable(why.to_owned()));
        let Some(orders) = &self.orders else {
            return refused("it is closing");
        };
        match orders.try_send(order) {
            Ok(()) => Ok(()),
            Err(TrySendError::Full(_)) => refused("its writer has as many batches waiting as it may"),
            Err(TrySendError::Disconnected(_)) => refused("its writer has ended; restart the host"),
        }
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.orders = None;
        if self.thread.take().is_some_and(|thread| thread.join().is_err()) {
            tracing::error!("the store's writer panicked");
        }
    }
}

/// What the writer's thread owns.
#[derive(Debug)]
pub(super) struct Commits {
    connection: Connection,
    clock: Arc<StoreClock>,
    /// The last version given. It never goes back, not even when its commit failed: nobody can tell who saw it.
    version: u64,
    /// Commits written since the last purge.
    unpurged: usize,
}

/// Why a group was not committed.
enum Failed {
    /// It could not begin, or somebody else holds the file: nothing is written, and trying each alone is no use.
    Closed(Error),
    /// One of it cannot be written, or there is no room for all of them: nothing is written.
    Refused(Error),
    /// The commit itself failed, perhaps after its bytes had reached the disk.
    Unknown(Error, Vec<Applied>),
}

impl Commits {
    pub(super) fn new(connection: Connection, clock: Arc<StoreClock>) -> Result<Self, Unplaced> {
        let version = connection.query_row("SELECT version FROM counter", [], |row| number(row, 0))?;
        Ok(Self {
            connection,
            clock,
            version,
            unpurged: 0,
        })
    }

    fn run(mut self, queue: &Receiver<Order>) {
        let mut wait = IDLE;
        loop {
            match queue.recv_timeout(wait) {
                Ok(first) => self.commit(
                    iter::once(first)
                        .chain(queue.try_iter())
                        .take(GROUP_MAX)
                        .collect(),
                ),
                Err(RecvTimeoutError::Timeout) => self.unpurged = PURGE_MAX,
                Err(RecvTimeoutError::Disconnected) => return,
            }
            if self.unpurged >= PURGE_MAX {
                self.unpurged = 0;
                wait = if self.purge() < PURGE_MAX {
                    IDLE
                } else {
                    IDLE_BEHIND
                };
            }
        }
    }

    /// Commits a group and answers each of its callers. A caller who has gone changes nothing.
    pub(super) fn commit(&mut self, group: Vec<Order>) {
        match self.transaction(&group) {
            Ok(applied) => answer(group, applied, |applied| match applied {
                Applied::Written(committed) => Ok(committed),
                Applied::Conflict(conflicts) => Err(CommitFault::Conflict(conflicts)),
            }),
            Err(Failed::Refused(_)) if group.len() > 1 => {
                group.into_iter().for_each(|order| self.commit(vec![order]));
            }
            Err(Failed::Refused(error) | Failed::Closed(error)) => {
                tracing::warn!(%error, batches = group.len(), "the store did not write");
                let reasons = vec![error.to_string(); group.len()];
                answer(group, reasons, |reason| Err(CommitFault::Unavailable(reason)));
            }
            Err(Failed::Unknown(error, applied)) => {
                tracing::error!(%error, batches = group.len(), "the store does not know whether it wrote");
                answer(group, applied, |applied| Err(unknown(&applied, &error)));
            }
        }
    }

    fn transaction(&mut self, group: &[Order]) -> Result<Vec<Applied>, Failed> {
        let begun = self
            .connection
            .transaction_with_behavior(TransactionBehavior::Immediate);
        let transaction = begun.map_err(Failed::Closed)?;
        let before = self.version;
        let mut apply = |order: &Order| {
            let version = Version(self.version + 1);
            let applied = batch::apply(
                &transaction,
                &order.partition,
                &order.batch,
                version,
                self.clock.now(),
            )?;
            match &applied {
                Applied::Written(_) => self.version = version.0,
                Applied::Conflict(_) => {}
            }
            Ok(applied)
        };
        let applied = group
            .iter()
            .map(&mut apply)
            .collect::<Result<Vec<_>, _>>()
            .map_err(Failed::Refused)?;
        if self.version > before {
            let counted = transaction.prepare_cached("UPDATE counter SET version = ?1");
            counted
                .and_then(|mut count| count.execute([stored(self.version)]))
                .map_err(Failed::Refused)?;
        }
        // Dropping the transaction in a failed commit rolls it back, unless SQLite has done so already.
        match transaction.commit() {
            Ok(()) => {
                self.unpurged += group.len();
                Ok(applied)
            }
            Err(error) => Err(classify(error, applied)),
        }
    }

    /// Deletes some documents that have long expired, and says how many. One that fails is tried again later.
    pub(super) fn purge(&self) -> usize {
        let before = Timestamp(self.clock.now().0.saturating_sub(PURGE_AFTER.0));
        let purge = self.connection.prepare_cached(PURGE);
        let most = stored(u64::try_from(PURGE_MAX).unwrap_or(u64::MAX));
        let purged = purge.and_then(|mut purge| purge.execute(params![stored(before.0), most]));
        purged.unwrap_or_else(|error| {
            tracing::warn!(%error, "expired documents were not deleted");
            0
        })
    }
}

/// What a failed `COMMIT` means. The frame that makes a transaction valid is the last that SQLite writes to the log, so
/// one that found no room for its frames is surely not there. Any other failure may have come from the sync after it.
fn classify(error: Error, applied: Vec<Applied>) -> Failed {
    match error.sqlite_error_code() {
        Some(ErrorCode::DiskFull) => Failed::Refused(error),
        Some(ErrorCode::DatabaseBusy) => Failed::Closed(error),
        Some(_) | None => Failed::Unknown(error, applied),
    }
}

/// The fault of one batch of a group whose outcome is unknown. One that conflicted was surely not written, but perhaps with
/// a batch of this group: what it found must not be shown.
fn unknown(applied: &Applied, error: &Error) -> CommitFault {
    match applied {
        Applied::Written(_) => CommitFault::Unknown(error.to_string()),
        Applied::Conflict(_) => CommitFault::Unavailable(error.to_string()),
    }
}

fn answer<T>(group: Vec<Order>, outcomes: Vec<T>, say: impl Fn(T) -> Result<Committed, CommitFault>) {
    for (order, outcome) in group.into_iter().zip(outcomes) {
        // Who is no longer listening has dropped the future, and knows that the batch may be written.
        drop(order.reply.send(say(outcome)));
    }
}
