//! A program that answers every line with a line.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::Value;

/// A running program. Killed, by its own process id, when it is dropped.
#[derive(Debug)]
pub(crate) struct LineProgram {
    name: &'static str,
    process: Child,
    questions: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl LineProgram {
    pub(crate) fn start(name: &'static str, mut command: Command) -> Result<Self, String> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut process = command
            .spawn()
            .map_err(|error| format!("{name} does not start: {error}"))?;
        let (Some(questions), Some(answers)) = (process.stdin.take(), process.stdout.take()) else {
            return Err(format!("{name} has no input and output"));
        };
        Ok(Self {
            name,
            process,
            questions,
            answers: BufReader::new(answers),
        })
    }

    /// What it answers to a document, without the end of the line.
    pub(crate) fn ask(&mut self, document: &Value) -> Result<String, String> {
        let answer = self.exchange(document);
        let answer = answer.map_err(|error| format!("{} does not answer: {error}", self.name))?;
        match answer.strip_suffix('\n') {
            Some(answer) => Ok(answer.to_owned()),
            None => Err(format!("{} has ended", self.name)),
        }
    }

    fn exchange(&mut self, document: &Value) -> std::io::Result<String> {
        writeln!(self.questions, "{document}")?;
        self.questions.flush()?;
        let mut answer = String::new();
        self.answers.read_line(&mut answer)?;
        Ok(answer)
    }
}

impl Drop for LineProgram {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _killed = self.process.kill();
        let _reaped = self.process.wait();
    }
}
