//! Messages of people, one conversation's in the order of their arrival. Each first passes the waiting questions; what
//! answers none goes to the turn.

use std::cell::Cell;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;
use std::time::Duration;

use lifecycle::owed::{Failure, Phase, Ticked};
use lifecycle::{CallId, Millis, turn};
use ports::documents::{Document, Expect, Key, Order, Partition, Select};
use ports::pieces::{Context, FaultKind, HookFault, Interaction, Message};
use ports::{Clock, Pieces, Tasks};

use crate::address::{CLICKS, INBOX, entry_key, idempotency_key};
use crate::chat::{self, UserMessage};
use crate::conversation::{Draft, Edit, Held, Stepped, View};
use crate::inbox::Item;
use crate::interaction::{Handled, Incoming, Judged, LOOK_AGAIN, checked};
use crate::ledger::{Also, Fault, Outcome, Records, held, put};
use crate::people::Ruling;
use crate::stored::inbox::StoredItem;
use crate::stored::{decode, encode};
use crate::{Inner, World, lock};

/// How many messages, and how many clicks, of an inbox are looked at in one trip: those that wait for a retry are passed over.
const INBOX_SELECT: usize = 128;
/// How long identity and access of a message may take; ends before its attempt's deadline.
const RULING_WITHIN: Duration = Duration::from_secs(20);
/// How long messages wait for a card that is being posted, so that a reply to it finds its record. They would only be
/// queued meanwhile.
const POSTING_PATIENCE: Duration = Duration::from_secs(5);
/// What the sender of a message is told that does not fit behind the turn any more.
const QUEUE_FULL: &str = "Too many messages are waiting here — please send that again later.";

/// The inboxes that a task of this process is working on; `true`: something arrived meanwhile.
pub(crate) type Runners = HashMap<Partition, bool>;

impl<W: World> Inner<W> {
    /// Works on a conversation's inbox, unless a task of this process does so already: that one then looks once more.
    pub(crate) fn wake_inbox(this: &Arc<Self>, partition: Partition) {
        match lock(&this.inboxes).entry(partition.clone()) {
            Entry::Occupied(mut again) => {
                again.insert(true);
                return;
            }
            Entry::Vacant(free) => free.insert(false),
        };
        let engine = Arc::clone(this);
        this.parts.tasks.spawn(Box::pin(async move {
            let runner = Runner {
                engine: &engine,
                partition: &partition,
                left: Cell::new(false),
            };
            loop {
                if let Err(fault) = Self::drain_inbox(&engine, &partition).await {
                    tracing::error!(conversation = %partition.0, %fault, "the inbox waits for its wake time");
                    engine.park_on_alarm(&partition, &fault);
                }
                if !runner.again() {
                    return;
                }
            }
        }));
    }

    async fn drain_inbox(this: &Arc<Self>, partition: &Partition) -> Result<(), Fault> {
        let mut goes_on = false;
        let patient_until = this.parts.clock.elapsed() + POSTING_PATIENCE;
        loop {
            let inbox = [CLICKS, INBOX].map(|prefix| Select::Prefix {
                prefix: prefix.to_owned(),
                order: Order::Ascending,
                limit: INBOX_SELECT,
            });
            let (view, selected) = this.load(partition, Records::All, inbox.to_vec()).await?;
            let documents: Vec<Document> = selected.into_iter().flatten().collect();
            let keys: Vec<Key> = documents.iter().map(|document| document.key.clone()).collect();
            let items = held(documents, decode::<Item, StoredItem>)?;
            let Some((key, item)) = this.next_item(&view, keys.into_iter().zip(items), goes_on) else {
                return Ok(());
            };
            match item.value.interaction.clone() {
                // A reply to a card that is on its way into its record: it cannot be found yet.
                Interaction::Message(_)
                    if is_posting(&view) && this.parts.clock.elapsed() < patient_until =>
                {
                    this.parts.clock.sleep(LOOK_AGAIN).await;
                }
                Interaction::Message(message) => {
                    goes_on = true;
                    Self::handle_message(this, &view, &key, item, &message).await?;
                }
                Interaction::Action(_) | Interaction::ModalSubmit(_) => {
                    Self::handle_click(this, &view, &key, item).await?;
                }
            }
        }
    }

    /// The first item that is for this host to handle now. Messages are taken in their order over all hosts: while another
    /// host works on one, nobody takes those behind it, and who `goes_on` from a message takes the next whoever accepted
    /// it, since that host has found it behind another and left it.
    fn next_item(
        &self,
        view: &View,
        items: impl Iterator<Item = (Key, Held<Item>)>,
        goes_on: bool,
    ) -> Option<(Key, Held<Item>)> {
        let mut behind_another = false;
        for (key, item) in items {
            let is_message = matches!(item.value.interaction, Interaction::Message(_));
            if is_message && behind_another {
                continue;
            }
            let take = match item.value.handling.phase {
                Phase::Running(deadline) if deadline <= view.now => true,
                Phase::Running(_) if is_message => goes_on || item.value.host == self.host,
                // A click is still with the task that took it in, until its attempt is lost.
                Phase::Running(_) | Phase::Nothing | Phase::Spent => false,
                Phase::Due(at) => at <= view.now,
            };
            if take {
                return Some((key, item));
            }
            // One that waits for a retry is passed over: the conversation does not stand still for hours.
            behind_another |= is_message && matches!(item.value.handling.phase, Phase::Running(_));
        }
        None
    }

    /// The item with an attempt of this host on record; none when another host was faster or the series is used up.
    async fn claimed(
        this: &Arc<Self>,
        view: &View,
        key: &Key,
        mut item: Held<Item>,
    ) -> Result<Option<Held<Item>>, Fault> {
        let fresh = matches!(item.value.handling.phase, Phase::Running(deadline) if deadline > view.now);
        if fresh {
            return Ok(Some(item));
        }
        match item.value.handling.tick(view.now, &this.config.policy.handling) {
            Ticked::Begun(_) => {
                item.value.host.clone_from(&this.host);
                Ok(this.rewrite(view, key, &item).await?.then_some(item))
            }
            Ticked::Spent => {
                Self::give_up(this, view, key, &item).await?;
                Ok(None)
            }
            Ticked::Early => Ok(None),
        }
    }

    /// Writes an item in place; `false` when another host wrote it meanwhile.
    async fn rewrite(&self, view: &View, key: &Key, item: &Held<Item>) -> Result<bool, Fault> {
        let value = encode::<Item, StoredItem>(&key.0, &item.value)?;
        let wake = item.value.handling.next_wake();
        let also = Also {
            puts: vec![put(key.clone(), Expect::Version(item.version), value, None, wake)],
            ..Also::default()
        };
        let draft = Draft::of(view, &self.config.policy, self.seed);
        Ok(matches!(
            self.commit(&item.value.address, draft, also).await?,
            Outcome::Done(_)
        ))
    }

    async fn handle_click(this: &Arc<Self>, view: &View, key: &Key, item: Held<Item>) -> Result<(), Fault> {
        let Some(item) = Self::claimed(this, view, key, item).await? else {
            return Ok(());
        };
        let incoming = Arc::new(incoming(view, &item.value));
        Self::interact(this, &incoming, None).await.map(drop)
    }

    async fn handle_message(
        this: &Arc<Self>,
        view: &View,
        key: &Key,
        item: Held<Item>,
        message: &Message,
    ) -> Result<(), Fault> {
        let lapsed = !matches!(item.value.handling.phase, Phase::Running(deadline) if deadline > view.now);
        if lapsed {
            // The claim changed the item: it is read again with its new version.
            return Self::claimed(this, view, key, item).await.map(drop);
        }
        let incoming = Arc::new(incoming(view, &item.value));
        let address = &incoming.address;
        this.connected(&address.channel, &address.conversation.account)
            .await;
        // What a message means was asked of these records: none of them may be another by the time of the commit.
        let checks: Vec<_> = view.questions.iter().map(checked).collect();
        let also = || Also {
            deletes: vec![(key.clone(), Expect::Version(item.version))],
            ..Also::default()
        };
        match Self::judge(this, view, &incoming, None, also(), false).await? {
            Judged::Handled(Handled::Done | Handled::Known) | Judged::Again | Judged::Waiting(_) => {
                return Ok(());
            }
            Judged::Handled(Handled::NotOurs) => {}
        }
        let began = this.parts.clock.elapsed();
        match this.ruling(address, &message.author, RULING_WITHIN).await {
            // It is remembered: the next look is quick, and its attempts get their whole time.
            Ok(Ruling::Granted(_)) if this.took_long(began) => Ok(()),
            Ok(Ruling::Granted(actor)) => {
                let mut draft = Draft::of(view, &this.config.policy, this.seed);
                let number = draft.next_message();
                let live = live(view);
                let message_event = turn::Event::Message {
                    message: number,
                    actor,
                    live,
                };
                if draft.turn(message_event) == Stepped::Refused {
                    return Self::refuse(this, view, &incoming, also()).await;
                }
                let entry = chat::Entry::User(UserMessage {
                    author: message.author.clone(),
                    text: message.text.clone(),
                    platform_id: message.id.0.clone(),
                });
                draft.edits.push((number, Edit::Write(entry)));
                let acts = std::mem::take(&mut draft.acts);
                let also = Also { checks, ..also() };
                if let Outcome::Done(committed) = this.commit(address, draft, also).await? {
                    tracing::info!(channel = address.channel, conversation = %view.partition.0, state = ?committed.chat.turn.state(), "message taken");
                    Self::perform(this, &committed, acts);
                }
                Ok(())
            }
            Ok(Ruling::Denied(_)) => {
                tracing::info!(channel = address.channel, conversation = %view.partition.0, "message of somebody without access");
                let draft = Draft::of(view, &this.config.policy, this.seed);
                this.commit(address, draft, also()).await.map(drop)
            }
            Err(fault) => {
                tracing::warn!(channel = address.channel, conversation = %view.partition.0, %fault, "message waits");
                Self::failed(this, view, key, item, after(&fault)).await
            }
        }
    }

    async fn failed(
        this: &Arc<Self>,
        view: &View,
        key: &Key,
        mut item: Held<Item>,
        after: Option<Millis>,
    ) -> Result<(), Fault> {
        let policy = &this.config.policy.handling;
        // The attempt took its time: the next one is due that long after its end, not after its beginning.
        let now = this
            .read(&view.partition, vec![Select::Key(key.clone())])
            .await?
            .now;
        if item
            .value
            .handling
            .failed(Failure::Transient(after), now, policy, this.seed)
        {
            return Self::give_up(this, view, key, &item).await;
        }
        this.rewrite(view, key, &item).await.map(drop)
    }

    /// The end of a series: logged, and the sender told.
    async fn give_up(this: &Arc<Self>, view: &View, key: &Key, item: &Held<Item>) -> Result<(), Fault> {
        let also = Also {
            deletes: vec![(key.clone(), Expect::Version(item.version))],
            ..Also::default()
        };
        let draft = Draft::of(view, &this.config.policy, this.seed);
        if let Outcome::Done(_) = this.commit(&item.value.address, draft, also).await? {
            tracing::error!(conversation = %view.partition.0, "gave up on a delivered message");
            this.say(&incoming(view, &item.value), turn::TURN_FAILED).await;
        }
        Ok(())
    }

    /// The queue is full: the sender is told, and a card that stopped responding is posted again all the same.
    async fn refuse(this: &Arc<Self>, view: &View, incoming: &Incoming, also: Also) -> Result<(), Fault> {
        let mut draft = Draft::of(view, &this.config.policy, this.seed);
        draft.turn(turn::Event::Revive { live: live(view) });
        let acts = std::mem::take(&mut draft.acts);
        if let Outcome::Done(committed) = this.commit(&incoming.address, draft, also).await? {
            tracing::warn!(conversation = %view.partition.0, "refused a message: the queue is full");
            Self::perform(this, &committed, acts);
            this.say(incoming, QUEUE_FULL).await;
        }
        Ok(())
    }

    /// A notice of the host's own, told once.
    async fn say(&self, incoming: &Incoming, text: &str) {
        let address = &incoming.address;
        let context = Context {
            account: address.conversation.account.clone(),
            attempt: 1,
            idempotency_key: idempotency_key(&incoming.partition, &["say", &incoming.delivery]),
            limit: self.config.times.hook,
            reply_within: None,
        };
        if let Err(fault) = self
            .parts
            .pieces
            .post(&address.channel, context, &address.conversation, text)
            .await
        {
            tracing::warn!(channel = address.channel, %fault, "a notice could not be posted");
        }
    }

    /// The author of a queued message.
    pub(crate) async fn queued(
        &self,
        partition: &Partition,
        number: u64,
    ) -> Result<Option<UserMessage>, Fault> {
        let entry = self.entries(partition, &[number]).await?.pop().flatten();
        Ok(entry.and_then(|held| match held.value {
            chat::Entry::User(message) => Some(message),
            chat::Entry::Assistant(_) => {
                tracing::error!(key = %entry_key(number).0, "a queued message is an assistant's");
                None
            }
        }))
    }
}

/// How long a platform asks to wait.
fn after(fault: &HookFault) -> Option<Millis> {
    match fault.kind {
        FaultKind::Retry(after) => after,
        FaultKind::Trap
        | FaultKind::TimedOut
        | FaultKind::Exhausted
        | FaultKind::Garbage
        | FaultKind::Gone
        | FaultKind::Refused
        | FaultKind::PerhapsSent
        | FaultKind::StateUnreadable
        | FaultKind::NotLoaded
        | FaultKind::Busy => None,
    }
}

/// Whether a card is on its way between the platform and its record.
pub(crate) fn is_posting(view: &View) -> bool {
    let posting = view.chat.as_ref().map(|chat| chat.value.turn.posting.phase);
    matches!(posting, Some(Phase::Running(deadline)) if deadline > view.now)
}

/// The calls that have a record.
fn live(view: &View) -> Vec<CallId> {
    view.questions
        .iter()
        .map(|held| held.value.call.clone())
        .collect()
}

fn incoming(view: &View, item: &Item) -> Incoming {
    Incoming {
        partition: view.partition.clone(),
        address: item.address.clone(),
        delivery: item.delivery.clone(),
        interaction: item.interaction.clone(),
    }
}

/// The task that works on an inbox; gives the place up when it is dropped, also by a panic.
struct Runner<'a, W: World> {
    engine: &'a Inner<W>,
    partition: &'a Partition,
    left: Cell<bool>,
}

impl<W: World> Runner<'_, W> {
    /// Whether something arrived meanwhile; if not, the place is free from now on.
    fn again(&self) -> bool {
        let mut inboxes = lock(&self.engine.inboxes);
        match inboxes.get_mut(self.partition) {
            Some(again) if *again => {
                *again = false;
                true
            }
            Some(_) | None => {
                inboxes.remove(self.partition);
                self.left.set(true);
                false
            }
        }
    }
}

impl<W: World> Drop for Runner<'_, W> {
    fn drop(&mut self) {
        if !self.left.get() {
            lock(&self.engine.inboxes).remove(self.partition);
        }
    }
}
