//! The Redis of a world, which dies or cannot be reached.

use std::sync::{Mutex, PoisonError};

use storage::servers::RedisServer;

use super::network::{Away, Network};
use super::plan::For;
use super::world::wait;

/// A server that keeps every confirmed write, behind a network.
pub(super) struct Redis {
    /// None: a thread restarts it.
    server: Mutex<Option<RedisServer>>,
    network: Network,
}

impl Redis {
    pub(super) async fn start() -> Result<Self, String> {
        let durable = ["--appendonly", "yes", "--appendfsync", "always", "--save", ""];
        let server = waited(move || RedisServer::start_with(&durable)).await?;
        let network = Network::before(server.address().to_string()).await;
        Ok(Self {
            server: Mutex::new(Some(server)),
            network: network.map_err(|error| format!("no network: {error}"))?,
        })
    }

    /// Where hosts find it.
    pub(super) fn url(&self) -> String {
        self.network.url()
    }

    /// Is killed, and started again after so long on what it kept.
    pub(super) async fn die_for(&self, length: For) -> Result<(), String> {
        let Some(mut server) = self.server.lock().unwrap_or_else(PoisonError::into_inner).take() else {
            return Err("the server is being restarted".to_owned());
        };
        let mut server = waited(move || {
            server.kill();
            server
        })
        .await?;
        wait(length).await;
        let server = waited(move || {
            server.restart();
            server
        })
        .await?;
        *self.server.lock().unwrap_or_else(PoisonError::into_inner) = Some(server);
        Ok(())
    }

    /// Cannot be reached for so long.
    pub(super) async fn is_away(&self, away: Away, length: For) {
        self.network.is(Some(away));
        wait(length).await;
        self.network.is(None);
    }
}

/// The server waits for its process on the thread that asks.
async fn waited<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, String> {
    let done = tokio::task::spawn_blocking(work).await;
    done.map_err(|error| format!("the server: {error}"))
}
