//! The operator's interface: `GET /admin/pieces` says what runs, `POST /admin/pieces` brings a build of a piece
//! (`?grant=true`: it may be more, or older, than the one that runs).
//!
//! Every request carries the token of `[admin]` as `authorization: Bearer <token>`; without a token in the configuration there
//! are no such routes at all. Answers are JSON; a refusal is `{"refused": "<why, and what to do>"}`.

use std::sync::Arc;

use axum::Router;
use axum::body::Bytes;
use axum::extract::{DefaultBodyLimit, RawQuery, Request, State};
use axum::http::StatusCode;
use axum::http::header::AUTHORIZATION;
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use runtime::RuntimeConfig;
use serde::Serialize;
use subtle::ConstantTimeEq;

use crate::secrets::Current;
use crate::shelf::{Shelf, Word};

/// Where builds go to, and where what runs is told.
pub(crate) const PIECES: &str = "/admin/pieces";

/// The operator's word that the build may be more, or older, than the one that runs.
pub(crate) const GRANT: &str = "grant=true";

/// What an answer is where something was refused.
#[derive(Serialize)]
struct Refused {
    refused: String,
}

/// The routes, for whoever knows the token.
pub(crate) fn routes(shelf: Arc<Shelf>, token: Arc<Current>) -> Router {
    Router::new()
        .route(PIECES, get(show).post(install))
        .layer(DefaultBodyLimit::max(RuntimeConfig::default().piece_bytes_max))
        .layer(middleware::from_fn_with_state(token, admitted))
        .with_state(shelf)
}

async fn admitted(State(token): State<Arc<Current>>, request: Request, next: Next) -> Response {
    let given = request
        .headers()
        .get(AUTHORIZATION)
        .and_then(|value| value.as_bytes().strip_prefix(b"Bearer "));
    let is_it = match (given, token.value()) {
        (Some(given), Ok(token)) => bool::from(given.ct_eq(token.expose().as_bytes())),
        (None, _) | (_, Err(_)) => false,
    };
    if is_it {
        return next.run(request).await;
    }
    tracing::warn!("a request to the admin interface without its token was refused");
    answer(
        StatusCode::UNAUTHORIZED,
        &Refused {
            refused: "expected the token of `[admin]` as `authorization: Bearer <token>`".to_owned(),
        },
    )
}

async fn show(State(shelf): State<Arc<Shelf>>) -> Response {
    answer(StatusCode::OK, &shelf.shown().await)
}

async fn install(State(shelf): State<Arc<Shelf>>, RawQuery(query): RawQuery, build: Bytes) -> Response {
    let word = match query.as_deref() {
        None | Some("") => Word::None,
        Some(GRANT) => Word::Granted,
        Some(_) => {
            let refused = format!("expected nothing or `{GRANT}` behind the `?`");
            return answer(StatusCode::BAD_REQUEST, &Refused { refused });
        }
    };
    match shelf.install(build, word).await {
        Ok(installed) => answer(StatusCode::OK, &installed),
        Err(refused) => answer(StatusCode::UNPROCESSABLE_ENTITY, &Refused { refused }),
    }
}

fn answer(status: StatusCode, body: &impl Serialize) -> Response {
    let text = serde_json::to_string(body).unwrap_or_default();
    (status, [("content-type", "application/json")], text).into_response()
}
