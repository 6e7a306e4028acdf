//! Language models, one step at a time.

use std::future::Future;

use lifecycle::Millis;
use serde_json::Value;

use crate::tools::ToolSpec;

/// What a model is asked.
#[derive(Clone, Debug, PartialEq)]
pub struct StepRequest {
    /// The configured name of the model.
    pub model: String,
    /// The agent's instructions.
    pub instructions: String,
    /// The chat so far, oldest first. The last is a user's message, or the assistant message being continued.
    pub messages: Vec<ChatMessage>,
    /// What it may call.
    pub tools: Vec<ToolSpec>,
    /// Names the step, the same for every attempt.
    pub idempotency_key: [u8; 16],
}

/// A message of the chat.
#[derive(Clone, Debug, PartialEq)]
pub enum ChatMessage {
    /// What a person said.
    User {
        /// A name to show the model; may be empty.
        name: String,
        /// The text.
        text: String,
    },
    /// What the agent said and called, in order.
    Assistant(Vec<Part>),
}

/// A part of an assistant message.
#[derive(Clone, Debug, PartialEq)]
pub enum Part {
    /// Text for the conversation, in Markdown.
    Text(String),
    /// A call and, once there is one, its result.
    Call {
        /// The model's own id of the call; models reuse them.
        id: String,
        /// The tool's name.
        name: String,
        /// The input as the model sent it.
        input: Value,
        /// What the tool gave: an output, or an error in words.
        result: Option<Result<Value, String>>,
    },
}

/// What a model said in one step.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelReply {
    /// Text, Markdown; may be empty.
    pub text: String,
    /// Calls; none ends the turn.
    pub calls: Vec<ModelCall>,
}

/// A tool call of a model.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelCall {
    /// The model's own id.
    pub id: String,
    /// The tool's name.
    pub name: String,
    /// Its input.
    pub input: Value,
}

/// Why a model gave no step.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ModelFault {
    /// Worth trying again, not before this long if the vendor said so.
    #[error("the model is unavailable: {reason}")]
    Transient {
        /// For the operator; no payload, no secret.
        reason: String,
        /// How long the vendor asks to wait.
        retry_after: Option<Millis>,
    },
    /// Trying again is useless.
    #[error("the model refuses: {0}")]
    Permanent(String),
}

/// The language models.
pub trait Models: Send + Sync + 'static {
    /// One step. Dropping the future cancels it.
    ///
    /// # Errors
    /// See [`ModelFault`].
    fn step(&self, request: StepRequest) -> impl Future<Output = Result<ModelReply, ModelFault>> + Send;
}
