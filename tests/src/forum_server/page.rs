//! The page on which people read, write and press: one file of HTML, and the JSON it asks for.
//!
//! Whoever opens it may speak as anybody: the forum is for tests and demonstrations, and listens on loopback.

use std::sync::Arc;

use axum::Router;
use axum::body::Bytes;
use axum::extract::{DefaultBodyLimit, Path, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{Html, IntoResponse, Response};
use axum::routing::{get, post};
use serde::Deserialize;
use serde_json::json;

use super::Forum;
use super::api::{BODY_BYTES_MAX, json_reply, parse, problem};

const PAGE: &str = include_str!("page.html");
/// The page's only script and style are its own; `connect-src` is for its own requests.
const POLICY: &str = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; connect-src 'self'; base-uri 'none'; form-action 'none'";

pub(super) fn router() -> Router<Arc<Forum>> {
    Router::new()
        .route(
            "/",
            get(async || ([(header::CONTENT_SECURITY_POLICY, POLICY)], Html(PAGE))),
        )
        .route("/page", get(overview))
        .route("/page/threads/{thread}", get(thread))
        .route("/page/threads/{thread}/say", post(say))
        .route("/page/threads/{thread}/press", post(press))
        .layer(DefaultBodyLimit::max(BODY_BYTES_MAX))
}

async fn overview(State(forum): State<Arc<Forum>>) -> Response {
    let board = forum.board.borrow();
    let people: Vec<_> = board.users().filter(|user| !user.bot).collect();
    let names: std::collections::BTreeMap<_, _> = board.users().map(|user| (&user.id, &user.name)).collect();
    json_reply(
        StatusCode::OK,
        &json!({ "people": people, "names": names, "threads": board.threads() }),
    )
}

async fn thread(State(forum): State<Arc<Forum>>, Path(thread): Path<String>) -> Response {
    json_reply(StatusCode::OK, &forum.board.borrow().posts(&thread))
}

#[derive(Deserialize)]
struct Saying {
    user: String,
    text: String,
}

async fn say(
    State(forum): State<Arc<Forum>>,
    Path(thread): Path<String>,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    match parse_own::<Saying>(&headers, &body) {
        Ok(saying) if saying.text.trim().is_empty() => {
            problem(StatusCode::UNPROCESSABLE_ENTITY, "write something first")
        }
        Ok(saying) => {
            let said = forum.say(&thread, &saying.user, &saying.text).await;
            json_reply(StatusCode::CREATED, &said.post)
        }
        Err(response) => *response,
    }
}

#[derive(Deserialize)]
struct Pressing {
    user: String,
    post: String,
    button: String,
}

async fn press(
    State(forum): State<Arc<Forum>>,
    Path(thread): Path<String>,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    match parse_own::<Pressing>(&headers, &body) {
        Ok(Pressing { user, post, button }) => {
            let delivered = forum.press(&thread, &user, &post, &button).await;
            json_reply(
                StatusCode::OK,
                &json!({ "status": delivered.status, "body": delivered.body }),
            )
        }
        Err(response) => *response,
    }
}

/// The body of a request of the page itself: no other site's form can send JSON as JSON.
fn parse_own<T: serde::de::DeserializeOwned>(headers: &HeaderMap, body: &[u8]) -> Result<T, Box<Response>> {
    let is_json = headers
        .get(header::CONTENT_TYPE)
        .is_some_and(|kind| kind.as_bytes().starts_with(b"application/json"));
    if !is_json {
        return Err(Box::new(StatusCode::UNSUPPORTED_MEDIA_TYPE.into_response()));
    }
    parse(body)
}
