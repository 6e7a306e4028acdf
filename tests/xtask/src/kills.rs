//! `cargo xtask kills`: the real binary, killed over and over.

use std::process::Command;

use anyhow::Result;

use crate::workspace::{Workspace, run as run_command};
use crate::{pieces, setup};

pub(crate) fn run(arguments: &[&str]) -> Result<()> {
    let workspace = Workspace::find()?;
    setup::prepare(&workspace)?;
    setup::prepare_redis()?;
    pieces::build_one(&workspace, "pieces/forum")?;
    run_command(workspace.build())?;
    let mut kills = Command::new(workspace.binary("kills"));
    kills.args(arguments);
    run_command(workspace.equip(kills))
}
