//! The workbench: what `frogbot piece check` tries with a piece, for its author.
//!
//! A piece is loaded as a host loads it, in the real runtime. With a description of its platform (`platform.toml`) beside it,
//! the platform is played on a port of this machine, and the piece goes through the same suite as every other one:
//! questions are rendered, clicked, stepped through, answered late and by the wrong people, and closed, and the platform
//! fails now and then. What each hook used at most is part of the report.
//!
//! * `platform`: the description; `board`: the platform, played from it; `server`: its port;
//! * `bench`: the piece in the runtime, and the record that the host would keep;
//! * `suite`: what is tried; `report`: what came of it.

mod bench;
mod board;
mod platform;
mod report;
mod server;
mod suite;

use std::sync::Arc;

use bytes::Bytes;
use frogbot_manifest::Manifest;
use ports::Pieces;
use runtime::{Runtime, StartProblem};

pub use platform::{Platform, PlatformProblem};
pub use report::{Check, Report, Use, Verdict};

use bench::{Bench, CHANNEL, Loading};
use board::Board;
use server::Server;

/// Why nothing could be tried.
#[derive(Debug, thiserror::Error)]
pub enum CheckProblem {
    /// No piece runs on this machine.
    #[error(transparent)]
    Start(#[from] StartProblem),
    /// The platform cannot be played.
    #[error("no port of 127.0.0.1 can be opened: {0}")]
    Port(#[from] std::io::Error),
}

/// Tries everything that can be tried with a piece; without its platform that is little.
///
/// # Errors
/// Nothing can be tried on this machine. What is wrong with the piece is in the report.
pub async fn check(piece: impl Into<Bytes>, platform: Option<Platform>) -> Result<Report, CheckProblem> {
    let (piece, mut report) = (piece.into(), Report::default());
    // What is not there is told when the piece is loaded.
    let manifest = frogbot_manifest::read(&piece).ok();
    let server = Server::bind().await?;
    let options = platform.as_ref().map(|platform| platform.options.clone());
    let loading = Loading {
        piece: &piece,
        manifest: manifest.as_ref(),
        options: options.unwrap_or_default(),
        platform: server.address(),
    };
    let Some(runtime) = load(&loading, &mut report).await? else {
        return Ok(report);
    };
    examples(manifest.as_ref(), &mut report);
    report.used(&runtime.take_measures());
    let Some(platform) = platform else {
        let why = "nothing says what its platform is like; describe it in platform.toml".to_owned();
        report.add("conversations", "", Verdict::NotTried(why));
        return Ok(report);
    };
    let board = Arc::new(Board::new(platform));
    let serving = server.answer(Arc::clone(&board));
    let trying = async {
        if let Some(info) = runtime.info(CHANNEL) {
            suite::all(&mut Bench::new(runtime, info, board), &mut report).await;
        }
    };
    tokio::select! {
        served = serving => served?,
        () = trying => {}
    }
    Ok(report)
}

async fn load(loading: &Loading<'_>, report: &mut Report) -> Result<Option<Runtime>, StartProblem> {
    const PROMISE: &str =
        "a host loads it: size, world, manifest, imports, exports, compiling, start, examples";
    let (verdict, runtime) = match loading.load().await? {
        Ok(runtime) => (Verdict::Kept, Some(runtime)),
        Err(problem) => {
            let how = format!("{}: {}; {}", problem.stage, problem.reason, problem.remedy);
            (Verdict::Broken(how), None)
        }
    };
    report.add("load", PROMISE, verdict);
    Ok(runtime)
}

fn examples(manifest: Option<&Manifest>, report: &mut Report) {
    let count = manifest.map_or(0, |manifest| manifest.examples.len());
    let verdict = match count {
        0 => Verdict::NotTried(
            "it has none; with `[[examples]]` in piece.toml, every host tries a build before it switches to it"
                .to_owned(),
        ),
        1 => Verdict::Noted("1 example".to_owned()),
        count => Verdict::Noted(format!("{count} examples")),
    };
    report.add("examples", "it does what its manifest says", verdict);
}
