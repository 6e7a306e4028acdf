//! The time.

use crate::{Timestamp, host};

/// Milliseconds since 1970-01-01T00:00:00Z by the host's clock, which stands still during a pure hook.
pub fn now() -> Timestamp {
    host::now()
}
