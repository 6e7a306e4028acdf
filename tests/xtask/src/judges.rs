//! Programs that judge what the tests produce and whose dependencies must not meet ours: `tests/judges`, a workspace of its own.

use anyhow::Result;

use crate::workspace::{Workspace, run as run_command};

/// `cargo xtask judges`.
pub(crate) fn run() -> Result<()> {
    build(&Workspace::find()?)
}

pub(crate) fn build(workspace: &Workspace) -> Result<()> {
    let mut cargo = workspace.cargo(&["build", "--locked", "--manifest-path", "tests/judges/Cargo.toml"]);
    cargo.env("CARGO_TARGET_DIR", workspace.judges());
    run_command(cargo)
}
