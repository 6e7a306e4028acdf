//! A conversation as it was read, and the one way to change it: draft, commit, then act.
//!
//! A [`View`] is one snapshot. A [`Draft`] steps the machines on it: what a step orders for the same commit (opening
//! records, cancelling siblings, settling a call in the turn) is stepped at once, what it orders for afterwards is
//! collected as [`Act`]s. The commit carries every version the draft was made from.

use std::collections::BTreeMap;
use std::time::Duration;

use lifecycle::owed::Attempt;
use lifecycle::question::{self, Message, Notice, Question, Settlement};
use lifecycle::turn::{self, Pending, Turn};
use lifecycle::{CallId, Policy, Timestamp};
use ports::documents::{Partition, Version};

use crate::address::Address;
use crate::chat::{Entry, Said};
use crate::model::ToolResult;
use crate::newest::Newest;

/// What the `turn` document holds.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Chat {
    pub(crate) address: Address,
    pub(crate) turn: Turn,
    /// The highest number given to a message; see [`Draft::next_message`].
    pub(crate) messages_made: u64,
}

/// A document's content and the version it was read at.
#[derive(Clone, Debug)]
pub(crate) struct Held<T> {
    pub(crate) value: T,
    pub(crate) version: Version,
}

/// What a conversation was at one instant.
#[derive(Debug)]
pub(crate) struct View {
    pub(crate) partition: Partition,
    /// The store's clock.
    pub(crate) now: Timestamp,
    /// The host's clock before that was read.
    pub(crate) read_at: Duration,
    pub(crate) chat: Option<Held<Chat>>,
    /// The records that were asked for, newest first.
    pub(crate) questions: Vec<Held<Question>>,
    /// Whether those are all that matter, or one that somebody asked for.
    pub(crate) scope: Scope,
    pub(crate) entries: Newest,
    /// Who holds the turn's lease: which attempt, until when.
    pub(crate) lease: Option<(Attempt, Timestamp)>,
}

/// Which records a view has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scope {
    All,
    One,
}

impl View {
    /// A record, if it is among those that were read.
    pub(crate) fn question(&self, call: &CallId) -> Option<&Held<Question>> {
        self.questions.iter().find(|held| held.value.call == *call)
    }

    /// The turn; a new one where the conversation has no chat yet.
    pub(crate) fn turn(&self) -> Turn {
        self.chat
            .as_ref()
            .map_or(const { Turn::idle() }, |chat| chat.value.turn.clone())
    }
}

/// The number of the assistant message that answers a person's message.
pub(crate) const fn answer_to(message: u64) -> u64 {
    message.saturating_add(1)
}

/// What to do once the commit is confirmed.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Act {
    Started(u64),
    RunModel(Attempt),
    RunTools(Attempt),
    Render(Attempt, Vec<CallId>),
    Post(Attempt),
    CheckQueued(Attempt, u64),
    Updated(CallId, Attempt),
    Settled(CallId, Attempt),
    Tell(CallId, Notice),
}

/// A change to a message of the chat, in the same commit.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Edit {
    /// Replace or add.
    Write(Entry),
    /// Append a step to an assistant message, which may be new.
    Extend(Vec<Said>),
    /// Fill in what the server tools gave, by the index of the call in its message.
    Results(Vec<(usize, ToolResult)>),
    /// Record how a call of this assistant message ended.
    Settle(CallId, Settlement),
    /// Turn this call into an error with this reason.
    Refuse(CallId, String),
    /// Turn the calls without a result into errors.
    FailTools,
    /// Take it out.
    Remove,
}

/// What comes out of a step for the caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stepped {
    /// The draft has changed or has something to do.
    Advanced,
    /// Nothing happens.
    Stayed,
    /// The evidence does not suffice, or there is no room.
    Refused,
}

/// The next state of a conversation, before its commit.
#[derive(Debug)]
pub(crate) struct Draft<'a> {
    pub(crate) view: &'a View,
    policy: &'a Policy,
    seed: u64,
    pub(crate) turn: Turn,
    pub(crate) messages_made: u64,
    /// The records that changed or are new.
    pub(crate) questions: BTreeMap<CallId, Question>,
    /// The records to delete.
    pub(crate) deleted: Vec<CallId>,
    /// What a lost attempt posted for calls without a record.
    pub(crate) unlinked: Vec<(CallId, Vec<Message>)>,
    /// Changes to messages of the chat, by number.
    pub(crate) edits: Vec<(u64, Edit)>,
    pub(crate) acts: Vec<Act>,
}

impl<'a> Draft<'a> {
    /// Nothing changed yet. `seed` spreads retries.
    pub(crate) fn of(view: &'a View, policy: &'a Policy, seed: u64) -> Self {
        let messages_made = view.chat.as_ref().map_or(0, |chat| chat.value.messages_made);
        Self {
            view,
            policy,
            seed,
            turn: view.turn(),
            messages_made,
            questions: BTreeMap::new(),
            deleted: Vec::new(),
            unlinked: Vec::new(),
            edits: Vec::new(),
            acts: Vec::new(),
        }
    }

    /// The number of the chat's next message of a person. The number after it is left for its answer, so that what waited
    /// behind a turn comes after what the turn said, in the order of the numbers.
    pub(crate) fn next_message(&mut self) -> u64 {
        let number = self.messages_made.saturating_add(1);
        self.messages_made = answer_to(number);
        number
    }

    /// A record as the draft has it.
    pub(crate) fn current(&self, call: &CallId) -> Option<&Question> {
        self.questions
            .get(call)
            .or_else(|| self.view.question(call).map(|held| &held.value))
    }

    /// Steps the turn.
    pub(crate) fn turn(&mut self, event: turn::Event) -> Stepped {
        let assistant = self.turn.run.as_ref().and_then(|run| run.assistant);
        match self.turn.step(event, self.view.now, self.policy, self.seed) {
            turn::Step::Advance(next, effects) => {
                self.turn = next;
                // A step that was just saved names its message itself.
                let assistant = self.turn.run.as_ref().and_then(|run| run.assistant).or(assistant);
                for effect in effects {
                    self.turn_effect(effect, assistant);
                }
                Stepped::Advanced
            }
            turn::Step::Stay(_) => Stepped::Stayed,
            turn::Step::Refuse(_) => Stepped::Refused,
        }
    }

    fn turn_effect(&mut self, effect: turn::Effect, assistant: Option<u64>) {
        match effect {
            turn::Effect::Open(records) => {
                self.questions
                    .extend(records.into_iter().map(|record| (record.call.clone(), record)));
            }
            turn::Effect::Link(call, messages) => self.link(&call, messages),
            turn::Effect::Cancel(calls) => {
                for call in calls {
                    // One that was never posted has no record: only its result is written.
                    if self.question(&call, question::Event::Cancelled) != Stepped::Advanced {
                        let outcome = question::Outcome::Cancelled;
                        let settlement = Settlement {
                            outcome,
                            actor: None,
                            at: self.view.now,
                        };
                        self.edits
                            .extend(assistant.map(|number| (number, Edit::Settle(call, settlement))));
                    }
                }
            }
            turn::Effect::FailCalls(calls, reason) => {
                for call in calls {
                    let refused = Edit::Refuse(call, reason.clone());
                    self.edits.extend(assistant.map(|number| (number, refused)));
                }
            }
            turn::Effect::FailTools => {
                self.edits
                    .extend(assistant.map(|number| (number, Edit::FailTools)));
            }
            turn::Effect::Drop(message) => self.edits.push((message, Edit::Remove)),
            turn::Effect::Started(message) => self.acts.push(Act::Started(message)),
            turn::Effect::RunModel(attempt) => self.acts.push(Act::RunModel(attempt)),
            turn::Effect::RunTools(attempt) => self.acts.push(Act::RunTools(attempt)),
            turn::Effect::Render(attempt, calls) => self.acts.push(Act::Render(attempt, calls)),
            turn::Effect::Post(attempt) => self.acts.push(Act::Post(attempt)),
            turn::Effect::CheckQueued(attempt, message) => {
                self.acts.push(Act::CheckQueued(attempt, message));
            }
        }
    }

    /// Hands messages that a lost attempt posted to the record they belong to.
    pub(crate) fn link(&mut self, call: &CallId, messages: Vec<Message>) {
        if self.current(call).is_none() {
            self.unlinked.push((call.clone(), messages));
            return;
        }
        for message in messages {
            self.question(call, question::Event::Found(message));
        }
    }

    /// Gives a call that ended before it had a record one that only closes what was posted for it.
    pub(crate) fn close_unlinked(&mut self, inputs: &[Pending]) {
        for (call, messages) in std::mem::take(&mut self.unlinked) {
            let input = inputs
                .iter()
                .find(|pending| pending.call == call)
                .map(|pending| pending.input.clone());
            if let Some(input) = input.filter(|_| !messages.is_empty()) {
                let leftover = Question::leftover(call.clone(), input, messages, self.view.now);
                self.questions.insert(call, leftover);
            }
        }
    }

    /// Steps a record.
    pub(crate) fn question(&mut self, call: &CallId, event: question::Event) -> Stepped {
        let Some(current) = self.current(call) else {
            return Stepped::Stayed;
        };
        match current.step(event, self.view.now, self.policy) {
            question::Step::Advance(next, effects) => {
                self.questions.insert(call.clone(), next);
                for effect in effects {
                    self.question_effect(call, effect);
                }
                Stepped::Advanced
            }
            question::Step::Stay(_) => Stepped::Stayed,
            question::Step::Refuse(_) => Stepped::Refused,
        }
    }

    fn question_effect(&mut self, call: &CallId, effect: question::Effect) {
        match effect {
            question::Effect::CallUpdated(attempt) => self.acts.push(Act::Updated(call.clone(), attempt)),
            question::Effect::CallSettled(attempt) => {
                // A second attempt ordered by the same draft replaces the first.
                self.acts
                    .retain(|act| !matches!(act, Act::Settled(other, _) if other == call));
                self.acts.push(Act::Settled(call.clone(), attempt));
            }
            question::Effect::Tell(notice) => self.acts.push(Act::Tell(call.clone(), notice)),
            question::Effect::Settle(outcome) => self.settle(call, outcome),
        }
    }

    fn settle(&mut self, call: &CallId, outcome: question::Outcome) {
        let assistant = self.turn.run.as_ref().and_then(|run| run.assistant);
        let assistant = assistant.or_else(|| self.view.turn().run.and_then(|run| run.assistant));
        let settlement = self
            .current(call)
            .and_then(|question| question.settlement.clone());
        if let (Some(number), Some(settlement)) = (assistant, settlement) {
            self.edits.push((number, Edit::Settle(call.clone(), settlement)));
        }
        self.turn(turn::Event::CallSettled(call.clone(), outcome));
    }

    /// Whether there is anything to commit.
    pub(crate) fn is_unchanged(&self) -> bool {
        let chat = self.view.chat.as_ref();
        let turn_same = chat.is_some_and(|chat| chat.value.turn == self.turn) || self.turn == Turn::idle();
        turn_same
            && self.changed_questions().next().is_none()
            && self.deleted.is_empty()
            && self.edits.is_empty()
    }

    /// The records that differ from what was read.
    pub(crate) fn changed_questions(&self) -> impl Iterator<Item = (&Question, Option<Version>)> {
        self.questions
            .values()
            .filter_map(|question| match self.view.question(&question.call) {
                Some(held) if held.value == *question => None,
                Some(held) => Some((question, Some(held.version))),
                None => Some((question, None)),
            })
    }
}
