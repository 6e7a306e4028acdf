//! A document that this host cannot read: its conversation is parked, everything else goes on.

use std::path::Path;

use engine::Address;
use lifecycle::Timestamp;
use ports::Documents;
use ports::documents::{Batch, CommitId, Expect, Key, Put, Select};
use ports::pieces::Conversation;
use storage::{SqliteDocuments, WallClock};
use tests::forum_server::Post;
use tests::host_process::{LIMIT, Line};

use super::forum_world::{ForumWorld, ONE_QUESTION, THREAD};

/// Puts a turn into the store that some later version might have written, due at once.
async fn written_by_a_later_version(store: &Path) {
    let documents = SqliteDocuments::open(store, WallClock::System).unwrap();
    let (account, room, thread) = ("forum".to_owned(), "board".to_owned(), THREAD.to_owned());
    let conversation = Conversation {
        account,
        room,
        thread,
    };
    let partition = Address {
        channel: "forum".to_owned(),
        conversation,
    }
    .partition();
    let key = Key("turn".to_owned());
    let read = documents
        .read(&partition, vec![Select::Key(key.clone())])
        .await
        .unwrap();
    assert_eq!(read.selected.concat().len(), 1, "the conversation has a chat");
    let turn = Put {
        key,
        expect: Expect::Anything,
        value: b"{\"v\":1000,\"d\":{}}".as_slice().into(),
        expires: None,
        wake: Some(Timestamp(0)),
    };
    let batch = Batch {
        id: CommitId(7),
        checks: Vec::new(),
        puts: vec![turn],
        deletes: Vec::new(),
        appends: Vec::new(),
    };
    documents.commit(&partition, batch).await.unwrap();
}

#[tokio::test]
async fn a_document_that_cannot_be_read_parks_its_conversation_and_no_other() {
    let mut world = ForumWorld::start(ONE_QUESTION).await;
    let card = world.asked().await;
    world.kill().await;
    written_by_a_later_version(&world.installation.folder().join("frogbot.db")).await;
    world.restart().await;

    let parked = |line: &Line| {
        line.message()
            .starts_with("the conversation is parked")
            .then_some(())
    };
    world
        .host()
        .log()
        .wait_for("the parked conversation", LIMIT, parked)
        .await
        .unwrap();
    let pressed = world.press("ben", &card, "Blue").await;
    assert_eq!(
        pressed.status,
        Some(503),
        "it is not acknowledged, so that it comes again: {pressed:?}"
    );

    world
        .forum
        .say("another thread", "ann", "@frogbot paint the door")
        .await;
    let is_asked = |posts: &[Post]| posts.iter().any(|post| !post.buttons.is_empty());
    world
        .forum
        .wait_for("another thread", is_asked, LIMIT)
        .await
        .unwrap();
    let said = world
        .host()
        .log()
        .lines()
        .iter()
        .filter(|line| parked(line).is_some())
        .count();
    assert_eq!(said, 1, "told once, not at every look");
    let text = world.host().log().text();
    assert!(text.contains("expected format 1, found 1000"), "{text}");
}
