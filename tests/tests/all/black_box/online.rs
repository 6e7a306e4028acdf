//! `frogbot check --online`: what every account says, before anybody relies on it.

use tests::host_process::{Finished, Installation};
use tests::slack_stand_in::{Bot, SlackStandIn};

use super::forum_world::{ForumWorld, ONE_QUESTION};
use super::slack_world::{SIGNING_SECRET, slack_installation};

async fn checked(installation: &Installation) -> Finished {
    let arguments = ["check", "--online", "--config", "frogbot.toml"];
    installation.run(&arguments).await.unwrap()
}

/// The folder's configuration, changed.
fn change(installation: &Installation, from: &str, to: &str) {
    let path = installation.folder().join("frogbot.toml");
    let text = std::fs::read_to_string(path).unwrap();
    assert!(text.contains(from), "{from}");
    installation
        .write("frogbot.toml", &text.replacen(from, to, 1))
        .unwrap();
}

fn says(finished: &Finished, code: i32, parts: &[&str]) {
    let output = finished.output();
    assert_eq!(finished.code, Some(code), "{output}");
    let line = |line: &str| parts.iter().all(|part| line.contains(part));
    assert!(output.lines().any(line), "no line with {parts:?} in:\n{output}");
}

#[tokio::test]
async fn what_connect_returns_is_told_beside_a_running_host() {
    let world = ForumWorld::start(ONE_QUESTION).await;
    let finished = checked(&world.installation).await;
    says(&finished, 0, &["forum forum: connected: @frogbot on the forum"]);
    says(
        &finished,
        0,
        &["1 account asked: 0 failed, 0 not granted everything"],
    );
    // The host goes on: its store was not touched.
    let card = world.asked().await;
    world.press("ann", &card, "Red").await;
    world.finished("Red it is.").await;
}

#[tokio::test]
async fn a_wrong_token_fails_with_the_key_to_look_at() {
    let mut world = ForumWorld::start(ONE_QUESTION).await;
    world.installation.set_environment("FORUM_TOKEN", "another-token");
    let finished = checked(&world.installation).await;
    let parts = [
        "forum forum: failed: connect: the platform answered 401",
        "`channels.forum.secrets.token`",
    ];
    says(&finished, 1, &parts);
    assert!(
        !finished.output().contains("another-token"),
        "{}",
        finished.output()
    );
}

#[tokio::test]
async fn a_platform_that_cannot_be_reached_fails_with_its_address() {
    let world = ForumWorld::start(ONE_QUESTION).await;
    let url = world.forum.url();
    // Nobody listens on port 1 of this machine.
    change(&world.installation, &url, "http://127.0.0.1:1");
    let finished = checked(&world.installation).await;
    let parts = [
        "forum forum: failed: ",
        "cannot be reached",
        "http://127.0.0.1:1/ (`channels.forum.slots.forum`)",
    ];
    says(&finished, 1, &parts);
}

#[tokio::test]
async fn what_is_wrong_offline_is_told_first_and_nothing_is_sent() {
    let world = ForumWorld::start(ONE_QUESTION).await;
    let before = world.forum.requests(tests::forum_server::RequestKind::Me);
    change(&world.installation, "agent = \"painter\"", "agent = \"nobody\"");
    let finished = checked(&world.installation).await;
    says(&finished, 1, &["there is no agent `nobody`"]);
    assert_eq!(world.forum.requests(tests::forum_server::RequestKind::Me), before);
}

#[tokio::test]
async fn what_a_workspace_has_not_granted_is_told_and_is_no_failure() {
    let slack = SlackStandIn::start(Bot {
        token: "xoxb-token-of-the-tests".to_owned(),
        user_id: "U0BOT".to_owned(),
        team_id: "T1".to_owned(),
    })
    .await
    .unwrap();
    slack.grant("app_mentions:read,chat:write,users:read");
    let installation = slack_installation(&slack.api_url(), SIGNING_SECRET, "T1");
    let finished = checked(&installation).await;
    says(&finished, 0, &["slack T1: connected: @frogbot"]);
    says(&finished, 0, &["slack T1: not granted: ", "users:read.email"]);
    says(
        &finished,
        0,
        &["1 account asked: 0 failed, 1 not granted everything"],
    );
}
