//! What happens in a story, line by line.

use std::time::Duration;

use ports::pieces::Addressing;

use super::faults::{CommitFails, HookFails, Moment};
use super::platform::THREAD;

/// One thing that happens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Stimulus {
    /// Somebody writes.
    Says {
        person: String,
        thread: String,
        addressing: Addressing,
        text: String,
    },
    /// Somebody presses a button.
    Presses {
        person: String,
        label: String,
        message: String,
    },
    /// Everybody of the crowd presses a button in the same instant.
    CrowdPresses { label: String, message: String },
    /// Somebody submits a form.
    Submits {
        person: String,
        text: String,
        form: usize,
        locator: FormLocator,
    },
    /// The platform delivers its last event again.
    Redelivers { times: usize },
    /// Several things in the same instant.
    AtOnce(Vec<Stimulus>),
    /// Time passes.
    Waits(Duration),
    /// A hook will fail.
    HookFails {
        hook: String,
        times: usize,
        how: HookFails,
    },
    /// The platform does not answer a hook.
    Holds(String),
    /// It answers again.
    GoesOn,
    /// The platform refuses everything in a thread for so long.
    Limits { thread: String, length: Duration },
    /// A host stops where it stands, and another starts.
    Crashes { host: usize },
    /// A host will stop at this moment.
    CrashesAt { moment: Moment, what: String },
    /// Commits will fail.
    CommitFails {
        prefix: String,
        times: usize,
        how: CommitFails,
    },
    /// The store cannot be read.
    ReadsFail { times: u32 },
    /// Hosts are restarted with another configuration.
    Removes { person: String },
    /// Hosts are restarted with another configuration.
    Adds { person: String },
    /// The platform finds out who somebody is.
    Learns { person: String },
    /// The piece is swapped.
    NewPiece {
        version: String,
        reads_older_state: bool,
    },
}

/// What a submitted form says about where it belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FormLocator {
    /// What the host put into it.
    Original,
    /// The same of another account.
    Foreign,
    /// The same with its end cut off.
    Cut,
}

const UNKNOWN: &str =
    "nobody knows what this line means; what a story can say stands in tests/stories/README.md";

impl Stimulus {
    /// Reads a line.
    pub(super) fn read(line: &str) -> Result<Self, String> {
        if let Some(list) = line.strip_prefix("at once: ") {
            return Ok(Self::AtOnce(
                list.split("; ").map(Self::read).collect::<Result<_, _>>()?,
            ));
        }
        let found = Self::of_hosts(line)
            .or_else(|| Self::of_faults(line))
            .or_else(|| Self::of_people(line));
        found.ok_or_else(|| format!("{UNKNOWN}: {line:?}"))
    }

    fn of_hosts(line: &str) -> Option<Self> {
        if let Some(rest) = line.strip_prefix("crash ") {
            let (moment, what) = rest.split_once(' ')?;
            return Some(match moment {
                "before" => Self::CrashesAt {
                    moment: Moment::Before,
                    what: what.to_owned(),
                },
                "after" => Self::CrashesAt {
                    moment: Moment::After,
                    what: what.to_owned(),
                },
                "host" => Self::Crashes {
                    host: what.parse::<usize>().ok()?.checked_sub(1)?,
                },
                _ => return None,
            });
        }
        if let Some(person) = line.strip_prefix("configuration removes ") {
            return Some(Self::Removes {
                person: person.to_owned(),
            });
        }
        if let Some(person) = line.strip_prefix("configuration adds ") {
            return Some(Self::Adds {
                person: person.to_owned(),
            });
        }
        if let Some(rest) = line.strip_prefix("piece is replaced by version ") {
            let (version, unable) = match rest.strip_suffix(" that cannot read the state") {
                Some(version) => (version, true),
                None => (rest, false),
            };
            return Some(Self::NewPiece {
                version: format!("{version}.0.0"),
                reads_older_state: !unable,
            });
        }
        match line {
            "crash" => Some(Self::Crashes { host: 0 }),
            "redeliver" => Some(Self::Redelivers { times: 1 }),
            _ => {
                if let Some(rest) = line.strip_prefix("redeliver ") {
                    return Some(Self::Redelivers { times: times(rest)? });
                }
                Some(Self::Waits(length(line.strip_prefix("wait ")?)?))
            }
        }
    }

    fn of_faults(line: &str) -> Option<Self> {
        if line == "platform goes on" {
            return Some(Self::GoesOn);
        }
        if let Some(rest) = line.strip_prefix("platform limits ") {
            let (thread, rest) = rest.split_once(" for ")?;
            return Some(Self::Limits {
                thread: thread.to_owned(),
                length: length(rest)?,
            });
        }
        if let Some(hook) = line.strip_prefix("platform holds ") {
            return Some(Self::Holds(hook.to_owned()));
        }
        if let Some(rest) = line.strip_prefix("platform fails ") {
            let (what, how) = in_brackets(rest)?;
            let (hook, times) = match what.split_once(' ') {
                Some((hook, number)) => (hook, times(number)?),
                None => (what, 1),
            };
            return Some(Self::HookFails {
                hook: hook.to_owned(),
                times,
                how: HookFails::named(how)?,
            });
        }
        if let Some(person) = line
            .strip_prefix("platform learns who ")
            .and_then(|rest| rest.strip_suffix(" is"))
        {
            return Some(Self::Learns {
                person: person.to_owned(),
            });
        }
        if let Some(rest) = line.strip_prefix("store cannot be read ") {
            return Some(Self::ReadsFail {
                times: u32::try_from(times(rest)?).ok()?,
            });
        }
        let (what, how) = in_brackets(line.strip_prefix("store fails next ")?)?;
        let (which, prefix) = what.split_once(" of ").unwrap_or((what, ""));
        let times = match which.split_once(' ') {
            Some((number, "commits")) => number.parse().ok()?,
            Some(_) => return None,
            None => 1,
        };
        Some(Self::CommitFails {
            prefix: prefix.to_owned(),
            times,
            how: CommitFails::named(how)?,
        })
    }

    fn of_people(line: &str) -> Option<Self> {
        if let Some((who, text)) = line.split_once(": ")
            && let Some(said) = Self::says(who, text)
        {
            return Some(said);
        }
        if let Some((person, rest)) = line.split_once(" presses ") {
            let (label, message) = rest.rsplit_once(" on ")?;
            let (label, message) = (label.to_owned(), message.to_owned());
            return Some(match person {
                "everyone" => Self::CrowdPresses { label, message },
                _ => Self::Presses {
                    person: person.to_owned(),
                    label,
                    message,
                },
            });
        }
        let (person, rest) = line.split_once(" submits ")?;
        let (rest, locator) = match rest.split_once(" with a locator ") {
            None => (rest, FormLocator::Original),
            Some((rest, "of another account")) => (rest, FormLocator::Foreign),
            Some((rest, "that was cut")) => (rest, FormLocator::Cut),
            Some(_) => return None,
        };
        let (text, form) = rest.rsplit_once(" in f")?;
        let text = text.strip_prefix('"')?.strip_suffix('"')?.to_owned();
        Some(Self::Submits {
            person: person.to_owned(),
            text,
            form: form.parse().ok()?,
            locator,
        })
    }

    fn says(who: &str, text: &str) -> Option<Self> {
        let (who, direct) = match who.strip_suffix(" whispers") {
            Some(who) => (who, true),
            None => (who, false),
        };
        let (person, thread) = who.split_once(" in ").unwrap_or((who, THREAD));
        let (addressing, text) = match text.strip_prefix("@bot ") {
            _ if direct => (Addressing::Direct, text),
            Some(text) => (Addressing::Mention, text),
            None => (Addressing::None, text),
        };
        let is_name = !person.is_empty() && person.chars().all(|c| c.is_ascii_alphanumeric());
        is_name.then(|| Self::Says {
            person: person.to_owned(),
            thread: thread.to_owned(),
            addressing,
            text: text.to_owned(),
        })
    }
}

/// `2 times`, `1 time`.
fn times(text: &str) -> Option<usize> {
    text.strip_suffix(" times")
        .or_else(|| text.strip_suffix(" time"))?
        .parse()
        .ok()
}

/// `30 days`.
fn length(text: &str) -> Option<Duration> {
    let (number, unit) = text.split_once(' ')?;
    let seconds = match unit.strip_suffix('s').unwrap_or(unit) {
        "second" => 1,
        "minute" => 60,
        "hour" => 3_600,
        "day" => 24 * 3_600,
        _ => return None,
    };
    Some(Duration::from_secs(
        number.parse::<u64>().ok()?.checked_mul(seconds)?,
    ))
}

/// `what (how)`.
fn in_brackets(text: &str) -> Option<(&str, &str)> {
    let (what, how) = text.split_once('(')?;
    Some((what.trim(), how.strip_suffix(')')?))
}
