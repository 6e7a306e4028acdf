//! Lines in the operator's log; the host adds the piece, the channel and the hook. At most 100 lines and 16 KiB a call. No
//! payload, no personal data.

use crate::host;

pub use crate::bindings::questions::frogbot::piece::log::Level;

/// What only somebody who looks for a fault wants to read.
pub fn debug(line: impl AsRef<str>) {
    host::write(Level::Debug, line.as_ref());
}

/// What happened.
pub fn info(line: impl AsRef<str>) {
    host::write(Level::Info, line.as_ref());
}

/// What went wrong and did no harm.
pub fn warn(line: impl AsRef<str>) {
    host::write(Level::Warn, line.as_ref());
}

/// What somebody has to look at.
pub fn error(line: impl AsRef<str>) {
    host::write(Level::Error, line.as_ref());
}
