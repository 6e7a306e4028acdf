//! A command's stages: one line as each begins, one as it ends, all of them again at the end.

use std::time::{Duration, Instant};

use anyhow::{Context, Result};

/// The stages that have ended so far.
#[derive(Default)]
pub(crate) struct Stages {
    ended: Vec<(&'static str, Outcome)>,
}

enum Outcome {
    Done(Duration),
    Skipped(&'static str),
}

impl Stages {
    /// Runs a stage. The first that fails ends the command; its error names the stage.
    pub(crate) fn run(&mut self, name: &'static str, stage: impl FnOnce() -> Result<()>) -> Result<()> {
        println!("==> {name}");
        #[expect(
            clippy::disallowed_methods,
            reason = "how long a stage took is for a person to read"
        )]
        let begun = Instant::now();
        stage().with_context(|| format!("the stage `{name}` failed"))?;
        self.end(name, Outcome::Done(begun.elapsed()));
        Ok(())
    }

    /// Says that a stage cannot run here. Only for what is checked elsewhere too.
    pub(crate) fn skip(&mut self, name: &'static str, reason: &'static str) {
        self.end(name, Outcome::Skipped(reason));
    }

    /// Every stage and its duration.
    pub(crate) fn summary(&self) {
        println!("\nsummary");
        for (name, outcome) in &self.ended {
            println!("    {}", line(name, outcome));
        }
    }

    fn end(&mut self, name: &'static str, outcome: Outcome) {
        println!("    {}", line(name, &outcome));
        self.ended.push((name, outcome));
    }
}

fn line(name: &str, outcome: &Outcome) -> String {
    match outcome {
        Outcome::Done(length) => format!("{name:<14} ok, {:.1} s", length.as_secs_f64()),
        Outcome::Skipped(reason) => format!("{name:<14} NOT RUN: {reason}"),
    }
}
