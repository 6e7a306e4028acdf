//! Block Kit, as much of it as cards and replies need.

use serde_json::{Value, json};

/// A message: what a notification shows, and its blocks.
pub(crate) fn message(text: &str, blocks: &[Value]) -> Value {
    json!({ "text": text, "blocks": blocks })
}

/// A text of markup, escaped already.
pub(crate) fn section(mrkdwn: &str) -> Value {
    json!({ "type": "section", "text": markup(mrkdwn) })
}

/// A small line.
pub(super) fn context(mrkdwn: &str) -> Value {
    json!({ "type": "context", "elements": [markup(mrkdwn)] })
}

/// `verbatim`: Slack makes no links and mentions of its own out of the text.
pub(super) fn markup(mrkdwn: &str) -> Value {
    json!({ "type": "mrkdwn", "text": mrkdwn, "verbatim": true })
}

/// Text that Slack shows as it is.
pub(crate) fn plain(text: &str) -> Value {
    json!({ "type": "plain_text", "text": text, "emoji": false })
}

/// A row of controls.
pub(super) fn actions(block_id: &str, elements: &[Value]) -> Value {
    json!({ "type": "actions", "block_id": block_id, "elements": elements })
}

/// The characters of every text in it, names of types and ids included.
pub(crate) fn weight(value: &Value) -> usize {
    match value {
        Value::String(text) => text.chars().count(),
        Value::Array(values) => values.iter().map(weight).sum(),
        Value::Object(fields) => fields.values().map(weight).sum(),
        Value::Null | Value::Bool(_) | Value::Number(_) => 0,
    }
}
