//! From bytes to a piece that can run, or to the first thing against it. Nothing is compiled before everything that can
//! be read from the file has been checked, and nothing runs before everything is.

mod options;
mod problem;
mod resources;
mod world;

use std::sync::Arc;

use frogbot_manifest::{Manifest, OptionalHook, SectionProblem};
use ports::pieces::{ChannelInfo, OptionalHooks};
use rustls::ClientConfig;
use wasmtime::component::{Component, Linker};

use crate::bindings::exports::frogbot::piece::{channel, channel_questions};
use crate::capabilities::State;
use crate::compile::NotCompiled;
use crate::egress::Egress;
use crate::gate::Gate;
use crate::guard::{Guard, stands};
use crate::measure::Measures;
use crate::piece::{Gates, Piece};
use crate::setup::{ChannelSetup, LocatorKey, RuntimeConfig};
use crate::standing::Standing;

pub(crate) use problem::Blamed;
pub use problem::{LoadProblem, Stage};
use world::Surface;

/// What loading needs of the runtime.
pub(crate) struct Host<'a> {
    pub(crate) config: &'a RuntimeConfig,
    pub(crate) linker: &'a Linker<State>,
    pub(crate) tls: &'a ClientConfig,
    pub(crate) locators: LocatorKey,
    pub(crate) measures: Option<&'a Arc<Measures>>,
}

/// A file with nothing against it but what compiling would show.
pub(crate) struct Checked {
    blamed: Blamed,
    manifest: Manifest,
    surface: Surface,
    options: String,
    egress: Egress,
}

impl Checked {
    /// The piece's name and version.
    pub(crate) fn name(&self) -> &str {
        self.blamed.name()
    }

    /// It does not compile.
    pub(crate) fn not_compiled(&self, why: NotCompiled) -> LoadProblem {
        self.blamed.at(Stage::Compiling, why.reason, why.remedy)
    }
}

/// Checks everything that can be read from the file. Blocks for some milliseconds, with a large file.
pub(crate) fn check(host: &Host<'_>, setup: &ChannelSetup, bytes: &[u8]) -> Result<Checked, LoadProblem> {
    let unknown = Blamed::unread(&setup.channel);
    size(bytes, host.config.piece_bytes_max)
        .map_err(|(reason, remedy)| unknown.at(Stage::Size, reason, remedy))?;
    world::validate(bytes).map_err(|(reason, remedy)| unknown.at(Stage::Validation, reason, remedy))?;
    let manifest = frogbot_manifest::read(bytes).map_err(|problem| {
        let remedy = "build the piece again with `frogbot piece build`";
        unknown.at(stage_of(&problem), problem.to_string(), remedy)
    })?;
    let piece = Blamed::piece(&setup.channel, &manifest);
    let surface = world::surface(bytes).map_err(|reason| {
        piece.at(
            Stage::Validation,
            reason,
            "build the piece again with `frogbot piece build`",
        )
    })?;
    fits_the_world(&piece, &manifest, &surface)?;
    let options = options::complete(&manifest, &setup.options)
        .map_err(|(reason, remedy)| piece.at(Stage::Options, reason, remedy))?;
    secrets_are_there(&piece, &manifest, setup)?;
    let egress = Egress::open(&manifest, setup, host.tls)
        .map_err(|problem| piece.at(Stage::Grants, problem.reason, problem.remedy))?;
    Ok(Checked {
        blamed: piece,
        manifest,
        surface,
        options,
        egress,
    })
}

/// Links the code of a checked file.
pub(crate) fn link(
    host: &Host<'_>,
    setup: &ChannelSetup,
    checked: Checked,
    component: &Component,
) -> Result<Piece, LoadProblem> {
    let Checked {
        blamed: piece,
        manifest,
        surface,
        options,
        egress,
    } = checked;
    let author = "report this to the author of the piece";
    let places_per_call = resources::places_per_call(host.config, component)
        .map_err(|(reason, remedy)| piece.at(Stage::Resources, reason, remedy))?;
    let instances = host
        .linker
        .instantiate_pre(component)
        .map_err(|error| piece.at(Stage::Linking, format!("{error:#}"), author))?;
    let misfit = |error: wasmtime::Error| {
        piece.at(
            Stage::Exports,
            format!("{error:#}"),
            world::rebuild(&manifest.name),
        )
    };
    Ok(Piece {
        channel: setup.channel.clone(),
        info: info(&manifest, &surface),
        options,
        egress,
        locators: host.locators,
        channel_exports: channel::GuestIndices::new(&instances).map_err(misfit)?,
        question_exports: surface
            .questions
            .then(|| channel_questions::GuestIndices::new(&instances).map_err(misfit))
            .transpose()?,
        instances,
        manifest: Arc::new(manifest),
        gates: Gates {
            pure: Gate::new(resources::share(host.config.pure_calls_max)),
            acting: Gate::new(resources::share(host.config.acting_calls_max)),
        },
        places_per_call,
        standing: Standing::new(host.config.failures_forgiven),
        measures: host.measures.cloned(),
    })
}

/// A piece for another world has a manifest that is fine there.
fn stage_of(problem: &SectionProblem) -> Stage {
    let SectionProblem::Invalid { problems } = problem else {
        return Stage::Manifest;
    };
    if problems.iter().any(|problem| problem.path == "world") {
        Stage::World
    } else {
        Stage::Manifest
    }
}

/// A reason and a remedy.
type Against = (String, String);

fn size(bytes: &[u8], bytes_max: usize) -> Result<(), Against> {
    if bytes.len() <= bytes_max || !stands(Guard::FileSize) {
        return Ok(());
    }
    let reason = format!(
        "the file has {} bytes, at most {bytes_max} are allowed",
        bytes.len()
    );
    Err((
        reason,
        "build a smaller piece, or raise the limit for pieces in the configuration".to_owned(),
    ))
}

fn fits_the_world(piece: &Blamed, manifest: &Manifest, surface: &Surface) -> Result<(), LoadProblem> {
    let rebuild = world::rebuild(&manifest.name);
    if stands(Guard::Imports) {
        surface
            .imports_are_known()
            .map_err(|(reason, remedy)| piece.at(Stage::Imports, reason, remedy))?;
    }
    surface
        .exports_are_ours()
        .map_err(|reason| piece.at(Stage::Exports, reason, &*rebuild))?;
    match manifest
        .hooks
        .iter()
        .find(|hook| !surface.questions && is_of_questions(**hook))
    {
        None => Ok(()),
        Some(hook) => {
            let reason =
                format!("the manifest lists `{hook:?}`, but the piece does not export `channel-questions`");
            Err(piece.at(
                Stage::Hooks,
                reason.to_lowercase(),
                "take it out of the manifest's `hooks`, or export the interface",
            ))
        }
    }
}

fn is_of_questions(hook: OptionalHook) -> bool {
    match hook {
        OptionalHook::Connect
        | OptionalHook::Identity
        | OptionalHook::Started
        | OptionalHook::Edit
        | OptionalHook::Remove => false,
        OptionalHook::Supports
        | OptionalHook::Updated
        | OptionalHook::Rejected
        | OptionalHook::Denied
        | OptionalHook::Stale => true,
    }
}

fn secrets_are_there(piece: &Blamed, manifest: &Manifest, setup: &ChannelSetup) -> Result<(), LoadProblem> {
    let given = |name: &String| {
        setup.secrets.contains_key(name) || setup.account_secrets.values().any(|own| own.contains_key(name))
    };
    match manifest.secrets.iter().find(|(name, _)| !given(name)) {
        None => Ok(()),
        Some((name, purpose)) => {
            let reason = format!("the piece needs the secret `{name}` ({purpose}), which is not configured");
            let remedy = format!(
                "set the secret `{name}` of channel `{}` by reference",
                setup.channel
            );
            Err(piece.at(Stage::Secrets, reason, remedy))
        }
    }
}

fn info(manifest: &Manifest, surface: &Surface) -> ChannelInfo {
    let has = |hook| manifest.hooks.contains(&hook);
    ChannelInfo {
        piece: manifest.name.clone(),
        version: manifest.version.to_string(),
        questions: surface.questions,
        hooks: OptionalHooks {
            connect: has(OptionalHook::Connect),
            identity: has(OptionalHook::Identity),
            started: has(OptionalHook::Started),
            edit: has(OptionalHook::Edit),
            remove: has(OptionalHook::Remove),
            supports: has(OptionalHook::Supports),
            updated: has(OptionalHook::Updated),
            rejected: has(OptionalHook::Rejected),
            denied: has(OptionalHook::Denied),
            stale: has(OptionalHook::Stale),
        },
        notices_public: manifest.notices_public,
    }
}
