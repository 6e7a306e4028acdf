//! The controls of a question: buttons, radio buttons, checkboxes and menus, by the number of its options.

use frogbot_piece::split::shortened;
use frogbot_piece::{Call, Question};
use serde_json::{Value, json};

use super::blocks::{actions, markup, plain};
use super::layout::CONTROL_CHARS_MAX;
use crate::answers::is_lone_choice;
use crate::control::{Control, ControlId};
use crate::typed;

/// More options of a single choice are radio buttons.
const BUTTONS_MAX: usize = 5;
/// Slack: the options of radio buttons and of checkboxes.
const LISTED_MAX: usize = 10;
/// Slack: the options of a menu, and of a group in a menu.
const MENU_MAX: usize = 100;

/// The rows of one question.
pub(super) fn rows(
    call: &Call,
    step: usize,
    index: usize,
    question: &Question,
    control_chars: usize,
) -> Vec<Value> {
    let text_button = question.custom.then(|| text_button(call, step, index, question));
    let block_id = block_id(call, step, &index.to_string());
    let count = question.options.len();
    if question.multiple && count > LISTED_MAX {
        // Slack takes this kind of menu beside a text and in no row of controls.
        let menu = menu(call, step, index, question, control_chars);
        let beside = json!({
            "type": "section", "block_id": block_id, "text": markup("Choose one or more:"), "accessory": menu,
        });
        let row = text_button.map(|button| actions(&format!("{block_id}:type"), &[button]));
        return [beside].into_iter().chain(row).collect();
    }
    let mut elements = match count {
        ..=BUTTONS_MAX if is_lone_choice(call) => buttons(call, step, question),
        ..=LISTED_MAX => vec![list(call, step, index, question, control_chars)],
        _ => vec![menu(call, step, index, question, control_chars)],
    };
    elements.extend(text_button);
    vec![actions(&block_id, &elements)]
}

/// Unique in the message, and another one on each step, so that nothing that was picked on one is picked on the next.
pub(super) fn block_id(call: &Call, step: usize, row: &str) -> String {
    format!("q:{}:{step}:{row}", call.tool_call_id)
}

/// A button; a text that is too long is cut.
pub(super) fn button(call: &Call, step: usize, control: Control, text: &str) -> Value {
    json!({
        "type": "button",
        "action_id": id(call, step, control),
        "text": plain(&shortened(text, CONTROL_CHARS_MAX)),
    })
}

fn id(call: &Call, step: usize, control: Control) -> String {
    let call = call.tool_call_id.clone();
    ControlId { call, step, control }.to_string()
}

fn text_button(call: &Call, step: usize, index: usize, question: &Question) -> Value {
    button(call, step, Control::Type(index), &typed::label(call, question))
}

fn buttons(call: &Call, step: usize, question: &Question) -> Vec<Value> {
    let options = question.options.iter().enumerate();
    let button = |(index, option): (usize, &frogbot_piece::Choice)| {
        let text = format!("{}. {}", index + 1, option.label);
        button(call, step, Control::Option(index), &text)
    };
    options.map(button).collect()
}

/// Radio buttons, or checkboxes where several may be picked.
fn list(call: &Call, step: usize, index: usize, question: &Question, control_chars: usize) -> Value {
    let kind = if question.multiple {
        "checkboxes"
    } else {
        "radio_buttons"
    };
    json!({
        "type": kind,
        "action_id": id(call, step, Control::Pick(index)),
        "options": options(question, control_chars),
    })
}

fn menu(call: &Call, step: usize, index: usize, question: &Question, control_chars: usize) -> Value {
    let (kind, placeholder) = if question.multiple {
        ("multi_static_select", "Choose options")
    } else {
        ("static_select", "Choose an option")
    };
    let mut menu = json!({
        "type": kind,
        "action_id": id(call, step, Control::Pick(index)),
        "placeholder": plain(placeholder),
    });
    let options = options(question, control_chars);
    if options.len() <= MENU_MAX {
        menu["options"] = json!(options);
    } else {
        menu["option_groups"] = groups(&options);
    }
    menu
}

fn groups(options: &[Value]) -> Value {
    let group = |(number, options): (usize, &[Value])| {
        let first = number * MENU_MAX + 1;
        let last = number * MENU_MAX + options.len();
        json!({ "label": plain(&format!("{first} to {last}")), "options": options })
    };
    options.chunks(MENU_MAX).enumerate().map(group).collect()
}

fn options(question: &Question, control_chars: usize) -> Vec<Value> {
    let numbered = question.options.iter().enumerate();
    let option = |(index, option): (usize, &frogbot_piece::Choice)| {
        let text = shortened(&format!("{}. {}", index + 1, option.label), control_chars);
        json!({ "text": plain(&text), "value": index.to_string() })
    };
    numbered.map(option).collect()
}
