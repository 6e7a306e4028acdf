//! `cargo xtask kills`: the real binary is killed some hundred times, and the promises are checked. See [`tests::kills`].

#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a program for a terminal"
)]

use std::process::ExitCode;

use tests::kills::{self, Options, Store, Tally};

const USAGE: &str =
    "usage: cargo xtask kills [--runs 500] [--seed <random>] [--worlds 3] [--store sqlite|redis]";

#[tokio::main]
async fn main() -> ExitCode {
    match run(std::env::args().skip(1)).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("\nkills: {problem}");
            ExitCode::FAILURE
        }
    }
}

async fn run(mut arguments: impl Iterator<Item = String>) -> Result<(), String> {
    let mut options = Options {
        runs: 500,
        seed: fresh_seed(),
        worlds: 3,
    };
    let mut stores = vec![Store::Sqlite, Store::Redis];
    while let Some(name) = arguments.next() {
        let value = arguments
            .next()
            .ok_or_else(|| format!("{name} needs a value\n{USAGE}"))?;
        let number = || {
            value
                .parse::<u64>()
                .map_err(|_| format!("{name} needs a number, not `{value}`"))
        };
        match name.as_str() {
            "--runs" => options.runs = usize::try_from(number()?.max(1)).unwrap_or(usize::MAX),
            "--worlds" => options.worlds = usize::try_from(number()?.max(1)).unwrap_or(usize::MAX),
            "--seed" => options.seed = number()?,
            "--store" => stores.retain(|store| store.name().eq_ignore_ascii_case(&value)),
            _ => return Err(format!("unknown option {name}\n{USAGE}")),
        }
    }
    println!("seed {}; {} kills on each store", options.seed, options.runs);
    let mut rows = Vec::new();
    for store in stores {
        for tally in kills::play(store, options).await? {
            println!("{}", tally.row());
            rows.push(tally);
        }
    }
    println!("\n{}", Tally::HEAD);
    rows.iter().for_each(|tally| println!("{}", tally.row()));
    Ok(())
}

#[expect(clippy::disallowed_methods, reason = "every run is another one")]
fn fresh_seed() -> u64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    u64::from(since.unwrap_or_default().subsec_nanos())
}
