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

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use crate::actor::Actor;
use crate::ids::CallId;
use crate::owed::{Attempt, Failure, Owed, Phase, Ticked};
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
    /// The sender of the oldest queued message was checked: none when access is denied.
    Promoted(Attempt, Result<Option<Actor>, Failure>),
    /// The model took a step, which the same commit saves.
    StepEnded(Attempt, Result<ModelStep, Failure>),
    /// The server tools of the last step ended; the same commit saves their results.
    ToolsEnded(Attempt, Result<(), Failure>),
    /// `render` returned.
    RenderEnded(Attempt, Result<Vec<Rendered>, Failure>),
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

/// One step in progress.
struct Machine<'a> {
    turn: Turn,
    effects: Vec<Effect>,
    now: Timestamp,
    policy: &'a Policy,
    seed: u64,
}

impl Machine<'_> {
    fn take(&mut self, event: Event) -> Result<(), Reason> {
        match event {
            Event::Message { message, actor, live } => self.message(message, actor, &live),
            Event::Promoted(attempt, result) => self.promoted(attempt, result),
            Event::StepEnded(attempt, result) => self.step_ended(attempt, result),
            Event::ToolsEnded(attempt, result) => self.tools_ended(attempt, result),
            Event::RenderEnded(attempt, result) => self.render_ended(attempt, result),
            Event::PostEnded(attempt, result) => self.post_ended(attempt, result),
            Event::CallSettled(call, outcome) => self.call_settled(&call, &outcome),
            Event::CallUnreadable(call, messages) => self.call_unreadable(&call, messages),
            Event::Tick(lease) => self.tick(lease),
        }
    }

    fn message(&mut self, message: u64, actor: Actor, live: &[CallId]) -> Result<(), Reason> {
        if self.turn.run.is_none() && self.turn.queue.is_empty() {
            self.start(message, actor);
            return Ok(());
        }
        if self.turn.queue.len() >= self.policy.queue_max {
            return Err(Reason::QueueFull);
        }
        self.turn.queue.push(message);
        // A card whose record has expired stops responding; this message has it posted again.
        for pending in self.pending_mut() {
            pending.posted &= pending.settled || live.contains(&pending.call);
        }
        // Whoever waits out a delay or a used-up series begins anew, in `pump`.
        if matches!(self.turn.posting.phase, Phase::Due(_) | Phase::Spent) {
            self.turn.posting.clear();
        }
        Ok(())
    }

    fn start(&mut self, message: u64, actor: Actor) {
        self.turn.run = Some(Run {
            message,
            actor,
            assistant: None,
            steps: 0,
            work: Work::Model,
        });
        self.effects.push(Effect::Started(message));
        self.run_model();
    }

    fn run_model(&mut self) {
        let attempt = self
            .turn
            .continuing
            .begin_series(self.now, &self.policy.continuing);
        self.effects.push(Effect::RunModel(attempt));
    }

    fn promoted(&mut self, attempt: Attempt, result: Result<Option<Actor>, Failure>) -> Result<(), Reason> {
        if !self.turn.promoting.is_current(attempt) {
            return Err(Reason::NotCurrent);
        }
        match result {
            Ok(ruling) => {
                self.turn.promoting.clear();
                match (take_first(&mut self.turn.queue), ruling) {
                    (Some(message), Some(actor)) => self.start(message, actor),
                    (Some(message), None) => self.effects.push(Effect::Drop(message)),
                    (None, _) => {}
                }
            }
            Err(failure) => {
                let (now, seed) = (self.now, self.seed);
                if self
                    .turn
                    .promoting
                    .failed(failure, now, &self.policy.handling, seed)
                {
                    self.give_up_promotion();
                }
            }
        }
        Ok(())
    }

    fn give_up_promotion(&mut self) {
        self.turn.promoting.clear();
        self.effects
            .extend(take_first(&mut self.turn.queue).map(Effect::Drop));
        self.say(Vec::from([TURN_FAILED.to_string()]));
    }

    fn step_ended(&mut self, attempt: Attempt, result: Result<ModelStep, Failure>) -> Result<(), Reason> {
        if !self.turn.continuing.is_current(attempt) || !self.works_on(&Work::Model) {
            return Err(Reason::NotCurrent);
        }
        match result {
            Ok(step) => self.model_step(step),
            Err(failure) => self.continuing_failed(failure),
        }
        Ok(())
    }

    fn model_step(&mut self, step: ModelStep) {
        self.turn.continuing.clear();
        self.say(step.parts);
        let Some(run) = self.turn.run.as_mut() else { return };
        run.assistant = Some(step.assistant);
        run.steps = run.steps.saturating_add(1);
        match step.next {
            Next::Finish => self.end_run(),
            Next::Tools if run.steps >= self.policy.steps_max => self.fail_run(),
            Next::Tools => {
                run.work = Work::Tools;
                let attempt = self
                    .turn
                    .continuing
                    .begin_series(self.now, &self.policy.continuing);
                self.effects.push(Effect::RunTools(attempt));
            }
            // Nobody could ever answer it.
            Next::Questions(calls) if calls.is_empty() => self.fail_run(),
            Next::Questions(calls) => {
                let made = u64::try_from(calls.len()).unwrap_or(u64::MAX);
                let pending = calls.into_iter().map(|(call, input)| Pending {
                    call,
                    input,
                    posted: false,
                    settled: false,
                    generation: 0,
                    strays: Vec::new(),
                });
                run.work = Work::Answers(pending.collect());
                self.turn.calls_made = self.turn.calls_made.saturating_add(made);
                self.turn.posting.clear();
            }
        }
    }

    fn tools_ended(&mut self, attempt: Attempt, result: Result<(), Failure>) -> Result<(), Reason> {
        if !self.turn.continuing.is_current(attempt) || !self.works_on(&Work::Tools) {
            return Err(Reason::NotCurrent);
        }
        match result {
            Ok(()) => {
                if let Some(run) = self.turn.run.as_mut() {
                    run.work = Work::Model;
                }
                self.run_model();
            }
            Err(failure) => self.continuing_failed(failure),
        }
        Ok(())
    }

    fn continuing_failed(&mut self, failure: Failure) {
        if self
            .turn
            .continuing
            .failed(failure, self.now, &self.policy.continuing, self.seed)
        {
            self.fail_run();
        }
    }

    /// The turn ends in failure, and says so in the conversation, once.
    fn fail_run(&mut self) {
        self.turn.continuing.clear();
        self.effects.push(Effect::FailTools);
        self.say(Vec::from([TURN_FAILED.to_string()]));
        self.end_run();
    }

    fn end_run(&mut self) {
        self.turn.run = None;
        self.turn.posting.clear();
    }

    fn render_ended(
        &mut self,
        attempt: Attempt,
        result: Result<Vec<Rendered>, Failure>,
    ) -> Result<(), Reason> {
        let current = self.turn.posting.is_current(attempt);
        match result {
            Ok(entries) if current => {
                let records = self.records(entries);
                if records.is_empty() {
                    self.posting_failed(Failure::Transient(None));
                } else {
                    self.turn.posting.clear();
                    self.effects.push(Effect::Open(records));
                }
            }
            Ok(entries) => self.keep(entries),
            Err(failure) if current => self.posting_failed(failure),
            Err(_) => return Err(Reason::NotCurrent),
        }
        Ok(())
    }

    fn posting_failed(&mut self, failure: Failure) {
        self.turn
            .posting
            .failed(failure, self.now, &self.policy.posting, self.seed);
    }

    /// Records of what was posted, one per call. An entry without messages, and a call nobody asked to post, count as
    /// not posted.
    fn records(&mut self, entries: Vec<Rendered>) -> Vec<Question> {
        let now = self.now;
        let mut records: Vec<Question> = Vec::new();
        for entry in entries.into_iter().filter(|entry| !entry.messages.is_empty()) {
            for pending in self.pending_mut() {
                if pending.settled || !entry.calls.contains(&pending.call) {
                    continue;
                }
                if let Some(record) = records.iter_mut().find(|record| record.call == pending.call) {
                    record.covered_again(&entry.messages, entry.state.as_ref());
                }
                if pending.posted {
                    continue;
                }
                pending.posted = true;
                pending.generation = pending.generation.saturating_add(1);
                let mut messages = core::mem::take(&mut pending.strays);
                messages.retain(|stray| entry.messages.iter().all(|message| message.id != stray.id));
                messages.extend(entry.messages.iter().cloned());
                let (call, input) = (pending.call.clone(), pending.input.clone());
                records.push(Question::posted(call, input, messages, entry.state.clone(), now));
            }
        }
        records
    }

    /// What a lost `render` posted is kept: closed with the rest.
    fn keep(&mut self, entries: Vec<Rendered>) {
        for entry in entries {
            for call in entry.calls {
                match self
                    .pending_mut()
                    .iter_mut()
                    .find(|pending| pending.call == call && !pending.posted)
                {
                    Some(pending) => pending.keep(&entry.messages),
                    None => self.effects.push(Effect::Link(call, entry.messages.clone())),
                }
            }
        }
    }

    fn post_ended(&mut self, attempt: Attempt, result: Result<(), Failure>) -> Result<(), Reason> {
        if !self.turn.replying.is_current(attempt) {
            return Err(Reason::NotCurrent);
        }
        match result {
            Ok(()) => {
                self.turn.replying.clear();
                take_first(&mut self.turn.outbox);
            }
            Err(failure) => {
                if self
                    .turn
                    .replying
                    .failed(failure, self.now, &self.policy.replying, self.seed)
                {
                    self.give_up_reply();
                }
            }
        }
        Ok(())
    }

    /// The rest of a reply whose part cannot be posted is not posted either; it stays in the chat.
    fn give_up_reply(&mut self) {
        self.turn.replying.clear();
        if let Some(reply) = self.turn.outbox.first().map(|part| part.reply) {
            self.turn.outbox.retain(|part| part.reply != reply);
        }
    }

    fn call_settled(&mut self, call: &CallId, outcome: &Outcome) -> Result<(), Reason> {
        let pending = self
            .pending_mut()
            .iter_mut()
            .find(|pending| pending.call == *call && !pending.settled);
        pending.ok_or(Reason::NotPending)?.settled = true;
        match outcome {
            Outcome::Answered(_) if self.turn.pending().iter().all(|pending| pending.settled) => {
                if let Some(run) = self.turn.run.as_mut() {
                    run.work = Work::Model;
                }
                self.turn.posting.clear();
                self.run_model();
            }
            Outcome::Answered(_) => {}
            Outcome::Dismissed | Outcome::Cancelled => self.cancel_others(),
        }
        Ok(())
    }

    /// One dismissal ends the turn. A call that has no record yet, but messages that a lost `render` posted, gets one so
    /// that they are closed.
    fn cancel_others(&mut self) {
        let now = self.now;
        let mut others = Vec::new();
        let mut leftovers = Vec::new();
        for pending in self.pending_mut().iter_mut().filter(|pending| !pending.settled) {
            others.push(pending.call.clone());
            let strays = core::mem::take(&mut pending.strays);
            if !pending.posted && !strays.is_empty() {
                let (call, input) = (pending.call.clone(), pending.input.clone());
                leftovers.push(Question::leftover(call, input, strays, now));
            }
        }
        self.effects.push(Effect::Cancel(others));
        if !leftovers.is_empty() {
            self.effects.push(Effect::Open(leftovers));
        }
        self.end_run();
    }

    fn call_unreadable(&mut self, call: &CallId, messages: Vec<Message>) -> Result<(), Reason> {
        let pending = self
            .pending_mut()
            .iter_mut()
            .find(|pending| pending.call == *call && !pending.settled);
        let pending = pending.ok_or(Reason::NotPending)?;
        pending.posted = false;
        pending.keep(&messages);
        Ok(())
    }

    fn tick(&mut self, lease: Option<(Attempt, Timestamp)>) -> Result<(), Reason> {
        let before = self.effects.len();
        let held =
            lease.filter(|(attempt, until)| self.turn.continuing.is_current(*attempt) && *until > self.now);
        let mut moved = match held {
            Some((_, until)) if self.turn.continuing.phase != Phase::Running(until) => {
                self.turn.continuing.phase = Phase::Running(until);
                true
            }
            Some(_) => false,
            None => self.tick_continuing(),
        };
        moved |= self.tick_posting();
        moved |= self.tick_replying();
        moved |= self.tick_promoting();
        if moved || self.effects.len() > before {
            Ok(())
        } else {
            Err(Reason::Early)
        }
    }

    fn tick_continuing(&mut self) -> bool {
        match self.turn.continuing.tick(self.now, &self.policy.continuing) {
            Ticked::Early => return false,
            Ticked::Begun(attempt) if self.works_on(&Work::Tools) => {
                self.effects.push(Effect::RunTools(attempt));
            }
            Ticked::Begun(attempt) => self.effects.push(Effect::RunModel(attempt)),
            Ticked::Spent => self.fail_run(),
        }
        true
    }

    fn tick_posting(&mut self) -> bool {
        match self.turn.posting.tick(self.now, &self.policy.posting) {
            Ticked::Early => return false,
            // What was to be posted ended in another way.
            Ticked::Begun(_) if self.unposted().is_empty() => self.turn.posting.clear(),
            Ticked::Begun(attempt) => self.order_render(attempt),
            Ticked::Spent => {}
        }
        true
    }

    fn tick_replying(&mut self) -> bool {
        match self.turn.replying.tick(self.now, &self.policy.replying) {
            Ticked::Early => return false,
            Ticked::Begun(attempt) => self.effects.push(Effect::Post(attempt)),
            Ticked::Spent => self.give_up_reply(),
        }
        true
    }

    fn tick_promoting(&mut self) -> bool {
        match self.turn.promoting.tick(self.now, &self.policy.handling) {
            Ticked::Early => return false,
            Ticked::Begun(attempt) => self.order_check(attempt),
            Ticked::Spent => self.give_up_promotion(),
        }
        true
    }

    /// Begins whatever has become possible.
    fn pump(&mut self) {
        if !self.turn.outbox.is_empty() && self.turn.replying.phase == Phase::Nothing {
            let attempt = self.turn.replying.begin_series(self.now, &self.policy.replying);
            self.effects.push(Effect::Post(attempt));
        }
        if self.turn.run.is_none()
            && !self.turn.queue.is_empty()
            && self.turn.promoting.phase == Phase::Nothing
        {
            let attempt = self.turn.promoting.begin_series(self.now, &self.policy.handling);
            self.order_check(attempt);
        }
        let may_post = self.turn.outbox.is_empty() && self.turn.posting.phase == Phase::Nothing;
        if may_post && !self.unposted().is_empty() {
            let attempt = self.turn.posting.begin_series(self.now, &self.policy.posting);
            self.order_render(attempt);
        }
    }

    fn order_render(&mut self, attempt: Attempt) {
        let calls = self.unposted();
        self.effects.push(Effect::Render(attempt, calls));
    }

    fn order_check(&mut self, attempt: Attempt) {
        if let Some(message) = self.turn.queue.first() {
            self.effects.push(Effect::CheckQueued(attempt, *message));
        }
    }

    /// The calls to post now: all that are not posted, once no posted one waits for an answer.
    fn unposted(&self) -> Vec<CallId> {
        let pending = self.turn.pending();
        if pending.iter().any(|pending| pending.posted && !pending.settled) {
            return Vec::new();
        }
        let open = pending
            .iter()
            .filter(|pending| !pending.posted && !pending.settled);
        open.map(|pending| pending.call.clone()).collect()
    }

    fn pending_mut(&mut self) -> &mut [Pending] {
        match self.turn.run.as_mut().map(|run| &mut run.work) {
            Some(Work::Answers(pending)) => pending,
            Some(Work::Model | Work::Tools) | None => &mut [],
        }
    }

    fn works_on(&self, work: &Work) -> bool {
        self.turn.run.as_ref().is_some_and(|run| run.work == *work)
    }

    fn say(&mut self, texts: Vec<String>) {
        let reply = self.turn.parts_made;
        for text in texts.into_iter().filter(|text| !text.is_empty()) {
            if self.turn.outbox.len() >= OUTBOX_MAX {
                return;
            }
            self.turn.outbox.push(Part {
                number: self.turn.parts_made,
                reply,
                text,
            });
            self.turn.parts_made = self.turn.parts_made.saturating_add(1);
        }
    }
}

fn take_first<T>(list: &mut Vec<T>) -> Option<T> {
    (!list.is_empty()).then(|| list.remove(0))
}
