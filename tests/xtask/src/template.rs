//! What the author of a piece does first: `frogbot piece new`, and then everything that the new piece's README says.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};

use crate::workspace::{Workspace, run as run_command};

const NAME: &str = "weather";

/// Starts a piece as a stranger does and takes it through its README. What cargo builds for it is kept for the next time.
pub(crate) fn run(workspace: &Workspace) -> Result<()> {
    let started = workspace.template();
    if started.exists() {
        fs::remove_dir_all(&started).with_context(|| format!("cannot remove {}", started.display()))?;
    }
    let new = ["piece", "new", NAME, "--into"];
    let mut frogbot = Command::new(workspace.binary("frogbot"));
    frogbot.args(new).arg(&started);
    run_command(frogbot)?;
    let piece = started.join(NAME);
    let file = format!("pieces/{NAME}.wasm");
    author(workspace, &piece, Path::new("cargo"), &["test", "--quiet"])?;
    let frogbot = workspace.binary("frogbot");
    author(workspace, &piece, &frogbot, &["piece", "build"])?;
    author(workspace, &piece, &frogbot, &["piece", "inspect", &file])?;
    author(workspace, &piece, &frogbot, &["piece", "check", &file])
}

/// Runs a command in the folder of the piece.
fn author(workspace: &Workspace, piece: &Path, program: &Path, arguments: &[&str]) -> Result<()> {
    let mut command = Command::new(program);
    command
        .args(arguments)
        .current_dir(piece)
        .env("CARGO_TARGET_DIR", workspace.template().with_extension("target"));
    run_command(command)
}
