//! Every guard of the sandbox with the hostile guest it is there for: refused with the guard, and not refused without it.
//! `cargo xtask guards` runs it; it prints the table and fails when a guest gets through, or when something else than the
//! guard that is named is what refuses it.

#![expect(
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a program of the tests, for a terminal"
)]

mod attempts;
#[expect(dead_code, reason = "the tests of the sandbox use all of it")]
#[path = "../sandbox/guest.rs"]
mod guest;
#[expect(dead_code, reason = "the tests of the sandbox use all of it")]
#[path = "../sandbox/platform.rs"]
mod platform;
mod rows;
#[expect(dead_code, reason = "the tests of the sandbox use all of it")]
#[path = "../sandbox/stage.rs"]
mod stage;

use std::process::ExitCode;
use std::time::Duration;

use runtime::{Guard, switch_off};

use crate::attempts::attempt;
use crate::rows::{Row, row};

/// How long a guest that nothing stops is watched.
const WATCHED: Duration = Duration::from_secs(20);
/// How much of an outcome the table shows.
const SHOWN_CHARS: usize = 72;

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let mut wrong = 0;
    for guard in Guard::ALL {
        wrong += usize::from(!holds(*guard).await);
    }
    println!("\n{} guards, {wrong} of them wrong", Guard::ALL.len());
    if wrong == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

/// Plays a row and prints it.
async fn holds(guard: Guard) -> bool {
    let Row {
        guest,
        refusal,
        success,
        second,
    } = row(guard);
    println!("\n{guard:?}: a guest that {guest}");
    let mut fine = seen("on", &[], guard, refusal).await;
    match second {
        None => fine &= seen("off", &[guard], guard, success).await,
        Some((second, its_refusal)) => {
            fine &= seen("off", &[guard], guard, its_refusal).await;
            let both = format!("off, and {second:?} off");
            fine &= seen(&both, &[guard, second], guard, success).await;
        }
    }
    fine
}

async fn seen(what: &str, off: &[Guard], guard: Guard, expected: &str) -> bool {
    switch_off(off);
    let outcome = tokio::time::timeout(WATCHED, attempt(guard)).await;
    let outcome = outcome.unwrap_or_else(|_| "it goes on for ever".to_owned());
    switch_off(&[]);
    let fine = outcome.contains(expected);
    let shown: String = outcome
        .replace(['\n', '\r'], " ")
        .chars()
        .take(SHOWN_CHARS)
        .collect();
    let verdict = if fine { "as expected" } else { "WRONG" };
    println!("  {what:<28} {verdict:<12} {shown}");
    if !fine {
        println!("  expected: {expected}");
    }
    fine
}
