//! What the hooks of the `channel` interface return.

use std::time::Duration;

use bytes::Bytes;
use http::HeaderValue;
use lifecycle::{MessageId, Timestamp};
use ports::pieces::{
    Acted, Action, Addressing, Author, AuthorKind, Connected, Conversation, Event, HttpReply, Interaction,
    Message, ModalSubmit, Place, Profile, Received,
};

use super::bounds::{
    Checked, LIST_MAX, OWN_JSON_BYTES_MAX, RAW_JSON_BYTES_MAX, REPLY_BYTES_MAX, TEXT_BYTES_MAX, garbage, id,
    json, list, name, said, text,
};
use crate::bindings::exports::frogbot::piece::channel as guest;
use crate::bindings::frogbot::piece::types;

/// The most events of one request (the contract's).
const EVENTS_MAX: usize = 100;
/// The most parts of a reply (the contract's).
const PARTS_MAX: usize = 100;
/// The most roles of a profile (the contract's).
const ROLES_MAX: usize = 100;
/// The most lines about what an account has not granted (the contract's).
const LACKS_MAX: usize = 100;
/// The longest of them (the contract's).
const LACK_BYTES_MAX: usize = 1024;
/// The longest a platform waits for a response (the contract's).
const ANSWER_WITHIN_MS_MAX: u32 = 30_000;

pub(crate) fn connected(connected: guest::Connected) -> Checked<Connected> {
    Ok(Connected {
        data: json("`connected.data`", connected.data, OWN_JSON_BYTES_MAX)?,
        summary: text("`connected.summary`", connected.summary)?,
        lacks: list("`connected.lacks`", connected.lacks, LACKS_MAX, |line| {
            said("a line of `connected.lacks`", line, LACK_BYTES_MAX)
        })?,
        stale_at: connected.stale_at.map(Timestamp),
    })
}

pub(crate) fn received(received: guest::Received) -> Checked<Received> {
    Ok(Received {
        reply: reply(received.reply)?,
        events: list("`received.events`", received.events, EVENTS_MAX, event)?,
    })
}

fn event(event: guest::Event) -> Checked<Event> {
    if event.answer_within > ANSWER_WITHIN_MS_MAX {
        return garbage(format!(
            "`event.answer-within` is {} ms, at most {ANSWER_WITHIN_MS_MAX} are allowed",
            event.answer_within
        ));
    }
    Ok(Event {
        delivery_id: id("`event.delivery-id`", event.delivery_id)?,
        place: match event.place {
            guest::Place::Conversation(found) => Place::Conversation(conversation(found)?),
            guest::Place::Account(account) => Place::Account(name("`event.place.account`", account)?),
        },
        addressing: match event.addressing {
            guest::Addressing::Mention => Addressing::Mention,
            guest::Addressing::Direct => Addressing::Direct,
            guest::Addressing::Reply => Addressing::Reply,
            guest::Addressing::None => Addressing::None,
        },
        interaction: match event.happening {
            guest::Happening::Message(said) => Interaction::Message(message(said)?),
            guest::Happening::Action(clicked) => Interaction::Action(action(clicked)?),
            guest::Happening::ModalSubmit(form) => Interaction::ModalSubmit(submit(form)?),
        },
        acknowledgement: reply(event.acknowledgement)?,
        answer_within: Duration::from_millis(u64::from(event.answer_within)),
    })
}

fn conversation(conversation: types::Conversation) -> Checked<Conversation> {
    Ok(Conversation {
        account: name("`conversation.account`", conversation.account)?,
        room: name("`conversation.room`", conversation.room)?,
        thread: name("`conversation.thread`", conversation.thread)?,
    })
}

fn author(author: types::Author) -> Checked<Author> {
    Ok(Author {
        id: name("`author.id`", author.id)?,
        name: text("`author.name`", author.name)?,
        kind: match author.kind {
            types::AuthorKind::Person => AuthorKind::Person,
            types::AuthorKind::Bot => AuthorKind::Bot,
            types::AuthorKind::Own => AuthorKind::Own,
            types::AuthorKind::Unknown => AuthorKind::Unknown,
        },
        external: author.external,
    })
}

fn message(message: types::Message) -> Checked<Message> {
    Ok(Message {
        id: MessageId(id("`message.id`", message.id)?),
        text: text("`message.text`", message.text)?,
        author: author(message.author)?,
        date_sent: message.date_sent.map(Timestamp),
        reply_to: message_id("`message.reply-to`", message.reply_to)?,
        raw: json("`message.raw`", message.raw, RAW_JSON_BYTES_MAX)?,
    })
}

fn action(action: types::ActionEvent) -> Checked<Action> {
    Ok(Action {
        action_id: text("`action-event.action-id`", action.action_id)?,
        value: action
            .value
            .map(|value| text("`action-event.value`", value))
            .transpose()?,
        message_id: MessageId(id("`action-event.message-id`", action.message_id)?),
        user: author(action.user)?,
        trigger_id: action
            .trigger_id
            .map(|id| text("`action-event.trigger-id`", id))
            .transpose()?,
        raw: json("`action-event.raw`", action.raw, RAW_JSON_BYTES_MAX)?,
    })
}

fn submit(form: types::ModalEvent) -> Checked<ModalSubmit> {
    let value = |(field, value)| {
        Ok((
            text("`modal-event.values`", field)?,
            text("`modal-event.values`", value)?,
        ))
    };
    Ok(ModalSubmit {
        values: list("`modal-event.values`", form.values, LIST_MAX, value)?,
        private_metadata: form
            .private_metadata
            .map(|metadata| text("`modal-event.private-metadata`", metadata))
            .transpose()?,
        related_message: message_id("`modal-event.related-message`", form.related_message)?,
        user: author(form.user)?,
        raw: json("`modal-event.raw`", form.raw, RAW_JSON_BYTES_MAX)?,
    })
}

fn message_id(what: &str, found: Option<String>) -> Checked<Option<MessageId>> {
    found.map(|found| id(what, found).map(MessageId)).transpose()
}

/// The host keeps `content-type` and drops the other headers.
pub(super) fn reply(reply: types::HttpReply) -> Checked<HttpReply> {
    if !(200..=599).contains(&reply.status) {
        return garbage(format!(
            "`http-reply.status` is {}, not from 200 to 599",
            reply.status
        ));
    }
    if reply.body.len() > REPLY_BYTES_MAX {
        return garbage(format!(
            "`http-reply.body` has {} bytes, at most {REPLY_BYTES_MAX} are allowed",
            reply.body.len()
        ));
    }
    let mut headers = list("`http-reply.headers`", reply.headers, LIST_MAX, Ok)?.into_iter();
    let content_type = headers
        .find(|(name, _)| name.eq_ignore_ascii_case("content-type"))
        .map(|(_, value)| value);
    if content_type
        .as_ref()
        .is_some_and(|value| HeaderValue::from_str(value).is_err())
    {
        return garbage("`http-reply`'s content-type is no header value");
    }
    Ok(HttpReply {
        status: reply.status,
        content_type,
        body: Bytes::from(reply.body),
    })
}

pub(crate) fn profile(profile: guest::Profile) -> Checked<Profile> {
    Ok(Profile {
        name: profile
            .name
            .map(|found| text("`profile.name`", found))
            .transpose()?,
        email: profile
            .email
            .map(|found| id("`profile.email`", found))
            .transpose()?,
        roles: list("`profile.roles`", profile.roles, ROLES_MAX, |role| {
            name("`profile.roles`", role)
        })?,
        external: profile.external,
    })
}

pub(crate) fn posted(posted: guest::Posted) -> Checked<Acted<MessageId>> {
    Ok(Acted {
        value: MessageId(id("`posted.message-id`", posted.message_id)?),
        reply: posted.reply.map(reply).transpose()?,
    })
}

pub(crate) fn done(done: types::Done) -> Checked<Acted<()>> {
    Ok(Acted {
        value: (),
        reply: done.reply.map(reply).transpose()?,
    })
}

pub(crate) fn parts(parts: Vec<String>) -> Checked<Vec<String>> {
    list("`split`'s list", parts, PARTS_MAX, |part| {
        said("a part of `split`", part, TEXT_BYTES_MAX)
    })
}
