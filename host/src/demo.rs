//! `frogbot demo`: the host with defaults of its own instead of a configuration: an agent that asks before it paints, a
//! scripted model, a store in a temporary folder. It needs a forum to be in; `cargo xtask demo` brings one.

use std::fs;
use std::path::Path;

use anyhow::Context;
use tempfile::TempDir;

use crate::config::Environment;
use crate::serve;

const CONFIGURATION: &str = include_str!("demo/frogbot.toml");
const SCRIPT: &str = include_str!("demo/script.toml");
/// Known to everybody: the demonstration's forum is on the same machine and gone afterwards.
const TOKEN: &str = "demo-forum-token";
const WEBHOOK_SECRET: &str = "demo-webhook-secret";

/// Serves the demonstration until it is told to stop; the folder is removed at the end.
///
/// # Errors
/// What the host's start can meet, and a piece that is not in `pieces`.
pub fn start(forum: &str, pieces: &Path, environment: Environment<'_>) -> anyhow::Result<()> {
    let folder = tempfile::Builder::new()
        .prefix("frogbot-demo-")
        .tempdir()
        .context("no temporary folder")?;
    let pieces = pieces.canonicalize().with_context(|| {
        format!(
            "there is no folder {}; build the pieces with `cargo xtask pieces`",
            pieces.display()
        )
    })?;
    let configuration = write(&folder, forum, &pieces)?;
    serve::start(&configuration, environment)
}

fn write(folder: &TempDir, forum: &str, pieces: &Path) -> anyhow::Result<std::path::PathBuf> {
    let slot = toml::Table::from_iter([
        ("base".to_owned(), forum.into()),
        (
            "allow_private".to_owned(),
            toml::Value::Array(private_host(forum)),
        ),
    ]);
    let dir = toml::Value::String(pieces.display().to_string());
    // Keys of the last table, then a table of its own.
    let text = format!(
        "{CONFIGURATION}slots.forum = {}\n\n[pieces]\ndir = {dir}\n",
        toml::Value::Table(slot)
    );
    for (name, content) in [
        ("script.toml", SCRIPT),
        ("token", TOKEN),
        ("webhook-secret", WEBHOOK_SECRET),
    ] {
        fs::write(folder.path().join(name), content).with_context(|| format!("cannot write {name}"))?;
    }
    let path = folder.path().join("frogbot.toml");
    fs::write(&path, text).context("cannot write frogbot.toml")?;
    Ok(path)
}

/// `host:port` of the forum, which is on this machine.
fn private_host(forum: &str) -> Vec<toml::Value> {
    let authority = forum
        .split("//")
        .nth(1)
        .unwrap_or(forum)
        .split('/')
        .next()
        .unwrap_or_default();
    vec![toml::Value::String(authority.to_owned())]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{self, Severity};

    #[test]
    fn the_defaults_are_a_configuration_that_lacks_only_the_piece() {
        let folder = tempfile::tempdir().unwrap();
        let configuration = write(&folder, "http://127.0.0.1:1", folder.path()).unwrap();
        let checked = config::read(&configuration, &|_| None);
        let errors: Vec<String> = checked
            .problems
            .iter()
            .filter(|problem| problem.severity == Severity::Error)
            .map(ToString::to_string)
            .collect();
        assert_eq!(errors.len(), 1, "{errors:#?}");
        assert!(errors[0].contains("forum.wasm"), "{errors:#?}");
    }
}
