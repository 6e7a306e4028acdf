//! Where something is in JSON: a JSON Pointer (RFC 6901) in which `*` stands for every entry.

use serde::{Deserialize, Deserializer, de};
use serde_json::Value;

/// Leads to any number of places.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Pointer(Vec<String>);

impl Pointer {
    pub(crate) fn read(text: &str) -> Result<Self, String> {
        let Some(tokens) = text.strip_prefix('/') else {
            return Err(format!("{text:?} is no JSON Pointer: it begins with `/`"));
        };
        let unescaped = |token: &str| token.replace("~1", "/").replace("~0", "~");
        Ok(Self(tokens.split('/').map(unescaped).collect()))
    }

    /// Everything it leads to.
    pub(crate) fn all<'v>(&self, value: &'v Value) -> Vec<&'v Value> {
        let mut found = vec![value];
        for token in &self.0 {
            found = found.into_iter().flat_map(|value| below(value, token)).collect();
        }
        found
    }

    /// The first it leads to, as text: a string, or a number's digits.
    pub(crate) fn text(&self, value: &Value) -> Option<String> {
        match self.all(value).first()? {
            Value::String(text) => Some(text.clone()),
            Value::Number(number) => Some(number.to_string()),
            Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
        }
    }
}

fn below<'v>(value: &'v Value, token: &str) -> Vec<&'v Value> {
    match value {
        Value::Array(items) if token == "*" => items.iter().collect(),
        Value::Object(entries) if token == "*" => entries.values().collect(),
        Value::Array(items) => {
            let index = token.parse::<usize>().ok();
            index.and_then(|index| items.get(index)).into_iter().collect()
        }
        Value::Object(entries) => entries.get(token).into_iter().collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Vec::new(),
    }
}

impl<'de> Deserialize<'de> for Pointer {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::read(&text).map_err(de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::Pointer;

    #[test]
    fn star_leads_to_every_entry_and_nothing_to_nowhere() {
        let value = json!({"rows": [{"cells": [{"id": "a"}, {"id": 2}]}, {"other": 1}], "a/b": {"~": true}});
        let at = |pointer: &str| Pointer::read(pointer).unwrap();
        assert_eq!(at("/rows/*/cells/*/id").all(&value), [&json!("a"), &json!(2)]);
        assert_eq!(at("/rows/0/cells/1/id").text(&value).as_deref(), Some("2"));
        assert_eq!(at("/a~1b/~0").all(&value), [&json!(true)]);
        assert_eq!(at("/rows/7/cells").text(&value), None);
        assert!(Pointer::read("rows").unwrap_err().contains("begins with"));
    }
}
