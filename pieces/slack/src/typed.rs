//! The form for a typed answer: what it shows, and what its submission says.
//!
//! Slack opens a form only within three seconds of the press that asks for it, so opening one is the affair of that press:
//! when it fails, its presser is told to press again and nothing is owed.

use frogbot_piece::split::shortened;
use frogbot_piece::{Call, Failure, HttpReply, ModalEvent, Question, Shared, modal_locator};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::card::{self, plain};
use crate::control::ControlId;
use crate::{answers, api, current, mrkdwn};

/// The block and the field of the form's only input.
const FIELD: &str = "answer";
/// Slack: the text of an input.
const TEXT_CHARS_MAX: usize = 3_000;
/// Slack: the label of an input has 2,000 characters, of which a header needs few.
const LABEL_CHARS_MAX: usize = 150;
/// What is shown of the question above the input: one section, with room for escapes.
const QUESTION_CHARS_MAX: usize = 600;

/// Opens the form that a control asks for, with what its presser typed before.
pub(crate) fn open(
    shared: &Shared,
    id: &ControlId,
    trigger: &str,
    before: Option<&str>,
    question: &Question,
) -> Result<(), Failure> {
    let view = view(shared, id, before, question)?;
    api::send::<Value>(api::open_view(trigger, &view)?).map(drop)
}

fn view(
    shared: &Shared,
    id: &ControlId,
    before: Option<&str>,
    question: &Question,
) -> Result<Value, Failure> {
    // On a card that waits for Submit an emptied form takes the text back.
    let is_answer = answers::is_lone_choice(&shared.call);
    let mut input = json!({
        "type": "plain_text_input", "action_id": FIELD, "multiline": true, "max_length": TEXT_CHARS_MAX,
        "focus_on_load": true,
    });
    if let Some(text) = before {
        input["initial_value"] = json!(text);
    }
    let text = mrkdwn::escape(&shortened(&question.question, QUESTION_CHARS_MAX));
    Ok(json!({
        "type": "modal",
        "callback_id": id.to_string(),
        "private_metadata": modal_locator(&shared.conversation, current(&shared.question)?),
        "title": plain("Your answer"),
        "submit": plain(if is_answer { "Answer" } else { "Keep" }),
        "close": plain("Cancel"),
        "blocks": [
            card::section(&text),
            {
                "type": "input", "block_id": FIELD, "optional": !is_answer, "element": input,
                "label": plain(&shortened(&question.header, LABEL_CHARS_MAX)),
            },
        ],
    }))
}

/// The text a person typed, as they typed it.
pub(crate) fn text(event: &ModalEvent) -> &str {
    let field = event.values.iter().find(|(name, _)| name == FIELD);
    field.map_or("", |(_, text)| text)
}

/// The id that the form was opened with.
pub(crate) fn callback_id(event: &ModalEvent) -> Option<String> {
    #[derive(Deserialize)]
    struct Submission {
        view: View,
    }
    #[derive(Deserialize)]
    struct View {
        callback_id: String,
    }
    let submission: Submission = serde_json::from_str(&event.raw).ok()?;
    Some(submission.view.callback_id)
}

/// The response that leaves the form open, with what is wrong below the input.
pub(crate) fn error(reason: &str) -> HttpReply {
    HttpReply::json(&json!({ "response_action": "errors", "errors": { FIELD: reason } }))
}

/// The control whose form could not be opened, as its label says it.
pub(crate) fn label(call: &Call, question: &Question) -> String {
    if call.input.questions.len() == 1 {
        "Type your answer".to_owned()
    } else {
        format!("Type: {}", question.header)
    }
}
