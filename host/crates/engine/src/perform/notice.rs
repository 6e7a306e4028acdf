//! Telling a participant what became of an interaction: `rejected`, `denied`, `stale`.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use lifecycle::owed::Owed;
use lifecycle::question::{self, Notice};
use lifecycle::{Actor, CallId, Timestamp};
use ports::documents::Partition;
use ports::pieces::{Call, Context, Interaction, Shared};
use ports::{Clock, Pieces};

use crate::ingress::Reply;
use crate::interaction::{Incoming, record};
use crate::ledger::Committed;
use crate::{Inner, World, lock};

/// How long a person is not told again, where everybody sees it, that the same card is out of date.
const TOLD_AGAIN_AFTER: Duration = Duration::from_secs(60);
/// How many of those are remembered.
const TOLD_MAX: usize = 10_000;

/// Who was told lately, by card and person.
pub(crate) type Lately = Mutex<HashMap<(Partition, CallId, String), Duration>>;

/// The interaction whose participant is told.
pub(crate) struct Told {
    pub(crate) incoming: Arc<Incoming>,
    /// The call it belongs to.
    pub(crate) call: CallId,
    pub(crate) actor: Option<Actor>,
    /// Whether it made the call advance: what a redraw then shows. Whoever is told something changed nothing.
    pub(crate) advances: bool,
    pub(crate) reply: Option<Arc<Reply>>,
}

impl<W: World> Inner<W> {
    /// Told once; a failure is logged.
    pub(super) async fn tell(&self, committed: &Committed, call: &CallId, notice: &Notice, told: &Told) {
        let address = committed.address();
        let Some(info) = self.parts.pieces.info(&address.channel) else {
            return;
        };
        let has_hook = match notice {
            Notice::Rejected(_) => info.hooks.rejected,
            Notice::Denied => info.hooks.denied,
            Notice::Stale => info.hooks.stale,
        };
        let repeated = *notice == Notice::Stale
            && info.notices_public
            && self.told_lately(&committed.partition, call, &told.incoming.interaction.author().id);
        if !has_hook || repeated {
            return;
        }
        // A call that is still being posted has no record yet: the piece sees the message that was clicked.
        let provisional;
        let question = match committed.questions.get(call) {
            Some(question) => question,
            None => match provisional_record(committed, call, &told.incoming.interaction) {
                Some(question) => {
                    provisional = question;
                    &provisional
                }
                None => return,
            },
        };
        let name = ["notice", &told.incoming.delivery];
        let shared = |reply_within| Shared {
            context: Context {
                reply_within,
                ..self.context(committed, &Owed::NOTHING, &name)
            },
            conversation: &address.conversation,
            call: Call {
                id: call,
                input: &question.input,
            },
            record: record(question),
            actor: told.actor.as_ref(),
        };
        let (channel, pieces, interaction) =
            (&address.channel, &self.parts.pieces, &told.incoming.interaction);
        let result = match notice {
            Notice::Rejected(reason) => {
                self.replying(told.reply.as_ref(), |within| {
                    pieces.rejected(channel, shared(within), interaction, reason)
                })
                .await
            }
            Notice::Denied => {
                self.replying(told.reply.as_ref(), |within| {
                    pieces.denied(channel, shared(within), interaction)
                })
                .await
            }
            Notice::Stale => {
                self.replying(told.reply.as_ref(), |within| {
                    pieces.stale(channel, shared(within), interaction)
                })
                .await
            }
        };
        if let Err(fault) = result {
            tracing::warn!(channel, call = %call, %fault, "a participant could not be told");
        }
    }

    fn told_lately(&self, partition: &Partition, call: &CallId, person: &str) -> bool {
        let now = self.parts.clock.elapsed();
        let mut lately = lock(&self.lately);
        lately.retain(|_, until| *until > now);
        if lately.len() >= TOLD_MAX {
            lately.clear();
        }
        let who = (partition.clone(), call.clone(), person.to_owned());
        // Who keeps clicking is told once a minute, not once.
        if lately.contains_key(&who) {
            return true;
        }
        lately.insert(who, now + TOLD_AGAIN_AFTER);
        false
    }
}

/// A record for a call that is still being posted: the message that was clicked.
fn provisional_record(
    committed: &Committed,
    call: &CallId,
    interaction: &Interaction,
) -> Option<question::Question> {
    let Interaction::Action(action) = interaction else {
        return None;
    };
    let pending = committed
        .chat
        .turn
        .pending()
        .iter()
        .find(|pending| pending.call == *call)?;
    let message = question::Message {
        id: action.message_id.clone(),
        posted_at: Timestamp(0),
        question: None,
    };
    let input = pending.input.clone();
    Some(question::Question::posted(
        call.clone(),
        input,
        vec![message],
        None,
        Timestamp(0),
    ))
}
