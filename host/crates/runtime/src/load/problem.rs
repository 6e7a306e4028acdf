//! Why a piece is not loaded: who, at which stage, and what to do.

use std::fmt;

use frogbot_manifest::Manifest;
use ports::pieces::{Blame, HookFault};

use crate::piece::Piece;

/// The stages of loading, in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
    /// How large the file is.
    Size,
    /// Whether it is a valid component.
    Validation,
    /// Whether it carries a manifest that can be read and is valid.
    Manifest,
    /// Whether it was built for a version of the contract that this host speaks.
    World,
    /// Whether it imports nothing but the contract and the empty WASI.
    Imports,
    /// Whether it exports the contract's interfaces.
    Exports,
    /// Whether the hooks its manifest lists are among them.
    Hooks,
    /// Whether its options are valid.
    Options,
    /// Whether the secrets it needs are configured.
    Secrets,
    /// Whether the slots it asks for are granted and lead where they may.
    Grants,
    /// Whether it compiles.
    Compiling,
    /// Whether a call of it fits into its share of the pool.
    Resources,
    /// Whether its imports have the contract's types.
    Linking,
    /// Whether an instance starts, with exports of the contract's types.
    Starting,
    /// Whether it does what the examples in its manifest say.
    Examples,
}

impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Size => "size",
            Self::Validation => "validation",
            Self::Manifest => "manifest",
            Self::World => "world",
            Self::Imports => "imports",
            Self::Exports => "exports",
            Self::Hooks => "hooks",
            Self::Options => "options",
            Self::Secrets => "secrets",
            Self::Grants => "grants",
            Self::Compiling => "compiling",
            Self::Resources => "resources",
            Self::Linking => "linking",
            Self::Starting => "starting",
            Self::Examples => "examples",
        })
    }
}

/// Why a piece is not loaded.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("channel `{channel}`, piece `{piece}`, {stage}: {reason}; {remedy}")]
pub struct LoadProblem {
    /// The channel it was for.
    pub channel: String,
    /// The piece's name and version; `?` before its manifest is read.
    pub piece: String,
    /// How far it came.
    pub stage: Stage,
    /// What is against it: expected and found.
    pub reason: String,
    /// What to do.
    pub remedy: String,
}

impl LoadProblem {
    pub(crate) fn does_not_start(piece: &Piece, fault: &HookFault) -> Self {
        let blamed = Blamed::loaded(piece);
        let remedy = match fault.blame() {
            Blame::Host => "load the piece again when the host has less to do",
            Blame::Piece | Blame::Remote => "report this to the author of the piece",
        };
        blamed.at(Stage::Starting, fault.reason.clone(), remedy)
    }
}

/// Whom a problem is about.
pub(crate) struct Blamed {
    channel: String,
    piece: String,
}

impl Blamed {
    /// The piece's name and version.
    pub(super) fn name(&self) -> &str {
        &self.piece
    }

    /// Before the manifest is read.
    pub(super) fn unread(channel: &str) -> Self {
        Self {
            channel: channel.to_owned(),
            piece: "?".to_owned(),
        }
    }

    /// One that is linked.
    pub(crate) fn loaded(piece: &Piece) -> Self {
        Self {
            channel: piece.channel.clone(),
            piece: format!("{} {}", piece.info.piece, piece.info.version),
        }
    }

    pub(super) fn piece(channel: &str, manifest: &Manifest) -> Self {
        Self {
            channel: channel.to_owned(),
            piece: format!("{} {}", manifest.name, manifest.version),
        }
    }

    pub(crate) fn at(
        &self,
        stage: Stage,
        reason: impl Into<String>,
        remedy: impl Into<String>,
    ) -> LoadProblem {
        LoadProblem {
            channel: self.channel.clone(),
            piece: self.piece.clone(),
            stage,
            reason: reason.into(),
            remedy: remedy.into(),
        }
    }
}
