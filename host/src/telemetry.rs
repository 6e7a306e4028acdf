//! Logs: text for people on a terminal, JSON for programs elsewhere. No payloads, whoever writes.

use std::io::{IsTerminal, stderr};
use std::panic;

use anyhow::Context;
use tracing_subscriber::EnvFilter;

use crate::config::Environment;

/// The variable that says which lines to show, such as `debug` or `info,engine=debug`.
const FILTER_VARIABLE: &str = "FROGBOT_LOG";

/// How lines are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Format {
    /// `text` on a terminal, else `json`.
    Auto,
    /// For people.
    Text,
    /// One JSON object a line.
    Json,
}

/// Starts writing lines to the standard error.
///
/// # Errors
/// The filter cannot be read, or somebody started before.
pub fn start(format: Format, environment: Environment<'_>) -> anyhow::Result<()> {
    let filter = environment(FILTER_VARIABLE).unwrap_or_else(|| "info".to_owned());
    let filter = EnvFilter::try_new(&filter).with_context(|| {
        format!("cannot read {FILTER_VARIABLE} ({filter:?}); write `info` or `info,engine=debug`")
    })?;
    let lines = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(stderr);
    let started = match format {
        Format::Text => lines.try_init(),
        Format::Auto if stderr().is_terminal() => lines.try_init(),
        Format::Auto | Format::Json => lines.json().flatten_event(true).try_init(),
    };
    started.map_err(|error| anyhow::anyhow!("cannot start the log: {error}"))?;
    panic::set_hook(Box::new(|info| {
        // The message may quote what people wrote; the place is enough to find it.
        let place = info.location().map(ToString::to_string).unwrap_or_default();
        tracing::error!(place, "a task broke; the wake times take over");
    }));
    Ok(())
}
