//! What the forum tells the bot: signed webhooks, one per post or press of a person.

use std::sync::{Mutex, PoisonError, Weak};
use std::time::Duration;

use hmac::{Hmac, KeyInit, Mac};
use http_body_util::{BodyExt, Full, Limited};
use hyper::body::Bytes;
use hyper::{Request, Uri, header};
use hyper_util::rt::TokioIo;
use serde::Serialize;
use sha2::Sha256;
use tokio::net::TcpStream;

use super::Forum;
use super::board::{Post, User, now_ms};

/// The largest response that is read, in bytes; what the host sends for a piece is at most as large.
const RESPONSE_BYTES_MAX: usize = 256 * 1024;
/// How long the bot may take to answer.
const ANSWER_WITHIN: Duration = Duration::from_secs(10);

/// What a person did.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub(super) enum Happened {
    Post { post: Post },
    Press { post_id: String, button: String },
}

#[derive(Serialize)]
struct Payload<'a> {
    delivery: &'a str,
    /// Whom it is for.
    bot: &'a User,
    thread: &'a str,
    user: &'a User,
    #[serde(flatten)]
    happened: &'a Happened,
}

/// How an attempt went.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Delivered {
    /// The delivery's id, the same for every attempt.
    pub delivery_id: String,
    /// The response's status; none when there was no response.
    pub status: Option<u16>,
    /// The response's body: what a person who pressed is shown.
    pub body: String,
}

impl Delivered {
    /// Whether the bot took it.
    pub fn is_success(&self) -> bool {
        self.status.is_some_and(|status| (200..300).contains(&status))
    }
}

/// An attempt of a delivery.
pub type Attempt = Delivered;

struct Delivery {
    id: String,
    body: Bytes,
    attempts: Vec<Attempt>,
}

/// Every delivery so far, and how to make one.
pub(super) struct Deliveries {
    secret: String,
    url: Mutex<Option<String>>,
    delays: Vec<Duration>,
    made: Mutex<Vec<Delivery>>,
}

impl Deliveries {
    pub(super) fn new(secret: String, url: Option<String>, delays: Vec<Duration>) -> Self {
        Self {
            secret,
            url: Mutex::new(url),
            delays,
            made: Mutex::new(Vec::new()),
        }
    }

    pub(super) fn set_url(&self, url: Option<&str>) {
        *self.url.lock().unwrap_or_else(PoisonError::into_inner) = url.map(str::to_owned);
    }

    fn url(&self) -> Option<String> {
        self.url.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(super) fn has_url(&self) -> bool {
        self.url().is_some()
    }

    fn made<T>(&self, action: impl FnOnce(&mut Vec<Delivery>) -> T) -> T {
        action(&mut self.made.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Notes what has to be delivered and returns its id.
    pub(super) fn add(&self, bot: &User, thread: &str, user: User, happened: Happened) -> String {
        self.made(|made| {
            let id = format!("d{}", made.len() + 1);
            // The e-mail address is for those who ask for it with the token.
            let user = User { email: None, ..user };
            let payload = Payload {
                delivery: &id,
                bot,
                thread,
                user: &user,
                happened: &happened,
            };
            let body = serde_json::to_vec(&payload).unwrap_or_default().into();
            made.push(Delivery {
                id: id.clone(),
                body,
                attempts: Vec::new(),
            });
            id
        })
    }

    pub(super) fn attempts(&self, id: &str) -> Vec<Attempt> {
        let find =
            |made: &mut Vec<Delivery>| Some(made.iter().find(|delivery| delivery.id == id)?.attempts.clone());
        self.made(find).unwrap_or_default()
    }

    /// Makes one attempt; none when there is no such delivery.
    pub(super) async fn attempt(&self, id: &str) -> Option<Delivered> {
        let body = self.made(|made| Some(made.iter().find(|delivery| delivery.id == id)?.body.clone()))?;
        let mut delivered = Delivered {
            delivery_id: id.to_owned(),
            ..Delivered::default()
        };
        let Some(url) = self.url() else {
            return Some(delivered);
        };
        let sent = tokio::time::timeout(ANSWER_WITHIN, send(&url, &self.secret, body));
        if let Ok(Ok((status, body))) = sent.await {
            delivered.status = Some(status);
            delivered.body = body;
        }
        self.made(|made| {
            if let Some(delivery) = made.iter_mut().find(|delivery| delivery.id == id) {
                delivery.attempts.push(delivered.clone());
            }
        });
        Some(delivered)
    }
}

/// Further attempts of a delivery, until one succeeds, none is left, or the forum is gone.
pub(super) async fn attempt_again(forum: Weak<Forum>, delivery_id: String) {
    let delays = forum
        .upgrade()
        .map(|forum| forum.deliveries.delays.clone())
        .unwrap_or_default();
    for delay in delays {
        wait(delay).await;
        let Some(forum) = forum.upgrade() else { return };
        if forum
            .deliveries
            .attempt(&delivery_id)
            .await
            .is_none_or(|delivered| delivered.is_success())
        {
            return;
        }
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "a platform waits in its own time before it delivers again"
)]
async fn wait(delay: Duration) {
    tokio::time::sleep(delay).await;
}

/// `sha256=` and the HMAC of `timestamp.body` in hexadecimal.
pub(super) fn signature(secret: &str, timestamp: &str, body: &[u8]) -> Result<String, Problem> {
    let mut mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes())?;
    mac.update(timestamp.as_bytes());
    mac.update(b".");
    mac.update(body);
    Ok(format!("sha256={}", hex::encode(mac.finalize().into_bytes())))
}

type Problem = Box<dyn std::error::Error + Send + Sync>;

/// Posts a webhook over plain HTTP and returns status and body of the response.
async fn send(url: &str, secret: &str, body: Bytes) -> Result<(u16, String), Problem> {
    let uri: Uri = url.parse()?;
    let authority = uri.authority().ok_or("a webhook URL needs a host")?.clone();
    let timestamp = (now_ms() / 1_000).to_string();
    let path = uri.path_and_query().map_or("/", |path| path.as_str());
    let request = Request::post(path)
        .header(header::HOST, authority.as_str())
        .header(header::CONTENT_TYPE, "application/json")
        .header("x-forum-signature", signature(secret, &timestamp, &body)?)
        .header("x-forum-timestamp", timestamp)
        .body(Full::new(body))?;
    let stream = TcpStream::connect((authority.host(), authority.port_u16().unwrap_or(80))).await?;
    let (mut sender, connection) = hyper::client::conn::http1::handshake(TokioIo::new(stream)).await?;
    let exchange = async move {
        let response = sender.send_request(request).await?;
        let status = response.status().as_u16();
        let body = Limited::new(response.into_body(), RESPONSE_BYTES_MAX)
            .collect()
            .await?
            .to_bytes();
        Ok::<_, Problem>((status, String::from_utf8_lossy(&body).into_owned()))
    };
    // The connection has to be driven beside the exchange; it ends when the exchange drops its sender.
    let (outcome, _) = tokio::join!(exchange, connection);
    outcome
}
