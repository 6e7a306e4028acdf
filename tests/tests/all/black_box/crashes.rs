//! `kill -9` at the worst moments: what was acknowledged is kept, and what was owed is done once.

use tests::forum_server::RequestKind;
use tests::host_process::LIMIT;

use super::forum_world::{ForumWorld, ONE_QUESTION, PAINTER, THREAD, count};

/// Posts again soon after a failure.
const SOON: &str = r#"posting = { retries = 5, first_delay = "300ms", longest_delay = "1s" }"#;

/// The same answers as [`ONE_QUESTION`] gives, a minute too late for the process that is killed.
fn slow_to_continue() -> String {
    ONE_QUESTION.replacen(
        "say = \"{answer:Color} it is.\"",
        "say = \"{answer:Color} it is.\"\ntakes_ms = 60000",
        1,
    )
}

#[tokio::test]
async fn a_host_killed_while_the_model_thinks_about_the_answer_continues_once() {
    let mut world = ForumWorld::start(&slow_to_continue()).await;
    let card = world.asked().await;
    world.press("ben", &card, "Blue").await;
    // The card closes beside the continuation, so that the answer is on record and the model at work.
    world
        .posts_when("the closed card", |posts| count(posts, "Answered.") == 1)
        .await;
    assert_eq!(world.logged("interaction handled", "outcome", "settled"), 1);
    world.kill().await;

    world.installation.write("script.toml", ONE_QUESTION).unwrap();
    world.restart().await;
    let posts = world.finished("Blue it is.").await;
    assert_eq!(count(&posts, "Blue it is."), 1, "{posts:#?}");
    only_once(&world, "Blue it is.").await;
}

#[tokio::test]
async fn a_host_killed_while_it_posts_the_continuation_posts_it_once() {
    let mut world = ForumWorld::start(ONE_QUESTION).await;
    let card = world.asked().await;
    let mut held = world.forum.hold_next(RequestKind::CreatePost);
    world.press("ben", &card, "Blue").await;
    held.arrived().await;
    world.kill().await;
    drop(held);

    world.restart().await;
    world.finished("Blue it is.").await;
    only_once(&world, "Blue it is.").await;
}

#[tokio::test]
async fn a_host_killed_while_it_posts_a_step_shows_text_and_card_once() {
    let mut world = ForumWorld::start(PAINTER).await;
    let mut held = world.forum.hold_next(RequestKind::CreatePost);
    world.forum.say(THREAD, "ann", "@frogbot paint the fence").await;
    held.arrived().await;
    world.kill().await;
    drop(held);

    world.restart().await;
    let card = world.card("Which color?").await;
    assert_eq!(count(&world.forum.posts(THREAD), "Two things before I begin:"), 1);
    world.press("ann", &card, "Dismiss").await;
    world
        .posts_when("the closed card", |posts| count(posts, "Dismissed.") == 1)
        .await;
    let posts = world.forum.posts(THREAD);
    assert_eq!(count(&posts, "Which color?"), 0, "a twin of the card: {posts:#?}");
}

/// The forum has the card and the host does not know: the retry of another process must find it, not post a twin.
#[tokio::test]
async fn a_card_whose_post_was_lost_by_a_killed_host_is_recognised_by_the_next() {
    let mut world = ForumWorld::start_with(ONE_QUESTION, SOON).await;
    world.forum.lose_reply_of_next(RequestKind::CreatePost, 1);
    world.forum.say(THREAD, "ann", "@frogbot paint the fence").await;
    let posts = world
        .posts_when("the card", |posts| count(posts, "Which color?") == 1)
        .await;
    let card = posts.into_iter().find(|post| !post.buttons.is_empty()).unwrap();
    world.kill().await;

    world.restart().await;
    world.host().log().wait_for_cards(1, LIMIT).await.unwrap();
    assert!(
        world.forum.requests(RequestKind::CreatePost) >= 2,
        "the post was repeated"
    );
    let posts = world.forum.posts(THREAD);
    assert_eq!(count(&posts, "Which color?"), 1, "{posts:#?}");

    world.press("ben", &card, "Blue").await;
    world.finished("Blue it is.").await;
    only_once(&world, "Blue it is.").await;
}

#[tokio::test]
async fn a_host_killed_while_it_closes_the_card_closes_it_after_its_restart() {
    let mut world = ForumWorld::start(ONE_QUESTION).await;
    let card = world.asked().await;
    let mut held = world.forum.hold_next(RequestKind::EditPost);
    world.press("ben", &card, "Blue").await;
    held.arrived().await;
    world.kill().await;
    drop(held);
    let open = world
        .forum
        .posts(THREAD)
        .into_iter()
        .find(|post| post.id == card.id);
    assert!(
        open.is_some_and(|post| !post.buttons.is_empty()),
        "the edit was held"
    );

    world.restart().await;
    let posts = world.finished("Blue it is.").await;
    assert_eq!(count(&posts, "Answered."), 1, "{posts:#?}");
    only_once(&world, "Blue it is.").await;
}

/// After one more turn of the conversation there is still only one of it.
async fn only_once(world: &ForumWorld, continuation: &str) {
    world.forum.say(THREAD, "ann", "hello?").await;
    let posts = world
        .posts_when("the next turn", |posts| count(posts, "I can paint") > 0)
        .await;
    assert_eq!(count(&posts, continuation), 1, "{posts:#?}");
}
