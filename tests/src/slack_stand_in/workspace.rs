//! What is in the workspace: messages, private notices, forms, and what the Web API is told to fail.

use std::collections::{BTreeMap, VecDeque};

use serde_json::Value;

/// How many posts, notices and forms a workspace keeps: a load test of two thousand conversations fits ten times.
const ENTRIES_MAX: usize = 100_000;
/// Where the workspace's clock begins, in microseconds since 1970. Timestamps are only compared with each other.
const FIRST_TS_US: u64 = 1_800_000_000_000_000;

/// Everything that happened.
#[derive(Debug)]
pub struct Workspace {
    /// In the order of their posting.
    pub messages: Vec<Message>,
    /// In the order of their posting.
    pub ephemerals: Vec<Ephemeral>,
    /// In the order of their opening.
    pub views: Vec<View>,
    /// How often each method was called, failures included.
    pub calls: BTreeMap<String, u32>,
    /// Calls that Slack would have refused; a test ends with looking that there is none it did not provoke.
    pub refusals: Vec<String>,
    /// How often a call was refused because its room was limited, by room.
    pub limited_calls: BTreeMap<String, u32>,
    /// The workspace of each room that is not of the first one.
    pub(crate) rooms: BTreeMap<String, String>,
    /// The rooms about which every call is refused, and for how many seconds.
    pub(crate) limited: BTreeMap<String, u32>,
    /// What the bot wrote beside its messages, by timestamp.
    pub(crate) metadata: BTreeMap<String, Value>,
    /// What was granted, as a header tells it.
    pub(crate) scopes: Option<String>,
    failures: BTreeMap<String, VecDeque<Failure>>,
    clock_us: u64,
}

/// A message of the bot.
#[derive(Clone, Debug, PartialEq)]
pub struct Message {
    /// The room.
    pub channel: String,
    /// The timestamp of the thread's first message.
    pub thread_ts: Option<String>,
    /// Its own timestamp, by which it is edited and clicked.
    pub ts: String,
    /// The plain text.
    pub text: String,
    /// As posted, or as edited last.
    pub blocks: Vec<Value>,
    /// How often it was edited.
    pub updates: u32,
}

/// A notice that one participant sees.
#[derive(Clone, Debug, PartialEq)]
pub struct Ephemeral {
    /// The room.
    pub channel: String,
    /// The thread.
    pub thread_ts: Option<String>,
    /// Who sees it.
    pub user: String,
    /// The plain text.
    pub text: String,
    /// The blocks, if any.
    pub blocks: Vec<Value>,
}

/// A form.
#[derive(Clone, Debug, PartialEq)]
pub struct View {
    /// By which it is named in a submission.
    pub id: String,
    /// What it was opened with.
    pub trigger_id: String,
    /// As opened.
    pub view: Value,
}

/// What a call of the Web API is answered with, once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// 429 with `Retry-After`, in seconds.
    RateLimited {
        /// The header's value.
        retry_after_s: u32,
    },
    /// 200 with `ok: false` and this code.
    Error(String),
    /// A bare status, such as 502.
    Status(u16),
}

/// A control of a message, with the block it stands in.
#[derive(Clone, Debug, PartialEq)]
pub struct Control {
    /// `button`, `static_select`, …
    pub kind: String,
    /// Its id.
    pub action_id: String,
    /// Its block's id.
    pub block_id: String,
    /// What stands on a button.
    pub label: String,
    /// The whole element.
    pub element: Value,
}

impl Message {
    /// Its controls, in their order.
    pub fn controls(&self) -> Vec<Control> {
        let inside = |block: &Value| {
            let block_id = text_of(block, "block_id");
            let elements = block.get("elements").and_then(Value::as_array).cloned();
            let accessory = block.get("accessory").or_else(|| block.get("element")).cloned();
            let all = elements.unwrap_or_default().into_iter().chain(accessory);
            all.filter(|element| element.get("action_id").is_some())
                .map(|element| control(element, block_id.clone()))
                .collect::<Vec<_>>()
        };
        self.blocks.iter().flat_map(inside).collect()
    }

    /// The button whose label contains `label`.
    pub fn button(&self, label: &str) -> Option<Control> {
        let is = |control: &Control| control.kind == "button" && control.label.contains(label);
        self.controls().into_iter().find(is)
    }

    /// Whether text or blocks contain `part`.
    pub fn says(&self, part: &str) -> bool {
        self.text.contains(part) || says(&self.blocks, part)
    }
}

impl Ephemeral {
    /// Whether text or blocks contain `part`.
    pub fn says(&self, part: &str) -> bool {
        self.text.contains(part) || says(&self.blocks, part)
    }
}

impl Workspace {
    pub(crate) fn new() -> Self {
        Self {
            messages: Vec::new(),
            ephemerals: Vec::new(),
            views: Vec::new(),
            calls: BTreeMap::new(),
            refusals: Vec::new(),
            limited_calls: BTreeMap::new(),
            rooms: BTreeMap::new(),
            limited: BTreeMap::new(),
            metadata: BTreeMap::new(),
            scopes: None,
            failures: BTreeMap::new(),
            clock_us: FIRST_TS_US,
        }
    }

    /// The messages of a thread, oldest first.
    pub fn thread<'a>(&'a self, thread_ts: &'a str) -> impl Iterator<Item = &'a Message> {
        self.messages
            .iter()
            .filter(move |message| message.thread_ts.as_deref() == Some(thread_ts))
    }

    pub(crate) fn next_ts(&mut self) -> String {
        self.clock_us += 1_000;
        format!("{}.{:06}", self.clock_us / 1_000_000, self.clock_us % 1_000_000)
    }

    pub(crate) fn fail_next(&mut self, method: &str, failures: impl IntoIterator<Item = Failure>) {
        self.failures
            .entry(method.to_owned())
            .or_default()
            .extend(failures);
    }

    /// Counts a call and says how it fails, if it was told to.
    pub(crate) fn begin_call(&mut self, method: &str) -> Option<Failure> {
        *self.calls.entry(method.to_owned()).or_default() += 1;
        self.failures.get_mut(method)?.pop_front()
    }

    /// How a call about this room fails while it is limited.
    pub(crate) fn limit_of(&mut self, room: &str) -> Option<Failure> {
        let retry_after_s = *self.limited.get(room)?;
        *self.limited_calls.entry(room.to_owned()).or_default() += 1;
        Some(Failure::RateLimited { retry_after_s })
    }

    /// Whether a room is of another workspace than this one.
    pub(crate) fn is_foreign(&self, room: &str, team: &str, first: &str) -> bool {
        let owner = self.rooms.get(room).map_or(first, String::as_str);
        !room.is_empty() && owner != team
    }

    pub(crate) fn post(&mut self, mut message: Message) -> String {
        let ts = self.next_ts();
        message.ts.clone_from(&ts);
        keep(&mut self.messages, message);
        ts
    }

    pub(crate) fn tell(&mut self, ephemeral: Ephemeral) -> String {
        keep(&mut self.ephemerals, ephemeral);
        self.next_ts()
    }

    pub(crate) fn open(&mut self, trigger_id: String, view: Value) -> String {
        let id = format!("V{}", self.views.len() + 1);
        keep(
            &mut self.views,
            View {
                id: id.clone(),
                trigger_id,
                view,
            },
        );
        id
    }
}

fn keep<T>(list: &mut Vec<T>, entry: T) {
    if list.len() < ENTRIES_MAX {
        list.push(entry);
    }
}

fn control(element: Value, block_id: String) -> Control {
    Control {
        kind: text_of(&element, "type"),
        action_id: text_of(&element, "action_id"),
        block_id,
        label: element
            .get("text")
            .map(|text| text_of(text, "text"))
            .unwrap_or_default(),
        element,
    }
}

fn text_of(value: &Value, key: &str) -> String {
    value
        .get(key)
        .and_then(Value::as_str)
        .unwrap_or_default()
        .to_owned()
}

fn says(blocks: &[Value], part: &str) -> bool {
    fn inside(value: &Value, part: &str) -> bool {
        match value {
            Value::String(text) => text.contains(part),
            Value::Array(list) => list.iter().any(|value| inside(value, part)),
            Value::Object(entries) => entries.values().any(|value| inside(value, part)),
            Value::Null | Value::Bool(_) | Value::Number(_) => false,
        }
    }
    blocks.iter().any(|block| inside(block, part))
}
