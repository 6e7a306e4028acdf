//! `frogbot check`: says everything that is wrong at once.

mod online;

use std::io::{Write, stdout};
use std::path::Path;

use crate::config::{self, Environment, Problem, Severity};

/// How much of a configuration is tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tried {
    /// Its text, and the files that it names.
    Offline,
    /// Its accounts, too, on their platforms.
    Online,
}

/// Checks a configuration and tells all of it. True when it is in order.
///
/// # Errors
/// The standard output is closed; nothing can be run on this machine.
pub fn check(config: &Path, tried: Tried, environment: Environment<'_>) -> anyhow::Result<bool> {
    let checked = config::read(config, environment);
    tell(&checked.problems)?;
    let Some(plan) = checked.plan else {
        return Ok(false);
    };
    let (channels, agents, users) = (
        plan.channels.len(),
        plan.engine.agents.len(),
        plan.engine.users.len(),
    );
    writeln!(
        stdout(),
        "{} is in order: {}, {}, {}",
        config.display(),
        counted(channels, "channel"),
        counted(agents, "agent"),
        counted(users, "user")
    )?;
    match tried {
        Tried::Offline => Ok(true),
        Tried::Online => online::connect_all(plan, environment),
    }
}

/// One problem a line, then how many there are.
///
/// # Errors
/// The standard output is closed.
pub fn tell(problems: &[Problem]) -> std::io::Result<()> {
    let mut out = stdout().lock();
    for problem in problems {
        writeln!(out, "{problem}")?;
    }
    let errors = problems
        .iter()
        .filter(|problem| problem.severity == Severity::Error)
        .count();
    if errors > 0 {
        writeln!(out, "{}", counted(errors, "problem"))?;
    }
    Ok(())
}

fn counted(number: usize, what: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {what}{plural}")
}
