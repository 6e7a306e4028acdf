//! `frogbot serve`: everything put together, started, and brought to an orderly end.
//!
//! The end has an order. A first signal stops taking in: the gateway accepts nobody and finishes what is in flight, the
//! sweep stops, and tasks under way get the rest of the time. What is not finished then is in the store with its wake
//! time, and the next start goes on. A second signal ends at once.

use std::collections::BTreeMap;
use std::path::Path;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, bail};
use engine::{Engine, InstallationSecret, Parts, Purpose};
use gateway::{ChannelGate, Gates, Gateway, Outside, Served};
use models::{ScriptedModels, ScriptedTools};
use ports::{Clock, Documents};
use runtime::{LocatorKey, Runtime, RuntimeConfig};
use storage::{MemoryDocuments, SqliteDocuments, WallClock};
use tokio::net::TcpListener;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::watch;

use crate::config::{ChannelPlan, Environment, Plan, Severity, Store};
use crate::mount::mounted;
use crate::secrets::{self, Secrets};
use crate::shelf::accepted::Accepted;
use crate::shelf::{self, Shelf, Started};
use crate::world::{HostClock, HostTasks, HostWorld, SystemEntropy, wall_clock};
use crate::{admin, check, compiling, config, store};

/// How long the end waits for threads that compile or read a file.
const THREADS_MAX: Duration = Duration::from_secs(1);

/// Serves until a signal.
///
/// # Errors
/// The host cannot begin: the configuration (everything wrong is told), the store, the address.
pub fn start(config: &Path, environment: Environment<'_>) -> anyhow::Result<()> {
    let executor = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .context("cannot start threads")?;
    let ended = executor.block_on(serve(config, environment));
    executor.shutdown_timeout(THREADS_MAX);
    ended
}

async fn serve(config: &Path, environment: Environment<'_>) -> anyhow::Result<()> {
    let checked = config::read(config, environment);
    let Some(plan) = checked.plan else {
        check::tell(&checked.problems)?;
        bail!("not started: {} is not in order", config.display());
    };
    for note in checked
        .problems
        .iter()
        .filter(|problem| problem.severity == Severity::Note)
    {
        tracing::warn!(%note, "configuration");
    }
    SystemEntropy
        .check()
        .context("the system gives no random bytes")?;
    let signals = Signals::listen()?;
    let mut secrets = Secrets::default();
    match &plan.store {
        Store::Sqlite(path) => {
            let store = SqliteDocuments::open(path, WallClock::System)
                .with_context(|| format!("cannot open the store {}", path.display()))?;
            run(plan, store, Hosts::One, secrets, environment, signals).await
        }
        Store::Redis(redis) => {
            let store = store::open(redis, &mut secrets, environment).await?;
            run(plan, store, Hosts::Several, secrets, environment, signals).await
        }
        Store::Memory => {
            tracing::warn!("the store is in memory: everything is forgotten at the end");
            let store = MemoryDocuments::new(WallClock::System);
            run(plan, store, Hosts::One, secrets, environment, signals).await
        }
    }
}

/// How many hosts a store may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Hosts {
    /// This one: what runs at the start was left by an earlier process.
    One,
    /// Any number: what runs may be running, and is taken over when its time is up.
    Several,
}

async fn run<D: Documents>(
    plan: Plan,
    store: D,
    hosts: Hosts,
    mut secrets: Secrets,
    environment: Environment<'_>,
    mut signals: Signals,
) -> anyhow::Result<()> {
    let clock = Arc::new(HostClock::start());
    let tasks = Arc::new(HostTasks::none());
    let installation = InstallationSecret::load(&store, &SystemEntropy)
        .await
        .context("cannot read the installation's secret")?;
    let runtime = runtime(&plan.compiled, &installation)?;
    let accepted = Accepted::below(&plan.compiled);
    let (gates, started) = mount_all(&runtime, &accepted, plan.channels, &mut secrets, environment).await?;
    let gates = Gates::new(gates);
    let admin = plan.admin_token.map(|place| secrets.current(&place, environment));
    let shelf = Arc::new(Shelf::new(runtime.clone(), gates.clone(), accepted, started));
    let scripts = plan.scripts.values().cloned().collect();
    let parts = Parts::<HostWorld<D>> {
        documents: Arc::new(store),
        pieces: Arc::new(runtime),
        models: Arc::new(ScriptedModels::new(plan.scripts, Arc::clone(&clock))),
        tools: Arc::new(ScriptedTools::new(scripts, Arc::clone(&clock))),
        clock: Arc::clone(&clock),
        tasks: Arc::clone(&tasks),
        entropy: Arc::new(SystemEntropy),
    };
    let engine = Engine::new(parts, plan.engine);
    let outside = Outside {
        tasks: Arc::clone(&tasks),
        clock: Arc::clone(&clock),
        wall: wall_clock(),
    };
    let mut gateway = Gateway::new(gates, Arc::new(engine.clone()), outside);
    if let Some(token) = admin {
        gateway = gateway.with_routes(admin::routes(Arc::clone(&shelf), token));
    }
    let listener = TcpListener::bind(plan.listen)
        .await
        .with_context(|| format!("cannot listen on {}; set another `server.listen`", plan.listen))?;
    tracing::info!(address = %listener.local_addr()?, "listening");

    let (stop, stopped) = watch::channel(());
    let serving = gateway.serve(listener, plan.shutdown, told(stopped.clone()));
    match hosts {
        Hosts::One => engine.bring_forward().await,
        Hosts::Several => {}
    }
    let sweeping = engine.run(told(stopped));
    let mut work = pin!(async { tokio::join!(serving, sweeping).0 });
    tokio::select! {
        _ = &mut work => bail!("the host ended without being told to"),
        () = watch_secrets(&secrets, clock.as_ref()) => {}
        () = shelf.watch(clock.as_ref()) => {}
        () = signals.next() => {}
    }
    tracing::info!(
        limit_ms = ms(plan.shutdown),
        "stopping; a second signal ends at once"
    );
    let began = clock.elapsed();
    drop(stop);
    let finishing = async {
        let served = work.await;
        let left = plan
            .shutdown
            .saturating_sub(clock.elapsed().saturating_sub(began));
        finish(served, &tasks, left).await;
    };
    tokio::select! {
        () = finishing => Ok(()),
        () = signals.next() => bail!("ended at once; what was under way goes on at the next start"),
    }
}

/// What runs pieces, with the keys of this installation.
fn runtime(compiled: &Path, installation: &InstallationSecret) -> anyhow::Result<Runtime> {
    let locators = LocatorKey::new(installation.key(Purpose::ModalLocator));
    let config = RuntimeConfig {
        compiler: compiling::compiler(compiling::cache(compiled, installation)),
        ..RuntimeConfig::default()
    };
    Runtime::new(config, locators).context("cannot run pieces")
}

/// Loads every channel's piece; gives what requests to each must pass, and what was started.
async fn mount_all(
    runtime: &Runtime,
    accepted: &Accepted,
    channels: BTreeMap<String, ChannelPlan>,
    secrets: &mut Secrets,
    environment: Environment<'_>,
) -> anyhow::Result<(BTreeMap<String, ChannelGate>, BTreeMap<String, Started>)> {
    let mut by_piece: BTreeMap<String, Vec<(String, ChannelPlan)>> = BTreeMap::new();
    for (name, channel) in channels {
        by_piece
            .entry(channel.piece_name.clone())
            .or_default()
            .push((name, channel));
    }
    let (mut gates, mut all) = (BTreeMap::new(), BTreeMap::new());
    for (piece, channels) in by_piece {
        let mounted = channels
            .iter()
            .map(|(name, channel)| mounted(name, channel, secrets, environment));
        let mounted: Vec<_> = mounted.collect();
        let Some((_, first)) = channels.first() else {
            continue;
        };
        let from_folder = shelf::start(runtime, &mounted, first.piece.clone()).await;
        let (bytes, prepared) = match (from_folder, accepted.read(&piece)) {
            (Ok(started), _) => started,
            (Err(problem), Some(ran)) if ran != first.piece => {
                tracing::error!(
                    piece,
                    file = %first.path.display(),
                    reason = problem,
                    "the build in the folder cannot start; the one that ran before is started"
                );
                shelf::start(runtime, &mounted, ran)
                    .await
                    .map_err(anyhow::Error::msg)?
            }
            (Err(problem), _) => bail!(problem),
        };
        for (channel, ready) in mounted.iter().zip(&prepared) {
            let name = &channel.setup.channel;
            let info = ready.info();
            let gate = shelf::gate(channel, ready.manifest()).map_err(anyhow::Error::msg)?;
            gates.insert(name.clone(), gate);
            drop(runtime.switch(ready.clone()));
            tracing::info!(
                channel = name,
                piece = info.piece,
                version = info.version,
                questions = info.questions,
                "mounted"
            );
        }
        let path = first.path.clone();
        all.insert(
            piece,
            Started {
                bytes,
                path,
                channels: mounted,
                prepared,
            },
        );
    }
    Ok((gates, all))
}

/// Completes when the sender is dropped, which is how it says stop; nothing is ever sent.
async fn told(mut stopped: watch::Receiver<()>) {
    drop(stopped.changed().await);
}

/// Never completes, also when there is no file to watch.
async fn watch_secrets(secrets: &Secrets, clock: &HostClock) {
    secrets::watch(secrets, clock).await;
    std::future::pending().await
}

/// Waits for the tasks under way, within what is left of the limit.
async fn finish(served: Served, tasks: &HostTasks, left: Duration) {
    if let Served::Cut(connections) = served {
        tracing::warn!(connections, "requests were cut; their platforms send them again");
    }
    match tokio::time::timeout(left, tasks.idle()).await {
        Ok(()) => tracing::info!("stopped"),
        Err(_) => tracing::warn!(
            tasks = tasks.count(),
            "stopped; what was under way goes on at the next start"
        ),
    }
}

/// What tells the host to stop.
struct Signals {
    interrupt: Signal,
    terminate: Signal,
}

impl Signals {
    fn listen() -> anyhow::Result<Self> {
        let listen = |kind| signal(kind).context("cannot listen for signals");
        Ok(Self {
            interrupt: listen(SignalKind::interrupt())?,
            terminate: listen(SignalKind::terminate())?,
        })
    }

    async fn next(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
        }
    }
}

fn ms(length: Duration) -> u64 {
    u64::try_from(length.as_millis()).unwrap_or(u64::MAX)
}
