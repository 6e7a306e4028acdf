//! The limits of Block Kit, as far as cards and forms meet them (`PLATFORMS.md`, section 1). Lengths count characters.

use std::collections::BTreeSet;

use serde_json::Value;

const MESSAGE_BLOCKS_MAX: usize = 50;
const VIEW_BLOCKS_MAX: usize = 100;
/// Undocumented, seen by others: characters over all blocks of a message.
const MESSAGE_BLOCKS_CHARS_MAX: usize = 13_200;
const MESSAGE_TEXT_MAX: usize = 40_000;
const SECTION_TEXT_MAX: usize = 3_000;
const SECTION_FIELDS_MAX: usize = 10;
const FIELD_TEXT_MAX: usize = 2_000;
const HEADER_TEXT_MAX: usize = 150;
const CONTEXT_ELEMENTS_MAX: usize = 10;
const ACTIONS_ELEMENTS_MAX: usize = 25;
const ID_MAX: usize = 255;
const BUTTON_TEXT_MAX: usize = 75;
const BUTTON_VALUE_MAX: usize = 2_000;
const PLACEHOLDER_MAX: usize = 150;
const SELECT_OPTIONS_MAX: usize = 100;
const CHOICE_OPTIONS_MAX: usize = 10;
const OVERFLOW_OPTIONS_MAX: usize = 5;
const OPTION_TEXT_MAX: usize = 75;
const OPTION_VALUE_MAX: usize = 150;
const INPUT_LABEL_MAX: usize = 2_000;
const INPUT_LENGTH_MAX: u64 = 3_000;
const VIEW_TITLE_MAX: usize = 24;
const PRIVATE_METADATA_MAX: usize = 3_000;

/// The error code and the detail with which Slack refuses a message of this text and these blocks; none: it takes it.
pub fn message_problem(text: &str, blocks: &[Value]) -> Option<(&'static str, String)> {
    if text.chars().count() > MESSAGE_TEXT_MAX {
        return Some(("msg_too_long", format!("text over {MESSAGE_TEXT_MAX} characters")));
    }
    if text.trim().is_empty() && blocks.is_empty() {
        return Some(("no_text", "neither text nor blocks".to_owned()));
    }
    if let Err(problem) = blocks_fit(blocks, MESSAGE_BLOCKS_MAX) {
        return Some(("invalid_blocks", problem));
    }
    let chars: usize = blocks.iter().map(chars_in).sum();
    (chars > MESSAGE_BLOCKS_CHARS_MAX)
        .then(|| ("msg_blocks_too_long", format!("{chars} characters in blocks")))
}

/// Why Slack refuses a form; none: it opens it.
pub fn view_problem(view: &Value) -> Option<String> {
    view_fits(view).err()
}

fn view_fits(view: &Value) -> Result<(), String> {
    for key in ["title", "submit", "close"] {
        text_fits(view.get(key), VIEW_TITLE_MAX, key)?;
    }
    string_fits(view, "private_metadata", PRIVATE_METADATA_MAX)?;
    string_fits(view, "callback_id", ID_MAX)?;
    let blocks = list(view, "blocks");
    blocks_fit(blocks, VIEW_BLOCKS_MAX)?;
    let has_input = blocks.iter().any(|block| kind(block) == "input");
    if has_input && view.get("submit").is_none() {
        return Err("a form with an input needs `submit`".to_owned());
    }
    Ok(())
}

fn blocks_fit(blocks: &[Value], blocks_max: usize) -> Result<(), String> {
    at_most(blocks.len(), blocks_max, "blocks")?;
    let mut ids = BTreeSet::new();
    for (index, block) in blocks.iter().enumerate() {
        string_fits(block, "block_id", ID_MAX)?;
        if let Some(id) = block.get("block_id").and_then(Value::as_str)
            && !ids.insert(id)
        {
            return Err(format!("block {index}: the block_id `{id}` is there twice"));
        }
        block_fits(block).map_err(|problem| format!("block {index} ({}): {problem}", kind(block)))?;
    }
    Ok(())
}

fn block_fits(block: &Value) -> Result<(), String> {
    match kind(block) {
        "section" => {
            if block.get("text").is_none() && list(block, "fields").is_empty() {
                return Err("neither text nor fields".to_owned());
            }
            text_fits(block.get("text"), SECTION_TEXT_MAX, "text")?;
            let fields = list(block, "fields");
            at_most(fields.len(), SECTION_FIELDS_MAX, "fields")?;
            fields
                .iter()
                .try_for_each(|field| text_fits(Some(field), FIELD_TEXT_MAX, "field"))?;
            block.get("accessory").map_or(Ok(()), element_fits)
        }
        "header" => text_fits(block.get("text"), HEADER_TEXT_MAX, "text"),
        "context" => some_of(list(block, "elements").len(), CONTEXT_ELEMENTS_MAX, "elements"),
        "actions" => actions_fit(list(block, "elements")),
        "input" => {
            text_fits(block.get("label"), INPUT_LABEL_MAX, "label")?;
            block
                .get("element")
                .map_or_else(|| Err("no element".to_owned()), element_fits)
        }
        "divider" | "image" | "markdown" | "rich_text" => Ok(()),
        other => Err(format!("unknown type `{other}`")),
    }
}

fn actions_fit(elements: &[Value]) -> Result<(), String> {
    some_of(elements.len(), ACTIONS_ELEMENTS_MAX, "elements")?;
    let mut ids = BTreeSet::new();
    for element in elements {
        let id = element
            .get("action_id")
            .and_then(Value::as_str)
            .unwrap_or_default();
        if !id.is_empty() && !ids.insert(id) {
            return Err(format!("the action_id `{id}` is there twice"));
        }
        element_fits(element)?;
    }
    Ok(())
}

fn element_fits(element: &Value) -> Result<(), String> {
    string_fits(element, "action_id", ID_MAX)?;
    text_fits(element.get("placeholder"), PLACEHOLDER_MAX, "placeholder")?;
    match kind(element) {
        "button" => {
            text_fits(element.get("text"), BUTTON_TEXT_MAX, "button text")?;
            string_fits(element, "value", BUTTON_VALUE_MAX)?;
            match element.get("style").and_then(Value::as_str) {
                None | Some("primary" | "danger") => Ok(()),
                Some(style) => Err(format!("style `{style}`")),
            }
        }
        "static_select" | "multi_static_select" => {
            let groups = list(element, "option_groups");
            at_most(groups.len(), SELECT_OPTIONS_MAX, "option groups")?;
            groups
                .iter()
                .try_for_each(|group| options_fit(group, SELECT_OPTIONS_MAX))?;
            if groups.is_empty() {
                options_fit(element, SELECT_OPTIONS_MAX)
            } else {
                Ok(())
            }
        }
        "radio_buttons" | "checkboxes" => options_fit(element, CHOICE_OPTIONS_MAX),
        "overflow" => options_fit(element, OVERFLOW_OPTIONS_MAX),
        "plain_text_input" => match element.get("max_length").and_then(Value::as_u64) {
            Some(length) if length > INPUT_LENGTH_MAX => Err(format!("max_length {length}")),
            Some(_) | None => Ok(()),
        },
        other => Err(format!("unknown element `{other}`")),
    }
}

fn options_fit(of: &Value, options_max: usize) -> Result<(), String> {
    let options = list(of, "options");
    some_of(options.len(), options_max, "options")?;
    for option in options {
        text_fits(option.get("text"), OPTION_TEXT_MAX, "option text")?;
        text_fits(option.get("description"), OPTION_TEXT_MAX, "option description")?;
        string_fits(option, "value", OPTION_VALUE_MAX)?;
    }
    Ok(())
}

/// A text object; absent is fine, empty is not.
fn text_fits(text: Option<&Value>, chars_max: usize, what: &str) -> Result<(), String> {
    let Some(text) = text else {
        return Ok(());
    };
    let text = text.get("text").and_then(Value::as_str).unwrap_or_default();
    some_of(text.chars().count(), chars_max, what)
}

fn string_fits(of: &Value, key: &str, chars_max: usize) -> Result<(), String> {
    let text = of.get(key).and_then(Value::as_str).unwrap_or_default();
    at_most(text.chars().count(), chars_max, key)
}

fn some_of(count: usize, max: usize, what: &str) -> Result<(), String> {
    if count == 0 {
        return Err(format!("{what}: empty"));
    }
    at_most(count, max, what)
}

fn at_most(count: usize, max: usize, what: &str) -> Result<(), String> {
    if count > max {
        Err(format!("{what}: {count}, at most {max}"))
    } else {
        Ok(())
    }
}

fn kind(of: &Value) -> &str {
    of.get("type").and_then(Value::as_str).unwrap_or_default()
}

fn list<'a>(of: &'a Value, key: &str) -> &'a [Value] {
    of.get(key).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// The characters of every `text` in a block.
fn chars_in(value: &Value) -> usize {
    match value {
        Value::Object(entries) => entries
            .iter()
            .map(|(key, value)| match value.as_str().filter(|_| key == "text") {
                Some(text) => text.chars().count(),
                None => chars_in(value),
            })
            .sum(),
        Value::Array(list) => list.iter().map(chars_in).sum(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => 0,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn section(chars: usize) -> Value {
        json!({ "type": "section", "text": { "type": "mrkdwn", "text": "x".repeat(chars) } })
    }

    fn button(id: &str, chars: usize) -> Value {
        json!({ "type": "button", "action_id": id, "text": { "type": "plain_text", "text": "x".repeat(chars) } })
    }

    fn refused(blocks: &[Value]) -> Option<&'static str> {
        message_problem("text", blocks).map(|(code, _)| code)
    }

    #[test]
    fn blocks_at_their_limits_are_taken() {
        let elements: Vec<Value> = (0..25).map(|index| button(&index.to_string(), 75)).collect();
        assert_eq!(
            refused(&[section(3_000), json!({ "type": "actions", "elements": elements })]),
            None
        );
        assert_eq!(refused(&vec![section(1); 50]), None);
    }

    #[test]
    fn blocks_over_a_limit_are_refused() {
        let actions = |elements: Vec<Value>| json!({ "type": "actions", "elements": elements });
        assert_eq!(refused(&[section(3_001)]), Some("invalid_blocks"));
        assert_eq!(refused(&[section(0)]), Some("invalid_blocks"));
        assert_eq!(refused(&vec![section(1); 51]), Some("invalid_blocks"));
        assert_eq!(refused(&[actions(vec![button("a", 76)])]), Some("invalid_blocks"));
        assert_eq!(
            refused(&[actions(vec![button("a", 1), button("a", 1)])]),
            Some("invalid_blocks")
        );
        let many = (0..26).map(|index| button(&index.to_string(), 1)).collect();
        assert_eq!(refused(&[actions(many)]), Some("invalid_blocks"));
        assert_eq!(refused(&vec![section(2_900); 5]), Some("msg_blocks_too_long"));
    }

    #[test]
    fn a_form_with_an_input_needs_a_submit() {
        let element = json!({ "type": "plain_text_input", "action_id": "a" });
        let label = json!({ "type": "plain_text", "text": "Why?" });
        let input = json!({ "type": "input", "block_id": "b", "label": label, "element": element });
        let title = json!({ "type": "plain_text", "text": "Answer" });
        let mut view = json!({ "type": "modal", "title": title, "blocks": [input] });
        assert!(view_problem(&view).is_some());
        view["submit"] = json!({ "type": "plain_text", "text": "Send" });
        assert_eq!(view_problem(&view), None);
        view["title"]["text"] = json!("x".repeat(25));
        assert!(view_problem(&view).is_some());
    }
}
