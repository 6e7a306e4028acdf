//! What a control is called: its call, the step it was drawn for and what it does. Never a label, which Slack would cut, and
//! never a revision: opening a form raises that without a redraw.

use std::fmt;

/// The id of a control, and of the form that one of them opens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ControlId {
    /// The call's id.
    pub(crate) call: String,
    /// How many questions of the call were answered when it was drawn.
    pub(crate) step: usize,
    /// What it does.
    pub(crate) control: Control,
}

/// What a control does. Numbers are indexes into the call's questions and a question's options.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Control {
    /// A button that is an option of the call's only question.
    Option(usize),
    /// Radio buttons, checkboxes or a menu of a question; the value is the option's index.
    Pick(usize),
    /// Opens the form for a typed answer to a question.
    Type(usize),
    /// Sends what its presser picked and typed.
    Submit,
    /// Dismisses the call.
    Dismiss,
}

impl ControlId {
    /// The id that a control or a form carries; none when it is not one of this piece's.
    pub(crate) fn parse(id: &str) -> Option<Self> {
        let mut parts = id.split(':');
        let ("q", call, step, word) = (parts.next()?, parts.next()?, parts.next()?, parts.next()?) else {
            return None;
        };
        let index = parts.next().map(str::parse::<usize>).transpose().ok()?;
        let control = match (word, index) {
            ("option", Some(index)) => Control::Option(index),
            ("pick", Some(index)) => Control::Pick(index),
            ("type", Some(index)) => Control::Type(index),
            ("submit", None) => Control::Submit,
            ("dismiss", None) => Control::Dismiss,
            _ => return None,
        };
        (parts.next().is_none()).then_some(Self {
            call: call.to_owned(),
            step: step.parse().ok()?,
            control,
        })
    }
}

impl fmt::Display for ControlId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "q:{}:{}:", self.call, self.step)?;
        match self.control {
            Control::Option(index) => write!(f, "option:{index}"),
            Control::Pick(index) => write!(f, "pick:{index}"),
            Control::Type(index) => write!(f, "type:{index}"),
            Control::Submit => f.write_str("submit"),
            Control::Dismiss => f.write_str("dismiss"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_read_as_it_was_written() {
        let controls = [
            Control::Option(9),
            Control::Pick(0),
            Control::Type(49),
            Control::Submit,
            Control::Dismiss,
        ];
        for control in controls {
            let id = ControlId {
                call: "abcdefgh1234".to_owned(),
                step: 49,
                control,
            };
            assert_eq!(ControlId::parse(&id.to_string()), Some(id));
        }
    }

    #[test]
    fn what_is_not_ours_is_no_id() {
        for id in [
            "",
            "q",
            "q:c1:0",
            "q:c1:0:option",
            "q:c1:0:option:x",
            "q:c1:0:submit:1",
            "q:c1:x:submit",
            "x:c1:0:submit",
            "q:c1:0:option:1:2",
        ] {
            assert_eq!(ControlId::parse(id), None, "{id}");
        }
    }
}
