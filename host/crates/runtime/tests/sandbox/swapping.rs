//! Builds are prepared beside what runs, switched to at once, and held back when they keep failing.

use frogbot_manifest::{EventKind, Example, Happens, Manifest};
use ports::Pieces;
use ports::pieces::{Blame, FaultKind};
use runtime::{Runtime, RuntimeConfig, Stage as LoadStage};
use serde_json::json;

use crate::stage::{CHANNEL, Stage, config, manifest, piece, setup};

fn version(text: &str) -> Manifest {
    let mut manifest = manifest(json!({}));
    manifest.version = text.parse().expect("a version");
    manifest
}

fn running(runtime: &Runtime) -> String {
    runtime.info(CHANNEL).expect("a piece").version
}

#[tokio::test]
async fn a_prepared_build_is_nothing_until_it_is_switched_to_and_the_one_before_can_come_back() {
    let stage = Stage::new().await;
    let before = running(&stage.0);
    let prepared = stage
        .0
        .prepare(setup(), piece(&version("2.0.0")))
        .await
        .expect("prepares");
    assert_eq!(running(&stage.0), before);

    let old = stage.0.switch(prepared).expect("something was there");
    assert_eq!(running(&stage.0), "2.0.0");
    assert_eq!(old.info().version, before);
    let new = stage.0.switch(old).expect("something was there");
    assert_eq!(new.info().version, "2.0.0");
    assert_eq!(running(&stage.0), before);
    stage.split("count").await.expect("it answers");
}

#[tokio::test]
async fn a_call_that_runs_ends_on_the_build_it_began_on() {
    let stage = Stage::new().await;
    let runtime = stage.0.clone();
    let new = runtime
        .prepare(setup(), piece(&version("2.0.0")))
        .await
        .expect("prepares");
    let (slow, old) = tokio::join!(stage.split("loop"), async {
        runtime.switch(new).expect("something was there")
    });
    // It began first, and computed until its time was up.
    let fault = slow.expect_err("it loops");
    assert_eq!(fault.kind, FaultKind::TimedOut);
    assert_eq!(running(&stage.0), "2.0.0");
    assert_eq!(old.health().failures, 1, "it counts for the build it ran on");
    assert_eq!(stage.0.health(CHANNEL).expect("a piece").failures, 0);
}

#[tokio::test]
async fn a_piece_that_keeps_failing_is_held_back_and_another_build_is_not() {
    let strict = RuntimeConfig {
        failures_forgiven: 3,
        ..config()
    };
    let stage = Stage::with(strict, manifest(json!({})), setup()).await;
    for _ in 0..3 {
        let fault = stage.split("trap").await.expect_err("it traps");
        assert_eq!((fault.kind, fault.blame()), (FaultKind::Trap, Blame::Piece));
    }
    let fault = stage.split("count").await.expect_err("it is held back");
    assert_eq!(fault.kind, FaultKind::Busy, "{fault}");
    assert!(fault.reason.contains("failed 3 times in a row"), "{fault}");
    let health = stage.0.health(CHANNEL).expect("a piece");
    assert!(health.held_back, "{health:?}");
    assert_eq!(health.failures, 3);

    stage
        .0
        .load(setup(), piece(&version("2.0.0")))
        .await
        .expect("loads");
    stage
        .split("count")
        .await
        .expect("the new build is not held back");
}

#[tokio::test]
async fn a_build_that_does_not_do_what_its_examples_say_is_not_switched_to() {
    let stage = Stage::new().await;
    let before = running(&stage.0);
    let receive = |body: &str, events: Vec<EventKind>| Happens::Receive {
        method: "POST".to_owned(),
        path: String::new(),
        headers: std::collections::BTreeMap::new(),
        body: body.to_owned(),
        events,
    };
    let split = |text: &str, parts| Happens::Split {
        text: text.to_owned(),
        parts,
    };
    for (happens, told) in [
        (
            receive("none", vec![EventKind::Action]),
            "expected events [Action], found",
        ),
        (
            receive("unreadable", vec![]),
            "`receive` refused the request: unreadable",
        ),
        (receive("status", vec![]), "`receive` failed: "),
        (split("trap", 1), "`split` failed: "),
        (split("count", 9), "expected parts 9, found "),
    ] {
        let mut wrong = version("2.0.0");
        wrong.examples = vec![Example {
            name: "it shows".to_owned(),
            happens,
        }];
        let problem = stage
            .0
            .load(setup(), piece(&wrong))
            .await
            .expect_err("it does something else");
        assert_eq!(problem.stage, LoadStage::Examples, "{problem}");
        assert!(problem.reason.starts_with("example 1 (it shows): "), "{problem}");
        assert!(problem.reason.contains(told), "{problem}");
        assert_eq!(running(&stage.0), before);
    }
}
