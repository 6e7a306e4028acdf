//! The binary: everything is in the library.

use std::io::{Write, stderr};
use std::process::ExitCode;

use mimalloc::MiMalloc;

/// A quarter of the system's own allocator's time is a quarter of all: a hook call makes some hundred small values on one
/// thread that another drops.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn main() -> ExitCode {
    frogbot::cli::run().unwrap_or_else(|error| {
        // Without a backtrace: whoever reads this gave a command, and is told what to do about it.
        drop(writeln!(stderr(), "frogbot: {error:#}"));
        ExitCode::FAILURE
    })
}
