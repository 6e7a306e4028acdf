//! Pieces in other languages: their authors' tools make the component, in their folder, as an author would.
//!
//! A folder with a `package.json` is built by its scripts `types` and `component`, with the packages of its lock file; one with a
//! `requirements.txt` by componentize-py in an environment of its own. Both take tens of seconds, so a component that is newer
//! than all it was made from is left as it is.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::SystemTime;

use anyhow::{Context, Result};

use crate::peers;
use crate::workspace::{Workspace, run};

/// What they make, below the piece's folder.
const COMPONENT: &str = "build/component.wasm";
/// The world they implement.
const WORLD: &str = "channel-questions-piece";
/// Folders of a piece that hold what was installed or made, not what it is made from.
const MADE: [&str; 6] = ["node_modules", ".venv", "build", "types", "wit", "__pycache__"];

/// The component of a piece in another language, made if that is needed; none where cargo builds the piece.
pub(crate) fn component(workspace: &Workspace, piece: &Path) -> Result<Option<PathBuf>> {
    let make = if piece.join("package.json").is_file() {
        javascript
    } else if piece.join("requirements.txt").is_file() {
        python
    } else {
        return Ok(None);
    };
    let component = piece.join(COMPONENT);
    let contract = workspace.root.join("wit");
    let sources = [newest(piece)?, newest(&contract)?].into_iter().flatten().max();
    let made = fs::metadata(&component).and_then(|found| found.modified()).ok();
    if made.is_none() || made < sources {
        println!("    building {} with its own tools", piece.display());
        fs::create_dir_all(piece.join("build")).context("cannot create its folder `build`")?;
        make(workspace, piece, &contract)?;
    }
    Ok(Some(component))
}

fn javascript(workspace: &Workspace, piece: &Path, contract: &Path) -> Result<()> {
    peers::node_for_authors(workspace)?;
    // The generator of types finds the contract only below the folder that it runs in.
    copy_contract(contract, &piece.join("wit"))?;
    let npm = |arguments: &[&str]| -> Result<()> {
        let mut npm = Command::new("npm");
        npm.args(arguments)
            .current_dir(piece)
            .env("PATH", peers::path_of_node(workspace)?);
        run(npm)
    };
    npm(&[
        "ci",
        "--no-audit",
        "--no-fund",
        "--ignore-scripts",
        "--loglevel=error",
    ])?;
    npm(&["run", "--silent", "types"])?;
    npm(&["run", "--silent", "component"])
}

fn python(_: &Workspace, piece: &Path, contract: &Path) -> Result<()> {
    let environment = piece.join(".venv");
    peers::environment(&environment, &piece.join("requirements.txt"))?;
    let mut componentize = Command::new(environment.join("bin/componentize-py"));
    componentize
        .args(["--quiet", "--world", WORLD, "--wit-path"])
        .arg(contract)
        .args([
            "componentize",
            "app",
            "--python-path",
            "src",
            "--output",
            COMPONENT,
        ])
        .current_dir(piece);
    run(componentize)
}

fn copy_contract(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to).with_context(|| format!("cannot create {}", to.display()))?;
    for entry in from
        .read_dir()
        .with_context(|| format!("cannot read {}", from.display()))?
    {
        let file = entry?.path();
        let name = file.file_name().unwrap_or_default();
        if file.extension().is_some_and(|ending| ending == "wit") {
            fs::copy(&file, to.join(name)).with_context(|| format!("cannot copy {}", file.display()))?;
        }
    }
    Ok(())
}

/// When the newest file below a folder was changed.
fn newest(folder: &Path) -> Result<Option<SystemTime>> {
    let mut newest = None;
    for entry in folder
        .read_dir()
        .with_context(|| format!("cannot read {}", folder.display()))?
    {
        let entry = entry?;
        let changed = if !entry.file_type()?.is_dir() {
            Some(entry.metadata()?.modified()?)
        } else if MADE.iter().any(|made| entry.file_name() == *made) {
            None
        } else {
            self::newest(&entry.path())?
        };
        newest = newest.max(changed);
    }
    Ok(newest)
}
