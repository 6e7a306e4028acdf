//! Documents on Redis or Valkey, for any number of hosts.
//!
//! * A partition belongs to a shard ([`names`]); all of a shard lies in one slot, so that a commit is one script ([`scripts`],
//!   `commit.lua`), on a single server as in a cluster.
//! * [`link`] is one connection, [`node`] one server with its back-off, [`shards`] the way to a shard and the rules for
//!   trying again, [`finding`] who asks sentinels and clusters for the way, [`admission`] what a server must be.
//! * [`wire`] is what the scripts are given and answer; `shard.lua` says how a shard lies on the server.
//! * [`listener`] hears of the wake times that other hosts write.
//!
//! The clock is the server's, expiry is judged by it, and the server removes documents at their expiry too.

mod admission;
mod answer;
mod faults;
mod finding;
mod link;
mod listener;
mod names;
mod node;
mod scripts;
mod settings;
mod shards;
mod tls;
mod wire;

#[cfg(test)]
mod tests;

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher as _, Hasher as _};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use bytes::Bytes;
use lifecycle::{Millis, Timestamp};
use ports::documents::{
    Append, Batch, CommitFault, CommitId, Committed, DUE_MAX, Documents, Due, Expect, Key, Partition, Put,
    ReadFault, Select, Snapshot,
};

use self::answer::Answer;
use self::faults::RedisFault as Fault;
use self::finding::Finder;
use self::listener::Listener;
use self::names::Names;
use self::scripts::{Question, Script};
use self::shards::{Shards, Unanswered};
use self::tls::Encryption;
use self::wire::{Applied, Clock, GARBLED, Nudge};
use crate::nudges::{Nudges, soonest};

pub use self::faults::RedisFault;
pub use self::settings::{
    Login, LoginSource, NAMESPACE_STANDARD, RedisAddress, RedisSettings, RedisTls, RedisUrl, RedisUrlFault,
    SENTINEL_PORT_STANDARD, SHARDS_MAX, SHARDS_STANDARD, Sentinel, no_login,
};
pub use self::tls::RedisTlsFault;

/// How documents lie on the server. Another number is another program.
const FORMAT: u32 = 1;
/// How soon to look again where a part of the store could not be asked what is due.
const PARTIAL_AGAIN: Millis = Millis::seconds(1);

/// Why a store on Redis cannot be opened.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RedisOpenFault {
    /// A server, or the way to it.
    #[error(transparent)]
    Server(#[from] RedisFault),
    /// TLS.
    #[error(transparent)]
    Tls(#[from] RedisTlsFault),
}

/// An opened store on Redis.
#[derive(Debug)]
pub struct RedisDocuments {
    shards: Arc<Shards>,
    count: u16,
    nudge: Nudge,
    /// The latest time read, so that time does not go back at a failover to a server whose clock is behind.
    seen: AtomicU64,
    ahead: AtomicU64,
    nudges: Arc<Nudges>,
    _listener: Listener,
}

impl RedisDocuments {
    /// Connects, checks that documents can be trusted to what answers, and creates the store when there is none.
    ///
    /// # Errors
    /// See [`RedisFault`].
    pub async fn open(settings: RedisSettings) -> Result<Self, RedisOpenFault> {
        let encryption = Encryption::new(&settings.tls)?;
        let (namespace, wanted, database) = (settings.namespace.clone(), settings.shards, settings.database);
        let finder = Arc::new(Finder::new(settings, encryption));
        let clustered = is_clustered(&finder, database).await?;
        let shards = Shards::find(finder, Names::new(&namespace), clustered).await?;
        let shards = Arc::new(shards);
        let count = create(&shards, &namespace, wanted.clamp(1, SHARDS_MAX)).await?;
        let nudges = Arc::new(Nudges::new());
        let nudge = Nudge {
            channel: shards.names.channel(),
            sender: format!("{:016x}", RandomState::new().build_hasher().finish()),
        };
        let listener = Listener::start(Arc::clone(&shards), Arc::clone(&nudges), &nudge.sender).await;
        let store = Self {
            shards,
            count,
            nudge,
            seen: AtomicU64::new(0),
            ahead: AtomicU64::new(0),
            nudges,
            _listener: listener,
        };
        let tried = store.trial().await;
        tried.map_err(|why| Fault::Trial { namespace, why })?;
        Ok(store)
    }

    /// Writes a document with everything that a document can have, and deletes it: a user that lacks a command must not be
    /// found out in the middle of a commit, which a script cannot undo.
    async fn trial(&self) -> Result<(), String> {
        let (place, key) = (Partition("trial".to_owned()), Key("document".to_owned()));
        let now = self
            .read(&place, vec![])
            .await
            .map_err(|fault| fault.to_string())?
            .now;
        let (wake, expires) = (Some(now + Millis::days(1)), Some(now + Millis::days(2)));
        let batch = |puts, deletes, appends| Batch {
            id: CommitId(0),
            checks: vec![],
            puts,
            deletes,
            appends,
        };
        let put = Put {
            key: key.clone(),
            expect: Expect::Anything,
            value: Bytes::new(),
            expires,
            wake,
        };
        let append = Append {
            prefix: "number/".to_owned(),
            value: Bytes::new(),
            expires,
            wake,
        };
        let committed = self
            .commit(&place, batch(vec![put], vec![], vec![append.clone()]))
            .await;
        let numbers = committed.map_err(|fault| fault.to_string())?.numbers;
        let written = numbers.into_iter().map(|number| append.key(number)).chain([key]);
        let deletes = written.map(|key| (key, Expect::Anything)).collect();
        let deleted = self.commit(&place, batch(vec![], deletes, vec![])).await;
        deleted.map(drop).map_err(|fault| fault.to_string())
    }

    /// How many shards the store has had since it was created.
    pub fn shards(&self) -> u16 {
        self.count
    }

    /// Sets the clock of this host's store ahead: every time that it reads and judges by is so much later than the server's.
    #[cfg(any(test, feature = "servers"))]
    pub fn advance(&self, length: Millis) {
        self.ahead.fetch_add(length.0, Ordering::SeqCst);
    }

    fn clock(&self) -> Clock {
        Clock {
            seen: self.seen.load(Ordering::Relaxed),
            ahead: self.ahead.load(Ordering::Relaxed),
        }
    }

    fn see(&self, now: Timestamp) {
        self.seen.fetch_max(now.0, Ordering::Relaxed);
    }
}

/// Asks the server, or the first that answers, whether it belongs to a cluster; and whether it may be used at all.
async fn is_clustered(finder: &Finder, database: i64) -> Result<bool, Fault> {
    let mut last = None;
    let beginnings = if finder.by_sentinel() {
        vec![finder.master().await?]
    } else {
        finder.beginnings().to_vec()
    };
    for address in beginnings {
        let asked = async {
            let link = finder.guide(&address).await?;
            let told = admission::ask(&link).await?;
            // In a cluster any node shows the way, also one that copies another.
            if !told.clustered {
                told.admit(&link)?;
            } else if database != 0 {
                return Err(Fault::Database {
                    address: address.clone(),
                    database,
                });
            }
            Ok(told.clustered)
        };
        match asked.await {
            Ok(clustered) => return Ok(clustered),
            Err(fault @ Fault::Unreachable { .. }) => last = Some(fault),
            Err(fault) => return Err(fault),
        }
    }
    Err(last.unwrap_or(Fault::NoMaster {
        master: String::new(),
        why: "no address is configured".to_owned(),
    }))
}

/// Creates the store, unless there is one, and tells how many shards it has.
async fn create(shards: &Shards, namespace: &str, wanted: u16) -> Result<u16, Fault> {
    let key = shards.names.store();
    let asked = |what: &'static [&'static str], value: String| {
        let key = key.clone();
        async move {
            let command = |_: &node::Ready| {
                let mut command = redis::cmd(what[0]);
                command.arg(&key).arg(&what[1..]);
                if !value.is_empty() {
                    command.arg(&value);
                }
                command
            };
            // Twice is as good as once.
            let answer = shards.carry(0, true, command).await;
            answer.map_err(|unanswered| Fault::Unfit {
                address: shards.finder.beginnings()[0].clone(),
                why: unanswered.into_text(),
            })
        }
    };
    asked(&["HSETNX", "format"], FORMAT.to_string()).await?;
    asked(&["HSETNX", "shards"], wanted.to_string()).await?;
    let kept = asked(&["HMGET", "format", "shards"], String::new()).await?;
    let foreign = || Fault::Foreign {
        namespace: namespace.to_owned(),
    };
    let kept = kept.list().unwrap_or_default().into_iter();
    let texts: Vec<String> = kept.filter_map(Answer::text).collect();
    let [format, count] = &texts[..] else {
        return Err(foreign());
    };
    if *format != FORMAT.to_string() {
        return Err(Fault::Format {
            namespace: namespace.to_owned(),
            found: format.clone(),
            known: FORMAT,
        });
    }
    let count = count
        .parse()
        .ok()
        .filter(|count| (1..=SHARDS_MAX).contains(count));
    count.ok_or_else(foreign)
}

impl Documents for RedisDocuments {
    const NUDGES: bool = true;

    async fn read(&self, partition: &Partition, select: Vec<Select>) -> Result<Snapshot, ReadFault> {
        Select::within_bounds(partition, &select).map_err(|fault| ReadFault(fault.to_string()))?;
        let arguments = wire::read(self.clock(), partition, &select);
        let answer = self.shards.ask(Question {
            script: Script::Read,
            shard: names::shard(partition, self.count),
            arguments: &arguments,
        });
        let answer = answer
            .await
            .map_err(|unanswered| ReadFault(unanswered.into_text()))?;
        let snapshot = wire::snapshot(answer).map_err(|wire::Garbled| ReadFault(GARBLED.to_owned()))?;
        self.see(snapshot.now);
        Ok(snapshot)
    }

    async fn commit(&self, partition: &Partition, batch: Batch) -> Result<Committed, CommitFault> {
        batch
            .within_bounds(partition)
            .map_err(|fault| CommitFault::Unavailable(fault.to_string()))?;
        let arguments = wire::commit(self.clock(), partition, &batch, &self.nudge);
        let answer = self.shards.ask(Question {
            script: Script::Commit,
            shard: names::shard(partition, self.count),
            arguments: &arguments,
        });
        let answer = match answer.await {
            Ok(answer) => answer,
            Err(Unanswered::NotDone(why)) => return Err(CommitFault::Unavailable(why)),
            Err(Unanswered::Unknown(why)) => {
                self.nudges.wrote(soonest(&batch));
                return Err(CommitFault::Unknown(why));
            }
        };
        match wire::applied(answer, batch.puts.len()) {
            Ok(Applied::Written(committed)) => {
                self.see(committed.now);
                self.nudges.wrote(soonest(&batch));
                Ok(committed)
            }
            Ok(Applied::Conflict(now, there)) => {
                self.see(now);
                Err(CommitFault::Conflict(there))
            }
            Err(wire::Garbled) => Err(CommitFault::Unknown(GARBLED.to_owned())),
        }
    }

    async fn due(&self, ahead: Millis, max: usize) -> Result<Due, ReadFault> {
        self.nudges.asked();
        let arguments = wire::due(self.clock(), ahead.0, max);
        let question = |shard| Question {
            script: Script::Due,
            shard,
            arguments: &arguments,
        };
        let questions: Vec<_> = (0..self.count).map(question).collect();
        let due = self.gather(self.shards.ask_each(&questions).await, max)?;
        self.nudges.told(due.now, due.next);
        Ok(due)
    }

    async fn nudged(&self) {
        self.nudges.nudged().await;
    }
}

impl RedisDocuments {
    /// What all shards say. While a part of the store is down, the rest goes on: what cannot be asked is asked again soon.
    fn gather(&self, answers: Vec<Result<Answer, Unanswered>>, max: usize) -> Result<Due, ReadFault> {
        let (mut awake, mut next, mut failed) = (Vec::new(), None::<Timestamp>, None);
        let mut answered = 0_usize;
        for answer in answers {
            match answer {
                Ok(answer) => {
                    let shard =
                        wire::shard_due(answer).map_err(|wire::Garbled| ReadFault(GARBLED.to_owned()))?;
                    self.see(shard.now);
                    answered += 1;
                    awake.extend(shard.awake);
                    next = next.into_iter().chain(shard.next).min();
                }
                Err(unanswered) => failed = Some(unanswered.into_text()),
            }
        }
        let now = Timestamp(self.seen.load(Ordering::Relaxed));
        match failed {
            Some(why) if answered == 0 => return Err(ReadFault(why)),
            Some(why) => {
                tracing::warn!(
                    why,
                    answered,
                    shards = self.count,
                    "a part of the store cannot be asked"
                );
                next = next.into_iter().chain([now + PARTIAL_AGAIN]).min();
            }
            None => {}
        }
        awake.sort_by_key(|one| one.wake);
        awake.truncate(max.min(DUE_MAX));
        Ok(Due { now, awake, next })
    }
}
