//! `cargo xtask kills`: the real binary is killed some hundred times, and the promises are checked. See [`tests::kills`].

#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a program for a terminal"
)]

use std::process::ExitCode;

use tests::kills::{self, Load, Options, Store, Tally, Trouble};

const USAGE: &str =
    "usage: cargo xtask kills [--runs 500] [--seed <random>] [--worlds 3] [--store sqlite|redis]
                         [--trouble kill|pause|restart|cut|disk-full|all] [--load <conversations>]";
/// Conversations at once under load: more than there are places for calls on this many processors.
const AT_ONCE: usize = 24;

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

struct Asked {
    options: Options,
    stores: Vec<Store>,
    troubles: Vec<Trouble>,
    /// So many conversations under load, instead of runs.
    load: Option<usize>,
}

async fn run(arguments: impl Iterator<Item = String>) -> Result<(), String> {
    let asked = read(arguments)?;
    let seed = asked.options.seed;
    if let Some(conversations) = asked.load {
        return load(conversations, seed).await;
    }
    println!(
        "seed {seed}; {} runs of each kind on each store",
        asked.options.runs
    );
    let mut rows = Vec::new();
    for store in asked.stores {
        for trouble in asked.troubles.iter().filter(|trouble| trouble.befalls(store)) {
            for tally in kills::play(store, *trouble, asked.options).await? {
                println!("{}", tally.row());
                rows.push(tally);
            }
        }
    }
    println!("\n{}", Tally::HEAD);
    rows.iter().for_each(|tally| println!("{}", tally.row()));
    Ok(())
}

fn read(mut arguments: impl Iterator<Item = String>) -> Result<Asked, String> {
    let mut asked = Asked {
        options: Options {
            runs: 500,
            seed: fresh_seed(),
            worlds: 3,
        },
        stores: vec![Store::Sqlite, Store::Redis],
        troubles: vec![Trouble::Kill],
        load: None,
    };
    while let Some(name) = arguments.next() {
        let value = arguments
            .next()
            .ok_or_else(|| format!("{name} needs a value\n{USAGE}"))?;
        let number = || {
            value
                .parse::<u64>()
                .map_err(|_| format!("{name} needs a number, not `{value}`"))
        };
        let count = || Ok::<_, String>(usize::try_from(number()?.max(1)).unwrap_or(usize::MAX));
        match name.as_str() {
            "--runs" => asked.options.runs = count()?,
            "--worlds" => asked.options.worlds = count()?,
            "--load" => asked.load = Some(count()?),
            "--seed" => asked.options.seed = number()?,
            "--store" => asked
                .stores
                .retain(|store| store.name().eq_ignore_ascii_case(&value)),
            "--trouble" => {
                asked.troubles = Trouble::ALL.to_vec();
                asked
                    .troubles
                    .retain(|trouble| value == "all" || trouble.name() == value);
            }
            _ => return Err(format!("unknown option {name}\n{USAGE}")),
        }
        if asked.stores.is_empty() || asked.troubles.is_empty() {
            return Err(format!("{name} does not know `{value}`\n{USAGE}"));
        }
    }
    Ok(asked)
}

async fn load(conversations: usize, seed: u64) -> Result<(), String> {
    for recognises in [true, false] {
        let loaded = kills::load(Load {
            conversations,
            at_once: AT_ONCE,
            recognises,
            seed,
        })
        .await?;
        let seconds = loaded.took.as_secs_f64();
        println!(
            "seed {seed}, the platform recognises repeats: {recognises}; three hosts on Redis, one killed and one paused: {} \
             conversations, {} mentions and presses in {seconds:.1} s ({:.1} a second); every promise was kept; posted twice: {} cards, {} replies",
            loaded.conversations,
            loaded.events,
            f64::from(u32::try_from(loaded.events).unwrap_or(u32::MAX)) / seconds,
            loaded.twin_cards,
            loaded.twin_replies
        );
    }
    Ok(())
}

#[expect(clippy::disallowed_methods, reason = "every run is another one")]
fn fresh_seed() -> u64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    u64::from(since.unwrap_or_default().subsec_nanos())
}
