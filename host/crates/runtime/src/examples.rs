//! The examples in a piece's manifest, tried on the piece before a channel is switched to it: each in a fresh instance, with the
//! limits of every call. So a build that mixes something up is refused while the one before goes on.

use std::sync::Arc;

use bytes::Bytes;
use frogbot_manifest::{EventKind, Example, Happens};
use ports::pieces::{HookFault, InboundRequest, Interaction};

use crate::hooks;
use crate::load::{Blamed, LoadProblem, Stage};
use crate::piece::{Channel, Connections, Piece};
use crate::runtime::Runtime;

/// The account that `split` is asked for: examples know none.
const ACCOUNT: &str = "example";

/// Tries every example.
pub(crate) async fn all(runtime: &Runtime, piece: &Arc<Piece>) -> Result<(), LoadProblem> {
    let channel = Channel {
        piece: Arc::clone(piece),
        connections: Arc::new(Connections::default()),
    };
    for (number, example) in piece.manifest.examples.iter().enumerate() {
        if let Err(reason) = tried(runtime, &channel, example).await {
            let reason = format!("example {} ({}): {reason}", number + 1, example.name);
            let remedy =
                "report this to the author of the piece; if it is yours, repair it or its `[[examples]]`";
            return Err(Blamed::loaded(piece).at(Stage::Examples, reason, remedy));
        }
    }
    Ok(())
}

async fn tried(runtime: &Runtime, channel: &Channel, example: &Example) -> Result<(), String> {
    match &example.happens {
        Happens::Receive {
            method,
            path,
            headers,
            body,
            events,
        } => {
            let request = InboundRequest {
                method: method.clone(),
                path: path.clone(),
                headers: headers
                    .iter()
                    .map(|(name, value)| (name.clone(), value.clone()))
                    .collect(),
                body: Bytes::from(body.clone()),
            };
            let received = hooks::pure::receive(runtime, channel, request).await;
            let received = received
                .map_err(told)?
                .map_err(|line| format!("`receive` refused the request: {line}"))?;
            let found: Vec<EventKind> = received
                .events
                .iter()
                .map(|event| kind(&event.interaction))
                .collect();
            expect("events", events, &found)
        }
        Happens::Split { text, parts } => {
            let found = hooks::pure::split(runtime, channel, ACCOUNT, text).await;
            expect("parts", parts, &found.map_err(told)?.len())
        }
    }
}

fn kind(interaction: &Interaction) -> EventKind {
    match interaction {
        Interaction::Action(_) => EventKind::Action,
        Interaction::ModalSubmit(_) => EventKind::ModalSubmit,
        Interaction::Message(_) => EventKind::Message,
    }
}

fn expect<T: PartialEq + std::fmt::Debug>(what: &str, expected: &T, found: &T) -> Result<(), String> {
    if expected == found {
        return Ok(());
    }
    Err(format!("expected {what} {expected:?}, found {found:?}"))
}

fn told(fault: HookFault) -> String {
    format!("`{}` failed: {}", fault.hook, fault.reason)
}
