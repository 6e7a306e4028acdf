//! The surroundings of the hosts: virtual time, tasks that die together, and how a host dies and comes back.

use std::collections::BTreeMap;
use std::fmt;
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use engine::access::Access;
use engine::config::{Agent, Channel, Config, Times, User};
use engine::{Engine, Parts, World};
use lifecycle::{Millis, Policy, Timestamp};
use models::{Script, ScriptedModels, ScriptedTools};
use ports::{Clock, Entropy, Tasks};
use storage::{ManualClock, MemoryDocuments, WallClock};
use tokio::task::AbortHandle;
use tokio::time::Instant;

use super::agent::WatchedModels;
use super::faults::Faults;
use super::pieces::StagePieces;
use super::platform::Platform;
use super::records::Seen;
use super::store::StageDocuments;
use super::story::Setup;
use super::transcript::{Transcript, lock};

/// The channel of every story.
pub(super) const CHANNEL: &str = "forum";
/// When every story begins: 2026-01-01T00:00:00Z.
const BEGINNING: Timestamp = Timestamp(1_767_225_600_000);

/// The engine's world on the stage.
#[derive(Debug)]
pub(super) struct StageWorld;

impl World for StageWorld {
    type Documents = StageDocuments;
    type Pieces = StagePieces;
    type Models = WatchedModels;
    type Tools = ScriptedTools<StageClock>;
    type Clock = StageClock;
    type Tasks = StageTasks;
    type Entropy = Counting;
}

/// tokio's paused clock.
#[derive(Debug)]
pub(super) struct StageClock(Instant);

impl Clock for StageClock {
    fn elapsed(&self) -> Duration {
        self.0.elapsed()
    }

    async fn sleep(&self, length: Duration) {
        pass(length).await;
    }
}

/// Lets virtual time pass.
#[expect(clippy::disallowed_methods, reason = "this is the clock")]
pub(super) async fn pass(length: Duration) {
    tokio::time::sleep(length).await;
}

/// Bytes that count up: a story goes the same way every time.
#[derive(Debug, Default)]
pub(super) struct Counting(AtomicU64);

impl Entropy for Counting {
    fn bytes(&self) -> [u8; 16] {
        u128::from(self.0.fetch_add(1, Ordering::Relaxed)).to_be_bytes()
    }
}

/// The tasks of one host. They die together.
#[derive(Debug, Default)]
pub(super) struct StageTasks {
    handles: Mutex<Vec<AbortHandle>>,
    alive: Arc<AtomicUsize>,
}

struct Alive(Arc<AtomicUsize>);

impl Drop for Alive {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Tasks for StageTasks {
    fn spawn(&self, task: Pin<Box<dyn Future<Output = ()> + Send>>) {
        self.alive.fetch_add(1, Ordering::Relaxed);
        let alive = Alive(Arc::clone(&self.alive));
        self.spawn_uncounted(async move {
            task.await;
            drop(alive);
        });
    }
}

impl StageTasks {
    #[expect(clippy::disallowed_methods, reason = "this is what runs tasks")]
    fn spawn_uncounted(&self, task: impl Future<Output = ()> + Send + 'static) {
        let mut handles = lock(&self.handles);
        handles.retain(|handle| !handle.is_finished());
        handles.push(tokio::spawn(task).abort_handle());
    }

    fn abort_all(&self) {
        lock(&self.handles).drain(..).for_each(|handle| handle.abort());
    }
}

/// A running host.
#[derive(Clone, Debug)]
pub(super) struct Host {
    pub(super) engine: Engine<StageWorld>,
    pub(super) tasks: Arc<StageTasks>,
}

/// Everything around the hosts.
pub(super) struct Surroundings {
    pub(super) transcript: Arc<Transcript>,
    pub(super) faults: Faults,
    pub(super) platform: Platform,
    pub(super) memory: Arc<MemoryDocuments>,
    pub(super) setup: Mutex<Setup>,
    pub(super) seen: Seen,
    script: Arc<Script>,
    clock: ManualClock,
    began: Instant,
    hosts: Mutex<Vec<Host>>,
    entropy: Arc<Counting>,
}

impl fmt::Debug for Surroundings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Surroundings").finish_non_exhaustive()
    }
}

impl Surroundings {
    /// A stage with as many hosts as the story wants, all running.
    pub(super) fn new(setup: Setup, script: Script) -> Arc<Self> {
        let transcript = Arc::new(Transcript::default());
        let clock = ManualClock::new(BEGINNING);
        let platform = Platform::new(
            Arc::clone(&transcript),
            setup.recognises_repeats,
            setup.forms_are_related,
        );
        let hosts = setup.hosts;
        let stage = Arc::new(Self {
            transcript,
            faults: Faults::default(),
            platform,
            memory: Arc::new(MemoryDocuments::new(WallClock::Manual(clock.clone()))),
            setup: Mutex::new(setup),
            seen: Seen::default(),
            script: Arc::new(script),
            clock,
            began: Instant::now(),
            hosts: Mutex::default(),
            entropy: Arc::default(),
        });
        for number in 0..hosts {
            let host = stage.boot(number);
            lock(&stage.hosts).push(host);
        }
        stage
    }

    /// The hosts that run now.
    pub(super) fn hosts(&self) -> Vec<Host> {
        lock(&self.hosts).clone()
    }

    /// The store's clock.
    pub(super) fn now(&self) -> Timestamp {
        self.set_store_clock();
        self.clock.now()
    }

    /// Sets the store's clock to virtual time.
    pub(super) fn set_store_clock(&self) {
        let since = u64::try_from(self.began.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.clock.set(BEGINNING + Millis(since));
    }

    /// How many tasks are under way; the sweeps do not count.
    pub(super) fn busy(&self) -> usize {
        lock(&self.hosts)
            .iter()
            .map(|host| host.tasks.alive.load(Ordering::Relaxed))
            .sum()
    }

    /// Stops a host where it stands and starts another on the same store.
    pub(super) fn crash(self: &Arc<Self>, number: usize, why: &str) {
        self.transcript.note(format!("the host dies{why}"));
        self.replace(number);
    }

    /// The same without a word: a host that is restarted.
    pub(super) fn replace(self: &Arc<Self>, number: usize) {
        let old = lock(&self.hosts).get(number).cloned();
        if let Some(old) = old {
            old.tasks.abort_all();
            let new = self.boot(number);
            if let Some(place) = lock(&self.hosts).get_mut(number) {
                *place = new;
            }
        }
    }

    /// Stops the host that calls this; never returns to it.
    pub(super) async fn die(self: &Arc<Self>, number: usize, when: &str) {
        self.crash(number, &format!(" {when}"));
        std::future::pending::<()>().await;
    }

    fn boot(self: &Arc<Self>, number: usize) -> Host {
        let clock = Arc::new(StageClock(self.began));
        let setup = lock(&self.setup).clone();
        let scripts = BTreeMap::from([("fast".to_owned(), Arc::clone(&self.script))]);
        let tasks = Arc::new(StageTasks::default());
        let parts = Parts {
            documents: Arc::new(StageDocuments {
                memory: Arc::clone(&self.memory),
                stage: Arc::downgrade(self),
                host: number,
            }),
            pieces: Arc::new(StagePieces {
                stage: Arc::downgrade(self),
                host: number,
            }),
            models: Arc::new(WatchedModels {
                scripted: Arc::new(ScriptedModels::new(scripts, Arc::clone(&clock))),
                transcript: Arc::clone(&self.transcript),
                shown: setup.shows.model,
            }),
            tools: Arc::new(ScriptedTools::new(
                vec![Arc::clone(&self.script)],
                Arc::clone(&clock),
            )),
            clock,
            tasks: Arc::clone(&tasks),
            entropy: Arc::clone(&self.entropy),
        };
        let engine = Engine::new(parts, config(&setup, &self.script));
        let sweeping = engine.clone();
        tasks.spawn_uncounted(async move {
            if setup.alone {
                sweeping.bring_forward().await;
            }
            sweeping.run(std::future::pending()).await;
        });
        Host { engine, tasks }
    }
}

fn config(setup: &Setup, script: &Script) -> Config {
    let agent = Agent {
        model: "fast".to_owned(),
        instructions: "Paint.".to_owned(),
        tools: script.tool_names().map(str::to_owned).collect(),
        questions: setup.may_ask,
        access: Access::compile(&setup.access).unwrap_or_else(|problem| panic!("access: {problem}")),
    };
    let channel = Channel {
        agent: "painter".to_owned(),
        accounts: Vec::new(),
        trust_email: true,
        trust_external_email: false,
    };
    let user = |name: &String| User {
        id: name.clone(),
        emails: vec![email(name)],
        platform_ids: Vec::new(),
    };
    let policy = Policy {
        queue_max: setup.queue_max,
        ..Policy::STANDARD
    };
    Config {
        agents: BTreeMap::from([("painter".to_owned(), agent)]),
        channels: BTreeMap::from([(CHANNEL.to_owned(), channel)]),
        users: setup.people.iter().map(user).collect(),
        policy,
        times: Times::STANDARD,
    }
}

/// The address by which a person is known.
pub(super) fn email(name: &str) -> String {
    format!("{name}@acme.test")
}
