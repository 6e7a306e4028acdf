//! `cargo xtask bench slack`: what a conversation in Slack costs, beside the peer of others.

use std::process::Command;

use anyhow::{Result, bail};

use crate::workspace::{Workspace, run as run_command};
use crate::{peers, pieces, setup};

pub(crate) fn run(arguments: &[&str]) -> Result<()> {
    let ["slack", options @ ..] = arguments else {
        bail!(
            "usage: cargo xtask bench slack [--turns N] [--conversations N] [--clients N] [--systems NAMES]"
        );
    };
    let workspace = Workspace::find()?;
    println!("The benchmark builds the host in release; the first time this takes ten minutes or more.");
    setup::prepare(&workspace)?;
    setup::prepare_redis()?;
    peers::prepare(&workspace)?;
    for piece in ["pieces/slack", "pieces/forum"] {
        pieces::build_one(&workspace, piece)?;
    }
    run_command(workspace.cargo(&[
        "build",
        "--release",
        "--locked",
        "--package",
        "frogbot",
        "--package",
        "tests",
        "--bin",
        "frogbot",
        "--bin",
        "bench_slack",
    ]))?;
    let mut bench = Command::new(workspace.released("bench_slack"));
    bench.args(options);
    let mut bench = workspace.equip(bench);
    bench.env("FROGBOT_BIN", workspace.released("frogbot"));
    run_command(bench)
}
