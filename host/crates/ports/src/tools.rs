//! Server tools: what an agent's model may call besides the question tool.

use std::future::Future;

use serde_json::Value;

/// A tool as a model is told about it.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolSpec {
    /// Its name, unique among the tools of an agent.
    pub name: String,
    /// What it does, for the model.
    pub description: String,
    /// A JSON Schema of its input.
    pub input_schema: Value,
}

/// One call of a tool.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolCall {
    /// The tool's name.
    pub name: String,
    /// The input as the model sent it.
    pub input: Value,
    /// Names the call, the same for every attempt, so that the tool can recognise a repeat.
    pub idempotency_key: [u8; 16],
}

/// Why a tool gave no result now. A tool's own "no" is a result: `Err` of [`Tools::run`]'s inner result.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the tool is unavailable: {0}")]
pub struct ToolFault(pub String);

/// The server tools.
pub trait Tools: Send + Sync + 'static {
    /// The tools that `names` name, in their order; a name nobody knows is left out (configuration checks it).
    fn specs(&self, names: &[String]) -> Vec<ToolSpec>;

    /// Runs one call. The inner result is what the model sees: an output, or an error in words.
    ///
    /// # Errors
    /// The tool could not be reached; the attempt is made again.
    fn run(&self, call: ToolCall) -> impl Future<Output = Result<Result<Value, String>, ToolFault>> + Send;
}
