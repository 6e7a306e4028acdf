//! The card of a call: what is asked with its controls, and what it says in the end.
//!
//! A call is one message. It shows as many of the call's questions as fit into one, nearly always all, and one Submit sends
//! the answers of all that it shows; the card then goes on with the rest.

mod blocks;
mod closed;
mod controls;
mod layout;

use frogbot_piece::split::shortened;
use frogbot_piece::{Call, Failure, Question};
use serde_json::{Value, json};

use crate::control::Control;
use crate::mrkdwn::escape;
use crate::progress::Progress;
use blocks::{actions, context};
use layout::Layout;

pub(crate) use blocks::{message, plain, section, weight};
pub(crate) use closed::{closed_card, closing};

/// Slack takes 50 blocks; one says how far the card is, and one has the last buttons.
const QUESTION_BLOCKS_MAX: usize = 48;
/// Slack refuses a message near 13,200 characters over all its blocks, counting their containers somehow
/// (github.com/slackapi/bolt-js/issues/2509 and 2867). We count every text in them and stay this far below.
const QUESTION_CHARS_MAX: usize = 11_600;
/// What a notification shows.
const SUMMARY_CHARS_MAX: usize = 150;

/// The questions that a card shows at once, with their blocks.
struct Page<'a> {
    questions: &'a [Question],
    blocks: Vec<Value>,
}

/// Refuses a call that could not be shown to its end, before anything is posted. The model reads the reason.
pub(crate) fn fits(call: &Call) -> Result<(), Failure> {
    let mut step = 0;
    while let Some(question) = call.input.questions.get(step) {
        let page = page(call, step).ok_or_else(|| {
            Failure::refused(format!(
                "the question {:?} with its {} options is too long for a message here: ask shorter, with fewer options",
                question.header,
                question.options.len()
            ))
        })?;
        step += page.questions.len();
    }
    Ok(())
}

/// The questions that the card shows when so many of the call are answered.
pub(crate) fn shown(call: &Call, step: usize) -> &[Question] {
    match call.input.questions.as_slice() {
        only @ [_] => only,
        _ => page(call, step).map_or(&[], |page| page.questions),
    }
}

/// The questions that are asked, each with its controls.
pub(crate) fn open(call: &Call, progress: &Progress) -> Result<Value, Failure> {
    let step = progress.step();
    let beyond = || Failure::refused(format!("nothing of the call can be shown after {step} answers"));
    let page = page(call, step).ok_or_else(beyond)?;
    let (first, last, count) = (step + 1, step + page.questions.len(), call.input.questions.len());
    let position =
        (page.questions.len() < count).then(|| context(&format!("Questions {first} to {last} of {count}")));
    let row = actions(&controls::block_id(call, step, "last"), &last_buttons(call, step));
    let blocks: Vec<Value> = position.into_iter().chain(page.blocks).chain([row]).collect();
    Ok(message(&summary(page.questions), &blocks))
}

fn summary(questions: &[Question]) -> String {
    let lines = questions
        .iter()
        .map(|item| format!("{}: {}", item.header, item.question));
    escape(&shortened(
        &lines.collect::<Vec<_>>().join(" · "),
        SUMMARY_CHARS_MAX,
    ))
}

/// As many questions as fit in full; a question that does not even fit alone, shortened. None when it never fits.
fn page(call: &Call, step: usize) -> Option<Page<'_>> {
    let rest = call.input.questions.get(step..)?;
    let (mut blocks, mut chars, mut count) = (Vec::new(), 0, 0);
    for (question, index) in rest.iter().zip(step..) {
        let more = question_blocks(call, step, index, question, &layout::WHOLE);
        chars += more.iter().map(weight).sum::<usize>();
        if chars > QUESTION_CHARS_MAX || blocks.len() + more.len() > QUESTION_BLOCKS_MAX {
            break;
        }
        blocks.extend(more);
        count += 1;
    }
    if count == 0 {
        let question = rest.first()?;
        blocks = layout::SHORTENED
            .iter()
            .map(|layout| question_blocks(call, step, step, question, layout))
            .find(|blocks| blocks.iter().map(weight).sum::<usize>() <= QUESTION_CHARS_MAX)?;
        count = 1;
    }
    let questions = rest.get(..count)?;
    Some(Page { questions, blocks })
}

fn question_blocks(
    call: &Call,
    step: usize,
    index: usize,
    question: &Question,
    layout: &Layout,
) -> Vec<Value> {
    let mut blocks: Vec<Value> = layout.body(question).iter().map(|text| section(text)).collect();
    blocks.extend(controls::rows(call, step, index, question, layout.control_chars));
    blocks
}

fn last_buttons(call: &Call, step: usize) -> Vec<Value> {
    let mut buttons = Vec::new();
    if !crate::answers::is_lone_choice(call) {
        let mut submit = controls::button(call, step, Control::Submit, "Submit");
        submit["style"] = json!("primary");
        buttons.push(submit);
    }
    buttons.push(controls::button(call, step, Control::Dismiss, "Dismiss"));
    buttons
}
