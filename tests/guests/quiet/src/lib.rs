//! A piece of the smaller world: it talks and asks no questions.

#[allow(missing_docs, unsafe_code, clippy::all, reason = "generated")]
mod bindings {
    wit_bindgen::generate!({
        path: "../../../wit",
        world: "channel-piece",
        generate_all,
    });
}

use bindings::exports::frogbot::piece::channel::{Connected, Guest, Posted, Profile, Received};
use bindings::frogbot::piece::types::{
    Author, Context, Conversation, Done, Failure, InboundRequest, Settings,
};

struct Quiet;

impl Guest for Quiet {
    fn connect(_: Context, account: String) -> Result<Connected, Failure> {
        Ok(Connected {
            data: "{}".to_owned(),
            summary: account,
            lacks: Vec::new(),
            stale_at: None,
        })
    }

    fn receive(_: Settings, _: InboundRequest) -> Result<Received, String> {
        Err("it hears nothing".to_owned())
    }

    fn identity(_: Context, _: Conversation, author: Author) -> Result<Profile, Failure> {
        Ok(Profile {
            name: Some(author.name),
            email: None,
            roles: Vec::new(),
            external: author.external,
        })
    }

    fn started(_: Context, _: Conversation, _: Option<String>) -> Result<Done, Failure> {
        Ok(Done { reply: None })
    }

    fn split(_: Settings, text: String) -> Vec<String> {
        vec![text]
    }

    fn post(_: Context, _: Conversation, _: String) -> Result<Posted, Failure> {
        Ok(Posted {
            message_id: "M1".to_owned(),
            reply: None,
        })
    }

    fn edit(_: Context, _: Conversation, _: String, _: String) -> Result<Done, Failure> {
        Ok(Done { reply: None })
    }

    fn remove(_: Context, _: Conversation, _: String) -> Result<Done, Failure> {
        Ok(Done { reply: None })
    }
}

#[allow(unsafe_code, clippy::all, reason = "generated")]
mod exported {
    use super::{Quiet, bindings};

    bindings::export!(Quiet with_types_in bindings);
}
