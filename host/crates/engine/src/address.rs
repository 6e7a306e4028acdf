//! Where a conversation is, and the names of its documents.

use lifecycle::CallId;
use ports::documents::{Key, Partition};
use ports::pieces::Conversation;
use sha2::{Digest, Sha256};

/// A conversation with its channel.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Address {
    /// The channel's configured name.
    pub channel: String,
    /// Account, room and thread.
    pub conversation: Conversation,
}

/// The turn of the conversation's chat.
pub(crate) const TURN: &str = "turn";
/// The lease of the running turn.
pub(crate) const LEASE: &str = "lease";
/// Records of question calls.
pub(crate) const QUESTIONS: &str = "question/";
/// The messages of the conversation's chat.
pub(crate) const ENTRIES: &str = "chat/";
/// Messages that were acknowledged and are not handled yet.
pub(crate) const INBOX: &str = "inbox/";
/// Clicks and forms that were acknowledged and are not handled yet.
pub(crate) const CLICKS: &str = "clicks/";

impl Address {
    /// The partition of everything that belongs to the conversation, in the documents port.
    pub fn partition(&self) -> Partition {
        let Conversation {
            account,
            room,
            thread,
        } = &self.conversation;
        let digest = digest(&[&self.channel, account, room, thread]);
        Partition(format!("conversation/{}/{}", self.channel, hex::encode(digest)))
    }
}

/// A record's key.
pub(crate) fn question_key(call: &CallId) -> Key {
    Key(format!("{QUESTIONS}{call}"))
}

/// The key of a chat's message.
pub(crate) fn entry_key(number: u64) -> Key {
    Key(format!("{ENTRIES}{number:020}"))
}

/// The key that marks a delivery as known. Delivery ids are hashed: they are the platform's, of any characters.
pub(crate) fn delivery_key(delivery: &str) -> Key {
    Key(format!("delivery/{}", hex::encode(digest(&[delivery]))))
}

/// 16 bytes that name what is owed: the same for every attempt, different for everything else.
pub(crate) fn idempotency_key(partition: &Partition, parts: &[&str]) -> [u8; 16] {
    let mut named = vec![partition.0.as_str()];
    named.extend(parts);
    digest(&named)
}

/// The first 16 bytes of SHA-256 over the parts, each with its length, so that no two lists run together.
fn digest(parts: &[&str]) -> [u8; 16] {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update(u64::try_from(part.len()).unwrap_or(u64::MAX).to_be_bytes());
        hash.update(part.as_bytes());
    }
    let full: [u8; 32] = hash.finalize().into();
    let mut short = [0; 16];
    short.copy_from_slice(&full[..16]);
    short
}
