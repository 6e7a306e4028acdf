//! The steps of a question: what each event does to the record.

use alloc::string::ToString;
use alloc::vec;
use alloc::vec::Vec;

use super::{
    Access, Change, Effect, Evidence, MESSAGES_MAX, Message, Notice, Outcome, Parsed, PieceState, Question,
    REDRAW_AFTER, Reason, STILL_POSTING, Settlement, Step, Target,
};
use crate::actor::Actor;
use crate::owed::{Attempt, Failure, Phase, Ticked};
use crate::policy::Policy;
use crate::time::Timestamp;

impl Question {
    pub(super) fn interaction(&self, evidence: Evidence, now: Timestamp, policy: &Policy) -> Step {
        if evidence.parsed == Parsed::Ignore && evidence.target != Target::Older {
            return Step::Stay(Reason::NotOurs);
        }
        let out_of_date = !self.is_open() || evidence.target == Target::Older;
        if out_of_date {
            return self.out_of_date(now, policy);
        }
        if evidence.revision != self.revision {
            return Step::Refuse(Reason::Outdated);
        }
        // A card edited in place still shows the step before while its redraw has failed: a click on it is stale to the
        // piece, and must open the next attempt all the same.
        if evidence.parsed == Parsed::Stale && !self.still_posting {
            return self.out_of_date(now, policy);
        }
        match evidence.access {
            Access::Unresolved => Step::Refuse(Reason::AccessRequired),
            Access::Denied => self.tell(Notice::Denied),
            Access::Granted(_) if self.still_posting => self.hold(now, policy),
            Access::Granted(actor) => self.accept(evidence.parsed, actor, evidence.updates, now, policy),
        }
    }

    /// Nothing is recorded. A question that was never closed, or whose card could not be redrawn, gets a new series
    /// before the participant is told.
    pub(super) fn out_of_date(&self, now: Timestamp, policy: &Policy) -> Step {
        let mut next = self.clone();
        let attempt = if next.settlement.is_some() {
            next.closing.hurry(now, &policy.closing).map(Effect::CallSettled)
        } else if next.advancing.phase == Phase::Spent {
            let attempt = next.advancing.begin_series(now, &policy.advancing);
            Some(Effect::CallUpdated(attempt))
        } else {
            None
        };
        Step::Advance(
            next,
            attempt.into_iter().chain([Effect::Tell(Notice::Stale)]).collect(),
        )
    }

    pub(super) fn hold(&self, now: Timestamp, policy: &Policy) -> Step {
        let mut next = self.clone();
        let retry = next
            .advancing
            .hurry(now, &policy.advancing)
            .map(Effect::CallUpdated);
        let notice = Effect::Tell(Notice::Rejected(STILL_POSTING.to_string()));
        Step::Advance(next, retry.into_iter().chain([notice]).collect())
    }

    pub(super) fn accept(
        &self,
        parsed: Parsed,
        actor: Actor,
        updates: bool,
        now: Timestamp,
        policy: &Policy,
    ) -> Step {
        match parsed {
            Parsed::Answer(output) => match output.validated(&self.input) {
                Ok(output) => self.settle(Outcome::Answered(output), Some(actor), now, policy),
                Err(problem) => self.tell(Notice::Rejected(problem.0)),
            },
            Parsed::Dismiss => self.settle(Outcome::Dismissed, Some(actor), now, policy),
            Parsed::Partial(state) => self.advance(state, updates, now, policy),
            Parsed::Rejected(reason) => self.tell(Notice::Rejected(reason)),
            Parsed::Stale => self.out_of_date(now, policy),
            Parsed::Ignore => Step::Stay(Reason::NotOurs),
        }
    }

    pub(super) fn tell(&self, notice: Notice) -> Step {
        Step::Advance(self.clone(), vec![Effect::Tell(notice)])
    }

    pub(super) fn settle(
        &self,
        outcome: Outcome,
        actor: Option<Actor>,
        now: Timestamp,
        policy: &Policy,
    ) -> Step {
        let mut next = self.clone();
        next.settlement = Some(Settlement {
            outcome: outcome.clone(),
            actor,
            at: now,
        });
        next.still_posting = false;
        if !next.advancing.is_running() {
            next.advancing.clear();
        }
        next.changed_at = now;
        let attempt = next.closing.begin_series(now, &policy.closing);
        Step::Advance(next, vec![Effect::Settle(outcome), Effect::CallSettled(attempt)])
    }

    pub(super) fn advance(
        &self,
        state: Option<PieceState>,
        updates: bool,
        now: Timestamp,
        policy: &Policy,
    ) -> Step {
        let mut next = self.clone();
        next.revision = next.revision.saturating_add(1);
        next.state = state.or(next.state);
        next.changed_at = now;
        if !updates {
            return Step::Advance(next, Vec::new());
        }
        next.still_posting = true;
        let attempt = next.advancing.begin_series(now, &policy.advancing);
        Step::Advance(next, vec![Effect::CallUpdated(attempt)])
    }

    pub(super) fn updated_ended(
        &self,
        attempt: Attempt,
        result: Result<Change, Failure>,
        now: Timestamp,
        policy: &Policy,
    ) -> Step {
        if !self.is_open() && self.advancing.is_current(attempt) {
            return self.overtaken(result.ok().unwrap_or_default(), now, policy);
        }
        let current = self.is_open() && self.advancing.is_current(attempt);
        match result {
            Ok(change) if current => {
                let mut next = self.clone();
                next.still_posting = false;
                match change.redraw_after {
                    Some(delay) => {
                        let delay = delay.clamp(REDRAW_AFTER.0, REDRAW_AFTER.1);
                        next.advancing.put_off(now + delay, &policy.advancing);
                    }
                    None => next.advancing.clear(),
                }
                next.apply(change, now);
                Step::Advance(next, Vec::new())
            }
            Ok(change) => self.found(change.messages.unwrap_or_default(), now, policy),
            Err(failure) if current => {
                let mut next = self.clone();
                next.advancing
                    .failed(failure, now, &policy.advancing, self.seed());
                Step::Advance(next, Vec::new())
            }
            Err(_) => Step::Stay(Reason::NotCurrent),
        }
    }

    /// A redraw that was under way when the question ended is over. It may have drawn live controls over the closed card,
    /// whatever it says of itself: the card is closed once more.
    fn overtaken(&self, change: Change, now: Timestamp, policy: &Policy) -> Step {
        let found = self.linked(change.messages.unwrap_or_default(), now);
        let mut next = found.unwrap_or_else(|| self.clone());
        next.advancing.clear();
        let attempt = next.closing.begin_series(now, &policy.closing);
        Step::Advance(next, vec![Effect::CallSettled(attempt)])
    }

    pub(super) fn settled_ended(
        &self,
        attempt: Attempt,
        result: Result<Change, Failure>,
        now: Timestamp,
        policy: &Policy,
    ) -> Step {
        let current = self.closing.is_current(attempt);
        match result {
            Ok(change) if current => {
                let mut next = self.clone();
                next.closing.clear();
                next.apply(change, now);
                Step::Advance(next, Vec::new())
            }
            // The next attempt closes what this one has closed too, and any message it may have added.
            Ok(change) => self.found(change.messages.unwrap_or_default(), now, policy),
            Err(failure) if current => {
                let mut next = self.clone();
                next.closing.failed(failure, now, &policy.closing, self.seed());
                Step::Advance(next, Vec::new())
            }
            Err(_) => Step::Stay(Reason::NotCurrent),
        }
    }

    /// Messages that a lost or superseded attempt created turned up; a question that is closed already is closed again.
    pub(super) fn found(&self, messages: Vec<Message>, now: Timestamp, policy: &Policy) -> Step {
        let Some(mut next) = self.linked(messages, now) else {
            return Step::Stay(Reason::NotCurrent);
        };
        let reopened = next.settlement.is_some() && !matches!(next.closing.phase, Phase::Due(_));
        let effects = if reopened {
            vec![Effect::CallSettled(
                next.closing.begin_series(now, &policy.closing),
            )]
        } else {
            Vec::new()
        };
        Step::Advance(next, effects)
    }

    /// Links messages that nobody knew of, if there are any. They go in front, as older ones, so that they are closed with
    /// the rest.
    fn linked(&self, messages: Vec<Message>, now: Timestamp) -> Option<Self> {
        let mut new = messages;
        new.retain(|message| self.target_of(&message.id).is_none());
        if new.is_empty() {
            return None;
        }
        let mut next = self.clone();
        next.older.extend(new.iter().map(|message| message.id.clone()));
        new.append(&mut next.messages);
        next.messages = new;
        next.bound_links();
        next.changed_at = now;
        Some(next)
    }

    pub(super) fn tick(&self, now: Timestamp, policy: &Policy) -> Step {
        if !self.is_open() && self.advancing.is_lost(now) {
            return self.overtaken(Change::default(), now, policy);
        }
        let mut next = self.clone();
        let updated = next.advancing.tick(now, &policy.advancing);
        let settled = next.closing.tick(now, &policy.closing);
        if updated == Ticked::Early && settled == Ticked::Early {
            return Step::Stay(Reason::Early);
        }
        let effects = [
            begun(updated).map(Effect::CallUpdated),
            begun(settled).map(Effect::CallSettled),
        ];
        Step::Advance(next, effects.into_iter().flatten().collect())
    }

    pub(super) fn apply(&mut self, change: Change, now: Timestamp) {
        if let Some(messages) = change.messages.filter(|messages| !messages.is_empty()) {
            self.replace_messages(messages);
        }
        self.state = change.state.or(self.state.take());
        self.bound_links();
        self.changed_at = now;
    }

    /// What the piece returns is the list, but for the messages that came late: it may not have known of them.
    pub(super) fn replace_messages(&mut self, messages: Vec<Message>) {
        let before = core::mem::replace(&mut self.messages, messages);
        let (late, left): (Vec<Message>, Vec<Message>) = before
            .into_iter()
            .filter(|old| !self.messages.iter().any(|message| message.id == old.id))
            .partition(|old| self.older.contains(&old.id));
        self.older.extend(left.into_iter().map(|message| message.id));
        self.messages.splice(0..0, late);
    }

    /// A number that differs between questions, for the jitter of their retries (FNV-1a). Calls are numbered alike in every
    /// conversation; the messages are what tells two conversations that failed together apart.
    pub(super) fn seed(&self) -> u64 {
        let fold = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        let names = self.messages.iter().map(|message| message.id.as_str());
        let names = [self.call.as_str()].into_iter().chain(names);
        names.flat_map(str::bytes).fold(0xcbf2_9ce4_8422_2325, fold)
    }

    /// Forgets the oldest links beyond [`MESSAGES_MAX`]; never the current message.
    pub(super) fn bound_links(&mut self) {
        let surplus = self.messages.len().saturating_sub(MESSAGES_MAX);
        self.messages.drain(..surplus);
        let room = MESSAGES_MAX - self.messages.len();
        let surplus = self.older.len().saturating_sub(room);
        self.older.drain(..surplus);
    }
}

fn begun(ticked: Ticked) -> Option<Attempt> {
    match ticked {
        Ticked::Begun(attempt) => Some(attempt),
        Ticked::Early | Ticked::Spent => None,
    }
}
