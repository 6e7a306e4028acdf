//! `frogbot.toml`: one file, read as a whole, with everything that is wrong told at once.
//!
//! [`read`] goes over it twice. First every section is read by itself (`file`, over the small typed `reader` that notes
//! each problem with its line and goes on); then everything that names something else is compared with what there is
//! (`check`): agents, models, tools, pieces and what they ask for, secrets. Only a configuration without an error becomes a
//! [`Plan`], so whoever has one trusts every name in it.
//!
//! This is also the one place that reads the environment.

mod check;
mod duration;
mod file;
mod problem;
mod reader;
mod store;
mod times;

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use frogbot_manifest::{Manifest, Verification};
use models::Script;
use runtime::SlotGrant;
use toml::de::DeTable;

pub use file::SecretReference;
pub use problem::{Problem, Severity};
pub use store::{LoginPlace, RedisPlace, RedisStore, Store};

use check::Check;
use file::File;
use problem::Problems;
use reader::Table;

/// The largest configuration, in bytes: ten thousand users fit.
const CONFIG_BYTES_MAX: u64 = 4 * 1024 * 1024;

/// What to start: checked, with every name resolved.
#[derive(Debug)]
pub struct Plan {
    /// Where to listen.
    pub listen: SocketAddr,
    /// How long shutdown waits for what is under way.
    pub shutdown: Duration,
    /// Where everything is remembered.
    pub store: Store,
    /// What the engine is told.
    pub engine: engine::config::Config,
    /// The scripts of the models, by the models' names.
    pub scripts: BTreeMap<String, Arc<Script>>,
    /// The folder of compiled code.
    pub compiled: PathBuf,
    /// The token of the admin interface; without one there is none.
    pub admin_token: Option<SecretReference>,
    /// What stands behind the channels, by their names.
    pub channels: BTreeMap<String, ChannelPlan>,
}

/// The piece of a channel and what it is granted.
#[derive(Debug)]
pub struct ChannelPlan {
    /// The piece's configured name.
    pub piece_name: String,
    /// Where its file is.
    pub path: PathBuf,
    /// The bytes that were checked, so that nothing else is loaded.
    pub piece: Bytes,
    /// The manifest in them.
    pub manifest: Manifest,
    /// The options, as they fit the manifest.
    pub options: serde_json::Map<String, serde_json::Value>,
    /// The slots.
    pub grants: BTreeMap<String, SlotGrant>,
    /// The secrets by name.
    pub secrets: BTreeMap<String, SecretReference>,
    /// The secrets of single accounts.
    pub account_secrets: BTreeMap<String, BTreeMap<String, SecretReference>>,
}

/// A configuration, checked.
#[derive(Debug)]
pub struct Checked {
    /// What to start; none when there is an error.
    pub plan: Option<Plan>,
    /// Everything to know, in the order of the lines.
    pub problems: Vec<Problem>,
}

/// Looks up an environment variable.
pub type Environment<'a> = &'a dyn Fn(&str) -> Option<String>;

/// The environment of this process.
#[expect(
    clippy::disallowed_methods,
    reason = "the configuration is the one place that reads the environment"
)]
pub fn environment(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

/// Reads and checks the configuration at `path`. Paths in it are relative to its folder.
pub fn read(path: &Path, environment: Environment<'_>) -> Checked {
    let shown = path.display().to_string();
    match read_bounded(path) {
        Ok(source) => check_source(
            &shown,
            &source,
            path.parent().unwrap_or(Path::new("")),
            environment,
        ),
        Err(text) => {
            let problems = Problems::new(&shown, "");
            problems.error(1, text);
            Checked {
                plan: None,
                problems: problems.into_sorted(),
            }
        }
    }
}

fn read_bounded(path: &Path) -> Result<String, String> {
    let cannot = |error: std::io::Error| {
        format!("cannot read the configuration: {error}; name another file with `--config`")
    };
    let bytes = std::fs::metadata(path).map_err(cannot)?.len();
    if bytes > CONFIG_BYTES_MAX {
        return Err(format!(
            "the configuration has {bytes} bytes, at most {CONFIG_BYTES_MAX} are read"
        ));
    }
    std::fs::read_to_string(path).map_err(cannot)
}

fn check_source(shown: &str, source: &str, folder: &Path, environment: Environment<'_>) -> Checked {
    let problems = Problems::new(shown, source);
    let (table, errors) = DeTable::parse_recoverable(source);
    for error in errors {
        let line = error.span().map_or(1, |span| problems.line(&span));
        problems.error(line, error.message());
    }
    let file = File::read(Table::whole(&table, &problems), folder, &problems);
    let plan = Check {
        file: &file,
        problems: &problems,
        environment,
    }
    .plan();
    let plan = plan.filter(|_| !problems.has_errors());
    Checked {
        plan,
        problems: problems.into_sorted(),
    }
}

/// Where the admin interface of a host with this configuration is, and what it wants to be told.
#[derive(Debug)]
pub struct AdminPlace {
    /// The host's address.
    pub listen: SocketAddr,
    /// The token.
    pub token: SecretReference,
}

/// Finds the admin interface; the rest of the configuration may be in any state.
///
/// # Errors
/// There is none, in words.
pub fn read_admin(path: &Path, environment: Environment<'_>) -> Result<AdminPlace, String> {
    let source = read_bounded(path)?;
    let shown = path.display().to_string();
    let checked = check_source(
        &shown,
        &source,
        path.parent().unwrap_or(Path::new("")),
        environment,
    );
    let plan = checked
        .plan
        .ok_or_else(|| format!("{shown} is not in order; `frogbot check` says what is wrong"))?;
    let token = plan.admin_token.ok_or_else(|| {
        format!(
            "{shown} has no admin interface; add `[admin]` with `token = {{ file = \"admin-token\" }}` and restart the host"
        )
    })?;
    Ok(AdminPlace {
        listen: plan.listen,
        token,
    })
}

/// The name of the secret that a recipe verifies with.
pub fn verification_secret(verification: &Verification) -> &str {
    match verification {
        Verification::HmacSha256 { secret, .. } | Verification::SharedSecret { secret, .. } => secret,
        Verification::Ed25519 { key, .. } => key,
    }
}

#[cfg(test)]
mod tests;
