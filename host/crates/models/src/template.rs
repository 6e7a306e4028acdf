//! What a scripted model says: text with `{text}` and `{answer:Header}`.

use ports::json::{QUESTION_TOOL, read_output};
use ports::models::{ChatMessage, Part};

/// A parsed text.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Template(Vec<Segment>);

#[derive(Debug, PartialEq, Eq)]
enum Segment {
    Literal(String),
    /// The last message of a person.
    Text,
    /// The latest answer under this header.
    Answer(String),
}

impl Template {
    /// Parses a text.
    ///
    /// # Errors
    /// In words: a brace that is not closed, or a name nobody knows.
    pub(crate) fn parse(source: &str) -> Result<Self, String> {
        let mut segments = Vec::new();
        let mut literal = String::new();
        let mut rest = source;
        while let Some(at) = rest.find(['{', '}']) {
            let (before, from) = rest.split_at(at);
            literal.push_str(before);
            if let Some(after) = from.strip_prefix("{{") {
                literal.push('{');
                rest = after;
            } else if let Some(after) = from.strip_prefix("}}") {
                literal.push('}');
                rest = after;
            } else if let Some(after) = from.strip_prefix('{') {
                let Some((name, after)) = after.split_once('}') else {
                    return Err("`{` is never closed; write `{{` for a brace".to_owned());
                };
                segments.push(Segment::Literal(std::mem::take(&mut literal)));
                segments.push(Segment::named(name)?);
                rest = after;
            } else {
                return Err("`}` closes nothing; write `}}` for a brace".to_owned());
            }
        }
        literal.push_str(rest);
        segments.push(Segment::Literal(literal));
        Ok(Self(segments))
    }

    /// The text for this chat.
    ///
    /// # Errors
    /// The header that nobody has answered yet.
    pub(crate) fn fill(&self, messages: &[ChatMessage]) -> Result<String, String> {
        let mut text = String::new();
        for segment in &self.0 {
            match segment {
                Segment::Literal(literal) => text.push_str(literal),
                Segment::Text => text.push_str(last_text(messages)),
                Segment::Answer(header) => {
                    text.push_str(&latest_answer(messages, header).ok_or_else(|| header.clone())?);
                }
            }
        }
        Ok(text)
    }
}

impl Segment {
    fn named(name: &str) -> Result<Self, String> {
        match name.split_once(':') {
            Some(("answer", header)) => Ok(Self::Answer(header.to_owned())),
            Some((_, _)) | None if name == "text" => Ok(Self::Text),
            Some((_, _)) | None => Err(format!(
                "expected `{{text}}` or `{{answer:Header}}`, found `{{{name}}}`; write `{{{{` for a brace"
            )),
        }
    }
}

/// The last message of a person; empty when there is none.
pub(crate) fn last_text(messages: &[ChatMessage]) -> &str {
    messages
        .iter()
        .rev()
        .find_map(|message| match message {
            ChatMessage::User { text, .. } => Some(text.as_str()),
            ChatMessage::Assistant(_) => None,
        })
        .unwrap_or_default()
}

fn latest_answer(messages: &[ChatMessage], header: &str) -> Option<String> {
    messages.iter().rev().find_map(|message| match message {
        ChatMessage::User { .. } => None,
        ChatMessage::Assistant(parts) => parts.iter().rev().find_map(|part| answer_in(part, header)),
    })
}

fn answer_in(part: &Part, header: &str) -> Option<String> {
    match part {
        Part::Call {
            name,
            result: Some(Ok(output)),
            ..
        } if name == QUESTION_TOOL => {
            let output = read_output(output).ok()?;
            output
                .answers
                .into_iter()
                .find(|answer| answer.header == header)
                .map(|answer| {
                    let mut words = answer.selected;
                    words.extend(answer.custom);
                    words.join(", ")
                })
        }
        Part::Call { .. } | Part::Text(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn chat() -> Vec<ChatMessage> {
        let answered = |id: &str, label: &str| Part::Call {
            id: id.to_owned(),
            name: QUESTION_TOOL.to_owned(),
            input: json!({}),
            result: Some(Ok(
                json!({ "answers": [{ "header": "Color", "selected": [label], "custom": "matt" }] }),
            )),
        };
        vec![
            ChatMessage::User {
                name: String::new(),
                text: "paint it".to_owned(),
            },
            ChatMessage::Assistant(vec![
                answered("a", "Red"),
                Part::Text("and".to_owned()),
                answered("a", "Blue"),
            ]),
        ]
    }

    #[test]
    fn the_latest_answer_and_the_last_text_are_filled_in() {
        let template = Template::parse("{{{text}}} in {answer:Color}").unwrap();
        assert_eq!(template.fill(&chat()).unwrap(), "{paint it} in Blue, matt");
    }

    #[test]
    fn an_answer_nobody_gave_is_named() {
        let template = Template::parse("{answer:Size}").unwrap();
        assert_eq!(template.fill(&chat()), Err("Size".to_owned()));
    }

    #[test]
    fn braces_that_mean_nothing_are_problems() {
        for (source, word) in [
            ("{text", "never closed"),
            ("text}", "closes nothing"),
            ("{name}", "found `{name}`"),
        ] {
            let problem = Template::parse(source).unwrap_err();
            assert!(problem.contains(word), "{source}: {problem}");
        }
    }
}
