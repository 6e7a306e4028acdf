//! The binary: everything is in the library.

use std::io::{Write, stderr};
use std::process::ExitCode;

fn main() -> ExitCode {
    frogbot::cli::run().unwrap_or_else(|error| {
        // Without a backtrace: whoever reads this gave a command, and is told what to do about it.
        drop(writeln!(stderr(), "frogbot: {error:#}"));
        ExitCode::FAILURE
    })
}
