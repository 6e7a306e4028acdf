//! Judges of Slack's messages and forms that others wrote: the crate `slackblocks`, built from `tests/judges`, and the official
//! Python SDK. Each is a program of its own that answers every line with a verdict.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::Value;

use crate::host_process::Artifacts;
use crate::peers::Peers;

/// A running judge. Killed, by its own process id, when it is dropped.
#[derive(Debug)]
pub struct Judge {
    name: &'static str,
    process: Child,
    questions: ChildStdin,
    verdicts: BufReader<ChildStdout>,
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

    fn start(name: &'static str, mut command: Command) -> Result<Self, String> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut process = command
            .spawn()
            .map_err(|error| format!("{name} does not start: {error}"))?;
        let (Some(questions), Some(verdicts)) = (process.stdin.take(), process.stdout.take()) else {
            return Err(format!("{name} has no input and output"));
        };
        Ok(Self {
            name,
            process,
            questions,
            verdicts: BufReader::new(verdicts),
        })
    }

    /// Judges `{"message": …}` or `{"view": …}`.
    ///
    /// # Errors
    /// It is refused: why, and by whom.
    pub fn judge(&mut self, document: &Value) -> Result<(), String> {
        let verdict = self
            .ask(document)
            .map_err(|error| format!("{} has ended: {error}", self.name))?;
        if verdict.trim_end() == "ok" {
            return Ok(());
        }
        Err(format!("{} refuses it: {}", self.name, verdict.trim_end()))
    }

    fn ask(&mut self, document: &Value) -> std::io::Result<String> {
        writeln!(self.questions, "{document}")?;
        self.questions.flush()?;
        let mut verdict = String::new();
        self.verdicts.read_line(&mut verdict)?;
        Ok(verdict)
    }
}

impl Drop for Judge {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _killed = self.process.kill();
        let _reaped = self.process.wait();
    }
}
