//! Compiled code in a folder: one file for a component and an engine, `<SHA-256 of the component>-<engine>.code`.
//!
//! A file is 32 bytes of HMAC-SHA-256 over its name and its code, and the code. The key is the installation's, so whoever can
//! write into the folder can make the host compile again and nothing else. An entry that is not ours, was cut short or
//! belongs under another name is like none.

use std::fmt;
use std::fs::{self, DirBuilder, File};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, ErrorKind, Read, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use hmac::{Hmac, Mac};
use sha2::Sha256;
use wasmtime::Engine;

use crate::limits;
use crate::mac::keyed;

const TAG_BYTES: usize = 32;
const EXTENSION: &str = "code";

/// What entries are authenticated with: a key of the installation, made for this and nothing else.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct CodeKey([u8; 32]);

impl CodeKey {
    /// Wraps a key.
    pub const fn new(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }
}

impl fmt::Debug for CodeKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("CodeKey([secret])")
    }
}

/// A folder of compiled code. Several hosts may share one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CodeCache {
    folder: PathBuf,
    key: CodeKey,
}

/// Which code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Entry(String);

impl Entry {
    /// The code of a component for an engine: its version, its settings and the machine.
    pub(super) fn of(engine: &Engine, component: [u8; 32]) -> Self {
        let mut settings = DefaultHasher::new();
        engine.precompile_compatibility_hash().hash(&mut settings);
        let mut name = String::new();
        for byte in component {
            name.push_str(&format!("{byte:02x}"));
        }
        Self(format!("{name}-{:016x}.{EXTENSION}", settings.finish()))
    }
}

impl CodeCache {
    /// Takes a folder, and makes it when there is none.
    ///
    /// # Errors
    /// It cannot be made, or belongs to somebody else.
    pub fn open(folder: &Path, key: CodeKey) -> io::Result<Self> {
        DirBuilder::new().mode(0o700).recursive(true).create(folder)?;
        let found = fs::metadata(folder)?;
        if found.uid() != rustix::process::geteuid().as_raw() {
            let other = format!("it belongs to the user with the id {}", found.uid());
            return Err(io::Error::new(ErrorKind::PermissionDenied, other));
        }
        if found.mode() & 0o022 != 0 {
            let open = format!(
                "others may write to it (mode {:03o}); make it 700",
                found.mode() & 0o777
            );
            return Err(io::Error::new(ErrorKind::PermissionDenied, open));
        }
        Ok(Self {
            folder: folder.to_owned(),
            key,
        })
    }

    /// The code of an entry, when there is one of ours.
    pub(super) fn read(&self, entry: &Entry) -> Option<Vec<u8>> {
        let path = self.folder.join(&entry.0);
        let mut file = File::open(&path).ok()?;
        let mut tag = [0; TAG_BYTES];
        let mut code = Vec::new();
        let read = file.read_exact(&mut tag).and_then(|()| {
            // One read of the whole: what was verified is what is loaded, whatever happens to the file meanwhile.
            file.take(limits::CODE_BYTES_MAX).read_to_end(&mut code)
        });
        let mac = self.mac(entry, &code);
        if read.is_ok() && mac.verify_slice(&tag).is_ok() {
            return Some(code);
        }
        tracing::warn!(
            file = %path.display(),
            "this compiled code was not made here, or was changed; it is not used, and compiled again"
        );
        None
    }

    /// Keeps the code of an entry. When it cannot be kept, the operator is told, and the next start compiles again.
    pub(super) fn write(&self, entry: &Entry, code: &[u8]) {
        let kept = self.put(entry, code).and_then(|()| self.make_room());
        if let Err(error) = kept {
            tracing::warn!(
                folder = %self.folder.display(),
                %error,
                "compiled code is not kept; the next start compiles again"
            );
        }
    }

    fn put(&self, entry: &Entry, code: &[u8]) -> io::Result<()> {
        let tag = self.mac(entry, code).finalize().into_bytes();
        // Under a name of this process until it is whole: a start that dies leaves no half of an entry.
        let unfinished = self.folder.join(format!("{}.{}", entry.0, std::process::id()));
        let mut file = File::options()
            .write(true)
            .create(true)
            .truncate(true)
            .mode(0o600)
            .open(&unfinished)?;
        let written = file
            .write_all(&tag)
            .and_then(|()| file.write_all(code))
            .and_then(|()| fs::rename(&unfinished, self.folder.join(&entry.0)));
        if written.is_err() {
            drop(fs::remove_file(&unfinished));
        }
        written
    }

    /// Removes the oldest entries beyond the limit: those of replaced pieces and of earlier hosts.
    fn make_room(&self) -> io::Result<()> {
        let mut entries: Vec<(SystemTime, PathBuf)> = Vec::new();
        for found in fs::read_dir(&self.folder)? {
            let found = found?;
            if found
                .path()
                .extension()
                .is_none_or(|extension| extension != EXTENSION)
            {
                continue;
            }
            // Another host may be removing it.
            if let Ok(written) = found.metadata().and_then(|metadata| metadata.modified()) {
                entries.push((written, found.path()));
            }
        }
        entries.sort();
        let surplus = entries.len().saturating_sub(limits::CODE_ENTRIES_MAX);
        for (_, path) in entries.iter().take(surplus) {
            match fs::remove_file(path) {
                Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
                Ok(()) | Err(_) => {}
            }
        }
        Ok(())
    }

    fn mac(&self, entry: &Entry, code: &[u8]) -> Hmac<Sha256> {
        let mut mac = keyed(&self.key.0);
        mac.update(entry.0.as_bytes());
        mac.update(code);
        mac
    }
}

#[cfg(test)]
mod tests;
