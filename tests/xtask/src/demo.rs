//! `cargo xtask demo`: builds everything and runs the demo.

use std::process::Command;

use anyhow::{Result, bail};

use crate::workspace::{Workspace, run as run_command};
use crate::{pieces, setup};

pub(crate) fn run(arguments: &[&str]) -> Result<()> {
    if let Some(unknown) = arguments.iter().find(|argument| **argument != "--once") {
        bail!("unknown argument `{unknown}`; usage: cargo xtask demo [--once]");
    }
    let workspace = Workspace::find()?;
    println!(
        "The demo builds the forum piece and the host; the first time this takes ten minutes or more, then seconds."
    );
    setup::prepare(&workspace)?;
    pieces::build_one(&workspace, "pieces/forum")?;
    run_command(workspace.build())?;
    let mut demo = Command::new(workspace.binary("demo"));
    demo.args(arguments);
    run_command(workspace.equip(demo))
}
