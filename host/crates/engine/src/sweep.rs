//! The one sweep that wakes whatever is due. It is all that recovers: a crash, a lost reply, a lost effect and a restart
//! look the same from here.

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;

use futures_util::future::{Either, select};
use lifecycle::{CallId, Millis, question, turn};
use ports::documents::{Awake, Due, LOOK_AGAIN, Partition};
use ports::{Clock, Documents, Tasks};

use crate::address::{CLICKS, INBOX, QUESTIONS, TURN};
use crate::conversation::{Draft, Stepped};
use crate::ledger::{Also, Fault, Outcome, Records};
use crate::{Engine, Inner, World, lock};

/// How many due documents one look brings; more are found by the next, at once.
const DUE_MAX: usize = 256;
/// How long to wait before looking again at documents that are being worked on already.
const BUSY_PAUSE: std::time::Duration = std::time::Duration::from_millis(100);

/// A document whose tick is under way.
pub(crate) type Ticking = (Partition, String);

impl<W: World> Engine<W> {
    /// Connects the channels and wakes whatever is due, until `shutdown` completes. Tasks under way go on.
    pub async fn run(&self, shutdown: impl Future<Output = ()> + Send) {
        Inner::connect_configured(&self.0);
        let mut shutdown = pin!(shutdown);
        loop {
            let pause = match self.0.parts.documents.due(Millis(0), Inner::look(&self.0)).await {
                Ok(due) => {
                    self.0.store_clock.told(due.now, self.0.parts.clock.elapsed());
                    Inner::wake(&self.0, due)
                }
                Err(fault) => {
                    tracing::error!(%fault, "the sweep cannot read the store");
                    self.0.config.times.sweep
                }
            };
            let sleep = pin!(self.0.parts.clock.sleep(pause));
            let nudged = pin!(self.0.parts.documents.nudged());
            if let Either::Left(_) = select(shutdown.as_mut(), select(sleep, nudged)).await {
                return;
            }
        }
    }
}

impl<W: World> Inner<W> {
    /// How many due documents to ask for: what is being worked on or parked stays due and must not hide what is behind it.
    fn look(&self) -> usize {
        let busy = lock(&self.ticking).len() + lock(&self.inboxes).len() + lock(&self.parked).len();
        DUE_MAX.saturating_add(busy)
    }

    /// Starts a tick for everything due; says how long to sleep.
    fn wake(this: &Arc<Self>, due: Due) -> std::time::Duration {
        let (idle, full) = (due.awake.is_empty(), due.awake.len() >= DUE_MAX);
        for awake in due.awake {
            Self::wake_one(this, awake);
        }
        let next = due
            .next
            .map(|at| std::time::Duration::from_millis((at - due.now).0));
        let pause = if full {
            BUSY_PAUSE
        } else if idle && W::Documents::NUDGES {
            std::time::Duration::from_millis(LOOK_AGAIN.0)
        } else {
            this.config.times.sweep
        };
        next.map_or(pause, |next| next.min(pause))
            .max(std::time::Duration::from_millis(1))
    }

    /// A document that cannot be read parks its conversation: events are still taken in, nothing is done, the process
    /// lives. Other faults pass by themselves.
    pub(crate) fn park_on_alarm(&self, partition: &Partition, fault: &Fault) {
        if matches!(fault, Fault::Alarm(_)) && lock(&self.parked).insert(partition.clone()) {
            tracing::error!(
                conversation = %partition.0,
                "the conversation is parked: a document in it cannot be read. Start a host that can read it, or take the document out of the store"
            );
        }
    }

    fn wake_one(this: &Arc<Self>, awake: Awake) {
        if lock(&this.parked).contains(&awake.partition) {
            return;
        }
        if [INBOX, CLICKS]
            .iter()
            .any(|prefix| awake.key.0.starts_with(prefix))
        {
            return Self::wake_inbox(this, awake.partition);
        }
        let ticking = (awake.partition, awake.key.0);
        if !lock(&this.ticking).insert(ticking.clone()) {
            return;
        }
        let engine = Arc::clone(this);
        this.parts.tasks.spawn(Box::pin(async move {
            let done = Done {
                engine: &engine,
                ticking: &ticking,
            };
            let (partition, key) = &ticking;
            if let Err(fault) = Self::tick(&engine, partition, key).await {
                tracing::error!(conversation = %partition.0, key, %fault, "a tick failed");
                engine.park_on_alarm(partition, &fault);
            }
            drop(done);
        }));
    }

    async fn tick(this: &Arc<Self>, partition: &Partition, key: &str) -> Result<(), Fault> {
        let call = key.strip_prefix(QUESTIONS).map(|call| CallId(call.to_owned()));
        let records = call.as_ref().map_or(Records::All, Records::One);
        loop {
            let (view, _) = this.load(partition, records, Vec::new()).await?;
            let Some(chat) = &view.chat else {
                tracing::error!(conversation = %partition.0, key, "a document without its chat is due");
                return Ok(());
            };
            let mut draft = Draft::of(&view, &this.config.policy, this.seed);
            let stepped = match &call {
                Some(call) => draft.question(call, question::Event::Tick),
                None if key == TURN => draft.turn(turn::Event::Tick(view.lease)),
                None => Stepped::Stayed,
            };
            if stepped != Stepped::Advanced {
                return Ok(());
            }
            let address = chat.value.address.clone();
            let acts = std::mem::take(&mut draft.acts);
            if let Outcome::Done(committed) = this.commit(&address, draft, Also::default()).await? {
                tracing::info!(conversation = %partition.0, key, acts = acts.len(), "woken");
                Self::perform(this, &committed, acts);
                return Ok(());
            }
        }
    }
}

/// Gives a document's place up when it is dropped, also by a panic.
struct Done<'a, W: World> {
    engine: &'a Inner<W>,
    ticking: &'a Ticking,
}

impl<W: World> Drop for Done<'_, W> {
    fn drop(&mut self) {
        lock(&self.engine.ticking).remove(self.ticking);
    }
}
