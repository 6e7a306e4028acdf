//! The people of the workspace: signed requests on connections that are kept, as many at once as there are clients.

use std::cell::Cell;
use std::time::Duration;

use futures_util::future::{Either, select, try_join_all};
use http_body_util::{BodyExt, Full};
use hyper::body::Bytes;
use hyper::client::conn::http1::SendRequest;
use hyper::{Request, header};
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use tests::host_process::unix_seconds;
use tests::slack_stand_in::{SlackSender, slack_signature};
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::cost::now;
use crate::systems::{SIGNING_SECRET, System, TEAM};

/// How many different people and rooms there are.
const USERS: usize = 50;
const ROOMS: usize = 20;
/// How long a phase may take, and one request.
const PHASE_MAX: Duration = Duration::from_secs(120);

/// What people do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    /// They name the bot, until every card is posted.
    Ask,
    /// They press the first button, until every card is closed and the agent has gone on.
    Answer,
    /// They press it again.
    Late,
}

/// How long each response took.
pub(crate) struct Played {
    pub(crate) acknowledged: Vec<Duration>,
}

/// People who use the threads of one system.
pub(crate) struct People<'a> {
    pub(crate) system: &'a System,
    pub(crate) threads: &'a [String],
    pub(crate) clients: usize,
}

/// The type and the body of a request.
type Content = (&'static str, String);

impl People<'_> {
    /// Plays a phase to its end.
    pub(crate) async fn play(&self, phase: Phase) -> Result<Played, String> {
        let played = timeout(PHASE_MAX, async {
            let next = Cell::new(0);
            let clients = (0..self.clients).map(|_| self.client(phase, &next));
            let acknowledged = try_join_all(clients).await?.concat();
            let slack = &self.system.slack;
            match phase {
                Phase::Ask => slack.all(self.threads, |talk| talk.card.is_some()).await,
                Phase::Answer => {
                    slack
                        .all(self.threads, |talk| talk.closed > 0 && talk.said > 0)
                        .await
                }
                Phase::Late => {}
            }
            Ok(Played { acknowledged })
        });
        match played.await {
            Ok(played) => played,
            Err(_) => Err(format!(
                "not done within {PHASE_MAX:?}: {}",
                self.system.slack.missing(self.threads)
            )),
        }
    }

    /// Sends one request after the other, of those that are left.
    async fn client(&self, phase: Phase, next: &Cell<usize>) -> Result<Vec<Duration>, String> {
        let stream = TcpStream::connect(self.system.address)
            .await
            .map_err(|error| format!("{}: {error}", self.system.address))?;
        let (sender, connection) = hyper::client::conn::http1::handshake(TokioIo::new(stream))
            .await
            .map_err(|error| error.to_string())?;
        let sent = Box::pin(self.send_all(phase, next, sender));
        // The connection is driven beside the requests and ends when they drop its sender.
        match select(sent, connection).await {
            Either::Left((sent, _)) => sent,
            Either::Right((ended, sent)) => match sent.await {
                Ok(sent) => Ok(sent),
                Err(problem) => Err(format!("{problem} ({ended:?})")),
            },
        }
    }

    async fn send_all(
        &self,
        phase: Phase,
        next: &Cell<usize>,
        mut sender: SendRequest<Full<Bytes>>,
    ) -> Result<Vec<Duration>, String> {
        let mut acknowledged = Vec::new();
        loop {
            let number = next.get();
            next.set(number + 1);
            let Some(thread) = self.threads.get(number) else {
                return Ok(acknowledged);
            };
            let content = match phase {
                Phase::Ask => self.mention(thread, number),
                Phase::Answer | Phase::Late => self.press(thread, number)?,
            };
            let request = signed(self.system, content)?;
            let begun = now();
            let response = sender
                .send_request(request)
                .await
                .map_err(|error| error.to_string())?;
            let status = response.status().as_u16();
            let body = response
                .into_body()
                .collect()
                .await
                .map_err(|error| error.to_string())?;
            acknowledged.push(begun.elapsed());
            if status != 200 {
                return Err(format!("answered with {status}: {:?}", body.to_bytes()));
            }
        }
    }

    fn mention(&self, thread: &str, number: usize) -> Content {
        let event = json!({
            "type": "app_mention", "user": user(number), "text": "<@U0BOT> ask me", "ts": thread, "event_ts": thread,
            "channel": format!("C{}", number % ROOMS + 1), "channel_type": "channel", "team": TEAM,
        });
        let envelope = self.sender().envelope(&format!("Ev{thread}"), event);
        ("application/json", envelope.to_string())
    }

    fn press(&self, thread: &str, number: usize) -> Result<Content, String> {
        let card = self
            .system
            .slack
            .card(thread)
            .ok_or_else(|| format!("no card in {thread}"))?;
        let controls = card.controls();
        let button = controls.first().ok_or_else(|| format!("no button in {thread}"))?;
        let at = self.system.slack.next_ts();
        let payload: Value = self
            .sender()
            .press(&user(number), &card, button, &format!("trigger.{at}"), &at);
        let encoded: String = url::form_urlencoded::byte_serialize(payload.to_string().as_bytes()).collect();
        Ok(("application/x-www-form-urlencoded", format!("payload={encoded}")))
    }

    fn sender(&self) -> SlackSender {
        SlackSender {
            url: String::new(),
            signing_secret: SIGNING_SECRET.to_owned(),
            team_id: TEAM.to_owned(),
        }
    }
}

fn user(number: usize) -> String {
    format!("U{}", number % USERS + 1)
}

fn signed(system: &System, (kind, body): Content) -> Result<Request<Full<Bytes>>, String> {
    let timestamp = unix_seconds().to_string();
    let signature = slack_signature(SIGNING_SECRET, &timestamp, body.as_bytes());
    Request::post(&system.path)
        .header(header::HOST, system.address.to_string())
        .header(header::CONTENT_TYPE, kind)
        .header("x-slack-request-timestamp", timestamp)
        .header("x-slack-signature", signature)
        .body(Full::new(Bytes::from(body)))
        .map_err(|error| error.to_string())
}
