//! Judges of Slack's messages and forms that others wrote: the crate `slackblocks`, built from `tests/judges`, and the official
//! Python SDK. Each is a program of its own that answers every line with a verdict.

use std::process::Command;

use serde_json::Value;

use crate::host_process::Artifacts;
use crate::line_program::LineProgram;
use crate::peers::Peers;

/// A running judge.
#[derive(Debug)]
pub struct Judge {
    name: &'static str,
    program: LineProgram,
}

impl Judge {
    /// The crate `slackblocks`: strict about lengths and counts.
    ///
    /// # Errors
    /// It is not built; the text says what to run.
    pub fn slackblocks() -> Result<Self, String> {
        let program = Artifacts::folder("FROGBOT_JUDGES_DIR", "judges")?.join("debug/judges");
        if !program.exists() {
            return Err(format!(
                "{} is not there; run `cargo xtask judges`",
                program.display()
            ));
        }
        Self::start("slackblocks", Command::new(program))
    }

    /// The official Python SDK.
    ///
    /// # Errors
    /// It is not installed; the text says what to run.
    pub fn slack_sdk() -> Result<Self, String> {
        Self::start("slack_sdk", Peers::find()?.python("slack_sdk_check.py"))
    }

    fn start(name: &'static str, command: Command) -> Result<Self, String> {
        let program = LineProgram::start(name, command)?;
        Ok(Self { name, program })
    }

    /// Judges `{"message": …}` or `{"view": …}`.
    ///
    /// # Errors
    /// It is refused: why, and by whom.
    pub fn judge(&mut self, document: &Value) -> Result<(), String> {
        let verdict = self.program.ask(document)?;
        if verdict == "ok" {
            return Ok(());
        }
        Err(format!("{} refuses it: {verdict}", self.name))
    }
}
