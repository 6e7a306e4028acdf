//! What the operator decides: how much the runtime may use, and what a channel grants its piece.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use url::Url;

use crate::compile::Compiler;
use crate::limits;
use crate::secret::SecretSource;

/// How much pieces may use. Every field has a safe default.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuntimeConfig {
    /// The memory of one instance, memories and tables together, in bytes.
    pub memory_bytes_max: usize,
    /// The largest component, in bytes.
    pub piece_bytes_max: usize,
    /// How long a pure hook may compute.
    pub pure_cpu_max: Duration,
    /// How long a pure hook may take.
    pub pure_wall_max: Duration,
    /// How long an acting hook may compute; how long it may take is its attempt's limit.
    pub acting_cpu_max: Duration,
    /// Calls of pure hooks in flight; one piece gets a quarter.
    pub pure_calls_max: usize,
    /// Calls of acting hooks in flight; one piece gets a quarter.
    pub acting_calls_max: usize,
    /// How long a call waits for its place among them.
    pub place_wait_max: Duration,
    /// After how many failures of its own in a row a piece is held back.
    pub failures_forgiven: u32,
    /// How instances get their memory.
    pub allocator: Allocator,
    /// Where pieces are compiled.
    pub compiler: Compiler,
    /// Whether what each hook call uses is measured, which makes it slower: for tools. Only with [`Compiler::InProcess`].
    pub measured: bool,
}

impl Default for RuntimeConfig {
    fn default() -> Self {
        Self {
            memory_bytes_max: limits::MEMORY_BYTES_MAX,
            piece_bytes_max: limits::PIECE_BYTES_MAX,
            pure_cpu_max: limits::PURE_CPU_MAX,
            pure_wall_max: limits::PURE_WALL_MAX,
            acting_cpu_max: limits::ACTING_CPU_MAX,
            pure_calls_max: limits::PURE_CALLS_MAX,
            acting_calls_max: limits::ACTING_CALLS_MAX,
            place_wait_max: limits::PLACE_WAIT_MAX,
            failures_forgiven: limits::FAILURES_FORGIVEN,
            allocator: Allocator::PoolingIfPossible,
            compiler: Compiler::InProcess,
            measured: false,
        }
    }
}

/// How instances get their memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Allocator {
    /// From a pool that is reserved at the start, if the machine has the address space for it; else on demand.
    PoolingIfPossible,
    /// From the system, for each instance.
    OnDemand,
}

/// What the locators of forms are authenticated with: a key of the installation, made for this and nothing else, the same
/// in every host of a store and after every restart. A form that was opened under another key leads nowhere.
#[derive(Clone, Copy)]
pub struct LocatorKey([u8; 32]);

impl LocatorKey {
    /// Wraps a key.
    pub const fn new(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    pub(crate) fn bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl fmt::Debug for LocatorKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("LocatorKey([secret])")
    }
}

/// What a channel's configuration says to its piece.
#[derive(Clone)]
pub struct ChannelSetup {
    /// The channel's configured name, at most 256 bytes.
    pub channel: String,
    /// The options as configured, checked against the manifest when the piece is loaded.
    pub options: serde_json::Map<String, serde_json::Value>,
    /// The slots the piece may use, by id. One that the manifest declares and that is not here is refused.
    pub grants: BTreeMap<String, SlotGrant>,
    /// The secrets by name, for accounts that have none of their own.
    pub secrets: BTreeMap<String, SecretRef>,
    /// The secrets of single accounts, by account and name. They go before `secrets`.
    pub account_secrets: BTreeMap<String, BTreeMap<String, SecretRef>>,
}

/// A secret by reference.
pub type SecretRef = Arc<dyn SecretSource>;

impl fmt::Debug for ChannelSetup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ChannelSetup")
            .field("channel", &self.channel)
            .field("grants", &self.grants)
            .field("secrets", &self.secrets.keys())
            .finish_non_exhaustive()
    }
}

/// The operator's word that a slot may be used.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SlotGrant {
    /// Replaces the manifest's base: a self-hosted server, a test.
    pub base: Option<Url>,
    /// Private hosts, as `host` or `host:port`, that the slot may reach, and reach without TLS. A slot reaches exactly one
    /// host; naming others here has no effect.
    pub allow_private: Vec<String>,
}
