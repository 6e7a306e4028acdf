//! Text of the agent, and what the piece learns about people and itself.

use frogbot_piece::testing::{self, FakeHost, response};
use frogbot_piece::{Channel, Questions};
use serde_json::{Value, json};
use slack::Slack;

use crate::nouns::*;

#[test]
fn a_reply_is_posted_in_the_thread_and_calls_nobody() {
    let host = FakeHost::answering(ok);
    let posted = Slack::post(&context(), &thread(), "**done** <!channel>").unwrap();
    assert_eq!(posted.message_id, CARD);
    let message = host.bodies().remove(0);
    assert_eq!(
        (&message["text"], &message["thread_ts"]),
        (&json!("*done* &lt;!channel&gt;"), &json!("1.5"))
    );
    assert_eq!(
        message["blocks"][0]["text"],
        json!({ "type": "mrkdwn", "text": "*done* &lt;!channel&gt;", "verbatim": true })
    );
    Slack::post(&context(), &testing::conversation("T1", "D1", ""), "hi").unwrap();
    assert!(host.bodies()[1].get("thread_ts").is_none());
}

#[test]
fn no_link_is_fetched_for_a_preview() {
    let host = FakeHost::answering(ok);
    Slack::post(&context(), &thread(), "https://evil.example/x.png?d=secret").unwrap();
    Slack::render(&context(), &thread(), &[call(&[colour()])]).unwrap();
    for body in host.bodies() {
        assert_eq!(
            (&body["unfurl_links"], &body["unfurl_media"]),
            (&json!(false), &json!(false)),
            "{body}"
        );
    }
}

#[test]
fn replies_are_cut_between_blocks_and_posted_as_sections() {
    let text = format!(
        "{}\n\n{}\n\n{}",
        "a".repeat(2_500),
        "b".repeat(2_500),
        "c".repeat(8_000)
    );
    let parts = Slack::split(&context().settings, &text);
    assert!(
        parts.len() >= 2 && parts[0].starts_with('a') && parts[0].contains("\n\nb"),
        "{}",
        parts.len()
    );
    assert_eq!(parts.concat().matches('c').count(), 8_000);
    let host = FakeHost::answering(ok);
    Slack::post(&context(), &thread(), &parts[0]).unwrap();
    let blocks = host.bodies()[0]["blocks"].as_array().unwrap().clone();
    assert!(blocks.len() >= 2);
}

#[test]
fn the_bot_learns_who_it_is_and_what_it_was_not_granted() {
    let connected = |scopes: Option<&'static str>| {
        let me = json!({ "ok": true, "user_id": "UBOT", "bot_id": "BBOT", "user": "frogbot", "team": "Acme", "team_id": "T1" });
        let _host = FakeHost::answering(move |_| {
            let mut answer = response(200, &me);
            answer
                .headers
                .extend(scopes.map(|scopes| ("x-oauth-scopes".to_owned(), scopes.to_owned())));
            Ok(answer)
        });
        Slack::connect(&context(), "T1").unwrap()
    };
    let unknown = connected(None);
    assert_eq!(
        (unknown.summary.as_str(), unknown.lacks.len()),
        ("@frogbot in the workspace Acme", 0)
    );
    assert_eq!(
        serde_json::from_str::<Value>(&unknown.data).unwrap()["user_id"],
        "UBOT"
    );
    let granted =
        "app_mentions:read,channels:history,chat:write,groups:history, im:history,mpim:history,users:read";
    assert_eq!(
        connected(Some(granted)).lacks,
        ["the scope users:read.email: without it nobody is recognised by e-mail address"]
    );
}

#[test]
fn a_person_has_the_address_of_their_profile_and_strangers_are_external() {
    let identity = |user: Value| {
        let host =
            FakeHost::answering(move |_| Ok(response(200, &json!({ "ok": true, "user": user.clone() }))));
        let profile = Slack::identity(&context(), &thread(), &testing::person("U1")).unwrap();
        assert_eq!(host.requests()[0].path, "/users.info?user=U1");
        profile
    };
    let ann = identity(
        json!({ "team_id": "T1", "profile": { "display_name": "", "real_name": "Ann", "email": "ann@example.com" } }),
    );
    assert_eq!(
        (ann.name.as_deref(), ann.email.as_deref(), ann.external),
        (Some("Ann"), Some("ann@example.com"), false)
    );
    assert!(identity(json!({ "team_id": "T2", "profile": {} })).external);
    assert!(identity(json!({ "is_stranger": true })).external);
}
