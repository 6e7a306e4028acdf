//! `429`: who was told to wait is not asked again before, the card still closes, once, and other rooms do not notice.

use serde_json::json;
use tests::host_process::{LIMIT, Line};
use tests::slack_stand_in::{Failure, Message, Workspace};

use super::slack_world::{ROOM, SlackWorld};

/// A room that nothing happens to.
const OTHER_ROOM: &str = "C2";

/// Ann asks in a room, in a thread of its own.
async fn asks(world: &SlackWorld, room: &str) -> String {
    let ts = world.slack.next_ts();
    let event = json!({
        "type": "app_mention", "user": "U1", "text": "<@U0BOT> paint the fence", "ts": ts, "event_ts": ts,
        "channel": room, "channel_type": "channel", "team": "T1",
    });
    world
        .acknowledged(&world.sender.envelope(&format!("Ev{ts}"), event))
        .await;
    ts
}

/// Waits for the open card of a thread, the `nth` that is on record.
async fn card(world: &SlackWorld, thread_ts: &str, nth: usize) -> Message {
    let open = |workspace: &Workspace| {
        let mut thread = workspace.thread(thread_ts);
        thread.find(|message| message.button("").is_some()).cloned()
    };
    let card = world.when("the card", open).await;
    world.log().wait_for_cards(nth, LIMIT).await.unwrap();
    card
}

/// Waits until so many calls about the room were refused.
async fn refused(world: &SlackWorld, at_least: u32) -> u32 {
    let count = |workspace: &Workspace| workspace.limited_calls.get(ROOM).copied();
    world
        .when("refused calls", |workspace| {
            count(workspace).filter(|calls| *calls >= at_least)
        })
        .await
}

#[tokio::test]
async fn a_closing_edit_that_is_limited_is_made_once_more_when_it_may_be() {
    let world = SlackWorld::start().await;
    let thread = asks(&world, ROOM).await;
    let card = card(&world, &thread, 1).await;
    world
        .slack
        .fail_next("chat.update", [Failure::RateLimited { retry_after_s: 2 }]);
    world.press("U1", &card, "Blue").await;
    let closed = world.closed(&card).await;
    assert_eq!(closed.updates, 1);
    assert_eq!(
        world.said(&thread, "Blue it is.").await,
        1,
        "posts have a rate of their own"
    );
    let closing = |line: &Line| line.is("question closed", "closed", true).then_some(());
    world
        .log()
        .wait_for("the closed card", LIMIT, closing)
        .await
        .unwrap();
    let calls = world.slack.look(|workspace| workspace.calls["chat.update"]);
    assert_eq!(calls, 2, "the refused one and the one that closed it");
    world.nothing_was_refused();
}

#[tokio::test]
async fn a_storm_in_one_room_delays_what_is_in_it_and_no_other() {
    let world = SlackWorld::start().await;
    let thread = asks(&world, ROOM).await;
    let limited = card(&world, &thread, 1).await;
    world.slack.limit_room(ROOM, Some(1));
    world.press("U1", &limited, "Blue").await;
    let waiting = asks(&world, ROOM).await;
    let before = refused(&world, 2).await;

    let elsewhere = asks(&world, OTHER_ROOM).await;
    let other = card(&world, &elsewhere, 2).await;
    world.press("U1", &other, "Red").await;
    world.closed(&other).await;
    assert_eq!(world.said(&elsewhere, "Red it is.").await, 1);

    // It goes on: what was refused comes back, as often as it is told to and no more.
    refused(&world, before + 3).await;
    let open = world.slack.look(|workspace| workspace.messages.clone());
    let of_room = |message: &&Message| message.channel == ROOM;
    assert_eq!(
        open.iter().filter(of_room).count(),
        1,
        "new posts wait: {open:#?}"
    );

    world.slack.limit_room(ROOM, None);
    assert_eq!(world.closed(&limited).await.updates, 1);
    assert_eq!(world.said(&thread, "Blue it is.").await, 1);
    let second = card(&world, &waiting, 3).await;
    world.press("U1", &second, "Red").await;
    world.closed(&second).await;
    assert_eq!(world.said(&waiting, "Red it is.").await, 1);
    world.nothing_was_refused();
}
