//! The stand-in is as strict as it says.

use serde_json::{Value, json};

use super::*;
use crate::host_process::post;

async fn stand_in() -> SlackStandIn {
    let (token, user_id, team_id) = ("token".to_owned(), "U0BOT".to_owned(), "T1".to_owned());
    SlackStandIn::start(Bot {
        token,
        user_id,
        team_id,
    })
    .await
    .unwrap()
}

async fn call(slack: &SlackStandIn, method: &str, token: &str, body: &Value) -> (u16, Value) {
    let bearer = format!("Bearer {token}");
    let headers = [
        ("authorization", bearer.as_str()),
        ("content-type", "application/json; charset=utf-8"),
    ];
    let answered = post(
        &format!("{}/{method}", slack.api_url()),
        &headers,
        body.to_string(),
    )
    .await
    .unwrap();
    (
        answered.status,
        serde_json::from_str(&answered.body).unwrap_or_default(),
    )
}

#[tokio::test]
async fn a_wrong_token_is_refused_and_nothing_is_posted() {
    let slack = stand_in().await;
    let message = json!({ "channel": "C1", "text": "hello" });
    let (status, answer) = call(&slack, "chat.postMessage", "other", &message).await;
    assert_eq!((status, &answer["error"]), (200, &json!("invalid_auth")));
    assert!(slack.look(|workspace| workspace.messages.is_empty()));
}

#[tokio::test]
async fn a_message_is_posted_edited_and_counted() {
    let slack = stand_in().await;
    let message = json!({ "channel": "C1", "thread_ts": "1.000001", "text": "hello" });
    let (_, posted) = call(&slack, "chat.postMessage", "token", &message).await;
    let edit = json!({ "channel": "C1", "ts": posted["ts"], "text": "closed", "blocks": [] });
    let (_, edited) = call(&slack, "chat.update", "token", &edit).await;
    assert_eq!(edited["ok"], true);
    let message = slack
        .wait_for("the edit", |workspace| workspace.messages.first().cloned())
        .await
        .unwrap();
    assert_eq!((message.text.as_str(), message.updates), ("closed", 1));
    assert_eq!(message.thread_ts.as_deref(), Some("1.000001"));

    let elsewhere = json!({ "channel": "C2", "ts": posted["ts"], "text": "closed" });
    let (_, refused) = call(&slack, "chat.update", "token", &elsewhere).await;
    assert_eq!(refused["error"], "message_not_found");
    assert_eq!(slack.look(|workspace| workspace.calls["chat.update"]), 2);
}

#[tokio::test]
async fn blocks_over_their_limits_are_refused_and_nothing_is_posted() {
    let slack = stand_in().await;
    let text = json!({ "type": "mrkdwn", "text": "x".repeat(3_001) });
    let message =
        json!({ "channel": "C1", "text": "hello", "blocks": [{ "type": "section", "text": text }] });
    let (_, refused) = call(&slack, "chat.postMessage", "token", &message).await;
    assert_eq!(refused["error"], "invalid_blocks");
    assert!(slack.look(|workspace| workspace.messages.is_empty() && workspace.refusals.len() == 1));
}

#[tokio::test]
async fn failures_come_in_their_order_and_once() {
    let slack = stand_in().await;
    let ratelimited = Failure::RateLimited { retry_after_s: 2 };
    slack.fail_next(
        "chat.postMessage",
        [
            ratelimited,
            Failure::Error("is_archived".to_owned()),
            Failure::Status(502),
        ],
    );
    let message = json!({ "channel": "C1", "text": "hello" });
    let mut answers = Vec::new();
    for _ in 0..4 {
        let (status, answer) = call(&slack, "chat.postMessage", "token", &message).await;
        answers.push((status, answer["error"].as_str().unwrap_or_default().to_owned()));
    }
    let expected = [(429, "ratelimited"), (200, "is_archived"), (502, ""), (200, "")];
    assert_eq!(
        answers,
        expected.map(|(status, error)| (status, error.to_owned()))
    );
    assert_eq!(slack.look(|workspace| workspace.messages.len()), 1);
}

#[tokio::test]
async fn a_trigger_opens_one_form() {
    let slack = stand_in().await;
    let title = json!({ "type": "plain_text", "text": "Answer" });
    let form = json!({ "trigger_id": "1.2.3", "view": { "type": "modal", "title": title, "blocks": [] } });
    let (_, opened) = call(&slack, "views.open", "token", &form).await;
    assert_eq!(
        (&opened["ok"], &opened["view"]["id"]),
        (&json!(true), &json!("V1"))
    );
    let (_, again) = call(&slack, "views.open", "token", &form).await;
    assert_eq!(again["ok"], false);
}
