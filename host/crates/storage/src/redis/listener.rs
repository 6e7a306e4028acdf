//! Hears of wake times that other hosts write.
//!
//! On a connection of its own: what a server sends unasked must never be taken for the answer to a request. Whoever was not
//! listening for a while is nudged when it listens again; whoever cannot listen looks every [`LOOK_AGAIN`] all the same.
//!
//! [`LOOK_AGAIN`]: ports::documents::LOOK_AGAIN

use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt as _;
use lifecycle::Timestamp;
use redis::aio::PubSub;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tokio::time::timeout;

use super::node::backoff;
use super::shards::Shards;
use crate::nudges::Nudges;

/// How long nothing may be heard until the server is asked whether it is still there: a connection that died without a word
/// is silent for ever.
const SILENCE_MAX: Duration = Duration::from_secs(20);

/// The task that listens; ends with this value.
#[derive(Debug)]
pub(super) struct Listener(JoinHandle<()>);

impl Drop for Listener {
    fn drop(&mut self) {
        self.0.abort();
    }
}

impl Listener {
    /// Starts to listen, and returns when it does, or when it turned out that it cannot yet.
    #[expect(
        clippy::disallowed_methods,
        reason = "the task belongs to the store and ends with it, as a thread of another store does"
    )]
    pub(super) async fn start(shards: Arc<Shards>, nudges: Arc<Nudges>, me: &str) -> Self {
        let (started, listening) = oneshot::channel();
        let ears = Ears {
            nudges,
            me: me.to_owned(),
        };
        let task = tokio::spawn(async move { listen(&shards, &ears, started).await });
        // Who is not told has a listener that goes on trying.
        drop(listening.await);
        Self(task)
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "the back-off of the store's own connection, which no simulator runs"
)]
async fn listen(shards: &Shards, ears: &Ears, started: oneshot::Sender<()>) {
    let (mut failed, mut started) = (0, Some(started));
    loop {
        match subscribe(shards).await {
            Ok(mut messages) => {
                // The first time nobody has missed anything yet.
                match started.take() {
                    Some(started) => drop(started.send(())),
                    None => ears.nudges.missed(),
                }
                failed = 0;
                ears.hear(&mut messages).await;
                tracing::warn!("no longer told of other hosts' wake times; listening again");
            }
            Err(why) => {
                drop(started.take());
                tracing::warn!(why, "cannot listen for other hosts' wake times");
            }
        }
        tokio::time::sleep(backoff(failed)).await;
        failed = failed.saturating_add(1);
    }
}

async fn subscribe(shards: &Shards) -> Result<PubSub, String> {
    let address = shards.any_master().await.map_err(|fault| fault.to_string())?;
    let opener = shards.finder.opener();
    let (stream, info) = opener.stream(&address).await.map_err(|fault| fault.to_string())?;
    let subscribed = async {
        let mut messages = PubSub::new(&info, stream).await?;
        messages.subscribe(shards.names.channel()).await?;
        Ok::<_, redis::RedisError>(messages)
    };
    match timeout(shards.finder.connect_within(), subscribed).await {
        Ok(Ok(messages)) => Ok(messages),
        Ok(Err(error)) => Err(format!("{address} refuses ({:?})", error.kind())),
        Err(_) => Err(format!("{address} does not answer")),
    }
}

/// Who hears.
struct Ears {
    nudges: Arc<Nudges>,
    /// What this store's own commits are signed with: of them it knows already.
    me: String,
}

impl Ears {
    /// Until the connection is no good any more.
    async fn hear(&self, messages: &mut PubSub) {
        loop {
            let next = timeout(SILENCE_MAX, messages.on_message().next()).await;
            match next {
                Ok(Some(message)) => self.heard(message.get_payload_bytes()),
                Ok(None) => return,
                Err(_) => {
                    let alive = timeout(SILENCE_MAX, messages.ping::<redis::Value>()).await;
                    if !matches!(alive, Ok(Ok(_))) {
                        return;
                    }
                }
            }
        }
    }

    fn heard(&self, message: &[u8]) {
        let text = std::str::from_utf8(message).unwrap_or_default();
        let (wake, sender) = text.split_once(' ').unwrap_or_default();
        if sender != self.me {
            // What is no time comes from somebody else; looking once more does no harm.
            self.nudges.wrote(Some(Timestamp(wake.parse().unwrap_or(0))));
        }
    }
}
