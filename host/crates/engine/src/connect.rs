//! What a piece has to know about itself: the acting `connect` hook, called at the start and again when it goes stale.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use lifecycle::Timestamp;
use ports::pieces::Context;
use ports::{Clock, Pieces, Tasks};

use crate::{Inner, World, lock};

/// How long after a failed `connect` the next one is made.
const NEXT_TRY: Duration = Duration::from_secs(30);
/// How many accounts are remembered; a marketplace app with more connects the oldest anew.
const ACCOUNTS_MAX: usize = 100_000;

/// When each account has to be connected next, on the host's clock; none: never again.
pub(crate) type Connections = Mutex<HashMap<(String, String), Option<Duration>>>;

impl<W: World> Inner<W> {
    /// Connects the configured accounts, beside the caller.
    pub(crate) fn connect_configured(this: &Arc<Self>) {
        for (name, channel) in &this.config.channels {
            for account in &channel.accounts {
                let (engine, name, account) = (Arc::clone(this), name.clone(), account.clone());
                this.parts
                    .tasks
                    .spawn(Box::pin(async move { engine.connected(&name, &account).await }));
            }
        }
    }

    /// Makes sure that an account was connected, if its piece wants that. A failure is logged and tried again later; the
    /// hooks do without meanwhile.
    pub(crate) async fn connected(&self, channel: &str, account: &str) {
        if !self
            .parts
            .pieces
            .info(channel)
            .is_some_and(|info| info.hooks.connect)
        {
            return;
        }
        let who = (channel.to_owned(), account.to_owned());
        let now = self.parts.clock.elapsed();
        let limit = self.config.times.hook;
        {
            let mut connections = lock(&self.connections);
            if connections
                .get(&who)
                .is_some_and(|next| next.is_none_or(|next| next > now))
            {
                return;
            }
            if connections.len() >= ACCOUNTS_MAX {
                connections.clear();
            }
            // Whoever comes meanwhile does without rather than connect a second time.
            connections.insert(who.clone(), Some(now + limit));
        }
        let context = Context {
            account: account.to_owned(),
            attempt: 1,
            idempotency_key: [0; 16],
            limit,
            reply_within: None,
        };
        let next = match self.parts.pieces.connect(channel, context).await {
            Ok(connected) => {
                tracing::info!(channel, account, summary = connected.summary, "connected");
                for lack in &connected.lacks {
                    tracing::warn!(channel, account, lack, "the account has not granted everything");
                }
                self.parts.pieces.connected(channel, account, &connected.data);
                connected.stale_at.map(|at| now + self.until(at))
            }
            Err(fault) => {
                tracing::warn!(channel, account, %fault, "connect failed");
                Some(now + NEXT_TRY)
            }
        };
        lock(&self.connections).insert(who, next);
    }

    /// How long until an instant that a piece named. The piece took it from the clock this host gave it; the store's may
    /// differ by seconds, which only moves the next `connect`.
    fn until(&self, at: Timestamp) -> Duration {
        let now = self
            .store_clock
            .now(self.parts.clock.elapsed())
            .unwrap_or(Timestamp(0));
        Duration::from_millis((at - now).0).max(NEXT_TRY)
    }
}
