//! A piece that misbehaves on request, to see every guard of the runtime refuse.
//!
//! What it shall do is in the text of the call, and what came of it in the result: `split` for pure hooks (the parts are
//! the answer), `identity` for acting ones (the author's id asks, the profile's name answers), the header of the first
//! question for `render`, `updated` and `settled`, and the text of the message for `parse`.

mod acting;
mod memory;
mod pure;
mod questions;

#[allow(missing_docs, unsafe_code, clippy::all, reason = "generated")]
mod bindings {
    wit_bindgen::generate!({
        path: "../../../wit",
        world: "channel-questions-piece",
        generate_all,
    });
}

use bindings::exports::frogbot::piece::channel::{self, Connected, Posted, Profile, Received};
use bindings::frogbot::piece::types::{
    Author, Context, Conversation, Done, Failure, FailureKind, HttpReply, InboundRequest, Settings,
};

struct Hostile;

fn failed(kind: FailureKind, reason: &str) -> Failure {
    Failure {
        kind,
        reason: reason.to_owned(),
    }
}

fn empty_reply(status: u16) -> HttpReply {
    HttpReply {
        status,
        headers: Vec::new(),
        body: Vec::new(),
    }
}

impl channel::Guest for Hostile {
    /// An account `lacks 3x7` has not granted 3 things, each told in 7 bytes.
    fn connect(context: Context, account: String) -> Result<Connected, Failure> {
        let lacks = account
            .strip_prefix("lacks ")
            .and_then(|size| size.split_once('x'));
        let number = |text: &str| text.parse().unwrap_or(0);
        Ok(Connected {
            data: format!("{{\"account\":{account:?},\"attempt\":{}}}", context.attempt),
            summary: format!("hostile in {account}"),
            lacks: lacks
                .map(|(lines, bytes)| vec!["x".repeat(number(bytes)); number(lines)])
                .unwrap_or_default(),
            stale_at: None,
        })
    }

    fn receive(settings: Settings, request: InboundRequest) -> Result<Received, String> {
        pure::receive(&settings, &request)
    }

    fn identity(context: Context, _: Conversation, author: Author) -> Result<Profile, Failure> {
        acting::identity(&context, &author.id).map(|name| Profile {
            name: Some(name),
            email: None,
            roles: Vec::new(),
            external: false,
        })
    }

    fn started(_: Context, _: Conversation, _: Option<String>) -> Result<Done, Failure> {
        Ok(Done { reply: None })
    }

    fn split(settings: Settings, text: String) -> Vec<String> {
        pure::split(&settings, &text)
    }

    fn post(_: Context, _: Conversation, part: String) -> Result<Posted, Failure> {
        Ok(Posted {
            message_id: part,
            reply: Some(empty_reply(200)),
        })
    }

    fn edit(_: Context, _: Conversation, message: String, part: String) -> Result<Done, Failure> {
        Err(acting::failure(&part, &message))
    }

    fn remove(_: Context, _: Conversation, _: String) -> Result<Done, Failure> {
        Ok(Done {
            reply: Some(empty_reply(99)),
        })
    }
}

#[allow(unsafe_code, clippy::all, reason = "generated")]
mod exported {
    use super::{Hostile, bindings};

    bindings::export!(Hostile with_types_in bindings);
}
