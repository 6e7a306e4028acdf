//! Where things are, and cargo on the whole workspace.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};

/// The folders of a checkout that the commands use.
pub(crate) struct Workspace {
    pub(crate) root: PathBuf,
    target: PathBuf,
}

impl Workspace {
    /// Asks cargo, which knows about `CARGO_TARGET_DIR` and configuration files.
    pub(crate) fn find() -> Result<Self> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let root = root
            .canonicalize()
            .with_context(|| format!("cannot find {}", root.display()))?;
        let output = Command::new("cargo")
            .args(["metadata", "--no-deps", "--format-version", "1"])
            .current_dir(&root)
            .output()
            .context("cannot run cargo")?;
        ensure!(
            output.status.success(),
            "cargo metadata failed: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        let metadata: serde_json::Value = serde_json::from_slice(&output.stdout).context("cargo metadata")?;
        let Some(target) = metadata
            .get("target_directory")
            .and_then(serde_json::Value::as_str)
        else {
            bail!("cargo metadata names no target_directory");
        };
        Ok(Self {
            target: PathBuf::from(target),
            root,
        })
    }

    /// Where the components of the pieces lie.
    pub(crate) fn components(&self) -> PathBuf {
        self.target.join("pieces/components")
    }

    /// Where a piece is started as a stranger does; beside it, with the ending `target`, what cargo builds for it.
    pub(crate) fn template(&self) -> PathBuf {
        self.target.join("template")
    }

    /// Where programs that others wrote are installed, for the tests and the benchmarks.
    pub(crate) fn peers(&self) -> PathBuf {
        self.target.join("peers")
    }

    /// Where the programs of `tests/judges` are built.
    pub(crate) fn judges(&self) -> PathBuf {
        self.target.join("judges")
    }

    /// A binary that [`build`](Self::build) made.
    pub(crate) fn binary(&self, name: &str) -> PathBuf {
        self.built("debug", name)
    }

    /// The same of a release build.
    pub(crate) fn released(&self, name: &str) -> PathBuf {
        self.built("release", name)
    }

    fn built(&self, profile: &str, name: &str) -> PathBuf {
        self.target
            .join(profile)
            .join(name)
            .with_extension(std::env::consts::EXE_EXTENSION)
    }

    /// Cargo at the root, with what the tests and the demo read from the environment.
    pub(crate) fn cargo(&self, arguments: &[&str]) -> Command {
        let mut cargo = Command::new("cargo");
        cargo.args(arguments);
        self.equip(cargo)
    }

    /// Gives a command the root as its folder and the paths of what was built.
    pub(crate) fn equip(&self, mut command: Command) -> Command {
        command
            .current_dir(&self.root)
            .env("FROGBOT_PIECES_DIR", self.components())
            .env("FROGBOT_PEERS_DIR", self.peers())
            .env("FROGBOT_JUDGES_DIR", self.judges())
            .env("FROGBOT_BIN", self.binary("frogbot"));
        command
    }

    /// `cargo build` of every program. Always the whole workspace: another selection would select other features of
    /// the dependencies and build wasmtime a second time. Without this program, which is running.
    pub(crate) fn build(&self) -> Command {
        self.cargo(&["build", "--workspace", "--exclude", "xtask", "--bins", "--locked"])
    }
}

/// Runs a command on this terminal to its end.
pub(crate) fn run(mut command: Command) -> Result<()> {
    let words = in_words(&command);
    let status = command
        .status()
        .with_context(|| format!("cannot run `{words}`"))?;
    ensure!(status.success(), "`{words}` failed ({status})");
    Ok(())
}

/// Whether a command can be run and ends well; what it prints is not shown.
pub(crate) fn works(program: &str, arguments: &[&str]) -> bool {
    Command::new(program)
        .args(arguments)
        .output()
        .is_ok_and(|output| output.status.success())
}

fn in_words(command: &Command) -> String {
    let words = [command.get_program()].into_iter().chain(command.get_args());
    words
        .map(|word| word.display().to_string())
        .collect::<Vec<_>>()
        .join(" ")
}
