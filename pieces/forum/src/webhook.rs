//! What the forum sends: a signed request for every post and every press of a button.

use frogbot_piece::{
    ActionEvent, Addressing, Author, AuthorKind, Conversation, Event, Happening, HttpReply, InboundRequest,
    Message, Place, Received, Timestamp,
};
use serde::Deserialize;

/// A forum has one tenant and one place; its conversations are threads.
const ACCOUNT: &str = "forum";
const ROOM: &str = "board";
/// How long the forum waits for the response to a press.
const PRESS_ANSWER_WITHIN_MS: u32 = 5_000;

#[derive(Deserialize)]
struct Webhook {
    delivery: String,
    /// Whom the webhook is for.
    bot: Bot,
    thread: String,
    user: User,
    #[serde(flatten)]
    what: What,
}

#[derive(Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
enum What {
    Post {
        post: Post,
    },
    Press {
        post_id: String,
        button: String,
    },
    #[serde(other)]
    Other,
}

#[derive(Deserialize)]
struct Bot {
    id: String,
    name: String,
}

#[derive(Deserialize)]
struct User {
    id: String,
    name: String,
    bot: bool,
}

#[derive(Deserialize)]
struct Post {
    id: String,
    text: String,
    created_at: Timestamp,
    reply_to: Option<String>,
}

/// A delivery as an event; a kind that we do not know is acknowledged and forgotten.
pub(crate) fn read(request: &InboundRequest) -> Result<Received, String> {
    let webhook: Webhook = request.json()?;
    let raw = String::from_utf8_lossy(&request.body).into_owned();
    let author = author(webhook.user, &webhook.bot);
    let (addressing, happening) = match webhook.what {
        What::Post { post } => {
            let (addressing, text) = addressed(&post.text, &webhook.bot);
            let Post {
                id,
                created_at,
                reply_to,
                ..
            } = post;
            (
                addressing,
                Happening::Message(Message {
                    id,
                    text,
                    author,
                    date_sent: Some(created_at),
                    reply_to,
                    raw,
                }),
            )
        }
        What::Press { post_id, button } => {
            let event = ActionEvent {
                action_id: button,
                value: None,
                message_id: post_id,
                user: author,
                trigger_id: None,
                raw,
            };
            (Addressing::None, Happening::Action(event))
        }
        What::Other => return Ok(Received::nothing()),
    };
    let conversation = Conversation {
        account: ACCOUNT.to_owned(),
        room: ROOM.to_owned(),
        thread: webhook.thread,
    };
    Ok(Received::event(Event {
        delivery_id: webhook.delivery,
        place: Place::Conversation(conversation),
        addressing,
        happening,
        acknowledgement: HttpReply::ok(),
        answer_within: PRESS_ANSWER_WITHIN_MS,
    }))
}

fn author(user: User, bot: &Bot) -> Author {
    let kind = match user.bot {
        _ if user.id == bot.id => AuthorKind::Own,
        true => AuthorKind::Bot,
        false => AuthorKind::Person,
    };
    Author {
        id: user.id,
        name: user.name,
        kind,
        external: false,
    }
}

/// Whether a text names the bot, and the text without the name.
fn addressed(text: &str, bot: &Bot) -> (Addressing, String) {
    let mention = format!("@{}", bot.name);
    if text.contains(&mention) {
        (
            Addressing::Mention,
            text.replacen(&mention, "", 1).trim().to_owned(),
        )
    } else {
        (Addressing::None, text.to_owned())
    }
}
