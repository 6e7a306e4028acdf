//! The listener: connections within their limits, and an orderly end.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use ports::{Clock, Ingress, Tasks};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::Gateway;
use crate::limits::{
    ACCEPT_RETRY, CONNECTION_AGE_MAX, CONNECTIONS_MAX, HEAD_BYTES_MAX, HEAD_READ_MAX, HEADERS_MAX,
    REQUEST_MAX,
};

/// How serving ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Served {
    /// Every request had its response.
    Finished,
    /// The time was over for so many connections.
    Cut(usize),
}

impl<I: Ingress, T: Tasks, C: Clock> Gateway<I, T, C> {
    /// Serves until `shutdown` resolves: then nobody is accepted any more, and requests in flight have `drain` to finish.
    pub async fn serve(
        &self,
        listener: TcpListener,
        drain: Duration,
        shutdown: impl Future<Output = ()> + Send,
    ) -> Served {
        let (stop, stopped) = watch::channel(());
        let places = Arc::new(Semaphore::new(CONNECTIONS_MAX));
        let router = self.router();
        let clock = &self.0.outside.clock;
        let mut open = JoinSet::new();
        let mut shutdown = pin!(shutdown);
        loop {
            tokio::select! {
                () = &mut shutdown => break,
                (stream, place) = accept(&listener, &places, clock.as_ref()) => {
                    let (router, stopped, clock) = (router.clone(), stopped.clone(), Arc::clone(clock));
                    open.spawn(async move {
                        connection(stream, router, stopped, clock.as_ref()).await;
                        drop(place);
                    });
                }
                Some(_ended) = open.join_next(), if !open.is_empty() => {}
            }
        }
        drop(listener);
        drop(stop);
        let all_ended = async { while open.join_next().await.is_some() {} };
        match timeout(drain, all_ended).await {
            Ok(()) => Served::Finished,
            // Dropping the set aborts what is left.
            Err(_) => Served::Cut(open.len()),
        }
    }
}

async fn accept(
    listener: &TcpListener,
    places: &Arc<Semaphore>,
    clock: &impl Clock,
) -> (TcpStream, Option<OwnedSemaphorePermit>) {
    // `None` would be a closed semaphore; nobody closes it.
    let place = Arc::clone(places).acquire_owned().await.ok();
    loop {
        match listener.accept().await {
            Ok((stream, _)) => return (stream, place),
            Err(error) => {
                tracing::warn!(%error, "a connection could not be accepted");
                clock.sleep(ACCEPT_RETRY).await;
            }
        }
    }
}

/// Serves one connection until it closes, has come of age, or everything stops.
async fn connection(stream: TcpStream, router: Router, mut stopped: watch::Receiver<()>, clock: &impl Clock) {
    if let Err(error) = stream.set_nodelay(true) {
        tracing::debug!(%error, "a connection cannot send at once");
    }
    let mut connection = pin!(
        http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(HEAD_READ_MAX)
            .max_headers(HEADERS_MAX)
            .max_header_size(HEAD_BYTES_MAX)
            .serve_connection(TokioIo::new(stream), TowerToHyperService::new(router))
    );
    let ended = tokio::select! {
        ended = connection.as_mut() => Some(ended),
        // The sender is dropped to say stop; nothing is ever sent.
        _ = stopped.changed() => None,
        () = clock.sleep(CONNECTION_AGE_MAX) => None,
    };
    let ended = match ended {
        Some(ended) => ended,
        None => {
            connection.as_mut().graceful_shutdown();
            match timeout(REQUEST_MAX, connection).await {
                Ok(ended) => ended,
                Err(_) => return tracing::debug!("a connection was cut: its last request took too long"),
            }
        }
    };
    if let Err(error) = ended {
        tracing::debug!(%error, "a connection broke");
    }
}

#[cfg(test)]
mod tests;
