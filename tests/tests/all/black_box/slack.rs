//! A conversation on Slack, with requests written by us after `PLATFORMS.md`, section 1.

use serde_json::{Value, json};
use tests::host_process::{post, unix_seconds};
use tests::slack_stand_in::{Workspace, slack_signature};

use super::slack_world::{SIGNING_SECRET, SlackWorld};

#[tokio::test]
async fn the_handshake_is_answered_with_its_challenge() {
    let world = SlackWorld::start().await;
    let handshake = json!({ "type": "url_verification", "token": "unused", "challenge": "3eZbrw1aB" });
    let answered = world.sender.event(&handshake).await.unwrap();
    assert_eq!(answered.status, 200);
    let plain = answered.body == "3eZbrw1aB";
    let in_json =
        serde_json::from_str::<Value>(&answered.body).is_ok_and(|body| body["challenge"] == "3eZbrw1aB");
    assert!(plain || in_json, "{}", answered.body);
}

#[tokio::test]
async fn a_request_that_slack_did_not_sign_just_now_is_refused() {
    let world = SlackWorld::start().await;
    let body = json!({ "type": "url_verification", "challenge": "secret words" }).to_string();
    let at = |seconds: u64, secret: &str| {
        let timestamp = seconds.to_string();
        let signature = slack_signature(secret, &timestamp, body.as_bytes());
        let (url, body) = (world.sender.url.clone(), body.clone());
        async move {
            let headers = [
                ("content-type", "application/json"),
                ("x-slack-request-timestamp", timestamp.as_str()),
                ("x-slack-signature", signature.as_str()),
            ];
            post(&url, &headers, body).await.unwrap()
        }
    };
    let now = unix_seconds();
    for refused in [
        at(now, "another secret").await,
        at(now - 301, SIGNING_SECRET).await,
    ] {
        assert_eq!((refused.status, refused.body.as_str()), (401, ""));
    }
    assert_eq!(at(now, SIGNING_SECRET).await.status, 200);
}

#[tokio::test]
async fn a_mention_becomes_a_card_a_press_an_answer_and_a_late_click_a_private_notice() {
    let world = SlackWorld::start().await;
    let thread = world.slack.next_ts();
    // Slack tells of a mention twice: once as itself, once as a message of the room.
    world
        .message("app_mention", "<@U0BOT> paint the fence", &thread, None)
        .await;
    world
        .message("message", "<@U0BOT> paint the fence", &thread, None)
        .await;
    let card = world.card(&thread).await;
    let reply = world.slack.next_ts();
    world
        .message("message", "quickly, please", &reply, Some(&thread))
        .await;

    world.press("U2", &card, "Blue").await;
    let closed = world.closed(&card).await;
    assert!(closed.says("Blue"), "the card shows its answer: {closed:#?}");
    assert!(closed.updates > 0, "closed by an edit of the card");
    assert_eq!(world.said(&thread, "Blue it is.").await, 1);

    world.press("U3", &card, "Red").await;
    let told = |workspace: &Workspace| {
        workspace
            .ephemerals
            .iter()
            .find(|notice| notice.user == "U3")
            .cloned()
    };
    let notice = world.when("the private notice", told).await;
    assert_eq!(notice.channel, card.channel);

    // The reply waited behind the question; its turn is over, so nothing is still on its way.
    assert_eq!(world.said(&thread, "I heard you.").await, 1);
    assert_eq!(world.said(&thread, "Blue it is.").await, 1);
    let posted = world.slack.look(|workspace| workspace.thread(&thread).count());
    assert_eq!(posted, 3, "a card, a continuation and a reply");
    world.nothing_was_refused();
}

#[tokio::test]
async fn a_dismissal_closes_the_card_and_nothing_is_continued() {
    let world = SlackWorld::start().await;
    let thread = world.slack.next_ts();
    world
        .message("app_mention", "<@U0BOT> paint the fence", &thread, None)
        .await;
    let card = world.card(&thread).await;
    world.press("U2", &card, "Dismiss").await;
    world.closed(&card).await;

    let reply = world.slack.next_ts();
    world
        .message("message", "quickly, then", &reply, Some(&thread))
        .await;
    assert_eq!(world.said(&thread, "I heard you.").await, 1);
    let continued = |workspace: &Workspace| {
        workspace
            .thread(&thread)
            .filter(|message| message.says("it is."))
            .count()
    };
    assert_eq!(world.slack.look(continued), 0);
    world.nothing_was_refused();
}

#[tokio::test]
async fn a_card_that_slack_rate_limits_is_posted_when_the_wait_is_over() {
    use tests::slack_stand_in::Failure;
    let world = SlackWorld::start().await;
    world
        .slack
        .fail_next("chat.postMessage", [Failure::RateLimited { retry_after_s: 1 }]);
    let thread = world.slack.next_ts();
    world
        .message("app_mention", "<@U0BOT> paint the fence", &thread, None)
        .await;
    let card = world.card(&thread).await;
    world.press("U1", &card, "Red").await;
    world.closed(&card).await;
    assert_eq!(world.said(&thread, "Red it is.").await, 1);
}
