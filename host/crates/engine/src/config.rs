//! What the operator decided, checked already: the engine trusts every name in here.

use std::collections::BTreeMap;
use std::time::Duration;

use lifecycle::Policy;

use crate::access::Access;

/// Everything the engine is told at its start.
#[derive(Debug)]
pub struct Config {
    /// By name.
    pub agents: BTreeMap<String, Agent>,
    /// By name.
    pub channels: BTreeMap<String, Channel>,
    /// Who is who.
    pub users: Vec<User>,
    /// The times of the two machines.
    pub policy: Policy,
    /// The other times.
    pub times: Times,
}

/// An agent.
#[derive(Debug)]
pub struct Agent {
    /// The configured name of its model.
    pub model: String,
    /// What it is told to be and do.
    pub instructions: String,
    /// Its server tools by name, those offered to every agent included; without the question tool.
    pub tools: Vec<String>,
    /// Whether it may ask questions.
    pub questions: bool,
    /// Who may talk to it and answer it.
    pub access: Access,
}

/// A configured instance of a piece.
#[derive(Clone, Debug)]
pub struct Channel {
    /// The agent behind it.
    pub agent: String,
    /// Accounts to connect at the start; others are connected when they first send something.
    pub accounts: Vec<String>,
    /// Whether e-mails that `identity` finds make a user: a permission of the operator.
    pub trust_email: bool,
    /// Whether that holds for people of another tenant, too.
    pub trust_external_email: bool,
}

/// A configured user.
#[derive(Clone, Debug)]
pub struct User {
    /// Their id.
    pub id: String,
    /// Their e-mail addresses, compared without case.
    pub emails: Vec<String>,
    /// Who they are on the platforms.
    pub platform_ids: Vec<PlatformId>,
}

/// Somebody on a platform. Platforms give an id a meaning in one account only: elsewhere it may be somebody else's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlatformId {
    /// The channel's configured name.
    pub channel: String,
    /// The account in it.
    pub account: String,
    /// The platform's id of the person.
    pub id: String,
}

/// The times that are the engine's own.
#[derive(Clone, Copy, Debug)]
pub struct Times {
    /// How long an acting hook may take. Ends before the deadline of its attempt.
    pub hook: Duration,
    /// How long before a platform's deadline the acknowledgement is sent.
    pub acknowledge_margin: Duration,
    /// How long the profile that `identity` found is believed.
    pub identity_cache: Duration,
    /// How long a delivery is remembered: longer than any platform's last redelivery.
    pub delivery: Duration,
    /// How often a turn's lease is renewed; the lease itself is the deadline of `continuing`.
    pub lease_renewal: Duration,
    /// How long the sweep sleeps at most while what is due is being worked on, and over a store that does not nudge it.
    pub sweep: Duration,
}

impl Times {
    /// The times of `DECISIONS.md`.
    pub const STANDARD: Self = Self {
        hook: Duration::from_secs(25),
        acknowledge_margin: Duration::from_millis(500),
        identity_cache: Duration::from_secs(600),
        delivery: Duration::from_secs(4 * 24 * 3600),
        lease_renewal: Duration::from_secs(20),
        sweep: Duration::from_secs(1),
    };
}
