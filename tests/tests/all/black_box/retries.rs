//! What failed is tried again, at its time; a series that is used up rests until somebody speaks.

use tests::forum_server::RequestKind;
use tests::host_process::{LIMIT, Line};

use super::forum_world::{ForumWorld, ONE_QUESTION, PAINTER, THREAD, count};

const SECONDS: &str = r#"
advancing = { retries = 3, first_delay = "100ms", longest_delay = "1s" }
posting = { retries = 3, first_delay = "100ms", longest_delay = "1s" }
"#;

const ONE_RETRY: &str = r#"
posting = { retries = 1, first_delay = "100ms", longest_delay = "1s" }
"#;

#[tokio::test]
async fn a_next_question_that_fails_twice_is_posted_by_the_third_attempt() {
    let world = ForumWorld::start_with(PAINTER, SECONDS).await;
    let first = world.asked().await;
    world.forum.fail_next(RequestKind::CreatePost, 2, 502, None);
    world.press("ann", &first, "Red").await;
    let second = world.card("Which size?").await;

    assert_eq!(world.logged("question advanced", "redrawn", false), 2);
    assert_eq!(world.logged("question advanced", "redrawn", true), 1);

    world.press("ann", &second, "Small").await;
    let posts = world.finished("Red it is, in Small.").await;
    assert_eq!(count(&posts, "Answered."), 2, "{posts:#?}");
}

#[tokio::test]
async fn a_card_that_fails_twice_is_posted_by_the_third_attempt() {
    let world = ForumWorld::start_with(ONE_QUESTION, SECONDS).await;
    world.forum.fail_next(RequestKind::CreatePost, 2, 502, None);
    let card = world.asked().await;
    assert_eq!(world.logged("questions rendered", "posted", false), 2);
    world.press("ann", &card, "Red").await;
    world.finished("Red it is.").await;
}

#[tokio::test]
async fn a_card_that_could_not_be_posted_is_posted_with_the_next_message() {
    let world = ForumWorld::start_with(ONE_QUESTION, ONE_RETRY).await;
    world.forum.fail_next(RequestKind::CreatePost, 2, 502, None);
    world.forum.say(THREAD, "ann", "@frogbot paint the fence").await;
    let second = |line: &Line| line.is("questions rendered", "attempt", 2).then_some(());
    world
        .host()
        .log()
        .wait_for("the second attempt", LIMIT, second)
        .await
        .unwrap();
    assert_eq!(
        world.forum.requests(RequestKind::CreatePost),
        2,
        "the series is used up"
    );

    world.forum.say(THREAD, "ben", "anybody there?").await;
    let card = world.card("Which color?").await;
    world.press("ann", &card, "Red").await;
    // Ben's message waited behind the question, and is answered after it.
    world.finished("Red it is.").await;
    let posts = world
        .posts_when("the answer to Ben", |posts| count(posts, "I can paint") == 1)
        .await;
    assert_eq!(count(&posts, "Answered."), 1, "{posts:#?}");
}
