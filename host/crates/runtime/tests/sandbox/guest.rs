//! The built test pieces: from the folder `FROGBOT_PIECES_DIR`, or else built here with Debian's compiler.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use wit_component::ComponentEncoder;

/// The component of the piece `hostile`, without a manifest or with one that is replaced.
pub(crate) fn hostile() -> &'static [u8] {
    static HOSTILE: OnceLock<Vec<u8>> = OnceLock::new();
    HOSTILE.get_or_init(|| component("hostile"))
}

/// The component of the piece `quiet`, of the world without questions.
pub(crate) fn quiet() -> &'static [u8] {
    static QUIET: OnceLock<Vec<u8>> = OnceLock::new();
    QUIET.get_or_init(|| component("quiet"))
}

#[expect(
    clippy::disallowed_methods,
    reason = "how the repository's commands say where the pieces are"
)]
fn component(name: &str) -> Vec<u8> {
    match std::env::var_os("FROGBOT_PIECES_DIR") {
        Some(folder) => read(&Path::new(&folder).join(format!("{name}.wasm"))),
        None => built(name),
    }
}

fn built(name: &str) -> Vec<u8> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..");
    let target = root.join("target/pieces");
    let status = Command::new("cargo")
        .current_dir(&root)
        .args([
            "build",
            "--quiet",
            "-Zbuild-std=std,panic_abort",
            "--target",
            "wasm32-unknown-unknown",
        ])
        .args(["--profile", "piece", "-p", name, "--target-dir"])
        .arg(&target)
        .env("RUSTC_BOOTSTRAP", "1")
        .env("RUSTC", "/usr/bin/rustc")
        .env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER", "wasm-ld")
        .status()
        .expect("cargo runs");
    assert!(
        status.success(),
        "`{name}` was not built; install Debian's `rustc-web rust-web-src lld`"
    );
    let module = read(&target.join(format!("wasm32-unknown-unknown/piece/{name}.wasm")));
    let mut encoder = ComponentEncoder::default();
    encoder
        .validate(true)
        .module(&module)
        .expect("a module with its world");
    encoder.encode().expect("a component")
}

fn read(path: &PathBuf) -> Vec<u8> {
    std::fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}
