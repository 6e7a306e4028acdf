//! `429`: who has been told to wait is not asked again, and the urgent go first.

use serde_json::json;

use crate::egress::to;
use crate::platform::Platform;
use crate::stage::{Stage, config, manifest};

async fn stage(platform: &Platform) -> Stage {
    Stage::with(config(), manifest(json!({})), to(platform)).await
}

async fn send(stage: &Stage, path: &str, priority: &str, rate_key: &str) -> String {
    let ask = format!("send\napi\nGET\n/open/{path}\n{priority}\n{rate_key}");
    stage.act(&ask).await.expect("the hook returns")
}

#[tokio::test]
async fn a_rate_key_that_was_told_to_wait_is_not_sent_again_and_others_are() {
    let platform = Platform::start().await;
    let stage = stage(&platform).await;
    let told = send(&stage, "limited", "normal", "C1").await;
    assert!(told.starts_with("429 ") && told.contains("retry-after"), "{told}");
    let told = send(&stage, "x", "closing", "C1").await;
    assert!(told.contains("RateLimited("), "{told}");
    assert_eq!(platform.heard().len(), 1, "nothing was sent");
    for key in ["C2", "-"] {
        let told = send(&stage, "x", "normal", key).await;
        assert!(told.starts_with("200 "), "{key}: {told}");
    }
}

#[tokio::test]
async fn another_accounts_rate_is_another() {
    let platform = Platform::start().await;
    let stage = stage(&platform).await;
    send(&stage, "limited", "normal", "C1").await;
    let ask = "send\napi\nGET\n/open/x\nnormal\nC1";
    let told = stage
        .act_as("T2", ask, std::time::Duration::from_secs(20))
        .await
        .expect("the hook returns");
    assert!(told.starts_with("200 "), "{told}");
}

#[tokio::test]
async fn when_the_wait_is_over_closing_goes_before_notices() {
    let platform = Platform::start().await;
    let stage = stage(&platform).await;
    send(&stage, "limited-briefly", "normal", "C1").await;
    // Asks until it is let through, as retries do; a notice that asks first each time is let wait.
    let mut refused = send(&stage, "closing", "closing", "C1").await;
    while refused.contains("RateLimited(") {
        let notice = send(&stage, "notice", "notice", "C1").await;
        assert!(notice.contains("RateLimited("), "{notice}");
        refused = send(&stage, "closing", "closing", "C1").await;
    }
    assert!(refused.starts_with("200 "), "{refused}");
    assert!(
        platform.heard()[1].starts_with("GET /api/open/closing "),
        "{:?}",
        platform.heard()
    );
    let mut told = send(&stage, "notice", "notice", "C1").await;
    while told.contains("RateLimited(") {
        told = send(&stage, "notice", "notice", "C1").await;
    }
    assert!(told.starts_with("200 "), "{told}");
}

#[tokio::test]
async fn a_refusal_without_a_wait_gets_the_hosts_own() {
    let platform = Platform::start().await;
    let stage = stage(&platform).await;
    let told = send(&stage, "limited-for-ever", "normal", "C1").await;
    assert!(
        told.starts_with("429 ") && told.contains(r#"("retry-after", "1")"#),
        "{told}"
    );
    let told = send(&stage, "x", "normal", "C1").await;
    assert!(told.contains("RateLimited("), "{told}");
}

#[tokio::test]
async fn a_rate_key_that_is_too_long_is_refused() {
    let platform = Platform::start().await;
    let stage = stage(&platform).await;
    let told = send(&stage, "x", "normal", &"k".repeat(257)).await;
    assert!(told.contains("Refused("), "{told}");
}
