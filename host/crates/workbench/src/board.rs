//! The platform, played: its messages with their controls, what it answers, and what it was asked.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};

use crate::platform::{ControlRule, Does, FailureRule, Platform, RequestRule, Where, Word, Words};

/// Before the first serial number: all have the same number of digits, for ids that must.
const SERIAL_FIRST: u64 = 100_000;

/// How long it takes nothing after too many requests.
pub(crate) const LIMITED_FOR: Duration = Duration::from_secs(2);

/// What people can use in a message.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Control {
    pub(crate) id: String,
    pub(crate) kind: ControlKind,
}

/// A button, or a list.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum ControlKind {
    Button(Entry),
    List(Vec<Entry>),
}

/// What can be pressed or picked.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Entry {
    pub(crate) label: String,
    pub(crate) value: Option<String>,
}

impl Control {
    /// The entry with a label, or one whose label has it within.
    pub(crate) fn entry(&self, label: &str) -> Option<&Entry> {
        let entries = match &self.kind {
            ControlKind::Button(entry) => std::slice::from_ref(entry),
            ControlKind::List(entries) => entries,
        };
        entries.iter().find(|entry| entry.label.contains(label))
    }
}

/// How the platform is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mood {
    /// As described.
    Well,
    /// It does nothing and says that it does not work.
    Down,
    /// It does nothing and says that there were too many requests.
    Limited,
    /// It does nothing and says that what is meant is gone.
    Gone,
    /// It does what is asked and says that it does not work.
    Mute,
}

/// A request, as it was sent.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Asked {
    pub(crate) slot: String,
    pub(crate) method: String,
    /// With the query.
    pub(crate) path: String,
    /// JSON, or the fields of a form; null when it was neither.
    pub(crate) body: Value,
}

/// An answer.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Answered {
    pub(crate) status: u16,
    /// In seconds.
    pub(crate) retry_after: Option<u64>,
    pub(crate) body: Value,
}

struct Message {
    id: String,
    key: Option<String>,
    controls: Vec<Control>,
}

struct State {
    messages: Vec<Message>,
    mood: Mood,
    asked: Vec<Asked>,
    undescribed: Vec<String>,
    /// The last serial number: no two messages or deliveries have the same.
    serial: u64,
}

/// A platform that is played.
pub(crate) struct Board {
    pub(crate) platform: Platform,
    state: Mutex<State>,
}

impl Board {
    pub(crate) fn new(platform: Platform) -> Self {
        Self {
            platform,
            state: Mutex::new(State {
                messages: Vec::new(),
                mood: Mood::Well,
                asked: Vec::new(),
                undescribed: Vec::new(),
                serial: SERIAL_FIRST,
            }),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How it is from now on.
    pub(crate) fn set_mood(&self, mood: Mood) {
        self.state().mood = mood;
    }

    /// What it was asked since this was taken last.
    pub(crate) fn take_asked(&self) -> Vec<Asked> {
        std::mem::take(&mut self.state().asked)
    }

    /// Requests that the description does not know.
    pub(crate) fn undescribed(&self) -> Vec<String> {
        self.state().undescribed.clone()
    }

    /// How many messages there are.
    pub(crate) fn count(&self) -> usize {
        self.state().messages.len()
    }

    /// What people can use in a message; nothing when it is not there.
    pub(crate) fn controls(&self, message: &str) -> Vec<Control> {
        let state = self.state();
        let found = state.messages.iter().find(|found| found.id == message);
        found.map(|found| found.controls.clone()).unwrap_or_default()
    }

    /// Whether there is such a message.
    pub(crate) fn has(&self, message: &str) -> bool {
        self.state().messages.iter().any(|found| found.id == message)
    }

    /// Words for something new: its serial number, and the time.
    pub(crate) fn fresh_words(&self) -> Words {
        let mut state = self.state();
        state.serial += 1;
        numbered(state.serial)
    }

    /// The id of a new message that nobody can use anything in: one that a person wrote.
    pub(crate) fn fresh_message(&self) -> String {
        self.platform.message_id.fill(&self.fresh_words())
    }

    /// Answers a request, and does what it asks for.
    pub(crate) fn answer(&self, asked: Asked) -> Answered {
        let mut state = self.state();
        state.asked.push(asked.clone());
        let Some((rule, in_path)) = self.rule(&asked) else {
            let Asked {
                slot, method, path, ..
            } = asked;
            state.undescribed.push(format!("{method} {path} (slot `{slot}`)"));
            return failure(&self.platform.failures.gone, None);
        };
        let failures = &self.platform.failures;
        match state.mood {
            Mood::Well => {}
            Mood::Down => return failure(&failures.down, None),
            Mood::Limited => return failure(&failures.limited, Some(LIMITED_FOR.as_secs())),
            Mood::Gone if rule.does != Does::Post => return failure(&failures.gone, None),
            Mood::Gone => {}
            Mood::Mute => {
                drop(self.done(&mut state, rule, in_path, &asked));
                return failure(&failures.down, None);
            }
        }
        match self.done(&mut state, rule, in_path, &asked) {
            Some(words) => Answered {
                status: rule.status,
                retry_after: None,
                body: rule.answer.fill(&words),
            },
            None => failure(&failures.gone, None),
        }
    }

    /// The rule for a request, and what the last `*` of its path stands for.
    fn rule(&self, asked: &Asked) -> Option<(&RequestRule, Option<String>)> {
        let path = asked.path.split('?').next().unwrap_or_default();
        self.platform.requests.iter().find_map(|rule| {
            let fits = rule.method == asked.method
                && rule.slot.as_ref().is_none_or(|slot| *slot == asked.slot)
                && holds(&rule.when, &asked.body);
            let last = matched(&rule.path, path)?;
            fits.then_some((rule, last))
        })
    }

    /// Does what a request asks for. None when the message it means is not there.
    fn done(
        &self,
        state: &mut State,
        rule: &RequestRule,
        in_path: Option<String>,
        asked: &Asked,
    ) -> Option<Words> {
        let mut words = numbered(state.serial);
        let named = match &rule.message {
            Some(Where::Path) => in_path,
            Some(Where::Body(pointer)) => pointer.text(&asked.body),
            None => None,
        };
        let id = match rule.does {
            Does::Nothing => return Some(words),
            Does::Post => self.post(state, rule, asked),
            Does::Edit => {
                let message = state
                    .messages
                    .iter_mut()
                    .find(|message| Some(&message.id) == named.as_ref())?;
                message.controls = controls(&self.platform.controls, &asked.body);
                message.id.clone()
            }
            Does::Remove => {
                let named = named?;
                let there = state.messages.iter().position(|message| message.id == named)?;
                state.messages.remove(there).id
            }
        };
        words.insert(Word::Message, json!(id));
        Some(words)
    }

    fn post(&self, state: &mut State, rule: &RequestRule, asked: &Asked) -> String {
        let key = rule.repeat.as_ref().and_then(|repeat| repeat.text(&asked.body));
        let before = key.as_ref().and_then(|key| {
            state
                .messages
                .iter()
                .find(|message| message.key.as_ref() == Some(key))
        });
        if let Some(before) = before {
            return before.id.clone();
        }
        state.serial += 1;
        let id = self.platform.message_id.fill(&numbered(state.serial));
        let controls = controls(&self.platform.controls, &asked.body);
        state.messages.push(Message {
            id: id.clone(),
            key,
            controls,
        });
        id
    }
}

fn numbered(serial: u64) -> Words {
    let now_ms = now_ms();
    Words::from([
        (Word::Serial, json!(serial)),
        (Word::NowMs, json!(now_ms)),
        (Word::NowS, json!(now_ms / 1_000)),
    ])
}

/// Now, in milliseconds since 1970.
pub(crate) fn now_ms() -> u64 {
    #[expect(
        clippy::disallowed_methods,
        reason = "the platform that is played has no clock but this one"
    )]
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

fn failure(rule: &FailureRule, retry_after: Option<u64>) -> Answered {
    Answered {
        status: rule.status,
        retry_after,
        body: rule.answer.fill(&Words::new()),
    }
}

fn holds(when: &BTreeMap<crate::platform::Pointer, Value>, value: &Value) -> bool {
    when.iter()
        .all(|(pointer, expected)| pointer.all(value).contains(&expected))
}

/// Whether a path fits a pattern; with what its last `*` stands for.
fn matched(pattern: &str, path: &str) -> Option<Option<String>> {
    let (mut wanted, mut found) = (pattern.split('/'), path.split('/'));
    let mut last = None;
    loop {
        match (wanted.next(), found.next()) {
            (None, None) => return Some(last),
            (Some("*"), Some(segment)) => last = Some(segment.to_owned()),
            (Some(wanted), Some(found)) if wanted == found => {}
            (_, _) => return None,
        }
    }
}

fn controls(rules: &[ControlRule], body: &Value) -> Vec<Control> {
    let of_rule = |rule: &ControlRule| -> Vec<Control> {
        let found = rule.at.all(body).into_iter();
        found.filter_map(|value| control(rule, value)).collect()
    };
    rules.iter().flat_map(of_rule).collect()
}

fn control(rule: &ControlRule, value: &Value) -> Option<Control> {
    if !holds(&rule.when, value) {
        return None;
    }
    let text = |pointer: &Option<crate::platform::Pointer>, value: &Value| {
        pointer.as_ref().and_then(|pointer| pointer.text(value))
    };
    let kind = match &rule.options {
        Some(options) => {
            let entry = |value: &Value| Entry {
                label: text(&rule.option_label, value).unwrap_or_default(),
                value: text(&rule.option_value, value),
            };
            ControlKind::List(options.all(value).into_iter().map(entry).collect())
        }
        None => ControlKind::Button(Entry {
            label: text(&rule.label, value).unwrap_or_default(),
            value: text(&rule.value, value),
        }),
    };
    Some(Control {
        id: rule.id.text(value)?,
        kind,
    })
}

#[cfg(test)]
mod tests;
