//! Events that were acknowledged and are not handled yet.

use lifecycle::MessageId;
use ports::pieces::{Action, Author, AuthorKind, Interaction, Message, ModalSubmit};
use serde::{Deserialize, Serialize};

use super::turn::StoredAddress;
use super::{Mirror, StoredOwed, mirror_struct};
use crate::inbox::Item;

mirror_struct!(
    StoredItem = Item {
        address: StoredAddress,
        delivery: String,
        interaction: StoredInteraction,
        handling: StoredOwed,
        host: String,
    }
);

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum StoredInteraction {
    Action(StoredAction),
    ModalSubmit(StoredModalSubmit),
    Message(StoredChatMessage),
}

mirror_struct!(StoredAction = Action {
    action_id: String,
    value: Option<String>,
    message_id: String,
    user: StoredAuthor,
    trigger_id: Option<String>,
    raw: String,
});

mirror_struct!(StoredChatMessage = Message {
    id: String,
    text: String,
    author: StoredAuthor,
    date_sent: Option<u64>,
    reply_to: Option<String>,
    raw: String,
});

#[derive(Serialize, Deserialize)]
pub(crate) struct StoredModalSubmit {
    values: Vec<(String, String)>,
    private_metadata: Option<String>,
    related_message: Option<String>,
    user: StoredAuthor,
    raw: String,
}

mirror_struct!(
    StoredAuthor = Author {
        id: String,
        name: String,
        kind: StoredAuthorKind,
        external: bool
    }
);

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum StoredAuthorKind {
    Person,
    Bot,
    Own,
    Unknown,
}

impl Mirror<AuthorKind> for StoredAuthorKind {
    fn of(domain: &AuthorKind) -> Self {
        match domain {
            AuthorKind::Person => Self::Person,
            AuthorKind::Bot => Self::Bot,
            AuthorKind::Own => Self::Own,
            AuthorKind::Unknown => Self::Unknown,
        }
    }

    fn into_domain(self) -> AuthorKind {
        match self {
            Self::Person => AuthorKind::Person,
            Self::Bot => AuthorKind::Bot,
            Self::Own => AuthorKind::Own,
            Self::Unknown => AuthorKind::Unknown,
        }
    }
}

impl Mirror<ModalSubmit> for StoredModalSubmit {
    fn of(domain: &ModalSubmit) -> Self {
        Self {
            values: domain.values.clone(),
            private_metadata: domain.private_metadata.clone(),
            related_message: domain.related_message.as_ref().map(|id| id.0.clone()),
            user: Mirror::of(&domain.user),
            raw: domain.raw.clone(),
        }
    }

    fn into_domain(self) -> ModalSubmit {
        ModalSubmit {
            values: self.values,
            private_metadata: self.private_metadata,
            related_message: self.related_message.map(MessageId),
            user: self.user.into_domain(),
            raw: self.raw,
        }
    }
}

impl Mirror<Interaction> for StoredInteraction {
    fn of(domain: &Interaction) -> Self {
        match domain {
            Interaction::Action(action) => Self::Action(Mirror::of(action)),
            Interaction::ModalSubmit(submit) => Self::ModalSubmit(Mirror::of(submit)),
            Interaction::Message(message) => Self::Message(Mirror::of(message)),
        }
    }

    fn into_domain(self) -> Interaction {
        match self {
            Self::Action(action) => Interaction::Action(action.into_domain()),
            Self::ModalSubmit(submit) => Interaction::ModalSubmit(submit.into_domain()),
            Self::Message(message) => Interaction::Message(message.into_domain()),
        }
    }
}
