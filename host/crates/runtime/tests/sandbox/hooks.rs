//! What hooks are given and may return, outside of questions.

use std::io::Write;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use lifecycle::{MessageId, Millis};
use ports::Pieces;
use ports::pieces::{Blame, FaultKind, InboundRequest, Received};
use serde_json::json;

use crate::stage::{CHANNEL, Stage, TOKEN, config, context, conversation, manifest, setup};

const LIMIT: Duration = Duration::from_secs(20);

async fn receive(stage: &Stage, body: &str) -> Result<Result<Received, String>, ports::pieces::HookFault> {
    let request = InboundRequest {
        method: "POST".to_owned(),
        path: String::new(),
        headers: vec![("content-type".to_owned(), "text/plain".to_owned())],
        body: Bytes::from(body.to_owned()),
    };
    stage.0.receive(CHANNEL, request).await
}

#[tokio::test]
async fn an_event_arrives_as_the_piece_read_it() {
    let stage = Stage::new().await;
    let received = receive(&stage, "good day").await.expect("runs").expect("reads");
    let [event] = &received.events[..] else {
        panic!("one event")
    };
    assert_eq!(
        (event.delivery_id.as_str(), event.answer_within),
        ("D1", Duration::from_secs(3))
    );
    assert_eq!(
        receive(&stage, "none")
            .await
            .expect("runs")
            .expect("reads")
            .events,
        []
    );
}

#[tokio::test]
async fn events_that_break_the_contract_are_the_pieces_fault() {
    let stage = Stage::new().await;
    for body in ["text", "raw", "delivery", "no-delivery", "late", "status", "101"] {
        let fault = receive(&stage, body).await.expect_err(body);
        assert_eq!(
            (fault.kind, fault.blame()),
            (FaultKind::Garbage, Blame::Piece),
            "{body}: {fault}"
        );
    }
}

#[tokio::test]
async fn replies_that_break_the_contract_are_the_pieces_fault() {
    let stage = Stage::new().await;
    for text in ["parts 101", "bytes 65537", "empty"] {
        assert_eq!(
            stage.split(text).await.expect_err(text).kind,
            FaultKind::Garbage,
            "{text}"
        );
    }
    assert_eq!(
        stage.split("parts 100").await.expect("as many as allowed").len(),
        100
    );
    let posted = stage.0.post(CHANNEL, context(LIMIT), &conversation(), "").await;
    assert_eq!(posted.expect_err("no id").kind, FaultKind::Garbage);
    let posted = stage
        .0
        .post(CHANNEL, context(LIMIT), &conversation(), "M1")
        .await
        .expect("an id");
    assert_eq!(posted.value, MessageId("M1".to_owned()));
    let removed = stage
        .0
        .remove(CHANNEL, context(LIMIT), &conversation(), &posted.value)
        .await;
    assert_eq!(removed.expect_err("status 99").kind, FaultKind::Garbage);
}

#[tokio::test]
async fn a_failure_of_the_platform_is_told_as_it_is() {
    let stage = Stage::new().await;
    for (part, kind, blame) in [
        ("retry", FaultKind::Retry(Some(Millis(1500))), Blame::Remote),
        ("gone", FaultKind::Gone, Blame::Remote),
        ("refused", FaultKind::Refused, Blame::Remote),
        ("perhaps-sent", FaultKind::PerhapsSent, Blame::Remote),
        ("state-unreadable", FaultKind::StateUnreadable, Blame::Piece),
    ] {
        let reason = MessageId(format!("it said {TOKEN}\n{}", "x".repeat(5000)));
        let fault = stage
            .0
            .edit(CHANNEL, context(LIMIT), &conversation(), &reason, part)
            .await
            .expect_err(part);
        assert_eq!((fault.kind, fault.blame()), (kind, blame), "{part}");
        assert!(fault.reason.starts_with("it said [secret] x"), "{}", fault.reason);
        assert_eq!(fault.reason.len(), 1024);
    }
}

#[tokio::test]
async fn a_hook_that_the_manifest_does_not_list_is_not_called() {
    let stage = Stage::new().await;
    let fault = stage
        .0
        .started(CHANNEL, context(LIMIT), &conversation(), None)
        .await
        .expect_err("not listed");
    assert_eq!(fault.kind, FaultKind::NotLoaded);
}

#[tokio::test]
async fn a_channel_without_a_piece_says_so() {
    let stage = Stage::new().await;
    let fault = stage
        .0
        .split("nowhere", "T1", "hello")
        .await
        .expect_err("no piece");
    assert_eq!((fault.kind, fault.blame()), (FaultKind::NotLoaded, Blame::Host));
    assert!(stage.0.info("nowhere").is_none());
    assert!(stage.0.unload(CHANNEL));
    assert_eq!(
        stage.split("hello").await.expect_err("unloaded").kind,
        FaultKind::NotLoaded
    );
}

#[tokio::test]
async fn a_hook_is_told_its_attempt_and_the_connection_of_its_account() {
    let stage = Stage::new().await;
    let connected = stage.0.connect(CHANNEL, context(LIMIT)).await.expect("connects");
    assert_eq!(connected.data, r#"{"account":"T1","attempt":3}"#);
    stage.0.connected(CHANNEL, "T1", &connected.data);
    stage.0.connected(CHANNEL, "T2", r#""of another account""#);
    let told = stage.act("context").await.expect("tells");
    assert!(told.contains("attempt: 3"), "{told}");
    assert!(
        told.contains("[7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7]"),
        "{told}"
    );
    assert!(
        told.contains(r#"\"attempt\":3"#) && !told.contains("another account"),
        "{told}"
    );
    let refused = receive(&stage, "unreadable").await.expect("runs");
    assert_eq!(
        refused,
        Err("unreadable 2".to_owned()),
        "`receive` gets those of every account"
    );
}

#[tokio::test]
async fn what_an_account_lacks_is_told_within_the_limits_of_the_contract() {
    let stage = Stage::new().await;
    let lacks = async |account: &str| {
        let context = ports::pieces::Context {
            account: account.to_owned(),
            ..context(LIMIT)
        };
        stage.0.connect(CHANNEL, context).await
    };
    assert_eq!(lacks("T1").await.expect("connects").lacks, Vec::<String>::new());
    assert_eq!(lacks("lacks 2x3").await.expect("connects").lacks, ["xxx", "xxx"]);
    let most = lacks("lacks 100x1024")
        .await
        .expect("as much as is allowed")
        .lacks;
    assert_eq!((most.len(), most[0].len()), (100, 1024));
    for beyond in ["lacks 101x1", "lacks 1x1025", "lacks 1x0"] {
        assert_eq!(
            lacks(beyond).await.expect_err("too much").kind,
            FaultKind::Garbage,
            "{beyond}"
        );
    }
}

#[tokio::test]
async fn what_connect_returned_outlives_a_swap_of_the_piece() {
    let stage = Stage::new().await;
    stage.0.connected(CHANNEL, "T1", r#""kept""#);
    let newer = crate::stage::piece(&manifest(json!({ "version": "1.3.0" })));
    let info = stage.0.load(setup(), newer).await.expect("loads");
    assert_eq!(info.version, "1.3.0");
    assert_eq!(stage.0.info(CHANNEL), Some(info));
    assert!(stage.split("settings").await.expect("tells")[2].contains("kept"));
}

#[tokio::test]
async fn a_piece_that_does_not_load_leaves_the_one_before() {
    let stage = Stage::new().await;
    let newer = crate::stage::piece(&manifest(json!({ "version": "1.3.0", "world": "0.2" })));
    stage.0.load(setup(), newer).await.expect_err("does not fit");
    assert_eq!(stage.0.info(CHANNEL).expect("still there").version, "1.2.3");
    assert_eq!(stage.split("hello").await.expect("still runs"), ["hello"]);
}

#[tokio::test]
async fn options_come_with_their_defaults() {
    let stage = Stage::new().await;
    assert_eq!(
        stage.split("settings").await.expect("tells")[..2],
        [CHANNEL, r#"{"greeting":"hello"}"#]
    );
}

/// What the operator reads.
#[derive(Clone, Default)]
struct Operator(Arc<Mutex<Vec<u8>>>);

impl Write for Operator {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().expect("lock").extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[tokio::test]
async fn log_lines_are_bounded_named_and_without_secrets_or_control_characters() {
    let operator = Operator::default();
    let writer = operator.clone();
    let subscriber = tracing_subscriber::fmt()
        .with_ansi(false)
        .with_writer(move || writer.clone())
        .finish();
    let _reading = tracing::subscriber::set_default(subscriber);
    let mut talkative = setup();
    talkative
        .options
        .insert("greeting".to_owned(), json!(format!("the token is {TOKEN}")));
    let stage = Stage::with(config(), manifest(json!({})), talkative).await;
    stage.split("log 5000").await.expect("logs");
    let read = String::from_utf8(operator.0.lock().expect("lock").clone()).expect("text");
    let lines: Vec<_> = read
        .lines()
        .filter(|line| line.contains("hook=\"split\""))
        .collect();
    assert_eq!(lines.len(), 100, "{read}");
    assert!(
        lines[0].contains(r#"piece="hostile" channel="support""#),
        "{}",
        lines[0]
    );
    assert!(lines[0].contains("the token is [secret]"), "{}", lines[0]);
    assert!(
        lines[99].contains("more lines of this hook are dropped"),
        "{}",
        lines[99]
    );
    assert!(!read.contains(TOKEN) && !read.contains('\u{1b}'), "{read}");
    assert!(!read.lines().any(|line| line.starts_with("forged")), "{read}");
}
