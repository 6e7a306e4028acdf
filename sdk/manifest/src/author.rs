//! What an author writes: the manifest as `piece.toml`.

use crate::section::Lines;
use crate::{Manifest, Problem};

/// Why a `piece.toml` is no manifest.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AuthorProblem {
    /// It is no TOML, or does not have the shape of a manifest.
    #[error("the manifest cannot be read: {reason}")]
    Unreadable {
        /// What the decoder says, with the line, and the nearest known key where a key is not known.
        reason: String,
    },
    /// It has the shape of a manifest and breaks its rules.
    #[error("the manifest is not valid:{}", Lines(.problems))]
    Invalid {
        /// Everything that is wrong, never empty.
        problems: Vec<Problem>,
    },
}

impl Manifest {
    /// Reads and checks a `piece.toml`.
    ///
    /// # Errors
    ///
    /// Everything that is wrong with it, at once once it can be read.
    pub fn from_toml(text: &str) -> Result<Self, AuthorProblem> {
        let manifest: Self = toml::from_str(text).map_err(|error| AuthorProblem::Unreadable {
            reason: crate::nearest::explain(error.to_string().trim_end()),
        })?;
        match manifest.problems() {
            problems if problems.is_empty() => Ok(manifest),
            problems => Err(AuthorProblem::Invalid { problems }),
        }
    }
}

#[cfg(test)]
pub(crate) mod tests;
