//! Write a FrogBot piece in Rust.
//!
//! A *piece* puts an agent into the channels of one platform. It is a WebAssembly component that the host loads, calls and
//! throws away: every call gets a fresh instance, so a piece keeps nothing and finds all it needs in the arguments. The
//! host keeps the record, checks who answers, retries what fails and survives crashes; a piece reads payloads and draws
//! controls.
//!
//! Implement [`Channel`] (how messages come in and text goes out) and, for a channel that shows the agent's questions,
//! [`Questions`]; then export the type:
//!
//! ```
//! use frogbot_piece::{
//!     Channel, Context, Conversation, Failure, InboundRequest, Posted, Received, Settings, http::Request,
//! };
//!
//! struct Echo;
//!
//! impl Channel for Echo {
//!     fn receive(_: &Settings, _: &InboundRequest) -> Result<Received, String> {
//!         Ok(Received::nothing())
//!     }
//!
//!     fn post(context: &Context, conversation: &Conversation, part: &str) -> Result<Posted, Failure> {
//!         let body = serde_json::json!({ "text": part, "client_id": context.idempotency_hex() });
//!         let path = format!("/threads/{}/posts", frogbot_piece::http::segment(&conversation.thread));
//!         let response = Request::post("forum", path).json(&body)?.send()?.accepted()?;
//!         Ok(Posted { message_id: response.json()?, reply: None })
//!     }
//! }
//!
//! frogbot_piece::export_channel!(Echo);
//! ```
//!
//! `pieces/forum` is the example to read: one message per question, answered by a reply or a button, in about as many lines
//! as the specification needs for it. What a piece may reach, which secrets it needs and how its platform signs requests
//! stand in its `piece.toml`; `frogbot piece build` makes the one file that an operator installs.
//!
//! # Errors
//!
//! Acting hooks return [`Failure`], whose kind tells the host whether to try again. `?` turns an [`http::Error`], a
//! response that was not [accepted](http::Response::accepted) and a [state that cannot be read](Unreadable) into the
//! failure that fits.
//!
//! # Tests
//!
//! A piece is an ordinary library in a native build: the host's functions are then those of the fake in `testing`, which
//! answers requests by a closure and remembers them.

#[doc(hidden)]
#[allow(
    missing_docs,
    unreachable_pub,
    unsafe_code,
    clippy::all,
    clippy::as_conversions,
    clippy::panic,
    clippy::too_many_lines,
    clippy::unwrap_used,
    reason = "generated from wit/, whose comments are its documentation"
)]
pub mod bindings;
mod channel;
pub mod clock;
mod exported;
mod failure;
mod host;
pub mod http;
pub mod log;
mod nouns;
mod questions;
pub mod random;
mod read;
pub mod split;
#[cfg(not(target_arch = "wasm32"))]
pub mod testing;

// The generated code names this crate by its own name.
extern crate self as frogbot_piece;

pub use bindings::questions::exports::frogbot::piece::channel::{
    Addressing, Connected, Event, Happening, Place, Posted, Profile, Received,
};
pub use bindings::questions::exports::frogbot::piece::channel_questions::{
    Parsed, QuestionChange, Rendered, Rendering, Shared,
};
pub use bindings::questions::frogbot::piece::types::{
    ActionEvent, Actor, Answer, Author, AuthorKind, Call, Choice, Connection, Context, Conversation, Done,
    Failure, FailureKind, HttpReply, InboundRequest, Interaction, Message, ModalEvent, Outcome, Question,
    QuestionInput, QuestionMessage, QuestionOutput, QuestionRecord, Settings, Timestamp,
};
pub use channel::Channel;
#[doc(hidden)]
pub use exported::Exported;
pub use questions::{Offer, Questions};
pub use read::{Unreadable, write_json};
#[doc(hidden)]
pub use wit_bindgen;

/// Text for the metadata of a form, by which the host finds the form's question: at most 1,024 bytes. The submission must
/// bring it back as its `private_metadata`, unchanged. An acting hook gets one for its own account alone.
pub fn modal_locator(conversation: &Conversation, message_id: &str) -> String {
    host::modal_locator(conversation, message_id)
}

/// Exports a type that implements [`Channel`] and [`Questions`] as the piece of this crate. In a native build, where there
/// is nothing to export, it only checks the type.
#[macro_export]
macro_rules! export {
    ($piece:ty) => {
        #[allow(unsafe_code, reason = "the exports of a component have fixed symbol names")]
        const _: () = {
            #[allow(dead_code, reason = "a native build exports nothing")]
            type Exported = $crate::Exported<$piece>;
            const _: fn() = || {
                fn is_a_piece<P: $crate::Questions>() {}
                is_a_piece::<$piece>();
            };
            #[cfg(target_arch = "wasm32")]
            $crate::bindings::questions::export_questions_world!(Exported with_types_in $crate::bindings::questions);
        };
    };
}

/// Exports a type that implements [`Channel`] only: the question tool is not offered in its channels. In a native build it
/// only checks the type.
#[macro_export]
macro_rules! export_channel {
    ($piece:ty) => {
        #[allow(unsafe_code, reason = "the exports of a component have fixed symbol names")]
        const _: () = {
            #[allow(dead_code, reason = "a native build exports nothing")]
            type Exported = $crate::Exported<$piece>;
            const _: fn() = || {
                fn is_a_channel<P: $crate::Channel>() {}
                is_a_channel::<$piece>();
            };
            #[cfg(target_arch = "wasm32")]
            $crate::bindings::questions::exports::frogbot::piece::channel::__export_frogbot_piece_channel_0_1_0_cabi!(
                Exported with_types_in $crate::bindings::questions::exports::frogbot::piece::channel
            );
        };
    };
}
