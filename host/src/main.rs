//! The binary: everything is in the library.

use std::io::{Write, stderr};
use std::process::ExitCode;

use mimalloc::MiMalloc;

/// libc took 23 % of the processor time of a conversation in a chat channel, mostly in its allocator: what one thread of the executor
/// allocates another often frees.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn main() -> ExitCode {
    frogbot::cli::run().unwrap_or_else(|error| {
        // Without a backtrace: whoever reads this gave a command, and is told what to do about it.
        drop(writeln!(stderr(), "frogbot: {error:#}"));
        ExitCode::FAILURE
    })
}
