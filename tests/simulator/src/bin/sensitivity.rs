//! Takes one rule away at a time and looks whether the simulator notices: rule, seeds tried, seeds that failed, and which promises
//! were broken. Exits with 1 if a rule stays uncaught.
//!
//! ```text
//! cargo run --release -p simulator --bin sensitivity [-- --runs 400] [--without RULE]
//! ```

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a command")]

use std::process::ExitCode;

use simulator::{Arguments, Options, Rule, Until, arguments, campaign};

/// How many seeds are tried for each rule.
const RUNS: u64 = 400;

fn main() -> ExitCode {
    let Arguments {
        seed, runs, options, ..
    } = match arguments(std::env::args().skip(1)) {
        Ok(arguments) => arguments,
        Err(problem) => {
            eprintln!("{problem}");
            return ExitCode::from(2);
        }
    };
    let until = Until {
        runs: runs.unwrap_or(RUNS),
        failures: usize::MAX,
        time: None,
    };
    println!("| without | seeds | failed | first broken | promises |\n| --- | ---: | ---: | ---: | --- |");
    let mut uncaught = 0;
    let rules = Rule::ALL
        .into_iter()
        .filter(|rule| options.broken.is_none_or(|only| only == *rule));
    for rule in rules {
        let options = Options {
            broken: Some(rule),
            ..Options::default()
        };
        let campaign = campaign(seed.unwrap_or(0), options, until);
        let first = campaign
            .failed
            .first()
            .map_or("none".to_owned(), |outcome| outcome.seed.to_string());
        let promises = campaign.by_promise();
        let promises: Vec<String> = promises
            .iter()
            .map(|(name, count)| format!("{name} {count}"))
            .collect();
        println!(
            "| {}: {} | {} | {} | {first} | {} |",
            rule.name(),
            rule.says(),
            campaign.runs,
            campaign.failed.len(),
            promises.join(", ")
        );
        uncaught += usize::from(campaign.failed.is_empty());
    }
    if uncaught == 0 {
        return ExitCode::SUCCESS;
    }
    println!("{uncaught} rules stay uncaught");
    ExitCode::FAILURE
}
