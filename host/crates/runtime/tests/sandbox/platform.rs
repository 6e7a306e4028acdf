//! A platform that behaves badly, on an ephemeral loopback port. What it was sent is kept.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

/// A running platform; it ends when dropped.
pub(crate) struct Platform {
    pub(crate) address: SocketAddr,
    connections: Arc<AtomicUsize>,
    heard: Arc<Mutex<Vec<String>>>,
    task: JoinHandle<()>,
}

impl Drop for Platform {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Platform {
    #[expect(clippy::disallowed_methods, reason = "a server of the tests, aborted with it")]
    pub(crate) async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let heard = Arc::new(Mutex::new(Vec::new()));
        let ears = Arc::clone(&heard);
        let connections = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&connections);
        let task = tokio::spawn(async move {
            loop {
                let (stream, _) = listener.accept().await.expect("a connection");
                counted.fetch_add(1, Ordering::SeqCst);
                tokio::spawn(serve(stream, Arc::clone(&ears)));
            }
        });
        Self {
            address,
            connections,
            heard,
            task,
        }
    }

    /// How many connections were made to it, whatever was said on them.
    pub(crate) fn connections(&self) -> usize {
        self.connections.load(Ordering::SeqCst)
    }

    /// The requests it was sent, heads and bodies.
    pub(crate) fn heard(&self) -> Vec<String> {
        self.heard.lock().expect("lock").clone()
    }
}

async fn serve(mut stream: TcpStream, heard: Arc<Mutex<Vec<String>>>) {
    while let Some(request) = read_request(&mut stream).await {
        heard.lock().expect("lock").push(request.clone());
        if answer(&mut stream, &request).await.is_err() {
            return;
        }
    }
}

async fn read_request(stream: &mut TcpStream) -> Option<String> {
    let mut bytes = Vec::new();
    loop {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head
                .lines()
                .find_map(|line| line.to_lowercase().strip_prefix("content-length: ")?.parse().ok())
                .unwrap_or(0_usize);
            if body.len() >= length {
                return Some(text);
            }
        }
        let mut chunk = [0; 64 * 1024];
        match stream.read(&mut chunk).await {
            Ok(0) | Err(_) => return None,
            Ok(read) => bytes.extend_from_slice(&chunk[..read]),
        }
    }
}

async fn answer(stream: &mut TcpStream, request: &str) -> std::io::Result<()> {
    let path = request.split(' ').nth(1).unwrap_or_default();
    let last = path.rsplit('/').next().unwrap_or_default();
    if let Some(port) = last.strip_prefix("redirect-to-") {
        let elsewhere = format!("location: http://127.0.0.1:{port}/inside\r\n");
        return reply(stream, "302 Found", &elsewhere, b"").await;
    }
    match last {
        "redirect" => reply(stream, "302 Found", "location: /api/elsewhere\r\n", b"").await,
        "limited" => reply(stream, "429 Too Many Requests", "retry-after: 2\r\n", b"").await,
        "limited-briefly" => reply(stream, "429 Too Many Requests", "retry-after: 0.2\r\n", b"").await,
        "limited-for-ever" => reply(stream, "429 Too Many Requests", "", b"").await,
        "squeezed" => {
            reply(
                stream,
                "200 OK",
                "content-encoding: gzip\r\n",
                &[0x1f, 0x8b, 8, 0],
            )
            .await
        }
        "headers" => {
            let headers: String = (0..90)
                .map(|n| format!("x-{n}: {}\r\n", "v".repeat(1000)))
                .collect();
            reply(stream, "200 OK", &headers, b"").await
        }
        "three-megabytes" => reply(stream, "200 OK", "", &vec![b'x'; 3_000_000]).await,
        "silent" => std::future::pending().await,
        "drip" => drip(stream).await,
        "flood" => flood(stream).await,
        // Sends back everything it was sent, its credential too: in the body and in a header.
        _ => {
            let said = request
                .lines()
                .find_map(|line| line.strip_prefix("authorization: "));
            let header = format!("x-said: {}\r\n", said.unwrap_or(path));
            reply(stream, "200 OK", &header, request.as_bytes()).await
        }
    }
}

async fn reply(stream: &mut TcpStream, status: &str, headers: &str, body: &[u8]) -> std::io::Result<()> {
    let head = format!(
        "HTTP/1.1 {status}\r\n{headers}content-length: {}\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes()).await?;
    stream.write_all(body).await
}

/// A byte now and then, for ever.
async fn drip(stream: &mut TcpStream) -> std::io::Result<()> {
    stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n").await?;
    let mut now_and_then = tokio::time::interval(Duration::from_millis(5));
    loop {
        now_and_then.tick().await;
        stream.write_all(b"x").await?;
    }
}

/// 100 MB, or as much as is taken.
async fn flood(stream: &mut TcpStream) -> std::io::Result<()> {
    stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n").await?;
    for _ in 0..100 {
        stream.write_all(&vec![b'x'; 1_000_000]).await?;
    }
    stream.shutdown().await
}
