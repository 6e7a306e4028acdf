//! Real connections on loopback.

use std::net::SocketAddr;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::sync::oneshot;

use super::*;
use crate::intake::tests::{World, world};

const DRAIN: Duration = Duration::from_secs(5);

struct Running {
    world: World,
    address: SocketAddr,
    stop: oneshot::Sender<()>,
    served: JoinSet<Served>,
}

async fn running(drain: Duration) -> Running {
    let world = world();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let (stop, stopped) = oneshot::channel();
    let gateway = world.gateway.clone();
    let mut served = JoinSet::new();
    served.spawn(async move {
        gateway
            .serve(listener, drain, async { drop(stopped.await) })
            .await
    });
    Running {
        world,
        address,
        stop,
        served,
    }
}

impl Running {
    async fn connect(&self) -> TcpStream {
        TcpStream::connect(self.address).await.unwrap()
    }
}

fn post(body: &str, more: &str) -> String {
    let bytes = body.len();
    format!(
        "POST /channels/forum HTTP/1.1\r\nhost: x\r\nx-token: s3cret\r\ncontent-length: {bytes}\r\n{more}\r\n{body}"
    )
}

async fn all(mut stream: TcpStream) -> String {
    let mut text = String::new();
    stream.read_to_string(&mut text).await.unwrap();
    text
}

#[tokio::test]
async fn request_over_the_wire_is_answered() {
    let running = running(DRAIN).await;
    let mut stream = running.connect().await;
    stream
        .write_all(post("hello", "connection: close\r\n").as_bytes())
        .await
        .unwrap();
    let answer = all(stream).await;
    assert!(answer.starts_with("HTTP/1.1 201 "), "{answer}");
    assert!(answer.ends_with("\r\n\r\nhello"), "{answer}");
}

#[tokio::test]
async fn too_many_headers_and_too_long_ones_are_refused() {
    let many = "a: b\r\n".repeat(HEADERS_MAX + 1);
    let long = format!("a: {}\r\n", "b".repeat(HEAD_BYTES_MAX));
    for more in [many, long] {
        let running = running(DRAIN).await;
        let mut stream = running.connect().await;
        // The server may hang up before it has read everything.
        drop(stream.write_all(post("hello", &more).as_bytes()).await);
        let mut start = [0; 12];
        stream.read_exact(&mut start).await.unwrap();
        assert_eq!(start, *b"HTTP/1.1 431");
        assert!(running.world.ingress.seen.lock().unwrap().is_empty());
    }
}

#[tokio::test]
async fn shutdown_lets_a_request_in_flight_finish_and_closes_what_idles() {
    let mut running = running(DRAIN).await;
    let mut idle = running.connect().await;
    idle.write_all(post("hello", "").as_bytes()).await.unwrap();
    let mut start = [0; 12];
    idle.read_exact(&mut start).await.unwrap();
    let mut busy = running.connect().await;
    busy.write_all(post("wait", "").as_bytes()).await.unwrap();
    while running.world.ingress.seen.lock().unwrap().len() < 2 {
        tokio::task::yield_now().await;
    }
    running.stop.send(()).unwrap();
    all(idle).await;
    running.world.ingress.go_on.notify_one();
    let answer = all(busy).await;
    assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
    assert_eq!(
        running.served.join_next().await.unwrap().unwrap(),
        Served::Finished
    );
    assert!(
        TcpStream::connect(running.address).await.is_err(),
        "nobody is accepted any more"
    );
}

#[tokio::test]
async fn shutdown_ends_even_when_a_request_does_not() {
    let mut running = running(Duration::from_millis(10)).await;
    let mut busy = running.connect().await;
    busy.write_all(post("wait", "").as_bytes()).await.unwrap();
    while running.world.ingress.seen.lock().unwrap().is_empty() {
        tokio::task::yield_now().await;
    }
    running.stop.send(()).unwrap();
    assert_eq!(running.served.join_next().await.unwrap().unwrap(), Served::Cut(1));
}
