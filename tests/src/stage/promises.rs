//! What must hold once everything has healed: nothing is owed, nobody waits for nothing, what people see is true.

use serde_json::Value;

use super::platform::Platform;

/// The promises that these documents and this platform break, in words.
pub(super) fn broken(documents: &[(String, Value)], platform: &Platform) -> Vec<String> {
    let mut broken = Vec::new();
    // Partitions are told apart by their `turn`; the stories of the sweep ask in one conversation only.
    let records: Vec<&Value> = with_prefix(documents, "question/").collect();
    for (key, value) in documents {
        if key.starts_with("inbox/") {
            broken.push(format!("{key} is not handled"));
        }
        broken.extend(owed(&value["d"]).map(|owed| format!("{key} still owes {owed}")));
    }
    for chat in with_prefix(documents, "turn") {
        broken.extend(waits_for_nothing(&chat["turn"], &records));
    }
    for record in records.iter().filter(|record| !record["settlement"].is_null()) {
        broken.extend(not_closed(record, platform));
        broken.extend(not_told(record, documents));
    }
    broken
}

fn with_prefix<'a>(documents: &'a [(String, Value)], prefix: &'a str) -> impl Iterator<Item = &'a Value> {
    let of_kind = documents.iter().filter(move |(key, _)| key.starts_with(prefix));
    of_kind.map(|(_, value)| &value["d"])
}

/// The effects that a document still owes.
fn owed(document: &Value) -> impl Iterator<Item = &'static str> {
    const OWED: [&str; 7] = [
        "advancing",
        "closing",
        "continuing",
        "posting",
        "replying",
        "promoting",
        "handling",
    ];
    let phases = OWED.map(|owed| {
        let place = if document["turn"].is_null() {
            document
        } else {
            &document["turn"]
        };
        (owed, place[owed]["phase"].is_object())
    });
    phases
        .into_iter()
        .filter_map(|(owed, pending)| pending.then_some(owed))
}

fn waits_for_nothing(turn: &Value, records: &[&Value]) -> Vec<String> {
    let mut broken = Vec::new();
    let work = &turn["run"]["work"];
    if work.is_string() {
        broken.push(format!("the agent never goes on from {work}"));
    }
    if work.is_null() && turn["queue"].as_array().is_some_and(|queue| !queue.is_empty()) {
        broken.push("a message is queued behind nothing".to_owned());
    }
    let pending: Vec<&Value> = work["answers"].as_array().into_iter().flatten().collect();
    let open: Vec<&&Value> = pending
        .iter()
        .filter(|pending| pending["settled"] == false)
        .collect();
    if !pending.is_empty() && open.is_empty() {
        broken.push("the chat waits for answers that are all there".to_owned());
    }
    for pending in open.iter().filter(|pending| pending["posted"] == true) {
        let record = records.iter().find(|record| record["call"] == pending["call"]);
        if record.is_some_and(|record| !record["settlement"].is_null()) {
            broken.push(format!(
                "the chat waits for {}, which is settled",
                pending["call"]
            ));
        }
    }
    let posted = open.iter().any(|pending| pending["posted"] == true);
    if !open.is_empty() && !posted && turn["posting"]["phase"] != "spent" {
        broken.push("nobody posts the question the chat waits for".to_owned());
    }
    broken
}

/// Buttons of a question that was closed.
fn not_closed(record: &Value, platform: &Platform) -> Vec<String> {
    if record["closing"]["phase"] != "nothing" {
        return Vec::new();
    }
    let call = record["call"].as_str().unwrap_or_default();
    let messages = record["messages"].as_array().into_iter().flatten();
    let ids = messages.filter_map(|message| message["id"].as_str());
    ids.filter(|id| platform.has_buttons(id, call))
        .map(|id| format!("{id} has buttons, though {call} is closed"))
        .collect()
}

/// A settled call whose result the model does not see.
fn not_told(record: &Value, documents: &[(String, Value)]) -> Option<String> {
    let call = &record["call"];
    let said = with_prefix(documents, "chat/").filter_map(|entry| entry["assistant"]["said"].as_array());
    let mut uses = said
        .flatten()
        .map(|said| &said["call"])
        .filter(|tool| tool["id"] == *call);
    let told = uses.any(|tool| !tool["result"].is_null());
    (!told).then(|| format!("{call} is settled, and its call has no result"))
}
