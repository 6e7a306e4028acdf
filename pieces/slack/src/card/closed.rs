//! What the card says in the end: who answered what, and no control.

use frogbot_piece::split::shortened;
use frogbot_piece::{Actor, Answer, Call, Outcome, Question};
use serde_json::Value;

use super::blocks::{message, section};
use crate::mrkdwn::{self, SECTION_CHARS_MAX, escape};

/// What is shown of the question.
const QUESTION_CHARS_MAX: usize = 300;
/// What is shown of all answers together, before it is escaped.
const ANSWERS_CHARS_MAX: usize = 7_000;
/// What is shown of the whole: it is kept in the question's state too, where a character can take six bytes.
const CHARS_MAX: usize = 9_000;

/// The sections of the closed card, escaped.
pub(crate) fn closing(call: &Call, outcome: &Outcome, actor: Option<&Actor>) -> Vec<String> {
    let by = actor.map_or_else(String::new, |actor| format!(" by <@{}>", escape(&actor.id)));
    let mut lines = Vec::new();
    match (outcome, call.input.questions.as_slice()) {
        (Outcome::Dismissed, questions) => {
            lines.extend(questions.iter().flat_map(asked));
            lines.push(format!("Dismissed{by}."));
        }
        (Outcome::Output(output), [question]) => {
            lines.extend(asked(question));
            lines.push(format!("Answered{by}:"));
            let whole = |answer| mrkdwn::sections(&text(answer, ANSWERS_CHARS_MAX));
            lines.extend(output.answers.iter().flat_map(whole));
        }
        (Outcome::Output(output), _) => {
            lines.push(format!("Answered{by}:"));
            let chars_max = ANSWERS_CHARS_MAX / output.answers.len().max(1);
            let line = |answer: &Answer| {
                mrkdwn::sections(&format!("*{}*: {}", answer.header, text(answer, chars_max)))
            };
            lines.extend(output.answers.iter().flat_map(line));
        }
    }
    packed(lines)
}

/// The card that says so.
pub(crate) fn closed_card(sections: &[String]) -> Value {
    let blocks: Vec<Value> = sections.iter().map(|text| section(text)).collect();
    message(sections.first().map_or("", String::as_str), &blocks)
}

fn asked(question: &Question) -> [String; 2] {
    let text = shortened(&question.question, QUESTION_CHARS_MAX);
    [format!("*{}*", escape(&question.header)), escape(&text)]
}

fn text(answer: &Answer, chars_max: usize) -> String {
    let parts: Vec<&str> = answer
        .selected
        .iter()
        .chain(&answer.custom)
        .map(String::as_str)
        .collect();
    shortened(&parts.join(", "), chars_max)
}

/// Lines in as few sections as hold them; what is too much is left out, and `…` says so.
fn packed(lines: Vec<String>) -> Vec<String> {
    let mut sections: Vec<String> = Vec::new();
    let mut total = 0;
    for line in lines {
        let chars = line.chars().count() + 1;
        if total + chars > CHARS_MAX {
            sections.push("…".to_owned());
            break;
        }
        total += chars;
        match sections.last_mut() {
            Some(last) if last.chars().count() + chars <= SECTION_CHARS_MAX => {
                last.push('\n');
                last.push_str(&line);
            }
            Some(_) | None => sections.push(line),
        }
    }
    sections
}
