//! `cargo xtask pieces`: every piece of the repository as the one file that an operator installs.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use frogbot_piece_tool::{BuildRequest, Progress, build};

use crate::componentizers;
use crate::workspace::Workspace;

/// Where pieces live: our own, and the guests of the tests.
const FOLDERS: [&str; 2] = ["pieces", "tests/guests"];

pub(crate) fn run() -> Result<()> {
    let workspace = Workspace::find()?;
    crate::setup::prepare(&workspace)?;
    build_all(&workspace)
}

/// Builds every folder that has a `piece.toml`; only what changed is built.
pub(crate) fn build_all(workspace: &Workspace) -> Result<()> {
    find(&workspace.root)?
        .iter()
        .try_for_each(|piece| build_piece(workspace, piece))
}

/// Builds the piece in one folder of the repository.
pub(crate) fn build_one(workspace: &Workspace, folder: &str) -> Result<()> {
    build_piece(workspace, &workspace.root.join(folder))
}

fn build_piece(workspace: &Workspace, piece: &Path) -> Result<()> {
    let out = workspace.components();
    let component = componentizers::component(workspace, piece)
        .with_context(|| format!("cannot build the piece in {}", piece.display()))?;
    build(BuildRequest {
        piece,
        component: component.as_deref(),
        out: &out,
        progress: &mut tell,
    })
    .with_context(|| format!("cannot build the piece in {}", piece.display()))?;
    Ok(())
}

fn find(root: &Path) -> Result<Vec<PathBuf>> {
    let mut pieces = Vec::new();
    for parent in FOLDERS.map(|folder| root.join(folder)) {
        for entry in parent
            .read_dir()
            .with_context(|| format!("cannot read {}", parent.display()))?
        {
            let folder = entry?.path();
            if folder.join("piece.toml").is_file() {
                pieces.push(folder);
            }
        }
    }
    ensure!(
        !pieces.is_empty(),
        "found no piece in {}; is this the whole repository",
        FOLDERS.join(" and ")
    );
    pieces.sort();
    Ok(pieces)
}

/// Shows what the piece tool does.
pub(crate) fn tell(progress: Progress<'_>) {
    match progress {
        Progress::Step(line) => println!("    {line}"),
        Progress::Output(line) => println!("        {line}"),
    }
}
