//! Shows what a piece is and what it could do, from its bytes alone. Nothing of it is compiled or run.

mod screen;

use std::collections::BTreeMap;

use frogbot_manifest::{
    Auth, Encoding, Manifest, OptionSpec, OptionalHook, SectionProblem, Signed, Verification,
};
use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::interface::{Interface, InterfaceProblem, QUESTIONS};

/// Everything an operator decides on. `Display` is the permission screen, `Serialize` the same for programs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Inspection {
    /// The piece's name.
    pub name: String,
    /// Its version.
    pub version: String,
    /// One line: what it is.
    pub description: String,
    /// SPDX expression.
    pub licence: String,
    /// Where its source is; may be empty.
    pub source: String,
    /// The contract's version.
    pub world: String,
    /// Whether it shows the agent's questions.
    pub questions: bool,
    /// The optional hooks it has.
    pub hooks: Vec<OptionalHook>,
    /// Whether everybody in a conversation sees its notices.
    pub notices_public: bool,
    /// Every place it can send requests to. There is no other way out.
    pub reaches: Vec<Reach>,
    /// The secrets it needs, by name. Their values stay in the host.
    pub secrets: BTreeMap<String, String>,
    /// How the host verifies the platform's requests, in words.
    pub verification: String,
    /// What the operator may set.
    pub options: BTreeMap<String, OptionSpec>,
    /// Everything the component imports.
    pub imports: Vec<String>,
    /// Everything the component exports.
    pub exports: Vec<String>,
    /// The size of the file in bytes.
    pub bytes: usize,
    /// SHA-256 of the file, in hex.
    pub sha256: String,
}

/// One place a piece can send requests to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Reach {
    /// The slot's id.
    pub slot: String,
    /// The base URL; empty when the operator must configure it.
    pub base: String,
    /// What it is used for, in the author's words.
    pub purpose: String,
    /// With which methods.
    pub methods: Vec<String>,
    /// To which paths below the base.
    pub paths: Vec<String>,
    /// With which credential, in words.
    pub credential: String,
    /// The largest request body in bytes.
    pub request_bytes_max: usize,
    /// The largest response body in bytes.
    pub response_bytes_max: usize,
    /// How long a request may take in milliseconds.
    pub timeout_ms: u64,
}

/// Why a file cannot be shown.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InspectProblem {
    /// Its manifest cannot be read.
    #[error(transparent)]
    Section(#[from] SectionProblem),
    /// It is no valid component.
    #[error(transparent)]
    Interface(#[from] InterfaceProblem),
}

/// Reads what a piece is and what it could do.
///
/// # Errors
///
/// When the bytes are no valid component with a valid manifest: a screen is shown of what can be trusted, or not at all.
pub fn inspect(wasm: &[u8]) -> Result<Inspection, InspectProblem> {
    let interface = Interface::read(wasm)?;
    let manifest = frogbot_manifest::read(wasm)?;
    let questions = interface.exports(QUESTIONS);
    let reaches = reaches(&manifest);
    Ok(Inspection {
        questions,
        reaches,
        verification: verification(&manifest.verification),
        imports: interface.imports,
        exports: interface.exports,
        bytes: wasm.len(),
        sha256: hex::encode(Sha256::digest(wasm)),
        name: manifest.name,
        version: manifest.version.to_string(),
        description: manifest.description,
        licence: manifest.licence,
        source: manifest.source,
        world: manifest.world,
        hooks: manifest.hooks,
        notices_public: manifest.notices_public,
        secrets: manifest.secrets,
        options: manifest.options,
    })
}

fn reaches(manifest: &Manifest) -> Vec<Reach> {
    let reach = |(id, slot): (&String, &frogbot_manifest::Slot)| Reach {
        slot: id.clone(),
        base: slot.base.clone(),
        purpose: slot.purpose.clone(),
        methods: slot.methods.clone(),
        paths: slot.paths.clone(),
        credential: credential(&slot.auth),
        request_bytes_max: slot.request_bytes_max,
        response_bytes_max: slot.response_bytes_max,
        timeout_ms: slot.timeout_ms,
    };
    manifest.slots.iter().map(reach).collect()
}

fn credential(auth: &Auth) -> String {
    match auth {
        Auth::None => "no credential".to_owned(),
        Auth::Bearer { secret } => format!("the secret `{secret}` as bearer token"),
        Auth::Header { name, prefix, secret } => {
            format!("the secret `{secret}` in the header `{name}`{}", behind(prefix))
        }
        Auth::Path { prefix, secret } => format!("the secret `{secret}` in the path{}", behind(prefix)),
    }
}

fn verification(verification: &Verification) -> String {
    match verification {
        Verification::HmacSha256 {
            secret,
            header,
            prefix,
            encoding,
            signed,
            replay,
        } => format!(
            "HMAC-SHA256 with the secret `{secret}` over {}, compared with the header `{header}` in {}{}{}",
            concatenation(signed),
            match encoding {
                Encoding::Hex => "hex",
                Encoding::Base64 => "base64",
            },
            behind(prefix),
            window(replay.as_ref()),
        ),
        Verification::Ed25519 {
            key,
            header,
            signed,
            replay,
        } => format!(
            "Ed25519 with the public key `{key}` over {}, signature in the header `{header}`{}",
            concatenation(signed),
            window(replay.as_ref()),
        ),
        Verification::SharedSecret {
            secret,
            header,
            prefix,
        } => {
            format!(
                "the header `{header}` equals the secret `{secret}`{}",
                behind(prefix)
            )
        }
    }
}

fn behind(prefix: &str) -> String {
    if prefix.is_empty() {
        String::new()
    } else {
        format!(" behind {prefix:?}")
    }
}

fn concatenation(signed: &[Signed]) -> String {
    let part = |part: &Signed| match part {
        Signed::Text(text) => format!("{text:?}"),
        Signed::Header(name) => format!("the header `{name}`"),
        Signed::Body => "the body".to_owned(),
    };
    signed.iter().map(part).collect::<Vec<_>>().join(" + ")
}

fn window(replay: Option<&frogbot_manifest::Replay>) -> String {
    match replay {
        Some(replay) => format!("; `{}` at most {} s from now", replay.header, replay.window_s),
        None => "; a copied request is recognised only by its delivery id".to_owned(),
    }
}

#[cfg(test)]
pub(crate) mod tests;
