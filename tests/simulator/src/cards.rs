//! What the simulated piece draws and understands: the pure half. Buttons name their call and step; a reply `/say text`
//! answers in words, `/answer 2` by number.

use lifecycle::question::{Parsed, PieceState};
use lifecycle::tool::{Answer, Output};
use ports::pieces::{Call, Ending, Interaction, Record};
use serde_json::{Value, json};

use crate::platform::Block;

/// The version of the piece.
pub(crate) const VERSION: &str = "1.0.0";

/// What was answered so far: one for each question, as labels or words.
#[derive(Clone, Debug, Default)]
pub(crate) struct Progress(Vec<Pick>);

#[derive(Clone, Debug)]
enum Pick {
    Label(String),
    Words(String),
}

impl Progress {
    /// As the record has it.
    pub(crate) fn of(record: &Record<'_>) -> Self {
        let state: Option<Value> = record
            .state
            .and_then(|state| serde_json::from_str(&state.json).ok());
        let picks = state.as_ref().and_then(Value::as_array).into_iter().flatten();
        let picks = picks.filter_map(|pick| {
            let label = pick["label"].as_str().map(|label| Pick::Label(label.to_owned()));
            label.or_else(|| pick["words"].as_str().map(|words| Pick::Words(words.to_owned())))
        });
        Self(picks.collect())
    }

    /// Which question is asked.
    pub(crate) fn step(&self) -> usize {
        self.0.len()
    }

    fn picked(mut self, call: Call<'_>, pick: Pick) -> Parsed {
        self.0.push(pick);
        if self.step() < call.input.questions.len() {
            let picks = self.0.iter().map(|pick| match pick {
                Pick::Label(label) => json!({ "label": label }),
                Pick::Words(words) => json!({ "words": words }),
            });
            let json = Value::Array(picks.collect()).to_string();
            let written_by = VERSION.to_owned();
            return Parsed::Partial(Some(PieceState { json, written_by }));
        }
        let answers = call.input.questions.iter().zip(self.0);
        let answers = answers.map(|(item, pick)| {
            let (selected, custom) = match pick {
                Pick::Label(label) => (vec![label], None),
                Pick::Words(words) => (Vec::new(), Some(words)),
            };
            let header = item.header.clone();
            Answer {
                header,
                selected,
                custom,
            }
        });
        Parsed::Answer(Output {
            answers: answers.collect(),
        })
    }
}

/// What names a call everywhere.
pub(crate) fn ask(call: Call<'_>) -> String {
    let first = call.input.questions.first();
    first.map(|item| item.question.clone()).unwrap_or_default()
}

/// The part of a message that shows a question.
pub(crate) fn block(call: Call<'_>, step: usize) -> Block {
    let options = call
        .input
        .questions
        .get(step)
        .map_or(0, |item| item.options.len());
    Block {
        call: call.id.0.clone(),
        ask: ask(call),
        step,
        choices: options,
        closed: None,
    }
}

/// The part of a message that shows how it ended.
pub(crate) fn closed(call: Call<'_>, ending: &str, actor: Option<&str>) -> Block {
    let by = actor.map(|name| format!(" by {name}")).unwrap_or_default();
    Block {
        closed: Some(format!("{ending}{by}")),
        ..block(call, 0)
    }
}

/// How a question ended, in one word for each answer.
pub(crate) fn ending(ending: Ending<'_>) -> String {
    match ending {
        Ending::Dismissed => "dismissed".to_owned(),
        Ending::Output(output) => {
            let said = output.answers.iter().map(|answer| {
                let words: Vec<&str> = answer
                    .selected
                    .iter()
                    .chain(&answer.custom)
                    .map(String::as_str)
                    .collect();
                words.join("+")
            });
            said.collect::<Vec<_>>().join(" ")
        }
    }
}

/// The same of a result as the model sees it.
pub(crate) fn ending_of_result(result: &Result<Value, String>) -> String {
    let Ok(output) = result else {
        return "dismissed".to_owned();
    };
    let answers = output["answers"].as_array().into_iter().flatten();
    let said = answers.map(|answer| {
        let selected = answer["selected"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(Value::as_str);
        let words: Vec<&str> = selected.chain(answer["custom"].as_str()).collect();
        words.join("+")
    });
    said.collect::<Vec<_>>().join(" ")
}

/// What an interaction means to a call.
pub(crate) fn parse(call: Call<'_>, record: &Record<'_>, interaction: &Interaction) -> Parsed {
    let progress = Progress::of(record);
    match interaction {
        Interaction::Action(action) => pressed(call, progress, &action.action_id),
        Interaction::ModalSubmit(_) => Parsed::Ignore,
        Interaction::Message(message) => {
            let asked = record.messages.last().map(|message| message.posted_at);
            let words = message.text.as_str();
            let said = words.strip_prefix("/say ");
            let number = words.strip_prefix("/answer ");
            let number = number.and_then(|rest| rest.split_whitespace().next());
            if said.is_none() && number.is_none() {
                return Parsed::Ignore;
            }
            if message.date_sent.is_some() && message.date_sent < asked {
                return Parsed::Stale;
            }
            let Some(item) = call.input.questions.get(progress.step()) else {
                return Parsed::Stale;
            };
            if let Some(said) = said {
                return progress.picked(call, Pick::Words(said.to_owned()));
            }
            let index = number.and_then(|number| number.parse::<usize>().ok()?.checked_sub(1));
            match index.and_then(|index| item.options.get(index)) {
                Some(option) => progress.picked(call, Pick::Label(option.label.clone())),
                None => Parsed::Rejected(format!("Reply with a number from 1 to {}.", item.options.len())),
            }
        }
    }
}

fn pressed(call: Call<'_>, progress: Progress, control: &str) -> Parsed {
    let mut parts = control.splitn(3, ':');
    let (owner, step, what) = (parts.next(), parts.next(), parts.next());
    if owner != Some(call.id.as_str()) {
        return Parsed::Ignore;
    }
    if what == Some("dismiss") {
        return Parsed::Dismiss;
    }
    let step = step.and_then(|step| step.parse::<usize>().ok());
    if step != Some(progress.step()) {
        return Parsed::Stale;
    }
    let item = call.input.questions.get(progress.step());
    let option = item.and_then(|item| item.options.get(what?.parse::<usize>().ok()?));
    match option {
        Some(option) => progress.picked(call, Pick::Label(option.label.clone())),
        None => Parsed::Stale,
    }
}
