//! What happens on a platform: who did what, where, and the requests and responses that tell it.

use std::time::Duration;

use bytes::Bytes;
use lifecycle::{MessageId, Timestamp};

/// Where something happens in a channel.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Conversation {
    /// The tenant inside the channel.
    pub account: String,
    /// The platform's own place.
    pub room: String,
    /// A conversation in the room; empty where a room is one.
    pub thread: String,
}

/// Who is behind a platform id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AuthorKind {
    /// A human being.
    Person,
    /// Another program.
    Bot,
    /// The piece's own account.
    Own,
    /// Not told; treated as own.
    Unknown,
}

/// Who sent an event, as the event tells it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Author {
    /// The platform's id, unique in the account.
    pub id: String,
    /// A name to show; may be empty.
    pub name: String,
    /// Person or not.
    pub kind: AuthorKind,
    /// Whether the platform says they belong to another tenant.
    pub external: bool,
}

/// A message in a conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// The platform's id.
    pub id: MessageId,
    /// What was said.
    pub text: String,
    /// By whom.
    pub author: Author,
    /// When, as the platform says.
    pub date_sent: Option<Timestamp>,
    /// The message it replies to.
    pub reply_to: Option<MessageId>,
    /// The platform's payload, JSON text.
    pub raw: String,
}

/// A button pressed or a menu picked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Action {
    /// The control's id.
    pub action_id: String,
    /// The control's value.
    pub value: Option<String>,
    /// The message that carries it.
    pub message_id: MessageId,
    /// Who did it.
    pub user: Author,
    /// What opens a form.
    pub trigger_id: Option<String>,
    /// The platform's payload, JSON text.
    pub raw: String,
}

/// A submitted form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModalSubmit {
    /// Field ids and values.
    pub values: Vec<(String, String)>,
    /// What the piece stored in the form.
    pub private_metadata: Option<String>,
    /// The message the form was opened from.
    pub related_message: Option<MessageId>,
    /// Who did it.
    pub user: Author,
    /// The platform's payload, JSON text.
    pub raw: String,
}

/// What a participant did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Interaction {
    /// A click or pick.
    Action(Action),
    /// A form.
    ModalSubmit(ModalSubmit),
    /// A reply in the thread.
    Message(Message),
}

impl Interaction {
    /// Who did it.
    pub fn author(&self) -> &Author {
        match self {
            Self::Action(action) => &action.user,
            Self::ModalSubmit(submit) => &submit.user,
            Self::Message(message) => &message.author,
        }
    }
}

/// A request as the platform sent it, verified.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InboundRequest {
    /// The method.
    pub method: String,
    /// What follows the channel's route, with the query.
    pub path: String,
    /// Names in lower case.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Bytes,
}

/// A response for a platform.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HttpReply {
    /// 200 to 599.
    pub status: u16,
    /// `content-type`, or nothing.
    pub content_type: Option<String>,
    /// The body.
    pub body: Bytes,
}

/// Where an event happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// In this conversation.
    Conversation(Conversation),
    /// Only the account is known.
    Account(String),
}

/// How an event speaks to the agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Addressing {
    /// It names the bot.
    Mention,
    /// A conversation with the bot alone.
    Direct,
    /// It replies to the bot.
    Reply,
    /// None of these.
    None,
}

/// One thing that happened on a platform.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// The platform's own id, the same for every redelivery.
    pub delivery_id: String,
    /// Where.
    pub place: Place,
    /// To whom.
    pub addressing: Addressing,
    /// What.
    pub interaction: Interaction,
    /// The response when nothing better is known in time.
    pub acknowledgement: HttpReply,
    /// How long the platform waits for the response to an action or a form.
    pub answer_within: Duration,
}

/// What a request was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Received {
    /// The response when there is no event.
    pub reply: HttpReply,
    /// What happened.
    pub events: Vec<Event>,
}
