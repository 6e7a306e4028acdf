//! A Slack that others wrote: npm `emulate`, as `tests/peers/emulate_slack.mjs` starts it. It keeps messages, threads and forms,
//! knows who is in which room, and lets a trigger id expire; it checks no blocks and plays no people.

use std::collections::BTreeMap;
use std::process::Stdio;
use std::time::Duration;

use serde::Deserialize;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};
use tokio::time::{sleep, timeout};

use crate::host_process::{LIMIT, get, post};
use crate::peers::Peers;
use crate::slack_stand_in::{Message, View};

/// How often it is looked at while a test waits: it tells nobody of its changes.
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// The running emulator. Killed, by its own process id, when it is dropped.
#[derive(Debug)]
pub struct EmulatedSlack {
    who: Who,
    process: Child,
}

/// Who and what is in it.
#[derive(Clone, Debug, Deserialize)]
pub struct Who {
    url: String,
    /// The bot, as mentions name it.
    pub bot_user_id: String,
    /// The workspace.
    pub team_id: String,
    /// The room of the tests.
    pub channel_id: String,
    people: BTreeMap<String, String>,
}

/// Everything that was posted.
#[derive(Clone, Debug, Default)]
pub struct Posted {
    /// Messages, edited ones as they are now.
    pub messages: Vec<Message>,
    /// Private notices: for whom, and their text.
    pub notices: Vec<(String, String)>,
    /// Forms.
    pub forms: Vec<View>,
}

impl EmulatedSlack {
    /// Starts it; `bot_token` is the bot's, and events are signed with `signing_secret`.
    ///
    /// # Errors
    /// It is not installed, or does not start.
    pub async fn start(bot_token: &str, signing_secret: &str) -> Result<Self, String> {
        let mut command = Command::from(Peers::find()?.node("emulate_slack.mjs")?);
        command
            .env("BOT_TOKEN", bot_token)
            .env("SIGNING_SECRET", signing_secret)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .kill_on_drop(true);
        let mut process = command.spawn().map_err(|error| {
            let words = command.as_std();
            format!(
                "{words:?} does not start: {error}; `cargo xtask peers` installs Node where it is missing"
            )
        })?;
        let output = process.stdout.take().ok_or("the emulator has no output")?;
        let mut lines = BufReader::new(output).lines();
        let first = timeout(LIMIT, lines.next_line()).await;
        let first = first.map_err(|_| format!("the emulator says nothing for {LIMIT:?}"))?;
        let first = first
            .map_err(|error| error.to_string())?
            .ok_or("the emulator ended")?;
        let who = serde_json::from_str(&first).map_err(|error| format!("{first}: {error}"))?;
        Ok(Self { who, process })
    }

    /// Who is who.
    pub fn who(&self) -> &Who {
        &self.who
    }

    /// The id of somebody by name: ann, ben or cleo.
    ///
    /// # Errors
    /// There is nobody of this name.
    pub fn person(&self, name: &str) -> Result<&str, String> {
        let id = self.who.people.get(name);
        id.map(String::as_str)
            .ok_or_else(|| format!("nobody is called {name}"))
    }

    /// Where its Web API is, without a slash at the end.
    pub fn api_url(&self) -> String {
        format!("{}/api", self.who.url)
    }

    /// From now on, events go to this address.
    ///
    /// # Errors
    /// It is gone.
    pub async fn deliver_to(&self, url: &str) -> Result<(), String> {
        let address = format!("{}/peer/deliver-to", self.who.url);
        post(&address, &[], url.to_owned()).await.map(drop)
    }

    /// Somebody writes to a room; returns the timestamp.
    ///
    /// # Errors
    /// The Web API's.
    pub async fn say(
        &self,
        name: &str,
        channel: &str,
        text: &str,
        thread_ts: Option<&str>,
    ) -> Result<String, String> {
        let message = json!({ "channel": channel, "text": text, "thread_ts": thread_ts });
        let said = self.call(name, "chat.postMessage", &message).await?;
        Ok(text_of(&said, "ts"))
    }

    /// Somebody opens a conversation with the bot alone; returns its id.
    ///
    /// # Errors
    /// The Web API's.
    pub async fn whisper_to_bot(&self, name: &str) -> Result<String, String> {
        let users = json!({ "users": self.who.bot_user_id });
        let opened = self.call(name, "conversations.open", &users).await?;
        let id = opened.pointer("/channel/id").and_then(Value::as_str);
        id.map(str::to_owned)
            .ok_or_else(|| format!("no channel in {opened}"))
    }

    /// What a click of somebody carries, for opening a form with it: three seconds, once.
    ///
    /// # Errors
    /// The Web API's.
    pub async fn trigger(&self, name: &str) -> Result<String, String> {
        let trigger = self.call(name, "views.generateTriggerId", &json!({})).await?;
        Ok(text_of(&trigger, "trigger_id"))
    }

    /// As if three seconds had gone by.
    ///
    /// # Errors
    /// It is gone.
    pub async fn expire_triggers(&self) -> Result<(), String> {
        let address = format!("{}/peer/expire-triggers", self.who.url);
        post(&address, &[], "").await.map(drop)
    }

    /// Lets go of its standard input, as a test that is killed does, and waits for its end.
    ///
    /// # Errors
    /// It goes on, or it failed.
    pub async fn ends_when_left_alone(mut self) -> Result<(), String> {
        drop(self.process.stdin.take());
        let ended = timeout(LIMIT, self.process.wait()).await;
        let ended = ended.map_err(|_| format!("the emulator goes on for {LIMIT:?}"))?;
        let status = ended.map_err(|error| error.to_string())?;
        if status.success() {
            Ok(())
        } else {
            Err(format!("the emulator ended with {status}"))
        }
    }

    /// Everything that was posted so far.
    ///
    /// # Errors
    /// It is gone, or says what nobody understands.
    pub async fn posted(&self) -> Result<Posted, String> {
        let answered = get(&format!("{}/peer/state", self.who.url)).await?;
        let state: Value = serde_json::from_str(&answered.body).map_err(|error| error.to_string())?;
        let all = |kind: &str| {
            state
                .get(kind)
                .and_then(Value::as_array)
                .cloned()
                .unwrap_or_default()
        };
        let notice = |notice: &Value| (text_of(notice, "target_user"), text_of(notice, "text"));
        Ok(Posted {
            messages: all("messages").iter().map(message).collect(),
            notices: all("ephemerals").iter().map(notice).collect(),
            forms: all("views").iter().map(form).collect(),
        })
    }

    /// Waits until `look` finds what it looks for.
    ///
    /// # Errors
    /// It did not in time: everything that was posted.
    #[expect(
        clippy::disallowed_methods,
        reason = "a process of its own, in the time of this machine"
    )]
    pub async fn wait_for<T>(&self, what: &str, look: impl Fn(&Posted) -> Option<T>) -> Result<T, String> {
        let looking = async {
            loop {
                let posted = self.posted().await?;
                if let Some(found) = look(&posted) {
                    return Ok(found);
                }
                sleep(LOOK_EVERY).await;
            }
        };
        match timeout(LIMIT, looking).await {
            Ok(found) => found,
            Err(_) => Err(format!(
                "waited {LIMIT:?} for {what}: {:#?}",
                self.posted().await?
            )),
        }
    }

    async fn call(&self, name: &str, method: &str, arguments: &Value) -> Result<Value, String> {
        let bearer = format!("Bearer xoxp-{name}");
        let headers = [
            ("authorization", bearer.as_str()),
            ("content-type", "application/json"),
        ];
        let url = format!("{}/{method}", self.api_url());
        let answered = post(&url, &headers, arguments.to_string()).await?;
        let body: Value = serde_json::from_str(&answered.body).map_err(|error| error.to_string())?;
        let is_ok = body.get("ok") == Some(&Value::Bool(true));
        if is_ok {
            Ok(body)
        } else {
            Err(format!("{method}: {body}"))
        }
    }
}

fn message(stored: &Value) -> Message {
    let blocks = stored.get("blocks").and_then(Value::as_array);
    Message {
        channel: text_of(stored, "channel_id"),
        thread_ts: stored.get("thread_ts").and_then(Value::as_str).map(str::to_owned),
        ts: text_of(stored, "ts"),
        text: text_of(stored, "text"),
        blocks: blocks.cloned().unwrap_or_default(),
        updates: u32::from(stored.get("edited").is_some_and(Value::is_object)),
    }
}

fn form(stored: &Value) -> View {
    View {
        id: text_of(stored, "view_id"),
        trigger_id: String::new(),
        view: stored.clone(),
    }
}

fn text_of(value: &Value, key: &str) -> String {
    let text = value.get(key).and_then(Value::as_str);
    text.unwrap_or_default().to_owned()
}
