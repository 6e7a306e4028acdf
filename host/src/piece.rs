//! `frogbot piece`: what authors and careful operators need.

use std::fs::File;
use std::io::{Read, Write, stderr, stdout};
use std::path::Path;

use anyhow::{Context, bail};
use frogbot_piece_tool::{BuildRequest, NewRequest, Progress, build, inspect, new};
use runtime::RuntimeConfig;

/// Makes the folder of a new piece.
///
/// # Errors
/// What the tool says, with what to do.
pub fn new_piece(request: NewRequest<'_>) -> anyhow::Result<()> {
    let started = new(request)?;
    let (folder, sdk) = (started.folder.display(), started.sdk.display());
    writeln!(
        stdout(),
        "{folder}\n\nIt builds against the SDK in {sdk} and plays with an invented platform: put yours in its place. \
         Next:\n\n  cd {folder}\n  cargo test\n  frogbot piece build"
    )?;
    Ok(())
}

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
