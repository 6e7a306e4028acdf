//! `cargo xtask test`: everything that CI runs, in the order in which it fails fastest.

use anyhow::Result;

use crate::stages::Stages;
use crate::workspace::{Workspace, run as run_command, works};
use crate::{judges, peers, pieces, setup, template};

/// What becomes of the snapshots.
#[derive(Clone, Copy)]
pub(crate) enum Snapshots {
    /// A difference fails the test.
    Compare,
    /// They are written; the difference is for the review of the commit.
    Write,
}

pub(crate) fn run(snapshots: Snapshots) -> Result<()> {
    let workspace = Workspace::find()?;
    let mut stages = Stages::default();
    stages.run("set-up", || {
        setup::prepare(&workspace)?;
        setup::prepare_checks()
    })?;
    stages.run("peers", || peers::prepare(&workspace))?;
    check(&workspace, &mut stages)?;
    stages.run("pieces", || pieces::build_all(&workspace))?;
    stages.run("programs", || run_command(workspace.build()))?;
    stages.run("judges", || judges::build(&workspace))?;
    stages.run("tests", || tests(&workspace, snapshots))?;
    stages.run("a new piece", || template::run(&workspace))?;
    document(&workspace, &mut stages)?;
    supply_chain(&workspace, &mut stages)?;
    stages.summary();
    Ok(())
}

fn check(workspace: &Workspace, stages: &mut Stages) -> Result<()> {
    stages.run("format", || {
        run_command(workspace.cargo(&["fmt", "--all", "--check"]))
    })?;
    let clippy = [
        "clippy",
        "--workspace",
        "--all-targets",
        "--locked",
        "--",
        "--deny",
        "warnings",
    ];
    stages.run("lint", || run_command(workspace.cargo(&clippy)))
}

fn tests(workspace: &Workspace, snapshots: Snapshots) -> Result<()> {
    let mut cargo = if works("cargo", &["nextest", "--version"]) {
        workspace.cargo(&["nextest", "run", "--workspace", "--locked", "--no-fail-fast"])
    } else {
        workspace.cargo(&[
            "test",
            "--workspace",
            "--locked",
            "--no-fail-fast",
            "--lib",
            "--bins",
            "--tests",
        ])
    };
    match snapshots {
        Snapshots::Compare => cargo.env_remove("FROGBOT_BLESS"),
        Snapshots::Write => cargo.env("FROGBOT_BLESS", "1"),
    };
    run_command(cargo)
}

fn document(workspace: &Workspace, stages: &mut Stages) -> Result<()> {
    // nextest cannot run the examples in the documentation.
    stages.run("examples", || {
        run_command(workspace.cargo(&["test", "--workspace", "--locked", "--doc"]))
    })?;
    stages.run("documentation", || {
        let mut cargo = workspace.cargo(&["doc", "--workspace", "--locked", "--no-deps", "--quiet"]);
        cargo.env("RUSTDOCFLAGS", "--deny warnings");
        run_command(cargo)
    })
}

/// The advisories are left out: their database cannot be fetched on every machine, so that part runs elsewhere.
fn supply_chain(workspace: &Workspace, stages: &mut Stages) -> Result<()> {
    const NAME: &str = "dependencies";
    if !works("cargo", &["deny", "--version"]) {
        stages.skip(
            NAME,
            "cargo-deny is not installed; `cargo install cargo-deny --locked` brings it",
        );
        return Ok(());
    }
    let deny = ["deny", "--workspace", "check", "bans", "licenses", "sources"];
    stages.run(NAME, || run_command(workspace.cargo(&deny)))
}
