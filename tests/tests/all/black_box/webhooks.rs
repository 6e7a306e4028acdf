//! What is not from the platform does nothing and learns nothing.

use serde_json::json;
use tests::host_process::{Answered, hmac_sha256_hex, post, unix_seconds};

use super::forum_world::{ForumWorld, ONE_QUESTION, THREAD, WEBHOOK_SECRET, count};

/// A message as the forum would send it.
fn mention(delivery: &str) -> String {
    json!({
        "delivery": delivery, "thread": THREAD, "kind": "post",
        "bot": { "id": "bot", "name": "frogbot" }, "user": { "id": "ann", "name": "Ann", "bot": false },
        "post": { "id": "p900", "text": "@frogbot paint", "created_at": 1_800_000_000_000_u64, "reply_to": null },
    })
    .to_string()
}

async fn sent(world: &ForumWorld, secret: &str, timestamp: u64, body: &str) -> Answered {
    let timestamp = timestamp.to_string();
    let hex = hmac_sha256_hex(secret, &[timestamp.as_bytes(), b".", body.as_bytes()]);
    let signature = format!("sha256={hex}");
    let headers = [
        ("x-forum-timestamp", timestamp.as_str()),
        ("x-forum-signature", signature.as_str()),
    ];
    post(&world.host().channel_url("forum"), &headers, body.to_owned())
        .await
        .unwrap()
}

#[tokio::test]
async fn a_request_that_is_not_signed_rightly_and_freshly_is_refused_without_a_word() {
    let world = ForumWorld::start(ONE_QUESTION).await;
    let url = world.host().channel_url("forum");
    let now = unix_seconds();
    let unsigned = post(&url, &[], mention("x1")).await.unwrap();
    let wrong = sent(&world, "another secret", now, &mention("x2")).await;
    let old = sent(&world, WEBHOOK_SECRET, now - 301, &mention("x3")).await;
    let early = sent(&world, WEBHOOK_SECRET, now + 330, &mention("x4")).await;
    for refused in [unsigned, wrong, old, early] {
        assert_eq!((refused.status, refused.body.as_str()), (401, ""));
    }

    // The same request under a right signature is taken, so that nothing else was wrong with it.
    assert_eq!(
        sent(&world, WEBHOOK_SECRET, now, &mention("x5")).await.status,
        200
    );
    let card = world.card("Which color?").await;
    assert_eq!(world.forum.posts(THREAD).len(), 1, "the refused ones did nothing");
    world.press("ann", &card, "Red").await;
    let posts = world.finished("Red it is.").await;
    assert_eq!(
        count(&posts, "I can paint"),
        0,
        "nothing else was queued: {posts:#?}"
    );
}

#[tokio::test]
async fn a_body_over_a_mebibyte_is_refused_before_it_is_verified() {
    let world = ForumWorld::start(ONE_QUESTION).await;
    let url = world.host().channel_url("forum");
    let too_large = post(&url, &[], vec![b' '; 1024 * 1024 + 1]).await.unwrap();
    assert_eq!(too_large.status, 413);
    let at_the_limit = post(&url, &[], vec![b' '; 1024 * 1024]).await.unwrap();
    assert_eq!(at_the_limit.status, 401);
}

#[tokio::test]
async fn a_channel_that_is_not_configured_is_not_found() {
    let world = ForumWorld::start(ONE_QUESTION).await;
    let missing = post(&world.host().channel_url("other"), &[], mention("x1"))
        .await
        .unwrap();
    assert_eq!(missing.status, 404);
}
