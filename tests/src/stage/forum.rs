//! The piece of the specification's example: one message per question, posted anew for every step; answered by its
//! buttons or by a reply `/answer 2`, `/say text`, `/dismiss`.

use lifecycle::question::{Parsed, PieceState};
use lifecycle::tool::{Answer, Output};
use ports::pieces::{
    Call, Conversation, Ending, Interaction, PostedMessage, QuestionChange, Record, RenderedEntry,
};
use serde::{Deserialize, Serialize};

use super::platform::{Block, Button, Platform};

/// How far a call is: the question that is asked, and what was answered before.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Progress {
    pub(super) step: usize,
    pub(super) picks: Vec<Pick>,
    /// What is picked so far of a question with several selections.
    #[serde(default)]
    pub(super) marked: Vec<usize>,
}

/// The answer to one question.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Pick {
    pub(super) selected: Vec<String>,
    pub(super) custom: Option<String>,
}

impl Progress {
    /// As the record has it.
    pub(super) fn of(record: Record<'_>) -> Self {
        let state = record
            .state
            .and_then(|state| serde_json::from_str(&state.json).ok());
        state.unwrap_or_default()
    }

    /// As the record keeps it.
    pub(super) fn state(&self, version: &str) -> PieceState {
        PieceState {
            json: serde_json::to_string(self).unwrap_or_default(),
            written_by: version.to_owned(),
        }
    }

    /// With one answer more: the whole answer when it was the last, otherwise progress.
    pub(super) fn picked(mut self, call: Call<'_>, pick: Pick, version: &str) -> Parsed {
        self.picks.push(pick);
        self.step += 1;
        self.marked.clear();
        if self.step < call.input.questions.len() {
            return Parsed::Partial(Some(self.state(version)));
        }
        let answers = call.input.questions.iter().zip(self.picks);
        let answers = answers.map(|(item, pick)| Answer {
            header: item.header.clone(),
            selected: pick.selected,
            custom: pick.custom,
        });
        Parsed::Answer(Output {
            answers: answers.collect(),
        })
    }
}

/// Posts the first question of the first call.
pub(super) fn render(
    platform: &Platform,
    conversation: &Conversation,
    key: [u8; 16],
    calls: &[Call<'_>],
) -> Vec<RenderedEntry> {
    let Some(call) = calls.first() else {
        return Vec::new();
    };
    let id = platform.post(conversation, Some(key), vec![block(*call, 0)]);
    let messages = vec![PostedMessage {
        id,
        posted_at: None,
        question: Some(0),
    }];
    vec![RenderedEntry {
        calls: vec![call.id.clone()],
        messages,
        state: None,
    }]
}

/// Reads a click or a reply.
pub(super) fn parse(call: Call<'_>, record: Record<'_>, interaction: &Interaction, version: &str) -> Parsed {
    let progress = Progress::of(record);
    match interaction {
        Interaction::Action(action) => click(call, progress, &action.action_id, version),
        Interaction::ModalSubmit(_) => Parsed::Ignore,
        Interaction::Message(message) => {
            let words = message.text.trim();
            if words == "/dismiss" {
                return Parsed::Dismiss;
            }
            let said = words.strip_prefix("/say ");
            let numbers = words.strip_prefix("/answer ");
            if said.is_none() && numbers.is_none() {
                return Parsed::Ignore;
            }
            let asked = record.messages.last().map(|message| message.posted_at);
            if message.date_sent < asked {
                return Parsed::Stale;
            }
            let Some(item) = call.input.questions.get(progress.step) else {
                return Parsed::Stale;
            };
            let labels = numbers.unwrap_or_default().split_whitespace().map(|number| {
                let index = number
                    .parse::<usize>()
                    .ok()
                    .and_then(|number| number.checked_sub(1));
                index
                    .and_then(|index| item.options.get(index))
                    .map(|option| option.label.clone())
            });
            let Some(selected) = labels.collect::<Option<Vec<String>>>() else {
                let most = item.options.len();
                return Parsed::Rejected(format!("Reply with a number from 1 to {most}."));
            };
            progress.picked(
                call,
                Pick {
                    selected,
                    custom: said.map(str::to_owned),
                },
                version,
            )
        }
    }
}

fn click(call: Call<'_>, progress: Progress, control: &str, version: &str) -> Parsed {
    let Some((owner, step, what)) = control_parts(control) else {
        return Parsed::Ignore;
    };
    if owner != call.id.as_str() {
        return Parsed::Ignore;
    }
    if what == "dismiss" {
        return Parsed::Dismiss;
    }
    if step != progress.step {
        return Parsed::Stale;
    }
    let option = call
        .input
        .questions
        .get(step)
        .and_then(|item| item.options.get(what.parse::<usize>().ok()?));
    let Some(option) = option else {
        return Parsed::Stale;
    };
    let pick = Pick {
        selected: vec![option.label.clone()],
        custom: None,
    };
    progress.picked(call, pick, version)
}

/// Posts the current question.
pub(super) fn updated(
    platform: &Platform,
    conversation: &Conversation,
    key: [u8; 16],
    call: Call<'_>,
    record: Record<'_>,
) -> QuestionChange {
    let step = Progress::of(record).step;
    let id = platform.post(conversation, Some(key), vec![block(call, step)]);
    let mut messages: Vec<PostedMessage> = kept(record).collect();
    messages.push(PostedMessage {
        id,
        posted_at: None,
        question: u32::try_from(step).ok(),
    });
    QuestionChange {
        messages: Some(messages),
        state: None,
        redraw_after: None,
    }
}

/// Closes every message of the call.
pub(super) fn settled(
    platform: &Platform,
    call: Call<'_>,
    record: Record<'_>,
    ending: Ending<'_>,
    actor: Option<&str>,
) {
    let text = outcome(ending, actor);
    for message in record.messages {
        let block = Block {
            owner: call.id.0.clone(),
            text: text.clone(),
            buttons: Vec::new(),
        };
        platform.edit(&message.id, block);
    }
}

/// What a closed question says.
pub(super) fn outcome(ending: Ending<'_>, actor: Option<&str>) -> String {
    let by = actor.map(|name| format!(" by {name}")).unwrap_or_default();
    match ending {
        Ending::Dismissed => format!("Dismissed{by}."),
        Ending::Output(output) => {
            let said = |answer: &Answer| {
                let words: Vec<&str> = answer
                    .selected
                    .iter()
                    .chain(&answer.custom)
                    .map(String::as_str)
                    .collect();
                format!("{}: {}", answer.header, words.join(", "))
            };
            let said: Vec<String> = output.answers.iter().map(said).collect();
            format!("Answered{by}. {}", said.join("; "))
        }
    }
}

fn kept(record: Record<'_>) -> impl Iterator<Item = PostedMessage> {
    record.messages.iter().map(|message| PostedMessage {
        id: message.id.clone(),
        posted_at: Some(message.posted_at),
        question: message.question,
    })
}

fn block(call: Call<'_>, step: usize) -> Block {
    let (text, mut buttons) = call
        .input
        .questions
        .get(step)
        .map_or_else(Default::default, |item| {
            let buttons = item.options.iter().enumerate();
            let buttons = buttons.map(|(index, option)| Button {
                label: option.label.clone(),
                id: format!("{}:{step}:{index}", call.id),
            });
            (item.question.clone(), buttons.collect::<Vec<_>>())
        });
    buttons.push(Button {
        label: "Dismiss".to_owned(),
        id: format!("{}:{step}:dismiss", call.id),
    });
    Block {
        owner: call.id.0.clone(),
        text,
        buttons,
    }
}

/// The call, the step and the meaning of a control's id.
pub(super) fn control_parts(id: &str) -> Option<(&str, usize, &str)> {
    let mut parts = id.splitn(3, ':');
    Some((parts.next()?, parts.next()?.parse().ok()?, parts.next()?))
}
