//! The values of secrets: by reference, watched, never shown.
//!
//! A file is read again every second, so that a rotated secret is used by the next request; no request waits for a disk.
//! One that disappears has no value any more, and what needs it is down until it is back. An environment variable is
//! read once.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock, Weak};
use std::time::Duration;

use gateway::SigningSecret;
use ports::Clock;
use runtime::{Secret, SecretSource, SecretUnavailable};

use crate::config::{Environment, SecretReference};

/// The largest secret file, in bytes: the longest private key is some 12 KiB.
const SECRET_BYTES_MAX: u64 = 64 * 1024;
/// How often the files are read: how old a secret can be when the next request uses it.
const WATCH_EVERY: Duration = Duration::from_secs(1);

/// Reads a secret from a file; line ends behind it are not part of it.
///
/// # Errors
/// In words, without any of its content.
pub(crate) fn read_secret_file(path: &Path) -> Result<Secret, String> {
    let shown = path.display();
    let cannot = |error: std::io::Error| {
        format!("cannot read the secret's file {shown}: {error}; create it, or name another")
    };
    let bytes = std::fs::metadata(path).map_err(cannot)?.len();
    if bytes > SECRET_BYTES_MAX {
        return Err(format!(
            "the secret's file {shown} has {bytes} bytes, at most {SECRET_BYTES_MAX} are read"
        ));
    }
    let text = std::fs::read_to_string(path).map_err(cannot)?;
    let value = text.trim_end_matches(['\r', '\n']);
    if value.trim().is_empty() {
        return Err(format!(
            "the secret's file {shown} is empty; write the secret into it"
        ));
    }
    Ok(Secret::new(value))
}

/// Every secret of the configuration, each read in one place.
#[derive(Debug, Default)]
pub struct Secrets(BTreeMap<SecretReference, Arc<Current>>);

/// The value of one secret as it was read last.
pub struct Current(RwLock<Result<Secret, SecretUnavailable>>);

impl Secrets {
    /// The secret that `place` refers to. Read now; again by [`watch`].
    pub fn current(&mut self, place: &SecretReference, environment: Environment<'_>) -> Arc<Current> {
        let read = || {
            let value = match place {
                SecretReference::File(path) => read_secret_file(path),
                SecretReference::Env(name) => environment(name)
                    .filter(|value| !value.trim().is_empty())
                    .map(Secret::new)
                    .ok_or_else(|| format!("the environment variable `{name}` is not set")),
            };
            Arc::new(Current(RwLock::new(value.map_err(SecretUnavailable))))
        };
        Arc::clone(self.0.entry(place.clone()).or_insert_with(read))
    }

    /// The files and their values, held weakly: what nobody uses any more is not read any more.
    fn files(&self) -> Vec<(PathBuf, Weak<Current>)> {
        let files = self.0.iter().filter_map(|(place, current)| match place {
            SecretReference::File(path) => Some((path.clone(), Arc::downgrade(current))),
            SecretReference::Env(_) => None,
        });
        files.collect()
    }
}

/// Reads every file again each second, for as long as somebody uses one.
pub async fn watch(secrets: &Secrets, clock: &impl Clock) {
    let mut files = secrets.files();
    while !files.is_empty() {
        clock.sleep(WATCH_EVERY).await;
        // A file may be on a disk that is slow; no executor thread waits for it.
        let refreshed = tokio::task::spawn_blocking(move || {
            files.retain(|(path, current)| {
                let used = current.upgrade();
                used.iter().for_each(|current| current.refresh(path));
                used.is_some()
            });
            files
        });
        files = refreshed.await.unwrap_or_default();
    }
}

impl Current {
    fn refresh(&self, path: &Path) {
        let read = read_secret_file(path).map_err(SecretUnavailable);
        let mut current = self.0.write().unwrap_or_else(PoisonError::into_inner);
        if *current == read {
            return;
        }
        match &read {
            Ok(_) => tracing::info!(file = %path.display(), "secret rotated"),
            Err(reason) => tracing::error!(%reason, "secret lost; what needs it is down"),
        }
        *current = read;
    }

    pub(crate) fn value(&self) -> Result<Secret, SecretUnavailable> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl SecretSource for Current {
    fn current(&self) -> Result<Secret, SecretUnavailable> {
        self.value()
    }
}

impl SigningSecret for Current {
    fn current(&self) -> Option<Arc<str>> {
        self.value().ok().map(|secret| Arc::from(secret.expose()))
    }
}

impl fmt::Debug for Current {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Current([secret])")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rotating() -> (tempfile::TempDir, PathBuf, Arc<Current>, Weak<Current>) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("token");
        std::fs::write(&path, "one\r\n").unwrap();
        let mut secrets = Secrets::default();
        let current = secrets.current(&SecretReference::File(path.clone()), &|_| None);
        let watched = secrets.files().remove(0).1;
        (folder, path, current, watched)
    }

    fn shown(current: &Current) -> Option<String> {
        SigningSecret::current(current).map(|value| value.to_string())
    }

    #[test]
    fn rotated_file_is_used_and_a_lost_one_has_no_value() {
        let (_folder, path, current, watched) = rotating();
        assert_eq!(shown(&current).as_deref(), Some("one"));
        for (content, value) in [
            (Some("two\n"), Some("two")),
            (Some(" \n"), None),
            (Some("three"), Some("three")),
            (None, None),
        ] {
            match content {
                Some(content) => std::fs::write(&path, content).unwrap(),
                None => std::fs::remove_file(&path).unwrap(),
            }
            watched.upgrade().unwrap().refresh(&path);
            assert_eq!(shown(&current).as_deref(), value, "{content:?}");
        }
    }

    #[test]
    fn one_place_is_one_secret() {
        let mut secrets = Secrets::default();
        let environment = |name: &str| (name == "TOKEN").then(|| "value".to_owned());
        let place = SecretReference::Env("TOKEN".to_owned());
        let first = secrets.current(&place, &environment);
        assert!(Arc::ptr_eq(&first, &secrets.current(&place, &|_| None)));
        assert_eq!(shown(&first).as_deref(), Some("value"));
        let absent = secrets.current(&SecretReference::Env("OTHER".to_owned()), &environment);
        assert_eq!(shown(&absent), None);
    }

    #[test]
    fn a_secret_is_never_shown() {
        let (_folder, _path, current, _) = rotating();
        assert_eq!(
            format!("{current:?} {}", SecretSource::current(&*current).unwrap()),
            "Current([secret]) [secret]"
        );
    }

    #[test]
    fn a_file_that_is_too_large_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("token");
        std::fs::write(&path, "x".repeat(64 * 1024 + 1)).unwrap();
        assert!(read_secret_file(&path).unwrap_err().contains("65537 bytes"));
    }
}
