//! Several hosts on one Redis: each handles what arrives at it, and what one leaves undone another does.

use storage::servers::RedisServer;
use tests::forum_server::RequestKind;
use tests::host_process::{HostProcess, LIMIT, Line};

use super::forum_world::{ForumWorld, ONE_QUESTION, THREAD, count};

/// A host that is killed is missed after two seconds.
const SOON: &str = "hook = \"1s\"\nlease_renewal = \"500ms\"\n\
                    continuing = { retries = 10, first_delay = \"100ms\", longest_delay = \"1s\", deadline = \"2s\" }";

/// A world whose first host is on this server.
pub(super) async fn world_on(server: &RedisServer, script: &str) -> ForumWorld {
    let mut world = ForumWorld::start_with(script, SOON).await;
    world.kill().await;
    let file = world.installation.folder().join("frogbot.toml");
    let alone = "kind = \"sqlite\"\npath = \"frogbot.db\"";
    let shared = format!("kind = \"redis\"\nurl = \"{}\"", server.url());
    let text = std::fs::read_to_string(file).unwrap();
    assert!(text.contains(alone));
    world
        .installation
        .write("frogbot.toml", &text.replace(alone, &shared))
        .unwrap();
    world.restart().await;
    world
}

/// Another host of the same installation; the forum's webhooks go to it from now on.
async fn another(world: &ForumWorld) -> HostProcess {
    let host = world.installation.start().await.unwrap();
    let connected = |line: &Line| (line.message() == "connected").then_some(());
    host.log()
        .wait_for("the connection to the forum", LIMIT, connected)
        .await
        .unwrap();
    world.forum.set_webhook_url(Some(&host.channel_url("forum")));
    host
}

#[tokio::test]
async fn an_answer_that_arrives_at_another_host_continues_the_conversation() {
    let server = RedisServer::start();
    let world = world_on(&server, ONE_QUESTION).await;
    let card = world.asked().await;
    let other = another(&world).await;

    world.press("ben", &card, "Blue").await;

    let posts = world.finished("Blue it is.").await;
    assert_eq!(count(&posts, "Blue it is."), 1, "{posts:#?}");
    let settled = |line: &&Line| line.is("interaction handled", "outcome", "settled");
    assert_eq!(other.log().lines().iter().filter(settled).count(), 1);
    assert_eq!(world.logged("interaction handled", "outcome", "settled"), 0);
}

#[tokio::test]
async fn what_a_killed_host_was_doing_is_done_by_another_when_its_lease_lapses() {
    let server = RedisServer::start();
    let fast = "say = \"{answer:Color} it is.\"";
    let slow = ONE_QUESTION.replacen(fast, &format!("{fast}\ntakes_ms = 60000"), 1);
    let mut world = world_on(&server, &slow).await;
    let card = world.asked().await;
    world.installation.write("script.toml", ONE_QUESTION).unwrap();
    let _other = {
        let first = world.host().channel_url("forum");
        let other = another(&world).await;
        world.forum.set_webhook_url(Some(&first));
        other
    };
    world.press("ben", &card, "Blue").await;
    world
        .posts_when("the closed card", |posts| count(posts, "Answered.") == 1)
        .await;
    assert_eq!(
        count(&world.forum.posts(THREAD), "Blue it is."),
        0,
        "the model still thinks"
    );

    world.kill().await;

    let posts = world.finished("Blue it is.").await;
    assert_eq!(count(&posts, "Blue it is."), 1, "{posts:#?}");
}

/// It slept through its lease with an answer of the model in its hands: the turn is another's by then, and over.
#[tokio::test]
async fn a_host_that_stood_still_while_its_model_thought_says_nothing_when_it_goes_on() {
    let server = RedisServer::start();
    let fast = "say = \"{answer:Color} it is.\"";
    let slow = ONE_QUESTION.replacen(fast, &format!("{fast}\ntakes_ms = 10000"), 1);
    let world = world_on(&server, &slow).await;
    let card = world.asked().await;
    world.installation.write("script.toml", ONE_QUESTION).unwrap();
    let first = world.host().channel_url("forum");
    let other = another(&world).await;
    world.forum.set_webhook_url(Some(&first));
    world.press("ben", &card, "Blue").await;
    world
        .posts_when("the closed card", |posts| count(posts, "Answered.") == 1)
        .await;

    world.host().pause().unwrap();
    let posts = world.finished("Blue it is.").await;
    assert_eq!(count(&posts, "Blue it is."), 1, "{posts:#?}");
    world.forum.set_webhook_url(Some(&other.channel_url("forum")));
    // What the other has begun is done when its next turn is.
    world.forum.say(THREAD, "ann", "hello?").await;
    world
        .posts_when("the next turn", |posts| count(posts, "I can paint") == 1)
        .await;
    let requests = world.forum.requests(RequestKind::CreatePost);

    world.host().resume().unwrap();
    let woke_up = |line: &Line| {
        let lost = ["the lease was lost", "the step is another attempt's by now"];
        lost.contains(&line.message()).then_some(())
    };
    let log = world.host().log();
    log.wait_for("the first host to see that it is late", LIMIT, woke_up)
        .await
        .unwrap();
    world.forum.say(THREAD, "ann", "hello again?").await;
    let posts = world
        .posts_when("one more turn", |posts| count(posts, "I can paint") == 2)
        .await;
    assert_eq!(count(&posts, "Blue it is."), 1, "{posts:#?}");
    assert_eq!(world.forum.requests(RequestKind::CreatePost), requests + 1);
}
