//! What a server answers, as far as our questions have such answers.

use redis::{ServerError, Value};

use super::faults::Refusal;

/// An answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    /// There is nothing.
    Nothing,
    Number(u64),
    Bytes(Vec<u8>),
    List(Vec<Answer>),
    Refused(Refusal),
    /// None that we ask for.
    Other,
}

impl From<Value> for Answer {
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "the client's enumeration grows; ours is the one that is matched whole"
    )]
    fn from(value: Value) -> Self {
        match value {
            Value::Nil => Self::Nothing,
            Value::Int(number) => u64::try_from(number).map_or(Self::Other, Self::Number),
            Value::BulkString(bytes) => Self::Bytes(bytes),
            Value::SimpleString(text) => Self::Bytes(text.into_bytes()),
            Value::Array(values) => Self::List(values.into_iter().map(Self::from).collect()),
            Value::ServerError(error) => Self::Refused(refusal(&error)),
            _ => Self::Other,
        }
    }
}

fn refusal(error: &ServerError) -> Refusal {
    Refusal::new(error.code(), error.details().unwrap_or_default())
}

impl Answer {
    /// The answer, unless it is a refusal.
    pub(super) fn accepted(self) -> Result<Self, Refusal> {
        match self {
            Self::Refused(refusal) => Err(refusal),
            Self::Nothing | Self::Number(_) | Self::Bytes(_) | Self::List(_) | Self::Other => Ok(self),
        }
    }

    pub(super) fn number(&self) -> Option<u64> {
        match self {
            Self::Number(number) => Some(*number),
            Self::Nothing | Self::Bytes(_) | Self::List(_) | Self::Refused(_) | Self::Other => None,
        }
    }

    pub(super) fn bytes(self) -> Option<Vec<u8>> {
        match self {
            Self::Bytes(bytes) => Some(bytes),
            Self::Nothing | Self::Number(_) | Self::List(_) | Self::Refused(_) | Self::Other => None,
        }
    }

    pub(super) fn text(self) -> Option<String> {
        String::from_utf8(self.bytes()?).ok()
    }

    pub(super) fn list(self) -> Option<Vec<Self>> {
        match self {
            Self::List(answers) => Some(answers),
            Self::Nothing | Self::Number(_) | Self::Bytes(_) | Self::Refused(_) | Self::Other => None,
        }
    }
}
