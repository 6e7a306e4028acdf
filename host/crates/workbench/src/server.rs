//! The played platform on a port of this machine: pieces reach it as they reach a real one, through their slots.

use std::net::SocketAddr;
use std::sync::Arc;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::http::{HeaderValue, Response, StatusCode, header};
use serde_json::Value;
use tokio::net::TcpListener;

use crate::board::{Answered, Asked, Board};

/// The most a piece may send (the contract's).
const BODY_BYTES_MAX: usize = 1024 * 1024;

/// A server that is not answering yet.
pub(crate) struct Server {
    listener: TcpListener,
    address: SocketAddr,
}

impl Server {
    /// Takes a free port.
    pub(crate) async fn bind() -> std::io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = listener.local_addr()?;
        Ok(Self { listener, address })
    }

    /// Where it is.
    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// Answers until it is dropped. Requests of slot `s` come below `/s`.
    pub(crate) async fn answer(self, board: Arc<Board>) -> std::io::Result<()> {
        let router = Router::new().fallback(handle).with_state(board);
        axum::serve(self.listener, router).await
    }
}

async fn handle(State(board): State<Arc<Board>>, request: Request) -> Response<Body> {
    let (head, body) = request.into_parts();
    let target = head.uri.path_and_query().map_or("/", |target| target.as_str());
    let (slot, path) = target
        .trim_start_matches('/')
        .split_once('/')
        .unwrap_or((target.trim_start_matches('/'), ""));
    let body = to_bytes(body, BODY_BYTES_MAX).await.unwrap_or_default();
    let asked = Asked {
        slot: slot.to_owned(),
        method: head.method.to_string(),
        path: format!("/{path}"),
        body: read(&body),
    };
    let Answered {
        status,
        retry_after,
        body,
    } = board.answer(asked);
    let mut response = Response::new(Body::from(body.to_string()));
    *response.status_mut() = StatusCode::from_u16(status).unwrap_or_default();
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    if let Some(seconds) = retry_after {
        headers.insert(header::RETRY_AFTER, HeaderValue::from(seconds));
    }
    response
}

fn read(body: &[u8]) -> Value {
    let fields = || {
        let pairs = form_urlencoded::parse(body);
        let fields = pairs.map(|(name, value)| (name.into_owned(), Value::String(value.into_owned())));
        Value::Object(fields.collect())
    };
    match body {
        b"" => Value::Null,
        _ => serde_json::from_slice(body).unwrap_or_else(|_| fields()),
    }
}
