//! The Chat SDK with its Slack adapter, npm `chat`: what it makes of the requests of Slack that our piece gets.

use serde::Deserialize;
use serde_json::{Value, json};

use crate::line_program::LineProgram;
use crate::peers::Peers;

/// A running bot, which forgets each request before the next.
#[derive(Debug)]
pub struct ChatSdk(LineProgram);

/// What it made of a request.
#[derive(Clone, Debug, Deserialize)]
pub struct Understood {
    /// The status of its response.
    pub status: u16,
    /// The body of its response.
    pub body: String,
    /// What its handlers were given.
    pub events: Vec<Value>,
}

impl ChatSdk {
    /// With this signing secret, as this bot.
    ///
    /// # Errors
    /// It is not installed, or does not start.
    pub fn start(signing_secret: &str, bot_user_id: &str) -> Result<Self, String> {
        let mut node = Peers::find()?.node("chat_adapter.mjs")?;
        node.env("SIGNING_SECRET", signing_secret)
            .env("BOT_USER_ID", bot_user_id);
        LineProgram::start("the Chat SDK", node).map(Self)
    }

    /// A request, with its headers.
    ///
    /// # Errors
    /// It has ended, or answers what nobody understands.
    pub fn receive(&mut self, headers: &[(&str, &str)], body: &str) -> Result<Understood, String> {
        let headers: serde_json::Map<String, Value> = headers
            .iter()
            .map(|(name, value)| ((*name).to_owned(), json!(value)))
            .collect();
        let answer = self.0.ask(&json!({ "headers": headers, "body": body }))?;
        serde_json::from_str(&answer).map_err(|error| format!("{answer}: {error}"))
    }
}
