//! One step of a turn: what the event changes, and then whatever has become possible.

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::{
    Effect, Event, ModelStep, Next, OUTBOX_MAX, Part, Pending, Reason, Rendered, Run, TURN_FAILED, Turn, Work,
};
use crate::actor::Actor;
use crate::ids::CallId;
use crate::owed::{Attempt, Failure, Phase, Ticked};
use crate::policy::Policy;
use crate::question::{Message, Outcome, Question};
use crate::time::Timestamp;

/// One step in progress.
pub(super) struct Machine<'a> {
    pub(super) turn: Turn,
    pub(super) effects: Vec<Effect>,
    pub(super) now: Timestamp,
    pub(super) policy: &'a Policy,
    pub(super) seed: u64,
}

impl Machine<'_> {
    pub(super) fn take(&mut self, event: Event) -> Result<(), Reason> {
        match event {
            Event::Message { message, actor, live } => self.message(message, actor, &live),
            Event::Revive { live } => self.revive(&live).then_some(()).ok_or(Reason::Early),
            Event::Promoted(attempt, result) => self.promoted(attempt, result),
            Event::StepEnded(attempt, result) => self.step_ended(attempt, result),
            Event::ToolsEnded(attempt, result) => self.tools_ended(attempt, result),
            Event::RenderEnded(attempt, result) => self.render_ended(attempt, result),
            Event::RenderRefused(attempt, reason) => self.render_refused(attempt, reason),
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
        self.revive(live);
        Ok(())
    }

    /// A card whose record has expired stops responding; a message has it posted again, in `pump`. So does whatever waits
    /// out a delay or a used-up series begin anew. Says whether anything changed.
    fn revive(&mut self, live: &[CallId]) -> bool {
        let mut revived = false;
        for pending in self.pending_mut() {
            let lives = pending.settled || live.contains(&pending.call);
            revived |= pending.posted && !lives;
            pending.posted &= lives;
        }
        if matches!(self.turn.posting.phase, Phase::Due(_) | Phase::Spent) {
            self.turn.posting.clear();
            revived = true;
        }
        revived
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

    /// Nobody can answer what cannot be shown: the calls become errors, and the model goes on once nothing else is asked.
    fn render_refused(&mut self, attempt: Attempt, reason: String) -> Result<(), Reason> {
        if !self.turn.posting.is_current(attempt) {
            return Err(Reason::NotCurrent);
        }
        self.turn.posting.clear();
        let (refused, now) = (self.unposted(), self.now);
        let mut leftovers = Vec::new();
        for pending in self
            .pending_mut()
            .iter_mut()
            .filter(|pending| refused.contains(&pending.call))
        {
            pending.settled = true;
            leftovers.extend(leftover(pending, now));
        }
        self.effects.push(Effect::FailCalls(refused, reason));
        if !leftovers.is_empty() {
            self.effects.push(Effect::Open(leftovers));
        }
        if self.turn.pending().iter().all(|pending| pending.settled) {
            // A model that asks the same again and again must not do so for ever.
            match self.turn.run.as_ref().map(|run| run.steps) {
                Some(steps) if steps >= self.policy.steps_max => self.fail_run(),
                Some(_) | None => self.go_on(),
            }
        }
        Ok(())
    }

    /// The last call of the step has ended: the model takes the next step.
    fn go_on(&mut self) {
        self.turn.posting.clear();
        if let Some(run) = self.turn.run.as_mut() {
            run.work = Work::Model;
            self.run_model();
        }
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
                let record = Question::posted(call, input, messages, entry.state.clone(), now);
                records.push(record.of_generation(pending.generation));
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
                self.go_on();
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
            leftovers.extend(leftover(pending, now));
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
    pub(super) fn pump(&mut self) {
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

/// A record that only closes what a lost `render` posted for a call that ends without one.
fn leftover(pending: &mut Pending, now: Timestamp) -> Option<Question> {
    let strays = core::mem::take(&mut pending.strays);
    let unrecorded = !pending.posted && !strays.is_empty();
    unrecorded.then(|| Question::leftover(pending.call.clone(), pending.input.clone(), strays, now))
}
