//! `frogbot piece install` and `frogbot piece list`: the admin interface of a running host, from a terminal beside it.

use std::io::{Write, stdout};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, bail};
use reqwest::{Method, StatusCode};
use serde_json::Value;

use crate::admin::{GRANT, PIECES};
use crate::config::{self, Environment};
use crate::secrets::Secrets;

/// How long the host may take: a large piece compiles for minutes.
const ANSWER_MAX: Duration = Duration::from_secs(300);

/// Brings a build to the running host.
///
/// # Errors
/// The file or the host cannot be reached, or the host refuses the build.
pub(crate) fn install(
    file: &Path,
    grant: bool,
    config: &Path,
    environment: Environment<'_>,
) -> anyhow::Result<()> {
    let build = std::fs::read(file).with_context(|| format!("cannot read {}", file.display()))?;
    let query = if grant { format!("?{GRANT}") } else { String::new() };
    let answer = asked(config, environment, Method::POST, &query, build)?;
    let text = |key: &str| answer.get(key).and_then(Value::as_str).unwrap_or("-");
    match text("outcome") {
        "same" => writeln!(stdout(), "{}: this build runs already", text("piece"))?,
        _ => writeln!(
            stdout(),
            "{}: {} runs now, instead of {}",
            text("piece"),
            text("to"),
            text("from")
        )?,
    }
    Ok(())
}

/// Shows what the running host has.
///
/// # Errors
/// The host cannot be reached.
pub(crate) fn list(json: bool, config: &Path, environment: Environment<'_>) -> anyhow::Result<()> {
    let answer = asked(config, environment, Method::GET, "", Vec::new())?;
    if json {
        writeln!(stdout(), "{}", serde_json::to_string_pretty(&answer)?)?;
        return Ok(());
    }
    for piece in answer.as_array().into_iter().flatten() {
        writeln!(stdout(), "{}", line(piece))?;
    }
    Ok(())
}

/// One piece in one line.
fn line(piece: &Value) -> String {
    let text = |key: &str| piece.get(key).and_then(Value::as_str).unwrap_or("-").to_owned();
    let number = |key: &str| piece.get(key).and_then(Value::as_u64).unwrap_or_default();
    let is = |key: &str| piece.get(key).and_then(Value::as_bool) == Some(true);
    let channels: Vec<&str> = piece
        .get("channels")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    let channels = channels.join(", ");
    if piece.get("version").is_none() {
        return format!(
            "{}: taken away, so these channels are down: {channels}",
            text("piece")
        );
    }
    let mut line = format!(
        "{} {} ({:.12}) behind {channels}: {} calls, {} failed by its own fault",
        text("piece"),
        text("version"),
        text("sha256"),
        number("calls"),
        number("failures")
    );
    if is("held_back") {
        line.push_str(&format!("; HELD BACK: {}", text("last_failure")));
    }
    if is("on_probation") {
        line.push_str(&format!("; on probation, before it ran {}", text("previous")));
    }
    line
}

fn asked(
    config: &Path,
    environment: Environment<'_>,
    method: Method,
    query: &str,
    body: Vec<u8>,
) -> anyhow::Result<Value> {
    let place = config::read_admin(config, environment).map_err(anyhow::Error::msg)?;
    let token = Secrets::default().current(&place.token, environment);
    let token = token.value().map_err(|reason| anyhow::anyhow!("{reason}"))?;
    let url = format!("http://{}{PIECES}{query}", beside(place.listen));
    let executor = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .context("cannot start a thread")?;
    executor.block_on(async {
        // Nothing is encrypted on the way to this machine; the client wants to know how it would be, all the same.
        drop(rustls::crypto::ring::default_provider().install_default());
        // The token goes to this machine and nowhere else.
        let client = reqwest::Client::builder()
            .no_proxy()
            .redirect(reqwest::redirect::Policy::none())
            .timeout(ANSWER_MAX)
            .build()
            .context("no HTTP")?;
        let request = client
            .request(method, &url)
            .bearer_auth(token.expose())
            .body(body);
        let response = request.send().await.with_context(|| {
            format!("no host answers at {url}; is `frogbot serve` running with this configuration?")
        })?;
        let status = response.status();
        let body = response.bytes().await.context("the host's answer broke off")?;
        let answer: Value = serde_json::from_slice(&body).unwrap_or_default();
        if status == StatusCode::OK {
            return Ok(answer);
        }
        match answer.get("refused").and_then(Value::as_str) {
            Some(refused) => bail!("refused: {refused}"),
            None => bail!("{url} answers {status}; is it this host, started with `[admin]`?"),
        }
    })
}

/// Where a host that listens there is found from this machine.
fn beside(listen: SocketAddr) -> SocketAddr {
    if listen.ip().is_unspecified() {
        return SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), listen.port());
    }
    listen
}
