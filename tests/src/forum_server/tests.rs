//! The fake keeps its word: a test that relies on it must not find a hole here.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::routing::post;
use http_body_util::{BodyExt, Full};
use hyper::Request;
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;

use super::webhooks::signature;
use super::*;

const LIMIT: Duration = Duration::from_secs(10);
const SECRET: &str = "webhook secret";

async fn forum() -> ForumServer {
    let mut config = ForumConfig::new("token", SECRET);
    config.redelivery_delays = vec![Duration::ZERO; 2];
    ForumServer::start(config).await.unwrap()
}

/// A request of the bot; status and body, or what went wrong.
async fn request(
    forum: &ForumServer,
    method: &str,
    path: &str,
    token: &str,
    body: Value,
) -> Result<(u16, Value), String> {
    let request = Request::builder()
        .method(method)
        .uri(path)
        .header("host", forum.address.to_string())
        .header("content-type", "application/json")
        .header("authorization", format!("Bearer {token}"))
        .body(Full::new(Bytes::from(body.to_string())))
        .unwrap();
    let stream = TcpStream::connect(forum.address).await.unwrap();
    let (mut sender, connection) = hyper::client::conn::http1::handshake(TokioIo::new(stream))
        .await
        .unwrap();
    let exchange = async move {
        let response = sender
            .send_request(request)
            .await
            .map_err(|error| error.to_string())?;
        let status = response.status().as_u16();
        let body = response
            .into_body()
            .collect()
            .await
            .map_err(|error| error.to_string())?
            .to_bytes();
        Ok((status, serde_json::from_slice(&body).unwrap_or(Value::Null)))
    };
    tokio::join!(exchange, connection).0
}

async fn bot(forum: &ForumServer, method: &str, path: &str, body: Value) -> (u16, Value) {
    request(forum, method, path, "token", body).await.unwrap()
}

/// A bot that refuses the first few webhooks and remembers them all.
struct Listener {
    url: String,
    seen: watch::Receiver<Vec<(HeaderMap, Bytes)>>,
    _serving: JoinSet<()>,
}

async fn listener(refusals: usize) -> Listener {
    let (sender, seen) = watch::channel(Vec::new());
    let sender = Arc::new(sender);
    let handler =
        async move |State(sender): State<Arc<watch::Sender<Vec<_>>>>, headers: HeaderMap, body: Bytes| {
            let mut count = 0;
            sender.send_modify(|seen| {
                seen.push((headers, body));
                count = seen.len();
            });
            if count <= refusals {
                StatusCode::SERVICE_UNAVAILABLE
            } else {
                StatusCode::OK
            }
        };
    let tcp = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/channels/forum", tcp.local_addr().unwrap());
    let mut serving = JoinSet::new();
    serving.spawn(async move {
        axum::serve(
            tcp,
            Router::new()
                .route("/channels/forum", post(handler))
                .with_state(sender),
        )
        .await
        .unwrap();
    });
    Listener {
        url,
        seen,
        _serving: serving,
    }
}

#[tokio::test]
async fn a_post_under_the_same_client_id_is_the_first_one() {
    let forum = forum().await;
    let draft = json!({ "text": "which?", "buttons": [{ "id": "q", "label": "Red" }], "client_id": "k1" });
    let (status, first) = bot(&forum, "POST", "/threads/t1/posts", draft.clone()).await;
    let (_, second) = bot(&forum, "POST", "/threads/t1/posts", draft).await;
    assert_eq!((status, &first["id"]), (201, &second["id"]));
    bot(&forum, "POST", "/threads/t1/posts", json!({ "text": "no id" })).await;
    bot(&forum, "POST", "/threads/t1/posts", json!({ "text": "no id" })).await;
    assert_eq!(forum.posts("t1").len(), 3);
}

#[tokio::test]
async fn an_edit_replaces_text_and_buttons() {
    let forum = forum().await;
    let draft = json!({ "text": "which?", "buttons": [{ "id": "q", "label": "Red" }] });
    let (_, created) = bot(&forum, "POST", "/threads/t1/posts", draft).await;
    let path = format!("/posts/{}", created["id"].as_str().unwrap());
    assert_eq!(
        bot(&forum, "PATCH", &path, json!({ "text": "Answered." }))
            .await
            .0,
        200
    );
    let posts = forum.posts("t1");
    assert_eq!(
        (posts[0].text.as_str(), posts[0].buttons.len(), posts[0].edits),
        ("Answered.", 0, 1)
    );
    assert_eq!(
        bot(&forum, "PATCH", "/posts/p99", json!({ "text": "x" })).await.0,
        404
    );
    assert_eq!(bot(&forum, "PATCH", &path, json!({ "text": " " })).await.0, 422);
}

#[tokio::test]
async fn a_wrong_token_does_nothing() {
    let forum = forum().await;
    let (status, _) = request(
        &forum,
        "POST",
        "/threads/t1/posts",
        "other",
        json!({ "text": "x" }),
    )
    .await
    .unwrap();
    assert_eq!(status, 401);
    assert!(forum.posts("t1").is_empty());
    assert_eq!(forum.requests(RequestKind::CreatePost), 1);
}

#[tokio::test]
async fn an_email_address_is_told_to_the_bot_only() {
    let forum = forum().await;
    let listener = listener(0).await;
    forum.set_webhook_url(Some(&listener.url));
    forum.say("t1", "ann", "hello").await;
    assert!(!String::from_utf8_lossy(&listener.seen.borrow()[0].1).contains("ann@example.com"));
    assert_eq!(
        bot(&forum, "GET", "/users/ann", Value::Null).await.1["email"],
        "ann@example.com"
    );
    assert_eq!(bot(&forum, "GET", "/users/nobody", Value::Null).await.0, 404);
}

#[tokio::test]
async fn a_webhook_is_signed_over_its_timestamp_and_body() {
    let forum = forum().await;
    let listener = listener(0).await;
    forum.set_webhook_url(Some(&listener.url));
    let said = forum.say("t1", "ann", "hello").await;
    let shown = forum.press("t1", "ann", &said.post.id, "q:1").await;
    assert_eq!(shown.status, Some(200));
    let seen = listener.seen.borrow().clone();
    for (headers, body) in &seen {
        let timestamp = headers["x-forum-timestamp"].to_str().unwrap();
        assert_eq!(
            headers["x-forum-signature"],
            signature(SECRET, timestamp, body).unwrap().as_str()
        );
    }
    let payload: Value = serde_json::from_slice(&seen[1].1).unwrap();
    assert_eq!(
        (payload["kind"].as_str(), payload["button"].as_str()),
        (Some("press"), Some("q:1"))
    );
}

/// The value was computed with `openssl dgst -sha256 -hmac`.
#[test]
fn the_signature_is_what_others_compute() {
    let expected = "sha256=b8569b78799ff9e3cbff0fc2d63a33a2b57f3282abd07c37ae5e8e7d79a5f163";
    assert_eq!(signature("secret", "1700000000", b"{}").unwrap(), expected);
}

#[tokio::test]
async fn a_refused_webhook_comes_again_under_the_same_id() {
    let forum = forum().await;
    let mut listener = listener(2).await;
    forum.set_webhook_url(Some(&listener.url));
    let said = forum.say("t1", "ann", "hello").await;
    assert_eq!(said.delivered.status, Some(503));
    tokio::time::timeout(LIMIT, listener.seen.wait_for(|seen| seen.len() == 3))
        .await
        .unwrap()
        .unwrap();
    let again = forum.redeliver(&said.delivered.delivery_id).await.unwrap();
    assert_eq!(again.status, Some(200));
    let bodies: Vec<Bytes> = listener
        .seen
        .borrow()
        .iter()
        .map(|(_, body)| body.clone())
        .collect();
    assert_eq!(bodies.len(), 4);
    assert!(bodies.windows(2).all(|pair| pair[0] == pair[1]));
    assert!(forum.redeliver("d99").await.is_none());
}

#[tokio::test]
async fn a_delivery_without_an_url_waits_for_its_redelivery() {
    let forum = forum().await;
    let said = forum.say("t1", "ann", "hello").await;
    assert_eq!(said.delivered.status, None);
    let listener = listener(0).await;
    forum.set_webhook_url(Some(&listener.url));
    assert_eq!(
        forum.redeliver(&said.delivered.delivery_id).await.unwrap().status,
        Some(200)
    );
    assert_eq!(forum.attempts(&said.delivered.delivery_id).len(), 1);
}

#[tokio::test]
async fn injected_failures_are_used_up_and_do_nothing() {
    let forum = forum().await;
    forum.fail_next(RequestKind::CreatePost, 1, 429, Some(2));
    assert_eq!(
        bot(&forum, "POST", "/threads/t1/posts", json!({ "text": "x" }))
            .await
            .0,
        429
    );
    assert!(forum.posts("t1").is_empty());
    assert_eq!(
        bot(&forum, "POST", "/threads/t1/posts", json!({ "text": "x" }))
            .await
            .0,
        201
    );
    assert_eq!(forum.requests(RequestKind::CreatePost), 2);
}

#[tokio::test]
async fn a_lost_reply_was_acted_on() {
    let forum = forum().await;
    forum.lose_reply_of_next(RequestKind::CreatePost, 1);
    let lost = request(
        &forum,
        "POST",
        "/threads/t1/posts",
        "token",
        json!({ "text": "x" }),
    )
    .await;
    assert!(lost.is_err(), "{lost:?}");
    assert_eq!(forum.posts("t1").len(), 1);
}

#[tokio::test]
async fn a_held_request_does_nothing_before_its_release() {
    let forum = forum().await;
    let mut hold = forum.hold_next(RequestKind::CreatePost);
    let held = bot(&forum, "POST", "/threads/t1/posts", json!({ "text": "x" }));
    let watching = async {
        hold.arrived().await;
        let before = forum.posts("t1").len();
        hold.release();
        before
    };
    let ((status, _), before) = tokio::join!(held, watching);
    assert_eq!((status, before), (201, 0));
}

#[tokio::test]
async fn waiting_ends_when_the_posts_are_there_or_the_limit_is() {
    let forum = forum().await;
    let waiting = forum.wait_for("t1", |posts| posts.len() == 1, LIMIT);
    let (posts, _) = tokio::join!(waiting, forum.say("t1", "ann", "hello"));
    assert_eq!(posts.unwrap()[0].text, "hello");
    let late = forum
        .wait_for("t1", |posts| posts.len() == 2, Duration::from_millis(1))
        .await
        .unwrap_err();
    assert_eq!(late.posts.len(), 1);
}

#[tokio::test]
async fn the_page_has_no_foreign_assets_and_takes_json_only() {
    let forum = forum().await;
    let page = include_str!("page.html");
    assert!(!page.contains("http:") && !page.contains("https:") && !page.contains("innerHTML"));
    let (status, _) = bot(
        &forum,
        "POST",
        "/page/threads/t1/say",
        json!({ "user": "ann", "text": "<b>hi" }),
    )
    .await;
    assert_eq!(status, 201);
    let (_, posts) = bot(&forum, "GET", "/page/threads/t1", Value::Null).await;
    assert_eq!(posts[0]["text"], "<b>hi");
    let (_, overview) = bot(&forum, "GET", "/page", Value::Null).await;
    assert_eq!(
        (&overview["threads"][0], &overview["people"][0]["id"]),
        (&json!("t1"), &json!("ann"))
    );
}
