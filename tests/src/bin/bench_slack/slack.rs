//! The workspace as the systems see it: a Web API that accepts everything and remembers what became of each thread.
//!
//! The stand-in of the tests is strict and slow; this one takes as little of the processor as it can, because it shares the
//! machine with what is measured.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::convert::Infallible;
use std::net::SocketAddr;
use std::rc::Rc;

use http_body_util::{BodyExt, Full};
use hyper::body::{Bytes, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response, header};
use hyper_util::rt::TokioIo;
use serde::Deserialize;
use serde_json::{Value, json};
use tests::slack_stand_in::Message;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;
use tokio::task::{JoinHandle, spawn_local};

use crate::systems::TEAM;

/// Where the clock of a workspace begins, in microseconds since 1970. Timestamps are only compared with each other.
const FIRST_TS_US: u64 = 1_800_000_000_000_000;

/// One workspace, for one system.
pub(crate) struct Slack {
    shared: Rc<Shared>,
    address: SocketAddr,
    server: JoinHandle<()>,
}

struct Shared {
    talks: RefCell<HashMap<String, Talk>>,
    /// The thread of each card.
    cards: RefCell<HashMap<String, String>>,
    clock_us: Cell<u64>,
    changed: Notify,
}

/// What became of a thread.
#[derive(Clone, Default)]
pub(crate) struct Talk {
    /// The message with controls, as posted first.
    pub(crate) card: Option<Message>,
    /// How many cards were posted.
    cards: u32,
    /// How often the card was drawn without controls.
    pub(crate) closed: u32,
    /// How many messages without controls were posted.
    pub(crate) said: u32,
}

/// The arguments of a method that count here.
#[derive(Default, Deserialize)]
struct Arguments {
    #[serde(default)]
    channel: String,
    #[serde(default)]
    user: String,
    thread_ts: Option<String>,
    #[serde(default)]
    ts: String,
    #[serde(default)]
    blocks: Value,
}

impl Slack {
    /// Starts on a free port of this machine.
    pub(crate) async fn start() -> Result<Self, String> {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await;
        let listener = listener.map_err(|error| format!("no port for the workspace: {error}"))?;
        let address = listener.local_addr().map_err(|error| error.to_string())?;
        let shared = Rc::new(Shared {
            talks: RefCell::default(),
            cards: RefCell::default(),
            clock_us: Cell::new(FIRST_TS_US),
            changed: Notify::new(),
        });
        let server = spawn_local(serve(listener, Rc::clone(&shared)));
        Ok(Self {
            shared,
            address,
            server,
        })
    }

    /// Where its Web API is, without a slash at the end.
    pub(crate) fn api_url(&self) -> String {
        format!("http://{}/api", self.address)
    }

    /// New threads, by the timestamps of their first messages.
    pub(crate) fn threads(&self, count: usize) -> Vec<String> {
        (0..count).map(|_| self.next_ts()).collect()
    }

    /// A timestamp that nothing has.
    pub(crate) fn next_ts(&self) -> String {
        self.shared.next_ts()
    }

    /// The card of a thread.
    pub(crate) fn card(&self, thread: &str) -> Option<Message> {
        self.shared.talks.borrow().get(thread)?.card.clone()
    }

    /// Waits until all these threads have it.
    pub(crate) async fn all(&self, threads: &[String], has: impl Fn(&Talk) -> bool) {
        let mut left: Vec<&String> = threads.iter().collect();
        loop {
            let changed = self.shared.changed.notified();
            {
                let talks = self.shared.talks.borrow();
                // The last is looked at first: nearly always one look is enough.
                while left
                    .last()
                    .is_some_and(|thread| talks.get(*thread).is_some_and(&has))
                {
                    left.pop();
                }
            }
            if left.is_empty() {
                return;
            }
            changed.await;
        }
    }

    /// What a timeout is explained with.
    pub(crate) fn missing(&self, threads: &[String]) -> String {
        let talks = self.shared.talks.borrow();
        let count = |has: fn(&Talk) -> bool| {
            let have = threads
                .iter()
                .filter(|thread| talks.get(*thread).is_some_and(has));
            have.count()
        };
        format!(
            "of {} threads {} have a card, {} a closed one, {} a continuation",
            threads.len(),
            count(|talk| talk.card.is_some()),
            count(|talk| talk.closed > 0),
            count(|talk| talk.said > 0),
        )
    }

    /// Every thread has one card, which was closed, and the agent went on once.
    pub(crate) fn check(&self, threads: &[String]) -> Result<(), String> {
        let talks = self.shared.talks.borrow();
        for thread in threads {
            let talk = talks.get(thread).cloned().unwrap_or_default();
            if talk.cards != 1 || talk.closed == 0 || talk.said != 1 {
                return Err(format!(
                    "unequal work in thread {thread}: {} cards, closed {} times, {} messages behind it",
                    talk.cards, talk.closed, talk.said
                ));
            }
        }
        Ok(())
    }
}

impl Drop for Slack {
    fn drop(&mut self) {
        self.server.abort();
    }
}

impl Shared {
    fn next_ts(&self) -> String {
        let clock_us = self.clock_us.get() + 1_000;
        self.clock_us.set(clock_us);
        format!("{}.{:06}", clock_us / 1_000_000, clock_us % 1_000_000)
    }

    fn call(&self, method: &str, arguments: Arguments) -> Value {
        match method {
            "auth.test" => json!({
                "ok": true, "user_id": "U0BOT", "bot_id": "B0BOT", "user": "frogbot", "team_id": TEAM, "team": "bench",
                "url": "https://bench.invalid/",
            }),
            "users.info" => {
                let id = arguments.user;
                let profile = json!({ "email": "ann@example.com", "display_name": id, "real_name": id });
                json!({ "ok": true, "user": { "id": id, "name": id, "real_name": id, "profile": profile } })
            }
            "chat.postMessage" => self.posted(arguments),
            "chat.update" => self.updated(arguments),
            _ => json!({ "ok": true, "message_ts": self.next_ts() }),
        }
    }

    fn posted(&self, arguments: Arguments) -> Value {
        let ts = self.next_ts();
        let answer = json!({ "ok": true, "channel": arguments.channel, "ts": ts, "message": { "ts": ts } });
        let message = message(arguments, ts);
        let thread = message.thread_ts.clone().unwrap_or_default();
        let mut talks = self.talks.borrow_mut();
        let talk = talks.entry(thread.clone()).or_default();
        if message.controls().is_empty() {
            talk.said += 1;
        } else {
            talk.cards += 1;
            self.cards.borrow_mut().insert(message.ts.clone(), thread);
            talk.card.get_or_insert(message);
        }
        self.changed.notify_waiters();
        answer
    }

    fn updated(&self, arguments: Arguments) -> Value {
        let ts = arguments.ts.clone();
        let answer = json!({ "ok": true, "channel": arguments.channel, "ts": ts });
        let has_controls = !message(arguments, ts.clone()).controls().is_empty();
        let cards = self.cards.borrow();
        let mut talks = self.talks.borrow_mut();
        let talk = cards.get(&ts).and_then(|thread| talks.get_mut(thread));
        if let (Some(talk), false) = (talk, has_controls) {
            talk.closed += 1;
            self.changed.notify_waiters();
        }
        answer
    }
}

fn message(arguments: Arguments, ts: String) -> Message {
    let blocks = arguments.blocks.as_array().cloned();
    let mut blocks = blocks.unwrap_or_default();
    // Slack names what has no name; an interaction reports it.
    for (index, block) in blocks.iter_mut().enumerate() {
        if let Value::Object(entries) = block {
            entries
                .entry("block_id")
                .or_insert_with(|| json!(format!("b{index}")));
        }
    }
    Message {
        channel: arguments.channel,
        thread_ts: arguments.thread_ts,
        ts,
        text: String::new(),
        blocks,
        updates: 0,
    }
}

async fn serve(listener: TcpListener, shared: Rc<Shared>) {
    while let Ok((stream, _)) = listener.accept().await {
        spawn_local(connection(stream, Rc::clone(&shared)));
    }
}

async fn connection(stream: TcpStream, shared: Rc<Shared>) {
    stream.set_nodelay(true).ok();
    let service = service_fn(|request| answer(request, Rc::clone(&shared)));
    // A connection that breaks is its client's affair.
    http1::Builder::new()
        .serve_connection(TokioIo::new(stream), service)
        .await
        .ok();
}

async fn answer(request: Request<Incoming>, shared: Rc<Shared>) -> Result<Response<Full<Bytes>>, Infallible> {
    let method = request
        .uri()
        .path()
        .rsplit('/')
        .next()
        .unwrap_or_default()
        .to_owned();
    let kind = request.headers().get(header::CONTENT_TYPE);
    let is_json = kind.is_some_and(|kind| kind.as_bytes().starts_with(b"application/json"));
    let query = request.uri().query().unwrap_or_default().to_owned();
    let body = request.into_body().collect().await;
    let body = body.map(|body| body.to_bytes()).unwrap_or_default();
    let arguments = if is_json {
        serde_json::from_slice(&body).unwrap_or_default()
    } else {
        form(query.as_bytes(), &body)
    };
    let text = shared.call(&method, arguments).to_string();
    let mut response = Response::new(Full::new(Bytes::from(text)));
    let json = header::HeaderValue::from_static("application/json; charset=utf-8");
    response.headers_mut().insert(header::CONTENT_TYPE, json);
    Ok(response)
}

fn form(query: &[u8], body: &[u8]) -> Arguments {
    let mut arguments = Arguments::default();
    let fields = url::form_urlencoded::parse(query).chain(url::form_urlencoded::parse(body));
    for (key, value) in fields {
        match &*key {
            "channel" => arguments.channel = value.into_owned(),
            "user" => arguments.user = value.into_owned(),
            "thread_ts" => arguments.thread_ts = Some(value.into_owned()),
            "ts" => arguments.ts = value.into_owned(),
            "blocks" => arguments.blocks = serde_json::from_str(&value).unwrap_or_default(),
            _ => {}
        }
    }
    arguments
}
