//! The runtime: the engine, and the piece behind each channel.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use bytes::Bytes;
use frogbot_manifest::Manifest;
use ports::failpoint;
use ports::pieces::{ChannelInfo, FaultKind, HookFault, Locator};
use rustls::ClientConfig;
use wasmtime::Engine;
use wasmtime::component::Linker;

use crate::capabilities::{self, LocatorRefusal, Mode, Seeded, State};
use crate::compile::{self, blocking};
use crate::egress::Budget;
use crate::engine::{self, StartProblem};
use crate::examples;
use crate::gate::{Gate, Place};
use crate::guard::{Guard, stands};
use crate::instance::{Everything, Exports, Running, Terms};
use crate::load::{self, LoadProblem};
use crate::measure::{Measure, Measures};
use crate::moment::{Deadline, wall_clock};
use crate::piece::{Channel, Gates, Piece};
use crate::setup::{ChannelSetup, LocatorKey, RuntimeConfig};
use crate::standing::Health;

/// Runs pieces. Cheap to clone; all clones are the same runtime.
#[derive(Clone)]
pub struct Runtime(Arc<Inner>);

struct Inner {
    config: RuntimeConfig,
    engine: Engine,
    linker: Linker<State>,
    tls: ClientConfig,
    locators: LocatorKey,
    /// How many locators did not verify.
    refused_locators: AtomicU64,
    gates: Gates,
    channels: RwLock<BTreeMap<String, Channel>>,
    measures: Option<Arc<Measures>>,
}

/// A piece that is ready to be switched to, or was switched from. Cheap to clone.
#[derive(Clone)]
pub struct Prepared(Arc<Piece>);

impl Prepared {
    /// What the engine has to know about it.
    pub fn info(&self) -> &ChannelInfo {
        &self.0.info
    }

    /// Its manifest.
    pub fn manifest(&self) -> &Arc<Manifest> {
        &self.0.manifest
    }

    /// How it does, or did.
    pub fn health(&self) -> Health {
        self.0.standing.health()
    }
}

impl fmt::Debug for Prepared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Prepared")
            .field("channel", &self.0.channel)
            .field("piece", &self.0.info)
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for Runtime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Runtime")
            .field("config", &self.0.config)
            .finish_non_exhaustive()
    }
}

impl Runtime {
    /// Starts the engine and its ticker thread, which end when the last clone is dropped. Locators of forms are made and
    /// read with `locators`.
    ///
    /// # Errors
    /// The machine cannot run WebAssembly or TLS.
    pub fn new(config: RuntimeConfig, locators: LocatorKey) -> Result<Self, StartProblem> {
        let engine = engine::start(&config)?;
        let mut linker = Linker::new(&engine);
        capabilities::link(&mut linker).map_err(|error| StartProblem::Engine(format!("{error:#}")))?;
        Ok(Self(Arc::new(Inner {
            engine,
            linker,
            tls: crate::egress::client::tls()?,
            locators,
            refused_locators: AtomicU64::new(0),
            gates: Gates {
                pure: Gate::new(config.pure_calls_max),
                acting: Gate::new(config.acting_calls_max),
            },
            measures: config.measured.then(Arc::default),
            config,
            channels: RwLock::default(),
        })))
    }

    /// Prepares a piece and switches its channel to it.
    ///
    /// # Errors
    /// As for [`prepare`](Self::prepare). What was behind the channel before stays.
    pub async fn load(
        &self,
        setup: ChannelSetup,
        bytes: impl Into<Bytes>,
    ) -> Result<ChannelInfo, LoadProblem> {
        let prepared = self.prepare(setup, bytes).await?;
        let info = prepared.info().clone();
        drop(self.switch(prepared));
        Ok(info)
    }

    /// Checks, compiles and links a piece for the channel of the setup, runs it once, and then each of its examples. Nothing
    /// is behind the channel yet that was not before.
    ///
    /// # Errors
    /// The first thing against it.
    pub async fn prepare(
        &self,
        setup: ChannelSetup,
        bytes: impl Into<Bytes>,
    ) -> Result<Prepared, LoadProblem> {
        let bytes: Bytes = bytes.into();
        let (runtime, file) = (self.clone(), bytes.clone());
        let checking = blocking(move || (load::check(&runtime.host(), &setup, &file), setup));
        let (checked, setup) = checking.await;
        let checked = checked?;
        let Inner { config, engine, .. } = &*self.0;
        let compiled = compile::component(&config.compiler, engine, checked.name(), &bytes).await;
        let component = compiled.map_err(|why| checked.not_compiled(why))?;
        let runtime = self.clone();
        let linking = blocking(move || load::link(&runtime.host(), &setup, checked, &component));
        let piece = Arc::new(linking.await?);
        if stands(Guard::TryOut) {
            self.try_out(&piece).await?;
        }
        let prepared = Prepared(piece);
        examples::all(self, &prepared.0).await?;
        Ok(prepared)
    }

    /// Puts a prepared piece behind its channel, and gives back the one that was there. From then on every new call meets the
    /// new one; calls that run end on the one before, within their own limits, and what `connect` returned is kept.
    pub fn switch(&self, prepared: Prepared) -> Option<Prepared> {
        let Prepared(piece) = prepared;
        let mut channels = self.0.channels.write().unwrap_or_else(PoisonError::into_inner);
        let connections = channels
            .get(&piece.channel)
            .map(|before| Arc::clone(&before.connections));
        let connections = connections.unwrap_or_default();
        let name = piece.channel.clone();
        let before = channels.insert(name, Channel { piece, connections });
        before.map(|before| Prepared(before.piece))
    }

    /// How the piece behind a channel does; none when there is none.
    pub fn health(&self, channel: &str) -> Option<Health> {
        self.channel(channel)
            .map(|channel| channel.piece.standing.health())
    }

    /// What the hook calls used that have ended since it was asked last, in the order of their ends. Empty unless the
    /// configuration says that they are measured.
    pub fn take_measures(&self) -> Vec<Measure> {
        self.0
            .measures
            .as_ref()
            .map(|measures| measures.take())
            .unwrap_or_default()
    }

    fn host(&self) -> load::Host<'_> {
        let Inner {
            config,
            linker,
            tls,
            locators,
            measures,
            ..
        } = &*self.0;
        load::Host {
            config,
            linker,
            tls,
            locators: *locators,
            measures: measures.as_ref(),
        }
    }

    /// The manifest of the piece behind a channel: its verification recipe, for one.
    pub fn manifest(&self, channel: &str) -> Option<Arc<Manifest>> {
        self.channel(channel)
            .map(|channel| Arc::clone(&channel.piece.manifest))
    }

    /// Takes the piece away from a channel. Calls that run end on it. False when there was none.
    pub fn unload(&self, channel: &str) -> bool {
        let mut channels = self.0.channels.write().unwrap_or_else(PoisonError::into_inner);
        channels.remove(channel).is_some()
    }

    /// Builds a linker and links a channel's piece with it, and throws both away: what every call would cost without
    /// keeping them. For the benchmark alone.
    ///
    /// # Errors
    /// None in practice: the piece was linked the same way when it was loaded.
    #[doc(hidden)]
    pub fn relinked(&self, channel: &str) -> wasmtime::Result<bool> {
        let Some(channel) = self.channel(channel) else {
            return Ok(false);
        };
        let mut linker = Linker::new(&self.0.engine);
        capabilities::link(&mut linker)?;
        linker.instantiate_pre(channel.piece.instances.component())?;
        Ok(true)
    }

    /// One instance, thrown away: only then it is known that its start code returns and that its functions have the
    /// contract's types.
    async fn try_out(&self, piece: &Arc<Piece>) -> Result<(), LoadProblem> {
        let places = self.pure_places(piece, "start").await;
        let tried = async {
            let deadline = Deadline::after(self.0.config.pure_wall_max);
            let terms = self.pure_terms("start", Seeded::by([]), deadline);
            Running::start::<Everything>(piece, terms, places?)
                .await
                .map(drop)
        };
        tried
            .await
            .map_err(|fault| LoadProblem::does_not_start(piece, &fault))
    }

    /// Reads the locator that came in a form. One that does not verify is counted and told to the operator; to the rest of
    /// the host it is like a form that has none.
    pub(crate) fn located(&self, channel: &str, account: &str, private_metadata: &str) -> Option<Locator> {
        match capabilities::decode_locator(&self.0.locators, channel, account, private_metadata) {
            Ok(locator) => Some(locator),
            Err(LocatorRefusal::NotOurs) => None,
            Err(LocatorRefusal::Unverified) => {
                let refused = self.0.refused_locators.fetch_add(1, Ordering::Relaxed) + 1;
                tracing::warn!(
                    channel,
                    refused,
                    "a form's locator was not made here for this channel and account; the form leads nowhere"
                );
                None
            }
        }
    }

    pub(crate) fn channel(&self, name: &str) -> Option<Channel> {
        let channels = self.0.channels.read().unwrap_or_else(PoisonError::into_inner);
        channels.get(name).cloned()
    }

    /// The piece behind a channel, for a hook call, unless it is held back.
    pub(crate) fn entered(&self, name: &str, hook: &'static str) -> Result<Channel, HookFault> {
        let channel = self.channel(name).ok_or_else(|| HookFault {
            hook,
            kind: FaultKind::NotLoaded,
            reason: format!("no piece is loaded for channel `{name}`"),
        })?;
        channel.piece.standing.enter(hook)?;
        Ok(channel)
    }

    /// An instance for a pure hook.
    pub(crate) async fn enter_pure<E: Exports>(
        &self,
        channel: &Channel,
        hook: &'static str,
        seed: Seeded,
    ) -> Result<(Running, E), HookFault> {
        let piece = &channel.piece;
        let places = self.pure_places(piece, hook).await?;
        let deadline = Deadline::after(self.0.config.pure_wall_max);
        Running::start(piece, self.pure_terms(hook, seed, deadline), places).await
    }

    /// An instance for an acting hook. `deadline` was taken when the call came in: waiting for a place counts.
    pub(crate) async fn enter_acting<E: Exports>(
        &self,
        channel: &Channel,
        hook: &'static str,
        account: &str,
        deadline: Deadline,
    ) -> Result<(Running, E), HookFault> {
        failpoint::pass("hook.before", hook);
        let piece = &channel.piece;
        let (all, share) = (&self.0.gates.acting, &piece.gates.acting);
        let places = self.places(all, share, piece.places_per_call, hook).await?;
        let terms = Terms {
            hook,
            mode: Mode::Acting(Arc::new(Budget::new(account.to_owned(), deadline))),
            memory_bytes_max: self.0.config.memory_bytes_max,
            cpu_max: self.0.config.acting_cpu_max,
            deadline,
        };
        Running::start(piece, terms, places).await
    }

    fn pure_terms(&self, hook: &'static str, random: Seeded, deadline: Deadline) -> Terms {
        Terms {
            hook,
            mode: Mode::Pure {
                now: wall_clock(),
                random,
            },
            memory_bytes_max: self.0.config.memory_bytes_max,
            cpu_max: self.0.config.pure_cpu_max,
            deadline,
        }
    }

    async fn pure_places(&self, piece: &Piece, hook: &'static str) -> Result<[Place; 2], HookFault> {
        let (all, share) = (&self.0.gates.pure, &piece.gates.pure);
        self.places(all, share, piece.places_per_call, hook).await
    }

    /// Places in the piece's share first: whoever waits there must not hold places of the whole host.
    async fn places(
        &self,
        all: &Gate,
        share: &Gate,
        count: u32,
        hook: &'static str,
    ) -> Result<[Place; 2], HookFault> {
        let wait = self.0.config.place_wait_max;
        let busy = |whose: &str| HookFault {
            hook,
            kind: FaultKind::Busy,
            reason: format!("too many calls of {whose} are in flight"),
        };
        let share = if stands(Guard::Share) {
            share
        } else {
            &Gate::new(usize::MAX)
        };
        let of_piece = share.enter(count, wait).await.ok_or_else(|| busy("this piece"))?;
        let of_all = all.enter(count, wait).await.ok_or_else(|| busy("all pieces"))?;
        Ok([of_piece, of_all])
    }
}
