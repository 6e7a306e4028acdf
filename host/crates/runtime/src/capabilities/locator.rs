//! The modal locator: text that a piece stores in a form, and that leads its submission back to the question's message.
//!
//! It is authenticated: nobody outside the host can make one, and one that was made for another channel or account is
//! refused, because both are part of what is signed and neither is read from the text. So it does not matter where a
//! form comes from, nor whether its platform lets people see and change what is stored in it.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, Mac};
use lifecycle::MessageId;
use ports::pieces::{Conversation, Locator};
use sha2::Sha256;

use super::{Misuse, Mode, State};
use crate::bindings::frogbot::piece::modal_locator::Host;
use crate::bindings::frogbot::piece::types;
use crate::guard::{Guard, stands};
use crate::mac::keyed;
use crate::setup::LocatorKey;

/// The longest locator, in bytes (the contract's).
const BYTES_MAX: usize = 1_024;
/// The longest id that stands in one, in bytes (the contract's). Three of them fit, whatever their characters: they stand
/// in the text as they are.
const ID_BYTES_MAX: usize = 256;
/// Says that the text is ours and how to read it: `fb1.<tag>.<bytes of room>.<bytes of thread>.<room><thread><message>`.
const FIRST_VERSION: &str = "fb1.";
/// HMAC-SHA-256, cut: nobody can try 2¹²⁸ forms.
const TAG_BYTES: usize = 16;

/// The names that a locator stands for.
#[derive(Clone, Copy)]
struct Names<'a> {
    channel: &'a str,
    account: &'a str,
    room: &'a str,
    thread: &'a str,
    message: &'a str,
}

impl Names<'_> {
    fn mac(&self, key: &LocatorKey) -> Hmac<Sha256> {
        let mut mac = keyed(key.bytes());
        for name in [self.channel, self.account, self.room, self.thread, self.message] {
            // With its length, so that no two lists of names run together.
            mac.update(&u64::try_from(name.len()).unwrap_or(u64::MAX).to_be_bytes());
            mac.update(name.as_bytes());
        }
        mac
    }
}

fn encode(key: &LocatorKey, names: Names<'_>) -> Result<String, Misuse> {
    let Names {
        room,
        thread,
        message,
        ..
    } = names;
    for (what, id) in [("room", room), ("thread", thread), ("message id", message)] {
        if id.len() > ID_BYTES_MAX {
            return Err(Misuse(format!(
                "a locator's {what} has {} bytes, at most {ID_BYTES_MAX} are allowed",
                id.len()
            )));
        }
    }
    let tag = names.mac(key).finalize().into_bytes();
    let tag = URL_SAFE_NO_PAD.encode(&tag[..TAG_BYTES]);
    Ok(format!(
        "{FIRST_VERSION}{tag}.{}.{}.{room}{thread}{message}",
        room.len(),
        thread.len()
    ))
}

/// Why a text leads nowhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// It does not even look like a locator: what the piece, or somebody, wrote there itself.
    NotOurs,
    /// It was not made here for this channel and account, or was changed since.
    Unverified,
}

/// Reads the locator that came in a form of `account`.
pub(crate) fn decode(key: &LocatorKey, channel: &str, account: &str, text: &str) -> Result<Locator, Refusal> {
    let (tag, [room, thread, message]) = parts(text).ok_or(Refusal::NotOurs)?;
    let names = Names {
        channel,
        account,
        room,
        thread,
        message,
    };
    names
        .mac(key)
        .verify_truncated_left(&tag)
        .map_err(|_| Refusal::Unverified)?;
    Ok(Locator {
        conversation: Conversation {
            account: account.to_owned(),
            room: room.to_owned(),
            thread: thread.to_owned(),
        },
        message: MessageId(message.to_owned()),
    })
}

/// The tag, and room, thread and message id. The tag's length is checked here: a shorter one would be easier to guess.
fn parts(text: &str) -> Option<([u8; TAG_BYTES], [&str; 3])> {
    if text.len() > BYTES_MAX {
        return None;
    }
    let mut parts = text.strip_prefix(FIRST_VERSION)?.splitn(4, '.');
    let mut next = || parts.next();
    let tag = URL_SAFE_NO_PAD.decode(next()?).ok()?.try_into().ok()?;
    let (room, thread) = (next()?.parse().ok()?, next()?.parse().ok()?);
    let (room, rest) = next()?.split_at_checked(room)?;
    let (thread, message) = rest.split_at_checked(thread)?;
    Some((tag, [room, thread, message]))
}

impl Host for State {
    fn encode(&mut self, conversation: types::Conversation, message_id: String) -> wasmtime::Result<String> {
        // What one account is asked must never be answered by a form of another.
        if let Mode::Acting(budget) = &self.mode
            && budget.account != conversation.account
            && stands(Guard::LocatorAccount)
        {
            return Err(wasmtime::Error::new(Misuse(
                "it asked for a locator of another account than the call's".to_owned(),
            )));
        }
        let names = Names {
            channel: &self.piece.channel,
            account: &conversation.account,
            room: &conversation.room,
            thread: &conversation.thread,
            message: &message_id,
        };
        encode(&self.piece.locators, names).map_err(wasmtime::Error::new)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAMES: Names<'static> = Names {
        channel: "support",
        account: "T1",
        room: "C1.2",
        thread: "17.5\"]é",
        message: "ü1",
    };

    fn key() -> LocatorKey {
        LocatorKey::new([7; 32])
    }

    fn text() -> String {
        encode(&key(), NAMES).expect("short enough")
    }

    fn read(text: &str) -> Result<Locator, Refusal> {
        decode(&key(), NAMES.channel, NAMES.account, text)
    }

    #[test]
    fn what_was_encoded_is_found_again() {
        let found = read(&text()).expect("ours");
        assert_eq!(found.message.as_str(), "ü1");
        assert_eq!(
            found.conversation,
            Conversation {
                account: "T1".to_owned(),
                room: "C1.2".to_owned(),
                thread: "17.5\"]é".to_owned(),
            }
        );
    }

    #[test]
    fn the_longest_ids_fit_whatever_their_characters_and_one_byte_more_is_refused() {
        for filling in ["x", "\"", "\u{0}", "é"] {
            let id = filling.repeat(ID_BYTES_MAX / filling.len());
            let names = Names {
                room: &id,
                thread: &id,
                message: &id,
                ..NAMES
            };
            let text = encode(&key(), names).expect("fits");
            assert!(text.len() <= BYTES_MAX, "{} bytes", text.len());
            assert_eq!(read(&text).expect("ours").message.as_str(), id);
        }
        let long = "x".repeat(ID_BYTES_MAX + 1);
        for names in [
            Names { room: &long, ..NAMES },
            Names {
                thread: &long,
                ..NAMES
            },
            Names {
                message: &long,
                ..NAMES
            },
        ] {
            assert!(encode(&key(), names).is_err());
        }
    }

    #[test]
    fn one_of_another_channel_account_or_installation_is_refused() {
        let text = text();
        assert_eq!(decode(&key(), "sales", "T1", &text), Err(Refusal::Unverified));
        assert_eq!(decode(&key(), "support", "T2", &text), Err(Refusal::Unverified));
        let other = LocatorKey::new([8; 32]);
        assert_eq!(decode(&other, "support", "T1", &text), Err(Refusal::Unverified));
    }

    #[test]
    fn a_changed_or_cut_one_is_refused() {
        let text = text();
        for at in (0..text.len()).filter(|at| text.is_char_boundary(*at)) {
            assert!(read(&text[..at]).is_err(), "cut at {at}");
            let changed = if text[at..].starts_with('1') { "2" } else { "1" };
            let next = text[at..].chars().next().map_or(at, |c| at + c.len_utf8());
            let changed = format!("{}{changed}{}", &text[..at], &text[next..]);
            assert!(read(&changed).is_err(), "{changed}");
        }
        assert_eq!(read(&format!("{text}x")), Err(Refusal::Unverified));
        // The same characters, parted in another way.
        let moved = text.replacen(".4.8.", ".5.7.", 1);
        assert_ne!(moved, text);
        assert_eq!(read(&moved), Err(Refusal::Unverified));
    }

    #[test]
    fn what_is_no_locator_is_told_apart() {
        for text in [
            "",
            "fb1.",
            "fb2.AAAAAAAAAAAAAAAAAAAAAA.1.1.abc",
            r#"{"step":1}"#,
            "fb1.AAAA.1.1.abc",
            "fb1.AAAAAAAAAAAAAAAAAAAAAA.9.1.abc",
            "fb1.AAAAAAAAAAAAAAAAAAAAAA.x.1.abc",
            "fb1.AAAAAAAAAAAAAAAAAAAAAA.1.0.é",
            "\u{0}",
        ] {
            assert_eq!(read(text), Err(Refusal::NotOurs), "{text}");
        }
        let forged = "fb1.AAAAAAAAAAAAAAAAAAAAAA.1.1.abc";
        assert_eq!(read(forged), Err(Refusal::Unverified));
        let long = format!("{forged}{}", "x".repeat(BYTES_MAX));
        assert_eq!(read(&long), Err(Refusal::NotOurs));
    }
}
