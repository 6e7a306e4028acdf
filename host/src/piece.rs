//! `frogbot piece`: what authors and careful operators need.

use std::fs::File;
use std::io::{Read, Write, stderr, stdout};
use std::path::Path;

use anyhow::{Context, bail};
use frogbot_piece_tool::{BuildRequest, NewRequest, Progress, build, inspect, new};
use runtime::RuntimeConfig;
use workbench::Platform;

/// Where the description of a platform is looked for.
const PLATFORM: &str = "platform.toml";

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
         Next:\n\n  cd {folder}\n  cargo test\n  frogbot piece build\n  frogbot piece check pieces/{}.wasm",
        request.name
    )?;
    Ok(())
}

/// Builds the piece in `piece` into `out`, from its package or from a `component` that another language's tools made.
///
/// # Errors
/// What the tool says, with what to do.
pub fn build_piece(piece: &Path, component: Option<&Path>, out: &Path) -> anyhow::Result<()> {
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
        component,
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
    let bytes = read(path)?;
    let inspection = inspect(&bytes).with_context(|| format!("{} cannot be shown", path.display()))?;
    if json {
        writeln!(stdout(), "{}", serde_json::to_string_pretty(&inspection)?)?;
    } else {
        writeln!(stdout(), "{inspection}")?;
    }
    Ok(())
}

/// Tries a piece, with its platform if that is described; for programs with `json`. True when nothing is broken.
///
/// # Errors
/// A file cannot be read; the description is not valid; nothing can be tried on this machine.
pub fn check_piece(path: &Path, platform: Option<&Path>, json: bool) -> anyhow::Result<bool> {
    let bytes = read(path)?;
    let here = Path::new(PLATFORM);
    let described = platform.or_else(|| here.is_file().then_some(here));
    let platform = described.map(described_in).transpose()?;
    let executor = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .context("cannot start threads")?;
    drop(writeln!(stderr(), "==> compiling {}", path.display()));
    let report = executor.block_on(workbench::check(bytes, platform))?;
    if json {
        writeln!(stdout(), "{}", serde_json::to_string_pretty(&report)?)?;
    } else {
        writeln!(stdout(), "{report}")?;
    }
    Ok(report.is_sound())
}

fn described_in(path: &Path) -> anyhow::Result<Platform> {
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    Platform::read(&text).with_context(|| format!("{} is not valid", path.display()))
}

/// A file that could be a piece.
fn read(path: &Path) -> anyhow::Result<Vec<u8>> {
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
    Ok(bytes)
}
