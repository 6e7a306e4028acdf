//! What a request of Slack is, by our piece and by `@chat-adapter/slack`, which we did not write: the two agree on whether something
//! happened, what, where, who did it and what was said. Where they differ on purpose it stands in [`DIFFERENCES`].

#![expect(
    clippy::unwrap_used,
    reason = "what a test needs is there, or the test has failed"
)]

mod requests;

use std::collections::BTreeMap;

use frogbot_piece::{Addressing, AuthorKind, Channel, Event, Happening, Place, Received, testing};
use serde_json::{Value, json};
use slack::Slack;
use tests::chat_sdk::{ChatSdk, Understood};
use tests::host_process::{hmac_sha256_hex, unix_seconds};

use requests::{Sent, ours, recorded};

const SECRET: &str = "slack-signing-secret-of-the-tests";

/// Requests that the two see differently, what differs, and why that is right.
const DIFFERENCES: [(&str, &str, &str); 2] = [
    ("a room is named", "text", ROOM_IS_NAMED),
    ("replay-channel-mention-slack mention", "text", ROOM_IS_NAMED),
];
const ROOM_IS_NAMED: &str =
    "they ask Slack for the room's name; `receive` is pure, and the model is given what was sent";

#[test]
fn requests_written_by_us_are_the_same_to_both() {
    let different = compare(&ours());
    assert!(different.is_empty(), "{different:#?}");
}

#[test]
fn recorded_requests_are_the_same_to_both() {
    let Some(recorded) = recorded() else {
        eprintln!("FROGBOT_FIXTURES is not set: no recorded traffic is compared");
        return;
    };
    assert!(
        recorded.len() > 10,
        "only {} requests are recorded",
        recorded.len()
    );
    let different = compare(&recorded);
    assert!(different.is_empty(), "{different:#?}");
}

/// A table that nobody needs any more would hide the next difference.
#[test]
fn every_difference_is_one() {
    for (name, field, _) in DIFFERENCES {
        let all = ours().into_iter().chain(recorded().unwrap_or_default());
        let sent: Vec<Sent> = all.filter(|sent| sent.name == name).collect();
        let found = differences(&sent);
        let is_recorded = name.starts_with("replay-");
        assert!(
            sent.is_empty() && is_recorded || found.iter().any(|(_, different, _)| different == field),
            "{name} is the same to both in {field}: {found:#?}"
        );
    }
}

/// Name, field, and what each says.
type Difference = (String, String, String);

/// Those that are not in the table.
fn compare(requests: &[Sent]) -> Vec<Difference> {
    let is_known = |(name, field, _): &Difference| {
        let mut known = DIFFERENCES.iter();
        known.any(|(known, different, _)| known == name && different == field)
    };
    differences(requests)
        .into_iter()
        .filter(|found| !is_known(found))
        .collect()
}

fn differences(requests: &[Sent]) -> Vec<Difference> {
    let mut bots: BTreeMap<&str, ChatSdk> = BTreeMap::new();
    let mut found = Vec::new();
    for sent in requests {
        let peer = bots
            .entry(&sent.bot)
            .or_insert_with(|| ChatSdk::start(SECRET, &sent.bot).unwrap());
        let theirs = seen_by_peer(&sent.bot, asked(peer, sent));
        let ours = seen_by_us(sent);
        for field in [
            "kind",
            "addressing",
            "id",
            "text",
            "user",
            "thread",
            "action",
            "value",
            "trigger",
            "callback",
            "values",
            "answer",
        ] {
            if ours[field] != theirs[field] {
                let both = format!("we say {}, they say {}", ours[field], theirs[field]);
                found.push((sent.name.clone(), field.to_owned(), both));
            }
        }
    }
    found
}

fn asked(peer: &mut ChatSdk, sent: &Sent) -> Understood {
    let timestamp = unix_seconds().to_string();
    let hex = hmac_sha256_hex(
        SECRET,
        &[b"v0:", timestamp.as_bytes(), b":", sent.body.as_bytes()],
    );
    let signature = format!("v0={hex}");
    let headers = [
        ("content-type", sent.content_type),
        ("x-slack-request-timestamp", timestamp.as_str()),
        ("x-slack-signature", signature.as_str()),
    ];
    let understood = peer.receive(&headers, &sent.body).unwrap();
    assert!(
        understood.status < 300,
        "{} is refused: {understood:?}",
        sent.name
    );
    assert!(understood.events.len() <= 1, "{}: {understood:?}", sent.name);
    understood
}

/// The peer shows mentions as `@name`, and everybody is called as their id.
fn seen_by_peer(bot: &str, understood: Understood) -> Value {
    let mut seen = understood
        .events
        .into_iter()
        .next()
        .unwrap_or_else(|| json!({ "kind": "nothing" }));
    if let Some(text) = seen["text"].as_str() {
        seen["text"] = json!(text.replacen(&format!("@{bot}"), "", 1).trim());
    }
    if understood.body.contains(requests::CHALLENGE) {
        seen["answer"] = json!(requests::CHALLENGE);
    }
    seen
}

/// What the host makes of what the piece says: messages of programs are nothing to it.
fn seen_by_us(sent: &Sent) -> Value {
    let me = json!({ "user_id": sent.bot, "bot_id": "B0BOT", "user": "frogbot", "team": "Test" });
    let settings = testing::settings(&json!({}), &sent.team, &me);
    let request = testing::inbound(sent.content_type, sent.body.clone());
    let Received { events, reply, .. } = Slack::receive(&settings, &request).unwrap();
    assert!(events.len() <= 1, "{}", sent.name);
    let mut seen = events.first().map_or_else(|| json!({ "kind": "nothing" }), seen);
    if String::from_utf8_lossy(&reply.body).contains(requests::CHALLENGE) {
        seen["answer"] = json!(requests::CHALLENGE);
    }
    seen
}

fn seen(event: &Event) -> Value {
    let thread = match &event.place {
        Place::Conversation(conversation) => {
            json!(format!("slack:{}:{}", conversation.room, conversation.thread))
        }
        Place::Account(_) => Value::Null,
    };
    let addressing = match event.addressing {
        Addressing::None => "none",
        Addressing::Mention => "mention",
        Addressing::Direct => "direct",
        Addressing::Reply => "reply",
    };
    match &event.happening {
        Happening::Message(message) if message.author.kind != AuthorKind::Person => {
            json!({ "kind": "nothing" })
        }
        Happening::Message(message) => json!({
            "kind": "message", "addressing": addressing, "id": message.id, "text": message.text,
            "user": message.author.id, "thread": thread,
        }),
        Happening::Action(action) => json!({
            "kind": "action", "action": action.action_id, "value": action.value, "id": action.message_id,
            "thread": thread, "user": action.user.id, "trigger": action.trigger_id,
        }),
        Happening::ModalSubmit(form) => {
            let raw: Value = serde_json::from_str(&form.raw).unwrap();
            let values: BTreeMap<&String, &String> =
                form.values.iter().map(|(name, value)| (name, value)).collect();
            json!({ "kind": "form", "callback": raw["view"]["callback_id"], "user": form.user.id, "values": values })
        }
    }
}
