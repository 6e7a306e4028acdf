//! The whole way of a request, through the router.

use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::Mutex;
use std::task::Poll;

use frogbot_manifest::Verification;
use http::{Method, StatusCode};
use ports::ingress::IngressFault;
use ports::pieces::HttpReply;
use tokio::sync::Notify;
use tower::ServiceExt;

use super::*;
use crate::Gates;
use crate::limits::{READING_MAX, REQUESTS_MAX};
use crate::{Outside, SigningSecret};

/// An engine that notes what it is given and answers by what the body says.
#[derive(Default)]
pub(crate) struct NotingIngress {
    pub(crate) seen: Mutex<Vec<(String, InboundRequest)>>,
    pub(crate) go_on: Notify,
    pub(crate) finished: Notify,
}

impl Ingress for NotingIngress {
    async fn take_in(&self, channel: &str, request: InboundRequest) -> Result<HttpReply, IngressFault> {
        let body = request.body.clone();
        self.seen.lock().unwrap().push((channel.to_owned(), request));
        let reply = |status, content_type: Option<&str>| {
            let content_type = content_type.map(str::to_owned);
            Ok(HttpReply {
                status,
                content_type,
                body: body.clone(),
            })
        };
        match body.as_ref() {
            b"unreadable" => Err(IngressFault::Unreadable),
            b"try again" => Err(IngressFault::TryAgain),
            b"unknown" => Err(IngressFault::NoChannel),
            b"panic" => panic!("the engine breaks"),
            b"odd status" => reply(99, None),
            b"odd type" => reply(200, Some("text/\nplain")),
            b"wait" => {
                self.go_on.notified().await;
                self.finished.notify_one();
                reply(200, None)
            }
            _ => reply(201, Some("application/json")),
        }
    }
}

pub(crate) struct TestTasks;

impl Tasks for TestTasks {
    #[expect(clippy::disallowed_methods, reason = "these are the tests' tasks")]
    fn spawn(&self, task: Pin<Box<dyn Future<Output = ()> + Send>>) {
        drop(tokio::spawn(task));
    }
}

pub(crate) struct TestClock;

impl Clock for TestClock {
    fn elapsed(&self) -> Duration {
        Duration::ZERO
    }

    #[expect(
        clippy::disallowed_methods,
        reason = "the runtime's time, which the tests pause"
    )]
    async fn sleep(&self, length: Duration) {
        tokio::time::sleep(length).await;
    }
}

/// A secret that can change between two requests.
struct Rotating(Mutex<Option<&'static str>>);

impl SigningSecret for Rotating {
    fn current(&self) -> Option<Arc<str>> {
        self.0.lock().unwrap().map(Arc::from)
    }
}

pub(crate) struct World {
    pub(crate) gateway: Gateway<NotingIngress, TestTasks, TestClock>,
    pub(crate) ingress: Arc<NotingIngress>,
    secret: Arc<Rotating>,
}

/// One channel `forum` whose requests carry `x-token: s3cret`.
pub(crate) fn world() -> World {
    let ingress = Arc::new(NotingIngress::default());
    let secret = Arc::new(Rotating(Mutex::new(Some("s3cret"))));
    let gate = ChannelGate {
        verification: Verification::SharedSecret {
            secret: "token".to_owned(),
            header: "x-token".to_owned(),
            prefix: String::new(),
        },
        secret: secret.clone(),
    };
    let outside = Outside {
        tasks: Arc::new(TestTasks),
        clock: Arc::new(TestClock),
        wall: Arc::new(|| SystemTime::UNIX_EPOCH),
    };
    let gates = BTreeMap::from([("forum".to_owned(), gate)]);
    World {
        gateway: Gateway::new(Gates::new(gates), ingress.clone(), outside),
        ingress,
        secret,
    }
}

impl World {
    async fn send(&self, request: http::Request<Body>) -> (StatusCode, Option<String>, Bytes) {
        let response = self.gateway.router().oneshot(request).await.unwrap();
        let (parts, body) = response.into_parts();
        let kind = parts
            .headers
            .get("content-type")
            .map(|value| value.to_str().unwrap().to_owned());
        (parts.status, kind, read(body).await.unwrap())
    }

    async fn post(&self, uri: &str, body: impl Into<Body>) -> (StatusCode, Option<String>, Bytes) {
        self.send(request(uri).body(body.into()).unwrap()).await
    }

    fn seen(&self) -> usize {
        self.ingress.seen.lock().unwrap().len()
    }
}

fn request(uri: &str) -> http::request::Builder {
    http::Request::builder()
        .method(Method::POST)
        .uri(uri)
        .header("x-token", "s3cret")
}

#[tokio::test]
async fn verified_request_reaches_the_engine_and_its_reply_the_platform() {
    let world = world();
    let sent = request("/channels/forum/a%2Fb/c?d=e")
        .header("X-Kind", "message")
        .body(Body::from("hello"));
    let (status, kind, body) = world.send(sent.unwrap()).await;
    assert_eq!(
        (status, kind.as_deref(), body.as_ref()),
        (StatusCode::CREATED, Some("application/json"), &b"hello"[..])
    );
    let seen = world.ingress.seen.lock().unwrap();
    let (channel, request) = &seen[0];
    assert_eq!(channel, "forum");
    assert_eq!(request.method, "POST");
    assert_eq!(request.path, "/a%2Fb/c?d=e");
    assert!(
        request
            .headers
            .contains(&("x-kind".to_owned(), "message".to_owned()))
    );
}

#[tokio::test]
async fn shared_secret_ends_at_the_gateway() {
    let world = world();
    world.post("/channels/forum", "hello").await;
    let seen = world.ingress.seen.lock().unwrap();
    assert!(!format!("{:?}", seen[0].1).contains("s3cret"), "{:?}", seen[0].1);
}

#[tokio::test]
async fn what_follows_the_route_is_empty_or_starts_with_a_slash() {
    let cases = [
        ("", ""),
        ("?a=b", "/?a=b"),
        ("/", "/"),
        ("/?a=b", "/?a=b"),
        ("/x//y", "/x//y"),
    ];
    for (written, path) in cases {
        let world = world();
        let (status, ..) = world.post(&format!("/channels/forum{written}"), "hello").await;
        assert_eq!(status, StatusCode::CREATED, "{written}");
        assert_eq!(world.ingress.seen.lock().unwrap()[0].1.path, path, "{written}");
    }
}

#[tokio::test]
async fn unverified_request_learns_nothing_and_reaches_nobody() {
    let world = world();
    let wrong = http::Request::post("/channels/forum").header("x-token", "s3cre");
    let none = http::Request::post("/channels/forum");
    let twice = request("/channels/forum").header("x-token", "s3cret");
    for builder in [wrong, none, twice] {
        let answer = world.send(builder.body(Body::from("hello")).unwrap()).await;
        assert_eq!(answer, (StatusCode::UNAUTHORIZED, None, Bytes::new()));
    }
    assert_eq!(world.seen(), 0);
}

#[tokio::test]
async fn rotated_secret_is_used_by_the_next_request() {
    let world = world();
    *world.secret.0.lock().unwrap() = Some("other");
    assert_eq!(
        world.post("/channels/forum", "hello").await.0,
        StatusCode::UNAUTHORIZED
    );
    *world.secret.0.lock().unwrap() = Some("s3cret");
    assert_eq!(
        world.post("/channels/forum", "hello").await.0,
        StatusCode::CREATED
    );
}

#[tokio::test]
async fn channel_without_its_secret_is_down_and_never_open() {
    for secret in [None, Some(""), Some(" \n")] {
        let world = world();
        *world.secret.0.lock().unwrap() = secret;
        for token in ["s3cret", "", " \n"] {
            let sent = http::Request::post("/channels/forum").header("x-token", token.trim());
            let answer = world.send(sent.body(Body::from("hello")).unwrap()).await;
            assert_eq!(answer, (StatusCode::SERVICE_UNAVAILABLE, None, Bytes::new()));
        }
        assert_eq!(world.seen(), 0);
    }
}

#[tokio::test]
async fn only_posts_to_configured_channels_are_taken() {
    let world = world();
    assert_eq!(
        world.post("/channels/nobody", "hello").await.0,
        StatusCode::NOT_FOUND
    );
    assert_eq!(
        world.post("/channels/f%6Frum", "hello").await.0,
        StatusCode::NOT_FOUND
    );
    assert_eq!(world.post("/", "hello").await.0, StatusCode::NOT_FOUND);
    let get = http::Request::get("/channels/forum").header("x-token", "s3cret");
    assert_eq!(
        world.send(get.body(Body::empty()).unwrap()).await.0,
        StatusCode::METHOD_NOT_ALLOWED
    );
    assert_eq!(world.seen(), 0);
}

#[tokio::test]
async fn health_is_told_without_a_secret() {
    let get = http::Request::get("/healthz").body(Body::empty()).unwrap();
    let (status, _, body) = world().send(get).await;
    assert_eq!((status, body.as_ref()), (StatusCode::OK, &b"ok\n"[..]));
}

#[tokio::test]
async fn body_is_taken_up_to_its_limit() {
    let world = world();
    assert_eq!(
        world.post("/channels/forum", vec![b'x'; BODY_BYTES_MAX]).await.0,
        StatusCode::CREATED
    );
    assert_eq!(
        world
            .post("/channels/forum", vec![b'x'; BODY_BYTES_MAX + 1])
            .await
            .0,
        StatusCode::PAYLOAD_TOO_LARGE
    );
    assert_eq!(world.seen(), 1);
}

#[tokio::test]
async fn body_in_chunks_has_the_same_limit_and_is_not_read_to_its_end() {
    let world = world();
    let chunks = futures_util::stream::repeat_with(|| Ok::<_, std::io::Error>(vec![b'x'; 64 * 1024]));
    let (status, ..) = world.post("/channels/forum", Body::from_stream(chunks)).await;
    assert_eq!(status, StatusCode::PAYLOAD_TOO_LARGE);
}

#[tokio::test(start_paused = true)]
async fn body_that_does_not_come_is_given_up() {
    let never = futures_util::stream::pending::<Result<Bytes, std::io::Error>>();
    let (status, ..) = world().post("/channels/forum", Body::from_stream(never)).await;
    assert_eq!(status, StatusCode::REQUEST_TIMEOUT);
}

#[tokio::test]
async fn body_that_breaks_off_is_refused() {
    let world = world();
    let broken = futures_util::stream::iter([Ok(Bytes::from("hel")), Err(std::io::Error::other("cut"))]);
    assert_eq!(
        world.post("/channels/forum", Body::from_stream(broken)).await.0,
        StatusCode::BAD_REQUEST
    );
    assert_eq!(world.seen(), 0);
}

#[tokio::test]
async fn every_fault_of_the_engine_has_its_status() {
    let cases = [
        ("unreadable", StatusCode::BAD_REQUEST),
        ("try again", StatusCode::SERVICE_UNAVAILABLE),
        ("unknown", StatusCode::NOT_FOUND),
        ("panic", StatusCode::SERVICE_UNAVAILABLE),
    ];
    for (body, status) in cases {
        assert_eq!(
            world().post("/channels/forum", body).await,
            (status, None, Bytes::new()),
            "{body}"
        );
    }
}

#[tokio::test]
async fn reply_that_http_cannot_carry_is_no_panic() {
    assert_eq!(
        world().post("/channels/forum", "odd status").await.0,
        StatusCode::INTERNAL_SERVER_ERROR
    );
    let (status, kind, _) = world().post("/channels/forum", "odd type").await;
    assert_eq!((status, kind), (StatusCode::OK, None));
}

/// A request from anybody, whose body does not come.
fn slow() -> http::Request<Body> {
    let never = futures_util::stream::pending::<Result<Bytes, std::io::Error>>();
    let anybody = http::Request::post("/channels/forum");
    anybody.body(Body::from_stream(never)).unwrap()
}

/// A request that has come as far as it comes by itself.
async fn under_way<F: Future>(request: F) -> Pin<Box<F>> {
    let mut request = Box::pin(request);
    let polled = std::future::poll_fn(|context| Poll::Ready(request.as_mut().poll(context).is_pending()));
    assert!(polled.await);
    request
}

#[tokio::test]
async fn slow_strangers_take_no_place_of_the_verified() {
    let world = world();
    let mut strangers = Vec::new();
    for _ in 0..REQUESTS_MAX {
        strangers.push(under_way(world.send(slow())).await);
    }
    assert_eq!(
        world.post("/channels/forum", "hello").await.0,
        StatusCode::CREATED
    );
}

#[tokio::test]
async fn bodies_that_are_read_at_once_are_limited() {
    let world = world();
    let mut strangers = Vec::new();
    for _ in 0..READING_MAX {
        strangers.push(under_way(world.send(slow())).await);
    }
    assert_eq!(world.send(slow()).await.0, StatusCode::SERVICE_UNAVAILABLE);
    drop(strangers);
    assert_eq!(
        world.post("/channels/forum", "hello").await.0,
        StatusCode::CREATED
    );
}

#[tokio::test]
async fn unverified_request_learns_nothing_of_a_full_house() {
    let world = world();
    let _held: Vec<_> = (0..REQUESTS_MAX)
        .map(|_| world.gateway.0.places.clone().try_acquire_owned().unwrap())
        .collect();
    let unverified = http::Request::post("/channels/forum").body(Body::from("hello"));
    assert_eq!(world.send(unverified.unwrap()).await.0, StatusCode::UNAUTHORIZED);
}

#[tokio::test]
async fn requests_in_flight_are_limited() {
    let world = world();
    let held: Vec<_> = (0..REQUESTS_MAX)
        .map(|_| world.gateway.0.places.clone().try_acquire_owned().unwrap())
        .collect();
    assert_eq!(
        world.post("/channels/forum", "hello").await.0,
        StatusCode::SERVICE_UNAVAILABLE
    );
    assert_eq!(world.seen(), 0);
    drop(held);
    assert_eq!(
        world.post("/channels/forum", "hello").await.0,
        StatusCode::CREATED
    );
}

#[tokio::test]
async fn platform_that_hangs_up_interrupts_nothing() {
    let world = world();
    let mut response = Box::pin(world.post("/channels/forum", "wait"));
    tokio::select! {
        biased;
        answer = &mut response => panic!("{answer:?}"),
        () = tokio::task::yield_now() => {}
    }
    drop(response);
    assert_eq!(
        world.gateway.0.places.available_permits(),
        REQUESTS_MAX - 1,
        "it still has its place"
    );
    world.ingress.go_on.notify_one();
    world.ingress.finished.notified().await;
}
