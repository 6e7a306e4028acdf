//! The turn of a chat, with the address of its conversation.

use lifecycle::turn::{Part, Pending, Run, Turn, Work};
use ports::pieces::Conversation;
use serde::{Deserialize, Serialize};

use super::question::{StoredInput, StoredMessage};
use super::{Mirror, StoredActor, StoredOwed, mirror_struct};
use crate::address::Address;
use crate::conversation::Chat;

mirror_struct!(
    StoredChat = Chat {
        address: StoredAddress,
        turn: StoredTurn,
        messages_made: u64
    }
);

mirror_struct!(
    StoredAddress = Address {
        channel: String,
        conversation: StoredConversation
    }
);

mirror_struct!(
    StoredConversation = Conversation {
        account: String,
        room: String,
        thread: String
    }
);

mirror_struct!(StoredTurn = Turn {
    run: Option<StoredRun>,
    queue: Vec<u64>,
    outbox: Vec<StoredPart>,
    continuing: StoredOwed,
    posting: StoredOwed,
    replying: StoredOwed,
    promoting: StoredOwed,
    calls_made: u64,
    parts_made: u64,
});

mirror_struct!(StoredRun = Run {
    message: u64,
    actor: StoredActor,
    assistant: Option<u64>,
    steps: u32,
    work: StoredWork,
});

mirror_struct!(StoredPending = Pending {
    call: String,
    input: StoredInput,
    posted: bool,
    settled: bool,
    generation: u32,
    strays: Vec<StoredMessage>,
});

mirror_struct!(
    StoredPart = Part {
        number: u64,
        reply: u64,
        text: String
    }
);

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum StoredWork {
    Model,
    Tools,
    Answers(Vec<StoredPending>),
}

impl Mirror<Work> for StoredWork {
    fn of(domain: &Work) -> Self {
        match domain {
            Work::Model => Self::Model,
            Work::Tools => Self::Tools,
            Work::Answers(pending) => Self::Answers(Mirror::of(pending)),
        }
    }

    fn into_domain(self) -> Work {
        match self {
            Self::Model => Work::Model,
            Self::Tools => Work::Tools,
            Self::Answers(pending) => Work::Answers(pending.into_domain()),
        }
    }
}
