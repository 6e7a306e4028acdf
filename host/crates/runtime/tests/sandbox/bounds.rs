//! Time, memory, calls: a guest gets what it may have and is cut off beyond it.

use std::time::Duration;

use ports::Pieces;
use ports::pieces::{Blame, FaultKind};
use runtime::{Allocator, LocatorKey, Runtime, RuntimeConfig};
use serde_json::json;

use crate::guest;
use crate::stage::{CHANNEL, LOCATORS, Stage, config, manifest, piece, setup};

const SHORT: Duration = Duration::from_millis(50);
const LONG: Duration = Duration::from_secs(3600);

async fn kind_of(stage: &Stage, text: &str) -> FaultKind {
    stage.split(text).await.expect_err("a fault").kind
}

async fn with(config: RuntimeConfig) -> Stage {
    Stage::with(config, manifest(json!({})), setup()).await
}

#[tokio::test]
async fn a_pure_hook_that_computes_for_ever_is_interrupted_by_the_epoch() {
    let stage = with(RuntimeConfig {
        pure_cpu_max: SHORT,
        pure_wall_max: LONG,
        ..config()
    })
    .await;
    let fault = stage.split("loop").await.expect_err("a fault");
    assert_eq!(fault.kind, FaultKind::TimedOut);
    assert_eq!(fault.reason, "it computed for longer than it may");
}

#[tokio::test]
async fn a_pure_hook_that_did_not_get_its_computing_time_is_no_fault_of_the_piece() {
    let stage = with(RuntimeConfig {
        pure_cpu_max: LONG,
        pure_wall_max: SHORT,
        ..config()
    })
    .await;
    let fault = stage.split("loop").await.expect_err("a fault");
    assert_eq!((fault.kind, fault.blame()), (FaultKind::Busy, Blame::Host));
}

#[tokio::test]
async fn an_acting_hook_that_computes_for_ever_is_interrupted() {
    let stage = with(RuntimeConfig {
        acting_cpu_max: SHORT,
        ..config()
    })
    .await;
    let fault = stage.act("loop").await.expect_err("a fault");
    assert_eq!(fault.kind, FaultKind::TimedOut);
}

#[tokio::test]
async fn a_guest_that_computes_leaves_others_their_turn() {
    // One thread: without a yield at every tick the second call would begin after the first one's end.
    let stage = with(RuntimeConfig {
        pure_cpu_max: LONG,
        ..config()
    })
    .await;
    tokio::select! {
        _ = stage.split("loop") => panic!("the loop ended first"),
        other = stage.split("hello") => assert_eq!(other.expect("answers"), ["hello"]),
    }
}

#[tokio::test]
async fn memory_beyond_the_limit_is_refused() {
    let stage = with(RuntimeConfig {
        memory_bytes_max: 8 * 1024 * 1024,
        ..config()
    })
    .await;
    assert_eq!(kind_of(&stage, "grow").await, FaultKind::Exhausted);
    let on_demand = RuntimeConfig {
        memory_bytes_max: 8 * 1024 * 1024,
        allocator: Allocator::OnDemand,
        ..config()
    };
    assert_eq!(
        kind_of(&with(on_demand).await, "grow").await,
        FaultKind::Exhausted
    );
}

#[tokio::test]
async fn a_stack_that_overflows_ends_the_call_and_not_the_host() {
    let stage = Stage::new().await;
    assert_eq!(stage.split("recurse 100").await.expect("not so deep"), ["5050"]);
    let kind = kind_of(&stage, "recurse 100000000").await;
    assert!(matches!(kind, FaultKind::Exhausted | FaultKind::Trap), "{kind:?}");
    assert_eq!(stage.split("hello").await.expect("the next one runs"), ["hello"]);
}

#[tokio::test]
async fn a_trap_ends_the_call_and_not_the_piece() {
    let stage = Stage::new().await;
    let fault = stage.split("trap").await.expect_err("a fault");
    assert_eq!((fault.kind, fault.hook), (FaultKind::Trap, "split"));
    assert_eq!(stage.split("hello").await.expect("the next one runs"), ["hello"]);
}

#[tokio::test]
async fn nothing_survives_between_calls() {
    let stage = Stage::new().await;
    for _ in 0..3 {
        assert_eq!(stage.split("count").await.expect("counts"), ["1"]);
    }
}

#[tokio::test]
async fn one_piece_gets_its_share_of_the_calls_and_no_more() {
    let stage = with(RuntimeConfig {
        pure_calls_max: 4,
        pure_cpu_max: LONG,
        place_wait_max: Duration::from_millis(20),
        ..config()
    })
    .await;
    tokio::select! {
        biased;
        _ = stage.split("loop") => panic!("the loop ended first"),
        second = stage.split("hello") => assert_eq!(second.expect_err("a fault").kind, FaultKind::Busy),
    }
    // The dropped call gave its place back.
    assert_eq!(stage.split("hello").await.expect("answers"), ["hello"]);
}

#[tokio::test]
async fn a_piece_with_many_tables_gets_fewer_calls() {
    let of_32_calls = RuntimeConfig {
        pure_calls_max: 32,
        acting_calls_max: 32,
        pure_cpu_max: LONG,
        place_wait_max: Duration::ZERO,
        ..config()
    };
    let light = piece(&manifest(json!({})));
    let heavy = guest::with_tables(&light, 30);
    for (bytes, answers) in [(light, true), (heavy, false)] {
        let runtime = Runtime::new(of_32_calls.clone(), LOCATORS).expect("starts");
        runtime.load(setup(), bytes).await.expect("loads");
        let stage = Stage(runtime);
        tokio::select! {
            biased;
            _ = stage.split("loop") => panic!("the loop ended first"),
            second = stage.split("hello") => assert_eq!(second.is_ok(), answers, "{second:?}"),
        }
    }
}

#[tokio::test]
async fn pure_hooks_have_places_of_their_own() {
    let stage = with(RuntimeConfig {
        acting_calls_max: 4,
        acting_cpu_max: LONG,
        place_wait_max: Duration::ZERO,
        ..config()
    })
    .await;
    tokio::select! {
        biased;
        _ = stage.act("loop") => panic!("the loop ended first"),
        parsed = stage.split("hello") => assert_eq!(parsed.expect("answers"), ["hello"]),
    }
}

#[tokio::test]
async fn the_time_stands_still_in_a_pure_hook() {
    let stage = Stage::new().await;
    let told = stage.split("clock").await.expect("tells");
    assert_eq!(told[0], told[1]);
    let later: u64 = stage
        .act("clock")
        .await
        .expect("tells")
        .parse()
        .expect("a number");
    assert!(later >= told[0].parse().expect("a number"));
}

#[tokio::test]
async fn random_bytes_of_a_pure_hook_depend_on_the_call_alone() {
    let stage = Stage::new().await;
    let first = stage.split("random").await.expect("tells");
    assert_ne!(first[0], first[1], "one call gets new bytes each time");
    assert_eq!(stage.split("random").await.expect("tells"), first);
    assert_ne!(stage.split("random again").await.expect("tells"), first);
    assert_ne!(
        stage.act("random").await.expect("tells"),
        stage.act("random").await.expect("tells")
    );
}

#[tokio::test]
async fn too_many_random_bytes_are_refused() {
    let stage = Stage::new().await;
    assert_eq!(
        stage
            .split("random-count 4096")
            .await
            .expect("as many as allowed"),
        ["4096"]
    );
    assert_eq!(kind_of(&stage, "random-count 4097").await, FaultKind::Garbage);
}

#[tokio::test]
async fn a_locator_is_found_again_in_its_channel_and_account_alone() {
    let stage = Stage::new().await;
    let text = stage.split("locate C1").await.expect("encodes").remove(0);
    let found = stage.0.locate(CHANNEL, "T1", &text).expect("ours");
    assert_eq!(
        (
            found.conversation.account.as_str(),
            found.conversation.room.as_str()
        ),
        ("T1", "C1")
    );
    assert_eq!(stage.0.locate("another", "T1", &text), None);
    assert_eq!(stage.0.locate(CHANNEL, "T2", &text), None);
    assert_eq!(stage.0.locate(CHANNEL, "T1", &text.replacen("C1", "C2", 1)), None);
    assert_eq!(stage.0.locate(CHANNEL, "T1", "C1"), None);
}

#[tokio::test]
async fn a_locator_outlives_its_host_but_not_the_installation() {
    let text = Stage::new()
        .await
        .split("locate C1")
        .await
        .expect("encodes")
        .remove(0);
    assert!(Stage::new().await.0.locate(CHANNEL, "T1", &text).is_some());
    let elsewhere = Runtime::new(config(), LocatorKey::new([8; 32])).expect("starts");
    elsewhere
        .load(setup(), piece(&manifest(json!({}))))
        .await
        .expect("loads");
    assert_eq!(elsewhere.locate(CHANNEL, "T1", &text), None);
}

#[tokio::test]
async fn a_locator_of_ids_beyond_the_contract_or_of_another_account_is_refused() {
    let stage = Stage::new().await;
    assert!(stage.split(&format!("locate {}", "\"".repeat(256))).await.is_ok());
    assert_eq!(
        kind_of(&stage, &format!("locate {}", "x".repeat(257))).await,
        FaultKind::Garbage
    );
    assert!(
        stage.act("locate").await.is_ok(),
        "of the account of the call, T1"
    );
    let fault = stage.act_as("T2", "locate", LONG).await.expect_err("not its own");
    assert_eq!(fault.kind, FaultKind::Garbage);
}
