//! Two platforms where people meet the agent. The first knows a client's ids, so that a repeated post is recognised; the
//! second knows nothing of the kind and posts whatever it is sent.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::time::Duration;

use lifecycle::MessageId;
use ports::pieces::Conversation;

use crate::facts::Place;
use crate::world::lock;

/// The channels, by the number of their platform.
pub(crate) const CHANNELS: [&str; 2] = ["alpha", "beta"];
/// The platform that recognises repeats.
pub(crate) const RECOGNISES: usize = 0;

/// How a card is drawn in a conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Style {
    /// A message for each call, edited in place.
    Each,
    /// One message for all calls of a step, edited in place.
    Together,
    /// A message for each question, posted anew for the next one; only the first call is posted at once.
    Stepwise,
}

/// A part of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Block {
    /// The call it shows.
    pub(crate) call: String,
    /// What is asked; the words are in no other call.
    pub(crate) ask: String,
    /// Which question of the call.
    pub(crate) step: usize,
    /// How many options have a button.
    pub(crate) choices: usize,
    /// What it says once it is closed; it has no buttons then.
    pub(crate) closed: Option<String>,
}

/// A message of the agent.
#[derive(Clone, Debug)]
pub(crate) struct Posted {
    pub(crate) place: Place,
    pub(crate) at: Duration,
    /// Its text; empty for a card.
    pub(crate) text: String,
    pub(crate) blocks: Vec<Block>,
    /// The call of the hook that posted it.
    pub(crate) hook: usize,
}

impl Posted {
    /// Whether one of its questions says that it was dismissed.
    pub(crate) fn was_dismissed(&self) -> bool {
        let mut closed = self.blocks.iter().filter_map(|block| block.closed.as_deref());
        closed.any(|closed| closed.starts_with("dismissed"))
    }
}

/// Buttons that somebody has seen, or sees.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Card {
    pub(crate) message: MessageId,
    pub(crate) place: Place,
    pub(crate) block: Block,
}

/// Both platforms.
#[derive(Default)]
pub(crate) struct Platforms(Mutex<State>);

#[derive(Default)]
struct State {
    messages: Vec<Posted>,
    keys: BTreeMap<([u8; 16], usize), usize>,
    drawn: Vec<Card>,
}

impl Platforms {
    /// Posts a message; the `part`th of its hook call. What has this key already is not posted again where repeats are
    /// recognised.
    pub(crate) fn post(&self, posted: Posted, key: [u8; 16], part: usize) -> MessageId {
        let mut state = lock(&self.0);
        let recognises = platform_of(posted.place) == RECOGNISES;
        if let Some(known) = state.keys.get(&(key, part)).filter(|_| recognises) {
            return id(*known);
        }
        let number = state.messages.len();
        state.keys.insert((key, part), number);
        for block in posted.blocks.iter().filter(|block| block.closed.is_none()) {
            let card = Card {
                message: id(number),
                place: posted.place,
                block: block.clone(),
            };
            state.drawn.push(card);
        }
        state.messages.push(posted);
        id(number)
    }

    /// Replaces the block of a call.
    pub(crate) fn edit(&self, message: &MessageId, block: Block) {
        let mut state = lock(&self.0);
        let Some(number) = number(message) else { return };
        let Some(posted) = state.messages.get_mut(number) else {
            return;
        };
        let place = posted.place;
        let Some(old) = posted.blocks.iter_mut().find(|old| old.call == block.call) else {
            return;
        };
        if *old == block {
            return;
        }
        *old = block.clone();
        if block.closed.is_none() {
            let message = message.clone();
            state.drawn.push(Card {
                message,
                place,
                block,
            });
        }
    }

    /// Everything there is.
    pub(crate) fn messages(&self) -> Vec<Posted> {
        lock(&self.0).messages.clone()
    }

    /// The buttons that are there now in a conversation.
    pub(crate) fn live(&self, place: Place) -> Vec<Card> {
        self.open(place, |_| true)
    }

    /// The same without those that nobody is left to close when records expire: a dismissal ends the whole step, and a question
    /// beside the dismissed one that nobody touched for so long has no record that could be closed with it.
    pub(crate) fn closable(&self, place: Place) -> Vec<Card> {
        self.open(place, |posted| !posted.was_dismissed())
    }

    fn open(&self, place: Place, wanted: impl Fn(&Posted) -> bool) -> Vec<Card> {
        let state = lock(&self.0);
        let here = state
            .messages
            .iter()
            .enumerate()
            .filter(|(_, posted)| posted.place == place && wanted(posted));
        let cards = here.flat_map(|(number, posted)| {
            let open = posted.blocks.iter().filter(|block| block.closed.is_none());
            open.map(move |block| Card {
                message: id(number),
                place,
                block: block.clone(),
            })
        });
        cards.collect()
    }

    /// The buttons that were there at any time.
    pub(crate) fn drawn(&self, place: Place) -> Vec<Card> {
        let state = lock(&self.0);
        state
            .drawn
            .iter()
            .filter(|card| card.place == place)
            .cloned()
            .collect()
    }
}

fn id(number: usize) -> MessageId {
    MessageId(format!("m{number}"))
}

/// The place of a message in [`Platforms::messages`].
pub(crate) fn number(message: &MessageId) -> Option<usize> {
    message.0.strip_prefix('m')?.parse().ok()
}

/// Which platform a conversation is on.
pub(crate) fn platform_of(place: Place) -> usize {
    place.0 % CHANNELS.len()
}

/// The channel of a conversation.
pub(crate) fn channel_of(place: Place) -> &'static str {
    CHANNELS.get(platform_of(place)).copied().unwrap_or_default()
}

/// A conversation as the host knows it.
pub(crate) fn conversation(place: Place) -> Conversation {
    Conversation {
        account: "acme".to_owned(),
        room: "lobby".to_owned(),
        thread: format!("t{}", place.0),
    }
}

/// The conversation that the host names.
pub(crate) fn place_of(conversation: &Conversation) -> Place {
    let number = conversation
        .thread
        .strip_prefix('t')
        .and_then(|number| number.parse().ok());
    Place(number.unwrap_or_default())
}
