//! What Slack sends: signed requests with events and with what participants press.

use serde_json::{Value, json};

use super::workspace::{Control, Message};
use crate::host_process::{Answered, hmac_sha256_hex, post, unix_seconds};

/// How a request was answered.
pub type Response = Answered;

/// `X-Slack-Signature` for a body sent at `timestamp`.
pub fn slack_signature(secret: &str, timestamp: &str, body: &[u8]) -> String {
    let hex = hmac_sha256_hex(secret, &[b"v0:", timestamp.as_bytes(), b":", body]);
    format!("v0={hex}")
}

/// Sends to one channel of a host.
#[derive(Clone, Debug)]
pub struct SlackSender {
    /// The channel's webhook.
    pub url: String,
    /// Under which requests are signed.
    pub signing_secret: String,
    /// The workspace's id.
    pub team_id: String,
}

impl SlackSender {
    /// An event or a handshake: JSON, signed now.
    ///
    /// # Errors
    /// Nobody answers.
    pub async fn event(&self, body: &Value) -> Result<Response, String> {
        self.signed("application/json", body.to_string()).await
    }

    /// An interaction: a form with one field, signed now.
    ///
    /// # Errors
    /// Nobody answers.
    pub async fn interaction(&self, payload: &Value) -> Result<Response, String> {
        let encoded: String = url::form_urlencoded::byte_serialize(payload.to_string().as_bytes()).collect();
        self.signed("application/x-www-form-urlencoded", format!("payload={encoded}"))
            .await
    }

    async fn signed(&self, content_type: &str, body: String) -> Result<Response, String> {
        let timestamp = unix_seconds().to_string();
        let signature = slack_signature(&self.signing_secret, &timestamp, body.as_bytes());
        let headers = [
            ("content-type", content_type),
            ("x-slack-request-timestamp", timestamp.as_str()),
            ("x-slack-signature", signature.as_str()),
        ];
        post(&self.url, &headers, body).await
    }

    /// The envelope of an event, with the fields that Slack gives it.
    pub fn envelope(&self, event_id: &str, event: Value) -> Value {
        json!({
            "type": "event_callback", "token": "unused", "team_id": self.team_id, "api_app_id": "A1",
            "event_id": event_id, "event_time": unix_seconds(), "is_ext_shared_channel": false,
            "authorizations": [{ "team_id": self.team_id, "is_bot": true }], "event": event,
        })
    }

    /// The payload of a press on a control of a message that was really posted.
    pub fn press(
        &self,
        user: &str,
        message: &Message,
        control: &Control,
        trigger_id: &str,
        action_ts: &str,
    ) -> Value {
        let mut action = json!({
            "type": control.kind, "action_id": control.action_id, "block_id": control.block_id, "action_ts": action_ts,
        });
        for key in ["value", "text"] {
            if let Some(value) = control.element.get(key) {
                action[key] = value.clone();
            }
        }
        json!({
            "type": "block_actions", "api_app_id": "A1", "token": "unused", "trigger_id": trigger_id,
            "team": { "id": self.team_id, "domain": "stand-in" },
            "user": { "id": user, "username": user, "name": user, "team_id": self.team_id },
            "container": {
                "type": "message", "message_ts": message.ts, "channel_id": message.channel,
                "thread_ts": message.thread_ts, "is_ephemeral": false,
            },
            "channel": { "id": message.channel, "name": "general" },
            "message": {
                "type": "message", "user": "U0BOT", "bot_id": "B0BOT", "ts": message.ts,
                "thread_ts": message.thread_ts, "text": message.text, "blocks": message.blocks,
            },
            "response_url": format!("https://hooks.slack.com/actions/{}/1/x", self.team_id),
            "actions": [action],
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Signed with `printf 'v0:1531420618:token=x' | openssl dgst -sha256 -hmac secret`.
    #[test]
    fn the_signature_is_what_others_compute() {
        let signature = slack_signature("secret", "1531420618", b"token=x");
        assert_eq!(signature, EXPECTED);
    }

    const EXPECTED: &str = "v0=633ec74f3ea2689a9cfc1fa49494a96b74ad596089378b53ceb9a899f9c799b9";
}
