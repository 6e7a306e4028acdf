//! The one store of all hosts: documents in memory behind a network that delays, breaks and lies about neither what was
//! written nor what was not. A write that is on its way is applied even when its host is dead by then.

use std::collections::BTreeMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use futures_channel::oneshot;
use futures_util::FutureExt;
use lifecycle::{Millis, Timestamp};
use ports::Documents;
use ports::documents::{
    Batch, CommitFault, CommitId, Committed, Document, Due, Expect, Key, LOOK_AGAIN, Order, Partition, Put,
    ReadFault, Select, Snapshot,
};
use storage::{ManualClock, MemoryDocuments, WallClock};

use crate::broken::Rule;
use crate::executor::OUTSIDE;
use crate::rewrite;
use crate::world::{Universe, lock};

/// When every run begins: 2026-01-01T00:00:00Z.
const BEGINNING: Timestamp = Timestamp(1_767_225_600_000);
/// How many confirmed writes could be forgotten.
const UNDO_MAX: usize = 64;

/// What was there before a commit, for each key that it wrote.
type Undo = Vec<(Key, Option<Document>)>;

/// What is stored.
pub(crate) struct Store {
    memory: MemoryDocuments,
    clock: ManualClock,
    /// How the newest commits are undone, oldest first.
    undo: Mutex<Vec<(Partition, Undo)>>,
    sleepers: Mutex<BTreeMap<u64, Sleeper>>,
    partitions: Mutex<Vec<Partition>>,
}

#[derive(Default)]
struct Sleeper {
    nudged: bool,
    waker: Option<Waker>,
}

impl Store {
    /// An empty one.
    pub(crate) fn new() -> Self {
        let clock = ManualClock::new(BEGINNING);
        Self {
            memory: MemoryDocuments::new(WallClock::Manual(clock.clone())),
            clock,
            undo: Mutex::default(),
            sleepers: Mutex::default(),
            partitions: Mutex::default(),
        }
    }

    /// Sets the clock to virtual time.
    pub(crate) fn set_clock(&self, since: Duration) {
        let since = u64::try_from(since.as_millis()).unwrap_or(u64::MAX);
        self.clock.set(BEGINNING + Millis(since));
    }

    /// What time it is.
    pub(crate) fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// A host is gone.
    pub(crate) fn forget_host(&self, host: u64) {
        lock(&self.sleepers).remove(&host);
    }

    /// Whether anything is due now or later, and when first.
    pub(crate) fn next_wake(&self) -> Option<Timestamp> {
        let due = self.memory.due(Millis(0), 1).now_or_never()?.ok()?;
        due.awake.first().map(|awake| awake.wake).or(due.next)
    }

    fn read(&self, partition: &Partition, select: Vec<Select>) -> Result<Snapshot, ReadFault> {
        let read = self.memory.read(partition, select).now_or_never();
        read.unwrap_or_else(|| Err(ReadFault("memory waits".to_owned())))
    }

    fn apply(&self, partition: &Partition, batch: Batch) -> Result<Committed, CommitFault> {
        let keys: Vec<Key> = batch.puts.iter().map(|put| put.key.clone()).collect();
        let keys: Vec<Key> = keys
            .into_iter()
            .chain(batch.deletes.iter().map(|(key, _)| key.clone()))
            .collect();
        let before = self.before(partition, &keys);
        let prefixes: Vec<String> = batch.appends.iter().map(|append| append.prefix.clone()).collect();
        let applied = self.memory.commit(partition, batch).now_or_never();
        let committed =
            applied.unwrap_or_else(|| Err(CommitFault::Unavailable("memory waits".to_owned())))?;
        let appended = prefixes.iter().zip(&committed.numbers);
        let appended = appended.map(|(prefix, number)| (Key(format!("{prefix}{number:020}")), None));
        let undo = before.into_iter().chain(appended).collect();
        let mut log = lock(&self.undo);
        log.push((partition.clone(), undo));
        if log.len() > UNDO_MAX {
            log.remove(0);
        }
        let mut partitions = lock(&self.partitions);
        if !partitions.contains(partition) {
            partitions.push(partition.clone());
        }
        Ok(committed)
    }

    fn before(&self, partition: &Partition, keys: &[Key]) -> Vec<(Key, Option<Document>)> {
        let select = keys.iter().cloned().map(Select::Key).collect();
        let found = self.read(partition, select).map(|snapshot| snapshot.selected);
        let found = found.unwrap_or_default().into_iter();
        keys.iter()
            .cloned()
            .zip(found.map(|mut documents| documents.pop()))
            .collect()
    }

    /// Forgets the newest confirmed writes, as a failover may; says how many there were.
    pub(crate) fn forget(&self, count: usize) -> usize {
        let mut log = lock(&self.undo);
        let from = log.len().saturating_sub(count);
        let forgotten = log.split_off(from);
        drop(log);
        let forgot = forgotten.len();
        for (partition, undo) in forgotten.into_iter().rev() {
            let mut batch = empty_batch();
            for (key, before) in undo {
                match before {
                    Some(document) => batch.puts.push(Put {
                        key,
                        expect: Expect::Anything,
                        value: document.value,
                        expires: document.expires,
                        wake: document.wake,
                    }),
                    None => batch.deletes.push((key, Expect::Anything)),
                }
            }
            drop(self.memory.commit(&partition, batch).now_or_never());
        }
        forgot
    }

    /// Every document, by partition, for whoever looks at a trace.
    pub(crate) fn everything(&self) -> Vec<(Partition, Vec<Document>)> {
        let partitions = lock(&self.partitions).clone();
        let all = || Select::Prefix {
            prefix: String::new(),
            order: Order::Ascending,
            limit: 1_000,
        };
        let read = partitions.into_iter().map(|partition| {
            let found = self.read(&partition, vec![all()]);
            let found = found.map(|snapshot| snapshot.selected).unwrap_or_default();
            (partition, found.into_iter().flatten().collect())
        });
        read.collect()
    }

    fn nudge(&self, wake: Option<Timestamp>, mut lost: impl FnMut() -> bool) {
        if wake.is_none_or(|wake| wake > self.now() + LOOK_AGAIN) {
            return;
        }
        for sleeper in lock(&self.sleepers).values_mut() {
            if !lost() {
                sleeper.nudged = true;
                if let Some(waker) = sleeper.waker.take() {
                    waker.wake();
                }
            }
        }
    }
}

fn empty_batch() -> Batch {
    Batch {
        id: CommitId(0),
        checks: Vec::new(),
        puts: Vec::new(),
        deletes: Vec::new(),
        appends: Vec::new(),
    }
}

/// The store as one host reaches it.
pub(crate) struct HostDocuments {
    pub(crate) world: Arc<Universe>,
    pub(crate) host: u64,
}

/// How the network treats one write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Treatment {
    Fine,
    Slow,
    /// It does not arrive, and the host knows.
    Unavailable,
    /// It does not arrive, and nobody knows.
    Lost,
    /// It arrives, and nobody knows.
    Unsaid,
}

impl HostDocuments {
    async fn way(&self) {
        let length = self.world.draw(|random| random.millis(0, 3));
        self.world.executor.sleep(length).await;
    }

    fn treatment(&self) -> Treatment {
        let plan = &self.world.plan;
        if self.world.is_healed() {
            return Treatment::Fine;
        }
        let drawn = self.world.draw(|random| {
            if random.chance(plan.store_unavailable) {
                Treatment::Unavailable
            } else if random.chance(plan.store_lost) {
                Treatment::Lost
            } else if random.chance(plan.store_unsaid) {
                Treatment::Unsaid
            } else if random.chance(plan.store_slow) {
                Treatment::Slow
            } else {
                Treatment::Fine
            }
        });
        if drawn != Treatment::Fine {
            self.world.disturbed(self.host);
        }
        drawn
    }

    /// What a broken rule makes of a batch.
    fn bent(&self, partition: &Partition, batch: &mut Batch) {
        match self.world.broken {
            Some(Rule::CompareAndSet) => {
                batch
                    .puts
                    .iter_mut()
                    .for_each(|put| put.expect = Expect::Anything);
                batch
                    .deletes
                    .iter_mut()
                    .for_each(|(_, expect)| *expect = Expect::Anything);
                batch.checks.clear();
            }
            Some(Rule::Evidence) => {
                let questions = batch
                    .puts
                    .iter_mut()
                    .filter(|put| put.key.0.starts_with("question/"));
                questions.for_each(|put| put.expect = Expect::Anything);
                batch.checks.clear();
            }
            Some(Rule::WakeTime) => {
                for put in &mut batch.puts {
                    if self.world.draw(|random| random.chance(500)) {
                        put.wake = None;
                    }
                }
            }
            Some(Rule::Redelivery) => batch.puts.retain(|put| !put.key.0.starts_with("delivery/")),
            Some(Rule::Expiry) => batch.puts.iter_mut().for_each(|put| {
                if put.key.0.starts_with("question/") {
                    put.expires = None;
                }
            }),
            Some(rule) => {
                for put in &mut batch.puts {
                    let key = (partition.0.as_str(), put.key.0.as_str());
                    if let Some(value) =
                        rewrite::written(rule, &self.world.numbers, self.host, key, &put.value)
                    {
                        put.value = value;
                    }
                }
            }
            None => {}
        }
    }

    /// Sends a write to the server, which applies it whatever becomes of this host.
    async fn send(&self, partition: &Partition, batch: Batch, slow: bool) -> Result<Committed, CommitFault> {
        let (sender, receiver) = oneshot::channel();
        let (world, partition, host) = (Arc::clone(&self.world), partition.clone(), self.host);
        let way = self.world.draw(|random| {
            if slow {
                random.millis(1_000, 12_000)
            } else {
                random.millis(0, 3)
            }
        });
        self.world.executor.spawn(OUTSIDE, async move {
            world.executor.sleep(way).await;
            drop(sender.send(world.apply(host, &partition, batch)));
        });
        receiver
            .await
            .unwrap_or_else(|_| Err(CommitFault::Unknown("the server is gone".to_owned())))
    }

    /// Confirms what is not there yet, and may never be.
    fn confirm_early(&self, partition: &Partition, batch: Batch) -> Committed {
        let now = self.world.store.now();
        let count = batch.puts.len();
        let lost = !self.world.is_healed() && self.world.draw(|random| random.chance(100));
        if !lost {
            let (world, partition, host) = (Arc::clone(&self.world), partition.clone(), self.host);
            let way = self.world.draw(|random| random.millis(0, 400));
            self.world.executor.spawn(OUTSIDE, async move {
                world.executor.sleep(way).await;
                drop(world.apply(host, &partition, batch));
            });
        }
        Committed {
            now,
            versions: vec![ports::documents::Version(0); count],
            numbers: Vec::new(),
        }
    }

    /// Whether a broken rule has this write confirmed before it is there.
    fn confirms_early(&self, batch: &Batch) -> bool {
        match self.world.broken {
            Some(Rule::CommitThenAct) => true,
            Some(Rule::DurableBeforeAcknowledged) => batch
                .appends
                .iter()
                .any(|append| append.prefix.starts_with("inbox/")),
            _ => false,
        }
    }
}

impl Universe {
    /// The server applies a write.
    fn apply(&self, host: u64, partition: &Partition, batch: Batch) -> Result<Committed, CommitFault> {
        let puts = batch.puts.iter().filter_map(|put| put.wake);
        let wake = puts
            .chain(batch.appends.iter().filter_map(|append| append.wake))
            .min();
        let named = self.is_traced().then(|| named(&batch));
        let applied = self.store.apply(partition, batch);
        if applied.is_ok() {
            self.store.nudge(wake, || {
                !self.is_healed() && self.draw(|random| random.chance(self.plan.nudges_lost))
            });
        }
        self.note(|| {
            let how = if applied.is_ok() {
                "writes"
            } else {
                "finds another version of"
            };
            format!("host {host} {how} {}", named.unwrap_or_default())
        });
        applied
    }
}

/// What a batch writes.
fn named(batch: &Batch) -> String {
    let puts = batch.puts.iter().map(|put| put.key.0.clone());
    let appends = batch.appends.iter().map(|append| format!("{}+", append.prefix));
    let deletes = batch.deletes.iter().map(|(key, _)| format!("-{}", key.0));
    puts.chain(appends).chain(deletes).collect::<Vec<_>>().join(" ")
}

impl Documents for HostDocuments {
    const NUDGES: bool = true;

    async fn read(&self, partition: &Partition, select: Vec<Select>) -> Result<Snapshot, ReadFault> {
        self.way().await;
        let plan = &self.world.plan;
        let fails =
            !self.world.is_healed() && self.world.draw(|random| random.chance(plan.store_unavailable));
        if fails {
            self.world.disturbed(self.host);
            self.world
                .note(|| format!("host {} cannot read the store", self.host));
            return Err(ReadFault("drawn".to_owned()));
        }
        let mut snapshot = self.world.store.read(partition, select)?;
        self.world.note(|| format!("host {} reads", self.host));
        for document in snapshot.selected.iter_mut().flatten() {
            let key = (partition.0.as_str(), document.key.0.as_str());
            if let Some(rule) = self.world.broken
                && let Some(value) = rewrite::read(rule, &self.world.numbers, self.host, key, &document.value)
            {
                document.value = value;
            }
        }
        if plan.leases_for_all {
            for documents in &mut snapshot.selected {
                documents.retain(|document| document.key.0 != "lease");
            }
        }
        self.way().await;
        Ok(snapshot)
    }

    async fn commit(&self, partition: &Partition, mut batch: Batch) -> Result<Committed, CommitFault> {
        self.way().await;
        self.bent(partition, &mut batch);
        if self.confirms_early(&batch) {
            return Ok(self.confirm_early(partition, batch));
        }
        let treatment = self.treatment();
        if treatment != Treatment::Fine {
            self.world.note(|| {
                format!(
                    "host {}: the store is {treatment:?} for {}",
                    self.host,
                    named(&batch)
                )
            });
        }
        let lies = self.world.broken == Some(Rule::UnknownIsNotDone);
        let half = self.world.broken == Some(Rule::OneBatch) && treatment != Treatment::Fine;
        let count = batch.puts.len();
        if half {
            batch.puts.truncate(1);
            drop(self.send(partition, batch, false).await);
            return Err(CommitFault::Unavailable("drawn".to_owned()));
        }
        let result = match treatment {
            Treatment::Unavailable => Err(CommitFault::Unavailable("drawn".to_owned())),
            Treatment::Lost if lies => Ok(Committed {
                now: self.world.store.now(),
                versions: vec![ports::documents::Version(0); count],
                numbers: Vec::new(),
            }),
            Treatment::Lost => Err(CommitFault::Unknown("drawn".to_owned())),
            Treatment::Unsaid => match self.send(partition, batch, false).await {
                Ok(_) | Err(CommitFault::Conflict(_)) => Err(CommitFault::Unknown("drawn".to_owned())),
                Err(fault) => Err(fault),
            },
            Treatment::Slow => self.send(partition, batch, true).await,
            Treatment::Fine => self.send(partition, batch, false).await,
        };
        self.way().await;
        result
    }

    async fn due(&self, ahead: Millis, max: usize) -> Result<Due, ReadFault> {
        self.way().await;
        let due = self.world.store.memory.due(ahead, max).await;
        self.way().await;
        due
    }

    async fn nudged(&self) {
        Nudged {
            world: &self.world,
            host: self.host,
        }
        .await;
    }
}

struct Nudged<'a> {
    world: &'a Universe,
    host: u64,
}

impl Future for Nudged<'_> {
    type Output = ();

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let mut sleepers = lock(&self.world.store.sleepers);
        let sleeper = sleepers.entry(self.host).or_default();
        if std::mem::take(&mut sleeper.nudged) {
            return Poll::Ready(());
        }
        sleeper.waker = Some(context.waker().clone());
        Poll::Pending
    }
}
