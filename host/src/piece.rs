//! `frogbot piece`: what authors and careful operators need.

use std::fs::File;
use std::io::{Read, Write, stderr, stdout};
use std::path::Path;

use anyhow::{Context, bail};
use frogbot_piece_tool::{BuildRequest, Progress, build, inspect};
use runtime::RuntimeConfig;

/// Builds the piece in `piece` into `out`.
///
/// # Errors
/// What the tool says, with what to do.
pub fn build_piece(piece: &Path, out: &Path) -> anyhow::Result<()> {
    let mut progress = |progress: Progress<'_>| {
        let line = match progress {
            Progress::Step(step) => format!("==> {step}"),
            Progress::Output(output) => output.to_owned(),
        };
        // Nobody reads it any more: the build goes on.
        drop(writeln!(stderr(), "{line}"));
    };
    let built = build(BuildRequest {
        piece,
        out,
        progress: &mut progress,
    })?;
    writeln!(stdout(), "{}", built.path.display())?;
    Ok(())
}

/// Shows what a piece is and what it could do; for programs with `json`.
///
/// # Errors
/// The file cannot be read, or is no piece.
pub fn inspect_piece(path: &Path, json: bool) -> anyhow::Result<()> {
    let shown = path.display();
    let bytes_max = RuntimeConfig::default().piece_bytes_max;
    let mut bytes = Vec::new();
    let limit = u64::try_from(bytes_max).unwrap_or(u64::MAX).saturating_add(1);
    let file = File::open(path).with_context(|| format!("cannot read {shown}"))?;
    file.take(limit)
        .read_to_end(&mut bytes)
        .with_context(|| format!("cannot read {shown}"))?;
    if bytes.len() > bytes_max {
        bail!("{shown} has more than {bytes_max} bytes, which no host loads");
    }
    let inspection = inspect(&bytes).with_context(|| format!("{shown} cannot be shown"))?;
    if json {
        writeln!(stdout(), "{}", serde_json::to_string_pretty(&inspection)?)?;
    } else {
        writeln!(stdout(), "{inspection}")?;
    }
    Ok(())
}
