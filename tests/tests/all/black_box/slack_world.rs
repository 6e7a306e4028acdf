//! A stand-in workspace and a host in front of it.

use serde_json::{Value, json};
use tests::host_process::{HostProcess, Installation, LIMIT, Line, Log};
use tests::slack_stand_in::{Bot, Control, Ephemeral, Message, SlackSender, SlackStandIn, View, Workspace};

pub(crate) const SIGNING_SECRET: &str = "slack-signing-secret-of-the-tests";
pub(crate) const TOKEN: &str = "xoxb-token-of-the-tests";
/// The room of the tests' own conversations.
pub(crate) const ROOM: &str = "C1";

/// Asks for a colour on "paint" (or any greeting that recorded traffic has) and answers everything else in a word.
pub(crate) const SCRIPT: &str = r#"
[[model]]
when = { result = { tool = "question" } }
say = "{answer:Color} it is."

[[model]]
when = { text_equals = "Hi", calls = 0 }
say = "I heard you."

[[model]]
when = { text_contains = "quickly", calls = 0 }
say = "I heard you."

[[model]]
when = { calls = 0 }
[[model.call]]
tool = "question"
[[model.call.input.questions]]
header = "Color"
question = "Which color?"
options = [{ label = "Red" }, { label = "Blue" }]
"#;

/// A workspace, an installation and the host that runs in it.
pub(crate) struct SlackWorld {
    pub(crate) slack: SlackStandIn,
    pub(crate) sender: SlackSender,
    bot: Bot,
    host: HostProcess,
    _installation: Installation,
}

impl SlackWorld {
    /// With the bot `U0BOT` in the workspace `T1`.
    pub(crate) async fn start() -> Self {
        Self::start_as("U0BOT", "T1").await
    }

    /// With an agent that plays this script.
    pub(crate) async fn start_playing(script: &str) -> Self {
        Self::start_in("U0BOT", "T1", script).await
    }

    /// With a bot and a workspace by their ids.
    pub(crate) async fn start_as(bot: &str, team: &str) -> Self {
        Self::start_in(bot, team, SCRIPT).await
    }

    async fn start_in(bot: &str, team: &str, script: &str) -> Self {
        let (token, user_id, team_id) = (TOKEN.to_owned(), bot.to_owned(), team.to_owned());
        let bot = Bot {
            token,
            user_id,
            team_id,
        };
        let slack = SlackStandIn::start(bot.clone()).await.unwrap();
        let installation = slack_installation(&slack.api_url(), SIGNING_SECRET, team);
        installation.write("script.toml", script).unwrap();
        let host = installation.start().await.unwrap();
        let connected = |line: &Line| (line.message() == "connected").then_some(());
        host.log()
            .wait_for("the connection to Slack", LIMIT, connected)
            .await
            .unwrap();
        let sender = SlackSender {
            url: host.channel_url("slack"),
            signing_secret: SIGNING_SECRET.to_owned(),
            team_id: team.to_owned(),
        };
        Self {
            slack,
            sender,
            bot,
            host,
            _installation: installation,
        }
    }

    /// What the host wrote.
    pub(crate) fn log(&self) -> &Log {
        self.host.log()
    }

    /// Waits until the workspace has what `look` looks for.
    pub(crate) async fn when<T>(&self, what: &str, look: impl Fn(&Workspace) -> Option<T>) -> T {
        match self.slack.wait_for(what, look).await {
            Ok(found) => found,
            Err(late) => panic!("{late}\nthe host wrote:\n{}", self.host.log().text()),
        }
    }

    /// Somebody writes to the room: the event of this kind.
    pub(crate) async fn message(&self, kind: &str, text: &str, ts: &str, thread_ts: Option<&str>) {
        let mut event = json!({
            "type": kind, "user": "U1", "text": text, "ts": ts, "event_ts": ts, "channel": ROOM,
            "channel_type": "channel", "team": self.bot.team_id,
        });
        if let Some(thread_ts) = thread_ts {
            event["thread_ts"] = json!(thread_ts);
            event["parent_user_id"] = json!("U1");
        }
        let envelope = self.sender.envelope(&format!("Ev{kind}{ts}"), event);
        self.acknowledged(&envelope).await;
    }

    /// Sends an event, which is acknowledged with an empty 200.
    pub(crate) async fn acknowledged(&self, event: &Value) {
        let answered = self.sender.event(event).await.unwrap();
        assert_eq!(answered.status, 200, "{event:#}\n{}", self.host.log().text());
    }

    /// Waits for the open card of a thread, the message that has buttons, until it is on record.
    pub(crate) async fn card(&self, thread_ts: &str) -> Message {
        let open = |workspace: &Workspace| {
            workspace
                .thread(thread_ts)
                .find(|message| message.button("").is_some())
                .cloned()
        };
        let card = self.when("the card", open).await;
        self.host.log().wait_for_cards(1, LIMIT).await.unwrap();
        card
    }

    /// Presses the button with this label and checks the acknowledgement.
    pub(crate) async fn press(&self, user: &str, card: &Message, label: &str) {
        self.interaction(&self.press_of(user, card, label)).await;
    }

    /// What Slack sends when somebody presses the button with this label.
    pub(crate) fn press_of(&self, user: &str, card: &Message, label: &str) -> Value {
        let at = self.slack.next_ts();
        let control = control(card, label);
        self.sender
            .press(user, card, &control, &format!("trigger.{at}"), &at)
    }

    /// Mentions the bot in the room; returns the thread's timestamp.
    pub(crate) async fn mention(&self, text: &str) -> String {
        let thread = self.slack.next_ts();
        self.message(
            "app_mention",
            &format!("<@{}> {text}", self.bot.user_id),
            &thread,
            None,
        )
        .await;
        thread
    }

    /// Somebody presses the `nth` button for a typed answer, and has the form that opens.
    pub(crate) async fn form(&self, user: &str, card: &Message, nth: usize) -> View {
        let controls = card.controls();
        let mut buttons = controls
            .iter()
            .filter(|control| control.action_id.contains(":type:"));
        let button = buttons
            .nth(nth)
            .unwrap_or_else(|| panic!("no button for text on {card:#?}"));
        let at = self.slack.next_ts();
        let trigger = format!("trigger.{at}");
        self.interaction(&self.sender.press(user, card, button, &trigger, &at))
            .await;
        self.when("the form", |workspace| {
            workspace
                .views
                .iter()
                .find(|view| view.trigger_id == trigger)
                .cloned()
        })
        .await
    }

    /// Somebody sends a form off with this text; returns what Slack is answered.
    pub(crate) async fn submit(&self, user: &str, form: &View, text: &str) -> String {
        let trigger = format!("trigger.{}", self.slack.next_ts());
        let sent = self.sender.submit(user, form, "answer", text, &trigger);
        let answered = self.sender.interaction(&sent).await.unwrap();
        assert_eq!(answered.status, 200, "{}", self.host.log().text());
        answered.body
    }

    /// Waits for a private notice for somebody, and returns it.
    pub(crate) async fn notice_for(&self, user: &str) -> Ephemeral {
        self.when(&format!("a private notice for {user}"), |workspace| {
            workspace
                .ephemerals
                .iter()
                .find(|notice| notice.user == user)
                .cloned()
        })
        .await
    }

    /// Waits until somebody has a private notice that says this.
    pub(crate) async fn is_told(&self, user: &str, part: &str) {
        self.when(
            &format!("a private notice for {user} with “{part}”"),
            |workspace| {
                let mut notices = workspace.ephemerals.iter();
                let is = |notice: &&Ephemeral| notice.user == user && notice.says(part);
                notices.find(is).map(drop)
            },
        )
        .await;
    }

    /// Sends an interaction, which is acknowledged with a 200.
    pub(crate) async fn interaction(&self, payload: &Value) {
        let answered = self.sender.interaction(payload).await.unwrap();
        assert_eq!(answered.status, 200, "{payload:#}\n{}", self.host.log().text());
    }

    /// Waits until the card of this timestamp has no controls and returns it.
    pub(crate) async fn closed(&self, card: &Message) -> Message {
        let is = |message: &&Message| message.ts == card.ts && message.controls().is_empty();
        self.when("the closed card", |workspace| {
            workspace.messages.iter().find(is).cloned()
        })
        .await
    }

    /// Waits until the bot has said this in the thread, and tells how often.
    pub(crate) async fn said(&self, thread_ts: &str, text: &str) -> usize {
        let count = |workspace: &Workspace| {
            workspace
                .thread(thread_ts)
                .filter(|message| message.says(text))
                .count()
        };
        self.when(text, |workspace| {
            Some(count(workspace)).filter(|count| *count > 0)
        })
        .await
    }

    /// Slack refused nothing that the piece sent.
    pub(crate) fn nothing_was_refused(&self) {
        let refusals = self.slack.look(|workspace| workspace.refusals.clone());
        assert!(refusals.is_empty(), "{refusals:#?}");
    }
}

/// The button with this label.
pub(crate) fn control(card: &Message, label: &str) -> Control {
    card.button(label)
        .unwrap_or_else(|| panic!("no button `{label}` on {card:#?}"))
}

/// An installation with one channel, `slack`, that admits whoever has the e-mail address of the stand-in.
pub(crate) fn slack_installation(api_url: &str, signing_secret: &str, team: &str) -> Installation {
    installation_for(&["ann"], api_url, signing_secret, team)
}

/// The same, for people of these names, whose addresses are `<name>@example.com`.
pub(crate) fn installation_for(
    people: &[&str],
    api_url: &str,
    signing_secret: &str,
    team: &str,
) -> Installation {
    let mut installation = Installation::new().unwrap();
    installation.set_environment("SLACK_TOKEN", TOKEN);
    installation.set_environment("SLACK_SIGNING_SECRET", signing_secret);
    installation.write("script.toml", SCRIPT).unwrap();
    let pieces = installation.artifacts().pieces.display().to_string();
    installation
        .write(
            "frogbot.toml",
            &frogbot_toml(&users(people), &pieces, api_url, team),
        )
        .unwrap();
    installation
}

fn users(people: &[&str]) -> String {
    let user = |name: &&str| format!("[[users]]\nid = \"{name}\"\nemails = [\"{name}@example.com\"]\n");
    people.iter().map(user).collect()
}

fn frogbot_toml(users: &str, pieces: &str, api_url: &str, team: &str) -> String {
    format!(
        r#"
[server]
listen = "127.0.0.1:0"

[store]
kind = "sqlite"
path = "frogbot.db"

[pieces]
dir = "{pieces}"

{users}
[models.scripted]
kind = "scripted"
script = "script.toml"

[agents.painter]
model = "scripted"
instructions = "Paint what you are asked to paint."
tools = ["question"]

[channels.slack]
piece = "slack"
agent = "painter"
accounts = ["{team}"]
trust_email = true
secrets.bot_token = {{ env = "SLACK_TOKEN" }}
secrets.signing_secret = {{ env = "SLACK_SIGNING_SECRET" }}
slots.api = {{ base = "{api_url}", allow_private = ["127.0.0.1"] }}
"#
    )
}
