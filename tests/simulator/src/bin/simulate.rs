//! Runs fresh seeds and says which broke a promise; exits with 1 if one did.
//!
//! ```text
//! cargo run --release -p simulator --bin simulate -- --runs 20000 [--seed FIRST]
//! cargo run --release -p simulator --bin simulate -- --runs 500 --forget 3
//! ```
//!
//! With `--forget K` the store forgets the newest K confirmed writes once in each run, as a failover may; the table says what
//! then breaks, and nothing counts as a failure.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a command")]

use std::process::ExitCode;

use simulator::{Arguments, Until, arguments, campaign, fresh_seed, report};

/// How many runs there are when nothing is said.
const RUNS: u64 = 1_000;
/// How many failures are printed.
const SHOWN_MAX: usize = 10;

fn main() -> ExitCode {
    match arguments(std::env::args().skip(1)) {
        Ok(arguments) => simulate(&arguments),
        Err(problem) => {
            eprintln!("{problem}");
            ExitCode::from(2)
        }
    }
}

fn simulate(arguments: &Arguments) -> ExitCode {
    let seed = arguments.seed.unwrap_or_else(fresh_seed);
    let runs = arguments.runs.unwrap_or(RUNS);
    let options = arguments.options;
    let until = Until {
        runs,
        failures: usize::MAX,
        time: None,
    };
    let campaign = campaign(seed, options, until);
    for outcome in campaign.failed.iter().take(SHOWN_MAX) {
        println!("{}", report(outcome, options));
    }
    println!(
        "{} runs from seed {seed}, {} steps, at least {} each: {} broke a promise",
        campaign.runs,
        campaign.steps,
        campaign.steps_min,
        campaign.failed.len()
    );
    for (promise, count) in campaign.by_promise() {
        println!("  {count:>6}  {promise}");
    }
    let expected = options.forget > 0 || options.broken.is_some();
    if campaign.failed.is_empty() || expected {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}
