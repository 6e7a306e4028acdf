//! The engine on SQLite with a piece and a model that answer at once, and counters around both.

use std::collections::{BTreeMap, HashSet};
use std::future::Future;
use std::path::Path;
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use engine::access::Access;
use engine::config::{Agent, Channel, Config, Times};
use engine::{Address, Engine, Parts, World};
use lifecycle::question::Parsed;
use lifecycle::tool::{Answer, Output};
use lifecycle::{MessageId, Millis, Policy};
use ports::documents::{
    Batch, CommitFault, Committed, Documents, Due, Partition, ReadFault, Select, Snapshot,
};
use ports::models::{ChatMessage, ModelCall, ModelFault, ModelReply, Models, Part, StepRequest};
use ports::pieces::{
    Acted, Action, Addressing, Author, AuthorKind, Call, ChannelInfo, Connected, Context, Conversation,
    Ending, Event, HookFault, HttpReply, InboundRequest, Interaction, Locator, Message, OptionalHooks,
    ParseResult, Pieces, Place, PostedMessage, Profile, QuestionChange, Received, Record, RenderedEntry,
    Shared,
};
use ports::tools::{ToolCall, ToolFault, ToolSpec, Tools};
use ports::{Clock, Entropy, Ingress, Tasks};
use serde_json::{Value, json};
use storage::{SqliteDocuments, WallClock};
use tokio::runtime::Runtime;
use tokio::sync::Notify;

/// What the platform was told.
#[derive(Default)]
struct Told {
    /// Partitions whose question has a record.
    carded: Mutex<HashSet<String>>,
    /// Threads with a posted reply.
    replied: Mutex<HashSet<String>>,
}

/// Where a thread is.
pub(crate) fn address(thread: &str) -> Address {
    let (account, room, thread) = ("forum".to_owned(), "room".to_owned(), thread.to_owned());
    Address {
        channel: "forum".to_owned(),
        conversation: Conversation {
            account,
            room,
            thread,
        },
    }
}

/// What was counted.
#[derive(Clone, Copy)]
pub(crate) struct Counts {
    pub(crate) commits: u64,
    pub(crate) hooks: u64,
}

#[derive(Default)]
struct Counters {
    commits: AtomicU64,
    hooks: AtomicU64,
    told: Told,
    something: Notify,
}

/// The engine under measurement.
pub(crate) struct Bench {
    pub(crate) engine: Engine<AtOnce>,
    pub(crate) documents: Arc<Counted>,
    counters: Arc<Counters>,
}

/// The world of the benchmark.
pub(crate) struct AtOnce;

impl World for AtOnce {
    type Documents = Counted;
    type Pieces = Piece;
    type Models = Model;
    type Tools = NoTools;
    type Clock = TokioClock;
    type Tasks = TokioTasks;
    type Entropy = Random;
}

impl Bench {
    pub(crate) async fn start(store: &Path) -> Self {
        let counters = Arc::new(Counters::default());
        let sqlite = SqliteDocuments::open(store, WallClock::System).expect("a store");
        let documents = Arc::new(Counted {
            sqlite,
            counters: Arc::clone(&counters),
        });
        let parts = Parts {
            documents: Arc::clone(&documents),
            pieces: Arc::new(Piece(Arc::clone(&counters))),
            models: Arc::new(Model),
            tools: Arc::new(NoTools),
            clock: Arc::new(TokioClock(Instant::now())),
            tasks: Arc::new(TokioTasks),
            entropy: Arc::new(Random),
        };
        Self {
            engine: Engine::new(parts, config()),
            documents,
            counters,
        }
    }

    pub(crate) fn counts(&self) -> Counts {
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        Counts {
            commits: read(&self.counters.commits),
            hooks: read(&self.counters.hooks),
        }
    }

    /// A mention, up to the posted card.
    pub(crate) async fn ask(&self, thread: &str) {
        self.take_in(&format!("message {thread}")).await;
        let partition = address(thread).partition();
        self.until(|told| told.carded.lock().expect("a lock").contains(&partition.0))
            .await;
    }

    /// A click, up to its response.
    pub(crate) async fn click(&self, thread: &str) {
        self.take_in(&format!("click {thread}")).await;
    }

    /// Up to the posted continuation.
    pub(crate) async fn continued(&self, thread: &str) {
        self.until(|told| told.replied.lock().expect("a lock").contains(thread))
            .await;
    }

    pub(crate) fn counts_of_a_click(&self, runtime: &Runtime) -> Counts {
        runtime.block_on(self.ask("counted"));
        let before = self.counts();
        runtime.block_on(self.click("counted"));
        let after = self.counts();
        Counts {
            commits: after.commits - before.commits,
            hooks: after.hooks - before.hooks,
        }
    }

    async fn take_in(&self, body: &str) {
        let request = InboundRequest {
            method: "POST".to_owned(),
            path: String::new(),
            headers: Vec::new(),
            body: body.to_owned().into(),
        };
        self.engine.take_in("forum", request).await.expect("taken in");
    }

    async fn until(&self, holds: impl Fn(&Told) -> bool) {
        loop {
            let changed = self.counters.something.notified();
            if holds(&self.counters.told) {
                return;
            }
            changed.await;
        }
    }
}

fn config() -> Config {
    let agent = Agent {
        model: "at-once".to_owned(),
        instructions: String::new(),
        tools: Vec::new(),
        questions: true,
        access: Access::compile("true").expect("an expression"),
    };
    let channel = Channel {
        agent: "helper".to_owned(),
        accounts: Vec::new(),
        trust_email: false,
        trust_external_email: false,
    };
    Config {
        agents: BTreeMap::from([("helper".to_owned(), agent)]),
        channels: BTreeMap::from([("forum".to_owned(), channel)]),
        users: Vec::new(),
        policy: Policy::STANDARD,
        times: Times::STANDARD,
    }
}

/// SQLite, counting its commits.
pub(crate) struct Counted {
    pub(crate) sqlite: SqliteDocuments,
    counters: Arc<Counters>,
}

impl Documents for Counted {
    async fn read(&self, partition: &Partition, select: Vec<Select>) -> Result<Snapshot, ReadFault> {
        self.sqlite.read(partition, select).await
    }

    async fn commit(&self, partition: &Partition, batch: Batch) -> Result<Committed, CommitFault> {
        self.counters.commits.fetch_add(1, Ordering::Relaxed);
        let opens = batch.puts.iter().any(|put| put.key.0.starts_with("question/"));
        let committed = self.sqlite.commit(partition, batch).await;
        if opens && committed.is_ok() {
            self.counters
                .told
                .carded
                .lock()
                .expect("a lock")
                .insert(partition.0.clone());
            self.counters.something.notify_waiters();
        }
        committed
    }

    async fn due(&self, ahead: Millis, max: usize) -> Result<Due, ReadFault> {
        self.sqlite.due(ahead, max).await
    }
}

/// A piece that answers at once.
pub(crate) struct Piece(Arc<Counters>);

impl Piece {
    fn called<T>(&self, value: T) -> Result<T, HookFault> {
        self.0.hooks.fetch_add(1, Ordering::Relaxed);
        Ok(value)
    }

    fn acted<T>(&self, value: T) -> Result<Acted<T>, HookFault> {
        self.called(Acted { value, reply: None })
    }
}

fn author(id: &str) -> Author {
    Author {
        id: id.to_owned(),
        name: "Ann".to_owned(),
        kind: AuthorKind::Person,
        external: false,
    }
}

fn ok() -> HttpReply {
    HttpReply {
        status: 200,
        content_type: None,
        body: Vec::new().into(),
    }
}

impl Pieces for Piece {
    fn info(&self, _: &str) -> Option<ChannelInfo> {
        let hooks = OptionalHooks {
            identity: true,
            stale: true,
            ..OptionalHooks::default()
        };
        let (piece, version) = ("forum".to_owned(), "0.1.0".to_owned());
        Some(ChannelInfo {
            piece,
            version,
            questions: true,
            hooks,
            notices_public: false,
        })
    }

    fn locate(&self, _: &str, _: &str, _: &str) -> Option<Locator> {
        None
    }

    fn connected(&self, _: &str, _: &str, _: &str) {}

    async fn receive(&self, _: &str, request: InboundRequest) -> Result<Result<Received, String>, HookFault> {
        let body = String::from_utf8_lossy(&request.body).into_owned();
        let (kind, thread) = body.split_once(' ').expect("a kind and a thread");
        let interaction = if kind == "message" {
            Interaction::Message(Message {
                id: MessageId("said".to_owned()),
                text: "ask".to_owned(),
                author: author("ann"),
                date_sent: None,
                reply_to: None,
                raw: "{}".to_owned(),
            })
        } else {
            Interaction::Action(Action {
                action_id: "0".to_owned(),
                value: None,
                message_id: MessageId("card".to_owned()),
                user: author("ann"),
                trigger_id: None,
                raw: "{}".to_owned(),
            })
        };
        let event = Event {
            delivery_id: body.clone(),
            place: Place::Conversation(address(thread).conversation),
            addressing: Addressing::Mention,
            interaction,
            acknowledgement: ok(),
            answer_within: Duration::from_secs(3),
        };
        self.called(Ok(Received {
            reply: ok(),
            events: vec![event],
        }))
    }

    async fn supports(&self, _: &str, _: &Conversation) -> Result<bool, HookFault> {
        self.called(true)
    }

    async fn parse(
        &self,
        _: &str,
        _: &Conversation,
        call: Call<'_>,
        _: Record<'_>,
        _: &Interaction,
        _: bool,
    ) -> Result<ParseResult, HookFault> {
        let answer = |item: &lifecycle::tool::Item| Answer {
            header: item.header.clone(),
            selected: vec![item.options[0].label.clone()],
            custom: None,
        };
        let answers = call.input.questions.iter().map(answer).collect();
        self.called(ParseResult::Parsed(Parsed::Answer(Output { answers })))
    }

    async fn split(&self, _: &str, _: &str, text: &str) -> Result<Vec<String>, HookFault> {
        self.called(vec![text.to_owned()])
    }

    async fn connect(&self, _: &str, _: Context) -> Result<Connected, HookFault> {
        self.called(Connected {
            data: "{}".to_owned(),
            summary: String::new(),
            lacks: Vec::new(),
            stale_at: None,
        })
    }

    async fn identity(
        &self,
        _: &str,
        _: Context,
        _: &Conversation,
        _: &Author,
    ) -> Result<Profile, HookFault> {
        self.called(Profile {
            name: None,
            email: None,
            roles: Vec::new(),
            external: false,
        })
    }

    async fn started(
        &self,
        _: &str,
        _: Context,
        _: &Conversation,
        _: Option<&MessageId>,
    ) -> Result<Acted<()>, HookFault> {
        self.acted(())
    }

    async fn post(
        &self,
        _: &str,
        _: Context,
        at: &Conversation,
        _: &str,
    ) -> Result<Acted<MessageId>, HookFault> {
        self.0
            .told
            .replied
            .lock()
            .expect("a lock")
            .insert(at.thread.clone());
        self.0.something.notify_waiters();
        self.acted(MessageId("reply".to_owned()))
    }

    async fn edit(
        &self,
        _: &str,
        _: Context,
        _: &Conversation,
        _: &MessageId,
        _: &str,
    ) -> Result<Acted<()>, HookFault> {
        self.acted(())
    }

    async fn remove(
        &self,
        _: &str,
        _: Context,
        _: &Conversation,
        _: &MessageId,
    ) -> Result<Acted<()>, HookFault> {
        self.acted(())
    }

    async fn render(
        &self,
        _: &str,
        _: Context,
        _: &Conversation,
        calls: &[Call<'_>],
    ) -> Result<Acted<Vec<RenderedEntry>>, HookFault> {
        let message = PostedMessage {
            id: MessageId("card".to_owned()),
            posted_at: None,
            question: None,
        };
        let calls = calls.iter().map(|call| call.id.clone()).collect();
        self.acted(vec![RenderedEntry {
            calls,
            messages: vec![message],
            state: None,
        }])
    }

    async fn updated(
        &self,
        _: &str,
        _: Shared<'_>,
        _: Option<&Interaction>,
    ) -> Result<Acted<QuestionChange>, HookFault> {
        self.acted(QuestionChange::default())
    }

    async fn settled(
        &self,
        _: &str,
        _: Shared<'_>,
        _: Ending<'_>,
    ) -> Result<Acted<QuestionChange>, HookFault> {
        self.acted(QuestionChange::default())
    }

    async fn rejected(
        &self,
        _: &str,
        _: Shared<'_>,
        _: &Interaction,
        _: &str,
    ) -> Result<Acted<()>, HookFault> {
        self.acted(())
    }

    async fn denied(&self, _: &str, _: Shared<'_>, _: &Interaction) -> Result<Acted<()>, HookFault> {
        self.acted(())
    }

    async fn stale(&self, _: &str, _: Shared<'_>, _: &Interaction) -> Result<Acted<()>, HookFault> {
        self.acted(())
    }
}

/// A model that asks, then goes on.
pub(crate) struct Model;

impl Models for Model {
    async fn step(&self, request: StepRequest) -> Result<ModelReply, ModelFault> {
        let answered =
            matches!(request.messages.last(), Some(ChatMessage::Assistant(parts)) if !parts.is_empty());
        if answered && request.messages.iter().any(has_result) {
            return Ok(ModelReply {
                text: "Going on.".to_owned(),
                calls: Vec::new(),
            });
        }
        let input = json!({ "questions": [{
            "header": "Color",
            "question": "Which color?",
            "options": [{ "label": "Red" }, { "label": "Blue" }],
        }] });
        let call = ModelCall {
            id: "call_1".to_owned(),
            name: "question".to_owned(),
            input,
        };
        Ok(ModelReply {
            text: String::new(),
            calls: vec![call],
        })
    }
}

fn has_result(message: &ChatMessage) -> bool {
    match message {
        ChatMessage::Assistant(parts) => parts
            .iter()
            .any(|part| matches!(part, Part::Call { result: Some(_), .. })),
        ChatMessage::User { .. } => false,
    }
}

/// No server tools.
pub(crate) struct NoTools;

impl Tools for NoTools {
    fn specs(&self, _: &[String]) -> Vec<ToolSpec> {
        Vec::new()
    }

    async fn run(&self, _: ToolCall) -> Result<Result<Value, String>, ToolFault> {
        Ok(Err("there is no tool".to_owned()))
    }
}

/// Real time.
pub(crate) struct TokioClock(Instant);

impl Clock for TokioClock {
    fn elapsed(&self) -> Duration {
        self.0.elapsed()
    }

    async fn sleep(&self, length: Duration) {
        tokio::time::sleep(length).await;
    }
}

/// Tasks of the benchmark's runtime.
pub(crate) struct TokioTasks;

impl Tasks for TokioTasks {
    fn spawn(&self, task: Pin<Box<dyn Future<Output = ()> + Send>>) {
        tokio::spawn(task);
    }
}

/// Ids that differ, which is all a benchmark needs.
pub(crate) struct Random;

impl Entropy for Random {
    fn bytes(&self) -> [u8; 16] {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        u128::from(NEXT.fetch_add(1, Ordering::Relaxed)).to_be_bytes()
    }
}
