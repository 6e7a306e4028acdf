//! The threads that read. Each has a connection of its own, so that a read neither waits for the writer nor blocks the
//! executor; they take their questions from one queue.

use std::path::Path;
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};

use lifecycle::{Millis, Timestamp};
use ports::documents::{
    Awake, DUE_MAX, Document, Due, Key, Order, Partition, ReadFault, SELECT_MAX, Select, Snapshot,
};
use rusqlite::{Connection, Row, params};
use tokio::sync::oneshot;

use super::open::{self, OpenFault, Unplaced};
use super::rows::{BY_KEY, columns, document, number, stored, text};
use crate::clock::StoreClock;

/// How many threads read: a read that waits for the disk must not hold up the others, and more than the cores of a small
/// machine gain nothing.
const READERS: usize = 4;
/// The most questions that wait: at 20 µs a read, about 20 ms of work.
const QUEUE_MAX: usize = 4_096;

pub(super) const ASCENDING: &str = concat!(
    "SELECT ",
    columns!(),
    " FROM documents WHERE partition = ?1 AND key >= ?2 AND key < ?3 AND (expires IS NULL OR expires > ?4) \
      ORDER BY key LIMIT ?5"
);
pub(super) const DESCENDING: &str = concat!(
    "SELECT ",
    columns!(),
    " FROM documents WHERE partition = ?1 AND key >= ?2 AND key < ?3 AND (expires IS NULL OR expires > ?4) \
      ORDER BY key DESC LIMIT ?5"
);
pub(super) const DUE: &str = "SELECT partition, key, wake FROM documents \
    WHERE wake <= ?1 AND (expires IS NULL OR expires > ?1) ORDER BY wake LIMIT ?2";
pub(super) const NEXT: &str = "SELECT wake FROM documents \
    WHERE wake > ?1 AND (expires IS NULL OR expires > wake) ORDER BY wake LIMIT 1";

/// What a reader is asked.
#[derive(Debug)]
pub(super) enum Question {
    /// Selections of a partition.
    Read {
        partition: Partition,
        select: Vec<Select>,
        reply: oneshot::Sender<Result<Snapshot, ReadFault>>,
    },
    /// What is due.
    Due {
        ahead: Millis,
        max: usize,
        reply: oneshot::Sender<Result<Due, ReadFault>>,
    },
}

/// The readers' threads and the way to them.
#[derive(Debug)]
pub(super) struct Readers {
    questions: Option<SyncSender<Question>>,
    threads: Vec<JoinHandle<()>>,
}

impl Readers {
    /// Starts the threads, each with a connection to `path`.
    pub(super) fn start(path: &Path, clock: &Arc<StoreClock>) -> Result<Self, OpenFault> {
        let (questions, queue) = sync_channel(QUEUE_MAX);
        let queue = Arc::new(Mutex::new(queue));
        let mut readers = Self {
            questions: Some(questions),
            threads: Vec::with_capacity(READERS),
        };
        for _ in 0..READERS {
            let reader = Reader {
                connection: open::reading(path)?,
                clock: Arc::clone(clock),
            };
            let queue = Arc::clone(&queue);
            let thread = thread::Builder::new()
                .name("sqlite-reader".to_owned())
                .spawn(move || reader.run(&queue));
            readers
                .threads
                .push(thread.map_err(|source| Unplaced::Io(source).at(path))?);
        }
        Ok(readers)
    }

    /// Asks, and waits for the answer.
    pub(super) async fn ask<T>(
        &self,
        question: impl FnOnce(oneshot::Sender<Result<T, ReadFault>>) -> Question,
    ) -> Result<T, ReadFault> {
        let fault = |why: &str| ReadFault(why.to_owned());
        let (reply, answer) = oneshot::channel();
        let questions = self.questions.as_ref().ok_or_else(|| fault("it is closing"))?;
        questions
            .try_send(question(reply))
            .map_err(|refused| match refused {
                TrySendError::Full(_) => fault("as many reads wait as may"),
                TrySendError::Disconnected(_) => fault("its readers have ended; restart the host"),
            })?;
        answer
            .await
            .unwrap_or_else(|_| Err(fault("its reader ended without a word")))
    }
}

impl Drop for Readers {
    fn drop(&mut self) {
        self.questions = None;
        for thread in self.threads.drain(..) {
            if thread.join().is_err() {
                tracing::error!("a reader of the store panicked");
            }
        }
    }
}

/// What a reader's thread owns.
struct Reader {
    connection: Connection,
    clock: Arc<StoreClock>,
}

impl Reader {
    fn run(self, queue: &Mutex<Receiver<Question>>) {
        loop {
            // The lock is held while waiting: the others wait for the lock instead of the queue.
            let next = queue.lock().unwrap_or_else(PoisonError::into_inner).recv();
            match next {
                Ok(Question::Read {
                    partition,
                    select,
                    reply,
                }) => {
                    self.answer(reply, |now| self.read(&partition, &select, now));
                }
                Ok(Question::Due { ahead, max, reply }) => {
                    self.answer(reply, |now| self.due(ahead, max, now))
                }
                Err(_) => return,
            }
        }
    }

    fn answer<T>(
        &self,
        reply: oneshot::Sender<Result<T, ReadFault>>,
        find: impl FnOnce(Timestamp) -> rusqlite::Result<T>,
    ) {
        if reply.is_closed() {
            return;
        }
        // A transaction, so that all that is found is of one instant. It only reads, and its end undoes nothing.
        let found = self
            .connection
            .unchecked_transaction()
            .and_then(|_snapshot| find(self.clock.now()));
        // Who is no longer listening needs no answer.
        drop(reply.send(found.map_err(|error| ReadFault(error.to_string()))));
    }

    fn read(&self, partition: &Partition, select: &[Select], now: Timestamp) -> rusqlite::Result<Snapshot> {
        let selected = select
            .iter()
            .map(|one| self.select(partition, one, now))
            .collect::<Result<_, _>>()?;
        Ok(Snapshot { now, selected })
    }

    fn select(
        &self,
        partition: &Partition,
        select: &Select,
        now: Timestamp,
    ) -> rusqlite::Result<Vec<Document>> {
        let partition = partition.0.as_bytes();
        match select {
            Select::Key(key) => {
                let place = params![partition, key.0.as_bytes(), stored(now.0)];
                self.connection
                    .prepare_cached(BY_KEY)?
                    .query_map(place, document)?
                    .collect()
            }
            Select::Prefix { prefix, order, limit } => {
                let sql = match order {
                    Order::Ascending => ASCENDING,
                    Order::Descending => DESCENDING,
                };
                let limit = bounded(*limit, SELECT_MAX);
                let range = params![partition, prefix.as_bytes(), after(prefix), stored(now.0), limit];
                self.connection
                    .prepare_cached(sql)?
                    .query_map(range, document)?
                    .collect()
            }
        }
    }

    fn due(&self, ahead: Millis, max: usize, now: Timestamp) -> rusqlite::Result<Due> {
        let until = stored((now + ahead).0);
        let mut due = self.connection.prepare_cached(DUE)?;
        let awake = due
            .query_map(params![until, bounded(max, DUE_MAX)], awake)?
            .collect::<Result<_, _>>()?;
        let mut next = self.connection.prepare_cached(NEXT)?;
        let next = next
            .query_map([until], |row| number(row, 0).map(Timestamp))?
            .next()
            .transpose()?;
        Ok(Due { now, awake, next })
    }
}

fn awake(row: &Row<'_>) -> rusqlite::Result<Awake> {
    let (partition, key) = (Partition(text(row, 0)?), Key(text(row, 1)?));
    Ok(Awake {
        partition,
        key,
        wake: Timestamp(number(row, 2)?),
    })
}

/// Larger than every name that begins with `prefix` and smaller than all after them: no UTF-8 text has a byte 0xff.
fn after(prefix: &str) -> Vec<u8> {
    [prefix.as_bytes(), &[0xff]].concat()
}

fn bounded(asked: usize, max: usize) -> i64 {
    i64::try_from(asked.min(max)).unwrap_or(i64::MAX)
}
