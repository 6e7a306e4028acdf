//! Recorded traffic of a real workspace, when it is there: `FROGBOT_FIXTURES` names the folder with
//! `slack/replay-*.json`. The recordings are not ours to commit, so that without the variable their structure is not tested.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use tests::slack_stand_in::Workspace;

use super::slack_world::{SlackWorld, control};

#[tokio::test]
async fn the_recorded_mention_reply_and_press_take_the_same_way() {
    let Some(folder) = fixtures() else {
        eprintln!("FROGBOT_FIXTURES is not set: no recorded traffic is replayed");
        return;
    };
    let recorded = read(&folder.join("slack/replay-slack.json"));
    let pressed = read(&folder.join("slack/replay-actions-reactions-slack.json"));
    let mention = &recorded["mention"];
    let team = mention["team_id"].as_str().unwrap();
    let world = SlackWorld::start_as(recorded["botUserId"].as_str().unwrap(), team).await;

    world.acknowledged(mention).await;
    let thread = mention["event"]["ts"].as_str().unwrap();
    let card = world.card(thread).await;
    world.acknowledged(&recorded["followUp"]).await;

    let mut press = pressed["action"].clone();
    let blue = control(&card, "Blue");
    for (pointer, value) in [
        ("/container/message_ts", &card.ts),
        ("/message/ts", &card.ts),
        ("/container/thread_ts", &thread.to_owned()),
        ("/message/thread_ts", &thread.to_owned()),
        ("/actions/0/action_id", &blue.action_id),
        ("/actions/0/block_id", &blue.block_id),
    ] {
        *press.pointer_mut(pointer).unwrap() = json!(value);
    }
    if let Some(value) = blue.element.get("value") {
        press["actions"][0]["value"] = value.clone();
    }
    world.interaction(&press).await;

    let closed = world.closed(&card).await;
    assert!(closed.says("Blue"), "{closed:#?}");
    assert_eq!(world.said(thread, "Blue it is.").await, 1);
    assert_eq!(world.said(thread, "I heard you.").await, 1);

    // Another press of the same person on the same card, a little later: out of date.
    press["actions"][0]["action_ts"] = json!("1767326199.000001");
    press["trigger_id"] = json!("another.trigger");
    world.interaction(&press).await;
    let told = |workspace: &Workspace| workspace.ephemerals.first().cloned();
    world.when("the private notice", told).await;
    assert_eq!(world.said(thread, "Blue it is.").await, 1);
    world.nothing_was_refused();
}

#[expect(
    clippy::disallowed_methods,
    reason = "where the recordings are, nobody else says"
)]
fn fixtures() -> Option<PathBuf> {
    std::env::var_os("FROGBOT_FIXTURES").map(PathBuf::from)
}

fn read(path: &Path) -> Value {
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}
