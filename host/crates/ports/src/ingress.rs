//! The engine as the gateway sees it.

use std::future::Future;

use crate::pieces::{HttpReply, InboundRequest};

/// Why a verified request has no reply of its own. The gateway maps each to a status.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum IngressFault {
    /// There is no such channel: 404.
    #[error("no such channel")]
    NoChannel,
    /// The piece cannot read the request: 400.
    #[error("the piece cannot read this request")]
    Unreadable,
    /// The store or the piece failed, or the host is shutting down; the platform shall send it again: 503.
    #[error("try again")]
    TryAgain,
}

/// Takes in what platforms send.
pub trait Ingress: Send + Sync + 'static {
    /// Handles a request that the gateway has verified. Returns when what it brought is durable, for a click or a form
    /// when its outcome is known or the platform's deadline is near.
    ///
    /// # Errors
    /// See [`IngressFault`]. Nothing was accepted then.
    fn take_in(
        &self,
        channel: &str,
        request: InboundRequest,
    ) -> impl Future<Output = Result<HttpReply, IngressFault>> + Send;
}
