//! The real binary as a child process: started with a generated `frogbot.toml` in a folder of its own, on a free port,
//! its log collected, stopped and killed as a test needs it.
//!
//! An [`Installation`] is the folder and outlives the processes that run in it, so that a test kills one and starts the
//! next on the same store. A [`HostProcess`] is one run. Nothing here sleeps: everything waits for a line of the log, a
//! response or the end of the process, within a limit.

mod artifacts;
mod installation;
mod log;
mod process;
mod request;
#[cfg(test)]
mod tests;

use std::time::Duration;

pub use artifacts::Artifacts;
pub use installation::{Finished, Installation};
pub use log::{Line, Log};
pub use process::HostProcess;
pub use request::{Answered, get, hmac_sha256_hex, post, unix_seconds};

/// How long anything of the host may take. A debug build on two busy cores starts in a few seconds; and it is less than the
/// 30 s after which an attempt counts as lost, so that a test does not pass by waiting for that.
pub const LIMIT: Duration = Duration::from_secs(25);
