//! The builds that were switched to last, each as `<piece>.wasm` in a folder of the host's own. Deleting a file there is the
//! operator's word that whatever lies in the pieces' folder may be started.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use bytes::Bytes;

/// Beside the compiled code.
const FOLDER: &str = "accepted";

/// The folder.
#[derive(Clone, Debug)]
pub(crate) struct Accepted(PathBuf);

impl Accepted {
    /// Below the folder of compiled code.
    pub(crate) fn below(compiled: &Path) -> Self {
        Self(compiled.join(FOLDER))
    }

    fn path(&self, piece: &str) -> PathBuf {
        self.0.join(format!("{piece}.wasm"))
    }

    /// The build of a piece that was switched to last, if there was one.
    pub(crate) fn read(&self, piece: &str) -> Option<Bytes> {
        fs::read(self.path(piece)).ok().map(Bytes::from)
    }

    /// Keeps a build. When it cannot be kept, the operator is told: the next start then trusts the pieces' folder.
    pub(crate) fn keep(&self, piece: &str, bytes: &[u8]) {
        if let Err(error) = self.put(piece, bytes) {
            tracing::warn!(
                piece,
                folder = %self.0.display(),
                %error,
                "which build was accepted is not kept; the next start takes whatever lies in the pieces' folder"
            );
        }
    }

    fn put(&self, piece: &str, bytes: &[u8]) -> io::Result<()> {
        let path = self.path(piece);
        if fs::read(&path).is_ok_and(|kept| kept == bytes) {
            return Ok(());
        }
        fs::create_dir_all(&self.0)?;
        let unfinished = path.with_extension(std::process::id().to_string());
        fs::write(&unfinished, bytes)?;
        fs::rename(&unfinished, &path)
    }
}
