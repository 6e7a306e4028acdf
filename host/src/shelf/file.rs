//! The file of a piece, looked at again and again.
//!
//! It is read when its length or its time has changed and then stayed the same from one look to the next, so that a file that
//! is being copied is not read half. What is read half all the same is no component, is refused, and read again when it
//! changes.

use std::fs::{self, Metadata};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use bytes::Bytes;
use runtime::RuntimeConfig;
use sha2::{Digest, Sha256};

/// What tells that a file was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stamp {
    length: u64,
    written: Option<SystemTime>,
}

impl From<Metadata> for Stamp {
    fn from(metadata: Metadata) -> Self {
        Self {
            length: metadata.len(),
            written: metadata.modified().ok(),
        }
    }
}

/// What a look shows.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Looked {
    /// Nothing to do: it is as it was, or is being written.
    Same,
    /// There is another build.
    New(Bytes),
    /// There is no file any more.
    Gone,
    /// It is there and cannot be read.
    Unreadable(String),
}

/// The file of a piece.
#[derive(Debug)]
pub(super) struct Watched {
    path: PathBuf,
    /// What was read last.
    digest: Option<[u8; 32]>,
    /// As it was when it was read last; none: not read yet, or it was gone.
    read: Option<Stamp>,
    /// As it was at the last look; none: it was not there.
    seen: Option<Stamp>,
    missing: u8,
}

impl Watched {
    /// A file that may hold what was started, or something else.
    pub(super) fn new(path: PathBuf, started: [u8; 32]) -> Self {
        Self {
            path,
            digest: Some(started),
            read: None,
            seen: None,
            missing: 0,
        }
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// This build is known already, wherever it came from.
    pub(super) fn known(&mut self, digest: [u8; 32]) {
        self.digest = Some(digest);
    }

    /// Looks. A disk may be slow: not on an executor's thread.
    pub(super) async fn look(&mut self) -> Looked {
        let path = self.path.clone();
        let looked = tokio::task::spawn_blocking(move || fs::metadata(path).map(Stamp::from)).await;
        let Ok(looked) = looked else {
            return Looked::Same;
        };
        let stamp = match looked {
            Ok(stamp) => stamp,
            Err(error) if error.kind() == ErrorKind::NotFound => return self.is_missing(),
            Err(error) => return self.fails(&error),
        };
        self.missing = 0;
        let settled = self.seen.replace(stamp) == Some(stamp);
        if !settled || self.read == Some(stamp) {
            return Looked::Same;
        }
        self.read = Some(stamp);
        let path = self.path.clone();
        let read = tokio::task::spawn_blocking(move || read(&path)).await;
        match read {
            Ok(Ok(bytes)) => {
                let digest: [u8; 32] = Sha256::digest(&bytes).into();
                if self.digest.replace(digest) == Some(digest) {
                    Looked::Same
                } else {
                    Looked::New(bytes)
                }
            }
            Ok(Err(error)) => Looked::Unreadable(error),
            Err(_) => Looked::Same,
        }
    }

    /// Twice in a row: whoever replaces a file may remove it first.
    fn is_missing(&mut self) -> Looked {
        self.seen = None;
        self.missing = self.missing.saturating_add(1);
        if self.missing != 2 {
            return Looked::Same;
        }
        // Whatever comes back is taken, also what was there before.
        self.read = None;
        self.digest = None;
        Looked::Gone
    }

    fn fails(&mut self, error: &io::Error) -> Looked {
        // Told once: until the file can be looked at again, `seen` stays empty.
        if self.seen.take().is_some() {
            Looked::Unreadable(error.to_string())
        } else {
            Looked::Same
        }
    }

    /// Replaces the file by a build that runs.
    pub(super) async fn write(&mut self, bytes: Bytes) -> io::Result<()> {
        self.known(Sha256::digest(&bytes).into());
        let path = self.path.clone();
        let written = tokio::task::spawn_blocking(move || {
            let unfinished = path.with_extension(std::process::id().to_string());
            fs::write(&unfinished, &bytes).and_then(|()| fs::rename(&unfinished, &path))
        });
        written.await.map_err(io::Error::other)?
    }
}

fn read(path: &Path) -> Result<Bytes, String> {
    let bytes_max = RuntimeConfig::default().piece_bytes_max;
    let length = fs::metadata(path).map_err(|error| error.to_string())?.len();
    if usize::try_from(length).map_or(true, |length| length > bytes_max) {
        return Err(format!("it has {length} bytes, at most {bytes_max} are loaded"));
    }
    fs::read(path).map(Bytes::from).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn digest(bytes: &[u8]) -> [u8; 32] {
        Sha256::digest(bytes).into()
    }

    async fn looks(file: &mut Watched, times: usize) -> Vec<Looked> {
        let mut seen = Vec::new();
        for _ in 0..times {
            seen.push(file.look().await);
        }
        seen
    }

    #[tokio::test]
    async fn a_file_is_read_when_it_has_settled_and_only_once() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("p.wasm");
        fs::write(&path, b"one").unwrap();
        let mut file = Watched::new(path.clone(), digest(b"one"));
        assert_eq!(
            looks(&mut file, 3).await,
            [Looked::Same, Looked::Same, Looked::Same]
        );

        fs::write(&path, b"half").unwrap();
        assert_eq!(file.look().await, Looked::Same, "it may be being written");
        fs::write(&path, b"half and whole").unwrap();
        assert_eq!(file.look().await, Looked::Same);
        let whole = Bytes::from_static(b"half and whole");
        assert_eq!(looks(&mut file, 2).await, [Looked::New(whole), Looked::Same]);
    }

    #[tokio::test]
    async fn a_file_that_is_gone_is_told_once_and_taken_when_it_is_back() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("p.wasm");
        fs::write(&path, b"one").unwrap();
        let mut file = Watched::new(path.clone(), digest(b"one"));
        looks(&mut file, 2).await;

        fs::remove_file(&path).unwrap();
        assert_eq!(
            looks(&mut file, 3).await,
            [Looked::Same, Looked::Gone, Looked::Same]
        );
        fs::write(&path, b"one").unwrap();
        let back = Bytes::from_static(b"one");
        assert_eq!(looks(&mut file, 2).await, [Looked::Same, Looked::New(back)]);
    }

    #[tokio::test]
    async fn what_the_host_writes_itself_is_not_new() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("p.wasm");
        fs::write(&path, b"one").unwrap();
        let mut file = Watched::new(path.clone(), digest(b"one"));
        looks(&mut file, 2).await;
        file.write(Bytes::from_static(b"two")).await.unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"two");
        assert_eq!(looks(&mut file, 2).await, [Looked::Same, Looked::Same]);
    }
}
