//! HMAC-SHA-256 under a key of the installation: what leaves the host and comes back is recognised by it.

use hmac::digest::Key;
use hmac::{Hmac, KeyInit};
use sha2::Sha256;

/// A code under this key, over nothing yet.
pub(crate) fn keyed(key: &[u8; 32]) -> Hmac<Sha256> {
    // A key of HMAC's block length, which it takes as it is.
    let mut block = Key::<Hmac<Sha256>>::default();
    block.iter_mut().zip(key).for_each(|(to, from)| *to = *from);
    Hmac::new(&block)
}
