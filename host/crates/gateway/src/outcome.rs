//! How a request ended: the status for its sender, the line for the operator.

use std::time::Duration;

use axum::body::Body;
use http::header::CONTENT_TYPE;
use http::{HeaderValue, Response, StatusCode};
use ports::ingress::IngressFault;
use ports::pieces::HttpReply;

use crate::verification::Refusal;

/// How a request ended.
#[derive(Debug)]
pub(crate) enum Outcome {
    /// The piece or the engine has a reply.
    Reply(HttpReply),
    /// There is no such channel.
    NoChannel,
    /// As many requests as there may be are in flight.
    Busy,
    /// The body is larger than it may be.
    TooLarge,
    /// The body did not come in time.
    Slow,
    /// The connection broke within the body.
    Broken,
    /// The channel has no usable secret.
    Down(String),
    /// The request is not what it says it is.
    Unverified(Refusal),
    /// The engine did not take it in.
    Fault(IngressFault),
    /// The engine's task ended without a word: a shutdown, or a panic.
    Lost,
}

impl Outcome {
    /// What the log calls it.
    fn code(&self) -> &'static str {
        match self {
            Self::Reply(_) => "replied",
            Self::NoChannel | Self::Fault(IngressFault::NoChannel) => "no-channel",
            Self::Busy => "busy",
            Self::TooLarge => "too-large",
            Self::Slow => "slow",
            Self::Broken => "broken",
            Self::Down(_) => "channel-down",
            Self::Unverified(_) => "unverified",
            Self::Fault(IngressFault::Unreadable) => "unreadable",
            Self::Fault(IngressFault::TryAgain) => "try-again",
            Self::Lost => "lost",
        }
    }

    fn status(&self) -> StatusCode {
        match self {
            Self::Reply(reply) => {
                StatusCode::from_u16(reply.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
            }
            Self::NoChannel | Self::Fault(IngressFault::NoChannel) => StatusCode::NOT_FOUND,
            Self::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
            Self::Slow => StatusCode::REQUEST_TIMEOUT,
            Self::Broken | Self::Fault(IngressFault::Unreadable) => StatusCode::BAD_REQUEST,
            Self::Unverified(_) => StatusCode::UNAUTHORIZED,
            Self::Busy | Self::Down(_) | Self::Lost | Self::Fault(IngressFault::TryAgain) => {
                StatusCode::SERVICE_UNAVAILABLE
            }
        }
    }

    /// The operator's line. `channel` is a configured name or none: what a stranger writes into a path is not logged.
    pub(crate) fn log(&self, channel: Option<&str>, took: Duration, body_bytes: usize) {
        let channel = channel.unwrap_or("-");
        let status = self.status().as_u16();
        let ms = u64::try_from(took.as_millis()).unwrap_or(u64::MAX);
        let outcome = self.code();
        match self {
            Self::Down(reason) => {
                tracing::error!(
                    channel,
                    status,
                    ms,
                    body_bytes,
                    outcome,
                    reason,
                    "request refused: the channel is down"
                );
            }
            Self::Unverified(reason) => {
                tracing::warn!(channel, status, ms, body_bytes, outcome, %reason, "request refused");
            }
            Self::Busy | Self::Lost | Self::Fault(IngressFault::TryAgain) => {
                tracing::warn!(
                    channel,
                    status,
                    ms,
                    body_bytes,
                    outcome,
                    "request to be sent again"
                );
            }
            Self::Reply(_) | Self::NoChannel | Self::TooLarge | Self::Slow | Self::Broken => {
                tracing::info!(channel, status, ms, body_bytes, outcome, "request");
            }
            Self::Fault(IngressFault::NoChannel | IngressFault::Unreadable) => {
                tracing::info!(channel, status, ms, body_bytes, outcome, "request");
            }
        }
    }

    /// The response: a reply's own body and `content-type`, else a bare status.
    pub(crate) fn into_response(self) -> Response<Body> {
        let status = self.status();
        let mut response = Response::default();
        *response.status_mut() = status;
        if let Self::Reply(reply) = self {
            let kind = reply
                .content_type
                .and_then(|kind| HeaderValue::try_from(kind).ok());
            if let Some(kind) = kind {
                response.headers_mut().insert(CONTENT_TYPE, kind);
            }
            *response.body_mut() = Body::from(reply.body);
        }
        response
    }
}
