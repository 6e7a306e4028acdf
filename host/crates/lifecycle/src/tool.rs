//! The `question` tool: what a model may ask and what a participant may answer.
//!
//! Lengths count Unicode scalar values. The messages of the problems are shown to the model (input) or to a participant
//! (output): each says what is wrong and what would be right.

use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;

/// The longest header, in Unicode scalar values (the specification's).
pub const HEADER_CHARS_MAX: usize = 30;
/// The most questions in one call. The specification sets no limit; ten answers are more than a person gives at once.
pub const QUESTIONS_MAX: usize = 50;
/// The most options of a question: what two levels of a platform's largest menu (100 groups of 100) can hold is far above.
pub const OPTIONS_MAX: usize = 1_000;
/// The longest question, label, description or typed answer in Unicode scalar values.
pub const TEXT_CHARS_MAX: usize = 10_000;

/// The most characters of all texts of a call together: ordinary calls have a thousand. The 32 calls that a step may have then
/// fit into the document of a turn, at most 8 MiB, at four bytes a character.
pub const INPUT_CHARS_MAX: usize = 50_000;

/// The validated input of a call.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Input {
    /// At least one.
    pub questions: Vec<Item>,
}

/// One question of a call.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Item {
    /// Short label, 1 to 30 characters, unique within the call.
    pub header: String,
    /// The full question.
    pub question: String,
    /// At least one.
    pub options: Vec<Choice>,
    /// Whether more than one selection is allowed.
    pub multiple: bool,
    /// Whether a typed answer is allowed.
    pub custom: bool,
}

/// One option of a question.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Choice {
    /// Not empty, unique within the question.
    pub label: String,
    /// What choosing it means.
    pub description: Option<String>,
}

/// The answers of a call, one per question in the same order.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Output {
    /// One per question.
    pub answers: Vec<Answer>,
}

/// The answer to one question.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Answer {
    /// The question's header.
    pub header: String,
    /// Labels exactly as offered.
    pub selected: Vec<String>,
    /// A typed answer.
    pub custom: Option<String>,
}

/// What is wrong with an input, for the model.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct InputProblem(pub String);

/// What is wrong with an answer, for the participant.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct OutputProblem(pub String);

impl fmt::Display for InputProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Display for OutputProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl core::error::Error for InputProblem {}
impl core::error::Error for OutputProblem {}

impl Input {
    /// Trims and checks what a model sent.
    ///
    /// # Errors
    /// The first rule that is broken, naming the question and the option.
    pub fn validated(self) -> Result<Self, InputProblem> {
        if self.questions.is_empty() {
            return Err(InputProblem("ask at least one question".to_string()));
        }
        if self.questions.len() > QUESTIONS_MAX {
            let n = self.questions.len();
            return Err(InputProblem(alloc::format!(
                "ask at most {QUESTIONS_MAX} questions in a call, found {n}"
            )));
        }
        let mut questions = Vec::with_capacity(self.questions.len());
        for (index, item) in self.questions.into_iter().enumerate() {
            let item = item.validated(index + 1)?;
            if questions.iter().any(|other: &Item| other.header == item.header) {
                let header = item.header;
                return Err(InputProblem(alloc::format!(
                    "two questions have the header {header:?}: make headers unique"
                )));
            }
            questions.push(item);
        }
        let input = Self { questions };
        let chars = input.chars();
        if chars > INPUT_CHARS_MAX {
            return Err(InputProblem(alloc::format!(
                "a call may have {INPUT_CHARS_MAX} characters in all its texts together, found {chars}: ask for less at once"
            )));
        }
        Ok(input)
    }

    /// The characters of all its texts together.
    fn chars(&self) -> usize {
        let length = |text: &String| text.chars().count();
        let option = |choice: &Choice| length(&choice.label) + choice.description.as_ref().map_or(0, length);
        let item = |item: &Item| {
            length(&item.header) + length(&item.question) + item.options.iter().map(option).sum::<usize>()
        };
        self.questions.iter().map(item).sum()
    }
}

impl Item {
    fn validated(self, number: usize) -> Result<Self, InputProblem> {
        let place = |what: &str| alloc::format!("question {number}: the {what}");
        let header = required(&self.header, &place("header"), HEADER_CHARS_MAX)?;
        let question = required(&self.question, &place("question"), TEXT_CHARS_MAX)?;
        if self.options.is_empty() || self.options.len() > OPTIONS_MAX {
            let n = self.options.len();
            return Err(InputProblem(alloc::format!(
                "question {number}: offer 1 to {OPTIONS_MAX} options, found {n}"
            )));
        }
        let mut options: Vec<Choice> = Vec::with_capacity(self.options.len());
        for (index, choice) in self.options.into_iter().enumerate() {
            let place = |what: &str| alloc::format!("question {number}, option {}: the {what}", index + 1);
            let label = required(&choice.label, &place("label"), TEXT_CHARS_MAX)?;
            let description = match choice.description {
                Some(text) if !text.trim().is_empty() => {
                    Some(required(&text, &place("description"), TEXT_CHARS_MAX)?)
                }
                Some(_) | None => None,
            };
            if options.iter().any(|other| other.label == label) {
                return Err(InputProblem(alloc::format!(
                    "question {number}: two options have the label {label:?}: make labels unique"
                )));
            }
            options.push(Choice { label, description });
        }
        Ok(Self {
            header,
            question,
            options,
            ..self
        })
    }
}

fn required(text: &str, place: &str, chars_max: usize) -> Result<String, InputProblem> {
    let trimmed = text.trim();
    if trimmed.is_empty() {
        return Err(InputProblem(alloc::format!("{place} must not be empty")));
    }
    let chars = trimmed.chars().count();
    if chars > chars_max {
        return Err(InputProblem(alloc::format!(
            "{place} must have at most {chars_max} characters, found {chars}"
        )));
    }
    Ok(trimmed.to_string())
}

impl Output {
    /// Trims the typed answers and checks everything against what was asked.
    ///
    /// # Errors
    /// The first rule that is broken, naming the question by its header.
    pub fn validated(self, input: &Input) -> Result<Self, OutputProblem> {
        if self.answers.len() != input.questions.len() {
            let (expected, found) = (input.questions.len(), self.answers.len());
            return Err(OutputProblem(alloc::format!(
                "expected {expected} answers, one per question in order, found {found}"
            )));
        }
        let answers = self.answers.into_iter().zip(&input.questions);
        Ok(Self {
            answers: answers
                .map(|(answer, item)| answer.validated(item))
                .collect::<Result<_, _>>()?,
        })
    }
}

impl Answer {
    fn validated(self, item: &Item) -> Result<Self, OutputProblem> {
        let header = &item.header;
        let problem = |text: String| Err(OutputProblem(alloc::format!("{header}: {text}")));
        if self.header != item.header {
            let found = self.header;
            return Err(OutputProblem(alloc::format!(
                "expected an answer to {header:?}, found one to {found:?}"
            )));
        }
        for (index, label) in self.selected.iter().enumerate() {
            if !item.options.iter().any(|choice| choice.label == *label) {
                return problem(alloc::format!("{label:?} was not offered"));
            }
            if self.selected.iter().take(index).any(|other| other == label) {
                return problem(alloc::format!("{label:?} is selected twice"));
            }
        }
        let custom = match self.custom.as_deref().map(str::trim) {
            Some("") => return problem("the typed answer is empty".to_string()),
            Some(_) if !item.custom => return problem("choose one of the options".to_string()),
            Some(text) if text.chars().count() > TEXT_CHARS_MAX => {
                return problem(alloc::format!("type at most {TEXT_CHARS_MAX} characters"));
            }
            Some(text) => Some(text.to_string()),
            None => None,
        };
        match (self.selected.len(), &custom, item.multiple) {
            (0, None, true) => problem("choose at least one option".to_string()),
            (0, None, false) => problem("choose an option".to_string()),
            (2.., _, false) => problem("choose only one option".to_string()),
            // Pick and text together: in a single choice the text is the answer.
            (1, Some(_), false) => Ok(Self {
                header: self.header,
                selected: Vec::new(),
                custom,
            }),
            (_, _, _) => Ok(Self {
                header: self.header,
                selected: self.selected,
                custom,
            }),
        }
    }
}
