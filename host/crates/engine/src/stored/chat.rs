//! The messages of a chat.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::inbox::StoredAuthor;
use super::question::StoredSettlement;
use super::{Mirror, mirror_struct};
use crate::chat::{Assistant, Entry, Said, Settled, ToolUse, UserMessage};

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum StoredEntry {
    User(StoredUserMessage),
    Assistant(StoredAssistant),
}

mirror_struct!(
    StoredUserMessage = UserMessage {
        author: StoredAuthor,
        text: String,
        platform_id: String,
    }
);

mirror_struct!(StoredAssistant = Assistant { said: Vec<StoredSaid>, settlements: Vec<StoredSettled> });

mirror_struct!(
    StoredSettled = Settled {
        call: String,
        settlement: StoredSettlement
    }
);

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum StoredSaid {
    Text(String),
    Call(StoredToolUse),
}

mirror_struct!(StoredToolUse = ToolUse {
    id: String,
    model_id: String,
    name: String,
    input: Value,
    result: Option<StoredResult>,
});

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum StoredResult {
    Output(Value),
    Error(String),
}

impl Mirror<Value> for Value {
    fn of(domain: &Value) -> Self {
        domain.clone()
    }

    fn into_domain(self) -> Value {
        self
    }
}

impl Mirror<Result<Value, String>> for StoredResult {
    fn of(domain: &Result<Value, String>) -> Self {
        match domain {
            Ok(output) => Self::Output(output.clone()),
            Err(text) => Self::Error(text.clone()),
        }
    }

    fn into_domain(self) -> Result<Value, String> {
        match self {
            Self::Output(output) => Ok(output),
            Self::Error(text) => Err(text),
        }
    }
}

impl Mirror<Said> for StoredSaid {
    fn of(domain: &Said) -> Self {
        match domain {
            Said::Text(text) => Self::Text(text.clone()),
            Said::Call(call) => Self::Call(Mirror::of(call)),
        }
    }

    fn into_domain(self) -> Said {
        match self {
            Self::Text(text) => Said::Text(text),
            Self::Call(call) => Said::Call(call.into_domain()),
        }
    }
}

impl Mirror<Entry> for StoredEntry {
    fn of(domain: &Entry) -> Self {
        match domain {
            Entry::User(message) => Self::User(Mirror::of(message)),
            Entry::Assistant(message) => Self::Assistant(Mirror::of(message)),
        }
    }

    fn into_domain(self) -> Entry {
        match self {
            Self::User(message) => Entry::User(message.into_domain()),
            Self::Assistant(message) => Entry::Assistant(message.into_domain()),
        }
    }
}
