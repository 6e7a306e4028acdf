//! The way of one request.

use axum::body::Body;
use axum::extract::{Request, State};
use axum::response::Response;
use bytes::{Bytes, BytesMut};
use futures_util::StreamExt;
use http::request::Parts;
use http::{HeaderMap, Uri};
use ports::pieces::InboundRequest;
use ports::{Clock, Ingress, Tasks};
use std::sync::Arc;
use std::time::{Duration, SystemTime};
use tokio::sync::oneshot;

use crate::gate::{ChannelGate, Standing};
use crate::limits::{BODY_BYTES_MAX, BODY_READ_MAX};
use crate::outcome::Outcome;
use crate::verification::{Evidence, Refusal};
use crate::{Gateway, Inner};

/// Handles a request to a channel, whatever becomes of it, and logs one line.
pub(crate) async fn take_in<I: Ingress, T: Tasks, C: Clock>(
    State(gateway): State<Gateway<I, T, C>>,
    request: Request,
) -> Response {
    let clock = Arc::clone(&gateway.0.outside.clock);
    let began = clock.elapsed();
    let (parts, body) = request.into_parts();
    let (name, path) = split_path(&parts.uri);
    let Some((name, standing)) = gateway.0.gates.find(name) else {
        let outcome = Outcome::NoChannel;
        outcome.log(None, Duration::ZERO, 0);
        return outcome.into_response();
    };
    let mut body_bytes = 0;
    let outcome = match standing {
        Standing::Up(gate) => {
            let passed = gateway.0.pass(name, &gate, path, parts, body, &mut body_bytes);
            match passed.await {
                Ok(outcome) | Err(outcome) => outcome,
            }
        }
        Standing::Down(reason) => Outcome::Down(reason.as_ref().to_owned()),
    };
    outcome.log(Some(name), clock.elapsed().saturating_sub(began), body_bytes);
    outcome.into_response()
}

impl<I: Ingress, T: Tasks, C: Clock> Inner<I, T, C> {
    async fn pass(
        &self,
        name: &str,
        gate: &ChannelGate,
        path: String,
        parts: Parts,
        body: Body,
        body_bytes: &mut usize,
    ) -> Result<Outcome, Outcome> {
        let body = self.read(body).await?;
        *body_bytes = body.len();
        self.verify(gate, &parts.headers, &body)?;
        let place = Arc::clone(&self.places)
            .try_acquire_owned()
            .map_err(|_| Outcome::Busy)?;
        let request = InboundRequest {
            method: parts.method.as_str().to_owned(),
            path,
            headers: for_the_piece(&parts.headers, gate.secret_header()),
            body,
        };
        let (send, reply) = oneshot::channel();
        let (ingress, channel) = (Arc::clone(&self.ingress), name.to_owned());
        self.outside.tasks.spawn(Box::pin(async move {
            let result = ingress.take_in(&channel, request).await;
            drop(place);
            // An `Err` is a platform that hung up: what it sent is taken in all the same.
            drop(send.send(result));
        }));
        match reply.await {
            Ok(Ok(reply)) => Ok(Outcome::Reply(reply)),
            Ok(Err(fault)) => Err(Outcome::Fault(fault)),
            Err(_) => Err(Outcome::Lost),
        }
    }

    /// The body, while there is room for one more that nobody has verified.
    async fn read(&self, body: Body) -> Result<Bytes, Outcome> {
        let _reading = self.reading.try_acquire().map_err(|_| Outcome::Busy)?;
        let whole = tokio::time::timeout(BODY_READ_MAX, read(body)).await;
        whole.map_err(|_| Outcome::Slow)?
    }

    fn verify(&self, gate: &ChannelGate, headers: &HeaderMap, body: &[u8]) -> Result<(), Outcome> {
        // An empty secret would sign everything.
        let Some(secret) = gate.secret.current().filter(|secret| !secret.trim().is_empty()) else {
            return Err(Outcome::Down(
                "the secret that verifies its requests is missing; `frogbot check` says where".to_owned(),
            ));
        };
        let now = (self.outside.wall)().duration_since(SystemTime::UNIX_EPOCH);
        let now_s = now.map_or(0, |since| since.as_secs());
        match (Evidence { headers, body, now_s }).passes(&gate.verification, &secret) {
            Ok(()) => Ok(()),
            Err(refusal @ Refusal::Key) => Err(Outcome::Down(refusal.to_string())),
            Err(refusal) => Err(Outcome::Unverified(refusal)),
        }
    }
}

/// The channel's name and what follows its route, as it was written: `/channels/<name><path>?<query>`.
fn split_path(uri: &Uri) -> (&str, String) {
    let mut segments = uri.path().splitn(4, '/').skip(2);
    let name = segments.next().unwrap_or_default();
    let path = match (segments.next(), uri.query()) {
        (None, None) => String::new(),
        (None, Some(query)) => format!("/?{query}"),
        (Some(rest), None) => format!("/{rest}"),
        (Some(rest), Some(query)) => format!("/{rest}?{query}"),
    };
    (name, path)
}

/// The whole body within its limit, however it is framed.
async fn read(body: Body) -> Result<Bytes, Outcome> {
    let mut chunks = body.into_data_stream();
    let mut whole = BytesMut::new();
    while let Some(chunk) = chunks.next().await {
        let chunk = chunk.map_err(|_| Outcome::Broken)?;
        if whole.len() + chunk.len() > BODY_BYTES_MAX {
            return Err(Outcome::TooLarge);
        }
        whole.extend_from_slice(&chunk);
    }
    Ok(whole.freeze())
}

/// The headers that are text, without the one that carries a secret.
fn for_the_piece(headers: &HeaderMap, secret_header: Option<&str>) -> Vec<(String, String)> {
    let text = headers
        .iter()
        .filter(|(name, _)| Some(name.as_str()) != secret_header);
    text.filter_map(|(name, value)| Some((name.as_str().to_owned(), value.to_str().ok()?.to_owned())))
        .collect()
}

#[cfg(test)]
pub(crate) mod tests;
