//! Starting on a store that this host has to itself: whatever an earlier process left running is nobody's, and is made
//! again at once instead of at its deadline.
//!
//! Nothing is decided here that a tick would not decide later: the attempts under way count as lost now.

use std::sync::Arc;

use lifecycle::owed::Phase;
use lifecycle::{CallId, Millis, question, turn};
use ports::Documents;
use ports::documents::{Awake, Expect, Key, Select};

use crate::address::{CLICKS, INBOX, QUESTIONS};
use crate::conversation::{Draft, Scope, Stepped};
use crate::inbox::Item;
use crate::ledger::{Also, Fault, Outcome, Records, held, put};
use crate::stored::inbox::StoredItem;
use crate::stored::{decode, encode};
use crate::{Engine, Inner, World};

/// The most documents that are brought forward; one process does not have more under way, and what is left is woken at
/// its deadline.
const UNDER_WAY_MAX: usize = 1_000;

impl<W: World> Engine<W> {
    /// Brings forward whatever an earlier process left running. Only for a store that no other host uses, once, before
    /// [`Engine::run`].
    pub async fn bring_forward(&self) {
        let due = match self
            .0
            .parts
            .documents
            .due(self.0.longest_deadline(), UNDER_WAY_MAX)
            .await
        {
            Ok(due) => due,
            Err(fault) => {
                return tracing::error!(%fault, "what was left running waits for its deadlines");
            }
        };
        for Awake { partition, key, .. } in due.awake {
            let brought = Inner::bring(&self.0, &partition, &key).await;
            match brought {
                Ok(true) => tracing::info!(conversation = %partition.0, key = key.0, "brought forward"),
                Ok(false) => {}
                Err(fault) => {
                    tracing::error!(conversation = %partition.0, key = key.0, %fault, "waits for its deadline")
                }
            }
        }
    }
}

impl<W: World> Inner<W> {
    /// How far ahead the deadline of an attempt under way can be.
    fn longest_deadline(&self) -> Millis {
        let policy = &self.config.policy;
        let all = [
            policy.advancing,
            policy.posting,
            policy.closing,
            policy.continuing,
            policy.replying,
            policy.handling,
        ];
        all.iter()
            .map(|series| series.deadline)
            .max()
            .unwrap_or(Millis(0))
    }

    /// Makes what a document left running again; says whether there was anything.
    async fn bring(
        this: &Arc<Self>,
        partition: &ports::documents::Partition,
        key: &Key,
    ) -> Result<bool, Fault> {
        if [INBOX, CLICKS].iter().any(|prefix| key.0.starts_with(prefix)) {
            return Self::bring_item(this, partition, key).await;
        }
        let call = key.0.strip_prefix(QUESTIONS).map(|call| CallId(call.to_owned()));
        let records = call.as_ref().map_or(Records::All, Records::One);
        let (mut view, _) = this.load(partition, records, Vec::new()).await?;
        let now = view.now;
        // The machines are stepped on what the process left, seen as nobody's; the versions stay those that were read.
        if let Some(chat) = view.chat.as_mut().filter(|_| call.is_none()) {
            chat.value.turn = chat.value.turn.orphaned(now);
        }
        for held in &mut view.questions {
            held.value = held.value.orphaned(now);
        }
        // They are not what is stored: what follows reads again.
        view.scope = Scope::One;
        let Some(chat) = &view.chat else { return Ok(false) };
        let address = chat.value.address.clone();
        let mut draft = Draft::of(&view, &this.config.policy, this.seed);
        let stepped = match &call {
            Some(call) => draft.question(call, question::Event::Tick),
            None => draft.turn(turn::Event::Tick(None)),
        };
        if stepped != Stepped::Advanced {
            return Ok(false);
        }
        let acts = std::mem::take(&mut draft.acts);
        match this.commit(&address, draft, Also::default()).await? {
            Outcome::Again => Ok(false),
            Outcome::Done(committed) => {
                Self::perform(this, &committed, acts);
                Ok(true)
            }
        }
    }

    async fn bring_item(
        this: &Arc<Self>,
        partition: &ports::documents::Partition,
        key: &Key,
    ) -> Result<bool, Fault> {
        let (view, mut selected) = this
            .load(partition, Records::All, vec![Select::Key(key.clone())])
            .await?;
        let documents = selected.pop().unwrap_or_default();
        let Some(mut item) = held(documents, decode::<Item, StoredItem>)?.pop() else {
            return Ok(false);
        };
        if item.value.host == this.host || !matches!(item.value.handling.phase, Phase::Running(_)) {
            return Ok(false);
        }
        item.value.handling.orphaned(view.now);
        let value = encode::<Item, StoredItem>(&key.0, &item.value)?;
        let wake = item.value.handling.next_wake();
        let puts = vec![put(key.clone(), Expect::Version(item.version), value, None, wake)];
        let draft = Draft::of(&view, &this.config.policy, this.seed);
        let address = item.value.address.clone();
        let Outcome::Done(_) = this
            .commit(
                &address,
                draft,
                Also {
                    puts,
                    ..Also::default()
                },
            )
            .await?
        else {
            return Ok(false);
        };
        Self::wake_inbox(this, partition.clone());
        Ok(true)
    }
}
