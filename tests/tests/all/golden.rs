//! The stored formats, version 1: what the host writes, as files. A change of a format shows here, and wants a new version
//! with a reader for the old one; `FROGBOT_BLESS=1` rewrites the files.

#![expect(clippy::panic, reason = "this is test code")]

use serde_json::Value;
use tests::stage;

/// Compares the `nth` document whose key begins with `prefix`, at the end of a story, with `golden/<name>.json`.
fn golden(name: &str, story: &str, prefix: &str, nth: usize) {
    let documents = stage::documents_after(story).unwrap_or_else(|problem| panic!("{name}: {problem}"));
    let mut of_kind = documents.iter().filter(|(key, _)| key.starts_with(prefix));
    let Some((_, document)) = of_kind.nth(nth) else {
        let keys: Vec<&str> = documents.iter().map(|(key, _)| key.as_str()).collect();
        panic!("{name}: there is no document {nth} of {prefix}, only {keys:?}");
    };
    assert!(
        document["v"] == 1 || prefix == "lease",
        "{name} tells its version: {document}"
    );
    let path = stage::folder("golden").join(format!("{name}.json"));
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    stage::compare(&path, &expected, &pretty(document));
}

fn pretty(document: &Value) -> String {
    format!("{:#}\n", timeless(document.clone()))
}

/// The same document at the same instant in every run, however long the engine takes.
fn timeless(value: Value) -> Value {
    const BEGINNING: u64 = 1_767_225_600_000;
    match value {
        Value::Number(number) if number.as_u64().is_some_and(|number| number >= BEGINNING) => {
            BEGINNING.into()
        }
        Value::Array(values) => values.into_iter().map(timeless).collect(),
        Value::Object(map) => map
            .into_iter()
            .map(|(key, value)| (key, timeless(value)))
            .collect(),
        other @ (Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_)) => other,
    }
}

const WAITING: &str = "\
people: ann, bob
piece: forum
script: two_questions.toml

ann: @bot paint
ann presses Red on m2
bob: and the window?
";

const NOT_CLOSED: &str = "\
people: ann, bob
piece: forum
script: paint.toml

ann: @bot paint
platform fails settled (retry)
bob: /answer 2
";

const DISMISSED: &str = "\
people: ann
piece: card
script: two_calls.toml

ann: @bot paint
ann presses Dismiss on m2
";

const INBOX: &str = "\
people: ann, bob
piece: card
script: two_questions.toml

ann: @bot paint
ann presses Other… on m2
store fails next 2 commits of question (slow)
platform holds identity
at once: ann presses Red on m2; ann submits \"Teal\" in f1; bob in t2: @bot hello
";

const THINKING: &str = "\
people: ann
piece: forum
model:
    [[model]]
    say = \"Fine.\"
    takes_ms = 300000

ann: @bot think
wait 1 minute
";

const TOOLS: &str = "\
people: ann
piece: forum
model:
    [[model]]
    say = \"I look.\"
    [[model.call]]
    tool = \"weather\"

    [[tool]]
    name = \"weather\"
    description = \"Tells the weather\"
    returns = 1
    takes_ms = 300000

platform fails post (retry)
ann: @bot look
";

#[test]
fn a_waiting_chat_is_stored_as_before() {
    golden("turn-awaiting", WAITING, "turn", 0);
    golden("question-open", WAITING, "question/", 0);
    golden("chat-user", WAITING, "chat/", 0);
    golden("chat-assistant-waiting", WAITING, "chat/", 1);
    golden("delivery", WAITING, "delivery/", 0);
}

#[test]
fn an_answer_is_stored_as_before() {
    golden("turn-idle", NOT_CLOSED, "turn", 0);
    golden("question-answered", NOT_CLOSED, "question/", 0);
    golden("chat-assistant-answered", NOT_CLOSED, "chat/", 1);
}

#[test]
fn a_dismissal_is_stored_as_before() {
    golden("question-dismissed", DISMISSED, "question/", 0);
    golden("question-cancelled", DISMISSED, "question/", 1);
    golden("chat-assistant-dismissed", DISMISSED, "chat/", 1);
}

#[test]
fn an_event_that_is_not_handled_yet_is_stored_as_before() {
    golden("inbox-form", INBOX, "clicks/delivery", 0);
    golden("inbox-click", INBOX, "clicks/delivery", 1);
    golden("inbox-message", INBOX, "inbox/0", 0);
}

#[test]
fn a_running_turn_and_its_lease_are_stored_as_before() {
    golden("turn-thinking", THINKING, "turn", 0);
    golden("lease", THINKING, "lease", 0);
    golden("turn-tools", TOOLS, "turn", 0);
    golden("chat-assistant-tools", TOOLS, "chat/", 1);
}
