//! Documents bent on their way, for the worlds in which a rule does not hold. The engine's own format is read here, and
//! nowhere else in this crate but where a trace is shown.

use std::collections::BTreeMap;
use std::sync::Mutex;

use bytes::Bytes;
use serde_json::Value;

use crate::broken::Rule;
use crate::world::lock;

/// The number of the attempt that each host began last, by host, partition, key and effect.
pub(crate) type Numbers = Mutex<BTreeMap<(u64, String, String, &'static str), u64>>;

const OWED: [&str; 6] = [
    "continuing",
    "posting",
    "replying",
    "promoting",
    "advancing",
    "closing",
];

/// What is written instead.
pub(crate) fn written(
    rule: Rule,
    numbers: &Numbers,
    host: u64,
    key: (&str, &str),
    value: &[u8],
) -> Option<Bytes> {
    let mut document = parsed(key.1, value)?;
    let is_turn = key.1 == "turn";
    let body = if is_turn {
        &mut document["d"]["turn"]
    } else {
        &mut document["d"]
    };
    match rule {
        Rule::AttemptNumbers => {
            for effect in OWED {
                let running = body[effect]["phase"]["running"].is_u64();
                if let (true, Some(last)) = (running, body[effect]["last"].as_u64()) {
                    let name = (host, key.0.to_owned(), key.1.to_owned(), effect);
                    let mut numbers = lock(numbers);
                    let known = numbers.entry(name).or_default();
                    *known = last.max(*known);
                }
            }
            return None;
        }
        Rule::StraysAreKept => {
            if is_turn {
                let pending = body
                    .pointer_mut("/run/work/answers")
                    .and_then(Value::as_array_mut);
                pending
                    .into_iter()
                    .flatten()
                    .for_each(|pending| pending["strays"] = Value::Array(Vec::new()));
            } else {
                let older = body["older"].take();
                let older: Vec<Value> = older.as_array().cloned().unwrap_or_default();
                if let Some(messages) = body["messages"].as_array_mut()
                    && messages.len() > 1
                {
                    messages.retain(|message| !older.contains(&message["id"]));
                }
                body["older"] = Value::Array(Vec::new());
            }
        }
        Rule::Closing => forget(body, "closing"),
        Rule::Continuing => forget(body, "continuing"),
        Rule::AttemptsCounted => {
            for effect in OWED {
                if body[effect]["in_series"].is_u64() {
                    body[effect]["in_series"] = Value::from(1);
                }
            }
        }
        Rule::CompareAndSet
        | Rule::Evidence
        | Rule::OneBatch
        | Rule::CommitThenAct
        | Rule::UnknownIsNotDone
        | Rule::Deadline
        | Rule::WakeTime
        | Rule::WakesUpMute
        | Rule::DurableBeforeAcknowledged
        | Rule::Redelivery
        | Rule::KeysOfHooks
        | Rule::KeysOfSteps
        | Rule::Access
        | Rule::Expiry => return None,
    }
    serde_json::to_vec(&document).ok().map(Bytes::from)
}

/// What is read instead.
pub(crate) fn read(
    rule: Rule,
    numbers: &Numbers,
    host: u64,
    key: (&str, &str),
    value: &[u8],
) -> Option<Bytes> {
    if rule != Rule::AttemptNumbers {
        return None;
    }
    let mut document = parsed(key.1, value)?;
    let body = if key.1 == "turn" {
        &mut document["d"]["turn"]
    } else {
        &mut document["d"]
    };
    for effect in OWED {
        let name = (host, key.0.to_owned(), key.1.to_owned(), effect);
        let own = lock(numbers).get(&name).copied();
        if let (true, Some(own)) = (body[effect]["phase"]["running"].is_u64(), own) {
            body[effect]["last"] = Value::from(own);
        }
    }
    serde_json::to_vec(&document).ok().map(Bytes::from)
}

/// What was ordered is not on record.
fn forget(body: &mut Value, effect: &str) {
    if body[effect]["phase"].is_object() {
        body[effect]["phase"] = Value::from("nothing");
    }
}

fn parsed(key: &str, value: &[u8]) -> Option<Value> {
    let machine = key == "turn" || key.starts_with("question/");
    machine.then(|| serde_json::from_slice(value).ok()).flatten()
}
