//! The agent's model, watched: what it is given becomes part of the transcript where a story shows it.

use std::sync::Arc;

use models::ScriptedModels;
use ports::Models;
use ports::models::{ChatMessage, ModelFault, ModelReply, Part, StepRequest};

use super::host::StageClock;
use super::transcript::Transcript;

/// Scripted models that are watched.
#[derive(Debug)]
pub(super) struct WatchedModels {
    pub(super) scripted: Arc<ScriptedModels<StageClock>>,
    pub(super) transcript: Arc<Transcript>,
    pub(super) shown: bool,
}

impl Models for WatchedModels {
    async fn step(&self, request: StepRequest) -> Result<ModelReply, ModelFault> {
        if self.shown {
            self.transcript.note(format!("model sees {}", seen(&request)));
        }
        let mut watched = Watched(self.shown.then_some(&self.transcript));
        let step = self.scripted.step(request).await;
        watched.0 = None;
        if let (true, Err(fault)) = (self.shown, &step) {
            self.transcript.note(format!("model fails: {fault}"));
        }
        step
    }
}

/// A step under way. One that is dropped before its end was stopped.
struct Watched<'a>(Option<&'a Arc<Transcript>>);

impl Drop for Watched<'_> {
    fn drop(&mut self) {
        if let Some(transcript) = self.0 {
            transcript.note("the model's step is stopped");
        }
    }
}

fn seen(request: &StepRequest) -> String {
    let messages: Vec<String> = request.messages.iter().map(message).collect();
    let tools: Vec<&str> = request.tools.iter().map(|tool| tool.name.as_str()).collect();
    let tools = if tools.is_empty() {
        "nothing".to_owned()
    } else {
        tools.join(", ")
    };
    format!("{}; offered {tools}", messages.join(" / "))
}

fn message(message: &ChatMessage) -> String {
    match message {
        ChatMessage::User { name, text } => format!("{name}: {text}"),
        ChatMessage::Assistant(parts) => {
            format!(
                "itself: {}",
                parts.iter().map(part).collect::<Vec<_>>().join(" + ")
            )
        }
    }
}

fn part(part: &Part) -> String {
    match part {
        Part::Text(text) => text.clone(),
        Part::Call { name, result, .. } => match result {
            None => format!("{name} -> (no result)"),
            Some(Ok(output)) => format!("{name} -> {output}"),
            Some(Err(error)) => format!("{name} -> error: {error}"),
        },
    }
}
