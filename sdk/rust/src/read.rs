//! The JSON text of the contract as values of the piece: options, connection, state, request bodies.

use std::fmt;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::{Failure, FailureKind, InboundRequest, QuestionRecord, Settings};

/// JSON text that is not what the piece reads. Says where, and nothing of the content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unreadable(String);

impl fmt::Display for Unreadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Unreadable {}

impl From<Unreadable> for Failure {
    fn from(unreadable: Unreadable) -> Self {
        Self {
            kind: FailureKind::StateUnreadable,
            reason: unreadable.0,
        }
    }
}

impl From<Unreadable> for String {
    fn from(unreadable: Unreadable) -> Self {
        unreadable.0
    }
}

/// What serde has against a text, without the values it would quote.
pub(crate) fn described(what: &str, error: &serde_json::Error) -> String {
    let category = match error.classify() {
        serde_json::error::Category::Io => "cannot be written",
        serde_json::error::Category::Syntax => "is not JSON",
        serde_json::error::Category::Data => "has another form than this piece reads",
        serde_json::error::Category::Eof => "ends too early",
    };
    format!(
        "the {what} {category}, line {} column {}",
        error.line(),
        error.column()
    )
}

fn from_text<T: DeserializeOwned>(what: &str, text: &str) -> Result<T, Unreadable> {
    serde_json::from_str(text).map_err(|error| Unreadable(described(what, &error)))
}

/// The JSON text of what the piece remembers: its `state`, its `connect` data.
///
/// # Errors
///
/// When the value has no JSON form, such as a map whose keys are not text: nobody could read it.
pub fn write_json(value: &impl Serialize) -> Result<String, Unreadable> {
    serde_json::to_string(value).map_err(|error| Unreadable(described("value", &error)))
}

impl Unreadable {
    /// For a state that is JSON of the right form and still makes no sense, such as a step that the call does not have.
    pub fn new(what: impl Into<String>) -> Self {
        Self(what.into())
    }
}

impl QuestionRecord {
    /// The piece's own progress; none before it saved any.
    ///
    /// # Errors
    ///
    /// When another version wrote it; `?` makes the hook say so, and the host posts the question anew.
    pub fn read_state<T: DeserializeOwned>(&self) -> Result<Option<T>, Unreadable> {
        self.state
            .as_deref()
            .map(|text| from_text("question's state", text))
            .transpose()
    }
}

impl Settings {
    /// The channel's options.
    ///
    /// # Errors
    ///
    /// A line for the operator, when they are not what the piece reads.
    pub fn read_options<T: DeserializeOwned>(&self) -> Result<T, Failure> {
        from_text("channel's options", &self.options).map_err(|unreadable| Failure::refused(unreadable.0))
    }

    /// What `connect` found out for an account; none before it was called or when it cannot be read.
    pub fn read_connection<T: DeserializeOwned>(&self, account: &str) -> Option<T> {
        let connection = self
            .connections
            .iter()
            .find(|connection| connection.account == account)?;
        serde_json::from_str(&connection.data).ok()
    }
}

impl InboundRequest {
    /// The value of a header; the name in lower case.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .iter()
            .find(|(key, _)| key == name)
            .map(|(_, value)| value.as_str())
    }

    /// The body as JSON.
    ///
    /// # Errors
    ///
    /// A line for the operator, for `receive` to return.
    pub fn json<T: DeserializeOwned>(&self) -> Result<T, Unreadable> {
        serde_json::from_slice(&self.body).map_err(|error| Unreadable(described("request's body", &error)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_of_another_version_is_unreadable_and_not_quoted() {
        let question = QuestionRecord {
            messages: Vec::new(),
            revision: 1,
            state: Some(r#"{"step":"private"}"#.to_owned()),
            state_version: None,
        };
        let unreadable = question
            .read_state::<std::collections::BTreeMap<String, u32>>()
            .unwrap_err();
        assert!(!unreadable.to_string().contains("private"), "{unreadable}");
        assert_eq!(Failure::from(unreadable).kind, FailureKind::StateUnreadable);
    }
}
