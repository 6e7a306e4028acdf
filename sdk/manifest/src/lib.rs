//! The manifest of a piece: what it is, what it asks for, how its platform proves itself.
//!
//! A `.wasm` carries its manifest as JSON in the custom section [`SECTION`], so that it can be read, shown and refused
//! without running anything. Authors write the same thing as `piece.toml`. Unknown keys are refused, everywhere.
//!
//! This crate is shared by who writes manifests (the piece tool) and who reads them (the runtime, the gateway); it
//! depends on neither.

mod author;
mod nearest;
mod section;
mod validate;
mod wasi;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

pub use author::AuthorProblem;
pub use section::{SECTION, SectionProblem, embed, read};
pub use validate::{
    EXAMPLES_MAX, LINE_CHARS_MAX, NAME_CHARS_MAX, Problem, REPLAY_WINDOW_S_MAX, REQUEST_BYTES_MAX,
    RESPONSE_BYTES_MAX, TIMEOUT_MS_MAX, check_name,
};
pub use wasi::is_empty_wasi;

/// The version of the contract (`wit/`) that this build speaks.
pub const WORLD: &str = "0.1";
/// The largest manifest, in bytes: a hundred slots and options with a line of text each stay far below it.
pub const MANIFEST_BYTES_MAX: usize = 64 * 1024;

/// What a piece says of itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// `[a-z][a-z0-9-]{0,39}`.
    pub name: String,
    /// Semantic version of the piece.
    pub version: semver::Version,
    /// The contract's version it was built for, such as `0.1`.
    pub world: String,
    /// One line: what it is.
    pub description: String,
    /// SPDX expression.
    pub licence: String,
    /// Where its source is, a URL or a path; may be empty.
    #[serde(default)]
    pub source: String,
    /// Which optional hooks it has; one that is not here is not called.
    #[serde(default)]
    pub hooks: Vec<OptionalHook>,
    /// Whether everybody in the conversation sees its notices.
    #[serde(default)]
    pub notices_public: bool,
    /// Where it sends requests, by slot id.
    #[serde(default)]
    pub slots: BTreeMap<String, Slot>,
    /// The secrets it needs, by name, each with a line for people.
    #[serde(default)]
    pub secrets: BTreeMap<String, String>,
    /// How the platform's requests are verified. A channel whose piece has none is not mounted.
    pub verification: Verification,
    /// The options an operator may set, by name.
    #[serde(default)]
    pub options: BTreeMap<String, OptionSpec>,
    /// What its pure hooks make of something: tried by every host before it switches to the piece, and by its author's checks.
    /// At most 32.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub examples: Vec<Example>,
}

/// Something that happens, and what a pure hook makes of it. It must hold at any time and with any options.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Example {
    /// One line for people: what it shows.
    pub name: String,
    /// What happens.
    #[serde(flatten)]
    pub happens: Happens,
}

/// What happens in an example, by the hook that is called.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "hook", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Happens {
    /// A request of the platform, verified already.
    Receive {
        /// Its method, in upper case.
        #[serde(default = "default_method")]
        method: String,
        /// What follows the channel's route, with the query.
        #[serde(default)]
        path: String,
        /// Its headers, names in lower case.
        #[serde(default)]
        headers: BTreeMap<String, String>,
        /// Its body.
        body: String,
        /// The kinds of the events that it is, in their order; none: it is nothing for an agent.
        events: Vec<EventKind>,
    },
    /// A text that is to be posted.
    Split {
        /// The text.
        text: String,
        /// Into how many messages it goes.
        parts: usize,
    },
}

fn default_method() -> String {
    "POST".to_owned()
}

/// The kind of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EventKind {
    /// A button pressed or a menu picked.
    Action,
    /// A submitted form.
    ModalSubmit,
    /// A message.
    Message,
}

/// The hooks a piece may leave out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[expect(missing_docs, reason = "each is the hook of the same name in wit/")]
pub enum OptionalHook {
    Connect,
    Identity,
    Started,
    Edit,
    Remove,
    Supports,
    Updated,
    Rejected,
    Denied,
    Stale,
}

/// One place a piece may send requests to, and how.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Slot {
    /// `https://host[:port][/path]`, without query and without a trailing slash. The operator may override it. Empty: there
    /// is no default, the operator must configure it.
    #[serde(default)]
    pub base: String,
    /// One line for the operator: what it is used for.
    pub purpose: String,
    /// Methods in upper case.
    pub methods: Vec<String>,
    /// Patterns of paths below the base, each beginning with `/`: literal segments, `*` for one segment, `**` at the end for any number.
    pub paths: Vec<String>,
    /// How the host authenticates.
    #[serde(default)]
    pub auth: Auth,
    /// The largest request body, at most 1 MiB.
    #[serde(default = "default_request_bytes")]
    pub request_bytes_max: usize,
    /// The largest response body, at most 4 MiB.
    #[serde(default = "default_response_bytes")]
    pub response_bytes_max: usize,
    /// How long a request may take in milliseconds, at most 30,000.
    #[serde(default = "default_timeout_ms")]
    pub timeout_ms: u64,
}

const fn default_request_bytes() -> usize {
    256 * 1024
}

const fn default_response_bytes() -> usize {
    1024 * 1024
}

const fn default_timeout_ms() -> u64 {
    10_000
}

/// How the host authenticates the requests of a slot. The secret is named in the manifest's `secrets`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Auth {
    /// Not at all.
    #[default]
    #[serde(deserialize_with = "nothing_else")]
    None,
    /// `authorization: Bearer <secret>`.
    Bearer {
        /// The secret's name.
        secret: String,
    },
    /// A header with the secret as its value.
    Header {
        /// The header's name, lower case.
        name: String,
        /// What stands before the secret in the value.
        #[serde(default)]
        prefix: String,
        /// The secret's name.
        secret: String,
    },
    /// In the path, between the base and the request's path: `/<prefix><secret>`.
    Path {
        /// What stands before the secret in its segment, such as `bot`.
        #[serde(default)]
        prefix: String,
        /// The secret's name.
        secret: String,
    },
}

/// serde's own reading of a unit variant ignores every other key.
fn nothing_else<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<(), D::Error> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Nothing {}
    Nothing::deserialize(deserializer).map(|Nothing {}| ())
}

/// How the platform's requests are verified, by the host, over the raw bytes, before the piece sees them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Verification {
    /// HMAC-SHA256 over the concatenation of `signed`.
    HmacSha256 {
        /// The secret's name.
        secret: String,
        /// The header with the signature, lower case.
        header: String,
        /// What stands before the signature in the header, such as `v0=`.
        #[serde(default)]
        prefix: String,
        /// How the signature is written.
        encoding: Encoding,
        /// What is signed, piece by piece.
        signed: Vec<Signed>,
        /// When it was signed, and how far that may be from now.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        replay: Option<Replay>,
    },
    /// Ed25519 over the concatenation of `signed`.
    Ed25519 {
        /// The name of the secret that holds the public key in hex.
        key: String,
        /// The header with the signature in hex, lower case.
        header: String,
        /// What is signed, piece by piece.
        signed: Vec<Signed>,
        /// When it was signed, and how far that may be from now.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        replay: Option<Replay>,
    },
    /// A header equal to a secret.
    SharedSecret {
        /// The secret's name.
        secret: String,
        /// The header, lower case.
        header: String,
        /// What stands before the secret in the header, such as `Bearer `.
        #[serde(default)]
        prefix: String,
    },
}

/// How a signature is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Encoding {
    /// Hexadecimal, either case.
    Hex,
    /// Standard Base64 with padding.
    Base64,
}

/// A piece of the signed string.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Signed {
    /// This text.
    Text(String),
    /// The value of this header, lower case.
    Header(String),
    /// The raw body.
    Body,
}

/// When a request was signed, and how far that may be from now, in both directions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Replay {
    /// The header with the instant in whole seconds since 1970, lower case. It must be part of what is signed.
    pub header: String,
    /// How far it may be from now, in seconds.
    pub window_s: u64,
}

/// One option of a piece.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OptionSpec {
    /// One line for the operator.
    pub description: String,
    /// What its value is.
    #[serde(rename = "type")]
    pub kind: OptionType,
    /// Whether it must be set. One that is neither required nor has a default is left out.
    #[serde(default)]
    pub required: bool,
    /// Used when it is not set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default: Option<serde_json::Value>,
}

/// What an option's value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OptionType {
    /// Text.
    String,
    /// `true` or `false`.
    Boolean,
    /// A whole number.
    Integer,
    /// A list of texts.
    Strings,
}
