//! What the piece sent, as documents to judge.

use frogbot_piece::http::{self, Request, Response};
use frogbot_piece::testing::{self, response};
use frogbot_piece::{Context, Conversation};
use serde_json::{Value, json};

/// The message of every card.
pub(crate) const CARD: &str = "100.000001";

pub(crate) fn thread() -> Conversation {
    testing::conversation("T1", "C1", "1.5")
}

pub(crate) fn context() -> Context {
    testing::context(testing::settings(&json!({}), "T1", &Value::Null))
}

/// A Slack that takes everything.
#[expect(
    clippy::unnecessary_wraps,
    reason = "what a fake host answers may be a failure"
)]
pub(crate) fn ok(_: &Request) -> Result<Response, http::Error> {
    Ok(response(200, &json!({ "ok": true, "ts": CARD, "channel": "C1" })))
}

/// `{"message": …}` and `{"view": …}` of the requests that carry one.
pub(crate) fn sent(requests: &[Request]) -> Vec<Value> {
    let document = |request: &Request| {
        let body: Value = serde_json::from_slice(&request.body).unwrap();
        match request.path.as_str() {
            "/chat.postMessage" | "/chat.update" | "/chat.postEphemeral" => message(&body),
            "/views.open" => json!({ "view": body["view"] }),
            path => panic!("{path} is called, which nobody judges"),
        }
    };
    requests.iter().map(document).collect()
}

/// Without what says where it goes.
fn message(body: &Value) -> Value {
    let blocks = body.get("blocks").cloned().unwrap_or_else(|| json!([]));
    json!({ "message": { "channel": "C1", "text": body["text"], "blocks": blocks } })
}
