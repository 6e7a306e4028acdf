//! The modal locator: text that a piece stores in a form, and that leads its submission back to the question's message.
//!
//! It is not signed: it comes back in a request that the platform signed, from the form this piece made, and the host
//! refuses one of another channel or account.

use lifecycle::MessageId;
use ports::pieces::{Conversation, Locator};

use super::{Misuse, State};
use crate::bindings::frogbot::piece::modal_locator::Host;
use crate::bindings::frogbot::piece::types;

/// The longest locator, in bytes (the contract's).
const BYTES_MAX: usize = 1_024;
/// Says that the text is ours and how to read it: a JSON list of channel, account, room, thread and message.
const FIRST_VERSION: &str = "fb1";

fn encode(channel: &str, conversation: &types::Conversation, message: &str) -> Result<String, Misuse> {
    let types::Conversation {
        account,
        room,
        thread,
    } = conversation;
    let names = serde_json::json!([channel, account, room, thread, message]);
    let text = format!("{FIRST_VERSION}{names}");
    if text.len() <= BYTES_MAX {
        Ok(text)
    } else {
        Err(Misuse(format!(
            "the names of conversation and message are too long: a locator of {} bytes, at most {BYTES_MAX}",
            text.len()
        )))
    }
}

/// Reads a locator; none when it is not ours.
pub(crate) fn decode(text: &str) -> Option<Locator> {
    if text.len() > BYTES_MAX {
        return None;
    }
    let [channel, account, room, thread, message]: [String; 5] =
        serde_json::from_str(text.strip_prefix(FIRST_VERSION)?).ok()?;
    Some(Locator {
        channel,
        conversation: Conversation {
            account,
            room,
            thread,
        },
        message: MessageId(message),
    })
}

impl Host for State {
    fn encode(&mut self, conversation: types::Conversation, message_id: String) -> wasmtime::Result<String> {
        encode(&self.piece.channel, &conversation, &message_id).map_err(wasmtime::Error::new)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn conversation(room: &str) -> types::Conversation {
        types::Conversation {
            account: "T1".to_owned(),
            room: room.to_owned(),
            thread: "17.5\"]".to_owned(),
        }
    }

    #[test]
    fn what_was_encoded_is_found_again() {
        let text = encode("support", &conversation("C1"), "ü1").expect("short enough");
        let found = decode(&text).expect("ours");
        assert_eq!(
            (found.channel.as_str(), found.message.as_str()),
            ("support", "ü1")
        );
        assert_eq!(found.conversation.thread, "17.5\"]");
    }

    #[test]
    fn a_locator_that_is_too_long_is_refused() {
        assert!(encode("support", &conversation(&"x".repeat(BYTES_MAX)), "1").is_err());
    }

    #[test]
    fn what_is_not_ours_is_not_found() {
        for text in [
            "",
            "fb1",
            "fb1[]",
            r#"fb1["a","b","c","d"]"#,
            r#"fb1["a","b","c","d",5]"#,
            r#"fb2["a","b","c","d","e"]"#,
            r#"["a","b","c","d","e"]"#,
            "fb1[[[[",
            "\u{0}",
        ] {
            assert_eq!(decode(text), None, "{text}");
        }
        let long = format!("fb1[\"{}\",\"b\",\"c\",\"d\",\"e\"]", "a".repeat(BYTES_MAX));
        assert_eq!(decode(&long), None);
    }
}
