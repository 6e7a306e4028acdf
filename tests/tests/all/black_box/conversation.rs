//! What people see of a question, from the mention to the late click.

use tests::forum_server::User;

use super::forum_world::{ForumWorld, ONE_QUESTION, PAINTER, THREAD, TOKEN, WEBHOOK_SECRET, count};

const STALE: &str = "This question is no longer open";

#[tokio::test]
async fn a_question_of_two_steps_is_asked_answered_closed_and_continued() {
    two_steps(ForumWorld::start(PAINTER).await).await;
}

#[tokio::test]
async fn the_piece_in_typescript_does_the_same() {
    two_steps(ForumWorld::start_on("forum-typescript", PAINTER, "").await).await;
}

#[tokio::test]
async fn the_piece_in_python_does_the_same() {
    two_steps(ForumWorld::start_on("forum-python", PAINTER, "").await).await;
}

async fn two_steps(world: ForumWorld) {
    let first = world.asked().await;
    assert_eq!(count(&world.forum.posts(THREAD), "Two things before I begin:"), 1);

    world.forum.say(THREAD, "ann", "/answer 7").await;
    let is_refused = |posts: &[_]| count(posts, "Reply with a number from 1 to 2.") == 1;
    world.posts_when("the refusal", is_refused).await;

    world.forum.say(THREAD, "ann", "/answer 2").await;
    let second = world.card("Which size?").await;
    let answered = world.press("ben", &second, "Large").await;
    assert_eq!(answered.status, Some(200));

    let posts = world.finished("Blue it is, in Large.").await;
    assert_eq!(count(&posts, "Answered."), 2, "{posts:#?}");

    world.press("ann", &first, "Red").await;
    let posts = world
        .posts_when("the stale notice", |posts| count(posts, STALE) == 1)
        .await;
    assert_eq!(count(&posts, "Blue it is, in Large."), 1, "{posts:#?}");
    assert_eq!(count(&posts, "Red it is"), 0, "{posts:#?}");

    let log = world.host().log().text();
    for private in [
        TOKEN,
        WEBHOOK_SECRET,
        "ann@example.com",
        "paint the fence",
        "Which color?",
        "/answer 7",
    ] {
        assert!(!log.contains(private), "`{private}` stands in the log:\n{log}");
    }
}

#[tokio::test]
async fn a_dismissal_closes_the_card_and_ends_the_turn() {
    let world = ForumWorld::start(PAINTER).await;
    let card = world.asked().await;
    world.press("ann", &card, "Dismiss").await;
    world
        .posts_when("the closed card", |posts| count(posts, "Dismissed.") == 1)
        .await;

    // The chat is idle again: the next message is a turn of its own.
    world.forum.say(THREAD, "ann", "hello?").await;
    let posts = world
        .posts_when("the next turn", |posts| count(posts, "I can paint") == 1)
        .await;
    assert_eq!(count(&posts, "Then I choose myself."), 0, "{posts:#?}");
}

#[tokio::test]
async fn somebody_without_access_is_denied_and_the_question_stays_open() {
    let world = ForumWorld::start(ONE_QUESTION).await;
    let card = world.asked().await;
    let (id, name) = ("mallory".to_owned(), "Mallory".to_owned());
    let email = Some("mallory@elsewhere.example".to_owned());
    world.forum.set_user(User {
        id,
        name,
        email,
        bot: false,
    });
    world.press("mallory", &card, "Red").await;
    let denied = |posts: &[_]| count(posts, "You may not answer this question.") == 1;
    let posts = world.posts_when("the denial", denied).await;
    assert!(
        posts
            .iter()
            .any(|post| post.id == card.id && !post.buttons.is_empty()),
        "{posts:#?}"
    );

    world.press("ben", &card, "Blue").await;
    world.finished("Blue it is.").await;
}

#[tokio::test]
async fn one_delivery_five_times_counts_once() {
    let world = ForumWorld::start(ONE_QUESTION).await;
    let said = world.forum.say(THREAD, "ann", "@frogbot paint the fence").await;
    redelivered_four_times(&world, &said.delivered.delivery_id).await;
    let card = world.card("Which color?").await;
    let pressed = world.press("ben", &card, "Blue").await;
    redelivered_four_times(&world, &pressed.delivery_id).await;

    world.finished("Blue it is.").await;
    // A message that comes after everything else is answered after everything else.
    world.forum.say(THREAD, "ann", "hello?").await;
    let posts = world
        .posts_when("the next turn", |posts| count(posts, "I can paint") == 1)
        .await;
    assert_eq!(count(&posts, "Blue it is."), 1, "{posts:#?}");
    assert_eq!(
        count(&posts, STALE),
        0,
        "the winner's own repeat is no late click: {posts:#?}"
    );
    assert_eq!(
        posts.len(),
        5,
        "two messages, a card, a continuation and a reply: {posts:#?}"
    );
}

async fn redelivered_four_times(world: &ForumWorld, delivery: &str) {
    let again = || world.forum.redeliver(delivery);
    let (a, b, c, d) = tokio::join!(again(), again(), again(), again());
    for repeat in [a, b, c, d] {
        assert_eq!(repeat.unwrap().status, Some(200));
    }
}

#[tokio::test]
async fn of_fifty_who_click_at_once_one_answers_and_the_others_are_told() {
    let world = std::sync::Arc::new(ForumWorld::start(ONE_QUESTION).await);
    let card = world.asked().await;
    let mut clicks = tokio::task::JoinSet::new();
    for number in 1..=50 {
        let (world, card) = (std::sync::Arc::clone(&world), card.clone());
        let label = if number % 2 == 0 { "Red" } else { "Blue" };
        clicks.spawn(async move { world.press(&format!("u{number}"), &card, label).await });
    }
    let answered = clicks.join_all().await;
    assert!(
        answered.iter().all(|click| click.status == Some(200)),
        "{answered:?}"
    );

    let told = |posts: &[_]| count(posts, STALE) + count(posts, "That did not go through");
    let posts = world
        .posts_when("49 who are told", |posts| told(posts) >= 49)
        .await;
    assert_eq!(told(&posts), 49, "{posts:#?}");
    let posts = world
        .posts_when("the continuation", |posts| continued(posts) > 0)
        .await;
    assert_eq!(continued(&posts), 1, "{posts:#?}");
    assert_eq!(world.logged("interaction handled", "outcome", "settled"), 1);
}

fn continued(posts: &[tests::forum_server::Post]) -> usize {
    count(posts, "Red it is.") + count(posts, "Blue it is.")
}
