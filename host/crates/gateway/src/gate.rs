//! What stands before a channel.

use std::fmt;
use std::sync::Arc;

use frogbot_manifest::Verification;

/// Where the value of a channel's verification secret comes from. Asked again for every request, so that a rotated file
/// is used by the next one.
pub trait SigningSecret: Send + Sync + 'static {
    /// The value now; none when there is none, then the channel is down. It must not wait: a file is watched, not read.
    fn current(&self) -> Option<Arc<str>>;
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
