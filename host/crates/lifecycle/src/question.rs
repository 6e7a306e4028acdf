//! One question call, from the message that shows it to the message that closes it.
//!
//! ```text
//!            partial                    answer, dismissal, cancelled
//!   open ---------------> advancing ----------------------------------> settled ------> closed
//!    ^  <----------------    (updated owed)          (settled owed)          <-----
//!             updated                                                  a message found late
//! ```
//!
//! The record exists from the commit of what `render` returned; until then the call is pending in its [`turn`].
//! Evidence (what `parse` said, what the access check ruled) is tied to the revision it was made from; the shell's
//! compare-and-set ties it to the whole record.
//!
//! [`turn`]: crate::turn

mod step;

use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

use crate::actor::Actor;
use crate::ids::{CallId, MessageId};
use crate::owed::{Attempt, Failure, Owed};
use crate::policy::Policy;
use crate::time::{Millis, Timestamp};
use crate::tool;

/// What a participant is told while the next question is not visible yet (the specification's words).
pub const STILL_POSTING: &str = "The next question is still posting — try again in a moment.";

/// How many attempts a record may number before its numbers run into those of the call's next record: more than a card that is
/// redrawn every second for eighteen hours has.
const ATTEMPTS_MAX: u32 = 1 << 16;
/// The shortest delay of a redraw that a piece puts off, and the longest (the contract's): platforms limit edits to about one a second.
pub const REDRAW_AFTER: (Millis, Millis) = (Millis::seconds(1), Millis::seconds(60));

/// The most messages a record links, current ones and older ones together. A question that was posted anew a hundred
/// times forgets its oldest links first; their clicks are then answered like those of an expired record.
pub const MESSAGES_MAX: usize = 100;

/// A platform message that belongs to the call.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Message {
    /// The platform's id.
    pub id: MessageId,
    /// When the platform posted it, or when it was saved where the platform does not tell.
    pub posted_at: Timestamp,
    /// Index into the input's questions.
    pub question: Option<u32>,
}

/// What the piece stored, as JSON text.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PieceState {
    /// The piece's own JSON.
    pub json: String,
    /// The version of the piece that wrote it.
    pub written_by: String,
}

/// How a question ended.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// Answered.
    Answered(tool::Output),
    /// Dismissed by a participant.
    Dismissed,
    /// Another call of the same step was dismissed, which ended the turn. Hooks see it as dismissed.
    Cancelled,
}

/// A recorded end.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Settlement {
    /// How it ended.
    pub outcome: Outcome,
    /// Who did it; none for a cancelled call.
    pub actor: Option<Actor>,
    /// When it was recorded.
    pub at: Timestamp,
}

/// The record of one call.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Question {
    /// The call's id.
    pub call: CallId,
    /// What was asked.
    pub input: tool::Input,
    /// The call's messages, oldest first, never empty. The last is the current one.
    pub messages: Vec<Message>,
    /// Messages that left the list, or that a lost attempt created; a click on one is out of date. The latter are in
    /// the list too and stay in it, whatever a piece that did not know of them returns, so that they are closed.
    pub older: Vec<MessageId>,
    /// 0 when posted, one higher with each partial answer.
    pub revision: u64,
    /// What the piece stored.
    pub state: Option<PieceState>,
    /// How it ended, once it has.
    pub settlement: Option<Settlement>,
    /// Whether the current question is not visible yet.
    pub still_posting: bool,
    /// `updated`.
    pub advancing: Owed,
    /// `settled`.
    pub closing: Owed,
    /// When the record last changed: an open one expires some time after this.
    pub changed_at: Timestamp,
}

/// Which message an interaction aims at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Target {
    /// The record's current message.
    Current,
    /// A message that is linked and not current.
    Older,
    /// The conversation: a reply in the thread.
    Conversation,
}

/// What `parse` said.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Parsed {
    /// Not for this question.
    Ignore,
    /// An answer, not validated yet.
    Answer(tool::Output),
    /// A dismissal.
    Dismiss,
    /// Progress, with the new state if there is one.
    Partial(Option<PieceState>),
    /// Not acceptable, with a reason for the participant.
    Rejected(String),
    /// Out of date.
    Stale,
}

/// What the access check ruled.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Access {
    /// Nobody has looked yet.
    Unresolved,
    /// May not answer.
    Denied,
    /// May answer.
    Granted(Actor),
}

/// Everything known about an interaction.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Evidence {
    /// The revision `parsed` was made from.
    pub revision: u64,
    /// What it aims at.
    pub target: Target,
    /// What the piece says it means.
    pub parsed: Parsed,
    /// Who may.
    pub access: Access,
    /// Whether the piece has `updated`.
    pub updates: bool,
}

/// What `updated` or `settled` asks to save.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default)]
pub struct Change {
    /// Replaces the whole list. Empty counts as none.
    pub messages: Option<Vec<Message>>,
    /// Replaces the state.
    pub state: Option<PieceState>,
    /// Draw again after this long, because the platform limits redraws.
    pub redraw_after: Option<Millis>,
}

/// What can happen to a question.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Event {
    /// Somebody did something.
    Interaction(Evidence),
    /// `updated` returned.
    UpdatedEnded(Attempt, Result<Change, Failure>),
    /// `settled` returned.
    SettledEnded(Attempt, Result<Change, Failure>),
    /// Another call of the step was dismissed.
    Cancelled,
    /// A message that shows this call turned up: a post whose result was lost.
    Found(Message),
    /// Time passed.
    Tick,
}

/// What is to be done once the new state is committed.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Effect {
    /// Call `updated`.
    CallUpdated(Attempt),
    /// Call `settled` with the recorded settlement.
    CallSettled(Attempt),
    /// Tell the participant.
    Tell(Notice),
    /// Tell the turn how the call ended, in the same commit.
    Settle(Outcome),
}

/// What the participant of an interaction is told, by the hook of the same name.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Notice {
    /// Not recorded, and why.
    Rejected(String),
    /// May not answer.
    Denied,
    /// Out of date.
    Stale,
}

/// Why nothing happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reason {
    /// The interaction is not for this question.
    NotOurs,
    /// Made from another revision: gather the evidence again.
    Outdated,
    /// The participant has to be resolved first.
    AccessRequired,
    /// The attempt is not the one under way and created nothing new.
    NotCurrent,
    /// Already settled.
    AlreadySettled,
    /// Nothing is due yet.
    Early,
}

/// What a step leads to.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[expect(
    clippy::large_enum_variant,
    reason = "returned once and taken apart at once, never stored"
)]
pub enum Step {
    /// Commit the state, then perform the effects in order.
    Advance(Question, Vec<Effect>),
    /// Nothing changes and nobody has to be told.
    Stay(Reason),
    /// The evidence does not suffice.
    Refuse(Reason),
}

impl Question {
    /// A question as it was posted: revision 0. `messages` must not be empty.
    pub fn posted(
        call: CallId,
        input: tool::Input,
        messages: Vec<Message>,
        state: Option<PieceState>,
        now: Timestamp,
    ) -> Self {
        let mut record = Self {
            call,
            input,
            messages,
            older: Vec::new(),
            revision: 0,
            state,
            settlement: None,
            still_posting: false,
            advancing: Owed::NOTHING,
            closing: Owed::NOTHING,
            changed_at: now,
        };
        record.bound_links();
        record
    }

    /// A call that ended before it had a record, though a lost `render` had posted it: nothing but its closing is owed,
    /// from now on. `messages` must not be empty.
    pub fn leftover(call: CallId, input: tool::Input, messages: Vec<Message>, now: Timestamp) -> Self {
        let mut record = Self::posted(call, input, messages, None, now);
        record.settlement = Some(Settlement {
            outcome: Outcome::Cancelled,
            actor: None,
            at: now,
        });
        record.closing.due_at(now);
        record
    }

    /// Another entry of the same `render` covers the call too: its messages are the call's as well.
    pub(crate) fn covered_again(&mut self, messages: &[Message], state: Option<&PieceState>) {
        for message in messages {
            if self.target_of(&message.id).is_none() {
                self.messages.push(message.clone());
            }
        }
        self.state = self.state.take().or_else(|| state.cloned());
        self.bound_links();
    }

    /// Every message that leads to this call, each once: those of the list and the older ones.
    pub fn links(&self) -> impl Iterator<Item = &MessageId> {
        let listed = self.messages.iter().map(|message| &message.id);
        let gone = self
            .older
            .iter()
            .filter(|id| !self.messages.iter().any(|message| message.id == **id));
        listed.chain(gone)
    }

    /// The numbers of this record's attempts, when it is the call's `generation`th (1 is the first): a late result of an
    /// earlier record's attempt must not pass for one of this record's.
    #[must_use]
    pub fn of_generation(mut self, generation: u32) -> Self {
        let first = generation.saturating_sub(1).saturating_mul(ATTEMPTS_MAX);
        self.advancing.last = first;
        self.closing.last = first;
        self
    }

    /// Which record of its call this is; 1 is the first.
    pub fn generation(&self) -> u32 {
        self.closing.last / ATTEMPTS_MAX + 1
    }

    /// What a click on `message` aims at, if the record links it.
    pub fn target_of(&self, message: &MessageId) -> Option<Target> {
        if self.messages.last().is_some_and(|current| current.id == *message) {
            return Some(Target::Current);
        }
        let linked = self.messages.iter().any(|m| m.id == *message) || self.older.contains(message);
        linked.then_some(Target::Older)
    }

    /// Whether it can still be answered.
    pub fn is_open(&self) -> bool {
        self.settlement.is_none()
    }

    /// When the record ends.
    pub fn expires_at(&self, policy: &Policy) -> Timestamp {
        match &self.settlement {
            Some(settlement) => settlement.at + policy.settled_for,
            None => self.changed_at + policy.open_for,
        }
    }

    /// When a tick has something to do.
    pub fn next_wake(&self) -> Option<Timestamp> {
        [self.advancing.next_wake(), self.closing.next_wake()]
            .into_iter()
            .flatten()
            .min()
    }

    /// The record after the process that ran its attempts is gone: a tick makes them again at once.
    pub fn orphaned(&self, now: Timestamp) -> Self {
        let mut next = self.clone();
        next.advancing.orphaned(now);
        next.closing.orphaned(now);
        next
    }

    /// The next state. Total: every event in every state has an answer.
    pub fn step(&self, event: Event, now: Timestamp, policy: &Policy) -> Step {
        match event {
            Event::Interaction(evidence) => self.interaction(evidence, now, policy),
            Event::UpdatedEnded(attempt, result) => self.updated_ended(attempt, result, now, policy),
            Event::SettledEnded(attempt, result) => self.settled_ended(attempt, result, now, policy),
            Event::Cancelled if self.is_open() => self.settle(Outcome::Cancelled, None, now, policy),
            Event::Cancelled => Step::Stay(Reason::AlreadySettled),
            Event::Found(message) => self.found(vec![message], now, policy),
            Event::Tick => self.tick(now, policy),
        }
    }
}
