//! The requests that are compared: written by us after `PLATFORMS.md`, section 1, and recorded by others where they are at hand.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

/// What a handshake must be answered with.
pub(crate) const CHALLENGE: &str = "3eZbrw1aBm2rZgRNFdxV2595E9CY3gmdALWMmHkvFXO7tYXAYM8P";
const BOT: &str = "U0BOT";
const JSON: &str = "application/json";
const FORM: &str = "application/x-www-form-urlencoded";

/// A request of Slack.
#[derive(Clone, Debug)]
pub(crate) struct Sent {
    pub(crate) name: String,
    /// The bot's user id in the workspace.
    pub(crate) bot: String,
    pub(crate) team: String,
    pub(crate) content_type: &'static str,
    pub(crate) body: String,
}

impl Sent {
    fn event(name: &str, bot: &str, body: &Value) -> Self {
        Self::new(name, bot, body, JSON, body.to_string())
    }

    fn interaction(name: &str, bot: &str, payload: &Value) -> Self {
        let encoded: String = url::form_urlencoded::byte_serialize(payload.to_string().as_bytes()).collect();
        Self::new(name, bot, payload, FORM, format!("payload={encoded}"))
    }

    fn new(name: &str, bot: &str, payload: &Value, content_type: &'static str, body: String) -> Self {
        let team = payload["team_id"]
            .as_str()
            .or_else(|| payload["team"]["id"].as_str());
        Self {
            name: name.to_owned(),
            bot: bot.to_owned(),
            team: team.unwrap_or("T1").to_owned(),
            content_type,
            body,
        }
    }
}

/// Ours.
pub(crate) fn ours() -> Vec<Sent> {
    let (events, controls) = (events(), controls());
    let events = events
        .into_iter()
        .map(|(name, event)| Sent::event(name, BOT, &event));
    let clicks = controls
        .into_iter()
        .map(|(name, action)| Sent::interaction(name, BOT, &click(&action)));
    let others = others()
        .into_iter()
        .map(|(name, payload)| Sent::interaction(name, BOT, &payload));
    events.chain(clicks).chain(others).chain([command()]).collect()
}

/// An event with these fields over those of an ordinary message of a room.
fn envelope(changes: &Value) -> Value {
    let mut event = json!({
        "type": "message", "user": "U1", "text": "hello", "ts": "1700000001.000100", "channel": "C1",
        "channel_type": "channel", "team": "T1", "event_ts": "1700000001.000100",
    });
    for (key, value) in changes.as_object().unwrap() {
        event[key] = value.clone();
    }
    json!({
        "type": "event_callback", "token": "unused", "team_id": "T1", "api_app_id": "A1", "event_id": "Ev1",
        "event_time": 1_700_000_001, "authorizations": [{ "team_id": "T1", "user_id": BOT, "is_bot": true }], "event": event,
    })
}

fn events() -> Vec<(&'static str, Value)> {
    let thread = json!({ "thread_ts": "1700000000.000100", "parent_user_id": "U1", "text": "and then?" });
    let edit = json!({
        "subtype": "message_changed", "hidden": true, "message": { "type": "message", "user": "U1", "text": "hello!", "ts": "1700000001.000100" },
        "previous_message": { "type": "message", "user": "U1", "text": "hello", "ts": "1700000001.000100" },
    });
    let deletion = json!({ "subtype": "message_deleted", "hidden": true, "deleted_ts": "1700000001.000100" });
    let handshake = json!({ "type": "url_verification", "token": "unused", "challenge": CHALLENGE });
    vec![
        ("handshake", handshake),
        (
            "mention",
            envelope(&json!({ "type": "app_mention", "text": "<@U0BOT> paint the fence" })),
        ),
        (
            "the mention's copy",
            envelope(&json!({ "text": "<@U0BOT> paint the fence" })),
        ),
        (
            "mention in the middle",
            envelope(&json!({ "text": "hello <@U0BOT>, paint" })),
        ),
        ("message in a room", envelope(&json!({}))),
        ("message in a thread", envelope(&thread)),
        (
            "direct message",
            envelope(&json!({ "channel": "D1", "channel_type": "im" })),
        ),
        (
            "escaped text",
            envelope(&json!({ "text": "a &lt; b &amp;&amp; c &gt; d" })),
        ),
        (
            "a room is named",
            envelope(&json!({ "text": "<@U0BOT> look at <#C0GENERAL>" })),
        ),
        (
            "own message",
            envelope(&json!({ "user": BOT, "bot_id": "B0BOT" })),
        ),
        ("edit", envelope(&edit)),
        ("deletion", envelope(&deletion)),
        (
            "somebody joins",
            envelope(&json!({ "subtype": "channel_join", "text": "<@U1> has joined" })),
        ),
        (
            "reaction",
            envelope(
                &json!({ "type": "reaction_added", "reaction": "eyes", "item": { "type": "message", "channel": "C1", "ts": "1700000001.000100" } }),
            ),
        ),
    ]
}

/// A control of each kind, as it was used.
fn controls() -> Vec<(&'static str, Value)> {
    let option = |value: &str| json!({ "text": { "type": "plain_text", "text": value }, "value": value });
    vec![
        (
            "button",
            json!({ "type": "button", "action_id": "q:c1:0:option:1", "text": { "type": "plain_text", "text": "2. Blue" } }),
        ),
        (
            "button with a value",
            json!({ "type": "button", "action_id": "approve", "value": "yes", "text": { "type": "plain_text", "text": "Yes" } }),
        ),
        (
            "menu",
            json!({ "type": "static_select", "action_id": "q:c1:0:pick:0", "selected_option": option("3") }),
        ),
        (
            "radio buttons",
            json!({ "type": "radio_buttons", "action_id": "q:c1:0:pick:0", "selected_option": option("0") }),
        ),
        (
            "boxes",
            json!({ "type": "checkboxes", "action_id": "q:c1:0:pick:0", "selected_options": [option("0"), option("2")] }),
        ),
        (
            "menu for several",
            json!({ "type": "multi_static_select", "action_id": "q:c1:0:pick:0", "selected_options": [option("1")] }),
        ),
    ]
}

/// A click on a card in a thread.
fn click(action: &Value) -> Value {
    let mut action = action.clone();
    action["block_id"] = json!("block");
    action["action_ts"] = json!("1700000005.000100");
    json!({
        "type": "block_actions", "api_app_id": "A1", "token": "unused", "trigger_id": "1.2.abc",
        "team": { "id": "T1", "domain": "test" }, "user": { "id": "U1", "username": "ann", "name": "ann", "team_id": "T1" },
        "container": { "type": "message", "message_ts": "1700000002.000100", "channel_id": "C1", "thread_ts": "1700000001.000100", "is_ephemeral": false },
        "channel": { "id": "C1", "name": "general" }, "response_url": "https://hooks.slack.com/actions/T1/1/x",
        "message": { "type": "message", "user": BOT, "bot_id": "B0BOT", "ts": "1700000002.000100", "thread_ts": "1700000001.000100", "text": "Which?", "blocks": [] },
        "state": { "values": {} }, "actions": [action],
    })
}

fn others() -> Vec<(&'static str, Value)> {
    let view = json!({
        "id": "V1", "team_id": "T1", "type": "modal", "callback_id": "q:c1:0:type:0", "private_metadata": "", "hash": "1.x",
        "title": { "type": "plain_text", "text": "Colour" }, "blocks": [],
        "state": { "values": { "answer": { "answer": { "type": "plain_text_input", "value": "Mauve" } } } },
    });
    let form = |kind: &str| {
        json!({
            "type": kind, "api_app_id": "A1", "token": "unused", "trigger_id": "1.2.abc", "team": { "id": "T1", "domain": "test" },
            "user": { "id": "U1", "username": "ann", "name": "ann", "team_id": "T1" }, "view": view,
        })
    };
    let shortcut = json!({
        "type": "shortcut", "callback_id": "ask", "trigger_id": "1.2.abc", "token": "unused", "action_ts": "1700000005.000100",
        "team": { "id": "T1", "domain": "test" }, "user": { "id": "U1", "username": "ann", "team_id": "T1" },
    });
    vec![
        ("form", form("view_submission")),
        ("closed form", form("view_closed")),
        ("shortcut", shortcut),
    ]
}

fn command() -> Sent {
    Sent {
        name: "slash command".to_owned(),
        bot: BOT.to_owned(),
        team: "T1".to_owned(),
        content_type: FORM,
        body: "token=x&team_id=T1&channel_id=C1&user_id=U1&command=%2Fask&text=hi&trigger_id=1.2.abc"
            .to_owned(),
    }
}

/// What others recorded, where it is at hand: `FROGBOT_FIXTURES` names the folder.
#[expect(
    clippy::disallowed_methods,
    reason = "where the recordings are, nobody else says"
)]
pub(crate) fn recorded() -> Option<Vec<Sent>> {
    let folder = PathBuf::from(std::env::var_os("FROGBOT_FIXTURES")?).join("slack");
    let mut files: Vec<PathBuf> = folder
        .read_dir()
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    files.retain(|path| {
        path.file_name()
            .is_some_and(|name| name.to_string_lossy().starts_with("replay-"))
    });
    files.sort();
    Some(files.iter().flat_map(|path| recorded_in(path)).collect())
}

fn recorded_in(path: &Path) -> Vec<Sent> {
    let file: Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    let bot = file["botUserId"].as_str().unwrap();
    let stem = path.file_stem().unwrap().to_string_lossy();
    let entries = file.as_object().unwrap().iter();
    let sent = |(key, payload): (&String, &Value)| {
        let name = format!("{stem} {key}");
        match payload["type"].as_str()? {
            "event_callback" => Some(Sent::event(&name, bot, payload)),
            "block_actions" | "view_submission" => Some(Sent::interaction(&name, bot, payload)),
            _ => None,
        }
    };
    entries.filter_map(sent).collect()
}
