//! Runs the programs the tool needs.

use std::collections::VecDeque;
use std::io::{self, BufRead, BufReader};
use std::process::{Command, Stdio};

use crate::progress::{Listener, Progress};

/// How many of a failed command's last lines its problem repeats: a compiler's error with its notes fits.
const LINES_KEPT_MAX: usize = 40;

/// A command that could not be run, or that failed.
#[derive(Debug, thiserror::Error)]
pub enum CommandProblem {
    /// It could not be started.
    #[error("cannot run `{command}`: {source}")]
    NotStarted {
        /// As one would type it.
        command: String,
        /// What the system says.
        source: io::Error,
    },
    /// It ended with a failure.
    #[error("`{command}` failed ({status}); its last lines:\n{output}")]
    Failed {
        /// As one would type it.
        command: String,
        /// How it ended.
        status: String,
        /// The last lines it printed.
        output: String,
    },
}

/// The command as one would type it, with the environment that was set for it.
pub(crate) fn in_words(command: &Command) -> String {
    let set = command
        .get_envs()
        .filter_map(|(name, value)| value.map(|value| format!("{}={}", name.display(), value.display())));
    let words = [command.get_program()]
        .into_iter()
        .chain(command.get_args())
        .map(|word| word.display().to_string());
    set.chain(words).collect::<Vec<_>>().join(" ")
}

/// What a command prints on its standard output; none when it cannot be run or fails. For questions whose failure is an
/// answer, such as whether a program is there.
pub(crate) fn ask(command: &mut Command) -> Option<String> {
    let output = command.stdin(Stdio::null()).output().ok()?;
    output
        .status
        .success()
        .then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// Runs a command to its end and passes on every line it prints on either stream, in the order of printing.
pub(crate) fn run(mut command: Command, progress: Listener<'_>) -> Result<(), CommandProblem> {
    let words = in_words(&command);
    let not_started = |source| CommandProblem::NotStarted {
        command: words.clone(),
        source,
    };
    let (reader, writer) = io::pipe().map_err(not_started)?;
    command
        .stdin(Stdio::null())
        .stdout(writer.try_clone().map_err(not_started)?)
        .stderr(writer);
    let mut child = command.spawn().map_err(not_started)?;
    // The command holds our ends of the pipe; the lines end when the child's are the last to close.
    drop(command);

    let mut kept = VecDeque::new();
    for line in BufReader::new(reader).split(b'\n').map_while(Result::ok) {
        let line = String::from_utf8_lossy(&line).into_owned();
        progress(Progress::Output(&line));
        if kept.len() == LINES_KEPT_MAX {
            kept.pop_front();
        }
        kept.push_back(line);
    }
    let status = child.wait().map_err(not_started)?;
    if status.success() {
        return Ok(());
    }
    let output = Vec::from(kept).join("\n");
    Err(CommandProblem::Failed {
        command: words,
        status: status.to_string(),
        output,
    })
}

#[cfg(test)]
mod tests {
    use super::{Command, CommandProblem, Progress, ask, in_words, run};

    fn shell(script: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        command
    }

    #[test]
    fn lines_of_both_streams_arrive_in_order() {
        let mut lines = Vec::new();
        let mut listen = |progress: Progress<'_>| lines.push(format!("{progress:?}"));
        run(shell("echo one; echo two >&2; echo three"), &mut listen).unwrap();
        assert_eq!(lines, ["Output(\"one\")", "Output(\"two\")", "Output(\"three\")"]);
    }

    #[test]
    fn failure_keeps_the_last_lines() {
        let problem = run(shell("seq 1 100; exit 3"), &mut |_| {}).unwrap_err();
        let CommandProblem::Failed { status, output, .. } = problem else {
            panic!("{problem}")
        };
        assert!(status.contains('3'), "{status}");
        assert_eq!(
            (output.lines().next(), output.lines().last()),
            (Some("61"), Some("100"))
        );
    }

    #[test]
    fn command_that_is_not_there_is_named() {
        let problem = run(Command::new("no-such-program-of-ours"), &mut |_| {}).unwrap_err();
        assert!(
            problem.to_string().contains("`no-such-program-of-ours`"),
            "{problem}"
        );
        assert_eq!(ask(&mut Command::new("no-such-program-of-ours")), None);
        assert_eq!(ask(&mut shell("echo yes; exit 1")), None);
    }

    #[test]
    fn words_show_what_is_set() {
        let mut command = shell("true");
        command.env("A", "1");
        assert_eq!(in_words(&command), "A=1 sh -c true");
    }
}
