//! The turn of one chat: who is being served, what the agent does next, what waits.
//!
//! ```text
//!          message                    questions                 last answer
//!   idle ----------> running(model) ------------> awaiting ------------------> running(model)
//!    ^                 |   ^   | tools               | dismissal
//!    |                 |   +---+ running(tools)      |
//!    +-----------------+-----------------------------+   the oldest queued message is promoted
//!        finished, failed
//! ```
//!
//! It owes *continuing* (a model step, or the server tools of one), *posting* (`render`), *replying* (`post`, one part
//! after the other) and *promoting* (checking who sent the oldest queued message). A step's text is posted before its
//! questions; everything else goes side by side.

mod machine;

use alloc::string::String;
use alloc::vec::Vec;

use self::machine::Machine;
use crate::actor::Actor;
use crate::ids::CallId;
use crate::owed::{Attempt, Failure, Owed};
use crate::policy::Policy;
use crate::question::{MESSAGES_MAX, Message, Outcome, PieceState, Question};
use crate::time::Timestamp;
use crate::tool;

/// What the conversation is told when a turn fails.
pub const TURN_FAILED: &str = "Sorry, that request failed.";
/// The most parts of replies that wait to be posted; a step whose text has more loses the rest, which stays in the chat.
pub const OUTBOX_MAX: usize = 200;

/// The turn of a chat.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Turn {
    /// What is being worked on; none while the chat is idle.
    pub run: Option<Run>,
    /// Numbers of the chat messages that wait for their turn, oldest first.
    pub queue: Vec<u64>,
    /// Parts of replies that are not posted yet, in order.
    pub outbox: Vec<Part>,
    /// A model step, or the server tools of one. Its deadline is the turn's lease.
    pub continuing: Owed,
    /// `render`.
    pub posting: Owed,
    /// `post` of the first part in the outbox.
    pub replying: Owed,
    /// Identity and access of the oldest queued message.
    pub promoting: Owed,
    /// How many calls the chat has made; numbers their ids.
    pub calls_made: u64,
    /// How many parts were ever queued; numbers them.
    pub parts_made: u64,
}

/// One person's message being worked on.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Run {
    /// The number of the chat message that started it.
    pub message: u64,
    /// Who sent it: the identity of every step, whoever answers in between.
    pub actor: Actor,
    /// The number of the assistant message that all its steps go into, once the first is saved.
    pub assistant: Option<u64>,
    /// Model steps taken.
    pub steps: u32,
    /// What the agent does next.
    pub work: Work,
}

/// What the agent does next.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Work {
    /// Ask the model for a step.
    Model,
    /// Run the server tools that the last step called.
    Tools,
    /// Wait for the answers to these calls, in the order of the step.
    Answers(Vec<Pending>),
}

/// A question call of the step that waits.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Pending {
    /// Our id.
    pub call: CallId,
    /// What is asked.
    pub input: tool::Input,
    /// Whether a record was made of it. A record that expired counts as not posted, from the next message on.
    pub posted: bool,
    /// Whether its end is recorded.
    pub settled: bool,
    /// How many records were made of it: a card whose record expired is posted again, and that is another post.
    pub generation: u32,
    /// Messages that a lost `render` posted for it; the record takes them over.
    pub strays: Vec<Message>,
}

impl Pending {
    /// Keeps what a lost `render` posted; each message once, the newest of too many.
    fn keep(&mut self, messages: &[Message]) {
        for message in messages {
            if self.strays.iter().all(|stray| stray.id != message.id) {
                self.strays.push(message.clone());
            }
        }
        let surplus = self.strays.len().saturating_sub(MESSAGES_MAX);
        self.strays.drain(..surplus);
    }
}

/// One part of a reply.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Part {
    /// Rises by one with every part of the chat.
    pub number: u64,
    /// The number of the first part of the reply this one belongs to.
    pub reply: u64,
    /// What to post, as `split` returned it.
    pub text: String,
}

/// What the model's step was.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ModelStep {
    /// The number of the assistant message it was saved in.
    pub assistant: u64,
    /// Its text in parts; none when it said nothing.
    pub parts: Vec<String>,
    /// What comes after it.
    pub next: Next,
}

/// What comes after a model step.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Next {
    /// The turn is over.
    Finish,
    /// Server tools have to run, or calls became errors that the model has to see.
    Tools,
    /// Participants have to answer. Ids are the next ones of [`Turn::call_id`].
    Questions(Vec<(CallId, tool::Input)>),
}

/// One entry of what `render` returned.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Rendered {
    /// The calls it covers.
    pub calls: Vec<CallId>,
    /// What was posted.
    pub messages: Vec<Message>,
    /// What the piece stored.
    pub state: Option<PieceState>,
}

/// What can happen to a turn.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Event {
    /// A participant with access said something that answers no question. `live` are the calls with a record.
    Message {
        /// The number under which the message is saved in the chat.
        message: u64,
        /// Who sent it.
        actor: Actor,
        /// The calls of the conversation that have a record.
        live: Vec<CallId>,
    },
    /// A participant with access said something that does not fit behind the turn any more: what stopped responding is
    /// posted again all the same. `live` as above.
    Revive {
        /// The calls of the conversation that have a record.
        live: Vec<CallId>,
    },
    /// The sender of the oldest queued message was checked: none when access is denied.
    Promoted(Attempt, Result<Option<Actor>, Failure>),
    /// The model took a step, which the same commit saves.
    StepEnded(Attempt, Result<ModelStep, Failure>),
    /// The server tools of the last step ended; the same commit saves their results.
    ToolsEnded(Attempt, Result<(), Failure>),
    /// `render` returned.
    RenderEnded(Attempt, Result<Vec<Rendered>, Failure>),
    /// `render` says that what it was asked to post cannot be shown here, and why: the model is told.
    RenderRefused(Attempt, String),
    /// `post` returned.
    PostEnded(Attempt, Result<(), Failure>),
    /// A question ended, in the same commit.
    CallSettled(CallId, Outcome),
    /// The piece cannot read the state of this call's record any more; the same commit deletes the record.
    CallUnreadable(CallId, Vec<Message>),
    /// Time passed. The lease, if somebody holds it: which attempt, until when.
    Tick(Option<(Attempt, Timestamp)>),
}

/// What is to be done, in the same commit or once it is confirmed.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Effect {
    /// Commit: save these new records.
    Open(Vec<Question>),
    /// Commit: these messages show a call that has a record already; hand them to it.
    Link(CallId, Vec<Message>),
    /// Commit: the step's other calls, settled as cancelled.
    Cancel(Vec<CallId>),
    /// Commit: these calls of the step become errors with this reason.
    FailCalls(Vec<CallId>, String),
    /// Commit: tool calls of the assistant message with no result yet become errors.
    FailTools,
    /// Commit: this queued message is not shown to the model.
    Drop(u64),
    /// Act: show that work on a message has begun. Never retried.
    Started(u64),
    /// Act: ask the model for a step.
    RunModel(Attempt),
    /// Act: run the server tools of the last step.
    RunTools(Attempt),
    /// Act: post these calls.
    Render(Attempt, Vec<CallId>),
    /// Act: post the first part of the outbox.
    Post(Attempt),
    /// Act: resolve who sent this queued message and whether they may.
    CheckQueued(Attempt, u64),
}

/// Why nothing happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reason {
    /// The attempt is not the one under way.
    NotCurrent,
    /// Nothing is due yet.
    Early,
    /// The call is not pending in the current step.
    NotPending,
    /// As many messages wait as may.
    QueueFull,
}

/// What a step leads to.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[expect(
    clippy::large_enum_variant,
    reason = "returned once and taken apart at once, never stored"
)]
pub enum Step {
    /// Commit the state, then perform the effects in order.
    Advance(Turn, Vec<Effect>),
    /// Nothing changes.
    Stay(Reason),
    /// Not now; the caller has to say so.
    Refuse(Reason),
}

/// The three states of a chat, as the API names them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum State {
    /// Nothing is being worked on.
    Idle,
    /// The agent works.
    Running,
    /// Participants have to answer.
    Awaiting,
}

impl Turn {
    /// The turn of a new chat.
    pub const fn idle() -> Self {
        Self {
            run: None,
            queue: Vec::new(),
            outbox: Vec::new(),
            continuing: Owed::NOTHING,
            posting: Owed::NOTHING,
            replying: Owed::NOTHING,
            promoting: Owed::NOTHING,
            calls_made: 0,
            parts_made: 0,
        }
    }

    /// Which of its three states the chat is in.
    pub fn state(&self) -> State {
        match self.run.as_ref().map(|run| &run.work) {
            None => State::Idle,
            Some(Work::Model | Work::Tools) => State::Running,
            Some(Work::Answers(_)) => State::Awaiting,
        }
    }

    /// The id of the `index`th call of the next step that asks.
    pub fn call_id(&self, index: u64) -> CallId {
        CallId::numbered(self.calls_made.saturating_add(index).saturating_add(1))
    }

    /// The calls that wait for an answer; none unless the chat is awaiting.
    pub fn pending(&self) -> &[Pending] {
        match self.run.as_ref().map(|run| &run.work) {
            Some(Work::Answers(pending)) => pending,
            Some(Work::Model | Work::Tools) | None => &[],
        }
    }

    /// When a tick has something to do.
    pub fn next_wake(&self) -> Option<Timestamp> {
        let owed = [&self.continuing, &self.posting, &self.replying, &self.promoting];
        owed.into_iter().filter_map(Owed::next_wake).min()
    }

    /// The turn after the process that ran its attempts is gone: a tick makes them again at once.
    pub fn orphaned(&self, now: Timestamp) -> Self {
        let mut next = self.clone();
        for owed in [
            &mut next.continuing,
            &mut next.posting,
            &mut next.replying,
            &mut next.promoting,
        ] {
            owed.orphaned(now);
        }
        next
    }

    /// The next state. Total: every event in every state has an answer. `seed` spreads retries.
    pub fn step(&self, event: Event, now: Timestamp, policy: &Policy, seed: u64) -> Step {
        let mut machine = Machine {
            turn: self.clone(),
            effects: Vec::new(),
            now,
            policy,
            seed,
        };
        match machine.take(event) {
            Ok(()) => {
                machine.pump();
                Step::Advance(machine.turn, machine.effects)
            }
            Err(reason @ Reason::QueueFull) => Step::Refuse(reason),
            Err(reason @ (Reason::NotCurrent | Reason::Early | Reason::NotPending)) => Step::Stay(reason),
        }
    }
}
