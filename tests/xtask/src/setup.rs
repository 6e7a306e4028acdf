//! What a fresh machine lacks: found, installed where that is allowed and said before, else named with the command.

use anyhow::{Result, bail};
use frogbot_piece_tool::{debian, toolchain};

use crate::pieces::tell;
use crate::workspace::{Workspace, works};

/// What every command needs: a C compiler, for SQLite and the cryptography, and a way to compile pieces.
pub(crate) fn prepare(workspace: &Workspace) -> Result<()> {
    c_compiler()?;
    toolchain::find(&workspace.root, &mut tell)?;
    Ok(())
}

/// What only `test` needs: rustfmt, clippy, and the server that the tests of the store start.
pub(crate) fn prepare_checks() -> Result<()> {
    prepare_redis()?;
    for (subcommand, component) in [("fmt", "rustfmt"), ("clippy", "clippy")] {
        if !works("cargo", &[subcommand, "--version"]) {
            bail!("`cargo {subcommand}` is missing; run `rustup component add {component}`");
        }
    }
    Ok(())
}

/// The server that the tests of the store, and the benchmark, start.
pub(crate) fn prepare_redis() -> Result<()> {
    installed("redis-server", &["redis-server"])
}

fn c_compiler() -> Result<()> {
    installed("cc", &["gcc", "libc6-dev"])
}

/// Finds a program, or installs Debian's packages for it where that is allowed.
fn installed(program: &str, packages: &[&str]) -> Result<()> {
    if works(program, &["--version"]) {
        return Ok(());
    }
    install(&format!("the program `{program}`"), packages)
}

/// Installs Debian's packages for something that is missing, where that is allowed.
pub(crate) fn install(missing: &str, packages: &[&str]) -> Result<()> {
    if !debian::may_install() {
        bail!(
            "{missing} is missing; run `{}` as root",
            debian::install_command(packages)
        );
    }
    debian::install(packages, &mut tell)?;
    Ok(())
}
