//! A piece that edits one message in place: all calls of a step on one card, the step in each control's id, typed answers
//! through a form, several selections by marking. Replies in the thread mean nothing to it.

use lifecycle::question::Parsed;
use lifecycle::tool::Item;
use ports::pieces::{
    Acted, Call, Conversation, Interaction, PostedMessage, QuestionChange, Record, RenderedEntry, Shared,
};

use super::forum::{Pick, Progress, control_parts};
use super::platform::{Block, Button, Platform, reply};

/// Posts one card for all calls.
pub(super) fn render(
    platform: &Platform,
    conversation: &Conversation,
    key: [u8; 16],
    calls: &[Call<'_>],
) -> Vec<RenderedEntry> {
    let blocks = calls
        .iter()
        .map(|call| block(*call, &Progress::default()))
        .collect();
    let id = platform.post(conversation, Some(key), blocks);
    let messages = vec![PostedMessage {
        id,
        posted_at: None,
        question: None,
    }];
    vec![RenderedEntry {
        calls: calls.iter().map(|call| call.id.clone()).collect(),
        messages,
        state: None,
    }]
}

/// Reads a click or a form.
pub(super) fn parse(call: Call<'_>, record: Record<'_>, interaction: &Interaction, version: &str) -> Parsed {
    let progress = Progress::of(record);
    match interaction {
        Interaction::Message(_) => Parsed::Ignore,
        Interaction::Action(action) => match ours(call, &progress, &action.action_id) {
            Ok((item, what)) => click(call, progress, item, what, version),
            Err(parsed) => parsed,
        },
        Interaction::ModalSubmit(submit) => {
            let Some((field, text)) = submit.values.first() else {
                return Parsed::Ignore;
            };
            match ours(call, &progress, field) {
                Ok(_) => {
                    let pick = Pick {
                        selected: Vec::new(),
                        custom: Some(text.clone()),
                    };
                    progress.picked(call, pick, version)
                }
                Err(parsed) => parsed,
            }
        }
    }
}

/// The question and the meaning of a control, or why it means nothing now.
fn ours<'a>(call: Call<'a>, progress: &Progress, control: &'a str) -> Result<(&'a Item, &'a str), Parsed> {
    let (owner, step, what) = control_parts(control).ok_or(Parsed::Ignore)?;
    if owner != call.id.as_str() {
        return Err(Parsed::Ignore);
    }
    if step != progress.step {
        return Err(Parsed::Stale);
    }
    let item = call.input.questions.get(step).ok_or(Parsed::Stale)?;
    Ok((item, what))
}

fn click(call: Call<'_>, mut progress: Progress, item: &Item, what: &str, version: &str) -> Parsed {
    let label = |index: usize| item.options.get(index).map(|option| option.label.clone());
    match what {
        "dismiss" => Parsed::Dismiss,
        "other" => Parsed::Partial(None),
        "done" => {
            let selected = progress.marked.iter().filter_map(|index| label(*index)).collect();
            progress.picked(
                call,
                Pick {
                    selected,
                    custom: None,
                },
                version,
            )
        }
        index => {
            let Some(index) = index.parse::<usize>().ok() else {
                return Parsed::Stale;
            };
            if !item.multiple {
                let selected = label(index).into_iter().collect();
                return progress.picked(
                    call,
                    Pick {
                        selected,
                        custom: None,
                    },
                    version,
                );
            }
            match progress.marked.iter().position(|marked| *marked == index) {
                Some(at) => drop(progress.marked.remove(at)),
                None => progress.marked.push(index),
            }
            Parsed::Partial(Some(progress.state(version)))
        }
    }
}

/// Redraws the card, or opens the form that was asked for: as the response where there is still time for one.
pub(super) fn updated(
    platform: &Platform,
    shared: &Shared<'_>,
    interaction: Option<&Interaction>,
    metadata: impl Fn(&Record<'_>) -> String,
) -> Acted<QuestionChange> {
    let progress = Progress::of(shared.record);
    let asks_for_form = match interaction {
        Some(Interaction::Action(action)) => action.action_id.ends_with(":other").then_some(action),
        Some(Interaction::ModalSubmit(_) | Interaction::Message(_)) | None => None,
    };
    let mut said = None;
    match asks_for_form {
        Some(action) => {
            let field = action.action_id.clone();
            let item = shared.call.input.questions.get(progress.step);
            let title = item.map(|item| item.question.as_str()).unwrap_or_default();
            let thread = &shared.conversation.thread;
            let (person, from) = (&action.user.name, &action.message_id);
            if shared.context.reply_within.is_some() {
                said = Some(reply(format!("form {field} {title}").as_bytes()));
            } else {
                platform.open_form(person, thread, from, &field, title, metadata(&shared.record));
            }
        }
        None => {
            for message in shared.record.messages {
                platform.edit(&message.id, block(shared.call, &progress));
            }
        }
    }
    Acted {
        value: QuestionChange::default(),
        reply: said,
    }
}

fn block(call: Call<'_>, progress: &Progress) -> Block {
    let step = progress.step;
    let id = |what: &str| format!("{}:{step}:{what}", call.id);
    let button = |label: &str, what: &str| Button {
        label: label.to_owned(),
        id: id(what),
    };
    let Some(item) = call.input.questions.get(step) else {
        return Block {
            owner: call.id.0.clone(),
            text: String::new(),
            buttons: Vec::new(),
        };
    };
    let mut buttons: Vec<Button> = Vec::new();
    for (index, option) in item.options.iter().enumerate() {
        let mark = if progress.marked.contains(&index) {
            "✓ "
        } else {
            ""
        };
        buttons.push(button(&format!("{mark}{}", option.label), &index.to_string()));
    }
    if item.multiple {
        buttons.push(button("Done", "done"));
    }
    if item.custom {
        buttons.push(button("Other…", "other"));
    }
    buttons.push(button("Dismiss", "dismiss"));
    Block {
        owner: call.id.0.clone(),
        text: item.question.clone(),
        buttons,
    }
}
