//! Everything around the hosts, and the hosts themselves: how they begin, die, stand still and come back.

use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::atomic::AtomicUsize;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use engine::access::Access;
use engine::config::{Agent, Channel, Config, Times, User};
use engine::{Engine, Parts, World};
use lifecycle::{Millis, Timestamp};
use ports::pieces::Event;
use ports::{Clock, Entropy, Tasks};

use crate::broken::Rule;
use crate::executor::{Executor, Group, OUTSIDE};
use crate::facts::{Disturbance, Facts, PEOPLE, Place};
use crate::model::{HostModels, HostTools, LOOK};
use crate::piece::HostPieces;
use crate::plan::Plan;
use crate::platform::{CHANNELS, Platforms, Style};
use crate::random::{Random, mix};
use crate::rewrite::Numbers;
use crate::store::{HostDocuments, Store};
use crate::trace::Trace;

/// Locks; what is inside is whole after every statement.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The engine's world in the simulation.
pub(crate) struct SimWorld;

impl World for SimWorld {
    type Documents = HostDocuments;
    type Pieces = HostPieces;
    type Models = HostModels;
    type Tools = HostTools;
    type Clock = HostClock;
    type Tasks = HostTasks;
    type Entropy = HostEntropy;
}

/// A host's monotonic clock: it begins at its own time and runs at its own speed.
pub(crate) struct HostClock {
    world: Arc<Universe>,
    host: u64,
}

impl Clock for HostClock {
    fn elapsed(&self) -> Duration {
        self.world.host_time(self.host)
    }

    async fn sleep(&self, length: Duration) {
        self.world.executor.sleep(length).await;
    }
}

/// The tasks of a host.
pub(crate) struct HostTasks {
    world: Arc<Universe>,
    group: Group,
}

impl Tasks for HostTasks {
    fn spawn(&self, task: Pin<Box<dyn Future<Output = ()> + Send>>) {
        self.world.executor.spawn_boxed(self.group, task);
    }
}

/// Drawn bytes.
pub(crate) struct HostEntropy(Arc<Universe>);

impl Entropy for HostEntropy {
    fn bytes(&self) -> [u8; 16] {
        let (high, low) = self.0.draw(|random| (random.next(), random.next()));
        ((u128::from(high) << 64) | u128::from(low)).to_be_bytes()
    }
}

/// A host's place.
#[derive(Default)]
struct Slot {
    host: Option<Running>,
}

/// A running host.
#[derive(Clone)]
pub(crate) struct Running {
    pub(crate) host: u64,
    pub(crate) engine: Engine<SimWorld>,
}

/// Everything around the hosts.
pub(crate) struct Universe {
    pub(crate) seed: u64,
    pub(crate) plan: Plan,
    pub(crate) broken: Option<Rule>,
    pub(crate) executor: Arc<Executor>,
    pub(crate) store: Store,
    pub(crate) platforms: Platforms,
    pub(crate) events: Mutex<Vec<Event>>,
    pub(crate) numbers: Numbers,
    pub(crate) trace: Trace,
    /// How many people and deliveries are not done yet.
    pub(crate) errands: AtomicUsize,
    random: Mutex<Random>,
    facts: Mutex<Facts>,
    slots: Mutex<Vec<Slot>>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    healed: bool,
    born: u64,
    crashes: u64,
    stops: u64,
    /// How fast each host's clock runs, in thousandths, and what it showed at the beginning.
    clocks: BTreeMap<u64, (u64, Duration)>,
}

impl Universe {
    /// A world at its beginning.
    pub(crate) fn new(
        seed: u64,
        plan: Plan,
        broken: Option<Rule>,
        random: Random,
        trace: Trace,
    ) -> Arc<Self> {
        Arc::new(Self {
            seed,
            plan,
            broken,
            executor: Arc::default(),
            store: Store::new(),
            platforms: Platforms::default(),
            events: Mutex::default(),
            numbers: Mutex::default(),
            trace,
            errands: AtomicUsize::new(0),
            random: Mutex::new(random),
            facts: Mutex::default(),
            slots: Mutex::default(),
            state: Mutex::default(),
        })
    }

    /// Draws something.
    pub(crate) fn draw<T>(&self, draw: impl FnOnce(&mut Random) -> T) -> T {
        draw(&mut lock(&self.random))
    }

    /// What can be seen from outside.
    pub(crate) fn facts(&self) -> MutexGuard<'_, Facts> {
        lock(&self.facts)
    }

    /// Whether the faults are over.
    pub(crate) fn is_healed(&self) -> bool {
        lock(&self.state).healed
    }

    /// Whether somebody looks at the trace.
    pub(crate) fn is_traced(&self) -> bool {
        self.trace.is_kept()
    }

    /// One step of the run.
    pub(crate) fn note(&self, what: impl FnOnce() -> String) {
        self.trace.step(self, what);
    }

    /// How cards look in a conversation.
    pub(crate) fn style(&self, place: Place) -> Style {
        let number = u64::try_from(place.0).unwrap_or(0);
        match mix(self.seed ^ mix(number)) % 3 {
            0 => Style::Each,
            1 => Style::Together,
            _ => Style::Stepwise,
        }
    }

    /// The host's monotonic clock.
    pub(crate) fn host_time(&self, host: u64) -> Duration {
        let (speed, began) = lock(&self.state)
            .clocks
            .get(&host)
            .copied()
            .unwrap_or((1_000, Duration::ZERO));
        let now = self.executor.now();
        began + now.mul_f64(f64::from(u32::try_from(speed).unwrap_or(1_000)) / 1_000.0)
    }

    /// What time it is on the platform; some do not say.
    pub(crate) fn platform_time(&self) -> Option<Timestamp> {
        let skew = self.plan.skew_ms;
        (!mix(self.seed ^ skew).is_multiple_of(4)).then(|| self.store.now() + Millis(skew))
    }

    /// What a host had under way may be lost.
    pub(crate) fn disturbed(&self, host: u64) {
        let now = self.executor.now();
        self.facts().disturbances.push(Disturbance {
            from: now,
            until: now,
            host,
        });
    }

    /// The hosts that run, those that stand still among them.
    pub(crate) fn running(&self) -> Vec<Running> {
        lock(&self.slots)
            .iter()
            .filter_map(|slot| slot.host.clone())
            .collect()
    }

    /// Starts all hosts.
    pub(crate) fn begin(self: &Arc<Self>) {
        lock(&self.slots).resize_with(self.plan.hosts, Slot::default);
        for slot in 0..self.plan.hosts {
            self.boot(slot);
        }
    }

    fn boot(self: &Arc<Self>, slot: usize) {
        let (drift, began) = self.draw(|random| {
            let drift = 1_000 - self.plan.drift + random.below(self.plan.drift * 2 + 1);
            (drift, random.millis(0, 100_000))
        });
        let host = {
            let mut state = lock(&self.state);
            state.born += 1;
            let host = state.born;
            state.clocks.insert(host, (drift, began));
            host
        };
        let group = Group(host);
        let world = || Arc::clone(self);
        let parts = Parts {
            documents: Arc::new(HostDocuments { world: world(), host }),
            pieces: Arc::new(HostPieces { world: world(), host }),
            models: Arc::new(HostModels { world: world(), host }),
            tools: Arc::new(HostTools { world: world() }),
            clock: Arc::new(HostClock { world: world(), host }),
            tasks: Arc::new(HostTasks {
                world: world(),
                group,
            }),
            entropy: Arc::new(HostEntropy(world())),
        };
        let Some(config) = self.config() else { return };
        let engine = Engine::new(parts, config);
        let sweeping = engine.clone();
        let alone = self.plan.hosts == 1;
        self.executor.spawn(group, async move {
            if alone {
                sweeping.bring_forward().await;
            }
            sweeping.run(std::future::pending()).await;
        });
        if let Some(slot) = lock(&self.slots).get_mut(slot) {
            slot.host = Some(Running { host, engine });
        }
        self.note(|| format!("host {host} begins"));
    }

    fn config(&self) -> Option<Config> {
        let rule = if self.broken == Some(Rule::Access) {
            "true"
        } else {
            "actor.user != null"
        };
        let agent = Agent {
            model: "simulated".to_owned(),
            instructions: String::new(),
            tools: vec![LOOK.to_owned()],
            questions: true,
            access: Access::compile(rule).ok()?,
        };
        let channel = Channel {
            agent: "agent".to_owned(),
            accounts: Vec::new(),
            trust_email: true,
            trust_external_email: false,
        };
        let user = |name: &&str| User {
            id: (*name).to_owned(),
            emails: vec![format!("{name}@acme.test")],
            platform_ids: Vec::new(),
        };
        let mut policy = self.plan.policy();
        if self.broken == Some(Rule::Deadline) {
            let never = Millis::days(365);
            for series in [
                &mut policy.advancing,
                &mut policy.posting,
                &mut policy.closing,
                &mut policy.continuing,
                &mut policy.replying,
                &mut policy.handling,
            ] {
                series.deadline = never;
            }
        }
        Some(Config {
            agents: BTreeMap::from([("agent".to_owned(), agent)]),
            channels: CHANNELS
                .iter()
                .map(|name| ((*name).to_owned(), channel.clone()))
                .collect(),
            users: PEOPLE.iter().map(user).collect(),
            policy,
            times: Times::STANDARD,
        })
    }

    /// Perhaps something happens to the host whose task would go on now; says whether it did.
    pub(crate) fn strikes(self: &Arc<Self>, group: Group) -> bool {
        if group == OUTSIDE || self.is_healed() {
            return false;
        }
        let may_crash = lock(&self.state).crashes < self.plan.crashes;
        if may_crash && self.draw(|random| random.below(self.plan.crash_one_of) == 0) {
            lock(&self.state).crashes += 1;
            self.crash(group.0);
            return true;
        }
        let may_stop = lock(&self.state).stops < self.plan.stops;
        if may_stop && self.draw(|random| random.below(self.plan.crash_one_of) == 0) {
            lock(&self.state).stops += 1;
            self.stop(group);
            return true;
        }
        false
    }

    /// A host dies where it stands; another takes its place after a while.
    fn crash(self: &Arc<Self>, host: u64) {
        self.note(|| format!("host {host} dies"));
        self.disturbed(host);
        self.executor.kill(Group(host));
        self.store.forget_host(host);
        let mut slots = lock(&self.slots);
        let slot = slots
            .iter()
            .position(|slot| slot.host.as_ref().is_some_and(|running| running.host == host));
        let Some(slot) = slot else { return };
        let dead = slots.get_mut(slot).and_then(|slot| slot.host.take());
        drop(slots);
        drop(dead);
        let pause = self.draw(|random| random.millis(0, 20_000));
        let world = Arc::clone(self);
        self.executor.spawn(OUTSIDE, async move {
            world.executor.sleep(pause).await;
            world.boot(slot);
        });
    }

    /// A host stands still, perhaps for longer than its leases and deadlines.
    fn stop(self: &Arc<Self>, group: Group) {
        let length = self.draw(|random| random.millis(1_000, 150_000));
        self.note(|| format!("host {} stands still for {length:?}", group.0));
        let now = self.executor.now();
        self.facts().disturbances.push(Disturbance {
            from: now,
            until: now + length,
            host: group.0,
        });
        self.executor.stop(group);
        let world = Arc::clone(self);
        self.executor.spawn(OUTSIDE, async move {
            world.executor.sleep(length).await;
            world.executor.go_on(group);
            world.note(|| format!("host {} goes on", group.0));
        });
    }

    /// The faults are over: whoever stood still goes on, and nothing fails any more.
    pub(crate) fn heal(&self) {
        lock(&self.state).healed = true;
        for running in self.running() {
            self.executor.go_on(Group(running.host));
        }
        self.note(|| "everything heals".to_owned());
    }

    /// The end: everything that refers to this world is dropped.
    pub(crate) fn end(&self) {
        self.executor.clear();
        let slots = std::mem::take(&mut *lock(&self.slots));
        drop(slots);
    }
}
