//! The pieces of a running host: what is behind each channel, how it is replaced, and how it goes back.
//!
//! A build comes from the folder, which is looked at every second, or over the admin interface. It is prepared beside the one
//! that runs (checked, compiled, linked, tried, its examples run), and only when there is nothing against it, all channels of
//! the piece are switched to it. Whatever is against it, the one that runs goes on, and a line in the log says why. Its first
//! calls are watched: when they fail by its own fault, the build before takes over again.
//!
//! The last build that was switched to is kept in a folder of the host's own, `accepted`. A restart compares what lies in the
//! pieces' folder with it, so that what was refused while the host ran is refused then, too.

pub(crate) mod accepted;
mod file;
pub(crate) mod policy;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use frogbot_manifest::Manifest;
use gateway::{ChannelGate, Gates, SigningSecret};
use ports::Clock;
use runtime::{ChannelSetup, Health, Prepared, Runtime};
use serde::Serialize;
use sha2::{Digest, Sha256};
use tokio::sync::Mutex;
use tokio::time::Instant;

use crate::config::verification_secret;
use accepted::Accepted;
use file::{Looked, Watched};
use policy::Probation;

/// How often the folder is looked at, and a build on probation.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// A channel as it stays, whatever its piece is.
pub(crate) struct Mounted {
    pub(crate) setup: ChannelSetup,
    /// Every secret of the channel, for what verifies its requests.
    pub(crate) secrets: BTreeMap<String, Arc<dyn SigningSecret>>,
}

/// A piece as it was started.
pub(crate) struct Started {
    pub(crate) bytes: Bytes,
    pub(crate) path: PathBuf,
    pub(crate) channels: Vec<Mounted>,
    pub(crate) prepared: Vec<Prepared>,
}

/// The pieces, by name.
pub(crate) struct Shelf {
    runtime: Runtime,
    gates: Gates,
    accepted: Accepted,
    /// One change at a time.
    pieces: Mutex<BTreeMap<String, Piece>>,
}

struct Piece {
    channels: Vec<Mounted>,
    file: Watched,
    /// None: it was taken away.
    now: Option<Build>,
    before: Option<Build>,
    on_probation: bool,
}

/// A build that runs or ran.
struct Build {
    digest: [u8; 32],
    bytes: Bytes,
    since: SystemTime,
    /// One for each channel.
    prepared: Vec<Prepared>,
}

/// The operator's word for a build.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Word {
    /// It may be more, or older, than the one that runs.
    Granted,
    /// Nothing was said.
    None,
}

/// What became of a build.
#[derive(Debug, Serialize)]
#[serde(tag = "outcome", rename_all = "kebab-case")]
pub(crate) enum Installed {
    /// It runs.
    Switched {
        /// The piece.
        piece: String,
        /// The version before; none when there was none.
        from: Option<String>,
        /// The version now.
        to: String,
    },
    /// It ran already.
    Same {
        /// The piece.
        piece: String,
    },
}

/// A piece for its operator.
#[derive(Debug, Serialize)]
pub(crate) struct Shown {
    piece: String,
    channels: Vec<String>,
    #[serde(flatten)]
    runs: Option<Runs>,
    previous: Option<String>,
}

#[derive(Debug, Serialize)]
struct Runs {
    version: String,
    sha256: String,
    since_unix_s: u64,
    on_probation: bool,
    calls: u64,
    failures: u64,
    held_back: bool,
    last_failure: Option<String>,
}

impl Shelf {
    /// What was started. Each build counts as accepted from now on.
    pub(crate) fn new(
        runtime: Runtime,
        gates: Gates,
        accepted: Accepted,
        started: BTreeMap<String, Started>,
    ) -> Self {
        let pieces = started.into_iter().map(|(name, started)| {
            let build = Build::new(started.bytes, started.prepared);
            accepted.keep(&name, &build.bytes);
            let piece = Piece {
                channels: started.channels,
                file: Watched::new(started.path, build.digest),
                now: Some(build),
                before: None,
                on_probation: false,
            };
            (name, piece)
        });
        Self {
            pieces: Mutex::new(pieces.collect()),
            runtime,
            gates,
            accepted,
        }
    }

    /// Looks after the folder and the builds on probation for ever.
    pub(crate) async fn watch(&self, clock: &impl Clock) {
        loop {
            clock.sleep(LOOK_EVERY).await;
            let names: Vec<String> = self.pieces.lock().await.keys().cloned().collect();
            for name in names {
                self.look(&name).await;
            }
        }
    }

    async fn look(&self, name: &str) {
        let mut pieces = self.pieces.lock().await;
        let Some(piece) = pieces.get_mut(name) else {
            return;
        };
        self.judge(name, piece);
        match piece.file.look().await {
            Looked::Same => {}
            Looked::Gone => self.take_away(name, piece),
            Looked::Unreadable(error) => {
                tracing::warn!(piece = name, file = %piece.file.path().display(), error, "the piece's file cannot be read; what runs goes on");
            }
            Looked::New(bytes) => {
                if let Err(reason) = self.change(name, piece, bytes, Word::None).await {
                    tracing::error!(
                        piece = name,
                        file = %piece.file.path().display(),
                        reason,
                        "a new build is refused; what runs goes on"
                    );
                }
            }
        }
    }

    /// Takes a build that was brought, and puts it into the folder when it runs.
    ///
    /// # Errors
    /// Why it does not, with what to do. What ran before goes on.
    pub(crate) async fn install(&self, bytes: Bytes, word: Word) -> Result<Installed, String> {
        let manifest = frogbot_manifest::read(&bytes)
            .map_err(|problem| format!("{problem}; build it with `frogbot piece build`"))?;
        let mut pieces = self.pieces.lock().await;
        let known: Vec<String> = pieces.values().filter_map(Piece::name).collect();
        let found = pieces
            .iter_mut()
            .find(|(_, piece)| piece.name().as_ref() == Some(&manifest.name));
        let Some((name, piece)) = found else {
            return Err(format!(
                "no channel has the piece `{}`, only {}; name it as a channel's `piece` in the configuration and restart",
                manifest.name,
                known.join(", ")
            ));
        };
        let installed = self
            .change(name, piece, bytes.clone(), word)
            .await
            .inspect_err(|reason| {
                tracing::error!(
                    piece = manifest.name,
                    reason,
                    "a new build is refused; what runs goes on"
                )
            })?;
        piece.file.write(bytes).await.map_err(|error| {
            format!(
                "it runs, but {} cannot be written ({error}), so the next start has the one there; put the file there yourself",
                piece.file.path().display()
            )
        })?;
        Ok(installed)
    }

    async fn change(
        &self,
        name: &str,
        piece: &mut Piece,
        bytes: Bytes,
        word: Word,
    ) -> Result<Installed, String> {
        let manifest =
            frogbot_manifest::read(&bytes).map_err(|problem| format!("{problem}; build it again"))?;
        let known = piece.now.as_ref().or(piece.before.as_ref());
        let known = known.map(Build::manifest).transpose()?;
        if let Some(known) = known.filter(|known| known.name != manifest.name) {
            return Err(format!(
                "it is the piece `{}`, but `{}` was here; name another piece for the channel in the configuration and restart",
                manifest.name, known.name
            ));
        }
        let began = Instant::now();
        let digest: [u8; 32] = Sha256::digest(&bytes).into();
        if piece.now.as_ref().is_some_and(|now| now.digest == digest) {
            return Ok(Installed::Same {
                piece: name.to_owned(),
            });
        }
        if let Some(known) = known {
            allowed(known, &manifest, word)?;
        }
        let mut prepared = Vec::new();
        let mut gates = Vec::new();
        for channel in &piece.channels {
            gates.push(gate(channel, &manifest)?);
            let ready = self.runtime.prepare(channel.setup.clone(), bytes.clone()).await;
            prepared.push(ready.map_err(|problem| problem.to_string())?);
        }
        let build = Build::new(bytes, prepared);
        self.switch(piece, &build, gates);
        self.accepted.keep(name, &build.bytes);
        piece.file.known(digest);
        let to = manifest.version.to_string();
        let before = piece.now.replace(build);
        let from = before.as_ref().and_then(Build::version);
        tracing::info!(
            piece = name,
            from = from.as_deref().unwrap_or("-"),
            to,
            sha256 = hex::encode(digest),
            granted = word == Word::Granted,
            took_ms = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX),
            "piece replaced"
        );
        piece.on_probation = before.is_some();
        piece.before = before;
        Ok(Installed::Switched {
            piece: name.to_owned(),
            from,
            to,
        })
    }

    fn switch(&self, piece: &Piece, build: &Build, gates: Vec<ChannelGate>) {
        for ((channel, prepared), gate) in piece.channels.iter().zip(&build.prepared).zip(gates) {
            drop(self.runtime.switch(prepared.clone()));
            self.gates.put_up(&channel.setup.channel, gate);
        }
    }

    /// Goes back when the first calls of a build fail by its own fault.
    fn judge(&self, name: &str, piece: &mut Piece) {
        let (true, Some(now)) = (piece.on_probation, &piece.now) else {
            return;
        };
        let health = now.health();
        match policy::probation(&health) {
            Probation::GoesOn => {}
            Probation::Passed => piece.on_probation = false,
            Probation::Failed => {
                piece.on_probation = false;
                let Some(before) = piece.before.take() else {
                    return;
                };
                let gates: Result<Vec<ChannelGate>, String> = before.manifest().and_then(|manifest| {
                    let gates = piece.channels.iter().map(|channel| gate(channel, manifest));
                    gates.collect()
                });
                let Ok(gates) = gates else {
                    return;
                };
                tracing::error!(
                    piece = name,
                    failed = now.version().as_deref().unwrap_or("-"),
                    back_to = before.version().as_deref().unwrap_or("-"),
                    calls = health.calls,
                    failures = health.failures,
                    reason = health.last_failure.as_deref().unwrap_or("-"),
                    "the new build's first calls failed, so the one before is back; report the reason to the author of the piece"
                );
                self.switch(piece, &before, gates);
                self.accepted.keep(name, &before.bytes);
                piece.now = Some(before);
            }
        }
    }

    fn take_away(&self, name: &str, piece: &mut Piece) {
        let Some(gone) = piece.now.take() else {
            return;
        };
        for channel in &piece.channels {
            let channel = &channel.setup.channel;
            self.gates.take_down(
                channel,
                "its piece was taken out of the folder; put the file back to go on",
            );
            self.runtime.unload(channel);
            tracing::error!(
                channel,
                piece = name,
                version = gone.version().as_deref().unwrap_or("-"),
                file = %piece.file.path().display(),
                "channel down: its piece was taken away; its platform is told 503, open questions wait until the file is back"
            );
        }
        piece.before = Some(gone);
    }

    /// What runs.
    pub(crate) async fn shown(&self) -> Vec<Shown> {
        let pieces = self.pieces.lock().await;
        pieces.iter().map(|(name, piece)| piece.shown(name)).collect()
    }
}

/// Prepares a build for every channel of its piece.
///
/// # Errors
/// The first thing against it, in words.
pub(crate) async fn start(
    runtime: &Runtime,
    channels: &[Mounted],
    bytes: Bytes,
) -> Result<(Bytes, Vec<Prepared>), String> {
    let mut prepared = Vec::new();
    for channel in channels {
        let name = &channel.setup.channel;
        let ready = runtime.prepare(channel.setup.clone(), bytes.clone()).await;
        prepared.push(ready.map_err(|problem| format!("channel `{name}` cannot start: {problem}"))?);
    }
    Ok((bytes, prepared))
}

/// Whether `after` may follow `before`.
fn allowed(before: &Manifest, after: &Manifest, word: Word) -> Result<(), String> {
    let moved = policy::moved(before, after);
    if !moved.is_empty() {
        return Err(format!(
            "{}; set the channel's slot in the configuration to the place you mean, and restart",
            moved.join("; ")
        ));
    }
    let objections = policy::objections(before, after);
    if objections.is_empty() || word == Word::Granted {
        return Ok(());
    }
    Err(format!(
        "{}; look at it with `frogbot piece inspect`, and if that is what you want, `frogbot piece install --grant`",
        objections.join("; ")
    ))
}

/// What requests to a channel must pass when this is its piece.
pub(crate) fn gate(channel: &Mounted, manifest: &Manifest) -> Result<ChannelGate, String> {
    let verification = manifest.verification.clone();
    let name = verification_secret(&verification);
    let secret = channel.secrets.get(name).cloned().ok_or_else(|| {
        format!(
            "channel `{}`: the secret `{name}`, which verifies its requests, is not configured; add it and restart",
            channel.setup.channel
        )
    })?;
    Ok(ChannelGate { verification, secret })
}

impl Build {
    fn new(bytes: Bytes, prepared: Vec<Prepared>) -> Self {
        Self {
            digest: Sha256::digest(&bytes).into(),
            bytes,
            since: crate::world::wall_clock()(),
            prepared,
        }
    }

    fn manifest(&self) -> Result<&Manifest, String> {
        let first = self.prepared.first().map(|prepared| prepared.manifest().as_ref());
        first.ok_or_else(|| "the piece has no channel".to_owned())
    }

    fn version(&self) -> Option<String> {
        self.manifest().ok().map(|manifest| manifest.version.to_string())
    }

    /// Over all its channels.
    fn health(&self) -> Health {
        let mut all = Health {
            calls: 0,
            failures: 0,
            in_a_row: 0,
            last_failure: None,
            held_back: false,
        };
        for health in self.prepared.iter().map(Prepared::health) {
            all.calls += health.calls;
            all.failures += health.failures;
            all.in_a_row = all.in_a_row.max(health.in_a_row);
            all.last_failure = health.last_failure.or(all.last_failure);
            all.held_back |= health.held_back;
        }
        all
    }
}

impl Piece {
    /// By the manifest of what runs, or ran last.
    fn name(&self) -> Option<String> {
        let build = self.now.as_ref().or(self.before.as_ref())?;
        Some(build.manifest().ok()?.name.clone())
    }

    fn shown(&self, name: &str) -> Shown {
        let runs = self.now.as_ref().map(|build| {
            let health = build.health();
            let since = build.since.duration_since(SystemTime::UNIX_EPOCH);
            Runs {
                version: build.version().unwrap_or_default(),
                sha256: hex::encode(build.digest),
                since_unix_s: since.map_or(0, |since| since.as_secs()),
                on_probation: self.on_probation,
                calls: health.calls,
                failures: health.failures,
                held_back: health.held_back,
                last_failure: health.last_failure,
            }
        });
        Shown {
            piece: name.to_owned(),
            channels: self
                .channels
                .iter()
                .map(|channel| channel.setup.channel.clone())
                .collect(),
            runs,
            previous: self.before.as_ref().and_then(Build::version),
        }
    }
}
