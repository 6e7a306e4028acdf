//! What Slack sends: events as JSON, interactions as a form with one field of JSON.

mod interaction;
mod message;

use frogbot_piece::{InboundRequest, Received, Settings, Timestamp};

/// Slack waits three seconds for the response to a click or a form.
const ANSWER_WITHIN_MS: u32 = 3_000;

/// A request of the events API or of interactivity.
pub(crate) fn read(settings: &Settings, request: &InboundRequest) -> Result<Received, String> {
    let is_form = request
        .header("content-type")
        .is_some_and(|kind| kind.starts_with("application/x-www-form-urlencoded"));
    if !is_form {
        let raw = String::from_utf8_lossy(&request.body).into_owned();
        return Ok(message::from_envelope(settings, request.json()?, raw));
    }
    let mut fields = form_urlencoded::parse(&request.body);
    match fields.find(|(name, _)| name == "payload") {
        Some((_, payload)) => interaction::read(payload.into_owned()),
        // A slash command, or a probe of the URL.
        None => Ok(Received::nothing()),
    }
}

/// In a channel every message begins a thread or belongs to one; a direct conversation goes on without.
fn thread(direct: bool, thread_ts: Option<&str>, ts: &str) -> String {
    match (thread_ts, direct) {
        (Some(thread_ts), _) => thread_ts.to_owned(),
        (None, true) => String::new(),
        (None, false) => ts.to_owned(),
    }
}

/// `1700000000.123456` in milliseconds.
pub(crate) fn timestamp(ts: &str) -> Option<Timestamp> {
    let (seconds, micros) = ts.split_once('.')?;
    let micros: Timestamp = micros.parse().ok().filter(|_| micros.len() == 6)?;
    seconds
        .parse::<Timestamp>()
        .ok()?
        .checked_mul(1_000)?
        .checked_add(micros / 1_000)
}
