//! Programs that others wrote, to test and measure against: what `tests/peers` pins, installed into `target/peers`.
//!
//! Node's packages lie in `node_modules`, Python's in `venv`. A machine whose Node is missing or too old gets one from PyPI,
//! in the same `venv`. What is there already, at the versions that `tests/peers` asks for, is left as it is.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::setup;
use crate::workspace::{Workspace, run as run_command, works};

/// The oldest Node that the packages run on.
const NODE_MIN: u32 = 20;
/// The lists that decide what is installed, in the order in which they are compared.
const LISTS: [&str; 4] = [
    "package.json",
    "package-lock.json",
    "requirements.txt",
    "requirements-node.txt",
];
/// Written last, with the text of [`LISTS`]: a folder with another one, or none, is not complete.
const INSTALLED: &str = "installed";

/// `cargo xtask peers`.
pub(crate) fn run() -> Result<()> {
    prepare(&Workspace::find()?)
}

/// Installs what is not there at the pinned versions.
pub(crate) fn prepare(workspace: &Workspace) -> Result<()> {
    let pinned = workspace.root.join("tests/peers");
    let peers = workspace.peers();
    let wanted = lists(&pinned)?;
    if fs::read_to_string(peers.join(INSTALLED)).is_ok_and(|installed| installed == wanted) {
        return Ok(());
    }
    println!("    installing the peers of the tests into {}", peers.display());
    if peers.exists() {
        fs::remove_dir_all(&peers).with_context(|| format!("cannot remove {}", peers.display()))?;
    }
    fs::create_dir_all(&peers).with_context(|| format!("cannot create {}", peers.display()))?;
    python(&pinned, &peers)?;
    node(&pinned, &peers)?;
    fs::write(peers.join(INSTALLED), wanted).context("cannot note what is installed")
}

fn lists(pinned: &Path) -> Result<String> {
    LISTS
        .iter()
        .map(|name| {
            let path = pinned.join(name);
            fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))
        })
        .collect()
}

fn python(pinned: &Path, peers: &Path) -> Result<()> {
    environment(&peers.join("venv"), &pinned.join("requirements.txt"))
}

/// An environment of Python with the packages of a list, each with its digest.
pub(crate) fn environment(venv: &Path, requirements: &Path) -> Result<()> {
    if !works("python3", &["-c", "import venv, ensurepip"]) {
        setup::install("python3 with venv", &["python3", "python3-venv"])?;
    }
    let mut command = Command::new("python3");
    command.args(["-m", "venv"]).arg(venv);
    run_command(command)?;
    pip(venv, requirements)
}

fn pip(venv: &Path, requirements: &Path) -> Result<()> {
    let mut pip = Command::new(venv.join("bin/pip"));
    pip.args([
        "install",
        "--quiet",
        "--disable-pip-version-check",
        "--require-hashes",
    ])
    .arg("--requirement")
    .arg(requirements);
    run_command(pip)
}

fn node(pinned: &Path, peers: &Path) -> Result<()> {
    if !(node_is_new_enough("node") && works("npm", &["--version"])) {
        println!("    no Node {NODE_MIN} or newer with npm here; taking it from PyPI");
        pip(&peers.join("venv"), &pinned.join("requirements-node.txt"))?;
        let ours = peers.join("venv/bin/node");
        ensure!(
            node_is_new_enough(&ours.to_string_lossy()),
            "the Node from PyPI does not run on this machine; install Node {NODE_MIN} or newer with npm"
        );
    }
    for list in ["package.json", "package-lock.json"] {
        fs::copy(pinned.join(list), peers.join(list)).with_context(|| format!("cannot copy {list}"))?;
    }
    let mut npm = Command::new("npm");
    npm.args([
        "ci",
        "--no-audit",
        "--no-fund",
        "--ignore-scripts",
        "--loglevel=error",
    ])
    .current_dir(peers)
    .env("PATH", path_with(&peers.join("venv/bin"))?);
    run_command(npm)
}

/// Node with npm for who builds a piece: the machine's, or the peers'.
pub(crate) fn node_for_authors(workspace: &Workspace) -> Result<()> {
    if node_is_new_enough("node") && works("npm", &["--version"]) {
        return Ok(());
    }
    prepare(workspace)
}

/// The search path on which [`node_for_authors`] is found.
pub(crate) fn path_of_node(workspace: &Workspace) -> Result<std::ffi::OsString> {
    path_with(&workspace.peers().join("venv/bin"))
}

fn node_is_new_enough(program: &str) -> bool {
    let script = format!("process.exit(parseInt(process.versions.node) >= {NODE_MIN} ? 0 : 1)");
    works(program, &["-e", &script])
}

/// The search path with one more folder at its beginning: npm starts the first Node that it finds.
#[expect(
    clippy::disallowed_methods,
    reason = "the search path of the programs that this one starts"
)]
fn path_with(folder: &Path) -> Result<std::ffi::OsString> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = [PathBuf::from(folder)];
    let folders = folders.into_iter().chain(std::env::split_paths(&path));
    std::env::join_paths(folders).context("a folder of PATH has a character that PATH cannot hold")
}
