//! Slack's Web API: JSON in, `ok` or an error code out, nearly always with status 200.

use frogbot_piece::http::{self, Priority, Request, Response, segment};
use frogbot_piece::{Conversation, Failure};
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

/// Posts a message to a conversation and returns its `ts`. Slack is told to fetch no preview of a link in it: a text
/// that an agent was made to write could carry secrets out in the address of a picture. `chat.update` takes no such argument.
pub(crate) fn post_message(conversation: &Conversation, mut message: Value) -> Result<String, Failure> {
    #[derive(Deserialize)]
    struct Posted {
        ts: String,
    }
    message["unfurl_links"] = json!(false);
    message["unfurl_media"] = json!(false);
    let request = request("chat.postMessage", &addressed(conversation, message))?;
    // About one a second in each channel, unlike the other methods.
    let posted: Posted = send(request.rate_key(format!("chat.postMessage:{}", conversation.room)))?;
    Ok(posted.ts)
}

/// A message that only one person sees.
pub(crate) fn post_ephemeral(
    conversation: &Conversation,
    user: &str,
    text: &str,
) -> Result<Request, Failure> {
    let message = addressed(conversation, json!({ "user": user, "text": text }));
    Ok(request("chat.postEphemeral", &message)?.priority(Priority::Notice))
}

/// A new text and new blocks for a message.
pub(crate) fn update(conversation: &Conversation, ts: &str, mut card: Value) -> Result<Request, Failure> {
    card["channel"] = json!(conversation.room);
    card["ts"] = json!(ts);
    request("chat.update", &card)
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

/// Sends a call and reads its result.
pub(crate) fn send<T: DeserializeOwned>(request: Request) -> Result<T, Failure> {
    let reply = accepted(request.send()?)?;
    serde_json::from_value(reply)
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

/// What an error code means for the host. Codes are Slack's, of the methods this piece calls.
fn failure(code: &str, wait_ms: Option<u32>) -> Failure {
    // A code is a name; what does not look like one is none of the operator's business.
    let is_name = code.len() <= 64 && code.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_');
    let reason = format!(
        "Slack says {}",
        if is_name { code } else { "something unreadable" }
    );
    match code {
        "ratelimited"
        | "rate_limited"
        | "internal_error"
        | "fatal_error"
        | "service_unavailable"
        | "request_timeout" => wait_ms.map_or_else(
            || Failure::retry(&reason),
            |wait_ms| Failure::retry_after(wait_ms, &reason),
        ),
        "message_not_found" | "thread_not_found" | "channel_not_found" | "is_archived" | "not_in_channel"
        | "account_inactive" | "token_revoked" => Failure::gone(reason),
        _ => Failure::refused(reason),
    }
}
