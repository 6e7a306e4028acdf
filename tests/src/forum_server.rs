//! A small forum: the platform of the example piece, for tests of the real binary and for the demonstration.
//!
//! People write posts and press buttons, on its page (`GET /`) or through the handle; the piece writes and edits posts
//! through its REST interface. Every post and press of a person is delivered to the configured URL as a signed webhook, again
//! after a response that is no success, and once more when a test says so. Faults are injected per kind of request.
//!
//! ```no_run
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! use std::time::Duration;
//! use tests::forum_server::{ForumConfig, ForumServer};
//!
//! let forum = ForumServer::start(ForumConfig::new("token", "webhook secret")).await?;
//! forum.set_webhook_url(Some("http://127.0.0.1:7800/channels/forum"));
//! forum.say("t1", "ann", "@frogbot which colour?").await;
//! let posts = forum.wait_for("t1", |posts| posts.len() == 2, Duration::from_secs(10)).await?;
//! let shown = forum.press("t1", "ann", &posts[1].id, &posts[1].buttons[0].id).await;
//! assert_eq!(shown.status, Some(200));
//! # Ok(())
//! # }
//! ```

mod api;
mod board;
mod faults;
mod page;
#[cfg(test)]
mod tests;
mod webhooks;

use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinSet;

use board::{Board, Draft};
pub use board::{Button, Post, User};
use faults::{Fault, Faults};
pub use faults::{Hold, RequestKind};
pub use webhooks::{Attempt, Delivered};
use webhooks::{Deliveries, Happened};

/// The bot's own user.
pub const BOT: &str = "bot";

/// What a forum is started with.
#[derive(Clone, Debug)]
pub struct ForumConfig {
    /// Where to listen; a free port on loopback unless told otherwise.
    pub address: SocketAddr,
    /// The bearer token of the bot.
    pub token: String,
    /// The secret under which webhooks are signed.
    pub webhook_secret: String,
    /// Where webhooks go. None: they are kept, and go out when a test delivers them again.
    pub webhook_url: Option<String>,
    /// How long to wait before each further attempt of a delivery that got no success.
    pub redelivery_delays: Vec<Duration>,
    /// Whether a second post of a thread under the same client id is the first.
    pub recognises_repeats: bool,
    /// Who is there. Somebody unknown who says something is added, without an e-mail address.
    pub users: Vec<User>,
}

impl ForumConfig {
    /// A forum with the bot `frogbot`, and with Ann and Ben, who have e-mail addresses at `example.com`.
    pub fn new(token: &str, webhook_secret: &str) -> Self {
        let person = |id: &str, name: &str| User {
            id: id.to_owned(),
            name: name.to_owned(),
            email: Some(format!("{id}@example.com")),
            bot: false,
        };
        let bot = User {
            id: BOT.to_owned(),
            name: "frogbot".to_owned(),
            email: None,
            bot: true,
        };
        Self {
            address: SocketAddr::from(([127, 0, 0, 1], 0)),
            token: token.to_owned(),
            webhook_secret: webhook_secret.to_owned(),
            webhook_url: None,
            redelivery_delays: [50, 200, 1_000, 3_000].map(Duration::from_millis).to_vec(),
            recognises_repeats: true,
            users: vec![bot, person("ann", "Ann"), person("ben", "Ben")],
        }
    }
}

/// What the handle and the tasks share.
struct Forum {
    token: String,
    board: watch::Sender<Board>,
    deliveries: Deliveries,
    faults: Mutex<Faults>,
    /// Further attempts of deliveries; they end with the forum.
    attempts: Mutex<JoinSet<()>>,
}

/// A running forum. It stops when the handle is dropped.
pub struct ForumServer {
    forum: Arc<Forum>,
    address: SocketAddr,
    _serving: JoinSet<()>,
}

/// What a person's post became.
#[derive(Clone, Debug)]
pub struct Said {
    /// The post.
    pub post: Post,
    /// How the first attempt of its webhook went.
    pub delivered: Delivered,
}

/// The posts of a thread did not become what was waited for.
#[derive(Debug)]
pub struct NotInTime {
    /// What they were at the end.
    pub posts: Vec<Post>,
}

impl std::fmt::Display for NotInTime {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "not within the limit; the thread has {} posts: {:#?}",
            self.posts.len(),
            self.posts
        )
    }
}

impl std::error::Error for NotInTime {}

impl ForumServer {
    /// Starts a forum.
    ///
    /// # Errors
    ///
    /// When the address cannot be listened on.
    pub async fn start(config: ForumConfig) -> std::io::Result<Self> {
        let listener = TcpListener::bind(config.address).await?;
        let address = listener.local_addr()?;
        let forum = Arc::new(Forum {
            token: config.token,
            board: watch::Sender::new(Board::new(config.users, config.recognises_repeats)),
            deliveries: Deliveries::new(
                config.webhook_secret,
                config.webhook_url,
                config.redelivery_delays,
            ),
            faults: Mutex::new(Faults::default()),
            attempts: Mutex::new(JoinSet::new()),
        });
        let router = api::router().merge(page::router()).with_state(Arc::clone(&forum));
        let mut serving = JoinSet::new();
        serving.spawn(async move {
            // Serving ends only with the task: `axum` takes errors of single connections for itself.
            axum::serve(listener, router).await.ok();
        });
        Ok(Self {
            forum,
            address,
            _serving: serving,
        })
    }

    /// The base URL, without a slash at the end.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Where webhooks go from now on.
    pub fn set_webhook_url(&self, url: Option<&str>) {
        self.forum.deliveries.set_url(url);
    }

    /// Adds or replaces a user.
    pub fn set_user(&self, user: User) {
        self.forum.board.send_modify(|board| board.set_user(user));
    }

    /// A person writes; returns after the first attempt of the webhook.
    pub async fn say(&self, thread: &str, user: &str, text: &str) -> Said {
        self.forum.say(thread, user, text).await
    }

    /// A person presses a button, perhaps on a page that is out of date: nobody checks that the button is still there.
    /// Returns after the first attempt of the webhook, with what the person is shown.
    pub async fn press(&self, thread: &str, user: &str, post_id: &str, button_id: &str) -> Delivered {
        self.forum.press(thread, user, post_id, button_id).await
    }

    /// Delivers a webhook again, freshly signed, under the same delivery id; none when there is no such delivery.
    pub async fn redeliver(&self, delivery_id: &str) -> Option<Delivered> {
        self.forum.deliveries.attempt(delivery_id).await
    }

    /// Every attempt of a delivery, oldest first.
    pub fn attempts(&self, delivery_id: &str) -> Vec<Attempt> {
        self.forum.deliveries.attempts(delivery_id)
    }

    /// The posts of a thread, oldest first.
    pub fn posts(&self, thread: &str) -> Vec<Post> {
        self.forum.board.borrow().posts(thread)
    }

    /// Waits until the posts of a thread fulfil a condition, and returns them.
    ///
    /// # Errors
    ///
    /// When they do not within the limit.
    pub async fn wait_for(
        &self,
        thread: &str,
        condition: impl Fn(&[Post]) -> bool,
        limit: Duration,
    ) -> Result<Vec<Post>, NotInTime> {
        let mut changes = self.forum.board.subscribe();
        let fulfilled = changes.wait_for(|board| condition(&board.posts(thread)));
        // The sender lives as long as this handle, so that a time-out is the only way not to get there.
        match tokio::time::timeout(limit, fulfilled).await {
            Ok(Ok(board)) => Ok(board.posts(thread)),
            Ok(Err(_)) | Err(_) => Err(NotInTime {
                posts: self.posts(thread),
            }),
        }
    }

    /// The next `count` requests of a kind are answered with this status, and a `retry-after` in seconds; nothing is done.
    pub fn fail_next(&self, kind: RequestKind, count: usize, status: u16, retry_after: Option<u32>) {
        self.forum.faults(|faults| {
            (0..count).for_each(|_| faults.push(kind, Fault::Status { status, retry_after }))
        });
    }

    /// The next request of a kind waits, before anything is done, until the returned hold is released or dropped.
    pub fn hold_next(&self, kind: RequestKind) -> Hold {
        let (hold, fault) = faults::hold();
        self.forum.faults(|faults| faults.push(kind, fault));
        hold
    }

    /// The next `count` requests of a kind are carried out, and the response breaks off.
    pub fn lose_reply_of_next(&self, kind: RequestKind, count: usize) {
        self.forum
            .faults(|faults| (0..count).for_each(|_| faults.push(kind, Fault::ReplyLost)));
    }

    /// How many requests of a kind there were, whatever came of them.
    pub fn requests(&self, kind: RequestKind) -> usize {
        self.forum.faults(|faults| faults.count(kind))
    }
}

impl Forum {
    fn faults<T>(&self, action: impl FnOnce(&mut Faults) -> T) -> T {
        action(&mut self.faults.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Changes the board and wakes whoever waits for it.
    fn change<T>(&self, change: impl FnOnce(&mut Board) -> T) -> Option<T> {
        let mut result = None;
        self.board.send_modify(|board| result = Some(change(board)));
        result
    }

    async fn say(self: &Arc<Self>, thread: &str, user: &str, text: &str) -> Said {
        let draft = Draft {
            text: text.to_owned(),
            buttons: Vec::new(),
            client_id: None,
        };
        let mut said = None;
        self.board
            .send_modify(|board| said = Some((board.post(thread, user, draft), board.user(user))));
        let (post, user) = said.unwrap_or_default();
        let delivered = self
            .deliver(thread, user, Happened::Post { post: post.clone() })
            .await;
        Said { post, delivered }
    }

    async fn press(self: &Arc<Self>, thread: &str, user: &str, post_id: &str, button_id: &str) -> Delivered {
        let user = self.board.borrow().user(user);
        let happened = Happened::Press {
            post_id: post_id.to_owned(),
            button: button_id.to_owned(),
        };
        self.deliver(thread, user, happened).await
    }

    /// Makes the first attempt of a delivery, and leaves the further ones to a task.
    async fn deliver(self: &Arc<Self>, thread: &str, user: User, happened: Happened) -> Delivered {
        let bot = self.board.borrow().user(BOT);
        let delivery_id = self.deliveries.add(&bot, thread, user, happened);
        let first = self.deliveries.attempt(&delivery_id).await.unwrap_or_default();
        if !first.is_success() && self.deliveries.has_url() {
            let forum = Arc::downgrade(self);
            let mut attempts = self.attempts.lock().unwrap_or_else(PoisonError::into_inner);
            attempts.spawn(webhooks::attempt_again(forum, delivery_id));
        }
        first
    }
}
