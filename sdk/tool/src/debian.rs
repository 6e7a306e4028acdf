//! What Debian's packages supply when something is missing, and whether this process may install them.

use std::process::Command;

use crate::command::{CommandProblem, ask, run};
use crate::progress::{Listener, Progress};

/// Whether packages may be installed without asking anybody: as root, where there is `apt-get`.
#[must_use]
pub fn may_install() -> bool {
    let root = ask(Command::new("id").arg("-u")).is_some_and(|id| id == "0");
    root && ask(Command::new("apt-get").arg("--version")).is_some()
}

/// The one command that installs these packages, for a person to type.
#[must_use]
pub fn install_command(packages: &[&str]) -> String {
    format!("apt-get install {}", packages.join(" "))
}

/// Installs packages, after saying so.
///
/// # Errors
///
/// When `apt-get` fails.
pub fn install(packages: &[&str], progress: Listener<'_>) -> Result<(), CommandProblem> {
    progress(Progress::Step(&format!(
        "installing Debian packages: {}",
        install_command(packages)
    )));
    // A machine that never fetched the lists knows no package; one that cannot fetch them may still know these.
    if let Err(problem) = run(apt_get(&["update"]), progress) {
        progress(Progress::Step(&format!(
            "going on without new package lists: {problem}"
        )));
    }
    let mut arguments = vec!["install", "--yes", "--no-install-recommends"];
    arguments.extend(packages);
    run(apt_get(&arguments), progress)
}

fn apt_get(arguments: &[&str]) -> Command {
    let mut command = Command::new("apt-get");
    command.args(arguments).env("DEBIAN_FRONTEND", "noninteractive");
    command
}
