//! How far a call is, and what a click does to it.

use frogbot_piece::{Answer, Call, Parsed, Question, QuestionOutput, QuestionRecord, Unreadable, write_json};
use serde::{Deserialize, Serialize};

/// What stands in a control's id in the place of an option's index.
pub(crate) const DISMISS: &str = "dismiss";
/// The same, for a question with several picks.
pub(crate) const SUBMIT: &str = "submit";

/// The question's state.
#[derive(Clone, Default, Serialize, Deserialize)]
pub(crate) struct Progress {
    /// The options picked for each answered question.
    pub(crate) done: Vec<Vec<usize>>,
    /// The options ticked in the question that is asked, in the order of the options.
    #[serde(default)]
    pub(crate) ticked: Vec<usize>,
    /// Whether the last click only ticked or unticked: then the card it was made on still serves.
    #[serde(default)]
    pub(crate) toggled: bool,
    /// What the card says, once the call is settled.
    #[serde(default)]
    pub(crate) closed: Option<String>,
}

impl Progress {
    pub(crate) fn of(question: &QuestionRecord) -> Result<Self, Unreadable> {
        Ok(question.read_state()?.unwrap_or_default())
    }

    /// The index of the question that is asked.
    pub(crate) fn step(&self) -> usize {
        self.done.len()
    }

    /// The question that is asked.
    pub(crate) fn question<'a>(&self, call: &'a Call) -> Result<&'a Question, Unreadable> {
        let questions = &call.input.questions;
        let beyond = || {
            Unreadable::new(format!(
                "step {} of a call of {} questions",
                self.step(),
                questions.len()
            ))
        };
        questions.get(self.step()).ok_or_else(beyond)
    }
}

/// A control's id: it names the call, the step and the option, never a label.
pub(crate) fn control_id(call: &Call, step: usize, option: &str) -> String {
    format!("q:{}:{step}:{option}", call.tool_call_id)
}

pub(crate) fn parse_click(
    call: &Call,
    question: &QuestionRecord,
    action_id: &str,
) -> Result<Parsed, Unreadable> {
    let parts: Vec<&str> = action_id.split(':').collect();
    let &["q", tool_call_id, step, option] = parts.as_slice() else {
        return Ok(Parsed::Ignore);
    };
    if tool_call_id != call.tool_call_id {
        return Ok(Parsed::Ignore);
    }
    let progress = Progress::of(question)?;
    // A closed card has no controls: whoever clicks one clicks an old picture of it.
    if progress.closed.is_some() || step != progress.step().to_string() {
        return Ok(Parsed::Stale);
    }
    match option {
        DISMISS => Ok(Parsed::Dismiss),
        SUBMIT if progress.ticked.is_empty() => {
            Ok(Parsed::Rejected("Choose at least one option first.".to_owned()))
        }
        SUBMIT => {
            let picks = progress.ticked.clone();
            advance(call, progress, picks)
        }
        index => choose(call, progress, index.parse().ok()),
    }
}

fn choose(call: &Call, mut progress: Progress, index: Option<usize>) -> Result<Parsed, Unreadable> {
    let item = progress.question(call)?;
    let Some(index) = index.filter(|index| *index < item.options.len()) else {
        return Ok(Parsed::Ignore);
    };
    if !item.multiple {
        return advance(call, progress, vec![index]);
    }
    match progress.ticked.binary_search(&index) {
        Ok(at) => drop(progress.ticked.remove(at)),
        Err(at) => progress.ticked.insert(at, index),
    }
    progress.toggled = true;
    Ok(Parsed::Partial(Some(write_json(&progress)?)))
}

fn advance(call: &Call, mut progress: Progress, picks: Vec<usize>) -> Result<Parsed, Unreadable> {
    progress.done.push(picks);
    if progress.done.len() < call.input.questions.len() {
        let next = Progress {
            done: progress.done,
            ..Progress::default()
        };
        return Ok(Parsed::Partial(Some(write_json(&next)?)));
    }
    let answer = |(question, picks): (&Question, &Vec<usize>)| Answer {
        header: question.header.clone(),
        selected: picks
            .iter()
            .filter_map(|pick| question.options.get(*pick))
            .map(|option| option.label.clone())
            .collect(),
        custom: None,
    };
    let answers = call
        .input
        .questions
        .iter()
        .zip(&progress.done)
        .map(answer)
        .collect();
    Ok(Parsed::Answer(QuestionOutput { answers }))
}
