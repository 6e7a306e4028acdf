//! Where the binary and the pieces are that the tests run.

use std::path::{Path, PathBuf};

/// The binary under test and the folder with the pieces' components.
#[derive(Clone, Debug)]
pub struct Artifacts {
    /// The `frogbot` binary.
    pub binary: PathBuf,
    /// Holds `<piece>.wasm`.
    pub pieces: PathBuf,
}

impl Artifacts {
    /// What `FROGBOT_BIN` and `FROGBOT_PIECES_DIR` name, else what stands in the target folder of the running program.
    ///
    /// # Errors
    /// Something is not there; the text says what to run.
    pub fn find() -> Result<Self, String> {
        let profile = profile_folder()?;
        let built = Self {
            binary: profile.join("frogbot"),
            pieces: profile.with_file_name("pieces").join("components"),
        };
        let artifacts = Self {
            binary: named("FROGBOT_BIN").unwrap_or(built.binary),
            pieces: named("FROGBOT_PIECES_DIR").unwrap_or(built.pieces),
        };
        for path in [&artifacts.binary, &artifacts.piece("forum")] {
            if !path.exists() {
                return Err(format!(
                    "{} is not there; run `cargo xtask test`, which builds the binary and the pieces first",
                    path.display()
                ));
            }
        }
        Ok(artifacts)
    }

    /// What an environment variable names, else the folder of that name in the target folder of the running program.
    pub(crate) fn folder(variable: &str, name: &str) -> Result<PathBuf, String> {
        match named(variable) {
            Some(folder) => Ok(folder),
            None => Ok(profile_folder()?.with_file_name(name)),
        }
    }

    /// The component of a piece.
    pub fn piece(&self, name: &str) -> PathBuf {
        self.pieces.join(format!("{name}.wasm"))
    }
}

/// `target/debug` of the running program, which is in it or, when it is a test, in `target/debug/deps`.
fn profile_folder() -> Result<PathBuf, String> {
    let program = std::env::current_exe().map_err(|error| format!("where am I? {error}"))?;
    let folder = program.parent().unwrap_or(Path::new("/"));
    let is_deps = folder.file_name().is_some_and(|name| name == "deps");
    let profile = if is_deps {
        folder.parent().unwrap_or(folder)
    } else {
        folder
    };
    Ok(profile.to_owned())
}

#[expect(
    clippy::disallowed_methods,
    reason = "the tests have no other configuration than their environment"
)]
fn named(variable: &str) -> Option<PathBuf> {
    std::env::var_os(variable).map(PathBuf::from)
}
