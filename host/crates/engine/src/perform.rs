//! Doing what a confirmed commit ordered, and feeding the result back: load, step, commit, perform.
//!
//! Nothing here decides. A result that cannot be written is lost, and the attempt's deadline has it made again.

mod notice;

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use lifecycle::owed::{Attempt, Failure, Owed};
use lifecycle::question::{self, Change, Outcome as Ended};
use lifecycle::turn;
use lifecycle::{CallId, Timestamp};
use ports::pieces::{Acted, Call, Context, Ending, FaultKind, HookFault, QuestionChange, Shared};
use ports::{Clock, Pieces, Tasks};

use crate::address::idempotency_key;
use crate::conversation::{Act, Draft, Stepped, View};
use crate::ingress::Reply;
use crate::interaction::record;
use crate::ledger::{Also, Committed, Fault, Outcome, Records, TRIES_MAX};
use crate::people::Ruling;
use crate::{Inner, World};

pub(crate) use notice::{Lately, Told};

/// How long before the next try of writing a result, doubling; seven tries take some six seconds.
const WRITE_AGAIN: Duration = Duration::from_millis(50);
const WRITES_MAX: u32 = 7;

type Performing<'a> = Pin<Box<dyn Future<Output = ()> + Send + 'a>>;

impl<W: World> Inner<W> {
    /// Starts every act beside the caller.
    pub(crate) fn perform(this: &Arc<Self>, committed: &Arc<Committed>, acts: Vec<Act>) {
        for act in acts {
            let (engine, committed) = (Arc::clone(this), Arc::clone(committed));
            this.parts.tasks.spawn(Box::pin(async move {
                Self::act(&engine, &committed, act).await;
            }));
        }
    }

    /// Starts the acts that nobody waits for, then does what concerns the participant of this interaction: while their
    /// request is open before this returns, otherwise beside the caller too, so that what comes next in the conversation
    /// does not wait for the platform.
    pub(crate) async fn perform_for(
        this: &Arc<Self>,
        committed: &Arc<Committed>,
        acts: Vec<Act>,
        told: Told,
    ) {
        let ours = |act: &Act| match act {
            Act::Updated(call, _) | Act::Settled(call, _) | Act::Tell(call, _) => *call == told.call,
            Act::Started(_)
            | Act::RunModel(_)
            | Act::RunTools(_)
            | Act::Render(..)
            | Act::Post(_)
            | Act::CheckQueued(..) => false,
        };
        let (ours, others): (Vec<Act>, Vec<Act>) = acts.into_iter().partition(ours);
        Self::perform(this, committed, others);
        if let Some(reply) = &told.reply {
            reply.expect(ours.len());
            return Self::perform_ours(this, committed, ours, &told).await;
        }
        let (engine, committed) = (Arc::clone(this), Arc::clone(committed));
        this.parts.tasks.spawn(Box::pin(async move {
            Self::perform_ours(&engine, &committed, ours, &told).await;
        }));
    }

    async fn perform_ours(this: &Arc<Self>, committed: &Committed, acts: Vec<Act>, told: &Told) {
        for act in acts {
            match act {
                Act::Updated(call, attempt) => {
                    Self::updated(this, committed, &call, attempt, Some(told)).await;
                }
                Act::Settled(call, attempt) => {
                    Self::settled(this, committed, &call, attempt, told.reply.as_ref()).await;
                }
                Act::Tell(call, notice) => this.tell(committed, &call, &notice, told).await,
                Act::Started(_)
                | Act::RunModel(_)
                | Act::RunTools(_)
                | Act::Render(..)
                | Act::Post(_)
                | Act::CheckQueued(..) => {}
            }
        }
    }

    fn act<'a>(this: &'a Arc<Self>, committed: &'a Committed, act: Act) -> Performing<'a> {
        Box::pin(async move {
            let address = committed.address();
            this.connected(&address.channel, &address.conversation.account)
                .await;
            match act {
                Act::Started(message) => this.started(committed, message).await,
                Act::RunModel(attempt) => Self::run_model(this, committed, attempt).await,
                Act::RunTools(attempt) => Self::run_tools(this, committed, attempt).await,
                Act::Render(attempt, calls) => Self::render(this, committed, attempt, &calls).await,
                Act::Post(attempt) => Self::post(this, committed, attempt).await,
                Act::CheckQueued(attempt, message) => {
                    Self::check_queued(this, committed, attempt, message).await;
                }
                Act::Updated(call, attempt) => Self::updated(this, committed, &call, attempt, None).await,
                Act::Settled(call, attempt) => Self::settled(this, committed, &call, attempt, None).await,
                Act::Tell(call, _) => {
                    // A notice belongs to an interaction: it is told while that is handled, or never.
                    tracing::debug!(call = %call, "a notice without its interaction");
                }
            }
        })
    }

    /// Writes a result: steps the draft, commits, performs what follows. `records` are those the result may concern.
    pub(crate) async fn conclude(
        this: &Arc<Self>,
        committed: &Committed,
        records: Records<'_>,
        mut apply: impl FnMut(&mut Draft<'_>) -> Stepped + Send,
    ) {
        let partition = &committed.partition;
        let mut pause = WRITE_AGAIN;
        let mut writes = 0;
        let mut seen = committed.carried(records, this.parts.clock.elapsed());
        for _ in 0..TRIES_MAX {
            match Self::conclude_once(this, committed, records, seen.take(), &mut apply).await {
                Ok(true) => return,
                Ok(false) => {}
                Err(fault @ Fault::Alarm(_)) => {
                    tracing::error!(conversation = %partition.0, %fault, "a result cannot be written");
                    this.park_on_alarm(partition, &fault);
                    return;
                }
                Err(fault) => {
                    writes += 1;
                    tracing::warn!(conversation = %partition.0, %fault, "a result could not be written");
                    if writes >= WRITES_MAX {
                        return;
                    }
                    this.parts.clock.sleep(pause).await;
                    pause *= 2;
                }
            }
        }
        tracing::error!(conversation = %partition.0, "a result met another version too often");
    }

    /// Whether it is written, or nothing was to be. What was seen before saves a trip to the store; only what was read now
    /// says that there is nothing to write.
    async fn conclude_once(
        this: &Arc<Self>,
        committed: &Committed,
        records: Records<'_>,
        seen: Option<View>,
        apply: &mut (impl FnMut(&mut Draft<'_>) -> Stepped + Send),
    ) -> Result<bool, Fault> {
        let is_seen = seen.is_some();
        let view = match seen {
            Some(view) => view,
            None => this.load(&committed.partition, records, Vec::new()).await?.0,
        };
        let mut draft = Draft::of(&view, &this.config.policy, this.seed);
        if apply(&mut draft) == Stepped::Stayed && draft.is_unchanged() {
            return Ok(!is_seen);
        }
        let acts = std::mem::take(&mut draft.acts);
        match this.commit(committed.address(), draft, Also::default()).await? {
            Outcome::Again => Ok(false),
            Outcome::Done(committed) => {
                Self::perform(this, &committed, acts);
                Ok(true)
            }
        }
    }

    /// What a hook is told about its attempt. Its time counts from before the commit that ordered it: a host that was
    /// paused in between wakes up mute.
    fn context(&self, committed: &Committed, owed: &Owed, name: &[&str]) -> Context {
        Context {
            account: committed.address().conversation.account.clone(),
            attempt: attempt_in_series(owed),
            idempotency_key: idempotency_key(&committed.partition, name),
            limit: self.limit(committed),
            reply_within: None,
        }
    }

    fn limit(&self, committed: &Committed) -> Duration {
        let since = self.parts.clock.elapsed().saturating_sub(committed.ordered_at);
        self.config.times.hook.saturating_sub(since)
    }

    /// Calls a hook that may answer the request behind the interaction. When its reply comes too late it is called once
    /// more with that possibility gone, so that nobody is left without a word.
    async fn replying<T, F>(
        &self,
        reply: Option<&Arc<Reply>>,
        call: impl Fn(Option<Duration>) -> F,
    ) -> Result<T, HookFault>
    where
        F: Future<Output = Result<Acted<T>, HookFault>>,
    {
        let within = reply.and_then(|reply| reply.within(self.parts.clock.elapsed()));
        let acted = call(within).await;
        if let Ok(Acted {
            reply: Some(http), ..
        }) = &acted
            && let (Some(request), Some(_)) = (reply, within)
            && !request.send(Ok(Some(http.clone())))
        {
            return Ok(call(None).await?.value);
        }
        if let Some(request) = reply {
            request.returned();
        }
        Ok(acted?.value)
    }

    async fn started(&self, committed: &Committed, message: u64) {
        let address = committed.address();
        if !self
            .parts
            .pieces
            .info(&address.channel)
            .is_some_and(|info| info.hooks.started)
        {
            return;
        }
        let platform_id = match self.queued(&committed.partition, message).await {
            Ok(entry) => entry.map(|entry| lifecycle::MessageId(entry.platform_id)),
            Err(fault) => return tracing::warn!(%fault, "started was not called"),
        };
        let context = self.context(committed, &Owed::NOTHING, &["started", &message.to_string()]);
        let conversation = &address.conversation;
        let started =
            self.parts
                .pieces
                .started(&address.channel, context, conversation, platform_id.as_ref());
        if let Err(fault) = started.await {
            tracing::warn!(channel = address.channel, %fault, "started failed");
        }
    }

    async fn render(this: &Arc<Self>, committed: &Committed, attempt: Attempt, calls: &[CallId]) {
        let address = committed.address();
        let turn = &committed.chat.turn;
        let pending: Vec<_> = turn
            .pending()
            .iter()
            .filter(|pending| calls.contains(&pending.call))
            .collect();
        let hook_calls: Vec<Call<'_>> = pending
            .iter()
            .map(|pending| Call {
                id: &pending.call,
                input: &pending.input,
            })
            .collect();
        let mut name = vec!["render".to_owned()];
        name.extend(
            pending
                .iter()
                .map(|pending| format!("{}.{}", pending.call, pending.generation)),
        );
        let name: Vec<&str> = name.iter().map(String::as_str).collect();
        let context = this.context(committed, &turn.posting, &name);
        let rendered = this
            .parts
            .pieces
            .render(&address.channel, context, &address.conversation, &hook_calls)
            .await;
        let refusal = rendered
            .as_ref()
            .err()
            .filter(|fault| fault.kind == FaultKind::Refused);
        let refusal = refusal.map(|fault| format!("This cannot be asked here: {}", fault.reason));
        let result = rendered
            .map(|acted| acted.value)
            .map_err(|fault| this.failure(committed, &fault));
        Self::conclude(this, committed, Records::All, |draft| {
            if let Some(reason) = &refusal {
                return draft.turn(turn::Event::RenderRefused(attempt, reason.clone()));
            }
            let now = draft.view.now;
            let saved = |entries: &Vec<ports::pieces::RenderedEntry>| {
                entries.iter().cloned().map(|entry| entry.saved_at(now)).collect()
            };
            let result = result.as_ref().map(saved).map_err(|failure| *failure);
            let stepped = draft.turn(turn::Event::RenderEnded(attempt, result));
            draft.close_unlinked(turn.pending());
            stepped
        })
        .await;
        tracing::info!(channel = address.channel, conversation = %committed.partition.0, attempt = attempt.0, posted = result.is_ok(), "questions rendered");
    }

    async fn post(this: &Arc<Self>, committed: &Committed, attempt: Attempt) {
        let address = committed.address();
        let turn = &committed.chat.turn;
        let Some(part) = turn.outbox.first() else { return };
        let context = this.context(committed, &turn.replying, &["post", &part.number.to_string()]);
        let posted = this
            .parts
            .pieces
            .post(&address.channel, context, &address.conversation, &part.text)
            .await;
        let result = posted.map(drop).map_err(|fault| this.failure(committed, &fault));
        tracing::info!(channel = address.channel, conversation = %committed.partition.0, part = part.number, posted = result.is_ok(), "reply posted");
        Self::conclude(this, committed, Records::All, |draft| {
            draft.turn(turn::Event::PostEnded(attempt, result))
        })
        .await;
    }

    async fn check_queued(this: &Arc<Self>, committed: &Committed, attempt: Attempt, message: u64) {
        let author = match this.queued(&committed.partition, message).await {
            Ok(entry) => entry.map(|entry| entry.author),
            Err(fault) => return tracing::warn!(%fault, "a queued message waits for its wake time"),
        };
        let ruling = match author {
            Some(author) => {
                this.ruling(committed.address(), &author, this.limit(committed))
                    .await
            }
            // Its message is gone, and with it whoever wanted an answer.
            None => {
                return Self::conclude(this, committed, Records::All, |draft| {
                    draft.turn(turn::Event::Promoted(attempt, Ok(None)))
                })
                .await;
            }
        };
        let result = match ruling {
            Ok(Ruling::Granted(actor)) => Ok(Some(actor)),
            Ok(Ruling::Denied(_)) => Ok(None),
            Err(fault) => Err(this.failure(committed, &fault)),
        };
        Self::conclude(this, committed, Records::All, |draft| {
            draft.turn(turn::Event::Promoted(attempt, result.clone()))
        })
        .await;
    }

    async fn updated(
        this: &Arc<Self>,
        committed: &Committed,
        call: &CallId,
        attempt: Attempt,
        told: Option<&Told>,
    ) {
        let Some(question) = committed.questions.get(call) else {
            return;
        };
        let address = committed.address();
        // A redraw that was owed before is a retry, whoever's interaction brought it: that one is not what it shows.
        let progress = told.filter(|told| told.advances);
        let (generation, revision) = (question.generation().to_string(), question.revision.to_string());
        let name = ["updated", call.as_str(), &generation, &revision];
        let shared = |reply_within| Shared {
            context: Context {
                reply_within,
                ..this.context(committed, &question.advancing, &name)
            },
            conversation: &address.conversation,
            call: Call {
                id: call,
                input: &question.input,
            },
            record: record(question),
            actor: progress.and_then(|told| told.actor.as_ref()),
        };
        let interaction = progress.map(|told| &told.incoming.interaction);
        let reply = told.and_then(|told| told.reply.as_ref());
        let updated = this
            .replying(reply, |within| {
                this.parts
                    .pieces
                    .updated(&address.channel, shared(within), interaction)
            })
            .await;
        if updated
            .as_ref()
            .is_err_and(|fault| fault.kind == FaultKind::StateUnreadable)
        {
            return Self::conclude(this, committed, Records::One(call), |draft| {
                repost(draft, call, attempt)
            })
            .await;
        }
        let result = updated.map_err(|fault| this.failure(committed, &fault));
        Self::conclude(this, committed, Records::One(call), |draft| {
            let change = changed(&result, draft.view.now);
            draft.question(call, question::Event::UpdatedEnded(attempt, change))
        })
        .await;
        tracing::info!(channel = address.channel, call = %call, attempt = attempt.0, redrawn = result.is_ok(), "question advanced");
    }

    async fn settled(
        this: &Arc<Self>,
        committed: &Committed,
        call: &CallId,
        attempt: Attempt,
        reply: Option<&Arc<Reply>>,
    ) {
        let Some(question) = committed.questions.get(call) else {
            return;
        };
        let Some(settlement) = &question.settlement else {
            return;
        };
        let address = committed.address();
        let ending = match &settlement.outcome {
            Ended::Answered(output) => Ending::Output(output),
            Ended::Dismissed | Ended::Cancelled => Ending::Dismissed,
        };
        let shared = |reply_within| Shared {
            context: Context {
                reply_within,
                ..this.context(
                    committed,
                    &question.closing,
                    &["settled", call.as_str(), &question.generation().to_string()],
                )
            },
            conversation: &address.conversation,
            call: Call {
                id: call,
                input: &question.input,
            },
            record: record(question),
            actor: settlement.actor.as_ref(),
        };
        let settled = this
            .replying(reply, |within| {
                this.parts
                    .pieces
                    .settled(&address.channel, shared(within), ending)
            })
            .await;
        let result = settled.map_err(|fault| this.failure(committed, &fault));
        tracing::info!(channel = address.channel, call = %call, attempt = attempt.0, closed = result.is_ok(), "question closed");
        Self::conclude(this, committed, Records::One(call), |draft| {
            let change = changed(&result, draft.view.now);
            draft.question(call, question::Event::SettledEnded(attempt, change))
        })
        .await;
    }

    /// What a fault means for the series, logged.
    fn failure(&self, committed: &Committed, fault: &HookFault) -> Failure {
        let (channel, conversation) = (&committed.address().channel, &committed.partition.0);
        tracing::warn!(channel, conversation, blame = ?fault.blame(), kind = ?fault.kind, %fault, "a hook failed");
        match fault.kind {
            FaultKind::Retry(after) => Failure::Transient(after),
            FaultKind::Gone | FaultKind::Refused | FaultKind::StateUnreadable => Failure::Permanent,
            FaultKind::Trap
            | FaultKind::TimedOut
            | FaultKind::Exhausted
            | FaultKind::Garbage
            | FaultKind::PerhapsSent
            | FaultKind::NotLoaded
            | FaultKind::Busy => Failure::Transient(None),
        }
    }
}

/// Which attempt a hook is told that this is. One that waited for the platform keeps its place in the series, and is
/// not the first one for that: what came before it may have been done in part.
fn attempt_in_series(owed: &Owed) -> u32 {
    owed.in_series.max(1) + u32::from(owed.waited.0 > 0)
}

/// A piece of another version wrote the state: the question is posted again with fresh state.
/// A result of a lost attempt decides nothing.
fn repost(draft: &mut Draft<'_>, call: &CallId, attempt: Attempt) -> Stepped {
    let current =
        |question: &question::Question| question.is_open() && question.advancing.is_current(attempt);
    let Some(question) = draft.current(call).cloned().filter(current) else {
        return Stepped::Stayed;
    };
    draft.deleted.push(call.clone());
    draft.turn(turn::Event::CallUnreadable(call.clone(), question.messages))
}

fn changed(result: &Result<QuestionChange, Failure>, now: Timestamp) -> Result<Change, Failure> {
    let change = result.as_ref().map_err(|failure| *failure)?;
    let messages = change.messages.clone();
    let saved = |messages: Vec<ports::pieces::PostedMessage>| {
        messages
            .into_iter()
            .map(|message| message.saved_at(now))
            .collect()
    };
    Ok(Change {
        messages: messages.map(saved),
        state: change.state.clone(),
        redraw_after: change.redraw_after,
    })
}
