//! `cargo xtask bench slack`: what a conversation in Slack costs, through the real binary, beside the Chat SDK.
//!
//! The host on SQLite, the host on Redis and the peer on Redis take turns under one load: a signed mention until its card
//! is posted, a signed press until the answer is recorded, the card closed and the agent's next words posted, and a press
//! on what is closed already. The work is checked: every system has to close each card once and go on once. One table at
//! the end; a ratio is the median over the turns, so that what else the machine does weighs little.

#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a program for a terminal"
)]

mod cost;
mod people;
mod slack;
mod systems;
mod table;

use std::process::ExitCode;

use cost::Cost;
use people::{People, Phase};
use systems::{Kind, System};
use tokio::task::LocalSet;

/// How many conversations warm a system up. A just-in-time compiler needs some hundreds.
const WARM_UP: usize = 600;

const USAGE: &str = "usage: cargo xtask bench slack [--turns 5] [--conversations 1000] [--clients 32] [--systems sqlite,redis,peer]";

/// What was asked for.
pub(crate) struct Options {
    turns: usize,
    /// In each turn, for each system.
    conversations: usize,
    /// How many requests are under way at once.
    clients: usize,
    systems: Vec<Kind>,
}

/// What the turns of one system cost.
pub(crate) struct Measured {
    kind: Kind,
    turns: Vec<[Cost; 3]>,
}

// One thread for everything that is not measured: the other core is the system's.
#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let done = match Options::read(std::env::args().skip(1)) {
        Ok(options) => LocalSet::new().run_until(measure(&options)).await,
        Err(problem) => Err(format!("{problem}\n{USAGE}")),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("\nbench: {problem}");
            ExitCode::FAILURE
        }
    }
}

async fn measure(options: &Options) -> Result<(), String> {
    let mut systems = Vec::new();
    let mut measured = Vec::new();
    for kind in &options.systems {
        let system = System::start(*kind).await?;
        println!("{}: process {}, warming up", kind.name(), system.pid());
        turn(&system, WARM_UP, options.clients).await?;
        systems.push(system);
        measured.push(Measured {
            kind: *kind,
            turns: Vec::new(),
        });
    }
    for number in 0..options.turns {
        println!("turn {} of {}", number + 1, options.turns);
        // Nobody is always the first.
        for place in 0..systems.len() {
            let index = (place + number) % systems.len();
            let (Some(system), Some(measured)) = (systems.get(index), measured.get_mut(index)) else {
                continue;
            };
            let costs = turn(system, options.conversations, options.clients).await?;
            println!("    {}", table::line(measured.kind, &costs));
            measured.turns.push(costs);
        }
    }
    println!("\n{}", table::whole(&measured, options));
    Ok(())
}

/// Asks, answers and presses late, `conversations` times each.
async fn turn(system: &System, conversations: usize, clients: usize) -> Result<[Cost; 3], String> {
    let threads = system.slack.threads(conversations);
    let mut costs = Vec::new();
    for phase in [Phase::Ask, Phase::Answer, Phase::Late] {
        let people = People {
            system,
            threads: &threads,
            clients,
        };
        let cost = cost::of(system, people.play(phase)).await;
        costs.push(cost.map_err(|problem| format!("{}, {phase:?}: {problem}", system.kind.name()))?);
    }
    system.slack.check(&threads)?;
    let told = costs.len();
    <[Cost; 3]>::try_from(costs).map_err(|_| format!("{told} phases instead of three"))
}

impl Options {
    fn read(mut arguments: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut options = Self {
            turns: 5,
            conversations: 1_000,
            clients: 32,
            systems: Kind::ALL.to_vec(),
        };
        while let Some(name) = arguments.next() {
            let value = arguments.next().ok_or_else(|| format!("{name} needs a value"))?;
            match name.as_str() {
                "--turns" => options.turns = number(&name, &value)?,
                "--conversations" => options.conversations = number(&name, &value)?,
                "--clients" => options.clients = number(&name, &value)?,
                "--systems" => {
                    options.systems = value.split(',').map(Kind::named).collect::<Result<_, _>>()?
                }
                _ => return Err(format!("unknown option {name}")),
            }
        }
        Ok(options)
    }
}

fn number(name: &str, value: &str) -> Result<usize, String> {
    match value.parse() {
        Ok(number) if number > 0 => Ok(number),
        _ => Err(format!("{name} needs a number above 0, not `{value}`")),
    }
}
