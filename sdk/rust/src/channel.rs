//! The hooks of a channel.

use crate::{
    Author, Connected, Context, Conversation, Done, Failure, InboundRequest, Posted, Profile, Received,
    Settings, split,
};

/// A channel: how a platform's messages come in and how text goes out.
///
/// Hooks are *pure* (no requests; the clock stands still) or *acting*. An optional hook counts only when the manifest
/// lists it under `hooks`: the host does not call one that is not there.
pub trait Channel {
    /// The most characters (Unicode scalar values) of one posted part; what the default of [`split`](Self::split) keeps to.
    /// Keep it above 1,400: a reply has at most 64 KiB and a hundred parts.
    const PART_CHARS_MAX: usize = 4_000;

    /// Acting, optional. What the piece must know about itself, such as its bot's id; called when the channel starts and
    /// again when it goes stale. Later hooks find it with [`Settings::read_connection`].
    fn connect(context: &Context, account: &str) -> Result<Connected, Failure> {
        let _ = (context, account);
        Ok(Connected {
            data: "null".to_owned(),
            summary: String::new(),
            lacks: Vec::new(),
            stale_at: None,
        })
    }

    /// Pure. Reads a verified request.
    ///
    /// # Errors
    ///
    /// A line for the operator, without anything of the payload. The platform gets `400`.
    fn receive(settings: &Settings, request: &InboundRequest) -> Result<Received, String>;

    /// Acting, optional. Who an author is; the host remembers it for ten minutes. The default knows what the event told.
    fn identity(context: &Context, conversation: &Conversation, author: &Author) -> Result<Profile, Failure> {
        let _ = (context, conversation);
        Ok(Profile {
            name: None,
            email: None,
            roles: Vec::new(),
            external: author.external,
        })
    }

    /// Acting, optional. The agent has begun to work on a message: a typing indicator, a reaction. Never retried.
    fn started(
        context: &Context,
        conversation: &Conversation,
        message_id: Option<&str>,
    ) -> Result<Done, Failure> {
        let _ = (context, conversation, message_id);
        Ok(Done::default())
    }

    /// Pure. The agent's Markdown as the parts to post, each not empty, at most [`split::PARTS_MAX`]. The default cuts
    /// between paragraphs, else between lines, else between words.
    fn split(settings: &Settings, text: &str) -> Vec<String> {
        let _ = settings;
        split::by_paragraphs(text, Self::PART_CHARS_MAX)
    }

    /// Acting. Posts one part.
    fn post(context: &Context, conversation: &Conversation, part: &str) -> Result<Posted, Failure>;

    /// Acting, optional. Replaces a posted part.
    fn edit(
        context: &Context,
        conversation: &Conversation,
        message_id: &str,
        part: &str,
    ) -> Result<Done, Failure> {
        let _ = (context, conversation, message_id, part);
        Ok(Done::default())
    }

    /// Acting, optional. Takes a posted part away.
    fn remove(context: &Context, conversation: &Conversation, message_id: &str) -> Result<Done, Failure> {
        let _ = (context, conversation, message_id);
        Ok(Done::default())
    }
}
