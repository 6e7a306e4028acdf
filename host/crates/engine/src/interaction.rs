//! Clicks, forms and replies on questions, in the order of `DECISIONS.md`: find the question, out of date, access,
//! still posting, then what `parse` says. The rulings stand for the version they were made from; another version means
//! reading again.

mod candidates;

use std::sync::Arc;
use std::time::Duration;

use lifecycle::owed::{Attempt, Phase};
use lifecycle::question::{
    Access, Event, Evidence, Message, Notice, Parsed, Question, STILL_POSTING, Target,
};
use lifecycle::turn::{self, Rendered};
use lifecycle::{Actor, CallId, Timestamp};
use ports::documents::{Document, Expect, Key, Partition, Select};
use ports::pieces::{Interaction, Record};
use ports::{Clock, Pieces};

use crate::address::{Address, TURN, delivery_key, question_key};
use crate::conversation::{Act, Draft, Held, Stepped, View};
use crate::ingress::{Reply, click_key};
use crate::ledger::{Also, Fault, Outcome, Records, TRIES_MAX};
use crate::message::is_posting;
use crate::people::Ruling;
use crate::perform::Told;
use crate::{Inner, World};
use candidates::{Kind, Match};

/// How long a click waits before it looks again whether a redraw has ended.
pub(crate) const LOOK_AGAIN: Duration = Duration::from_millis(40);
/// How long identity and access may take when nobody holds a request open.
const UNHURRIED: Duration = Duration::from_secs(20);
/// How much of the time to the platform's deadline identity may use: the hook that tells the participant needs the rest.
const IDENTITY_SHARE: u32 = 2;
/// What a participant is told when nobody could say who they are.
const WHO_ARE_YOU: &str = "I could not check who you are — try again in a moment.";
/// What a participant is told when the question kept changing.
const TRY_AGAIN: &str = "That did not go through — try again in a moment.";

/// An interaction on its way to a question.
#[derive(Debug)]
pub(crate) struct Incoming {
    pub(crate) partition: Partition,
    pub(crate) address: Address,
    pub(crate) delivery: String,
    pub(crate) interaction: Interaction,
}

/// What became of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Handled {
    /// It belonged to a question, and what follows is recorded.
    Done,
    /// Its delivery was handled before.
    Known,
    /// It belongs to no question.
    NotOurs,
}

/// What is in the store of a click: its delivery's mark, and its inbox item when its time was over.
struct Stored {
    delivery: Option<Document>,
    item: Option<Document>,
}

impl<W: World> Inner<W> {
    /// Handles a click or form. The delivery's mark and the outcome are one commit.
    pub(crate) async fn interact(
        this: &Arc<Self>,
        incoming: &Arc<Incoming>,
        reply: Option<&Arc<Reply>>,
    ) -> Result<Handled, Fault> {
        this.connected(&incoming.address.channel, &incoming.address.conversation.account)
            .await;
        let mut tries = 0;
        loop {
            let select = vec![
                Select::Key(delivery_key(&incoming.delivery)),
                Select::Key(click_key(&incoming.delivery)),
            ];
            let (view, mut selected) = this.load(&incoming.partition, Records::All, select).await?;
            let item = selected.pop().unwrap_or_default().pop();
            let delivery = selected.pop().unwrap_or_default().pop();
            if delivery.is_some() && item.is_none() {
                return Ok(Handled::Known);
            }
            let stored = Stored { delivery, item };
            let also = this.mark(incoming, &stored, view.now);
            match Self::judge(this, &view, incoming, reply, also, tries >= TRIES_MAX).await {
                Ok(Judged::Handled(handled)) => return Ok(handled),
                Ok(Judged::Again) => tries += 1,
                Ok(Judged::Waiting(call)) => this.changed(&view, &call, reply).await?,
                Err(Fault::Busy(_)) if this.has_time(incoming, reply) => {
                    this.parts.clock.sleep(LOOK_AGAIN).await;
                }
                Err(fault) => return Err(fault),
            }
        }
    }

    /// Waits until the call's record or its turn is another, or the time of the request is over.
    async fn changed(&self, view: &View, call: &CallId, reply: Option<&Arc<Reply>>) -> Result<(), Fault> {
        let keys = [question_key(call), Key(TURN.to_owned())];
        let before = [
            view.question(call).map(|held| held.version),
            view.chat.as_ref().map(|held| held.version),
        ];
        loop {
            self.parts.clock.sleep(LOOK_AGAIN).await;
            let select = keys.iter().cloned().map(Select::Key).collect();
            let snapshot = self.read(&view.partition, select).await?;
            let now = snapshot
                .selected
                .iter()
                .map(|found| found.first().map(|document| document.version));
            let left = reply.and_then(|reply| reply.within(self.parts.clock.elapsed()));
            if !now.eq(before) || left.is_none_or(|left| left <= LOOK_AGAIN * 4) {
                return Ok(());
            }
        }
    }

    /// The writes that say that this delivery is handled.
    fn mark(&self, incoming: &Incoming, stored: &Stored, now: Timestamp) -> Also {
        let expect = stored
            .delivery
            .as_ref()
            .map_or(Expect::Absent, |mark| Expect::Version(mark.version));
        let puts = vec![self.delivery_put(&incoming.delivery, expect, now)];
        let delete = |item: &Document| (item.key.clone(), Expect::Version(item.version));
        Also {
            puts,
            deletes: stored.item.iter().map(delete).collect(),
            ..Also::default()
        }
    }

    /// Judges an interaction on one snapshot and commits the outcome together with `also`.
    pub(crate) async fn judge(
        this: &Arc<Self>,
        view: &View,
        incoming: &Arc<Incoming>,
        reply: Option<&Arc<Reply>>,
        mut also: Also,
        last_try: bool,
    ) -> Result<Judged, Fault> {
        let Some(found) = this.find(view, incoming).await? else {
            return this.not_ours(view, incoming, also).await;
        };
        let mut draft = Draft::of(view, &this.config.policy, this.seed);
        let mut actor = None;
        if last_try {
            draft.acts.push(Act::Tell(
                found.call.clone(),
                Notice::Rejected(TRY_AGAIN.to_owned()),
            ));
        } else {
            match this.decide(&mut draft, &found, incoming, reply).await {
                Decision::Made(who) => actor = who,
                Decision::Wait => return Ok(Judged::Waiting(found.call)),
                Decision::Again => return Ok(Judged::Again),
                Decision::NotOurs => return this.not_ours(view, incoming, also).await,
            }
            also.checks.extend(view.question(&found.call).map(checked));
        }
        // A reply that the piece could not read may be for the agent: it stays in the inbox and is judged anew.
        let read_again =
            matches!(found.kind, Kind::Unreadable) && matches!(incoming.interaction, Interaction::Message(_));
        if read_again {
            also = Also::default();
        }
        let acts = std::mem::take(&mut draft.acts);
        match this.commit(&incoming.address, draft, also).await? {
            Outcome::Again => Ok(Judged::Again),
            Outcome::Done(committed) => {
                tracing::info!(
                    channel = incoming.address.channel,
                    conversation = %incoming.partition.0,
                    call = %found.call,
                    outcome = summary(&acts),
                    "interaction handled"
                );
                let told = Told {
                    incoming: Arc::clone(incoming),
                    call: found.call,
                    actor,
                    advances: !acts.iter().any(|act| matches!(act, Act::Tell(..))),
                    reply: reply.map(Arc::clone),
                };
                Self::perform_for(this, &committed, acts, told).await;
                Ok(if read_again {
                    Judged::Again
                } else {
                    Judged::Handled(Handled::Done)
                })
            }
        }
    }

    /// A click on nothing of ours is remembered only if it stands in the inbox.
    async fn not_ours(&self, view: &View, incoming: &Incoming, also: Also) -> Result<Judged, Fault> {
        if !also.deletes.is_empty() && !matches!(incoming.interaction, Interaction::Message(_)) {
            let draft = Draft::of(view, &self.config.policy, self.seed);
            if let Outcome::Again = self.commit(&incoming.address, draft, also).await? {
                return Ok(Judged::Again);
            }
        }
        Ok(Judged::Handled(Handled::NotOurs))
    }

    /// Steps the draft on what is known, resolving the participant when the machine asks for it.
    async fn decide(
        &self,
        draft: &mut Draft<'_>,
        found: &Match,
        incoming: &Incoming,
        reply: Option<&Arc<Reply>>,
    ) -> Decision {
        let call = &found.call;
        let (target, parsed) = match &found.kind {
            Kind::Evidence(target, parsed) => (*target, parsed.clone()),
            Kind::Stray(message) => {
                draft.link(call, vec![message.clone()]);
                (Target::Older, Parsed::Stale)
            }
            Kind::Unposted(_) if is_posting(draft.view) && self.has_time(incoming, reply) => {
                return Decision::Wait;
            }
            Kind::Unposted(message) => {
                unposted(draft, call, message);
                return Decision::Made(None);
            }
            Kind::Unreadable => return self.unreadable(draft, call, incoming, reply).await,
        };
        let updates = self
            .parts
            .pieces
            .info(&incoming.address.channel)
            .is_some_and(|info| info.hooks.updated);
        let Some(revision) = draft.current(call).map(|question| question.revision) else {
            return Decision::NotOurs;
        };
        let evidence = |access| {
            Event::Interaction(Evidence {
                revision,
                target,
                parsed: parsed.clone(),
                access,
                updates,
            })
        };
        match draft.question(call, evidence(Access::Unresolved)) {
            Stepped::Advanced => return Decision::Made(None),
            Stepped::Stayed => return Decision::NotOurs,
            Stepped::Refused => {}
        }
        let began = self.parts.clock.elapsed();
        let (access, actor) = match self.resolve(incoming, reply).await {
            Some(Ruling::Granted(actor)) => (Access::Granted(actor.clone()), Some(actor)),
            Some(Ruling::Denied(actor)) => (Access::Denied, Some(actor)),
            None => {
                draft
                    .acts
                    .push(Act::Tell(call.clone(), Notice::Rejected(WHO_ARE_YOU.to_owned())));
                return Decision::Made(None);
            }
        };
        if matches!(access, Access::Granted(_)) && self.took_long(began) {
            return Decision::Again;
        }
        let granted = matches!(access, Access::Granted(_));
        if granted && is_redrawing(draft, call) && self.has_time(incoming, reply) {
            return Decision::Wait;
        }
        draft.question(call, evidence(access));
        Decision::Made(actor)
    }

    /// The piece cannot read what another version wrote: the card is posted again, for somebody who may answer it.
    async fn unreadable(
        &self,
        draft: &mut Draft<'_>,
        call: &CallId,
        incoming: &Incoming,
        reply: Option<&Arc<Reply>>,
    ) -> Decision {
        let is_message = matches!(incoming.interaction, Interaction::Message(_));
        let notice = match self.resolve(incoming, reply).await {
            Some(Ruling::Granted(_)) => {
                unreadable(draft, call);
                Notice::Stale
            }
            // Whether it was meant for the question nobody can say: it goes on as a message of this person.
            Some(Ruling::Denied(_)) | None if is_message => return Decision::NotOurs,
            Some(Ruling::Denied(_)) => Notice::Denied,
            None => Notice::Rejected(WHO_ARE_YOU.to_owned()),
        };
        if !is_message {
            draft.acts.push(Act::Tell(call.clone(), notice));
        }
        Decision::Made(None)
    }

    async fn resolve(&self, incoming: &Incoming, reply: Option<&Arc<Reply>>) -> Option<Ruling> {
        let left = reply.and_then(|reply| reply.within(self.parts.clock.elapsed()));
        let within = left.map_or(UNHURRIED, |left| left / IDENTITY_SHARE);
        match self
            .ruling(&incoming.address, incoming.interaction.author(), within)
            .await
        {
            Ok(ruling) => Some(ruling),
            Err(fault) => {
                tracing::warn!(channel = incoming.address.channel, %fault, "nobody could say who a participant is");
                None
            }
        }
    }

    /// Whether a click may wait a moment for what is under way: a card that is being redrawn or on its way into its record.
    /// It waits within the time of its request.
    fn has_time(&self, incoming: &Incoming, reply: Option<&Arc<Reply>>) -> bool {
        let is_click = !matches!(incoming.interaction, Interaction::Message(_));
        let left = reply.and_then(|reply| reply.within(self.parts.clock.elapsed()));
        is_click && left.is_some_and(|left| left > LOOK_AGAIN * 4)
    }
}

/// What [`Inner::judge`] came to.
#[derive(Debug)]
pub(crate) enum Judged {
    Handled(Handled),
    /// The commit met another version.
    Again,
    /// This call is being drawn and there is time to wait for it.
    Waiting(CallId),
}

/// What [`Inner::decide`] came to.
enum Decision {
    /// The ruling took so long that the conversation has to be read again.
    Again,
    /// The draft has it, by this participant.
    Made(Option<Actor>),
    Wait,
    NotOurs,
}

/// Whether the current question is being drawn at this moment.
fn is_redrawing(draft: &Draft<'_>, call: &CallId) -> bool {
    draft.current(call).is_some_and(|question| {
        question.still_posting && matches!(question.advancing.phase, Phase::Running(_))
    })
}

/// A card whose post is not recorded yet.
fn unposted(draft: &mut Draft<'_>, call: &CallId, message: &Message) {
    if matches!(draft.turn.posting.phase, Phase::Running(_)) {
        draft.acts.push(Act::Tell(
            call.clone(),
            Notice::Rejected(STILL_POSTING.to_owned()),
        ));
        return;
    }
    let entry = Rendered {
        calls: vec![call.clone()],
        messages: vec![message.clone()],
        state: None,
    };
    // Number 0 is never under way: the turn keeps the message for the record to come.
    draft.turn(turn::Event::RenderEnded(Attempt(0), Ok(vec![entry])));
    draft.acts.push(Act::Tell(call.clone(), Notice::Stale));
}

/// The record goes, its messages stay linked, and the question is posted again with fresh state.
fn unreadable(draft: &mut Draft<'_>, call: &CallId) {
    let Some(question) = draft.current(call).cloned() else {
        return;
    };
    draft.turn(turn::Event::CallUnreadable(call.clone(), question.messages));
    draft.deleted.push(call.clone());
}

/// What a ruling on this record is tied to.
pub(crate) fn checked(held: &Held<Question>) -> (Key, Expect) {
    (question_key(&held.value.call), Expect::Version(held.version))
}

/// A record as hooks see it.
pub(crate) fn record(question: &Question) -> Record<'_> {
    Record {
        messages: &question.messages,
        revision: question.revision,
        state: question.state.as_ref(),
    }
}

/// One word for the log.
fn summary(acts: &[Act]) -> &'static str {
    let word = |act: &Act| match act {
        Act::Tell(_, Notice::Rejected(_)) => Some("rejected"),
        Act::Tell(_, Notice::Denied) => Some("denied"),
        Act::Tell(_, Notice::Stale) => Some("stale"),
        Act::Settled(..) => Some("settled"),
        Act::Updated(..) => Some("advanced"),
        Act::Started(_)
        | Act::RunModel(_)
        | Act::RunTools(_)
        | Act::Render(..)
        | Act::Post(_)
        | Act::CheckQueued(..) => None,
    };
    acts.iter().find_map(word).unwrap_or("saved")
}
