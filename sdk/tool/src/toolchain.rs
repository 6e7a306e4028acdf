//! Finds a way to compile for `wasm32-unknown-unknown`, and never fetches a toolchain that nobody asked for.
//!
//! In this order: the active toolchain, if it has the target; rustup, which adds it, unless `RUSTUP_AUTO_INSTALL=0` says
//! that rustup must not fetch; Debian's compiler with the sources of the standard library, which cargo then builds with
//! the piece. Debian's packages are installed only by root, and after saying so. When no way is left, the problem ends
//! with the one command to run.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::command::{CommandProblem, ask, run};
use crate::debian;
use crate::progress::{Listener, Progress};

/// The target of pieces: a module for it imports nothing but the world, so that what it can do is readable from the file.
pub const TARGET: &str = "wasm32-unknown-unknown";
/// Debian's compiler, the sources of its standard library, and the linker for WebAssembly.
pub const DEBIAN_PACKAGES: [&str; 3] = ["rustc-web", "rust-web-src", "lld"];

const DEBIAN_RUSTC: &str = "/usr/bin/rustc";
const DEBIAN_LINKER: &str = "wasm-ld";
/// The oldest Debian compiler that builds pieces, as `rust-version` of the SDK says.
const DEBIAN_RUSTC_MIN: (u32, u32) = (1, 85);

/// What compiles pieces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Toolchain {
    /// The active toolchain, which has the target.
    Active,
    /// Debian's compiler, with the standard library built from source.
    Debian,
}

/// No way to compile for WebAssembly.
#[derive(Debug, thiserror::Error)]
#[error(
    "cannot compile for {TARGET}: {why}; run `{command}` as root, or `rustup target add {TARGET}`, and try again"
)]
pub struct NoToolchain {
    /// What was tried and how it failed.
    pub why: String,
    /// The one command that supplies what is missing.
    pub command: String,
}

/// One way to get the target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    Active,
    Rustup,
    Debian,
    InstallDebian,
}

/// What there is on this machine.
#[derive(Clone, Copy)]
struct Facts {
    active_has_target: bool,
    rustup_may_fetch: bool,
    debian_is_ready: bool,
    debian_may_install: bool,
}

impl Facts {
    fn gather(folder: &Path) -> Self {
        Self {
            active_has_target: active_has_target(folder),
            rustup_may_fetch: rustup_may_fetch(),
            debian_is_ready: debian_is_ready(),
            debian_may_install: debian::may_install(),
        }
    }

    /// The ways to try, in order; the last that is tried decides.
    fn ways(self) -> Vec<Way> {
        if self.active_has_target {
            return vec![Way::Active];
        }
        let mut ways = Vec::new();
        if self.rustup_may_fetch {
            ways.push(Way::Rustup);
        }
        if self.debian_is_ready {
            ways.push(Way::Debian);
        } else if self.debian_may_install {
            ways.push(Way::InstallDebian);
        }
        ways
    }
}

/// Finds a way to compile the piece in `folder`, installing what is missing where that is allowed.
///
/// # Errors
///
/// [`NoToolchain`], with the command to run, when nothing is there and nothing may be or could be installed.
pub fn find(folder: &Path, progress: Listener<'_>) -> Result<Toolchain, NoToolchain> {
    let mut why = format!("the active toolchain does not have {TARGET}");
    for way in Facts::gather(folder).ways() {
        match take(way, folder, progress) {
            Ok(toolchain) => return Ok(toolchain),
            Err(problem) => why = format!("{why}; {problem}"),
        }
    }
    Err(NoToolchain {
        why,
        command: debian::install_command(&DEBIAN_PACKAGES),
    })
}

fn take(way: Way, folder: &Path, progress: Listener<'_>) -> Result<Toolchain, CommandProblem> {
    match way {
        Way::Active => Ok(Toolchain::Active),
        Way::Debian => Ok(Toolchain::Debian),
        Way::Rustup => {
            progress(Progress::Step(&format!(
                "adding the target: rustup target add {TARGET}"
            )));
            let mut rustup = Command::new("rustup");
            // The target is wanted, a toolchain that a file in the folder may name is not.
            rustup
                .args(["target", "add", TARGET])
                .current_dir(folder)
                .env("RUSTUP_AUTO_INSTALL", "0");
            run(rustup, progress).map(|()| Toolchain::Active)
        }
        Way::InstallDebian => debian::install(&DEBIAN_PACKAGES, progress).map(|()| Toolchain::Debian),
    }
}

impl Toolchain {
    /// `cargo build` for the target, still without a package.
    pub(crate) fn cargo_build(self, folder: &Path) -> Command {
        let mut cargo = Command::new("cargo");
        cargo.current_dir(folder).env("RUSTUP_AUTO_INSTALL", "0");
        match self {
            Self::Active => {
                cargo.args(["build", "--target", TARGET]);
            }
            Self::Debian => {
                cargo
                    // Building the standard library is an unstable flag; this allows it to a stable cargo.
                    .env("RUSTC_BOOTSTRAP", "1")
                    .env("RUSTC", DEBIAN_RUSTC)
                    .env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER", DEBIAN_LINKER)
                    .args(["build", "-Zbuild-std=std,panic_abort", "--target", TARGET]);
            }
        }
        cargo
    }
}

fn rustc(program: &str, folder: &Path) -> Command {
    let mut rustc = Command::new(program);
    // A question about the toolchain must not fetch one.
    rustc.current_dir(folder).env("RUSTUP_AUTO_INSTALL", "0");
    rustc
}

fn active_has_target(folder: &Path) -> bool {
    ask(rustc("rustc", folder).args(["--print", "target-libdir", "--target", TARGET]))
        .and_then(|folder| PathBuf::from(folder).read_dir().ok())
        .is_some_and(|mut entries| entries.next().is_some())
}

fn rustup_may_fetch() -> bool {
    #[expect(
        clippy::disallowed_methods,
        reason = "rustup's own switch is an environment variable"
    )]
    let forbidden = std::env::var_os("RUSTUP_AUTO_INSTALL").is_some_and(|value| value == "0");
    !forbidden && ask(Command::new("rustup").arg("--version")).is_some()
}

fn debian_is_ready() -> bool {
    let root = Path::new("/");
    let new_enough = ask(rustc(DEBIAN_RUSTC, root).arg("--version"))
        .and_then(|line| release(&line))
        .is_some_and(|found| found >= DEBIAN_RUSTC_MIN);
    let has_sources = ask(rustc(DEBIAN_RUSTC, root).args(["--print", "sysroot"])).is_some_and(|sysroot| {
        Path::new(&sysroot)
            .join("lib/rustlib/src/rust/library/std/Cargo.toml")
            .is_file()
    });
    new_enough && has_sources && ask(Command::new(DEBIAN_LINKER).arg("--version")).is_some()
}

/// Major and minor version from a line such as `rustc 1.96.0 (ac68faa20 2026-05-25)`.
fn release(line: &str) -> Option<(u32, u32)> {
    let mut numbers = line.split_whitespace().nth(1)?.split('.');
    Some((numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::{Facts, Path, Toolchain, Way, release};
    use crate::command::in_words;

    fn ways(active: u8, rustup: u8, ready: u8, may_install: u8) -> Vec<Way> {
        Facts {
            active_has_target: active == 1,
            rustup_may_fetch: rustup == 1,
            debian_is_ready: ready == 1,
            debian_may_install: may_install == 1,
        }
        .ways()
    }

    #[test]
    fn what_is_installed_is_used_and_nothing_is_fetched() {
        assert_eq!(ways(1, 1, 1, 1), [Way::Active]);
        assert_eq!(ways(0, 0, 1, 1), [Way::Debian]);
    }

    #[test]
    fn rustup_is_tried_only_when_it_may_fetch_and_debian_after_it() {
        assert_eq!(ways(0, 1, 1, 0), [Way::Rustup, Way::Debian]);
        assert_eq!(ways(0, 1, 0, 1), [Way::Rustup, Way::InstallDebian]);
        assert_eq!(ways(0, 0, 0, 1), [Way::InstallDebian]);
    }

    #[test]
    fn nothing_is_tried_where_nothing_is_allowed() {
        assert_eq!(ways(0, 0, 0, 0), []);
    }

    #[test]
    fn no_build_lets_rustup_fetch() {
        for toolchain in [Toolchain::Active, Toolchain::Debian] {
            let words = in_words(&toolchain.cargo_build(Path::new(".")));
            assert!(words.contains("RUSTUP_AUTO_INSTALL=0"), "{words}");
        }
    }

    #[test]
    fn release_is_read_from_the_compilers_line() {
        assert_eq!(
            release("rustc 1.96.0 (ac68faa20 2026-05-25) (built from a source tarball)"),
            Some((1, 96))
        );
        assert_eq!(release("rustc"), None);
    }
}
