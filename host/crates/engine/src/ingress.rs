//! Taking in what platforms send: an event is durable before it is acknowledged, and its redelivery changes nothing.
//!
//! A message is acknowledged as soon as its delivery is written. A click or a form is held until its outcome is known;
//! when the platform's deadline comes first, it is written down too and acknowledged as `receive` prepared.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_channel::oneshot;
use futures_util::future::{Either, select};
use lifecycle::Timestamp;
use lifecycle::owed::Owed;
use ports::documents::{Append, Batch, CommitFault, Expect, Key, Order, Partition, Put, Select};
use ports::ingress::{Ingress, IngressFault};
use ports::pieces::{Addressing, AuthorKind, Event, HttpReply, InboundRequest, Interaction, Place};
use ports::{Clock, Documents, Pieces, Tasks};

use crate::address::{Address, CLICKS, INBOX, TURN, delivery_key};
use crate::inbox::Item;
use crate::interaction::Incoming;
use crate::ledger::Fault;
use crate::stored::encode;
use crate::stored::inbox::StoredItem;
use crate::{Engine, Inner, World, lock};

/// What a delivery's document says; only its being there counts.
pub(crate) const DELIVERY: &[u8] = b"{\"v\":1}";

/// What the request behind an interaction is answered with; none: the acknowledgement.
type Answer = Result<Option<HttpReply>, IngressFault>;

/// The request behind an interaction, as long as somebody waits for its response.
#[derive(Debug)]
pub(crate) struct Reply {
    sender: Mutex<Option<oneshot::Sender<Answer>>>,
    until: Duration,
    /// How many hooks may still answer.
    hooks: AtomicUsize,
}

impl Reply {
    fn new(sender: oneshot::Sender<Answer>, until: Duration) -> Self {
        Self {
            sender: Mutex::new(Some(sender)),
            until,
            hooks: AtomicUsize::new(0),
        }
    }

    /// So many hooks will be asked, each of which may answer the request.
    pub(crate) fn expect(&self, hooks: usize) {
        self.hooks.store(hooks, Ordering::Relaxed);
    }

    /// One of them has returned. After the last the request is acknowledged, whatever is still to be written: its outcome
    /// is recorded.
    pub(crate) fn returned(&self) {
        if self.hooks.fetch_sub(1, Ordering::Relaxed) == 1 {
            self.send(Ok(None));
        }
    }

    /// How long a reply can still be given.
    pub(crate) fn within(&self, now: Duration) -> Option<Duration> {
        let open = lock(&self.sender)
            .as_ref()
            .is_some_and(|sender| !sender.is_canceled());
        let left = self.until.saturating_sub(now);
        (open && !left.is_zero()).then_some(left)
    }

    /// Answers the request; says whether somebody still waited.
    pub(crate) fn send(&self, reply: Answer) -> bool {
        let sender = lock(&self.sender).take();
        sender.is_some_and(|sender| sender.send(reply).is_ok())
    }
}

impl<W: World> Ingress for Engine<W> {
    async fn take_in(&self, channel: &str, request: InboundRequest) -> Result<HttpReply, IngressFault> {
        if !self.0.config.channels.contains_key(channel) {
            return Err(IngressFault::NoChannel);
        }
        let arrived = self.0.parts.clock.elapsed();
        let received = match self.0.parts.pieces.receive(channel, request).await {
            Ok(Ok(received)) => received,
            Ok(Err(reason)) => {
                tracing::warn!(channel, reason, "the piece cannot read a request");
                return Err(IngressFault::Unreadable);
            }
            Err(fault) => {
                tracing::error!(channel, %fault, "receive failed");
                return Err(IngressFault::TryAgain);
            }
        };
        let mut reply = None;
        for event in received.events {
            let answer = Inner::take_event(&self.0, channel, event, arrived).await?;
            reply.get_or_insert(answer);
        }
        Ok(reply.unwrap_or(received.reply))
    }
}

impl<W: World> Inner<W> {
    async fn take_event(
        this: &Arc<Self>,
        channel: &str,
        event: Event,
        arrived: Duration,
    ) -> Result<HttpReply, IngressFault> {
        let author = event.interaction.author();
        if author.kind != AuthorKind::Person {
            tracing::debug!(channel, kind = ?author.kind, "dropped an event of nobody");
            return Ok(event.acknowledgement);
        }
        let Some(address) = this.address(channel, &event) else {
            tracing::info!(
                channel,
                "dropped a form that names no conversation of this channel"
            );
            return Ok(event.acknowledgement);
        };
        let accepted = match &event.interaction {
            Interaction::Message(_) => Self::take_message(this, address, &event).await,
            Interaction::Action(_) | Interaction::ModalSubmit(_) => {
                return Self::take_click(this, address, event, arrived).await;
            }
        };
        match accepted {
            Ok(()) => Ok(event.acknowledgement),
            Err(fault) => {
                tracing::error!(channel, %fault, "an event could not be written");
                Err(IngressFault::TryAgain)
            }
        }
    }

    /// The conversation of an event. A form that tells none carries a locator, which leads only into its own channel and
    /// account.
    fn address(&self, channel: &str, event: &Event) -> Option<Address> {
        let conversation = match &event.place {
            Place::Conversation(conversation) => conversation.clone(),
            Place::Account(account) => {
                let Interaction::ModalSubmit(submit) = &event.interaction else {
                    return None;
                };
                let metadata = submit.private_metadata.as_deref()?;
                self.parts.pieces.locate(channel, account, metadata)?.conversation
            }
        };
        Some(Address {
            channel: channel.to_owned(),
            conversation,
        })
    }

    async fn take_message(this: &Arc<Self>, address: Address, event: &Event) -> Result<(), Fault> {
        let partition = address.partition();
        // What addresses us concerns us, and the commit finds out whether it is known: nothing has to be read for it.
        let told = this.store_clock.now(this.parts.clock.elapsed());
        let now = match told.filter(|_| event.addressing != Addressing::None) {
            Some(now) => now,
            None => match this.concerns_us(&partition, event).await? {
                Some(now) => now,
                None => {
                    tracing::debug!(channel = address.channel, "dropped a message");
                    return Ok(());
                }
            },
        };
        let channel = address.channel.clone();
        let item = this.item(address, event, now);
        let append = Append {
            prefix: INBOX.to_owned(),
            value: encode::<Item, StoredItem>(INBOX, &item)?,
            expires: None,
            wake: item.handling.next_wake(),
        };
        let delivery = this.delivery_put(&event.delivery_id, Expect::Absent, now);
        if this.accept(&partition, vec![delivery], vec![append]).await? {
            tracing::info!(channel, conversation = %partition.0, "message accepted");
            Self::wake_inbox(this, partition);
        }
        Ok(())
    }

    /// The store's time, if a message concerns us and is new: it addresses us, or the conversation has a chat or will have one.
    async fn concerns_us(&self, partition: &Partition, event: &Event) -> Result<Option<Timestamp>, Fault> {
        let select = vec![
            Select::Key(Key(TURN.to_owned())),
            Select::Key(delivery_key(&event.delivery_id)),
            Select::Prefix {
                prefix: INBOX.to_owned(),
                order: Order::Ascending,
                limit: 1,
            },
        ];
        let snapshot = self.read(partition, select).await?;
        let [chat, delivery, inbox] = snapshot.selected.as_slice() else {
            return Ok(None);
        };
        // A message that waits in the inbox concerned us: what is said right behind it belongs to it.
        let concerns_us = event.addressing != Addressing::None || !chat.is_empty() || !inbox.is_empty();
        Ok((concerns_us && delivery.is_empty()).then_some(snapshot.now))
    }

    /// The event with its first attempt on record.
    fn item(&self, address: Address, event: &Event, now: Timestamp) -> Item {
        let mut handling = Owed::NOTHING;
        handling.begin_series(now, &self.config.policy.handling);
        let (delivery, interaction) = (event.delivery_id.clone(), event.interaction.clone());
        Item {
            address,
            delivery,
            interaction,
            handling,
            host: self.host.clone(),
        }
    }

    /// Marks a delivery as known.
    pub(crate) fn delivery_put(&self, delivery: &str, expect: Expect, now: Timestamp) -> Put {
        let kept = u64::try_from(self.config.times.delivery.as_millis()).unwrap_or(u64::MAX);
        Put {
            key: delivery_key(delivery),
            expect,
            value: DELIVERY.into(),
            expires: Some(now + lifecycle::Millis(kept)),
            wake: None,
        }
    }

    /// Writes an event down; `false` when it is known already.
    async fn accept(
        &self,
        partition: &Partition,
        puts: Vec<Put>,
        appends: Vec<Append>,
    ) -> Result<bool, Fault> {
        let id = self.commit_id();
        let probe = puts.first().map(|put| put.key.clone());
        let batch = Batch {
            id,
            checks: Vec::new(),
            puts,
            deletes: Vec::new(),
            appends,
        };
        match self.parts.documents.commit(partition, batch).await {
            Ok(_) => Ok(true),
            Err(CommitFault::Conflict(_)) => Ok(false),
            Err(CommitFault::Unavailable(reason)) => Err(Fault::Store(reason)),
            Err(CommitFault::Unknown(reason)) => {
                let applied = self.was_applied(partition, probe, id).await?;
                if applied {
                    Ok(true)
                } else {
                    Err(Fault::Store(reason))
                }
            }
        }
    }

    async fn take_click(
        this: &Arc<Self>,
        address: Address,
        event: Event,
        arrived: Duration,
    ) -> Result<HttpReply, IngressFault> {
        let channel = address.channel.clone();
        let (sender, receiver) = oneshot::channel();
        let until = arrived
            + event
                .answer_within
                .saturating_sub(this.config.times.acknowledge_margin);
        let reply = Arc::new(Reply::new(sender, until));
        let incoming = Arc::new(Incoming {
            partition: address.partition(),
            address: address.clone(),
            delivery: event.delivery_id.clone(),
            interaction: event.interaction.clone(),
        });
        let engine = Arc::clone(this);
        this.parts.tasks.spawn(Box::pin(async move {
            let answer = match Self::interact(&engine, &incoming, Some(&reply)).await {
                Ok(_) => Ok(None),
                Err(fault) => {
                    tracing::error!(channel = incoming.address.channel, %fault, "a click could not be handled");
                    Err(IngressFault::TryAgain)
                }
            };
            reply.send(answer);
        }));
        let wait = this
            .parts
            .clock
            .sleep(until.saturating_sub(this.parts.clock.elapsed()));
        match select(receiver, Box::pin(wait)).await {
            Either::Left((Ok(answer), _)) => Ok(answer?.unwrap_or(event.acknowledgement)),
            Either::Left((Err(_), _)) => Err(IngressFault::TryAgain),
            Either::Right(((), receiver)) => {
                drop(receiver);
                match this.write_down(address, &event).await {
                    Ok(()) => Ok(event.acknowledgement),
                    Err(fault) => {
                        tracing::error!(channel, %fault, "a click could not be written");
                        Err(IngressFault::TryAgain)
                    }
                }
            }
        }
    }

    /// Makes a click durable whose outcome is not known in time. The task that handles it goes on; if it dies, the item's
    /// wake time has it handled.
    async fn write_down(&self, address: Address, event: &Event) -> Result<(), Fault> {
        let partition = address.partition();
        let snapshot = self
            .read(&partition, vec![Select::Key(delivery_key(&event.delivery_id))])
            .await?;
        if !snapshot.selected.iter().all(Vec::is_empty) {
            return Ok(());
        }
        let item = self.item(address, event, snapshot.now);
        let key = click_key(&event.delivery_id);
        let value = encode::<Item, StoredItem>(&key.0, &item)?;
        let wake = item.handling.next_wake();
        let delivery = self.delivery_put(&event.delivery_id, Expect::Absent, snapshot.now);
        let item = Put {
            key,
            expect: Expect::Absent,
            value,
            expires: None,
            wake,
        };
        self.accept(&partition, vec![delivery, item], Vec::new())
            .await
            .map(drop)
    }
}

/// The key of a click that was written down: beside the inbox of the messages, because it does not wait for its turn.
pub(crate) fn click_key(delivery: &str) -> Key {
    Key(format!("{CLICKS}{}", delivery_key(delivery).0))
}
