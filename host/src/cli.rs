//! The command line.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use frogbot_piece_tool::NewRequest;

use crate::check::Tried;
use crate::config::environment;
use crate::telemetry::{self, Format};
use crate::{check, compiling, demo, piece, remote, serve};

/// A host for agents that ask questions in chat channels.
#[derive(Debug, Parser)]
#[command(
    name = "frogbot",
    version,
    after_help = "\
Examples:
  frogbot check                          say everything that is wrong with ./frogbot.toml
  frogbot check --online                 and whether every account can be connected
  frogbot serve                          start the host
  frogbot demo --forum URL               play with it, without a configuration
  frogbot piece new weather              start a piece of your own
  frogbot piece build pieces/forum       make forum.wasm
  frogbot piece inspect forum.wasm       show what it is and what it could do
  frogbot piece check forum.wasm         try it on a platform that is played
  frogbot piece install forum.wasm       put it into the running host"
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Start the host.
    #[command(after_help = "\
The configuration is checked first; when something is wrong, everything is told and nothing starts.
The line `listening` in the log names the address. SIGTERM or ctrl-c stops taking in, finishes what is under way within
`server.shutdown`, and exits with 0; a second one exits at once.

Environment:
  FROGBOT_LOG                            which lines to log, such as `debug` or `info,engine=debug`

Examples:
  frogbot serve
  frogbot serve --config /etc/frogbot/frogbot.toml --log-format json")]
    Serve {
        /// The configuration.
        #[arg(long, value_name = "FILE", default_value = "frogbot.toml")]
        config: PathBuf,
        /// How lines are logged.
        #[arg(long, value_name = "FORMAT", default_value = "auto")]
        log_format: Format,
    },
    /// Say everything that is wrong with a configuration.
    #[command(after_help = "\
Each line is `<file>:<line>: <key>: <what is wrong, and what to do>`. Nothing is started, sent or written. Exits with 1 when
something is wrong; notes alone are none.

With --online, a configuration in order is then tried: every piece is loaded and its `connect` called for every account, on
the real platform. Each account gets a line with what the piece found, one for whatever the account has not granted, and, when
it failed, the cause and what to do; one that failed exits with 1, what is not granted alone does not. The store is not
opened, so this may be done beside a running host.

Examples:
  frogbot check
  frogbot check --online
  frogbot check --config /etc/frogbot/frogbot.toml")]
    Check {
        /// The configuration.
        #[arg(long, value_name = "FILE", default_value = "frogbot.toml")]
        config: PathBuf,
        /// Connect every account to its platform, too.
        #[arg(long)]
        online: bool,
    },
    /// Serve a demonstration, with defaults of its own instead of a configuration.
    #[command(after_help = "\
An agent that asks before it paints, a scripted model and a store in a temporary folder, in the threads of a forum.
`cargo xtask demo` in the repository brings the forum and plays a conversation. The line `listening` in the log names the
address; the forum delivers its webhooks to /channels/forum there.

Examples:
  frogbot demo --forum http://127.0.0.1:9090 --pieces target/pieces/components")]
    Demo {
        /// The forum, on this machine.
        #[arg(long, value_name = "URL")]
        forum: String,
        /// The folder with forum.wasm.
        #[arg(long, value_name = "DIR", default_value = "pieces")]
        pieces: PathBuf,
        /// How lines are logged.
        #[arg(long, value_name = "FORMAT", default_value = "auto")]
        log_format: Format,
    },
    /// What a host starts to compile a piece: from the standard input to the standard output.
    #[command(name = compiling::COMMAND, hide = true)]
    CompilePiece {
        #[arg(long)]
        cpu_seconds: u64,
        #[arg(long)]
        memory_bytes: u64,
    },
    /// Start and build pieces, and see what they could do.
    #[command(subcommand)]
    Piece(PieceCommand),
}

#[derive(Debug, Subcommand)]
enum PieceCommand {
    /// Start a piece: a folder that builds at once, for you to change.
    #[command(after_help = "\
The folder is a package of its own: a piece for an invented platform, a test with that platform, its manifest. Nothing that is
there already is changed. The SDK is not published: the package names its folder, by default that of the checkout this
program was built from.

Examples:
  frogbot piece new weather
  frogbot piece new weather --into ~/src --sdk ~/src/frogbot/sdk/rust")]
    New {
        /// Its name: lower-case letters, digits and `-`, beginning with a letter, at most 40.
        name: String,
        /// The folder in which the piece's folder is made.
        #[arg(long, value_name = "DIR", default_value = ".")]
        into: PathBuf,
        /// The folder of the SDK for Rust.
        #[arg(long, value_name = "DIR")]
        sdk: Option<PathBuf>,
    },
    /// Make the one file that an operator installs.
    #[command(after_help = "\
Needs a folder with a Cargo.toml and a piece.toml. Finds a way to compile for WebAssembly, says what it does, and ends with
the one command to run when it cannot go on. Prints the path of the file.

A piece in another language needs the piece.toml alone: make the component with that language's tools, and name it. The
piece.toml is put inside, after both were checked. The contract that the component implements is in the repository's `wit/`;
`pieces/forum-typescript` and `pieces/forum-python` show how.

Examples:
  frogbot piece build
  frogbot piece build pieces/forum --out /etc/frogbot/pieces
  frogbot piece build --component build/component.wasm")]
    Build {
        /// The folder of the piece.
        #[arg(default_value = ".")]
        dir: PathBuf,
        /// The component that the tools of another language made; nothing is compiled.
        #[arg(long, value_name = "FILE")]
        component: Option<PathBuf>,
        /// The folder for `<name>.wasm`.
        #[arg(long, value_name = "DIR", default_value = "pieces")]
        out: PathBuf,
    },
    /// Try a piece as its author would: load it, and play conversations with it.
    #[command(after_help = "\
The piece is loaded as a host loads it. With a description of its platform, which is then played on a port of this machine, it
goes through the same conversations as every other piece: questions are rendered, clicked, stepped through, answered late and
by the wrong people, and closed, and the platform fails now and then. Shows what each hook used at most; fuel is counted in
WebAssembly instructions, about. Exits with 1 when something is broken.

The folders of `pieces/` in the repository have such descriptions.

Examples:
  frogbot piece check pieces/weather.wasm
  frogbot piece check forum.wasm --platform pieces/forum/platform.toml
  frogbot piece check forum.wasm --json")]
    Check {
        /// The `.wasm`.
        file: PathBuf,
        /// What its platform is like; without it, `platform.toml` here, if there is one.
        #[arg(long, value_name = "FILE")]
        platform: Option<PathBuf>,
        /// For programs.
        #[arg(long)]
        json: bool,
    },
    /// Bring a build of a piece to the running host, which switches to it without losing an event.
    #[command(after_help = "\
The host checks the build, runs its examples, and switches to it when there is nothing against it. One that asks for more than
the build that runs, or is older, is refused unless --grant is your word for it. When its first calls fail by its own fault,
the host goes back by itself. The file is put into the pieces' folder, so that the next start has it, too. The configuration
needs `[admin]` with a `token`.

Examples:
  frogbot piece install forum.wasm
  frogbot piece install forum.wasm --grant --config /etc/frogbot/frogbot.toml")]
    Install {
        /// The `.wasm`.
        file: PathBuf,
        /// It may do more than the build that runs, or be older.
        #[arg(long)]
        grant: bool,
        /// The configuration of the host.
        #[arg(long, value_name = "FILE", default_value = "frogbot.toml")]
        config: PathBuf,
    },
    /// Show what the running host has, and how it does.
    List {
        /// For programs.
        #[arg(long)]
        json: bool,
        /// The configuration of the host.
        #[arg(long, value_name = "FILE", default_value = "frogbot.toml")]
        config: PathBuf,
    },
    /// Show what a piece is and what it could do; nothing of it is run.
    #[command(after_help = "\
Examples:
  frogbot piece inspect pieces/forum.wasm
  frogbot piece inspect pieces/forum.wasm --json")]
    Inspect {
        /// The `.wasm`.
        file: PathBuf,
        /// For programs.
        #[arg(long)]
        json: bool,
    },
}

/// Runs the command of this process.
///
/// # Errors
/// Why it could not be done, for the person who gave it.
pub fn run() -> anyhow::Result<ExitCode> {
    match Cli::parse().command {
        Command::Serve { config, log_format } => {
            telemetry::start(log_format, &environment)?;
            serve::start(&config, &environment)?;
        }
        Command::Check { config, online } => {
            let tried = if online { Tried::Online } else { Tried::Offline };
            if !check::check(&config, tried, &environment)? {
                return Ok(ExitCode::FAILURE);
            }
        }
        Command::Demo {
            forum,
            pieces,
            log_format,
        } => {
            telemetry::start(log_format, &environment)?;
            demo::start(&forum, &pieces, &environment)?;
        }
        Command::CompilePiece {
            cpu_seconds,
            memory_bytes,
        } => compiling::compile(cpu_seconds, memory_bytes)?,
        Command::Piece(PieceCommand::New { name, into, sdk }) => piece::new_piece(NewRequest {
            name: &name,
            into: &into,
            sdk: sdk.as_deref(),
        })?,
        Command::Piece(PieceCommand::Build { dir, component, out }) => {
            piece::build_piece(&dir, component.as_deref(), &out)?;
        }
        Command::Piece(PieceCommand::Check { file, platform, json }) => {
            if !piece::check_piece(&file, platform.as_deref(), json)? {
                return Ok(ExitCode::FAILURE);
            }
        }
        Command::Piece(PieceCommand::Install { file, grant, config }) => {
            remote::install(&file, grant, &config, &environment)?;
        }
        Command::Piece(PieceCommand::List { json, config }) => remote::list(json, &config, &environment)?,
        Command::Piece(PieceCommand::Inspect { file, json }) => piece::inspect_piece(&file, json)?,
    }
    Ok(ExitCode::SUCCESS)
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::Cli;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }
}
