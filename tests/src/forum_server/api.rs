//! The interface of the bot: JSON, with a bearer token.

use std::sync::Arc;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{DefaultBodyLimit, Path, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, patch};
use futures_util::stream;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::json;

use super::board::{Draft, Edit};
use super::faults::{Fault, RequestKind};
use super::{BOT, Forum};

/// A post with a hundred buttons stays far below it.
pub(super) const BODY_BYTES_MAX: usize = 256 * 1024;

pub(super) fn router() -> Router<Arc<Forum>> {
    Router::new()
        .route("/me", get(me))
        .route("/users/{id}", get(user))
        .route("/threads/{thread}/posts", get(posts).post(create_post))
        .route("/posts/{id}", patch(edit_post))
        .layer(DefaultBodyLimit::max(BODY_BYTES_MAX))
}

async fn me(State(forum): State<Arc<Forum>>, headers: HeaderMap) -> Response {
    let act = || json_reply(StatusCode::OK, &forum.board.borrow().user(BOT));
    forum.answer(RequestKind::Me, &headers, act).await
}

async fn user(State(forum): State<Arc<Forum>>, Path(id): Path<String>, headers: HeaderMap) -> Response {
    let act = || match forum.board.borrow().known_user(&id) {
        Some(user) => json_reply(StatusCode::OK, &user),
        None => problem(StatusCode::NOT_FOUND, "no such user"),
    };
    forum.answer(RequestKind::User, &headers, act).await
}

async fn posts(State(forum): State<Arc<Forum>>, Path(thread): Path<String>, headers: HeaderMap) -> Response {
    let act = || json_reply(StatusCode::OK, &forum.board.borrow().posts(&thread));
    forum.answer(RequestKind::Posts, &headers, act).await
}

async fn create_post(
    State(forum): State<Arc<Forum>>,
    Path(thread): Path<String>,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let act = || match parse::<Draft>(&body) {
        Ok(draft) if draft.text.trim().is_empty() => {
            problem(StatusCode::UNPROCESSABLE_ENTITY, "text must not be empty")
        }
        Ok(draft) => json_reply(
            StatusCode::CREATED,
            &forum.change(|board| board.post(&thread, BOT, draft)),
        ),
        Err(response) => *response,
    };
    forum.answer(RequestKind::CreatePost, &headers, act).await
}

async fn edit_post(
    State(forum): State<Arc<Forum>>,
    Path(id): Path<String>,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let act = || match parse::<Edit>(&body) {
        Ok(edit) if edit.text.trim().is_empty() => {
            problem(StatusCode::UNPROCESSABLE_ENTITY, "text must not be empty")
        }
        Ok(edit) => match forum.change(|board| board.edit(&id, edit)).flatten() {
            Some(post) => json_reply(StatusCode::OK, &post),
            None => problem(StatusCode::NOT_FOUND, "no such post"),
        },
        Err(response) => *response,
    };
    forum.answer(RequestKind::EditPost, &headers, act).await
}

impl Forum {
    /// Counts a request, checks its token, lets the fault meant for it happen, and acts.
    async fn answer(
        &self,
        kind: RequestKind,
        headers: &HeaderMap,
        act: impl FnOnce() -> Response,
    ) -> Response {
        let fault = self.faults(|faults| faults.meet(kind));
        let expected = format!("Bearer {}", self.token);
        if headers
            .get(header::AUTHORIZATION)
            .is_none_or(|value| value.as_bytes() != expected.as_bytes())
        {
            return problem(StatusCode::UNAUTHORIZED, "the bearer token is not the bot's");
        }
        match fault {
            None => act(),
            Some(Fault::Status { status, retry_after }) => failure(status, retry_after),
            Some(Fault::Held { arrived, released }) => {
                arrived.send(()).ok();
                // A dropped hold releases too.
                released.await.ok();
                act()
            }
            Some(Fault::ReplyLost) => {
                act();
                broken_off()
            }
        }
    }
}

fn failure(status: u16, retry_after: Option<u32>) -> Response {
    let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let mut response = problem(status, "a test wants it so");
    if let Some(seconds) = retry_after {
        response.headers_mut().insert(header::RETRY_AFTER, seconds.into());
    }
    response
}

/// A response whose body ends in an error, so that the connection is closed in its midst.
fn broken_off() -> Response {
    Body::from_stream(stream::once(async {
        Err::<Bytes, _>(std::io::Error::other("the reply is lost"))
    }))
    .into_response()
}

pub(super) fn parse<T: DeserializeOwned>(body: &[u8]) -> Result<T, Box<Response>> {
    serde_json::from_slice(body).map_err(|error| {
        Box::new(problem(
            StatusCode::BAD_REQUEST,
            &format!("the body is not what is asked for: {error}"),
        ))
    })
}

pub(super) fn problem(status: StatusCode, message: &str) -> Response {
    json_reply(status, &json!({ "error": message }))
}

pub(super) fn json_reply(status: StatusCode, body: &impl Serialize) -> Response {
    match serde_json::to_vec(body) {
        Ok(body) => (status, [(header::CONTENT_TYPE, "application/json")], body).into_response(),
        Err(_) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}
