//! What stands before a channel.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, PoisonError, RwLock};

use frogbot_manifest::Verification;

/// Where the value of a channel's verification secret comes from. Asked again for every request, so that a rotated file
/// is used by the next one.
pub trait SigningSecret: Send + Sync + 'static {
    /// The value now; none when there is none, then the channel is down. It must not wait: a file is watched, not read.
    fn current(&self) -> Option<Arc<str>>;
}

/// What stands before each channel, by its configured name. Cheap to clone; all clones are the same.
///
/// A channel keeps its route for as long as it is configured. What stands there changes with its piece.
#[derive(Clone, Debug)]
pub struct Gates(Arc<BTreeMap<String, RwLock<Standing>>>);

/// A channel as requests find it.
#[derive(Clone, Debug)]
pub(crate) enum Standing {
    /// Requests that pass this go in.
    Up(Arc<ChannelGate>),
    /// None does, for this reason.
    Down(Arc<str>),
}

impl Gates {
    /// The channels that there are, all of them up.
    pub fn new(gates: BTreeMap<String, ChannelGate>) -> Self {
        let up = |(name, gate)| (name, RwLock::new(Standing::Up(Arc::new(gate))));
        Self(Arc::new(gates.into_iter().map(up).collect()))
    }

    /// Lets requests through this gate from now on. Nothing happens to a channel that there is not.
    pub fn put_up(&self, channel: &str, gate: ChannelGate) {
        self.set(channel, Standing::Up(Arc::new(gate)));
    }

    /// Refuses the channel's requests with 503 from now on, so that platforms send them again later.
    pub fn take_down(&self, channel: &str, reason: &str) {
        self.set(channel, Standing::Down(Arc::from(reason)));
    }

    fn set(&self, channel: &str, standing: Standing) {
        if let Some(known) = self.0.get(channel) {
            *known.write().unwrap_or_else(PoisonError::into_inner) = standing;
        }
    }

    /// The configured name, and what stands there.
    pub(crate) fn find(&self, channel: &str) -> Option<(&str, Standing)> {
        let (name, known) = self.0.get_key_value(channel)?;
        let standing = known.read().unwrap_or_else(PoisonError::into_inner).clone();
        Some((name, standing))
    }
}

/// What a request to a channel must pass.
#[derive(Clone)]
pub struct ChannelGate {
    /// The recipe of the piece's manifest.
    pub verification: Verification,
    /// The secret that the recipe names.
    pub secret: Arc<dyn SigningSecret>,
}

impl ChannelGate {
    /// The header that carries a secret as it is, if the recipe has one. It ends here: no secret's value enters a piece.
    pub(crate) fn secret_header(&self) -> Option<&str> {
        match &self.verification {
            Verification::SharedSecret { header, .. } => Some(header),
            Verification::HmacSha256 { .. } | Verification::Ed25519 { .. } => None,
        }
    }
}

impl fmt::Debug for ChannelGate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ChannelGate")
            .field("verification", &self.verification)
            .finish_non_exhaustive()
    }
}
