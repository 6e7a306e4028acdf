//! A network between a store and its server that fails when told.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

use crate::{RedisAddress, RedisSettings};

/// What happens to bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Network {
    /// They pass.
    Passes,
    /// The next request is swallowed and its connection cut.
    CutsRequests,
    /// The next answer is swallowed and its connection cut.
    CutsAnswers,
    /// Answers are swallowed, and nothing is cut.
    SwallowsAnswers,
}

const ALL: [Network; 4] = [
    Network::Passes,
    Network::CutsRequests,
    Network::CutsAnswers,
    Network::SwallowsAnswers,
];

/// Passes bytes between a store and its server.
pub(super) struct Proxy {
    address: RedisAddress,
    network: Arc<AtomicU8>,
    task: JoinHandle<()>,
}

impl Proxy {
    #[expect(
        clippy::disallowed_methods,
        reason = "the proxy's own task, which ends with it"
    )]
    pub(super) async fn before(server: RedisAddress) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let network = Arc::new(AtomicU8::new(0));
        let state = Arc::clone(&network);
        let task = tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let Ok(server) = TcpStream::connect((server.host.as_str(), server.port)).await else {
                    continue;
                };
                let (client, server) = (client.into_split(), server.into_split());
                let state = Arc::clone(&state);
                tokio::spawn(async move {
                    tokio::select! {
                        () = pass(client.0, server.1, Network::CutsRequests, &state) => {}
                        () = pass(server.0, client.1, Network::CutsAnswers, &state) => {}
                    }
                });
            }
        });
        Self {
            address: RedisAddress {
                host: "127.0.0.1".to_owned(),
                port,
            },
            network,
            task,
        }
    }

    pub(super) fn is_now(&self, network: Network) {
        let index = ALL.iter().position(|one| *one == network).unwrap();
        self.network.store(u8::try_from(index).unwrap(), Ordering::SeqCst);
    }

    /// What a store behind it is opened with.
    pub(super) fn settings(&self) -> RedisSettings {
        RedisSettings::new(self.address.clone())
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// One direction, until it ends or is cut; a cut happens once.
async fn pass(mut from: OwnedReadHalf, mut to: OwnedWriteHalf, cut: Network, state: &AtomicU8) {
    let mut bytes = vec![0; 64 * 1024];
    loop {
        let Ok(read @ 1..) = from.read(&mut bytes).await else {
            return;
        };
        let network = ALL[usize::from(state.load(Ordering::SeqCst))];
        if network == cut {
            state.store(0, Ordering::SeqCst);
            return;
        }
        if network == Network::SwallowsAnswers && cut == Network::CutsAnswers {
            continue;
        }
        if to.write_all(&bytes[..read]).await.is_err() {
            return;
        }
    }
}
