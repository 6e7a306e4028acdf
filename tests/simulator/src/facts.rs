//! What can be seen from outside: what people did, what the platforms and the model were told, and when something was
//! disturbed. The checker knows nothing else.

use std::collections::BTreeMap;
use std::time::Duration;

/// A conversation, by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Place(pub(crate) usize);

/// What people did, by its number; it is the number of the delivery, too.
pub(crate) type ActId = usize;

/// Something a person did.
#[derive(Clone, Debug)]
pub(crate) struct Act {
    pub(crate) person: &'static str,
    pub(crate) place: Place,
    pub(crate) at: Duration,
    pub(crate) what: What,
}

/// What a person did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum What {
    /// Wrote to the agent; the word is in no other message.
    Says { word: String },
    /// Wrote what may be an answer to an open question.
    Types { word: String },
    /// Pressed a button.
    Clicks {
        message: String,
        ask: String,
        step: usize,
        choice: Choice,
    },
}

/// What a button means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Choice {
    Option(usize),
    Dismiss,
}

/// One request of a platform.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    pub(crate) act: ActId,
    pub(crate) at: Duration,
    /// When and how it was answered, if the platform still waited.
    pub(crate) answered: Option<(Duration, Answer)>,
}

/// How a request was answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    /// With 200.
    Acknowledged,
    /// With an error, or the connection broke.
    Failed,
}

/// Somebody was told something about what they did.
#[derive(Clone, Debug)]
pub(crate) struct Told {
    pub(crate) act: ActId,
    /// `rejected: …`, `denied`, `stale`.
    pub(crate) what: String,
}

/// A call of an acting hook.
#[derive(Clone, Debug)]
pub(crate) struct Hook {
    pub(crate) at: Duration,
    pub(crate) host: u64,
    pub(crate) place: Place,
    pub(crate) key: [u8; 16],
    /// What the host says which attempt of the series it is.
    pub(crate) attempt: u32,
    pub(crate) about: About,
    /// When it first changed something on the platform.
    pub(crate) acted: Option<Duration>,
    /// When it last did.
    pub(crate) acted_last: Option<Duration>,
    pub(crate) end: End,
}

/// What a hook was called for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum About {
    /// `post`.
    Post { text: String },
    /// `render` of these questions.
    Render { asks: Vec<String> },
    /// `updated`, with the act if it was given.
    Updated { ask: String, act: Option<ActId> },
    /// `settled`.
    Settled {
        ask: String,
        ending: String,
        actor: Option<String>,
    },
    /// `rejected`, `denied`, `stale`.
    Notice { act: ActId },
    /// `identity`.
    Identity { person: String },
}

/// How a hook call ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// Not yet, or its host died.
    Open,
    /// It returned.
    Returned,
    /// The platform said when to come back.
    Limited,
    /// It failed.
    Failed,
}

/// The model was asked for a step.
#[derive(Clone, Debug)]
pub(crate) struct Step {
    pub(crate) key: [u8; 16],
    /// The words of the people's messages that it saw, oldest first.
    pub(crate) words: Vec<String>,
    /// What it saw of itself after each word: all steps of a turn.
    pub(crate) turns: BTreeMap<String, Vec<Saw>>,
}

/// What the model saw of an earlier step of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Saw {
    /// Its text, by the number of the request that gave it.
    Said(usize),
    /// A question, and how it ended.
    Asked { ask: String, ending: Option<String> },
    /// A tool's result, by the number of the request that called it.
    Tool { by: usize, result: Option<String> },
}

/// A host was disturbed: what it had under way may be lost.
#[derive(Clone, Debug)]
pub(crate) struct Disturbance {
    pub(crate) from: Duration,
    pub(crate) until: Duration,
    pub(crate) host: u64,
}

/// A card that has buttons when everything has healed and nobody has touched it yet.
#[derive(Clone, Debug)]
pub(crate) struct LeftOpen {
    pub(crate) message: String,
    pub(crate) ask: String,
}

/// All of it.
#[derive(Debug, Default)]
pub(crate) struct Facts {
    pub(crate) acts: Vec<Act>,
    pub(crate) requests: Vec<Request>,
    pub(crate) told: Vec<Told>,
    pub(crate) hooks: Vec<Hook>,
    pub(crate) steps: Vec<Step>,
    pub(crate) disturbances: Vec<Disturbance>,
    /// Runs of the server tool by the key they carried, with the number of the request that called it.
    pub(crate) tool_runs: Vec<([u8; 16], usize)>,
    /// The cards with buttons when everything has healed.
    pub(crate) left_open: Vec<LeftOpen>,
    /// When that was.
    pub(crate) rested_at: Duration,
}

/// Who may.
pub(crate) const PEOPLE: [&str; 3] = ["ada", "bob", "cleo"];
/// Who may not.
pub(crate) const OUTSIDER: &str = "mallory";

/// Whether somebody has access.
pub(crate) fn may(person: &str) -> bool {
    PEOPLE.contains(&person)
}
