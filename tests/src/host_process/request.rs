//! Requests as platforms send them: plain HTTP to this machine, one connection each.

use std::time::{SystemTime, UNIX_EPOCH};

use hmac::{Hmac, KeyInit, Mac};
use http_body_util::{BodyExt, Full, Limited};
use hyper::body::Bytes;
use hyper::{Method, Request, Uri, header};
use hyper_util::rt::TokioIo;
use sha2::Sha256;
use tokio::net::TcpStream;
use tokio::time::timeout;

use super::LIMIT;

/// The largest response that is read, in bytes.
const RESPONSE_BYTES_MAX: usize = 1024 * 1024;

/// How a request was answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answered {
    /// The status.
    pub status: u16,
    /// The body.
    pub body: String,
}

/// Posts `body` with these headers and waits for the answer.
///
/// # Errors
/// Nobody answers, or too late.
pub async fn post(url: &str, headers: &[(&str, &str)], body: impl Into<Bytes>) -> Result<Answered, String> {
    exchange(Method::POST, url, headers, body.into()).await
}

/// Gets what is at an address.
///
/// # Errors
/// Nobody answers, or too late.
pub async fn get(url: &str) -> Result<Answered, String> {
    exchange(Method::GET, url, &[], Bytes::new()).await
}

async fn exchange(
    method: Method,
    url: &str,
    headers: &[(&str, &str)],
    body: Bytes,
) -> Result<Answered, String> {
    let sent = timeout(LIMIT, send(method, url, headers, body)).await;
    sent.map_err(|_| format!("no answer within {LIMIT:?}"))?
        .map_err(|error| error.to_string())
}

type Problem = Box<dyn std::error::Error + Send + Sync>;

async fn send(method: Method, url: &str, headers: &[(&str, &str)], body: Bytes) -> Result<Answered, Problem> {
    let uri: Uri = url.parse()?;
    let authority = uri.authority().ok_or("a URL needs a host")?.clone();
    let mut request = Request::builder()
        .method(method)
        .uri(uri.path())
        .header(header::HOST, authority.as_str());
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let request = request.body(Full::new(body))?;
    let stream = TcpStream::connect((authority.host(), authority.port_u16().unwrap_or(80))).await?;
    let (mut sender, connection) = hyper::client::conn::http1::handshake(TokioIo::new(stream)).await?;
    let exchange = async move {
        let response = sender.send_request(request).await?;
        let status = response.status().as_u16();
        let body = Limited::new(response.into_body(), RESPONSE_BYTES_MAX)
            .collect()
            .await?
            .to_bytes();
        let body = String::from_utf8_lossy(&body).into_owned();
        Ok::<_, Problem>(Answered { status, body })
    };
    // The connection is driven beside the exchange and ends when the exchange drops its sender.
    tokio::join!(exchange, connection).0
}

/// The HMAC-SHA256 of the parts, one after the other, in hexadecimal.
pub fn hmac_sha256_hex(secret: &str, parts: &[&[u8]]) -> String {
    // HMAC takes keys of every length.
    let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(secret.as_bytes()) else {
        return String::new();
    };
    parts.iter().for_each(|part| mac.update(part));
    hex::encode(mac.finalize().into_bytes())
}

/// What time it is for a platform that signs, in seconds since 1970.
#[expect(clippy::disallowed_methods, reason = "a platform has a clock of its own")]
pub fn unix_seconds() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    since.as_secs()
}
