//! The shell around the lifecycle: load, gather evidence, step, commit, perform.
//!
//! The way of an event: `ingress` makes it durable; `message` or `interaction` gathers what the pieces and the
//! access rules say about it and steps the machines; `ledger` commits; `perform` does what was ordered and feeds
//! the results back the same way. `sweep` ticks whatever is due: it is the only thing that recovers.
//!
//! The crate is generic over the ports ([`World`]) and knows none of their implementations.

pub mod access;
mod address;
mod chat;
pub mod config;
mod connect;
mod conversation;
mod inbox;
mod ingress;
mod installation;
mod interaction;
mod ledger;
mod message;
mod model;
mod newest;
mod people;
mod perform;
mod restart;
mod store_clock;
mod stored;
mod sweep;

use std::collections::HashSet;
use std::fmt;
use std::sync::{Arc, Mutex};

use ports::documents::Partition;
use ports::{Clock, Documents, Entropy, Models, Pieces, Tasks, Tools};

pub use address::Address;
use config::Config;
pub use installation::{InstallationFault, InstallationSecret, Purpose};
use store_clock::StoreClock;

/// The implementations an engine runs on.
pub trait World: Send + Sync + 'static {
    /// The store.
    type Documents: Documents;
    /// The loaded pieces.
    type Pieces: Pieces;
    /// The language models.
    type Models: Models;
    /// The server tools.
    type Tools: Tools;
    /// The host's clock.
    type Clock: Clock;
    /// What runs tasks.
    type Tasks: Tasks;
    /// Random bytes.
    type Entropy: Entropy;
}

/// One of each.
pub struct Parts<W: World> {
    /// The store.
    pub documents: Arc<W::Documents>,
    /// The loaded pieces.
    pub pieces: Arc<W::Pieces>,
    /// The language models.
    pub models: Arc<W::Models>,
    /// The server tools.
    pub tools: Arc<W::Tools>,
    /// The host's clock.
    pub clock: Arc<W::Clock>,
    /// What runs tasks.
    pub tasks: Arc<W::Tasks>,
    /// Random bytes.
    pub entropy: Arc<W::Entropy>,
}

/// The engine. Cheap to clone.
pub struct Engine<W: World>(pub(crate) Arc<Inner<W>>);

pub(crate) struct Inner<W: World> {
    pub(crate) parts: Parts<W>,
    pub(crate) config: Config,
    /// Names this process among the hosts of a store.
    pub(crate) host: String,
    /// Spreads the retries of this host.
    pub(crate) seed: u64,
    pub(crate) people: people::Cache,
    /// Inboxes that a task of this process is working on; `true`: something arrived meanwhile.
    pub(crate) inboxes: Mutex<message::Runners>,
    /// Conversations with a document that this build cannot read: left alone until the operator has looked.
    pub(crate) parked: Mutex<HashSet<Partition>>,
    /// Documents whose tick is under way in this process.
    pub(crate) ticking: Mutex<HashSet<sweep::Ticking>>,
    /// Who was told lately that a card is out of date, where everybody sees it.
    pub(crate) lately: perform::Lately,
    /// When each account has to be connected next.
    pub(crate) connections: connect::Connections,
    pub(crate) store_clock: StoreClock,
}

impl<W: World> Engine<W> {
    /// An engine that has not begun to sweep: see [`Engine::run`].
    pub fn new(parts: Parts<W>, config: Config) -> Self {
        let bytes = parts.entropy.bytes();
        let seed = u64::from_be_bytes([
            bytes[0], bytes[1], bytes[2], bytes[3], bytes[4], bytes[5], bytes[6], bytes[7],
        ]);
        Self(Arc::new(Inner {
            parts,
            config,
            host: hex::encode(bytes),
            seed,
            people: people::Cache::default(),
            inboxes: Mutex::default(),
            parked: Mutex::default(),
            ticking: Mutex::default(),
            lately: perform::Lately::default(),
            connections: connect::Connections::default(),
            store_clock: StoreClock::default(),
        }))
    }
}

impl<W: World> Clone for Engine<W> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<W: World> fmt::Debug for Engine<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Engine")
            .field("host", &self.0.host)
            .finish_non_exhaustive()
    }
}

/// Locks, also when a task panicked while it held the lock: what these locks guard is consistent after every statement.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}
