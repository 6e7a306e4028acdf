//! Programs that others wrote, as `tests/peers` pins them and `cargo xtask peers` installs them.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::host_process::Artifacts;

/// The folder they are installed in.
#[derive(Clone, Debug)]
pub struct Peers {
    folder: PathBuf,
}

impl Peers {
    /// What `FROGBOT_PEERS_DIR` names, else `peers` in the target folder of the running program.
    ///
    /// # Errors
    /// They are not installed; the text says what to run.
    pub fn find() -> Result<Self, String> {
        let folder = Artifacts::folder("FROGBOT_PEERS_DIR", "peers")?;
        if folder.join("installed").is_file() {
            return Ok(Self { folder });
        }
        Err(format!(
            "the peers are not installed in {}; run `cargo xtask peers`",
            folder.display()
        ))
    }

    /// Node on a script of `tests/peers`, which may import what is installed.
    ///
    /// # Errors
    /// The script cannot be read or put beside the packages.
    pub fn node(&self, script: &str) -> Result<Command, String> {
        let mut node = Command::new(self.program("node"));
        node.arg(self.beside_the_packages(script)?)
            .current_dir(&self.folder);
        Ok(node)
    }

    /// Python on a script of `tests/peers`, which may import what is installed.
    #[must_use]
    pub fn python(&self, script: &str) -> Command {
        let mut python = Command::new(self.program("python"));
        python.arg(source(script));
        python
    }

    fn program(&self, name: &str) -> PathBuf {
        let ours = self.folder.join("venv/bin").join(name);
        if ours.exists() { ours } else { PathBuf::from(name) }
    }

    /// Node looks for packages from where the script is. Written under a name of its own first: tests run side by side, as
    /// processes or as threads.
    fn beside_the_packages(&self, script: &str) -> Result<PathBuf, String> {
        let path = self.folder.join(script);
        let put = || -> std::io::Result<()> {
            let unfinished = tempfile::NamedTempFile::new_in(&self.folder)?;
            std::fs::copy(source(script), unfinished.path())?;
            unfinished.persist(&path)?;
            Ok(())
        };
        put().map_err(|error| format!("cannot put {script} into {}: {error}", self.folder.display()))?;
        Ok(path)
    }
}

fn source(script: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("peers").join(script)
}
