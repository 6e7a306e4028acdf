//! `cargo xtask guards`: every guard of the sandbox beside its hostile guest, with the guard and without it.

use anyhow::Result;

use crate::workspace::{Workspace, run as run_command};
use crate::{pieces, setup};

pub(crate) fn run() -> Result<()> {
    let workspace = Workspace::find()?;
    setup::prepare(&workspace)?;
    pieces::build_one(&workspace, "tests/guests/hostile")?;
    // The whole workspace, as in `Workspace::build`, but for this one test alone.
    run_command(workspace.cargo(&[
        "test",
        "--workspace",
        "--locked",
        "--quiet",
        "--features",
        "runtime/guard-switches",
        "--test",
        "guards",
    ]))
}
