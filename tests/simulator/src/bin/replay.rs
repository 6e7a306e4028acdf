//! Steps through a run: what happened, and which chats, records and cards are different after it.
//!
//! ```text
//! cargo run -p simulator --bin replay -- SEED [--from STEP] [--to STEP] [--without RULE] [--forget K]
//! ```

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a command")]

use std::process::ExitCode;

use simulator::{Arguments, Options, arguments, run};

fn main() -> ExitCode {
    match arguments(std::env::args().skip(1)) {
        Ok(Arguments { seed: None, .. }) => {
            eprintln!("which seed? replay SEED [--from STEP] [--to STEP] [--without RULE] [--forget K]");
            ExitCode::from(2)
        }
        Ok(Arguments {
            seed: Some(seed),
            options,
            first,
            last,
            ..
        }) => replay(seed, options, first, last),
        Err(problem) => {
            eprintln!("{problem}");
            ExitCode::from(2)
        }
    }
}

fn replay(seed: u64, options: Options, first: Option<u64>, last: Option<u64>) -> ExitCode {
    let outcome = run(
        seed,
        Options {
            traced: true,
            ..options
        },
    );
    println!("{}", outcome.plan);
    let shown = first.unwrap_or(0)..=last.unwrap_or(u64::MAX);
    for (number, step) in (0_u64..)
        .zip(&outcome.trace)
        .filter(|(number, _)| shown.contains(number))
    {
        println!("{number:>6} {:>10.3}s  {}", step.at.as_secs_f64(), step.what);
        for line in &step.changed {
            println!("{:21}{line}", "");
        }
    }
    for breach in &outcome.breaches {
        println!("broken: {}: {}", breach.promise, breach.what);
    }
    println!(
        "{} steps, {} promises broken",
        outcome.steps,
        outcome.breaches.len()
    );
    if outcome.breaches.is_empty() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}
