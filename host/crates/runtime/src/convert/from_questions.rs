//! What the hooks of the `channel-questions` interface return.

use std::collections::BTreeSet;

use lifecycle::question::{Parsed, PieceState};
use lifecycle::tool::{Answer, Input, Output};
use lifecycle::{CallId, MessageId, Millis, Timestamp};
use ports::pieces::{Acted, Call, ParseResult, PostedMessage, QuestionChange, RenderedEntry};

use super::bounds::{
    Checked, LIST_MAX, OWN_JSON_BYTES_MAX, REASON_BYTES_MAX, garbage, id, json, list, said, text,
};
use super::from_channel::reply;
use crate::bindings::exports::frogbot::piece::channel_questions as guest;
use crate::bindings::frogbot::piece::types;

/// The longest a redraw may be put off (the contract's).
const REDRAW_AFTER_MS_MAX: u32 = 60_000;

/// Whether a hook may ask for another redraw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Redraws {
    /// `updated`.
    Allowed,
    /// `settled`.
    Never,
}

/// `version` is the piece's, to be kept beside its state.
pub(crate) fn parsed(parsed: guest::Parsed, version: &str) -> Checked<ParseResult> {
    Ok(ParseResult::Parsed(match parsed {
        guest::Parsed::StateUnreadable => return Ok(ParseResult::StateUnreadable),
        guest::Parsed::Ignore => Parsed::Ignore,
        guest::Parsed::Answer(answered) => Parsed::Answer(output(answered)?),
        guest::Parsed::Dismiss => Parsed::Dismiss,
        guest::Parsed::Partial(next) => Parsed::Partial(state(next, version)?),
        guest::Parsed::Rejected(reason) => {
            Parsed::Rejected(said("the reason of `rejected`", reason, REASON_BYTES_MAX)?)
        }
        guest::Parsed::Stale => Parsed::Stale,
    }))
}

/// Whether it fits the question is for the rules to say, and for the participant to hear.
fn output(output: types::QuestionOutput) -> Checked<Output> {
    let answer = |answer: types::Answer| {
        Ok(Answer {
            header: text("`answer.header`", answer.header)?,
            selected: list("`answer.selected`", answer.selected, LIST_MAX, |label| {
                text("`answer.selected`", label)
            })?,
            custom: answer
                .custom
                .map(|custom| text("`answer.custom`", custom))
                .transpose()?,
        })
    };
    Ok(Output {
        answers: list("`question-output.answers`", output.answers, LIST_MAX, answer)?,
    })
}

/// Every call named was given and is covered once; at least one is covered.
pub(crate) fn rendering(
    rendering: guest::Rendering,
    calls: &[Call<'_>],
    version: &str,
) -> Checked<Acted<Vec<RenderedEntry>>> {
    if rendering.entries.is_empty() {
        return garbage("`rendering.entries` is empty: nothing was posted");
    }
    let mut covered = BTreeSet::new();
    let mut entry = |entry: guest::Rendered| {
        let mut inputs = Vec::new();
        let calls = list("`rendered.calls`", entry.calls, LIST_MAX, |found| {
            let call = calls.iter().find(|call| call.id.0 == found);
            let Some(call) = call else {
                return garbage("`rendered.calls` names a call that was not to be rendered");
            };
            if !covered.insert(call.id.0.clone()) {
                return garbage(format!("`rendered.calls` names {} twice", call.id));
            }
            inputs.push(call.input);
            Ok(CallId(found))
        })?;
        if calls.is_empty() {
            return garbage("`rendered.calls` is empty");
        }
        if entry.messages.is_empty() {
            return garbage("`rendered.messages` is empty");
        }
        Ok(RenderedEntry {
            calls,
            messages: messages(entry.messages, &inputs)?,
            state: state(entry.state, version)?,
        })
    };
    Ok(Acted {
        value: list("`rendering.entries`", rendering.entries, LIST_MAX, &mut entry)?,
        reply: rendering.reply.map(reply).transpose()?,
    })
}

pub(crate) fn change(
    change: guest::QuestionChange,
    input: &Input,
    version: &str,
    redraws: Redraws,
) -> Checked<Acted<QuestionChange>> {
    // An empty list cannot be meant: a record always has a message.
    let kept = change.messages.filter(|messages| !messages.is_empty());
    Ok(Acted {
        value: QuestionChange {
            messages: kept.map(|found| messages(found, &[input])).transpose()?,
            state: state(change.state, version)?,
            redraw_after: change
                .redraw_after
                .map(|after| redraw(after, redraws))
                .transpose()?,
        },
        reply: change.reply.map(reply).transpose()?,
    })
}

fn redraw(after: u32, redraws: Redraws) -> Checked<Millis> {
    match redraws {
        Redraws::Never => garbage("`question-change.redraw-after` is for `updated` only"),
        Redraws::Allowed if after > REDRAW_AFTER_MS_MAX => garbage(format!(
            "`question-change.redraw-after` is {after} ms, at most {REDRAW_AFTER_MS_MAX} are allowed"
        )),
        Redraws::Allowed => Ok(Millis(u64::from(after))),
    }
}

/// A message shows one question of the call, or all of them; of every call it covers.
fn messages(found: Vec<types::QuestionMessage>, inputs: &[&Input]) -> Checked<Vec<PostedMessage>> {
    list("the list of messages", found, LIST_MAX, |message| {
        let shown = message.question.map(usize::try_from).transpose();
        let Ok(shown) = shown else {
            return garbage("`question-message.question` is no index");
        };
        if shown.is_some_and(|index| inputs.iter().any(|input| index >= input.questions.len())) {
            return garbage("`question-message.question` is beyond the call's questions");
        }
        Ok(PostedMessage {
            id: MessageId(id("`question-message.id`", message.id)?),
            posted_at: message.posted_at.map(Timestamp),
            question: message.question,
        })
    })
}

fn state(found: Option<String>, version: &str) -> Checked<Option<PieceState>> {
    let kept = |found| {
        Ok(PieceState {
            json: json("`state`", found, OWN_JSON_BYTES_MAX)?,
            written_by: version.to_owned(),
        })
    };
    found.map(kept).transpose()
}
