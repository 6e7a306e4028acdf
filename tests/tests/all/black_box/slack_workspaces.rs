//! One app in two workspaces: each with its own token, which is never used for the other.

use serde_json::json;
use tests::host_process::{HostProcess, Installation, LIMIT, Line};
use tests::slack_stand_in::{Bot, Message, SlackSender, SlackStandIn, Workspace};

use super::slack_world::{SIGNING_SECRET, control, slack_installation};

/// The first workspace, whose token `slack_installation` knows.
const FIRST: Place = Place {
    team: "T1",
    bot: "U0BOT",
    token: "xoxb-token-of-the-tests",
    room: "C1",
};
const SECOND: Place = Place {
    team: "T2",
    bot: "U0TWO",
    token: "xoxb-token-of-the-other-workspace",
    room: "C2",
};

/// A workspace and its room.
struct Place {
    team: &'static str,
    bot: &'static str,
    token: &'static str,
    room: &'static str,
}

impl Place {
    fn bot(&self) -> Bot {
        Bot {
            token: self.token.to_owned(),
            user_id: self.bot.to_owned(),
            team_id: self.team.to_owned(),
        }
    }

    fn sender(&self, host: &HostProcess) -> SlackSender {
        SlackSender {
            url: host.channel_url("slack"),
            signing_secret: SIGNING_SECRET.to_owned(),
            team_id: self.team.to_owned(),
        }
    }

    /// Somebody of it mentions its bot.
    async fn asks(&self, slack: &SlackStandIn, host: &HostProcess) -> String {
        let ts = slack.next_ts();
        let event = json!({
            "type": "app_mention", "user": "U1", "text": format!("<@{}> paint the fence", self.bot), "ts": ts,
            "event_ts": ts, "channel": self.room, "channel_type": "channel", "team": self.team,
        });
        let sender = self.sender(host);
        let envelope = sender.envelope(&format!("Ev{}{ts}", self.team), event);
        assert_eq!(sender.event(&envelope).await.unwrap().status, 200);
        ts
    }
}

/// Both workspaces, and a host with these lines about their accounts, for whoever has the stand-in's e-mail address.
async fn start(accounts: &str) -> (SlackStandIn, HostProcess, Installation) {
    start_with(accounts, "emails = [\"ann@example.com\"]").await
}

/// The same for whoever this line about the one user means.
async fn start_with(accounts: &str, user: &str) -> (SlackStandIn, HostProcess, Installation) {
    let slack = SlackStandIn::start(FIRST.bot()).await.unwrap();
    slack.install(SECOND.bot(), [SECOND.room.to_owned()]);
    let mut installation = slack_installation(&slack.api_url(), SIGNING_SECRET, FIRST.team);
    installation.set_environment("SECOND_TOKEN", SECOND.token);
    let path = installation.folder().join("frogbot.toml");
    let text = std::fs::read_to_string(path).unwrap();
    let text = text
        .replacen("secrets.bot_token = { env = \"SLACK_TOKEN\" }", "", 1)
        .replacen("accounts = [\"T1\"]", accounts, 1)
        .replacen("emails = [\"ann@example.com\"]", user, 1);
    installation.write("frogbot.toml", &text).unwrap();
    let host = installation.start().await.unwrap();
    (slack, host, installation)
}

async fn connected(host: &HostProcess, place: &Place) {
    let is = |line: &Line| line.is("connected", "account", place.team).then_some(());
    host.log().wait_for(place.team, LIMIT, is).await.unwrap();
}

#[tokio::test]
async fn two_workspaces_are_served_each_with_its_own_token() {
    let (slack, host, _installation) = start(
        "accounts.T1.secrets.bot_token = { env = \"SLACK_TOKEN\" }\n\
         accounts.T2.secrets.bot_token = { env = \"SECOND_TOKEN\" }",
    )
    .await;
    for place in [&FIRST, &SECOND] {
        connected(&host, place).await;
    }
    let mut cards = Vec::new();
    for (place, nth) in [(&FIRST, 1), (&SECOND, 2)] {
        let thread = place.asks(&slack, &host).await;
        let open = |workspace: &Workspace| {
            let mut thread = workspace.thread(&thread);
            thread.find(|message| message.button("").is_some()).cloned()
        };
        let card: Message = slack.wait_for("the card", open).await.unwrap();
        assert_eq!(card.channel, place.room);
        host.log().wait_for_cards(nth, LIMIT).await.unwrap();
        cards.push((place, card));
    }
    for (place, card) in &cards {
        let at = slack.next_ts();
        let payload =
            place
                .sender(&host)
                .press("U1", card, &control(card, "Blue"), &format!("trigger.{at}"), &at);
        assert_eq!(
            place.sender(&host).interaction(&payload).await.unwrap().status,
            200
        );
        let closed = |workspace: &Workspace| {
            let mut messages = workspace.messages.iter();
            messages
                .any(|message| message.ts == card.ts && message.controls().is_empty())
                .then_some(())
        };
        slack.wait_for("the closed card", closed).await.unwrap();
    }
    // A token that asked about the other's room, or for nobody, would have been refused.
    let refusals = slack.look(|workspace| workspace.refusals.clone());
    assert!(refusals.is_empty(), "{refusals:#?}");
}

#[tokio::test]
async fn a_workspace_without_a_token_of_its_own_is_not_served_with_anothers() {
    let (slack, host, _installation) =
        start("accounts.T1.secrets.bot_token = { env = \"SLACK_TOKEN\" }").await;
    connected(&host, &FIRST).await;
    SECOND.asks(&slack, &host).await;
    let failed = |line: &Line| line.is("connect failed", "account", SECOND.team).then_some(());
    host.log().wait_for("the refusal", LIMIT, failed).await.unwrap();
    let (calls, refusals) = slack.look(|workspace| (workspace.calls.clone(), workspace.refusals.clone()));
    assert_eq!(calls.get("auth.test"), Some(&1), "{calls:?}");
    assert!(refusals.is_empty(), "{refusals:#?}");
}

#[tokio::test]
async fn a_platform_id_is_somebodys_in_its_own_workspace_only() {
    let (slack, host, _installation) = start_with(
        "accounts.T1.secrets.bot_token = { env = \"SLACK_TOKEN\" }\n\
         accounts.T2.secrets.bot_token = { env = \"SECOND_TOKEN\" }",
        "platform_ids = [\"slack:T1/U1\"]",
    )
    .await;
    for place in [&FIRST, &SECOND] {
        connected(&host, place).await;
    }
    // Another person's id in the second workspace may be the same.
    SECOND.asks(&slack, &host).await;
    let denied = |line: &Line| (line.message() == "message of somebody without access").then_some(());
    host.log().wait_for("the denial", LIMIT, denied).await.unwrap();
    let thread = FIRST.asks(&slack, &host).await;
    let served = |workspace: &Workspace| workspace.thread(&thread).next().map(|_| ());
    slack.wait_for("the card", served).await.unwrap();
    let elsewhere = slack.look(|workspace| {
        let mut messages = workspace.messages.iter();
        messages.any(|message| message.channel == SECOND.room)
    });
    assert!(!elsewhere, "whoever has no access is not answered");
}

#[tokio::test]
async fn check_online_tells_each_workspace_apart() {
    let (slack, _host, installation) = start(
        "accounts.T1.secrets.bot_token = { env = \"SLACK_TOKEN\" }\n\
         accounts.T2.secrets.bot_token = { env = \"SLACK_SIGNING_SECRET\" }",
    )
    .await;
    let arguments = ["check", "--online", "--config", "frogbot.toml"];
    let finished = installation.run(&arguments).await.unwrap();
    let output = finished.output();
    assert_eq!(finished.code, Some(1), "{output}");
    assert!(output.contains("slack T1: connected: @frogbot"), "{output}");
    let failed = |line: &str| {
        line.starts_with("slack T2: failed: ")
            && line.contains("invalid_auth")
            && line.contains("`channels.slack.accounts.T2.secrets.bot_token`")
    };
    assert!(output.lines().any(failed), "{output}");
    drop(slack);
}
