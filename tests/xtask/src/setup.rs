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

/// What only `test` needs: rustfmt and clippy.
pub(crate) fn prepare_checks() -> Result<()> {
    for (subcommand, component) in [("fmt", "rustfmt"), ("clippy", "clippy")] {
        if !works("cargo", &[subcommand, "--version"]) {
            bail!("`cargo {subcommand}` is missing; run `rustup component add {component}`");
        }
    }
    Ok(())
}

fn c_compiler() -> Result<()> {
    const PACKAGES: [&str; 2] = ["gcc", "libc6-dev"];
    if works("cc", &["--version"]) {
        return Ok(());
    }
    if !debian::may_install() {
        bail!(
            "there is no C compiler `cc`; run `{}` as root",
            debian::install_command(&PACKAGES)
        );
    }
    debian::install(&PACKAGES, &mut tell)?;
    Ok(())
}
