//! Who talks: Ann asks, Ben and Ann answer at the same time and twice, Eve, whom nobody knows, tries, and somebody presses late.

use std::time::Duration;

use super::plan::Draw;
use crate::forum_server::{Delivered, ForumServer, Post};

/// How often somebody looks at a thread, and presses again while nothing happens.
const LOOK_EVERY: Duration = Duration::from_millis(40);
/// After so many looks at an open card somebody presses again: a press that met a dying host was not acknowledged.
const PRESS_EVERY: u32 = 20;

/// How many attempts the forum makes by itself.
const GIVEN_UP: usize = 4;
/// How often the forum delivers once more what nobody took.
const REDELIVERIES: u32 = 40;

/// What was done in a thread, as far as it was acknowledged.
#[derive(Debug)]
pub(super) struct Talk {
    pub(super) name: String,
    /// Labels that somebody pressed who may.
    pub(super) pressed: Vec<&'static str>,
    /// How often somebody pressed.
    pub(super) presses: usize,
    /// Presses that no attempt of the forum brought to an answer.
    pub(super) unanswered: Vec<Delivered>,
}

/// A conversation to its end: the card closed, and the agent's next words there.
pub(super) async fn talk(
    forum: &ForumServer,
    addresses: impl Fn() -> Vec<String>,
    thread: &str,
    seed: u64,
) -> Result<Talk, String> {
    let mut draw = Draw::new(seed);
    let mut route = || {
        let now = addresses();
        // While nobody is there, the forum tries again where it tried before.
        if let Some(address) = draw.one_of(&now) {
            forum.set_webhook_url(Some(address));
        }
    };
    let mut talk = Talk {
        name: thread.to_owned(),
        pressed: Vec::new(),
        presses: 0,
        unanswered: Vec::new(),
    };
    route();
    let said = forum.say(thread, "ann", "@frogbot paint").await.delivered;
    let card = loop {
        if let Some(card) = open_card(&forum.posts(thread)) {
            break card;
        }
        if !acknowledged(forum, &said) && forum.attempts(&said.delivery_id).len() > GIVEN_UP {
            // Nobody was there for long; the forum delivers once more.
            route();
            forum.redeliver(&said.delivery_id).await;
        }
        wait(LOOK_EVERY).await;
    };
    let mut presses = Vec::new();
    let mut looks = 0;
    while !finished(&forum.posts(thread)) {
        if looks % PRESS_EVERY == 0 {
            let card = open_card(&forum.posts(thread)).unwrap_or_else(|| card.clone());
            route();
            let together = tokio::join!(
                press(forum, &card, "eve", "Green"),
                press(forum, &card, "ben", "Blue"),
                press(forum, &card, "ann", "Red"),
                press(forum, &card, "ben", "Blue"),
            );
            talk.pressed.extend(["Blue", "Red"]);
            presses.extend(<[Delivered; 4]>::from(together));
        }
        looks += 1;
        wait(LOOK_EVERY).await;
    }
    route();
    presses.push(press(forum, &card, "ann", "Red").await);
    talk.presses = presses.len();
    // What no attempt brought to a host, because there was none, the forum delivers once more.
    for _ in 0..REDELIVERIES {
        presses.retain(|press| !acknowledged(forum, press));
        route();
        for press in &presses {
            forum.redeliver(&press.delivery_id).await;
        }
        if presses.is_empty() {
            break;
        }
        wait(LOOK_EVERY * PRESS_EVERY).await;
    }
    presses.retain(|press| !acknowledged(forum, press));
    talk.unanswered = presses;
    Ok(talk)
}

fn acknowledged(forum: &ForumServer, delivered: &Delivered) -> bool {
    let attempts = forum.attempts(&delivered.delivery_id);
    delivered.is_success() || attempts.iter().any(Delivered::is_success)
}

async fn press(forum: &ForumServer, card: &Post, who: &str, label: &str) -> Delivered {
    let place = card.buttons.iter().find(|button| button.label == label);
    let id = place.map(|button| button.id.as_str()).unwrap_or_default();
    forum.press(&card.thread, who, &card.id, id).await
}

fn open_card(posts: &[Post]) -> Option<Post> {
    posts.iter().rev().find(|post| !post.buttons.is_empty()).cloned()
}

/// Whether the agent has gone on, and no card is open.
pub(super) fn finished(posts: &[Post]) -> bool {
    open_card(posts).is_none() && posts.iter().any(|post| post.text.ends_with(" it is."))
}

#[expect(
    clippy::disallowed_methods,
    reason = "people live in the time of this machine"
)]
async fn wait(length: Duration) {
    tokio::time::sleep(length).await;
}
