//! JSON with holes: a string `"{{word}}"` becomes the word's value, of whatever type; a word within a longer string becomes
//! text.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Deserializer, de};
use serde_json::Value;

/// What may stand in a hole.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Word {
    /// The id of a message: of the one that is posted, edited, sent or pressed on.
    Message,
    /// A number of six digits that nothing else has.
    Serial,
    /// The id of the person who does something.
    Person,
    /// A name for the delivery, the same when it is delivered again.
    Delivery,
    /// What a person writes.
    Text,
    /// The id of the control that is used.
    Control,
    /// Its value, or that of the picked option; null when it has none.
    Value,
    /// Its label, or that of the picked option.
    Label,
    /// What is picked in each list of the message, by the list's id.
    Picks,
    /// Now, in milliseconds since 1970.
    NowMs,
    /// Now, in whole seconds since 1970.
    NowS,
}

impl Word {
    const ALL: [(Self, &'static str); 11] = [
        (Self::Message, "message"),
        (Self::Serial, "serial"),
        (Self::Person, "person"),
        (Self::Delivery, "delivery"),
        (Self::Text, "text"),
        (Self::Control, "control"),
        (Self::Value, "value"),
        (Self::Label, "label"),
        (Self::Picks, "picks"),
        (Self::NowMs, "now_ms"),
        (Self::NowS, "now_s"),
    ];

    fn read(name: &str) -> Result<Self, String> {
        let known = Self::ALL.iter().find(|(_, known)| *known == name);
        known.map(|(word, _)| *word).ok_or_else(|| {
            let names = Self::ALL.map(|(_, name)| name).join(", ");
            format!("`{{{{{name}}}}}` means nothing here; there are {names}")
        })
    }
}

/// The values of words.
pub(crate) type Words = BTreeMap<Word, Value>;

/// A text with holes.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Text(Vec<Part>);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    Text(String),
    Hole(Word),
}

impl Text {
    fn read(text: &str) -> Result<Self, String> {
        let mut parts = Vec::new();
        let mut rest = text;
        while let Some((before, behind)) = rest.split_once("{{") {
            let (name, behind) = behind
                .split_once("}}")
                .ok_or_else(|| format!("a hole is not closed in {text:?}"))?;
            if !before.is_empty() {
                parts.push(Part::Text(before.to_owned()));
            }
            parts.push(Part::Hole(Word::read(name.trim())?));
            rest = behind;
        }
        if !rest.is_empty() {
            parts.push(Part::Text(rest.to_owned()));
        }
        Ok(Self(parts))
    }

    fn fill(&self, words: &Words) -> Value {
        let value = |word: &Word| words.get(word).cloned().unwrap_or(Value::Null);
        if let [Part::Hole(word)] = self.0.as_slice() {
            return value(word);
        }
        let shown = |part: &Part| match part {
            Part::Text(text) => text.clone(),
            Part::Hole(word) => in_text(value(word)),
        };
        Value::String(self.0.iter().map(shown).collect())
    }
}

/// A value as it stands within a text.
fn in_text(value: Value) -> String {
    match value {
        Value::String(text) => text,
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
            value.to_string()
        }
    }
}

/// JSON with holes.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Template(Node);

#[derive(Clone, PartialEq, Eq)]
enum Node {
    Fixed(Value),
    Text(Text),
    Array(Vec<Node>),
    Object(Vec<(String, Node)>),
}

impl Template {
    /// Reads JSON text.
    pub(crate) fn read(json: &str) -> Result<Self, String> {
        let value: Value = serde_json::from_str(json).map_err(|error| format!("this is no JSON: {error}"))?;
        Node::of(value).map(Self)
    }

    /// JSON without holes.
    pub(crate) fn of(value: Value) -> Self {
        Self(Node::Fixed(value))
    }

    /// The JSON with the words' values.
    pub(crate) fn fill(&self, words: &Words) -> Value {
        self.0.fill(words)
    }
}

impl Node {
    fn of(value: Value) -> Result<Self, String> {
        Ok(match value {
            Value::String(text) => Self::Text(Text::read(&text)?),
            Value::Array(items) => Self::Array(items.into_iter().map(Self::of).collect::<Result<_, _>>()?),
            Value::Object(entries) => {
                let entries = entries
                    .into_iter()
                    .map(|(key, value)| Ok((key, Self::of(value)?)))
                    .collect::<Result<_, String>>()?;
                Self::Object(entries)
            }
            fixed @ (Value::Null | Value::Bool(_) | Value::Number(_)) => Self::Fixed(fixed),
        })
    }

    fn fill(&self, words: &Words) -> Value {
        match self {
            Self::Fixed(value) => value.clone(),
            Self::Text(text) => text.fill(words),
            Self::Array(items) => items.iter().map(|item| item.fill(words)).collect(),
            Self::Object(entries) => {
                let filled = entries.iter().map(|(key, node)| (key.clone(), node.fill(words)));
                Value::Object(filled.collect())
            }
        }
    }
}

impl fmt::Debug for Template {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Template")
    }
}

impl<'de> Deserialize<'de> for Template {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let json = String::deserialize(deserializer)?;
        Self::read(&json).map_err(de::Error::custom)
    }
}

/// A text with holes, by itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TextTemplate(Text);

impl TextTemplate {
    pub(crate) fn read(text: &str) -> Result<Self, String> {
        Text::read(text).map(Self)
    }

    /// A prefix, and a word.
    pub(crate) fn of(word: Word, prefix: &str) -> Self {
        Self(Text(vec![Part::Text(prefix.to_owned()), Part::Hole(word)]))
    }

    pub(crate) fn fill(&self, words: &Words) -> String {
        in_text(self.0.fill(words))
    }
}

impl<'de> Deserialize<'de> for TextTemplate {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::read(&text).map_err(de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{Template, TextTemplate, Word, Words};

    fn words() -> Words {
        Words::from([(Word::NowMs, json!(17)), (Word::Message, json!("m\"1"))])
    }

    #[test]
    fn hole_alone_keeps_the_type_and_one_within_a_text_becomes_text() {
        let template =
            r#"{"a": "{{now_ms}}", "b": ["at {{ now_ms }} in {{message}}", 3, null], "c": "{{value}}"}"#;
        let filled = Template::read(template).unwrap().fill(&words());
        assert_eq!(
            filled,
            json!({"a": 17, "b": ["at 17 in m\"1", 3, null], "c": null})
        );
        assert_eq!(TextTemplate::read("{{now_ms}}.0").unwrap().fill(&words()), "17.0");
    }

    #[test]
    fn what_is_no_template_is_refused_with_what_is_known() {
        assert!(Template::read("{").unwrap_err().contains("no JSON"));
        assert!(Template::read(r#""{{now""#).unwrap_err().contains("not closed"));
        let unknown = Template::read(r#"{"a": "{{when}}"}"#).unwrap_err();
        assert!(
            unknown.contains("`{{when}}`") && unknown.contains("now_ms"),
            "{unknown}"
        );
    }
}
