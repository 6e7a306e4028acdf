//! A stand-in for a Slack workspace: the Web API that the piece calls, and the signed requests that Slack sends.
//!
//! Written after `PLATFORMS.md`, section 1, and strict where Slack is: it wants the bearer token, refuses blocks over
//! their limits and edits of messages that are not there. It answers what it was told to answer ([`Failure`]), and a
//! test waits on what became of the workspace ([`SlackStandIn::wait_for`]) instead of sleeping.

mod block_limits;
mod sender;
#[cfg(test)]
mod tests;
mod web_api;
mod workspace;

use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinHandle;

pub use block_limits::{message_problem, view_problem};
pub use sender::{Response, SlackSender, slack_signature};
pub use workspace::{Control, Ephemeral, Failure, Message, View, Workspace};

/// How long [`SlackStandIn::wait_for`] waits: longer than any retry of the tests, which run with seconds.
pub const WAIT: Duration = Duration::from_secs(30);

/// Who the bot is in the workspace.
#[derive(Clone, Debug)]
pub struct Bot {
    /// What the Web API wants as its bearer token.
    pub token: String,
    /// Its user id, as mentions name it.
    pub user_id: String,
    /// The workspace's id.
    pub team_id: String,
}

/// The running stand-in. Ends when it is dropped.
#[derive(Debug)]
pub struct SlackStandIn {
    shared: Arc<Shared>,
    address: SocketAddr,
    server: JoinHandle<()>,
}

#[derive(Debug)]
pub(crate) struct Shared {
    /// One for each workspace; the first is that of most tests.
    bots: Mutex<Vec<Bot>>,
    workspace: Mutex<Workspace>,
    changed: watch::Sender<()>,
}

impl Shared {
    fn workspace(&self) -> MutexGuard<'_, Workspace> {
        self.workspace.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The bot whose token this is.
    pub(crate) fn bot_of(&self, authorization: Option<&[u8]>) -> Option<Bot> {
        let bots = self.bots.lock().unwrap_or_else(PoisonError::into_inner);
        let is = |bot: &&Bot| authorization == Some(format!("Bearer {}", bot.token).as_bytes());
        bots.iter().find(is).cloned()
    }

    /// The workspace of the rooms that nobody said are another's.
    pub(crate) fn first_team(&self) -> String {
        let bots = self.bots.lock().unwrap_or_else(PoisonError::into_inner);
        bots.first().map(|bot| bot.team_id.clone()).unwrap_or_default()
    }

    /// Changes the workspace and tells everybody who waits.
    pub(crate) fn change<T>(&self, change: impl FnOnce(&mut Workspace) -> T) -> T {
        let changed = change(&mut self.workspace());
        self.changed.send_replace(());
        changed
    }
}

impl SlackStandIn {
    /// Starts on a free port of this machine.
    ///
    /// # Errors
    /// There is no port.
    pub async fn start(bot: Bot) -> std::io::Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
        let address = listener.local_addr()?;
        let shared = Arc::new(Shared {
            bots: Mutex::new(vec![bot]),
            workspace: Mutex::new(Workspace::new()),
            changed: watch::Sender::new(()),
        });
        let router = web_api::router(Arc::clone(&shared));
        #[expect(
            clippy::disallowed_methods,
            reason = "a stand-in of its own, ended by its handle"
        )]
        let server = tokio::spawn(async move {
            // Serving ends only with the task.
            let _never = axum::serve(listener, router).await;
        });
        Ok(Self {
            shared,
            address,
            server,
        })
    }

    /// Where its Web API is, without a slash at the end: `http://127.0.0.1:4711/api`.
    pub fn api_url(&self) -> String {
        format!("http://{}/api", self.address)
    }

    /// Has the next calls of `method` (such as `chat.update`) answered with `failures`, one each, in their order.
    pub fn fail_next(&self, method: &str, failures: impl IntoIterator<Item = Failure>) {
        self.shared
            .change(|workspace| workspace.fail_next(method, failures));
    }

    /// Installs the app in one more workspace, whose rooms are these: another workspace's token does not find them.
    pub fn install(&self, bot: Bot, rooms: impl IntoIterator<Item = String>) {
        let team = bot.team_id.clone();
        let mut bots = self.shared.bots.lock().unwrap_or_else(PoisonError::into_inner);
        bots.push(bot);
        drop(bots);
        self.shared.change(|workspace| {
            workspace
                .rooms
                .extend(rooms.into_iter().map(|room| (room, team.clone())))
        });
    }

    /// Has every call about a room answered with 429 and this `Retry-After`, in seconds; none: no more.
    pub fn limit_room(&self, room: &str, retry_after_s: Option<u32>) {
        self.shared.change(|workspace| match retry_after_s {
            Some(seconds) => drop(workspace.limited.insert(room.to_owned(), seconds)),
            None => drop(workspace.limited.remove(room)),
        });
    }

    /// What the workspaces have granted to the app; nothing is said about it otherwise.
    pub fn grant(&self, scopes: &str) {
        self.shared
            .change(|workspace| workspace.scopes = Some(scopes.to_owned()));
    }

    /// A timestamp of this workspace that no message has: what a message of a participant carries.
    pub fn next_ts(&self) -> String {
        self.shared.change(Workspace::next_ts)
    }

    /// Looks at the workspace as it is.
    pub fn look<T>(&self, look: impl FnOnce(&Workspace) -> T) -> T {
        look(&self.shared.workspace())
    }

    /// Waits until `look` finds what it looks for.
    ///
    /// # Errors
    /// It did not within [`WAIT`]: everything that was posted, for the message of the test.
    pub async fn wait_for<T>(&self, what: &str, look: impl Fn(&Workspace) -> Option<T>) -> Result<T, String> {
        let mut changes = self.shared.changed.subscribe();
        let found = async {
            loop {
                changes.borrow_and_update();
                if let Some(found) = self.look(&look) {
                    return found;
                }
                if changes.changed().await.is_err() {
                    std::future::pending::<()>().await;
                }
            }
        };
        let limited = tokio::time::timeout(WAIT, found).await;
        limited.map_err(|_| {
            format!(
                "waited {WAIT:?} for {what}; the workspace has {:#?}",
                self.shared.workspace()
            )
        })
    }
}

impl Drop for SlackStandIn {
    fn drop(&mut self) {
        self.server.abort();
    }
}
