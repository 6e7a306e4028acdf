//! What is persisted: formats of their own with a version number, converted here and nowhere else.
//!
//! A document is JSON: `{"v": 1, "d": …}`. A reader knows every version ever written; a document it cannot read is an alarm:
//! it parks its conversation and is never overwritten.

pub(crate) mod chat;
pub(crate) mod inbox;
pub(crate) mod question;
pub(crate) mod turn;

use bytes::Bytes;
use lifecycle::owed::{Owed, Phase};
use lifecycle::{Actor, CallId, MessageId, Millis, Timestamp};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// A document that this build cannot read or write.
#[derive(Debug, thiserror::Error)]
#[error("the document {key} cannot be read: {reason}")]
pub(crate) struct Undecodable {
    /// The document's key.
    pub key: String,
    /// What is wrong with it; no payload.
    pub reason: String,
}

/// The current format of every kind of document.
const FORMAT: u32 = 1;

#[derive(Serialize, Deserialize)]
struct Versioned<T> {
    v: u32,
    d: T,
}

/// Writes a document.
pub(crate) fn encode<D, S: Mirror<D> + Serialize>(key: &str, domain: &D) -> Result<Bytes, Undecodable> {
    let versioned = Versioned {
        v: FORMAT,
        d: S::of(domain),
    };
    serde_json::to_vec(&versioned)
        .map(Bytes::from)
        .map_err(|error| undecodable(key, &error))
}

/// Reads a document.
pub(crate) fn decode<D, S: Mirror<D> + DeserializeOwned>(key: &str, bytes: &[u8]) -> Result<D, Undecodable> {
    match serde_json::from_slice::<Versioned<S>>(bytes) {
        Ok(versioned) if versioned.v == FORMAT => Ok(versioned.d.into_domain()),
        Ok(versioned) => Err(other_format(key, versioned.v)),
        // Another format need not have this one's shape: say so rather than where it differs.
        Err(error) => match serde_json::from_slice::<Versioned<serde::de::IgnoredAny>>(bytes) {
            Ok(versioned) if versioned.v != FORMAT => Err(other_format(key, versioned.v)),
            Ok(_) | Err(_) => Err(undecodable(key, &error)),
        },
    }
}

fn other_format(key: &str, found: u32) -> Undecodable {
    Undecodable {
        key: key.to_owned(),
        reason: format!("expected format {FORMAT}, found {found}"),
    }
}

fn undecodable(key: &str, error: &serde_json::Error) -> Undecodable {
    // The error's own text may quote the document.
    let reason = format!(
        "{:?} error at line {}, column {}",
        error.classify(),
        error.line(),
        error.column()
    );
    Undecodable {
        key: key.to_owned(),
        reason,
    }
}

/// The stored form of a value.
pub(crate) trait Mirror<D>: Sized {
    /// The stored form of `domain`.
    fn of(domain: &D) -> Self;
    /// The value again.
    fn into_domain(self) -> D;
}

macro_rules! mirror_itself {
    ($($ty:ty),*) => {
        $(impl Mirror<$ty> for $ty {
            fn of(domain: &$ty) -> Self {
                domain.clone()
            }

            fn into_domain(self) -> $ty {
                self
            }
        })*
    };
}

macro_rules! mirror_newtype {
    ($($stored:ty => $domain:ident),*) => {
        $(impl Mirror<$domain> for $stored {
            fn of(domain: &$domain) -> Self {
                domain.0.clone()
            }

            fn into_domain(self) -> $domain {
                $domain(self)
            }
        })*
    };
}

mirror_itself!(String, bool, u32, u64);
mirror_newtype!(String => CallId, String => MessageId, u64 => Timestamp, u64 => Millis);

impl<D, S: Mirror<D>> Mirror<Option<D>> for Option<S> {
    fn of(domain: &Option<D>) -> Self {
        domain.as_ref().map(S::of)
    }

    fn into_domain(self) -> Option<D> {
        self.map(S::into_domain)
    }
}

impl<D, S: Mirror<D>> Mirror<Vec<D>> for Vec<S> {
    fn of(domain: &Vec<D>) -> Self {
        domain.iter().map(S::of).collect()
    }

    fn into_domain(self) -> Vec<D> {
        self.into_iter().map(S::into_domain).collect()
    }
}

/// A stored struct with the fields of a domain struct, each in its stored form.
macro_rules! mirror_struct {
    ($stored:ident = $domain:path { $($field:ident: $ty:ty),* $(,)? }) => {
        #[derive(serde::Serialize, serde::Deserialize)]
        pub(crate) struct $stored {
            $($field: $ty,)*
        }

        impl $crate::stored::Mirror<$domain> for $stored {
            fn of(domain: &$domain) -> Self {
                Self { $($field: $crate::stored::Mirror::of(&domain.$field),)* }
            }

            fn into_domain(self) -> $domain {
                $domain { $($field: $crate::stored::Mirror::into_domain(self.$field),)* }
            }
        }
    };
}
pub(crate) use mirror_struct;

mirror_struct!(StoredActor = Actor {
    channel: String,
    piece: String,
    account: String,
    id: String,
    name: String,
    roles: Vec<String>,
    email: Option<String>,
    user: Option<String>,
});

/// Written without its waits where there are none, which is nearly always.
#[derive(Serialize, Deserialize)]
pub(crate) struct StoredOwed {
    last: u32,
    in_series: u32,
    #[serde(default, skip_serializing_if = "is_zero")]
    waited: u64,
    phase: StoredPhase,
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

impl Mirror<Owed> for StoredOwed {
    fn of(domain: &Owed) -> Self {
        Self {
            last: domain.last,
            in_series: domain.in_series,
            waited: domain.waited.0,
            phase: StoredPhase::of(&domain.phase),
        }
    }

    fn into_domain(self) -> Owed {
        Owed {
            last: self.last,
            in_series: self.in_series,
            waited: Millis(self.waited),
            phase: self.phase.into_domain(),
        }
    }
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum StoredPhase {
    Nothing,
    Due(u64),
    Running(u64),
    Spent,
}

impl Mirror<Phase> for StoredPhase {
    fn of(domain: &Phase) -> Self {
        match domain {
            Phase::Nothing => Self::Nothing,
            Phase::Due(at) => Self::Due(at.0),
            Phase::Running(deadline) => Self::Running(deadline.0),
            Phase::Spent => Self::Spent,
        }
    }

    fn into_domain(self) -> Phase {
        match self {
            Self::Nothing => Phase::Nothing,
            Self::Due(at) => Phase::Due(Timestamp(at)),
            Self::Running(deadline) => Phase::Running(Timestamp(deadline)),
            Self::Spent => Phase::Spent,
        }
    }
}
