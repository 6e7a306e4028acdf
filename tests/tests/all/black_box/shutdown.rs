//! `SIGTERM`: what is under way finishes, what comes afterwards is refused, and the next process goes on.

use tests::forum_server::RequestKind;
use tests::host_process::{LIMIT, Line, post};

use super::forum_world::{ForumWorld, ONE_QUESTION, THREAD, count};

#[tokio::test]
async fn a_click_in_flight_finishes_and_the_next_process_continues() {
    let mut world = ForumWorld::start(ONE_QUESTION).await;
    let card = world.asked().await;
    let url = world.host().channel_url("forum");
    let mut host = world.take_host();
    // Ben is asked about for the first time, and the forum takes its time to say who he is.
    let mut held = world.forum.hold_next(RequestKind::User);
    let stopping = async {
        held.arrived().await;
        host.terminate().unwrap();
        let is_stopping = |line: &Line| line.message().starts_with("stopping").then_some(());
        host.log()
            .wait_for("the shutdown", LIMIT, is_stopping)
            .await
            .unwrap();
        refused(&url).await;
        held.release();
    };
    let (clicked, ()) = tokio::join!(world.press("ben", &card, "Blue"), stopping);
    assert_eq!(clicked.status, Some(200), "the click was finished");
    assert_eq!(host.ended(LIMIT).await.unwrap(), Some(0), "{}", host.log().text());

    world.restart().await;
    let posts = world.finished("Blue it is.").await;
    assert_eq!(count(&posts, "Answered."), 1, "{posts:#?}");
    world.forum.say(THREAD, "ann", "hello?").await;
    let posts = world
        .posts_when("the next turn", |posts| count(posts, "I can paint") == 1)
        .await;
    assert_eq!(count(&posts, "Blue it is."), 1, "{posts:#?}");
}

/// The listener closes after the word in the log, but at once: nobody is let in any more.
async fn refused(url: &str) {
    let closed = async {
        while let Ok(answered) = post(url, &[], "{}").await {
            assert_ne!(answered.status, 200, "taken in after the end was announced");
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(LIMIT, closed).await.unwrap();
}
