//! Secrets by reference: a value is fetched for the request that needs it, and never shown.

use std::fmt;
use std::sync::Arc;

/// A secret's value. Neither `Debug` nor `Display` shows it.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(Arc<str>);

impl Secret {
    /// Wraps a value.
    pub fn new(value: impl Into<Arc<str>>) -> Self {
        Self(value.into())
    }

    /// The value, for the one place that sends or compares it.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[secret]")
    }
}

impl fmt::Display for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[secret]")
    }
}

/// Where a secret's value comes from. Asked again for every request, so that a rotated file is used by the next one.
pub trait SecretSource: Send + Sync + 'static {
    /// The value now. It must not wait: a file is watched, not read.
    ///
    /// # Errors
    /// There is none; the text says where it was looked for, without any value.
    fn current(&self) -> Result<Secret, SecretUnavailable>;
}

/// Why a secret has no value.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct SecretUnavailable(pub String);

/// A value that never changes.
impl SecretSource for Secret {
    fn current(&self) -> Result<Secret, SecretUnavailable> {
        Ok(self.clone())
    }
}
