//! The card of a call: what is asked with its buttons, and what it says in the end.

use frogbot_piece::split::{self, shortened};
use frogbot_piece::{Actor, Answer, Call, Choice, Failure, Outcome, Question};
use serde_json::{Value, json};

use crate::mrkdwn::escape;
use crate::progress::{DISMISS, Progress, SUBMIT, control_id};

/// Slack: the text of a section.
const SECTION_CHARS_MAX: usize = 3_000;
/// Slack refuses a message of more than about 13,200 characters in all its blocks. The rest is for the buttons: 25 labels
/// of 75 characters, or 100 numbers.
const BODY_CHARS_MAX: usize = 10_000;
/// Slack: the text of a button.
const BUTTON_CHARS_MAX: usize = 75;
/// A row that still reads well; Slack takes 25.
const ROW_BUTTONS_MAX: usize = 5;
/// Up to so many options their buttons carry labels; above only numbers, for the sake of the whole message's limit.
const LABELLED_OPTIONS_MAX: usize = 25;
/// Twenty rows; with the sections far below Slack's 50 blocks.
const OPTIONS_MAX: usize = 100;
/// The line of an option where the whole would be too long: a hundred fit the body, with every character escaped.
const OPTION_CHARS_MIN: usize = 12;
/// The text of the question where the whole would be too long.
const QUESTION_CHARS_MIN: usize = 600;
/// What is shown of one answer when the card is closed.
const ANSWER_CHARS_MAX: usize = 300;
/// What a notification shows.
const SUMMARY_CHARS_MAX: usize = 150;

/// Refuses a call that could not be shown to its end, before anything is posted. The model reads the reason.
pub(crate) fn fits(call: &Call) -> Result<(), Failure> {
    let counts = call.input.questions.iter().map(|item| item.options.len());
    match counts.max().filter(|count| *count > OPTIONS_MAX) {
        None => Ok(()),
        Some(count) => Err(Failure::refused(format!(
            "a question can have at most {OPTIONS_MAX} options here, found {count}: offer fewer"
        ))),
    }
}

/// The question that is asked, with a button for each option.
pub(crate) fn open(call: &Call, progress: &Progress) -> Result<Value, Failure> {
    let item = progress.question(call)?;
    let sections = body(call, item, progress.step())
        .into_iter()
        .map(|text| section(&text));
    let rows = option_buttons(call, item, progress)
        .chunks(ROW_BUTTONS_MAX)
        .map(actions)
        .collect::<Vec<_>>();
    let blocks: Vec<Value> = sections
        .chain(rows)
        .chain([actions(&last_buttons(call, item, progress))])
        .collect();
    let summary = shortened(&format!("{}: {}", item.header, item.question), SUMMARY_CHARS_MAX);
    Ok(json!({ "text": escape(&summary), "blocks": blocks }))
}

/// The card when its call is settled: text without controls.
pub(crate) fn closed(text: &str) -> Value {
    json!({ "text": text, "blocks": [section(text)] })
}

/// What the card says in the end: who answered what. Escaped already.
pub(crate) fn closing_text(call: &Call, outcome: &Outcome, actor: Option<&Actor>) -> String {
    let by = actor.map_or_else(String::new, |actor| format!(" by <@{}>", escape(&actor.id)));
    match outcome {
        Outcome::Dismissed => format!("{}Dismissed{by}.", headers(call)),
        Outcome::Output(output) => match output.answers.as_slice() {
            [answer] => format!("{}Answered{by}: {}", headers(call), answer_text(answer)),
            answers => {
                let lines = answers
                    .iter()
                    .map(|answer| format!("*{}*: {}", escape(&answer.header), answer_text(answer)));
                fitting(&format!("Answered{by}:"), lines)
            }
        },
    }
}

/// The question's header and text; of several questions the headers alone.
fn headers(call: &Call) -> String {
    match call.input.questions.as_slice() {
        [item] => {
            let text = shortened(&item.question, ANSWER_CHARS_MAX);
            format!("*{}*\n{}\n", escape(&item.header), escape(&text))
        }
        items => fitting("", items.iter().map(|item| format!("*{}*", escape(&item.header)))) + "\n",
    }
}

/// Lines as long as they leave room in a section.
fn fitting(first: &str, lines: impl Iterator<Item = String>) -> String {
    lines.fold(first.to_owned(), |text, line| {
        let longer = if text.is_empty() {
            line
        } else {
            format!("{text}\n{line}")
        };
        if longer.chars().count() <= SECTION_CHARS_MAX - 200 {
            longer
        } else {
            text
        }
    })
}

fn answer_text(answer: &Answer) -> String {
    let parts: Vec<&str> = answer
        .selected
        .iter()
        .chain(&answer.custom)
        .map(String::as_str)
        .collect();
    escape(&shortened(&parts.join(", "), ANSWER_CHARS_MAX))
}

/// The texts of the sections, escaped: whole where it fits, else without descriptions, else with shortened lines.
fn body(call: &Call, item: &Question, step: usize) -> Vec<String> {
    let count = call.input.questions.len();
    let progress = if count > 1 {
        format!(" ({} of {count})", step + 1)
    } else {
        String::new()
    };
    let head = format!("*{}*{progress}", item.header);
    let described = |option: &Choice| match &option.description {
        Some(description) => format!("{}: {description}", option.label),
        None => option.label.clone(),
    };
    let whole = text(&head, &item.question, item, described);
    let plain = || text(&head, &item.question, item, |option| option.label.clone());
    let short = || {
        let line = |option: &Choice| shortened(&option.label, OPTION_CHARS_MIN);
        text(&head, &shortened(&item.question, QUESTION_CHARS_MIN), item, line)
    };
    let fits = |text: &String| escape(text).chars().count() <= BODY_CHARS_MAX;
    let chosen = Some(whole)
        .filter(fits)
        .or_else(|| Some(plain()).filter(fits))
        .unwrap_or_else(short);
    sections(&chosen, SECTION_CHARS_MAX)
}

fn text(head: &str, question: &str, item: &Question, line: impl Fn(&Choice) -> String) -> String {
    let numbered = item
        .options
        .iter()
        .zip(1..)
        .map(|(option, number)| format!("{number}. {}", line(option)));
    let lines: Vec<String> = [head.to_owned(), question.to_owned()]
        .into_iter()
        .chain(numbered)
        .collect();
    lines.join("\n")
}

/// Cuts before escaping, so that no cut falls into an escape; an escape has five characters at most.
fn sections(text: &str, chars_max: usize) -> Vec<String> {
    let parts = split::by_lines(text, chars_max).into_iter();
    let escaped = |part: String| match escape(&part) {
        escaped if escaped.chars().count() <= SECTION_CHARS_MAX => vec![escaped],
        _ => sections(&part, chars_max / 2),
    };
    parts.flat_map(escaped).collect()
}

fn section(mrkdwn: &str) -> Value {
    // `verbatim`: Slack makes no links and mentions of its own out of the text.
    json!({ "type": "section", "text": { "type": "mrkdwn", "text": mrkdwn, "verbatim": true } })
}

fn actions(buttons: &[Value]) -> Value {
    json!({ "type": "actions", "elements": buttons })
}

fn button(id: String, label: &str) -> Value {
    let text = shortened(label, BUTTON_CHARS_MAX);
    json!({ "type": "button", "action_id": id, "text": { "type": "plain_text", "text": text, "emoji": false } })
}

fn option_buttons(call: &Call, item: &Question, progress: &Progress) -> Vec<Value> {
    let labelled = item.options.len() <= LABELLED_OPTIONS_MAX;
    let option_button = |(index, option): (usize, &Choice)| {
        let tick = match (item.multiple, progress.ticked.contains(&index)) {
            (false, _) => "",
            (true, true) => "☑ ",
            (true, false) => "☐ ",
        };
        let label = if labelled {
            format!("{}. {}", index + 1, option.label)
        } else {
            (index + 1).to_string()
        };
        button(
            control_id(call, progress.step(), &index.to_string()),
            &format!("{tick}{label}"),
        )
    };
    item.options.iter().enumerate().map(option_button).collect()
}

fn last_buttons(call: &Call, item: &Question, progress: &Progress) -> Vec<Value> {
    let control = |option: &str, label: &str| button(control_id(call, progress.step(), option), label);
    let mut buttons = Vec::new();
    if item.multiple {
        let mut submit = control(SUBMIT, "Submit");
        submit["style"] = json!("primary");
        buttons.push(submit);
    }
    buttons.push(control(DISMISS, "Dismiss"));
    buttons
}
