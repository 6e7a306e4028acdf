//! Documents in memory, for tests: the contract in its plainest form, one map under one lock.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Mutex, MutexGuard, PoisonError};

use lifecycle::{Millis, Timestamp};
use ports::documents::{
    Append, Awake, Batch, CommitFault, Committed, DUE_MAX, Document, Documents, Due, Expect, Key, Order,
    Partition, ReadFault, SELECT_MAX, Select, Snapshot, Version,
};

use crate::clock::{StoreClock, WallClock};
use crate::nudges::{Nudges, soonest};

/// Documents that live as long as this value.
#[derive(Debug)]
pub struct MemoryDocuments {
    clock: StoreClock,
    nudges: Nudges,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    documents: BTreeMap<Partition, BTreeMap<Key, Document>>,
    /// One counter for the whole store, so that a version is never used twice whatever happened to its document.
    version: u64,
    numbers: HashMap<(Partition, String), u64>,
}

impl MemoryDocuments {
    /// An empty store.
    pub fn new(clock: WallClock) -> Self {
        Self {
            clock: StoreClock::new(clock),
            nudges: Nudges::new(),
            state: Mutex::default(),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // A panic of another test thread leaves whole documents behind.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Documents for MemoryDocuments {
    const NUDGES: bool = true;

    async fn read(&self, partition: &Partition, select: Vec<Select>) -> Result<Snapshot, ReadFault> {
        Select::within_bounds(partition, &select).map_err(|fault| ReadFault(fault.to_string()))?;
        let state = self.state();
        let now = self.clock.now();
        let selected = select
            .iter()
            .map(|one| state.select(partition, one, now))
            .collect();
        Ok(Snapshot { now, selected })
    }

    async fn commit(&self, partition: &Partition, batch: Batch) -> Result<Committed, CommitFault> {
        batch
            .within_bounds(partition)
            .map_err(|fault| CommitFault::Unavailable(fault.to_string()))?;
        let mut state = self.state();
        let now = self.clock.now();
        let conflicts = state.conflicts(partition, &batch, now);
        if conflicts.is_empty() {
            let wake = soonest(&batch);
            let committed = state.apply(partition, batch, now);
            self.nudges.wrote(wake);
            Ok(committed)
        } else {
            Err(CommitFault::Conflict(conflicts))
        }
    }

    async fn due(&self, ahead: Millis, max: usize) -> Result<Due, ReadFault> {
        self.nudges.asked();
        let state = self.state();
        let now = self.clock.now();
        let until = now + ahead;
        let (mut awake, asleep): (Vec<_>, Vec<_>) = state.wakes(until).partition(|one| one.wake <= until);
        awake.sort_by_key(|one| one.wake);
        awake.truncate(max.min(DUE_MAX));
        let next = asleep.iter().map(|one| one.wake).min();
        self.nudges.told(now, next);
        Ok(Due { now, awake, next })
    }

    async fn nudged(&self) {
        self.nudges.nudged().await;
    }
}

impl State {
    fn select(&self, partition: &Partition, select: &Select, now: Timestamp) -> Vec<Document> {
        match select {
            Select::Key(key) => self.live(partition, key, now).cloned().into_iter().collect(),
            Select::Prefix { prefix, order, limit } => {
                let limit = (*limit).min(SELECT_MAX);
                let found = self.documents.get(partition).into_iter().flat_map(|documents| {
                    let from = documents
                        .range(Key(prefix.clone())..)
                        .map(|(_, document)| document);
                    from.take_while(|document| document.key.0.starts_with(prefix))
                });
                let found: Vec<&Document> = found.filter(|document| is_live(document, now)).collect();
                match order {
                    Order::Ascending => found.into_iter().take(limit).cloned().collect(),
                    Order::Descending => found.into_iter().rev().take(limit).cloned().collect(),
                }
            }
        }
    }

    fn live(&self, partition: &Partition, key: &Key, now: Timestamp) -> Option<&Document> {
        self.documents
            .get(partition)?
            .get(key)
            .filter(|document| is_live(document, now))
    }

    /// The wake times of all documents that will be there when they come.
    fn wakes(&self, now: Timestamp) -> impl Iterator<Item = Awake> {
        self.documents.iter().flat_map(move |(partition, documents)| {
            documents
                .values()
                .filter(move |document| is_live(document, now))
                .filter_map(move |document| {
                    let wake = document
                        .wake
                        .filter(|wake| *wake <= now || is_live(document, *wake))?;
                    Some(Awake {
                        partition: partition.clone(),
                        key: document.key.clone(),
                        wake,
                    })
                })
        })
    }

    fn conflicts(
        &self,
        partition: &Partition,
        batch: &Batch,
        now: Timestamp,
    ) -> Vec<(Key, Option<Document>)> {
        let unwritten = batch
            .checks
            .iter()
            .chain(&batch.deletes)
            .map(|(key, expect)| (key, *expect));
        let expected = unwritten.chain(batch.puts.iter().map(|put| (&put.key, put.expect)));
        let found = expected.map(|(key, expect)| (key, expect, self.live(partition, key, now)));
        found
            .filter(|(_, expect, found)| match expect {
                Expect::Absent => found.is_some(),
                Expect::Version(version) => found.map(|document| document.version) != Some(*version),
                Expect::Anything => false,
            })
            .map(|(key, _, found)| (key.clone(), found.cloned()))
            .collect()
    }

    fn apply(&mut self, partition: &Partition, batch: Batch, now: Timestamp) -> Committed {
        let Batch {
            id,
            checks: _,
            puts,
            deletes,
            appends,
        } = batch;
        self.version += 1;
        let version = Version(self.version);
        let documents = self.documents.entry(partition.clone()).or_default();
        let mut write = |key: Key, value, expires, wake| {
            documents.insert(
                key.clone(),
                Document {
                    key,
                    version,
                    commit: id,
                    value,
                    expires,
                    wake,
                },
            );
        };
        let versions = vec![version; puts.len()];
        for put in puts {
            write(put.key, put.value, put.expires, put.wake);
        }
        let mut numbers = Vec::with_capacity(appends.len());
        for append in appends {
            let counter = self
                .numbers
                .entry((partition.clone(), append.prefix.clone()))
                .or_default();
            *counter += 1;
            numbers.push(*counter);
            let key = append.key(*counter);
            let Append {
                prefix: _,
                value,
                expires,
                wake,
            } = append;
            write(key, value, expires, wake);
        }
        for (key, _) in deletes {
            documents.remove(&key);
        }
        Committed {
            now,
            versions,
            numbers,
        }
    }
}

fn is_live(document: &Document, at: Timestamp) -> bool {
    document.expires.is_none_or(|expires| at < expires)
}

#[cfg(test)]
mod tests {
    use lifecycle::Millis;
    use ports::contract::documents::Fixture;

    use super::*;
    use crate::clock::ManualClock;

    struct InMemory {
        documents: MemoryDocuments,
        clock: ManualClock,
    }

    impl InMemory {
        fn new() -> Self {
            let clock = ManualClock::new(Timestamp(1_700_000_000_000));
            Self {
                documents: MemoryDocuments::new(WallClock::Manual(clock.clone())),
                clock,
            }
        }
    }

    impl Fixture for InMemory {
        type Store = MemoryDocuments;

        fn store(&self) -> &MemoryDocuments {
            &self.documents
        }

        fn advance(&self, length: Millis) {
            self.clock.advance(length);
        }
    }

    ports::documents_contract!(InMemory::new());
}
