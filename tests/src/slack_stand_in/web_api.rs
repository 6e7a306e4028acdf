//! The Web API: `POST` (or `GET`) of `/api/<method>`, arguments as JSON or as a form, 200 with `ok` for everything but
//! rate limits and outages.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::Router;
use axum::body::Bytes;
use axum::extract::{Path, RawQuery, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::any;
use serde_json::{Value, json};

use super::block_limits::{message_problem, view_problem};
use super::workspace::{Ephemeral, Failure, Message, Workspace};
use super::{Bot, Shared};

/// The e-mail address of every participant, as `users.info` tells it.
const EMAIL: &str = "ann@example.com";

pub(crate) fn router(shared: Arc<Shared>) -> Router {
    Router::new().route("/api/{method}", any(call)).with_state(shared)
}

async fn call(
    State(shared): State<Arc<Shared>>,
    Path(method): Path<String>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let arguments = Arguments::read(query.as_deref(), &headers, &body);
    let bot = shared.bot_of(headers.get(header::AUTHORIZATION).map(|token| token.as_bytes()));
    let first = shared.first_team();
    let room = arguments.text("channel");
    shared.change(|workspace| {
        if let Some(failure) = workspace
            .begin_call(&method)
            .or_else(|| workspace.limit_of(&room))
        {
            return failed(&failure);
        }
        let Some(bot) = bot else {
            return refused(workspace, &method, "invalid_auth", "the bearer token");
        };
        if workspace.is_foreign(&room, &bot.team_id, &first) {
            return refused(workspace, &method, "channel_not_found", "of another workspace");
        }
        match method.as_str() {
            "auth.test" => authenticated(&bot, workspace.scopes.as_deref()),
            "users.info" => user(&arguments),
            "conversations.replies" => history(workspace, &room, Some(&arguments.text("ts"))),
            "conversations.history" => history(workspace, &room, None),
            "chat.postMessage" => post_message(workspace, &arguments),
            "chat.update" => update(workspace, &arguments),
            "chat.postEphemeral" => post_ephemeral(workspace, &arguments),
            "views.open" => open(workspace, &arguments),
            _ => refused(workspace, &method, "unknown_method", "not in the stand-in"),
        }
    })
}

/// Who the bot is, with what was granted to it, as a header tells it.
fn authenticated(bot: &Bot, scopes: Option<&str>) -> Response {
    let mut answered = answer(&json!({
        "ok": true, "user_id": bot.user_id, "bot_id": "B0BOT", "user": "frogbot",
        "team_id": bot.team_id, "team": "stand-in", "url": "https://stand-in.invalid/",
    }));
    if let Some(scopes) = scopes.and_then(|scopes| HeaderValue::from_str(scopes).ok()) {
        answered.headers_mut().insert("x-oauth-scopes", scopes);
    }
    answered
}

/// The arguments of a call.
struct Arguments(BTreeMap<String, Value>);

impl Arguments {
    fn read(query: Option<&str>, headers: &HeaderMap, body: &Bytes) -> Self {
        let is_json = headers
            .get(header::CONTENT_TYPE)
            .is_some_and(|kind| kind.as_bytes().starts_with(b"application/json"));
        let mut arguments = form(query.unwrap_or_default().as_bytes());
        if is_json {
            arguments.extend(serde_json::from_slice::<BTreeMap<String, Value>>(body).unwrap_or_default());
        } else {
            arguments.extend(form(body));
        }
        Self(arguments)
    }

    fn text(&self, key: &str) -> String {
        self.optional(key).unwrap_or_default()
    }

    fn optional(&self, key: &str) -> Option<String> {
        self.0.get(key).and_then(Value::as_str).map(str::to_owned)
    }

    /// A structured argument, which a form carries as JSON text.
    fn structured(&self, key: &str) -> Value {
        match self.0.get(key) {
            Some(Value::String(text)) => serde_json::from_str(text).unwrap_or_default(),
            Some(value) => value.clone(),
            None => Value::Null,
        }
    }

    fn blocks(&self) -> Vec<Value> {
        match self.structured("blocks") {
            Value::Array(blocks) => blocks,
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Object(_) => {
                Vec::new()
            }
        }
    }
}

fn form(encoded: &[u8]) -> BTreeMap<String, Value> {
    url::form_urlencoded::parse(encoded)
        .map(|(key, value)| (key.into_owned(), Value::String(value.into_owned())))
        .collect()
}

fn user(arguments: &Arguments) -> Response {
    let id = arguments.text("user");
    let profile = json!({ "email": EMAIL, "display_name": id, "real_name": id });
    answer(&json!({ "ok": true, "user": { "id": id, "name": id, "real_name": id, "profile": profile } }))
}

/// What the bot posted in a room, or in one thread of it, with what it wrote beside it.
fn history(workspace: &Workspace, room: &str, thread: Option<&str>) -> Response {
    let messages = workspace.messages.iter().filter(|message| {
        message.channel == room && thread.is_none_or(|thread| message.thread_ts.as_deref() == Some(thread))
    });
    let shown = |message: &Message| {
        json!({
            "type": "message", "bot_id": "B0BOT", "ts": message.ts, "thread_ts": message.thread_ts, "text": message.text,
            "blocks": message.blocks, "metadata": workspace.metadata.get(&message.ts),
        })
    };
    let messages: Vec<Value> = messages.map(shown).collect();
    answer(&json!({ "ok": true, "messages": messages, "has_more": false }))
}

fn post_message(workspace: &mut Workspace, arguments: &Arguments) -> Response {
    let (text, blocks) = (arguments.text("text"), arguments.blocks());
    if let Some((code, detail)) = message_problem(&text, &blocks) {
        return refused(workspace, "chat.postMessage", code, &detail);
    }
    let channel = arguments.text("channel");
    if channel.is_empty() {
        return refused(workspace, "chat.postMessage", "channel_not_found", "no channel");
    }
    let ts = workspace.post(Message {
        channel: channel.clone(),
        thread_ts: arguments.optional("thread_ts"),
        ts: String::new(),
        text,
        blocks: named(blocks),
        updates: 0,
    });
    let metadata = arguments.structured("metadata");
    if !metadata.is_null() {
        workspace.metadata.insert(ts.clone(), metadata);
    }
    answer(&json!({ "ok": true, "channel": channel, "ts": ts, "message": { "ts": ts } }))
}

/// Slack gives a name to every block that has none; an interaction reports it.
fn named(mut blocks: Vec<Value>) -> Vec<Value> {
    for (index, block) in blocks.iter_mut().enumerate() {
        if let Value::Object(entries) = block {
            entries
                .entry("block_id")
                .or_insert_with(|| json!(format!("b{index}")));
        }
    }
    blocks
}

fn update(workspace: &mut Workspace, arguments: &Arguments) -> Response {
    let (text, blocks) = (arguments.text("text"), arguments.blocks());
    if let Some((code, detail)) = message_problem(&text, &blocks) {
        return refused(workspace, "chat.update", code, &detail);
    }
    let (channel, ts) = (arguments.text("channel"), arguments.text("ts"));
    let is = |message: &&mut Message| message.channel == channel && message.ts == ts;
    let Some(message) = workspace.messages.iter_mut().find(is) else {
        return refused(workspace, "chat.update", "message_not_found", &ts);
    };
    message.text = text;
    message.blocks = named(blocks);
    message.updates += 1;
    answer(&json!({ "ok": true, "channel": channel, "ts": ts }))
}

fn post_ephemeral(workspace: &mut Workspace, arguments: &Arguments) -> Response {
    let (text, blocks) = (arguments.text("text"), arguments.blocks());
    if let Some((code, detail)) = message_problem(&text, &blocks) {
        return refused(workspace, "chat.postEphemeral", code, &detail);
    }
    let user = arguments.text("user");
    if user.is_empty() {
        return refused(workspace, "chat.postEphemeral", "user_not_in_channel", "no user");
    }
    let message_ts = workspace.tell(Ephemeral {
        channel: arguments.text("channel"),
        thread_ts: arguments.optional("thread_ts"),
        user,
        text,
        blocks,
    });
    answer(&json!({ "ok": true, "message_ts": message_ts }))
}

fn open(workspace: &mut Workspace, arguments: &Arguments) -> Response {
    let (trigger_id, view) = (arguments.text("trigger_id"), arguments.structured("view"));
    if let Some(detail) = view_problem(&view) {
        return refused(workspace, "views.open", "invalid_arguments", &detail);
    }
    let used = workspace.views.iter().any(|view| view.trigger_id == trigger_id);
    if trigger_id.is_empty() || used {
        return refused(
            workspace,
            "views.open",
            "exchanged_trigger_id",
            "not given, or used before",
        );
    }
    let id = workspace.open(trigger_id, view.clone());
    let mut opened = view;
    opened["id"] = json!(id);
    answer(&json!({ "ok": true, "view": opened }))
}

fn refused(workspace: &mut Workspace, method: &str, code: &str, detail: &str) -> Response {
    workspace.refusals.push(format!("{method}: {code} ({detail})"));
    answer(&json!({ "ok": false, "error": code, "response_metadata": { "messages": [detail] } }))
}

fn failed(failure: &Failure) -> Response {
    match failure {
        Failure::RateLimited { retry_after_s } => {
            let retry_after = [(header::RETRY_AFTER, retry_after_s.to_string())];
            let body = answer(&json!({ "ok": false, "error": "ratelimited" }));
            (StatusCode::TOO_MANY_REQUESTS, retry_after, body).into_response()
        }
        Failure::Error(code) => answer(&json!({ "ok": false, "error": code })),
        Failure::Status(status) => StatusCode::from_u16(*status)
            .unwrap_or(StatusCode::BAD_GATEWAY)
            .into_response(),
    }
}

fn answer(body: &Value) -> Response {
    let json = [(header::CONTENT_TYPE, "application/json; charset=utf-8")];
    (json, body.to_string()).into_response()
}
