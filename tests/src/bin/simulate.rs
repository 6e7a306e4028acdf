//! Plays many seeded stories: `cargo run -p tests --bin simulate -- [first seed] [how many]`. Ends with 1 when a promise is
//! broken; each failing seed is printed with the command that shows its story.

#![expect(clippy::print_stdout, reason = "this is a command for people")]

use std::process::ExitCode;

use tests::simulator;

fn main() -> ExitCode {
    let mut numbers = std::env::args().skip(1).map(|word| word.parse::<u64>().ok());
    let from = numbers.next().flatten().unwrap_or(0);
    let count = numbers.next().flatten().unwrap_or(100);
    let mut failed = 0_u64;
    for seed in from..from.saturating_add(count) {
        let broken = match simulator::broken(seed) {
            Ok(broken) => broken,
            Err(problem) => vec![format!("the story cannot be read: {problem}")],
        };
        if !broken.is_empty() {
            failed += 1;
            println!("seed {seed}: {broken:#?}\n  cargo run -p tests --bin replay -- {seed}");
        }
    }
    println!("{count} seeds from {from}: {failed} with a broken promise");
    if failed == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}
