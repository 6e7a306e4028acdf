//! What Slack sends: signed requests with events and with what participants press.

use serde_json::{Value, json};

use super::workspace::{Control, Message, View};
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

    /// The same press by somebody who has picked these options, by their places, in the message's menus and boxes.
    pub fn press_with(mut press: Value, picked: &[(&Control, &[usize])]) -> Value {
        for (control, places) in picked {
            let options = options_of(&control.element);
            let mut chosen = places.iter().filter_map(|place| options.get(*place).cloned());
            let element = if is_for_several(&control.kind) {
                json!({ "type": control.kind, "selected_options": chosen.collect::<Vec<_>>() })
            } else {
                json!({ "type": control.kind, "selected_option": chosen.next() })
            };
            press["state"]["values"][&control.block_id][&control.action_id] = element;
        }
        press
    }

    /// The payload of a form sent off with this text in the field of that name. Slack says nothing of the message that it
    /// was opened from.
    pub fn submit(&self, user: &str, form: &View, field: &str, text: &str, trigger_id: &str) -> Value {
        let blocks = form.view.get("blocks").and_then(Value::as_array);
        let holds_it = |block: &&Value| {
            block
                .pointer("/element/action_id")
                .is_some_and(|name| name == field)
        };
        let block = blocks.and_then(|blocks| blocks.iter().find(holds_it));
        let block_id = block
            .and_then(|block| block.get("block_id"))
            .and_then(Value::as_str);
        let mut view = form.view.clone();
        view["id"] = json!(form.id);
        view["team_id"] = json!(self.team_id);
        view["state"] = json!({ "values": {
            block_id.unwrap_or("made-by-slack"): { field: { "type": "plain_text_input", "value": text } },
        } });
        json!({
            "type": "view_submission", "api_app_id": "A1", "token": "unused", "trigger_id": trigger_id,
            "team": { "id": self.team_id, "domain": "stand-in" },
            "user": { "id": user, "username": user, "name": user, "team_id": self.team_id },
            "view": view, "response_urls": [], "is_enterprise_install": false, "enterprise": null,
        })
    }
}

/// The options of a menu or of boxes, those of groups one after the other.
fn options_of(element: &Value) -> Vec<Value> {
    let groups = element.get("option_groups").and_then(Value::as_array);
    let of = |holder: &Value| {
        holder
            .get("options")
            .and_then(Value::as_array)
            .cloned()
            .unwrap_or_default()
    };
    match groups {
        Some(groups) => groups.iter().flat_map(of).collect(),
        None => of(element),
    }
}

fn is_for_several(kind: &str) -> bool {
    kind == "checkboxes" || kind.starts_with("multi_")
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
