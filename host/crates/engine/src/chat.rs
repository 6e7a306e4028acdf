//! The messages of a chat as the engine keeps them: what people said, what the agent said and called.

use lifecycle::CallId;
use lifecycle::question::{Outcome, Settlement};
use ports::json;
use ports::models::{ChatMessage, Part};
use ports::pieces::Author;
use serde_json::Value;

/// What a model sees of a dismissed call (the specification's words).
pub(crate) const DISMISSED: &str = "Dismissed by the user.";
/// What it sees of the step's other calls.
pub(crate) const CANCELLED: &str = "Cancelled: another question of this step was dismissed.";
/// What it sees of server tools called beside a question.
pub(crate) const SKIPPED: &str =
    "Skipped: tools do not run in a step that asks a question. Call it again when you have the answer.";
/// What it sees of a tool whose turn failed.
pub(crate) const UNFINISHED: &str = "The turn failed before this tool finished.";

/// A message of a chat.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Entry {
    User(UserMessage),
    Assistant(Assistant),
}

/// What a person said.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct UserMessage {
    pub(crate) author: Author,
    pub(crate) text: String,
    /// The platform's id of the message.
    pub(crate) platform_id: String,
}

/// One assistant message: all steps of a turn.
#[derive(Clone, Debug, PartialEq, Default)]
pub(crate) struct Assistant {
    pub(crate) said: Vec<Said>,
    /// Who answered or dismissed which call, and when.
    pub(crate) settlements: Vec<Settled>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Settled {
    pub(crate) call: CallId,
    pub(crate) settlement: Settlement,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Said {
    Text(String),
    Call(ToolUse),
}

/// A tool call and its result.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ToolUse {
    /// Ours: a question's call id, empty for server tools.
    pub(crate) id: String,
    /// The model's own.
    pub(crate) model_id: String,
    pub(crate) name: String,
    pub(crate) input: Value,
    pub(crate) result: Option<Result<Value, String>>,
}

impl Assistant {
    /// Records how a question call ended.
    pub(crate) fn settle(&mut self, call: &CallId, settlement: &Settlement) {
        let result = match &settlement.outcome {
            Outcome::Answered(output) => json::write_output(output).map_err(|error| error.to_string()),
            Outcome::Dismissed => Err(DISMISSED.to_owned()),
            Outcome::Cancelled => Err(CANCELLED.to_owned()),
        };
        for tool in self
            .calls_mut()
            .filter(|tool| tool.id == call.0 && tool.result.is_none())
        {
            tool.result = Some(result.clone());
        }
        self.settlements.push(Settled {
            call: call.clone(),
            settlement: settlement.clone(),
        });
    }

    /// Turns a question call that could not be shown into an error.
    pub(crate) fn refuse(&mut self, call: &CallId, reason: &str) {
        for tool in self
            .calls_mut()
            .filter(|tool| tool.id == call.0 && tool.result.is_none())
        {
            tool.result = Some(Err(reason.to_owned()));
        }
    }

    /// Turns every call without a result into an error.
    pub(crate) fn fail_unfinished(&mut self) {
        for tool in self.calls_mut().filter(|tool| tool.result.is_none()) {
            tool.result = Some(Err(UNFINISHED.to_owned()));
        }
    }

    /// Its calls, in order.
    pub(crate) fn calls_mut(&mut self) -> impl Iterator<Item = &mut ToolUse> {
        self.said.iter_mut().filter_map(|said| match said {
            Said::Call(tool) => Some(tool),
            Said::Text(_) => None,
        })
    }
}

impl Entry {
    /// The message as a model sees it.
    pub(crate) fn for_model(self) -> ChatMessage {
        match self {
            Self::User(message) => ChatMessage::User {
                name: message.author.name,
                text: message.text,
            },
            Self::Assistant(message) => ChatMessage::Assistant(message.said.into_iter().map(part).collect()),
        }
    }
}

fn part(said: Said) -> Part {
    match said {
        Said::Text(text) => Part::Text(text),
        Said::Call(ToolUse {
            model_id,
            name,
            input,
            result,
            ..
        }) => Part::Call {
            id: model_id,
            name,
            input,
            result,
        },
    }
}
