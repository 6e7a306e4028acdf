//! What is read is what the published schemas say, and what is written can be read again.

use serde_json::{Value, json};

use super::{INPUT_SCHEMA, OUTPUT_SCHEMA, read_input, read_output, write_input, write_output};

fn input() -> Value {
    json!({ "questions": [
        { "header": "Color", "question": "Which color?", "multiple": true, "custom": false,
          "options": [{ "label": "Red", "description": "warm" }, { "label": "Blue" }] },
        { "header": "Size", "question": "Which size?", "multiple": false, "custom": true,
          "options": [{ "label": "Large" }] },
    ] })
}

fn output() -> Value {
    json!({ "answers": [
        { "header": "Color", "selected": ["Red", "Blue"] },
        { "header": "Size", "selected": [], "custom": "medium" },
    ] })
}

#[test]
fn an_input_and_an_output_survive_reading_and_writing() {
    assert_eq!(write_input(&read_input(&input()).unwrap()).unwrap(), input());
    assert_eq!(write_output(&read_output(&output()).unwrap()).unwrap(), output());
}

#[test]
fn a_question_is_single_and_takes_typed_answers_unless_told_otherwise() {
    let mut given = input();
    let item = given
        .pointer_mut("/questions/0")
        .and_then(Value::as_object_mut)
        .unwrap();
    item.remove("multiple");
    item.remove("custom");
    let read = read_input(&given).unwrap();
    assert_eq!(
        (read.questions[0].multiple, read.questions[0].custom),
        (false, true)
    );
    let written = write_input(&read).unwrap();
    assert_eq!(
        written["questions"][0]["multiple"],
        json!(false),
        "hooks see the defaults"
    );
    assert_eq!(written["questions"][0]["custom"], json!(true));
}

#[test]
fn a_problem_names_the_field() {
    let table = [
        ("/questions/0/header", None, "missing field `header`"),
        ("/questions/0/typo", Some(json!(1)), "unknown field `typo`"),
        (
            "/questions/0/options/0/hint",
            Some(json!("x")),
            "unknown field `hint`",
        ),
        ("/extra", Some(json!(1)), "unknown field `extra`"),
        (
            "/questions/0/multiple",
            Some(json!("yes")),
            "invalid type: string \"yes\", expected a boolean",
        ),
    ];
    for (path, value, expected) in table {
        let problem = read_input(&changed(&input(), path, value))
            .unwrap_err()
            .to_string();
        assert!(problem.contains(expected), "{path}: {problem}");
    }
}

#[test]
fn the_input_schema_accepts_what_the_validator_accepts() {
    let is_valid = |given: &Value| read_input(given).is_ok_and(|read| read.validated().is_ok());
    agree(INPUT_SCHEMA, &input(), &input_texts(), is_valid);
}

#[test]
fn the_output_schema_accepts_what_the_validator_accepts() {
    let asked = read_input(&json!({ "questions": [
        { "header": "Color", "question": "?", "multiple": true, "options": [{ "label": "Red" }, { "label": "Blue" }] },
        { "header": "Size", "question": "?", "multiple": true, "options": [{ "label": "Large" }] },
    ] }));
    let asked = asked.unwrap().validated().unwrap();
    let is_valid = |given: &Value| read_output(given).is_ok_and(|read| read.validated(&asked).is_ok());
    let texts = [("/answers/1/custom", Some(10_000))];
    let base = json!({ "answers": [
        { "header": "Color", "selected": ["Red", "Blue"] },
        { "header": "Size", "selected": ["Large"], "custom": "medium" },
    ] });
    agree(OUTPUT_SCHEMA, &base, &texts, is_valid);
    for twice in [json!(["Red", "Red"]), json!([1]), json!("Red"), Value::Null] {
        let given = changed(&base, "/answers/0/selected", Some(twice));
        assert!(
            !schema_accepts(OUTPUT_SCHEMA, &given) && !is_valid(&given),
            "{given}"
        );
    }
}

/// What a schema cannot say, or says more strictly than we read. Everything else is the same for both.
#[test]
fn schema_and_validator_differ_only_where_this_table_says() {
    let validated = |given: &Value| read_input(given).is_ok_and(|read| read.validated().is_ok());
    let table = [
        // Uniqueness within a list of objects, and text that is nothing but space: only the validator sees them.
        ("/questions/1/header", json!("Color"), true, false),
        ("/questions/0/options/1/label", json!("Red"), true, false),
        ("/questions/0/header", json!("   "), true, false),
        // Trimmed before they are measured.
        (
            "/questions/0/header",
            json!(format!(" {} ", "x".repeat(30))),
            false,
            true,
        ),
        // For a text that may be left out, models like to send null.
        ("/questions/0/options/0/description", Value::Null, false, true),
    ];
    for (path, value, schema, validator) in table {
        let given = changed(&input(), path, Some(value));
        assert_eq!(
            (schema_accepts(INPUT_SCHEMA, &given), validated(&given)),
            (schema, validator),
            "{path}"
        );
    }
}

/// The texts of an input with the longest length of each.
fn input_texts() -> [(&'static str, Option<usize>); 4] {
    [
        ("/questions/0/header", Some(30)),
        ("/questions/1/question", Some(10_000)),
        ("/questions/0/options/1/label", Some(10_000)),
        ("/questions/0/options/0/description", Some(10_000)),
    ]
}

/// Changes every place of a valid document in every way and asks both.
fn agree(schema: &str, base: &Value, texts: &[(&str, Option<usize>)], is_valid: impl Fn(&Value) -> bool) {
    let mut table = vec![base.clone(), json!({}), json!([]), Value::Null, json!("x")];
    for path in places(base) {
        let optional_text = path.ends_with("/description") || path.ends_with("/custom");
        table.push(changed(base, &path, None));
        let values = [json!(7), json!({}), json!([]), json!([7]), json!(true), json!("")];
        let null = [Value::Null].into_iter().filter(|_| !optional_text);
        table.extend(
            values
                .into_iter()
                .chain(null)
                .map(|value| changed(base, &path, Some(value))),
        );
        if base.pointer(&path).is_some_and(Value::is_object) {
            table.push(changed(base, &format!("{path}/unknown"), Some(json!(1))));
        }
    }
    for (path, longest) in texts {
        for chars in longest.iter().flat_map(|longest| [*longest, longest + 1]) {
            table.push(changed(base, path, Some(json!("é".repeat(chars)))));
        }
    }
    let (mut accepted, mut refused) = (0, 0);
    for given in table.iter().filter(|given| !is_about_what_was_asked(base, given)) {
        let expected = schema_accepts(schema, given);
        assert_eq!(is_valid(given), expected, "the schema says {expected} to {given}");
        *(if expected { &mut accepted } else { &mut refused }) += 1;
    }
    assert!(
        accepted >= 4 && refused >= 50,
        "{accepted} accepted and {refused} refused documents compare nothing"
    );
}

/// An output whose shape is right may still not fit the question, which no schema can know: too few answers, no pick, a
/// label that was not offered.
fn is_about_what_was_asked(base: &Value, given: &Value) -> bool {
    let count = |document: &Value| document["answers"].as_array().map(Vec::len);
    let misfits = given["answers"].as_array().into_iter().flatten().any(|answer| {
        let Some(selected) = answer["selected"].as_array() else {
            return false;
        };
        let nothing = selected.is_empty() && answer.get("custom").is_none();
        nothing || selected.iter().any(|label| *label == json!(""))
    });
    base.get("answers").is_some() && (count(base) != count(given) && count(given) != Some(0) || misfits)
}

/// The pointers of everything in a document.
fn places(document: &Value) -> Vec<String> {
    let children: Vec<(String, &Value)> = match document {
        Value::Object(map) => map
            .iter()
            .map(|(key, value)| (format!("/{key}"), value))
            .collect(),
        Value::Array(list) => list
            .iter()
            .enumerate()
            .map(|(n, value)| (format!("/{n}"), value))
            .collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Vec::new(),
    };
    let below = children.into_iter().flat_map(|(at, child)| {
        let deeper = places(child).into_iter().map({
            let at = at.clone();
            move |rest| format!("{at}{rest}")
        });
        [at].into_iter().chain(deeper).collect::<Vec<_>>()
    });
    below.collect()
}

/// The document with one place set, or taken away.
fn changed(document: &Value, path: &str, value: Option<Value>) -> Value {
    let mut document = document.clone();
    let (parent, key) = path.rsplit_once('/').unwrap();
    match (document.pointer_mut(parent).unwrap(), value) {
        (Value::Object(map), Some(value)) => drop(map.insert(key.to_owned(), value)),
        (Value::Object(map), None) => drop(map.remove(key)),
        (Value::Array(list), Some(value)) => list[key.parse::<usize>().unwrap()] = value,
        (Value::Array(list), None) => drop(list.remove(key.parse().unwrap())),
        (other, _) => panic!("{parent} is {other}"),
    }
    document
}

fn schema_accepts(schema: &str, given: &Value) -> bool {
    accepts(&serde_json::from_str(schema).unwrap(), given)
}

/// The part of JSON Schema 2020-12 that the two schemas use; any other keyword fails the test.
fn accepts(schema: &Value, given: &Value) -> bool {
    schema
        .as_object()
        .unwrap()
        .iter()
        .all(|(keyword, rule)| match keyword.as_str() {
            "$schema" | "title" | "description" | "default" => true,
            "type" => rule == kind(given),
            "required" => {
                let names = rule.as_array().unwrap().iter().map(|name| name.as_str().unwrap());
                given
                    .as_object()
                    .is_none_or(|map| names.into_iter().all(|name| map.contains_key(name)))
            }
            "properties" => given.as_object().is_none_or(|map| {
                let known = map
                    .iter()
                    .filter_map(|(key, value)| Some((rule.get(key)?, value)));
                known.into_iter().all(|(rule, value)| accepts(rule, value))
            }),
            "additionalProperties" => {
                assert_eq!(*rule, json!(false));
                let known = &schema["properties"];
                given
                    .as_object()
                    .is_none_or(|map| map.keys().all(|key| known.get(key).is_some()))
            }
            "items" => given
                .as_array()
                .is_none_or(|list| list.iter().all(|item| accepts(rule, item))),
            "minItems" => given.as_array().is_none_or(|list| list.len() >= size(rule)),
            "maxItems" => given.as_array().is_none_or(|list| list.len() <= size(rule)),
            "uniqueItems" => given.as_array().is_none_or(|list| {
                list.iter()
                    .enumerate()
                    .all(|(index, item)| !list[..index].contains(item))
            }),
            "minLength" => given
                .as_str()
                .is_none_or(|text| text.chars().count() >= size(rule)),
            "maxLength" => given
                .as_str()
                .is_none_or(|text| text.chars().count() <= size(rule)),
            other => panic!("the test does not know the keyword {other:?}"),
        })
}

fn size(rule: &Value) -> usize {
    usize::try_from(rule.as_u64().unwrap()).unwrap()
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}
