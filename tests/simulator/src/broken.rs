//! Worlds in which one rule does not hold, each made from outside the engine. The checker has to notice every one of them:
//! a rule whose absence nobody notices is not tested.

/// A rule that is taken away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// The store writes whatever the versions are.
    CompareAndSet,
    /// The store does not look at the versions of records, from which rulings were made.
    Evidence,
    /// The store writes only a part of a batch when a host dies or a write is disturbed.
    OneBatch,
    /// The store confirms a write before it applies it, and may lose it.
    CommitThenAct,
    /// A write of unknown outcome counts as done.
    UnknownIsNotDone,
    /// Every host believes that the attempt it began last is the current one.
    AttemptNumbers,
    /// What a lost attempt created is not kept.
    StraysAreKept,
    /// A running attempt has no deadline.
    Deadline,
    /// Wake times of some documents are lost.
    WakeTime,
    /// A hook of a paused host still sends after its limit.
    WakesUpMute,
    /// Messages are acknowledged before they are durable.
    DurableBeforeAcknowledged,
    /// A redelivery is not recognised.
    Redelivery,
    /// Idempotency keys name the attempt.
    KeysOfHooks,
    /// The model's keys name the attempt.
    KeysOfSteps,
    /// Nobody is asked for access.
    Access,
    /// A settled question does not owe its closing.
    Closing,
    /// An answered question does not owe the continuation.
    Continuing,
    /// Attempts are not counted.
    AttemptsCounted,
    /// A document that has expired comes back.
    Expiry,
}

impl Rule {
    /// Every rule, in the order of the table.
    pub const ALL: [Self; 19] = [
        Self::CompareAndSet,
        Self::Evidence,
        Self::OneBatch,
        Self::CommitThenAct,
        Self::UnknownIsNotDone,
        Self::AttemptNumbers,
        Self::StraysAreKept,
        Self::Deadline,
        Self::WakeTime,
        Self::WakesUpMute,
        Self::DurableBeforeAcknowledged,
        Self::Redelivery,
        Self::KeysOfHooks,
        Self::KeysOfSteps,
        Self::Access,
        Self::Closing,
        Self::Continuing,
        Self::AttemptsCounted,
        Self::Expiry,
    ];

    /// Its name on a command line.
    pub fn name(self) -> String {
        let mut name = String::new();
        for c in format!("{self:?}").chars() {
            if c.is_ascii_uppercase() && !name.is_empty() {
                name.push('-');
            }
            name.push(c.to_ascii_lowercase());
        }
        name
    }

    /// What is taken away, and which rule that is.
    pub const fn says(self) -> &'static str {
        match self {
            Self::CompareAndSet => "5: the store writes whatever the versions are",
            Self::Evidence => "a ruling is not tied to the version that it was made from",
            Self::OneBatch => "answer, closing and continuation are not one write",
            Self::CommitThenAct => "2: a write is confirmed before it is applied, and may be lost",
            Self::UnknownIsNotDone => "2: a write of unknown outcome counts as done",
            Self::AttemptNumbers => "3: results of lost attempts decide",
            Self::StraysAreKept => "3: what a lost attempt created is forgotten",
            Self::Deadline => "4: an attempt under way has no deadline",
            Self::WakeTime => "4: wake times are lost",
            Self::WakesUpMute => "5: a paused host sends after its limit",
            Self::DurableBeforeAcknowledged => "6: a message is acknowledged before it is durable",
            Self::Redelivery => "6: a redelivery is not recognised",
            Self::KeysOfHooks => "a hook's idempotency key names the attempt",
            Self::KeysOfSteps => "a step's idempotency key names the attempt",
            Self::Access => "access is not asked",
            Self::Closing => "a settled question does not owe its closing",
            Self::Continuing => "an answered question does not owe the continuation",
            Self::AttemptsCounted => "attempts are not counted",
            Self::Expiry => "an expired record comes back",
        }
    }
}
