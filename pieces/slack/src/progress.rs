//! How far a call is: the question's state.

use frogbot_piece::{Answer, Call, Question, QuestionOutput, QuestionRecord, Unreadable, split, write_json};
use serde::{Deserialize, Serialize};

/// The most bytes of a state with the texts that people typed; the host takes 64 KiB.
const STATE_BYTES_MAX: usize = 60 * 1024;

/// The question's state.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Progress {
    /// What was answered on earlier steps of the card, one per question from the first.
    #[serde(default)]
    pub(crate) done: Vec<Given>,
    /// What people have typed and not submitted, each for themselves.
    #[serde(default)]
    pub(crate) typed: Vec<Typed>,
    /// What the card says, once the call is settled: the texts of its sections.
    #[serde(default)]
    pub(crate) closed: Option<Vec<String>>,
}

/// What somebody gave to one question.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Given {
    /// Indexes of the options, rising.
    pub(crate) picks: Vec<usize>,
    /// A typed answer.
    #[serde(default)]
    pub(crate) typed: Option<String>,
}

/// A typed answer that waits for its author's Submit.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Typed {
    /// The author's Slack id.
    pub(crate) by: String,
    /// The index of the question.
    pub(crate) question: usize,
    /// Trimmed, not empty.
    pub(crate) text: String,
}

impl Progress {
    pub(crate) fn of(question: &QuestionRecord) -> Result<Self, Unreadable> {
        Ok(question.read_state()?.unwrap_or_default())
    }

    /// How many questions are answered: the index of the first one that the card shows.
    pub(crate) fn step(&self) -> usize {
        self.done.len()
    }

    /// What a person has typed for a question.
    pub(crate) fn typed_by(&self, person: &str, question: usize) -> Option<&str> {
        let mut typed = self.typed.iter();
        let found = typed.find(|typed| typed.by == person && typed.question == question)?;
        Some(&found.text)
    }

    /// With what a person typed for a question in the place of what they typed before; an empty text takes it away.
    pub(crate) fn with_typed(mut self, person: &str, question: usize, text: &str) -> Self {
        self.typed
            .retain(|typed| typed.by != person || typed.question != question);
        if !text.is_empty() {
            self.typed.push(Typed {
                by: person.to_owned(),
                question,
                text: text.to_owned(),
            });
        }
        self
    }

    /// At the next step: what is given to the questions of this one, and nobody's texts for them.
    pub(crate) fn advanced(mut self, given: Vec<Given>) -> Self {
        self.done.extend(given);
        self.typed.clear();
        self
    }

    /// The state's text; none when there is no room for so much typed text.
    pub(crate) fn write(&self) -> Result<Option<String>, Unreadable> {
        let text = write_json(self)?;
        Ok(Some(text).filter(|text| text.len() <= STATE_BYTES_MAX))
    }

    /// The answers, once every question has one.
    pub(crate) fn output(self, call: &Call) -> QuestionOutput {
        let questions = call.input.questions.iter();
        let answers = questions
            .zip(self.done)
            .map(|(question, given)| given.answer(question));
        QuestionOutput {
            answers: answers.collect(),
        }
    }
}

impl Given {
    pub(crate) fn pick(index: usize) -> Self {
        Self {
            picks: vec![index],
            typed: None,
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.picks.is_empty() && self.typed.is_none()
    }

    /// In a single choice a typed text goes before a pick; in a multiple both count.
    fn answer(self, question: &Question) -> Answer {
        let picked = question.multiple || self.typed.is_none();
        let labels = self.picks.iter().filter_map(|pick| question.options.get(*pick));
        Answer {
            header: question.header.clone(),
            selected: labels
                .filter(|_| picked)
                .map(|option| option.label.clone())
                .collect(),
            custom: self.typed,
        }
    }
}

/// The headers of some questions, for people: at most three by name.
pub(crate) fn headers(questions: &[&Question]) -> String {
    let named = |question: &&Question| format!("“{}”", question.header);
    let names: Vec<String> = questions.iter().take(3).map(named).collect();
    let more = match questions.len().saturating_sub(3) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    split::shortened(&format!("{}{more}", names.join(", ")), 200)
}
