//! What came of it, for the author.

use std::collections::BTreeMap;
use std::fmt;

use runtime::Measure;
use serde::Serialize;

/// What came of one thing that was tried.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case", tag = "verdict", content = "why")]
pub enum Verdict {
    /// As it should be.
    Kept,
    /// As it should be, with something worth knowing.
    Noted(String),
    /// Not as it should be, and how.
    Broken(String),
    /// Not tried, and why not.
    NotTried(String),
}

/// One thing that was tried.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Check {
    /// Its name.
    pub name: &'static str,
    /// What a piece promises by it.
    pub promise: &'static str,
    /// What came of it.
    #[serde(flatten)]
    pub verdict: Verdict,
}

/// The most that a call of a hook used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Use {
    /// How often it was called.
    pub calls: usize,
    /// WebAssembly instructions, about.
    pub fuel: u64,
    /// Memories and tables, in bytes.
    pub memory_bytes: usize,
    /// Requests.
    pub requests: usize,
    /// Their bodies, in bytes.
    pub sent_bytes: usize,
    /// The bodies of the responses, in bytes.
    pub received_bytes: usize,
}

/// Everything that was tried with a piece.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Report {
    /// In the order in which it was tried.
    pub checks: Vec<Check>,
    /// By hook.
    pub uses: BTreeMap<&'static str, Use>,
}

impl Report {
    /// Whether nothing is broken.
    pub fn is_sound(&self) -> bool {
        !self
            .checks
            .iter()
            .any(|check| matches!(check.verdict, Verdict::Broken(_)))
    }

    pub(crate) fn add(&mut self, name: &'static str, promise: &'static str, verdict: Verdict) {
        self.checks.push(Check {
            name,
            promise,
            verdict,
        });
    }

    pub(crate) fn used(&mut self, measures: &[Measure]) {
        for measure in measures {
            let used = self.uses.entry(measure.hook).or_default();
            *used = Use {
                calls: used.calls + 1,
                fuel: used.fuel.max(measure.fuel),
                memory_bytes: used.memory_bytes.max(measure.memory_bytes),
                requests: used.requests.max(measure.requests),
                sent_bytes: used.sent_bytes.max(measure.sent_bytes),
                received_bytes: used.received_bytes.max(measure.received_bytes),
            };
        }
    }

    fn count(&self, of: impl Fn(&Verdict) -> bool) -> usize {
        self.checks.iter().filter(|check| of(&check.verdict)).count()
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for Check {
            name,
            promise,
            verdict,
        } in &self.checks
        {
            match verdict {
                Verdict::Kept => writeln!(f, "ok         {name}: {promise}")?,
                Verdict::Noted(what) => writeln!(f, "ok         {name}: {promise}\n           note: {what}")?,
                Verdict::Broken(how) => writeln!(f, "BROKEN     {name}: {promise}\n           {how}")?,
                Verdict::NotTried(why) => writeln!(f, "not tried  {name}: {why}")?,
            }
        }
        if !self.uses.is_empty() {
            writeln!(
                f,
                "\nmost of a call   calls         fuel   memory KiB  requests   sent B  received B"
            )?;
        }
        for (hook, used) in &self.uses {
            writeln!(
                f,
                "{hook:<15} {:>6} {:>12} {:>12} {:>9} {:>8} {:>11}",
                used.calls,
                used.fuel,
                used.memory_bytes / 1024,
                used.requests,
                used.sent_bytes,
                used.received_bytes
            )?;
        }
        let kept = self.count(|verdict| matches!(verdict, Verdict::Kept | Verdict::Noted(_)));
        let broken = self.count(|verdict| matches!(verdict, Verdict::Broken(_)));
        let not_tried = self.count(|verdict| matches!(verdict, Verdict::NotTried(_)));
        write!(f, "\n{kept} kept, {broken} broken, {not_tried} not tried")
    }
}
