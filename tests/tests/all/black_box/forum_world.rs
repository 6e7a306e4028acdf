//! A forum and a host in front of it: what most of the tests begin with.

use serde_json::Value;
use tests::forum_server::{Delivered, ForumConfig, ForumServer, Post, User};
use tests::host_process::{HostProcess, Installation, LIMIT, Line};

pub(crate) const TOKEN: &str = "forum-token-of-the-tests";
pub(crate) const WEBHOOK_SECRET: &str = "forum-webhook-secret-of-the-tests";
/// The thread everything happens in.
pub(crate) const THREAD: &str = "t1";
/// How many people beside Ann and Ben can answer: `u1` to `u50`.
pub(crate) const CROWD: usize = 50;

/// Asks for a colour and a size, then says what was chosen.
pub(crate) const PAINTER: &str = r#"
[[model]]
when = { result = { tool = "question", error_contains = "Dismissed" } }
say = "Then I choose myself."

[[model]]
when = { result = { tool = "question" } }
say = "{answer:Color} it is, in {answer:Size}."

[[model]]
when = { text_contains = "paint", calls = 0 }
say = "Two things before I begin:"
[[model.call]]
tool = "question"
[[model.call.input.questions]]
header = "Color"
question = "Which color?"
options = [{ label = "Red" }, { label = "Blue" }]
[[model.call.input.questions]]
header = "Size"
question = "Which size?"
options = [{ label = "Small" }, { label = "Large" }]

[[model]]
say = "I can paint, that is all."
"#;

/// Asks for a colour at once, without a word before it.
pub(crate) const ONE_QUESTION: &str = r#"
[[model]]
when = { result = { tool = "question" } }
say = "{answer:Color} it is."

[[model]]
when = { text_contains = "paint", calls = 0 }
[[model.call]]
tool = "question"
[[model.call.input.questions]]
header = "Color"
question = "Which color?"
options = [{ label = "Red" }, { label = "Blue" }]

[[model]]
say = "I can paint, that is all."
"#;

/// A forum, an installation and, most of the time, a host that runs in it.
pub(crate) struct ForumWorld {
    pub(crate) forum: ForumServer,
    pub(crate) installation: Installation,
    host: Option<HostProcess>,
    /// How many cards the forum had when the host was started.
    cards_before: usize,
}

impl ForumWorld {
    /// With a script and the times of the specification.
    pub(crate) async fn start(script: &str) -> Self {
        Self::start_with(script, "").await
    }

    /// With a script and the lines of `[times]`.
    pub(crate) async fn start_with(script: &str, times: &str) -> Self {
        Self::start_on("forum", script, times).await
    }

    /// On another piece for the forum.
    pub(crate) async fn start_on(piece: &str, script: &str, times: &str) -> Self {
        let mut config = ForumConfig::new(TOKEN, WEBHOOK_SECRET);
        config.users.extend((1..=CROWD).map(|number| {
            let id = format!("u{number}");
            let email = Some(format!("{id}@example.com"));
            User {
                name: id.clone(),
                id,
                email,
                bot: false,
            }
        }));
        let forum = ForumServer::start(config).await.unwrap();
        let mut installation = Installation::new().unwrap();
        installation.set_environment("FORUM_TOKEN", TOKEN);
        installation.set_environment("FORUM_WEBHOOK_SECRET", WEBHOOK_SECRET);
        installation.write("script.toml", script).unwrap();
        let pieces = installation.artifacts().pieces.display().to_string();
        let text = frogbot_toml(&pieces, piece, &forum.url(), times);
        installation.write("frogbot.toml", &text).unwrap();
        let mut world = Self {
            forum,
            installation,
            host: None,
            cards_before: 0,
        };
        world.restart().await;
        world
    }

    pub(crate) fn host(&self) -> &HostProcess {
        self.host.as_ref().unwrap()
    }

    /// Takes the host out of the world, to be killed or to be waited for.
    pub(crate) fn take_host(&mut self) -> HostProcess {
        self.host.take().unwrap()
    }

    /// `kill -9`.
    pub(crate) async fn kill(&mut self) {
        self.take_host().kill().await.unwrap();
    }

    /// Starts a host on the same store and points the forum's webhooks to it.
    pub(crate) async fn restart(&mut self) {
        self.cards_before = self.cards();
        let host = self.installation.start().await.unwrap();
        self.forum.set_webhook_url(Some(&host.channel_url("forum")));
        // Until the piece knows the bot's name, nobody can mention it.
        let connected = |line: &Line| (line.message() == "connected").then_some(());
        host.log()
            .wait_for("the connection to the forum", LIMIT, connected)
            .await
            .unwrap();
        self.host = Some(host);
    }

    /// Waits until the thread is as it should be.
    pub(crate) async fn posts_when(&self, what: &str, condition: impl Fn(&[Post]) -> bool) -> Vec<Post> {
        match self.forum.wait_for(THREAD, condition, LIMIT).await {
            Ok(posts) => posts,
            Err(late) => panic!("waited for {what}: {late}"),
        }
    }

    /// Ann asks, and the first card is there.
    pub(crate) async fn asked(&self) -> Post {
        self.forum.say(THREAD, "ann", "@frogbot paint the fence").await;
        self.card("Which color?").await
    }

    /// Waits for the card that asks `question`, until it is on record.
    pub(crate) async fn card(&self, question: &str) -> Post {
        let is = |post: &Post| post.text.starts_with(question) && !post.buttons.is_empty();
        let posts = self.posts_when(question, |posts| posts.iter().any(is)).await;
        let new = self.cards() - self.cards_before;
        self.host().log().wait_for_cards(new, LIMIT).await.unwrap();
        posts.into_iter().find(is).unwrap()
    }

    /// How many cards there are, closed ones included.
    fn cards(&self) -> usize {
        let is_card = |post: &&Post| !post.buttons.is_empty() || post.edits > 0;
        self.forum.posts(THREAD).iter().filter(is_card).count()
    }

    /// Presses the button with this label and returns the response.
    pub(crate) async fn press(&self, user: &str, card: &Post, label: &str) -> Delivered {
        self.forum
            .press(THREAD, user, &card.id, &button(card, label))
            .await
    }

    /// Waits until every card is closed and the bot has said `continuation`.
    pub(crate) async fn finished(&self, continuation: &str) -> Vec<Post> {
        let is_finished = |posts: &[Post]| {
            let is_open = |post: &Post| !post.buttons.is_empty();
            !posts.iter().any(is_open) && count(posts, continuation) > 0
        };
        self.posts_when("closed cards and the continuation", is_finished)
            .await
    }

    /// How often the log of the running host says `message` with `field` = `value`.
    pub(crate) fn logged(&self, message: &str, field: &str, value: impl Into<Value> + Copy) -> usize {
        let lines = self.host().log().lines();
        lines.iter().filter(|line| line.is(message, field, value)).count()
    }
}

/// The id of the button with this label.
pub(crate) fn button(card: &Post, label: &str) -> String {
    let found = card.buttons.iter().find(|button| button.label == label);
    found
        .unwrap_or_else(|| panic!("no button `{label}` on {card:?}"))
        .id
        .clone()
}

/// How many posts begin with this text.
pub(crate) fn count(posts: &[Post], text: &str) -> usize {
    posts.iter().filter(|post| post.text.starts_with(text)).count()
}

fn frogbot_toml(pieces: &str, piece: &str, forum_url: &str, times: &str) -> String {
    format!(
        r#"
[server]
listen = "127.0.0.1:0"

[store]
kind = "sqlite"
path = "frogbot.db"

[pieces]
dir = "{pieces}"

[[users]]
id = "everybody"
emails = [{emails}]

[models.scripted]
kind = "scripted"
script = "script.toml"

[agents.painter]
model = "scripted"
instructions = "Paint what you are asked to paint."
tools = ["question"]

[channels.forum]
piece = "{piece}"
agent = "painter"
accounts = ["forum"]
trust_email = true
secrets.token = {{ env = "FORUM_TOKEN" }}
secrets.webhook_secret = {{ env = "FORUM_WEBHOOK_SECRET" }}
slots.forum = {{ base = "{forum_url}", allow_private = ["127.0.0.1"] }}

[times]
{times}
"#,
        emails = emails(),
    )
}

fn emails() -> String {
    let crowd = (1..=CROWD).map(|number| format!("u{number}"));
    let people = ["ann".to_owned(), "ben".to_owned()].into_iter().chain(crowd);
    people
        .map(|id| format!("\"{id}@example.com\""))
        .collect::<Vec<_>>()
        .join(", ")
}
