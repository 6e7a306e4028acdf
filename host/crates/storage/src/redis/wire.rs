//! What the scripts are given and what they answer, in Rust's types.

use bytes::Bytes;
use lifecycle::Timestamp;
use ports::documents::{
    Awake, Batch, CommitId, Committed, DUE_MAX, Document, Expect, Key, LOOK_AGAIN, Order, Partition,
    SELECT_MAX, Select, Snapshot, Version,
};

use super::answer::Answer;
use super::scripts::Arguments;

/// Version, commit, expiry and wake time, 16 bytes each, before the value.
const HEAD_BYTES: usize = 64;
/// A time that is not there.
const NO_TIME: &[u8] = b"----------------";
/// The most lapsed documents that one look at a shard purges: 5 µs each.
const PURGE_MAX: usize = 128;

/// The clock of a request.
#[derive(Clone, Copy, Debug)]
pub(super) struct Clock {
    /// The latest time that this host has read.
    pub(super) seen: u64,
    /// How far the store's clock is set ahead, in milliseconds; for tests.
    pub(super) ahead: u64,
}

/// Where a commit announces its wake times, and as whom.
#[derive(Clone, Debug)]
pub(super) struct Nudge {
    pub(super) channel: String,
    /// Names this store among those of other hosts.
    pub(super) sender: String,
}

/// An answer that no script of ours gives.
#[derive(Debug)]
pub(super) struct Garbled;

pub(super) const GARBLED: &str =
    "the store gave an answer of another form; is another program writing to its keys?";

/// What became of a batch.
#[derive(Debug)]
pub(super) enum Applied {
    Written(Committed),
    Conflict(Timestamp, Vec<(Key, Option<Document>)>),
}

/// What one shard says is due.
#[derive(Debug)]
pub(super) struct ShardDue {
    pub(super) now: Timestamp,
    pub(super) awake: Vec<Awake>,
    pub(super) next: Option<Timestamp>,
}

pub(super) fn commit<'a>(
    clock: Clock,
    partition: &'a Partition,
    batch: &'a Batch,
    nudge: &'a Nudge,
) -> Arguments<'a> {
    let mut arguments = begin(clock);
    for name in [
        ":w".to_owned(),
        ":e".to_owned(),
        index(partition),
        numbers(partition),
    ] {
        arguments.key(name);
    }
    for key in batch.named() {
        arguments.key(document_name(partition, key));
    }
    arguments
        .bytes(partition.0.as_bytes())
        .owned(batch.id.0.to_be_bytes())
        .bytes(nudge.channel.as_bytes())
        .bytes(nudge.sender.as_bytes())
        .number(LOOK_AGAIN.0);
    let unwritten = batch.checks.iter().chain(&batch.deletes);
    let unwritten = unwritten.map(|(key, expect)| (key, *expect));
    let expected = unwritten.chain(batch.puts.iter().map(|put| (&put.key, put.expect)));
    let expected: Vec<_> = expected
        .filter_map(|(key, expect)| match expect {
            Expect::Anything => None,
            Expect::Absent => Some((key, String::new())),
            Expect::Version(version) => Some((key, format!("{:016}", version.0))),
        })
        .collect();
    for count in [
        expected.len(),
        batch.puts.len(),
        batch.deletes.len(),
        batch.appends.len(),
    ] {
        arguments.number(count);
    }
    for (key, expect) in expected {
        arguments.bytes(key.0.as_bytes()).owned(expect);
    }
    for put in &batch.puts {
        arguments.bytes(put.key.0.as_bytes());
        arguments
            .owned(time(put.expires))
            .owned(time(put.wake))
            .bytes(&put.value);
    }
    for (key, _) in &batch.deletes {
        arguments.bytes(key.0.as_bytes());
    }
    for append in &batch.appends {
        arguments.bytes(append.prefix.as_bytes());
        arguments
            .owned(time(append.expires))
            .owned(time(append.wake))
            .bytes(&append.value);
    }
    arguments
}

pub(super) fn read<'a>(clock: Clock, partition: &'a Partition, select: &'a [Select]) -> Arguments<'a> {
    let mut arguments = begin(clock);
    arguments.key(index(partition)).bytes(partition.0.as_bytes());
    for one in select {
        match one {
            Select::Key(key) => arguments
                .key(document_name(partition, key))
                .bytes(b"key")
                .bytes(key.0.as_bytes()),
            Select::Prefix { prefix, order, limit } => {
                let order: &[u8] = match order {
                    Order::Ascending => b"up",
                    Order::Descending => b"down",
                };
                arguments
                    .bytes(order)
                    .bytes(prefix.as_bytes())
                    .number((*limit).min(SELECT_MAX))
            }
        };
    }
    arguments
}

pub(super) fn due(clock: Clock, ahead: u64, max: usize) -> Arguments<'static> {
    let mut arguments = begin(clock);
    arguments.key(":w".to_owned()).key(":e".to_owned());
    arguments.number(ahead).number(max.min(DUE_MAX)).number(PURGE_MAX);
    arguments
}

/// The names of `shard.lua`.
fn document_name(partition: &Partition, key: &Key) -> String {
    format!(":d:{}:{}{}", partition.0.len(), partition.0, key.0)
}

fn index(partition: &Partition) -> String {
    format!(":k:{}", partition.0)
}

fn numbers(partition: &Partition) -> String {
    format!(":n:{}", partition.0)
}

fn begin<'a>(clock: Clock) -> Arguments<'a> {
    let mut arguments = Arguments::default();
    arguments.number(clock.seen).number(clock.ahead);
    arguments
}

fn time(time: Option<Timestamp>) -> Vec<u8> {
    time.map_or_else(|| NO_TIME.to_vec(), |time| format!("{:016}", time.0).into_bytes())
}

/// Takes an answer apart, from its first element on.
struct Parts(std::vec::IntoIter<Answer>);

impl Parts {
    fn of(answer: Answer) -> Result<Self, Garbled> {
        answer.list().map(|list| Self(list.into_iter())).ok_or(Garbled)
    }

    fn next(&mut self) -> Result<Answer, Garbled> {
        self.0.next().ok_or(Garbled)
    }

    fn list(&mut self) -> Result<Self, Garbled> {
        Self::of(self.next()?)
    }

    fn number(&mut self) -> Result<u64, Garbled> {
        self.next()?.number().ok_or(Garbled)
    }

    fn bytes(&mut self) -> Result<Vec<u8>, Garbled> {
        self.next()?.bytes().ok_or(Garbled)
    }

    fn text(&mut self) -> Result<String, Garbled> {
        self.next()?.text().ok_or(Garbled)
    }

    /// What is there, or nothing.
    fn if_any<T>(&mut self, read: impl FnOnce(Answer) -> Option<T>) -> Result<Option<T>, Garbled> {
        let answer = self.next()?;
        if answer == Answer::Nothing {
            return Ok(None);
        }
        read(answer).map(Some).ok_or(Garbled)
    }

    fn is_empty(&self) -> bool {
        self.0.len() == 0
    }
}

pub(super) fn applied(answer: Answer, puts: usize) -> Result<Applied, Garbled> {
    let mut parts = Parts::of(answer)?;
    let now = Timestamp(parts.number()?);
    if parts.number()? == 0 {
        let mut there = parts.list()?;
        let mut conflicts = Vec::new();
        while !there.is_empty() {
            let key = Key(there.text()?);
            let found = there.if_any(Answer::bytes)?;
            let document = found.map(|bytes| document(key.clone(), bytes)).transpose()?;
            conflicts.push((key, document));
        }
        return Ok(Applied::Conflict(now, conflicts));
    }
    let version = Version(parts.number()?);
    let numbers = parts.list()?.0.map(|number| number.number().ok_or(Garbled));
    Ok(Applied::Written(Committed {
        now,
        versions: vec![version; puts],
        numbers: numbers.collect::<Result<_, _>>()?,
    }))
}

pub(super) fn snapshot(answer: Answer) -> Result<Snapshot, Garbled> {
    let mut parts = Parts::of(answer)?;
    let now = Timestamp(parts.number()?);
    let mut selected = Vec::new();
    while !parts.is_empty() {
        let mut found = parts.list()?;
        let mut documents = Vec::new();
        while !found.is_empty() {
            let key = Key(found.text()?);
            documents.push(document(key, found.bytes()?)?);
        }
        selected.push(documents);
    }
    Ok(Snapshot { now, selected })
}

pub(super) fn shard_due(answer: Answer) -> Result<ShardDue, Garbled> {
    let mut parts = Parts::of(answer)?;
    let now = Timestamp(parts.number()?);
    let mut found = parts.list()?;
    let mut awake = Vec::new();
    while !found.is_empty() {
        awake.push(Awake {
            partition: Partition(found.text()?),
            key: Key(found.text()?),
            wake: Timestamp(found.number()?),
        });
    }
    let next = parts.if_any(|next| next.number())?.map(Timestamp);
    Ok(ShardDue { now, awake, next })
}

fn document(key: Key, bytes: Vec<u8>) -> Result<Document, Garbled> {
    let bytes = Bytes::from(bytes);
    let head = bytes.get(..HEAD_BYTES).ok_or(Garbled)?;
    let (version, rest) = head.split_at(16);
    let (commit, rest) = rest.split_at(16);
    let (expires, wake) = rest.split_at(16);
    let commit = commit.try_into().map_err(|_| Garbled)?;
    Ok(Document {
        key,
        version: Version(digits(version)?),
        commit: CommitId(u128::from_be_bytes(commit)),
        expires: read_time(expires)?,
        wake: read_time(wake)?,
        value: bytes.slice(HEAD_BYTES..),
    })
}

fn read_time(bytes: &[u8]) -> Result<Option<Timestamp>, Garbled> {
    if bytes == NO_TIME {
        return Ok(None);
    }
    digits(bytes).map(|time| Some(Timestamp(time)))
}

fn digits(bytes: &[u8]) -> Result<u64, Garbled> {
    let text = std::str::from_utf8(bytes).map_err(|_| Garbled)?;
    text.parse().map_err(|_| Garbled)
}
