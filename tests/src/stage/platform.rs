//! The platform where people meet the agent: threads, messages with buttons, forms, private words.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use lifecycle::{MessageId, Timestamp};
use ports::pieces::{
    Action, Addressing, Author, AuthorKind, Conversation, Event, HttpReply, Interaction, Message,
    ModalSubmit, Place,
};

use super::stimulus::FormLocator;
use super::transcript::{Transcript, lock};

/// The account of everything.
pub(super) const ACCOUNT: &str = "acme";
/// The room of every thread.
pub(super) const ROOM: &str = "lobby";
/// The thread of a story that names none.
pub(super) const THREAD: &str = "t1";
/// How long the platform waits for the response to a click or a form.
const ANSWER_WITHIN: Duration = Duration::from_secs(3);
/// What a piece answers a request with that it has nothing to say to.
pub(super) const ACKNOWLEDGED: &[u8] = b"ok";

/// A control of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Button {
    /// What stands on it.
    pub(super) label: String,
    /// Its id.
    pub(super) id: String,
}

/// A part of a message that is edited for itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Block {
    /// The call it shows; empty for a text.
    pub(super) owner: String,
    /// What it says.
    pub(super) text: String,
    /// Its controls.
    pub(super) buttons: Vec<Button>,
}

impl Block {
    /// A text without controls.
    pub(super) fn text(text: impl Into<String>) -> Self {
        Self {
            owner: String::new(),
            text: text.into(),
            buttons: Vec::new(),
        }
    }

    fn shown(&self) -> String {
        let buttons = self.buttons.iter().map(|button| format!(" [{}]", button.label));
        format!("{}{}", self.text, buttons.collect::<String>())
    }
}

#[derive(Debug)]
struct Posted {
    thread: String,
    blocks: Vec<Block>,
    /// Buttons it had before: somebody may still see them.
    former: Vec<Button>,
}

/// A form that somebody has open.
#[derive(Clone, Debug)]
struct Form {
    thread: String,
    from: MessageId,
    field: String,
    private_metadata: String,
}

/// The platform.
#[derive(Debug)]
pub(super) struct Platform {
    pub(super) transcript: Arc<Transcript>,
    /// Whether it recognises a repeated post by its key.
    recognises_repeats: bool,
    /// Whether a submitted form names the message it was opened from, and its conversation.
    forms_are_related: bool,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    messages: BTreeMap<String, Posted>,
    made: u32,
    forms: Vec<Form>,
    keys: BTreeMap<[u8; 16], MessageId>,
    events: Vec<Event>,
}

impl Platform {
    /// An empty platform.
    pub(super) fn new(
        transcript: Arc<Transcript>,
        recognises_repeats: bool,
        forms_are_related: bool,
    ) -> Self {
        Self {
            transcript,
            recognises_repeats,
            forms_are_related,
            state: Mutex::default(),
        }
    }

    /// Posts a message, unless one with this key was posted before and the platform recognises that.
    pub(super) fn post(
        &self,
        conversation: &Conversation,
        key: Option<[u8; 16]>,
        blocks: Vec<Block>,
    ) -> MessageId {
        let mut state = lock(&self.state);
        let known = key
            .filter(|_| self.recognises_repeats)
            .and_then(|key| state.keys.get(&key).cloned());
        if let Some(known) = known {
            return known;
        }
        let id = state.next_id();
        state.keys.extend(key.map(|key| (key, id.clone())));
        let thread = conversation.thread.clone();
        self.transcript
            .note(format!("bot posts {id}{}: {}", place(&thread), shown(&blocks)));
        let former = Vec::new();
        state.messages.insert(
            id.0.clone(),
            Posted {
                thread,
                blocks,
                former,
            },
        );
        id
    }

    /// Replaces one block of a message. "Not modified" is a success.
    pub(super) fn edit(&self, id: &MessageId, block: Block) {
        let mut state = lock(&self.state);
        let Some(message) = state.messages.get_mut(&id.0) else {
            return;
        };
        let Some(old) = message
            .blocks
            .iter_mut()
            .find(|old| old.owner == block.owner)
            .filter(|old| **old != block)
        else {
            return;
        };
        let before = std::mem::replace(old, block);
        message.former.extend(before.buttons);
        self.transcript
            .note(format!("bot edits {id}: {}", shown(&message.blocks)));
    }

    /// Says something that only one person sees.
    pub(super) fn tell(&self, person: &str, text: &str) {
        self.transcript.note(format!("{person} is told: {text}"));
    }

    /// Shows somebody a form with one field.
    pub(super) fn open_form(
        &self,
        person: &str,
        thread: &str,
        from: &MessageId,
        field: &str,
        title: &str,
        metadata: String,
    ) {
        let mut state = lock(&self.state);
        let form = Form {
            thread: thread.to_owned(),
            from: from.clone(),
            field: field.to_owned(),
            private_metadata: metadata,
        };
        state.forms.push(form);
        let number = state.forms.len();
        self.transcript
            .note(format!("{person} sees the form f{number}: {title}"));
    }

    /// Whether a message still has buttons for a call.
    pub(super) fn has_buttons(&self, message: &str, call: &str) -> bool {
        let state = lock(&self.state);
        let blocks = state
            .messages
            .get(message)
            .into_iter()
            .flat_map(|posted| &posted.blocks);
        blocks
            .filter(|block| block.owner == call)
            .any(|block| !block.buttons.is_empty())
    }

    /// What somebody wrote, as an event.
    pub(super) fn says(
        &self,
        person: &str,
        thread: &str,
        addressing: Addressing,
        text: &str,
        now: Timestamp,
    ) -> usize {
        let mut state = lock(&self.state);
        let id = state.next_id();
        let message = Message {
            id,
            text: text.to_owned(),
            author: author(person),
            date_sent: Some(now),
            reply_to: None,
            raw: "{}".to_owned(),
        };
        let place = Place::Conversation(conversation(thread));
        state.happens(place, addressing, Interaction::Message(message))
    }

    /// A button pressed, as an event: one that the message has, else one it had and somebody still sees.
    ///
    /// # Errors
    /// There is no such message, or there was never such a button on it.
    pub(super) fn presses(&self, person: &str, label: &str, message: &str) -> Result<usize, String> {
        let mut state = lock(&self.state);
        let posted = state
            .messages
            .get(message)
            .ok_or_else(|| format!("there is no message {message}"))?;
        let now = posted.blocks.iter().flat_map(|block| &block.buttons);
        let buttons: Vec<&Button> = now.chain(posted.former.iter().rev()).collect();
        let button = buttons
            .iter()
            .find(|button| button.label == label)
            .ok_or_else(|| {
                let labels: Vec<_> = buttons.iter().map(|button| button.label.as_str()).collect();
                format!(
                    "{message} has no button {label:?}; its buttons are {}",
                    labels.join(", ")
                )
            })?;
        let action = Action {
            action_id: button.id.clone(),
            value: None,
            message_id: MessageId(message.to_owned()),
            user: author(person),
            trigger_id: Some(format!("trigger-{person}")),
            raw: "{}".to_owned(),
        };
        let place = Place::Conversation(conversation(&posted.thread));
        Ok(state.happens(place, Addressing::None, Interaction::Action(action)))
    }

    /// A form submitted, as an event.
    ///
    /// # Errors
    /// There is no such form.
    pub(super) fn submits(
        &self,
        person: &str,
        text: &str,
        number: usize,
        locator: FormLocator,
    ) -> Result<usize, String> {
        let mut state = lock(&self.state);
        let form = number
            .checked_sub(1)
            .and_then(|index| state.forms.get(index))
            .cloned();
        let form = form.ok_or_else(|| format!("there is no form f{number}"))?;
        let place = if self.forms_are_related {
            Place::Conversation(conversation(&form.thread))
        } else {
            Place::Account(ACCOUNT.to_owned())
        };
        let original = form.private_metadata;
        let metadata = match locator {
            FormLocator::Original => original,
            FormLocator::Foreign => original.replacen(ACCOUNT, "umbrella", 1),
            FormLocator::Cut => original
                .rsplit_once('|')
                .map_or(String::new(), |(rest, _)| rest.to_owned()),
        };
        let submit = ModalSubmit {
            values: vec![(form.field, text.to_owned())],
            private_metadata: Some(metadata),
            related_message: self.forms_are_related.then_some(form.from),
            user: author(person),
            raw: "{}".to_owned(),
        };
        Ok(state.happens(place, Addressing::None, Interaction::ModalSubmit(submit)))
    }

    /// An event that happened.
    pub(super) fn event(&self, number: usize) -> Option<Event> {
        lock(&self.state).events.get(number).cloned()
    }

    /// The event that happened last.
    pub(super) fn last_event(&self) -> Option<usize> {
        lock(&self.state).events.len().checked_sub(1)
    }
}

impl State {
    fn next_id(&mut self) -> MessageId {
        self.made += 1;
        MessageId(format!("m{}", self.made))
    }

    fn happens(&mut self, place: Place, addressing: Addressing, interaction: Interaction) -> usize {
        let number = self.events.len();
        self.events.push(Event {
            delivery_id: format!("delivery-{number}"),
            place,
            addressing,
            interaction,
            acknowledgement: reply(ACKNOWLEDGED),
            answer_within: ANSWER_WITHIN,
        });
        number
    }
}

/// A response with status 200.
pub(super) fn reply(body: &[u8]) -> HttpReply {
    HttpReply {
        status: 200,
        content_type: None,
        body: bytes::Bytes::copy_from_slice(body),
    }
}

/// A thread of the room.
pub(super) fn conversation(thread: &str) -> Conversation {
    Conversation {
        account: ACCOUNT.to_owned(),
        room: ROOM.to_owned(),
        thread: thread.to_owned(),
    }
}

fn author(person: &str) -> Author {
    // Another program on the platform, as `robot` is called in every story.
    let kind = if person == "robot" {
        AuthorKind::Bot
    } else {
        AuthorKind::Person
    };
    Author {
        id: format!("u-{person}"),
        name: person.to_owned(),
        kind,
        external: false,
    }
}

fn place(thread: &str) -> String {
    if thread == THREAD {
        String::new()
    } else {
        format!(" in {thread}")
    }
}

fn shown(blocks: &[Block]) -> String {
    blocks.iter().map(Block::shown).collect::<Vec<_>>().join(" | ")
}
