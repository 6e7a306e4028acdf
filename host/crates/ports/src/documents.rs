//! Everything the host remembers: versioned documents with an optional expiry and an optional wake time.
//!
//! A *partition* holds all that the events of one conversation touch; a commit is one atomic batch within one
//! partition. There is no job queue: what has to happen later is a document with a wake time. Nothing here assumes one
//! process, one machine or one clock: every read tells the store's time, and expiry and wake times are judged by it.

use std::future::Future;

use bytes::Bytes;
use lifecycle::{Millis, Timestamp};

mod limits;

pub use limits::OutOfBounds;

/// The longest partition or key, in bytes.
pub const NAME_BYTES_MAX: usize = 512;
/// The largest document value: a delivery with a request body of 1 MiB, its JSON escapes and its frame.
pub const VALUE_BYTES_MAX: usize = 8 * 1024 * 1024;
/// The most writes and checks in one batch.
pub const BATCH_MAX: usize = 1_000;
/// The most selections of one read.
pub const SELECTIONS_MAX: usize = 1_000;
/// The most documents one selection returns.
pub const SELECT_MAX: usize = 1_000;
/// The most documents one [`Documents::due`] returns.
pub const DUE_MAX: usize = 1_000;
/// After how long at most a caller asks again what is [due](Documents::due), though nothing has [nudged](Documents::nudged)
/// it: how late a wake time is seen whose notification was lost. Stores do not nudge for a wake time further ahead.
pub const LOOK_AGAIN: Millis = Millis::seconds(10);
/// The latest expiry or wake time: what a store that counts in doubles (Redis) still holds exactly, in the year 287,396.
pub const TIME_MAX: Timestamp = Timestamp((1 << 53) - 1);

/// A name of documents that are read and written together. At most [`NAME_BYTES_MAX`] bytes.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Partition(pub String);

/// A document's name in its partition. Keys of a partition are ordered by their bytes. At most [`NAME_BYTES_MAX`] bytes.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key(pub String);

/// Changes with every write of a document, and is never used again for the same key, not even after its deletion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Version(pub u64);

/// Names one commit, so that a later read can tell whether it was applied. Random.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CommitId(pub u128);

/// A document as it was read. One whose expiry has passed by the store's clock is never returned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Document {
    /// Its name.
    pub key: Key,
    /// Its version.
    pub version: Version,
    /// The commit that wrote it last.
    pub commit: CommitId,
    /// Its bytes.
    pub value: Bytes,
    /// When it ends: at this instant it is no longer there.
    pub expires: Option<Timestamp>,
    /// When something is due: from this instant on.
    pub wake: Option<Timestamp>,
}

/// What to read of a partition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Select {
    /// One document.
    Key(Key),
    /// The documents whose key begins with `prefix`, in order, at most `limit` and never more than [`SELECT_MAX`].
    Prefix {
        /// The beginning of the keys.
        prefix: String,
        /// From which end.
        order: Order,
        /// How many at most.
        limit: usize,
    },
}

/// From which end a prefix is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Smallest key first.
    Ascending,
    /// Largest key first.
    Descending,
}

/// What a partition held at one instant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Snapshot {
    /// The store's clock.
    pub now: Timestamp,
    /// The documents of each selection, in the order of the selections. An absent key has none.
    pub selected: Vec<Vec<Document>>,
}

/// What a check expects of a document. One that has expired is absent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expect {
    /// There is none.
    Absent,
    /// It has this version.
    Version(Version),
    /// Whatever is there.
    Anything,
}

/// A document to write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Put {
    /// Its name.
    pub key: Key,
    /// What must be there before.
    pub expect: Expect,
    /// Its new bytes, at most [`VALUE_BYTES_MAX`].
    pub value: Bytes,
    /// When it ends.
    pub expires: Option<Timestamp>,
    /// When something is due.
    pub wake: Option<Timestamp>,
}

/// A document whose key the store completes with a number, so that it never conflicts. Numbers of a prefix rise in the
/// order of the commits, begin at 1 and are never used again; the key is the prefix and the number in 20 digits. Such
/// keys are made by appends only: a number does not ask what somebody else put there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Append {
    /// The beginning of the key.
    pub prefix: String,
    /// Its bytes, at most [`VALUE_BYTES_MAX`].
    pub value: Bytes,
    /// When it ends.
    pub expires: Option<Timestamp>,
    /// When something is due.
    pub wake: Option<Timestamp>,
}

/// One atomic batch of writes to one partition. A key occurs at most once in `checks`, `puts` and `deletes` together.
/// Every store refuses a batch that [`Batch::within_bounds`] refuses, as [`CommitFault::Unavailable`] with its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Batch {
    /// Names this commit.
    pub id: CommitId,
    /// What must hold of documents that are not written.
    pub checks: Vec<(Key, Expect)>,
    /// What to write.
    pub puts: Vec<Put>,
    /// What to delete. Deleting what is absent is no error unless the expectation says so.
    pub deletes: Vec<(Key, Expect)>,
    /// What to add.
    pub appends: Vec<Append>,
}

/// A confirmed commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Committed {
    /// The store's clock when it was applied.
    pub now: Timestamp,
    /// The new version of each put, in their order.
    pub versions: Vec<Version>,
    /// The number of each append, in their order.
    pub numbers: Vec<u64>,
}

/// Why a commit is not confirmed. The caller acts differently on each.
#[derive(Debug, thiserror::Error)]
pub enum CommitFault {
    /// An expectation did not hold. Nothing was written. What is there now, for the keys that did not match.
    #[error("the documents changed meanwhile")]
    Conflict(Vec<(Key, Option<Document>)>),
    /// Surely not written. So is a batch outside the bounds: that is a mistake of the caller, which the text names.
    #[error("the store is unavailable: {0}")]
    Unavailable(String),
    /// Perhaps written: a read that shows this commit's id settles it. Nothing may be performed on it.
    #[error("the outcome of the commit is unknown: {0}")]
    Unknown(String),
}

/// Why a read failed.
#[derive(Debug, thiserror::Error)]
#[error("the store is unavailable: {0}")]
pub struct ReadFault(pub String);

/// A document whose wake time has come.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Awake {
    /// Where it is.
    pub partition: Partition,
    /// Its name.
    pub key: Key,
    /// Its wake time.
    pub wake: Timestamp,
}

/// What is due.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Due {
    /// The store's clock.
    pub now: Timestamp,
    /// Documents whose wake time comes within the time asked for, earliest first.
    pub awake: Vec<Awake>,
    /// The earliest wake time after that, of a document that will still be there then.
    pub next: Option<Timestamp>,
}

/// The store.
pub trait Documents: Send + Sync + 'static {
    /// Reads selections of one partition in one trip, as one snapshot. At most [`SELECTIONS_MAX`].
    ///
    /// # Errors
    /// The store cannot be reached, or the selections are outside the bounds.
    fn read(
        &self,
        partition: &Partition,
        select: Vec<Select>,
    ) -> impl Future<Output = Result<Snapshot, ReadFault>> + Send;

    /// Writes one batch, atomically. Who drops the future does not know the outcome: the batch may still be applied, once.
    ///
    /// # Errors
    /// See [`CommitFault`].
    fn commit(
        &self,
        partition: &Partition,
        batch: Batch,
    ) -> impl Future<Output = Result<Committed, CommitFault>> + Send;

    /// Up to `max` documents (never more than [`DUE_MAX`]) of all partitions whose wake time comes within `ahead` of now, and
    /// that live that long; with no time ahead, those that are due. Reading does not claim them: whoever handles one writes
    /// it, and the compare-and-set says who was first.
    ///
    /// # Errors
    /// The store cannot be reached.
    fn due(&self, ahead: Millis, max: usize) -> impl Future<Output = Result<Due, ReadFault>> + Send;

    /// Whether [`nudged`](Documents::nudged) ever completes. Where it does, whoever has read that nothing is due can sleep
    /// until [`Due::next`], at most for [`LOOK_AGAIN`]; where not, it has to look as often as it wants to be punctual.
    const NUDGES: bool = false;

    /// Completes once somebody, on this host or another, has written a wake time within [`LOOK_AGAIN`] that is earlier than
    /// the [`Due::next`] told last: the time to ask what is due again. Wakes one caller. It may complete without such a
    /// reason, also one that lies before the call; a notification of another host may be lost.
    fn nudged(&self) -> impl Future<Output = ()> + Send {
        std::future::pending()
    }
}
