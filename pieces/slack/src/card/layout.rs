//! How much of a question's texts a card shows, when not all of it fits.

use frogbot_piece::split::shortened;
use frogbot_piece::{Choice, Question};

use crate::mrkdwn;

/// Slack: the text of a button or of an option.
pub(super) const CONTROL_CHARS_MAX: usize = 75;
const ALL: usize = usize::MAX;

/// The most characters of each kind of text.
pub(super) struct Layout {
    question: usize,
    /// Of an option's description; with none, descriptions are left out.
    description: usize,
    /// Of an option's label in the body; with none, only the controls name the options.
    label: usize,
    /// Of a control's text, its number included.
    pub(super) control_chars: usize,
}

const fn layout(question: usize, description: usize, label: usize, control_chars: usize) -> Layout {
    Layout {
        question,
        description,
        label,
        control_chars,
    }
}

/// Everything.
pub(super) const WHOLE: Layout = layout(ALL, ALL, ALL, CONTROL_CHARS_MAX);

/// Shorter and shorter: first the descriptions, then the labels in the body, which the controls have too, at last those.
pub(super) const SHORTENED: [Layout; 13] = [
    layout(ALL, 300, ALL, CONTROL_CHARS_MAX),
    layout(ALL, 120, ALL, CONTROL_CHARS_MAX),
    layout(ALL, 40, ALL, CONTROL_CHARS_MAX),
    layout(ALL, 0, ALL, CONTROL_CHARS_MAX),
    layout(3_000, 120, ALL, CONTROL_CHARS_MAX),
    layout(3_000, 0, ALL, CONTROL_CHARS_MAX),
    layout(3_000, 0, 75, CONTROL_CHARS_MAX),
    layout(3_000, 0, 40, CONTROL_CHARS_MAX),
    layout(3_000, 0, 0, CONTROL_CHARS_MAX),
    layout(1_000, 0, 0, CONTROL_CHARS_MAX),
    layout(1_000, 0, 0, 40),
    layout(1_000, 0, 0, 24),
    layout(300, 0, 0, 14),
];

impl Layout {
    /// The texts of the sections, escaped: the header, the question, its numbered options.
    pub(super) fn body(&self, question: &Question) -> Vec<String> {
        let mut lines = vec![
            format!("*{}*", question.header),
            shortened(&question.question, self.question),
        ];
        if self.label > 0 {
            let numbered = question.options.iter().zip(1..);
            lines.extend(numbered.map(|(option, number)| format!("{number}. {}", self.option(option))));
        }
        mrkdwn::sections(&lines.join("\n"))
    }

    fn option(&self, option: &Choice) -> String {
        let label = shortened(&option.label, self.label);
        match option.description.as_deref().filter(|_| self.description > 0) {
            Some(description) => format!("{label}: {}", shortened(description, self.description)),
            None => label,
        }
    }
}
