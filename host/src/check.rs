//! `frogbot check`: says everything that is wrong at once.

use std::io::{Write, stdout};
use std::path::Path;

use crate::config::{self, Environment, Problem, Severity};

/// Checks a configuration and tells all of it. True when it is in order.
///
/// # Errors
/// The standard output is closed.
pub fn check(config: &Path, environment: Environment<'_>) -> std::io::Result<bool> {
    let checked = config::read(config, environment);
    tell(&checked.problems)?;
    if let Some(plan) = &checked.plan {
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
    }
    Ok(checked.plan.is_some())
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
