//! The repository's commands: `cargo xtask demo` shows FrogBot, `cargo xtask test` runs everything that CI runs, `cargo
//! xtask pieces` builds the pieces that both need.
//!
//! Each works on a fresh clone: it finds out what is missing, installs what it may after saying so, and otherwise ends
//! with the one command to run.

#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a program for a terminal"
)]

mod bench;
mod componentizers;
mod demo;
mod guards;
mod judges;
mod kills;
mod peers;
mod pieces;
mod setup;
mod stages;
mod template;
mod test;
mod workspace;

use std::process::ExitCode;

use anyhow::{Result, bail};

const USAGE: &str = "usage: cargo xtask <command>

  demo [--once]    build everything and run the demo; --once runs it to its end without a person
  test [--bless]   format, lint, build and test everything; --bless writes the snapshots instead of comparing them
  bench slack      what a conversation in Slack costs, on SQLite and on Redis, beside the Chat SDK of others
  pieces           build the pieces into target/pieces/components
  peers            install what others wrote, to test and measure against, into target/peers
  kills [--runs N] [--seed N] [--worlds N] [--store sqlite|redis] [--trouble kill|pause|restart|cut|disk-full|all] [--load N]
                   kill the real binary over and over, or let something else go wrong, and check the promises
  guards           show each guard of the sandbox refusing its hostile guest, and the guest getting through without it
  judges           build the programs that judge what the tests produce, into target/judges";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match run(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("\nxtask: {problem:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &[&str]) -> Result<()> {
    match arguments {
        ["demo", rest @ ..] => demo::run(rest),
        ["test"] => test::run(test::Snapshots::Compare),
        ["test", "--bless"] => test::run(test::Snapshots::Write),
        ["bench", rest @ ..] => bench::run(rest),
        ["pieces"] => pieces::run(),
        ["peers"] => peers::run(),
        ["guards"] => guards::run(),
        ["judges"] => judges::run(),
        ["kills", rest @ ..] => kills::run(rest),
        [] | ["help" | "--help" | "-h", ..] => {
            println!("{USAGE}");
            Ok(())
        }
        other => bail!("unknown command `{}`\n{USAGE}", other.join(" ")),
    }
}
