//! The network between the hosts and their Redis, which fails when told.

use std::net::SocketAddr;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;

/// How a network is away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Away {
    /// Connections break, and new ones are closed at once.
    Broken,
    /// Nothing arrives. What was sent arrives when the network is back, also of a sender who no longer waits for it: so does
    /// what a kernel sends again and again.
    Held,
}

type State = Option<Away>;

/// Passes bytes between hosts and a server. Ends when it is dropped.
pub(super) struct Network {
    address: SocketAddr,
    state: watch::Sender<State>,
    _passing: JoinSet<()>,
}

impl Network {
    /// Before the server at this address.
    pub(super) async fn before(server: String) -> std::io::Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
        let address = listener.local_addr()?;
        let (state, told) = watch::channel(None);
        let mut passing = JoinSet::new();
        passing.spawn(accept(listener, server, told));
        Ok(Self {
            address,
            state,
            _passing: passing,
        })
    }

    /// Where hosts find the server.
    pub(super) fn url(&self) -> String {
        format!("redis://{}", self.address)
    }

    /// From now on.
    pub(super) fn is(&self, state: State) {
        self.state.send_replace(state);
    }
}

async fn accept(listener: TcpListener, server: String, state: watch::Receiver<State>) {
    let mut connections = JoinSet::new();
    while let Ok((client, _)) = listener.accept().await {
        while connections.try_join_next().is_some() {}
        if *state.borrow() != Some(Away::Broken) {
            connections.spawn(connect(client, server.clone(), state.clone()));
        }
    }
}

async fn connect(client: TcpStream, server: String, mut state: watch::Receiver<State>) {
    let Ok(server) = TcpStream::connect(server).await else {
        return;
    };
    let (client, server) = (client.into_split(), server.into_split());
    let back = state.clone();
    let forth = state.clone();
    tokio::select! {
        () = pass(client.0, server.1, forth) => {}
        () = pass(server.0, client.1, back) => {}
        // The sender outlives the connections.
        _ = state.wait_for(|state| *state == Some(Away::Broken)) => {}
    }
}

/// One direction, until it ends.
async fn pass(mut from: OwnedReadHalf, mut to: OwnedWriteHalf, mut state: watch::Receiver<State>) {
    let mut bytes = vec![0; 64 * 1024];
    while let Ok(read @ 1..) = from.read(&mut bytes).await {
        let passes = state.wait_for(|state| *state != Some(Away::Held)).await.is_ok();
        if !passes || to.write_all(&bytes[..read]).await.is_err() {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::time::timeout;

    use super::*;

    const LIMIT: Duration = Duration::from_secs(10);

    /// A server that sends back what it gets, and a network before it.
    async fn echo() -> (Network, JoinSet<()>) {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let mut serving = JoinSet::new();
        serving.spawn(async move {
            let mut connections = JoinSet::new();
            while let Ok((stream, _)) = listener.accept().await {
                connections.spawn(async move {
                    let (mut from, mut to) = stream.into_split();
                    tokio::io::copy(&mut from, &mut to).await.ok();
                });
            }
        });
        (Network::before(address).await.unwrap(), serving)
    }

    async fn answer(stream: &mut TcpStream) -> std::io::Result<u8> {
        timeout(LIMIT, stream.read_u8()).await.unwrap()
    }

    #[tokio::test]
    async fn what_is_held_arrives_when_the_network_is_back() {
        let (network, _serving) = echo().await;
        let mut stream = TcpStream::connect(network.address).await.unwrap();
        stream.write_u8(1).await.unwrap();
        assert_eq!(answer(&mut stream).await.unwrap(), 1);
        network.is(Some(Away::Held));
        stream.write_u8(2).await.unwrap();
        let early = timeout(Duration::from_millis(100), stream.read_u8()).await;
        assert!(early.is_err(), "it was held");
        network.is(None);
        assert_eq!(answer(&mut stream).await.unwrap(), 2);
    }

    #[tokio::test]
    async fn a_broken_network_ends_connections_and_lets_nobody_in() {
        let (network, _serving) = echo().await;
        let mut stream = TcpStream::connect(network.address).await.unwrap();
        stream.write_u8(1).await.unwrap();
        assert_eq!(answer(&mut stream).await.unwrap(), 1);
        network.is(Some(Away::Broken));
        assert!(answer(&mut stream).await.is_err());
        let mut refused = TcpStream::connect(network.address).await.unwrap();
        assert!(answer(&mut refused).await.is_err());
        network.is(None);
        let mut again = TcpStream::connect(network.address).await.unwrap();
        again.write_u8(3).await.unwrap();
        assert_eq!(answer(&mut again).await.unwrap(), 3);
    }
}
