//! Slack's Web API: JSON in, `ok` or an error code out, nearly always with status 200.

use frogbot_piece::http::{self, Priority, Request, Response, segment};
use frogbot_piece::{Context, Conversation, Failure, clock, log};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

/// The slot of the manifest.
const SLOT: &str = "api";

/// A call of a method, counted by the method as Slack does.
pub(crate) fn request(method: &str, arguments: &Value) -> Result<Request, Failure> {
    Request::post(SLOT, format!("/{method}"))
        .rate_key(method)
        .json(arguments)
}

/// The name of the metadata by which a message is found again.
const MARK: &str = "frogbot";
/// How far back a message is looked for: longer than it is tried to be posted again in a series.
const LOOK_BACK_MS: u64 = 24 * 60 * 60 * 1_000;
/// Slack recommends at most so many messages in one answer.
const LOOKED_AT_MAX: u32 = 200;

/// Posts a message to a conversation and returns its `ts`. Slack recognises no repeats, so an attempt after the first looks
/// for the message first: the one before may have died between Slack's taking it and the host's recording it.
///
/// Slack is told to fetch no preview of a link: a text that an agent was made to write could carry secrets out in the
/// address of a picture. `chat.update` takes no such argument.
pub(crate) fn post_message(
    context: &Context,
    conversation: &Conversation,
    mut message: Value,
) -> Result<String, Failure> {
    #[derive(Deserialize)]
    struct Posted {
        ts: String,
    }
    let mark = context.idempotency_hex();
    if let Some(ts) = (context.attempt > 1)
        .then(|| posted_before(conversation, &mark))
        .flatten()
    {
        return Ok(ts);
    }
    message["metadata"] = json!({ "event_type": MARK, "event_payload": { "id": mark } });
    message["unfurl_links"] = json!(false);
    message["unfurl_media"] = json!(false);
    let request = request("chat.postMessage", &addressed(conversation, message))?;
    // About one a second in each channel, unlike the other methods.
    let posted: Posted = send(request.rate_key(format!("chat.postMessage:{}", conversation.room)))?;
    Ok(posted.ts)
}

/// The message with a mark; none too when Slack does not let us look, as it limits some apps to few looks a minute.
fn posted_before(conversation: &Conversation, mark: &str) -> Option<String> {
    #[derive(Deserialize)]
    struct Looked {
        messages: Vec<Message>,
    }
    #[derive(Deserialize)]
    struct Message {
        ts: String,
        #[serde(default)]
        metadata: Value,
    }
    let oldest = clock::now().saturating_sub(LOOK_BACK_MS) / 1_000;
    let place = match conversation.thread.as_str() {
        "" => format!("/conversations.history?channel={}", segment(&conversation.room)),
        thread => format!(
            "/conversations.replies?channel={}&ts={}",
            segment(&conversation.room),
            segment(thread)
        ),
    };
    let path = format!("{place}&oldest={oldest}&limit={LOOKED_AT_MAX}&include_all_metadata=true");
    let looked = send::<Looked>(Request::get(SLOT, path).rate_key("conversations")).inspect_err(|failure| {
        log::info(format!(
            "posting again without a look at what is there: {}",
            failure.reason
        ));
    });
    let is_marked = |message: &Message| {
        message.metadata["event_type"] == json!(MARK)
            && message.metadata["event_payload"]["id"] == json!(mark)
    };
    let found = looked.ok()?.messages.into_iter().find(is_marked)?;
    Some(found.ts)
}

/// Opens a form, which Slack allows within three seconds of the press that the trigger came with, and once.
pub(crate) fn open_view(trigger: &str, view: &Value) -> Result<Request, Failure> {
    request("views.open", &json!({ "trigger_id": trigger, "view": view }))
}

/// A message that only one person sees.
pub(crate) fn post_ephemeral(
    conversation: &Conversation,
    user: &str,
    text: &str,
) -> Result<Request, Failure> {
    let message = addressed(conversation, json!({ "user": user, "text": text }));
    let key = format!("chat.postEphemeral:{}", conversation.room);
    Ok(request("chat.postEphemeral", &message)?
        .rate_key(key)
        .priority(Priority::Notice))
}

/// A direct message to a person who is not in the conversation's channel.
pub(crate) fn post_direct(user: &str, text: &str) -> Result<Request, Failure> {
    let message = json!({ "channel": user, "text": text, "unfurl_links": false, "unfurl_media": false });
    let key = format!("chat.postMessage:{user}");
    Ok(request("chat.postMessage", &message)?
        .rate_key(key)
        .priority(Priority::Notice))
}

/// A new text and new blocks for a message.
pub(crate) fn update(conversation: &Conversation, ts: &str, mut card: Value) -> Result<Request, Failure> {
    card["channel"] = json!(conversation.room);
    card["ts"] = json!(ts);
    // Slack reads names and links into the text of an update unless it is told not to, other than into that of a new message.
    card["parse"] = json!("none");
    let key = format!("chat.update:{}", conversation.room);
    Ok(request("chat.update", &card)?.rate_key(key))
}

fn addressed(conversation: &Conversation, mut message: Value) -> Value {
    message["channel"] = json!(conversation.room);
    if !conversation.thread.is_empty() {
        message["thread_ts"] = json!(conversation.thread);
    }
    message
}

/// Who a person is.
#[derive(Deserialize)]
pub(crate) struct UserInfo {
    pub(crate) team_id: Option<String>,
    #[serde(default)]
    pub(crate) is_stranger: bool,
    #[serde(default)]
    pub(crate) profile: UserProfile,
}

/// What people write about themselves, and the address Slack has verified.
#[derive(Default, Deserialize)]
pub(crate) struct UserProfile {
    display_name: Option<String>,
    real_name: Option<String>,
    pub(crate) email: Option<String>,
}

impl UserInfo {
    /// The name that Slack shows.
    pub(crate) fn name(&self) -> Option<String> {
        let names = [&self.profile.display_name, &self.profile.real_name];
        names.into_iter().flatten().find(|name| !name.is_empty()).cloned()
    }
}

/// The e-mail address is there only with the scope `users:read.email`.
pub(crate) fn user_info(user: &str) -> Result<UserInfo, Failure> {
    #[derive(Deserialize)]
    struct Info {
        user: UserInfo,
    }
    let request = Request::get(SLOT, format!("/users.info?user={}", segment(user))).rate_key("users.info");
    Ok(send::<Info>(request)?.user)
}

/// What a workspace granted the app, and who it is there.
pub(crate) fn auth_test<T: DeserializeOwned>() -> Result<(T, Option<String>), Failure> {
    let response = request("auth.test", &json!({}))?.send()?;
    let scopes = response.header("x-oauth-scopes").map(str::to_owned);
    Ok((read(response)?, scopes))
}

/// Sends a call and reads its result.
pub(crate) fn send<T: DeserializeOwned>(request: Request) -> Result<T, Failure> {
    read(request.send()?)
}

fn read<T: DeserializeOwned>(response: Response) -> Result<T, Failure> {
    serde_json::from_value(accepted(response)?)
        .map_err(|_| Failure::perhaps_sent("Slack answered `ok` without what the method returns"))
}

/// Sends several calls whose results say nothing more.
pub(crate) fn send_all(requests: &[Request]) -> Vec<Result<(), Failure>> {
    let read = |response: Result<Response, http::Error>| accepted(response?).map(|_| ());
    http::send_all(requests).into_iter().map(read).collect()
}

fn accepted(response: Response) -> Result<Value, Failure> {
    let wait_ms = response.retry_after_ms();
    let reply: Value = response.accepted()?.json()?;
    if reply["ok"] == json!(true) {
        return Ok(reply);
    }
    let code = reply["error"].as_str().unwrap_or("unknown_error");
    Err(failure(code, wait_ms))
}

/// Whether Slack says a code, as [`failure`] writes it down.
pub(crate) fn says(failure: &Failure, codes: &[&str]) -> bool {
    let code = failure.reason.strip_prefix(SAYS).unwrap_or_default();
    codes.contains(&code)
}

/// Begins the reason of a failure that Slack names.
const SAYS: &str = "Slack says ";

/// What an error code means for the host. Codes are Slack's, of the methods this piece calls.
fn failure(code: &str, wait_ms: Option<u32>) -> Failure {
    // A code is a name; what does not look like one is none of the operator's business.
    let is_name = code.len() <= 64 && code.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_');
    let reason = format!("{SAYS}{}", if is_name { code } else { "something unreadable" });
    match code {
        "ratelimited"
        | "rate_limited"
        | "internal_error"
        | "fatal_error"
        | "service_unavailable"
        | "request_timeout"
        // A token that an operator is about to replace.
        | "invalid_auth"
        | "not_authed"
        | "token_expired" => wait_ms.map_or_else(
            || Failure::retry(&reason),
            |wait_ms| Failure::retry_after(wait_ms, &reason),
        ),
        "message_not_found" | "thread_not_found" | "channel_not_found" | "is_archived" | "not_in_channel"
        | "account_inactive" | "token_revoked" => Failure::gone(reason),
        _ => Failure::refused(reason),
    }
}
