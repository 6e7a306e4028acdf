//! What the store holds, as a story shows it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;

use ports::Documents;
use ports::documents::{Order, Partition, Select};
use serde_json::Value;
use storage::MemoryDocuments;

use super::transcript::lock;

/// The partitions there are, and what was shown of them.
#[derive(Debug, Default)]
pub(super) struct Seen {
    partitions: Mutex<BTreeSet<Partition>>,
    shown: Mutex<BTreeMap<String, String>>,
}

impl Seen {
    /// Something was written there.
    pub(super) fn partition(&self, partition: &Partition) {
        lock(&self.partitions).insert(partition.clone());
    }

    /// Every document, with its key.
    pub(super) async fn documents(&self, memory: &MemoryDocuments) -> Vec<(String, Value)> {
        let partitions: Vec<Partition> = lock(&self.partitions).iter().cloned().collect();
        let mut found = Vec::new();
        for partition in partitions {
            let everything = Select::Prefix {
                prefix: String::new(),
                order: Order::Ascending,
                limit: 1_000,
            };
            let snapshot = memory.read(&partition, vec![everything]).await;
            let documents = snapshot.map(|snapshot| snapshot.selected).unwrap_or_default();
            found.extend(documents.into_iter().flatten().map(|document| {
                let value = serde_json::from_slice(&document.value).unwrap_or_default();
                (document.key.0, value)
            }));
        }
        found
    }

    /// A line for every record and chat that is not what it was when this was asked last.
    pub(super) async fn changes(&self, memory: &MemoryDocuments, records: bool, chats: bool) -> Vec<String> {
        let mut now = BTreeMap::new();
        for (key, value) in self.documents(memory).await {
            let document = &value["d"];
            if records && key.starts_with("question/") {
                let name = format!("record {}", short(key.trim_start_matches("question/")));
                now.insert(name, record(document));
            } else if chats && key == "turn" {
                let thread = document["address"]["conversation"]["thread"]
                    .as_str()
                    .unwrap_or_default();
                now.insert(format!("chat of {thread}"), chat(document));
            }
        }
        let mut shown = lock(&self.shown);
        let gone = shown
            .keys()
            .filter(|name| !now.contains_key(*name))
            .map(|name| format!("{name}: gone"));
        let mut lines: Vec<String> = gone.collect();
        let changed = now.iter().filter(|(name, line)| shown.get(*name) != Some(*line));
        lines.extend(changed.map(|(name, line)| format!("{name}: {line}")));
        *shown = now;
        lines
    }
}

/// `q1` for `q0000000001`.
pub(super) fn short(call: &str) -> String {
    format!("q{}", call.trim_start_matches('q').trim_start_matches('0'))
}

fn record(record: &Value) -> String {
    let by = |settlement: &Value| match settlement["actor"]["name"].as_str() {
        Some(name) => format!(" by {name}"),
        None => String::new(),
    };
    let settlement = &record["settlement"];
    let outcome = &settlement["outcome"];
    let state = if settlement.is_null() {
        "open".to_owned()
    } else if let Some(word) = outcome.as_str() {
        format!("{word}{}", by(settlement))
    } else {
        format!("answered{}", by(settlement))
    };
    let mut line = format!("revision {}, {state}", record["revision"]);
    if record["still_posting"] == true {
        line.push_str(", still posting");
    }
    for owed in ["advancing", "closing"] {
        if let Some(phase) = phase(&record[owed]) {
            line.push_str(&format!(", {owed} {phase}"));
        }
    }
    let messages = record["messages"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|message| message["id"].as_str());
    line.push_str(&format!(", messages {}", messages.collect::<Vec<_>>().join(" ")));
    line
}

fn chat(chat: &Value) -> String {
    let turn = &chat["turn"];
    let work = &turn["run"]["work"];
    let state = match (work.is_null(), work.as_str()) {
        (true, _) => "idle",
        (false, Some(_)) => "running",
        (false, None) => "awaiting",
    };
    let mut line = state.to_owned();
    if let Some(name) = turn["run"]["actor"]["name"].as_str() {
        line.push_str(&format!(" for {name}"));
    }
    match turn["queue"].as_array().map_or(0, Vec::len) {
        0 => {}
        n => line.push_str(&format!(", {n} queued")),
    }
    for owed in ["continuing", "posting", "replying", "promoting"] {
        if let Some(phase) = phase(&turn[owed]) {
            line.push_str(&format!(", {owed} {phase}"));
        }
    }
    line
}

/// Where an owed effect stands, unless nothing is owed.
fn phase(owed: &Value) -> Option<&'static str> {
    let phase = &owed["phase"];
    match phase.as_str() {
        Some("spent") => Some("given up"),
        Some(_) => None,
        None if phase.get("due").is_some() => Some("owed"),
        None => Some("under way"),
    }
}
