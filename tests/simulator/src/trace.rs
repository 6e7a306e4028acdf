//! What happened in a run, step by step, with what it changed: kept only when somebody wants to look at it.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use serde_json::Value;

use crate::world::{Universe, lock};

/// One step of a run.
#[derive(Clone, Debug)]
pub struct TraceStep {
    /// Virtual time since the beginning.
    pub at: Duration,
    /// What happened.
    pub what: String,
    /// What is different afterwards: chats, records and cards.
    pub changed: Vec<String>,
}

/// The steps of a run.
#[derive(Debug)]
pub(crate) struct Trace {
    kept: bool,
    count: AtomicU64,
    steps: Mutex<Vec<TraceStep>>,
    shown: Mutex<BTreeMap<String, String>>,
}

impl Trace {
    /// One that only counts.
    pub(crate) fn counting() -> Self {
        Self::new(false)
    }

    /// One that keeps everything.
    pub(crate) fn keeping() -> Self {
        Self::new(true)
    }

    fn new(kept: bool) -> Self {
        Self {
            kept,
            count: AtomicU64::new(0),
            steps: Mutex::default(),
            shown: Mutex::default(),
        }
    }

    /// Whether it keeps anything.
    pub(crate) fn is_kept(&self) -> bool {
        self.kept
    }

    /// How many steps there were.
    pub(crate) fn count(&self) -> u64 {
        self.count.load(Ordering::Relaxed)
    }

    /// The steps that were kept.
    pub(crate) fn take(&self) -> Vec<TraceStep> {
        std::mem::take(&mut *lock(&self.steps))
    }

    /// One more.
    pub(crate) fn step(&self, world: &Universe, what: impl FnOnce() -> String) {
        self.count.fetch_add(1, Ordering::Relaxed);
        if !self.kept {
            return;
        }
        let state = state(world);
        let mut shown = lock(&self.shown);
        let gone = shown
            .keys()
            .filter(|name| !state.contains_key(*name))
            .map(|name| format!("{name}: gone"));
        let mut changed: Vec<String> = gone.collect();
        let differs = state
            .iter()
            .filter(|(name, line)| shown.get(*name) != Some(*line));
        changed.extend(differs.map(|(name, line)| format!("{name}: {line}")));
        *shown = state;
        lock(&self.steps).push(TraceStep {
            at: world.executor.now(),
            what: what(),
            changed,
        });
    }
}

/// What there is: a line for every document that decides something, and for every card.
fn state(world: &Universe) -> BTreeMap<String, String> {
    let mut lines = BTreeMap::new();
    for (partition, documents) in world.store.everything() {
        let place = partition.0.get(..18).unwrap_or(&partition.0);
        let place = place.rsplit('/').next().unwrap_or_default();
        for document in documents {
            let key = &document.key.0;
            if key.starts_with("delivery/") || key.starts_with("chat/") {
                continue;
            }
            let value: Value = serde_json::from_slice(&document.value).unwrap_or_default();
            let line = match key.as_str() {
                "turn" => turn(&value["d"]["turn"]),
                key if key.starts_with("question/") => question(&value["d"]),
                key if key.starts_with("inbox/") || key.starts_with("clicks/") => {
                    format!(
                        "act {}, {}",
                        value["d"]["delivery"],
                        owed("handling", &value["d"]["handling"])
                    )
                }
                _ => value.to_string(),
            };
            let version = document.version.0;
            lines.insert(format!("{place} {key}"), format!("{line} (version {version})"));
        }
    }
    for (number, posted) in world.platforms.messages().iter().enumerate() {
        let blocks = posted.blocks.iter().map(|block| match &block.closed {
            Some(closed) => format!("[{} closed: {closed}]", block.ask),
            None => format!("[{} asks {}]", block.ask, block.step),
        });
        let blocks: String = blocks.collect();
        lines.insert(
            format!("m{number} in {:?}", posted.place),
            format!("{}{blocks}", posted.text),
        );
    }
    lines
}

fn turn(turn: &Value) -> String {
    let work = &turn["run"]["work"];
    let pending = work["answers"].as_array().into_iter().flatten();
    let pending: Vec<String> = pending
        .map(|pending| {
            let strays = pending["strays"].as_array().map_or(0, Vec::len);
            format!(
                "{} posted {} settled {} strays {strays}",
                pending["call"], pending["posted"], pending["settled"]
            )
        })
        .collect();
    let work = if pending.is_empty() {
        work.to_string()
    } else {
        pending.join("; ")
    };
    let effects = ["continuing", "posting", "replying", "promoting"].map(|name| owed(name, &turn[name]));
    let effects: Vec<&str> = effects
        .iter()
        .map(String::as_str)
        .filter(|line| !line.is_empty())
        .collect();
    format!(
        "{work}, step {}, queue {}, outbox {}, {}",
        turn["run"]["steps"],
        turn["queue"],
        turn["outbox"].as_array().map_or(0, Vec::len),
        effects.join(", ")
    )
}

fn question(record: &Value) -> String {
    let messages = record["messages"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|message| message["id"].to_string());
    let messages: Vec<String> = messages.collect();
    format!(
        "revision {}, {}, still posting {}, messages {}, older {}, {} {}",
        record["revision"],
        record["settlement"]["outcome"],
        record["still_posting"],
        messages.join(" "),
        record["older"],
        owed("advancing", &record["advancing"]),
        owed("closing", &record["closing"]),
    )
}

fn owed(name: &str, owed: &Value) -> String {
    let phase = &owed["phase"];
    if phase == "nothing" {
        return String::new();
    }
    format!(
        "{name} {phase} last {} in series {}",
        owed["last"], owed["in_series"]
    )
}
