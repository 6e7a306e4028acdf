//! The hooks of the loaded pieces, typed as in `wit/`; see there for units and limits. An implementation has checked
//! every size and index the contract names before a value gets here.

mod events;

use std::future::Future;
use std::time::Duration;

use lifecycle::question::{Message as QuestionMessage, Parsed, PieceState};
use lifecycle::tool::{Input, Output};
use lifecycle::turn::Rendered;
use lifecycle::{Actor, CallId, MessageId, Millis, Timestamp};

pub use events::{
    Action, Addressing, Author, AuthorKind, Conversation, Event, HttpReply, InboundRequest, Interaction,
    Message, ModalSubmit, Place, Received,
};

/// What `connect` returned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Connected {
    /// JSON text for later hooks.
    pub data: String,
    /// One line for the operator.
    pub summary: String,
    /// What the account has not granted, one line each for the operator.
    pub lacks: Vec<String>,
    /// When to call it again.
    pub stale_at: Option<Timestamp>,
}

/// Who an author is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Profile {
    /// A name to show; none keeps the event's.
    pub name: Option<String>,
    /// A verified e-mail address.
    pub email: Option<String>,
    /// Roles on the platform.
    pub roles: Vec<String>,
    /// Whether they belong to another tenant.
    pub external: bool,
}

/// One question call, for a hook.
#[derive(Clone, Copy, Debug)]
pub struct Call<'a> {
    /// Our id.
    pub id: &'a CallId,
    /// What is asked.
    pub input: &'a Input,
}

/// The record of a call, for a hook.
#[derive(Clone, Copy, Debug)]
pub struct Record<'a> {
    /// Oldest first, never empty.
    pub messages: &'a [QuestionMessage],
    /// How many partial answers.
    pub revision: u64,
    /// What the piece stored.
    pub state: Option<&'a PieceState>,
}

/// What every acting hook is told about its attempt.
#[derive(Clone, Debug)]
pub struct Context {
    /// The account whose connection and credential it uses.
    pub account: String,
    /// 1 for the first.
    pub attempt: u32,
    /// Names what is owed.
    pub idempotency_key: [u8; 16],
    /// How long the hook may take; ends before the attempt's deadline. The implementation turns it into an instant of
    /// its own monotonic clock at once, and sends nothing after it.
    pub limit: Duration,
    /// How long a synchronous reply can still be given; none when the request is gone.
    pub reply_within: Option<Duration>,
}

/// What `updated`, `settled` and the notices share.
#[derive(Clone, Debug)]
pub struct Shared<'a> {
    /// The attempt.
    pub context: Context,
    /// Where.
    pub conversation: &'a Conversation,
    /// The call.
    pub call: Call<'a>,
    /// Its record.
    pub record: Record<'a>,
    /// Who did it, when known.
    pub actor: Option<&'a Actor>,
}

/// How a question ended, for `settled`.
#[derive(Clone, Copy, Debug)]
pub enum Ending<'a> {
    /// Answered.
    Output(&'a Output),
    /// Dismissed, or cancelled with the step.
    Dismissed,
}

/// A result and the synchronous reply that came with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Acted<T> {
    /// The result.
    pub value: T,
    /// For the request that brought the interaction, when it is still open.
    pub reply: Option<HttpReply>,
}

/// A message that `render`, `updated` or `settled` returned: `posted_at` is none where the platform does not tell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PostedMessage {
    /// The platform's id.
    pub id: MessageId,
    /// When the platform posted it.
    pub posted_at: Option<Timestamp>,
    /// Index into the input's questions.
    pub question: Option<u32>,
}

impl PostedMessage {
    /// The message as the record keeps it.
    pub fn saved_at(self, now: Timestamp) -> QuestionMessage {
        QuestionMessage {
            id: self.id,
            posted_at: self.posted_at.unwrap_or(now),
            question: self.question,
        }
    }
}

/// One entry of what `render` returned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RenderedEntry {
    /// The calls it covers.
    pub calls: Vec<CallId>,
    /// What was posted.
    pub messages: Vec<PostedMessage>,
    /// What the piece stored.
    pub state: Option<PieceState>,
}

impl RenderedEntry {
    /// The entry as the turn takes it.
    pub fn saved_at(self, now: Timestamp) -> Rendered {
        let messages = self
            .messages
            .into_iter()
            .map(|message| message.saved_at(now))
            .collect();
        Rendered {
            calls: self.calls,
            messages,
            state: self.state,
        }
    }
}

/// What `updated` or `settled` asks to save.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct QuestionChange {
    /// Replaces the whole list.
    pub messages: Option<Vec<PostedMessage>>,
    /// Replaces the state.
    pub state: Option<PieceState>,
    /// Draw again after this long.
    pub redraw_after: Option<Millis>,
}

/// What `parse` said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ParseResult {
    /// One of the specification's results.
    Parsed(Parsed),
    /// The state was written by another version and cannot be read.
    StateUnreadable,
}

/// Who has to act on a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Blame {
    /// The piece's author: a trap, a time-out in its own code, garbage.
    Piece,
    /// The operator of this host.
    Host,
    /// The platform.
    Remote,
}

/// Why a hook did not return.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultKind {
    /// The guest trapped.
    Trap,
    /// It used up its time.
    TimedOut,
    /// It used up its memory or another limit.
    Exhausted,
    /// What it returned breaks the contract.
    Garbage,
    /// Acting: the platform failed; try again, not before this long.
    Retry(Option<Millis>),
    /// Acting: message, room or account is gone.
    Gone,
    /// Acting: the platform refuses.
    Refused,
    /// Acting: perhaps done.
    PerhapsSent,
    /// Acting: the state cannot be read.
    StateUnreadable,
    /// The channel has no running piece, or the piece lacks the hook.
    NotLoaded,
    /// The host has no room for another call now.
    Busy,
}

/// A hook call that failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{hook}: {reason}")]
pub struct HookFault {
    /// The hook's name.
    pub hook: &'static str,
    /// What happened.
    pub kind: FaultKind,
    /// For the operator: no payload, no secret, at most 1 KiB.
    pub reason: String,
}

impl HookFault {
    /// Who has to act.
    pub fn blame(&self) -> Blame {
        match self.kind {
            FaultKind::Trap | FaultKind::TimedOut | FaultKind::Exhausted | FaultKind::Garbage => Blame::Piece,
            FaultKind::StateUnreadable => Blame::Piece,
            FaultKind::Retry(_) | FaultKind::Gone | FaultKind::Refused | FaultKind::PerhapsSent => {
                Blame::Remote
            }
            FaultKind::NotLoaded | FaultKind::Busy => Blame::Host,
        }
    }
}

/// What the engine has to know about a channel's piece.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChannelInfo {
    /// The piece's name.
    pub piece: String,
    /// The piece's version; written beside every state.
    pub version: String,
    /// Whether it exports `channel-questions`.
    pub questions: bool,
    /// Which optional hooks it has.
    pub hooks: OptionalHooks,
    /// Whether everybody in the conversation sees its notices.
    pub notices_public: bool,
}

/// The optional hooks that a manifest lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct OptionalHooks {
    /// `connect`.
    pub connect: bool,
    /// `identity`.
    pub identity: bool,
    /// `started`.
    pub started: bool,
    /// `edit`.
    pub edit: bool,
    /// `remove`.
    pub remove: bool,
    /// `supports`.
    pub supports: bool,
    /// `updated`.
    pub updated: bool,
    /// `rejected`.
    pub rejected: bool,
    /// `denied`.
    pub denied: bool,
    /// `stale`.
    pub stale: bool,
}

/// A form's locator, decoded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Locator {
    /// Where the question is.
    pub conversation: Conversation,
    /// Its message.
    pub message: MessageId,
}

/// The loaded pieces, by the configured name of their channel. Every method fails with [`FaultKind::NotLoaded`] when the
/// channel has no running piece.
pub trait Pieces: Send + Sync + 'static {
    /// What runs behind a channel; none when nothing does.
    fn info(&self, channel: &str) -> Option<ChannelInfo>;

    /// Decodes what `modal-locator.encode` made for this channel and account; none for every other text, be it forged, cut
    /// or made for another channel or account.
    fn locate(&self, channel: &str, account: &str, private_metadata: &str) -> Option<Locator>;

    /// Remembers what `connect` returned, for the hooks of that account.
    fn connected(&self, channel: &str, account: &str, data: &str);

    /// Pure. The inner error is the piece's word that it cannot read the request.
    fn receive(
        &self,
        channel: &str,
        request: InboundRequest,
    ) -> impl Future<Output = Result<Result<Received, String>, HookFault>> + Send;

    /// Pure.
    fn supports(
        &self,
        channel: &str,
        conversation: &Conversation,
    ) -> impl Future<Output = Result<bool, HookFault>> + Send;

    /// Pure.
    fn parse(
        &self,
        channel: &str,
        conversation: &Conversation,
        call: Call<'_>,
        record: Record<'_>,
        interaction: &Interaction,
        settled: bool,
    ) -> impl Future<Output = Result<ParseResult, HookFault>> + Send;

    /// Pure.
    fn split(
        &self,
        channel: &str,
        account: &str,
        text: &str,
    ) -> impl Future<Output = Result<Vec<String>, HookFault>> + Send;

    /// Acting.
    fn connect(
        &self,
        channel: &str,
        context: Context,
    ) -> impl Future<Output = Result<Connected, HookFault>> + Send;

    /// Acting.
    fn identity(
        &self,
        channel: &str,
        context: Context,
        conversation: &Conversation,
        author: &Author,
    ) -> impl Future<Output = Result<Profile, HookFault>> + Send;

    /// Acting.
    fn started(
        &self,
        channel: &str,
        context: Context,
        conversation: &Conversation,
        message: Option<&MessageId>,
    ) -> impl Future<Output = Result<Acted<()>, HookFault>> + Send;

    /// Acting. Returns the posted message.
    fn post(
        &self,
        channel: &str,
        context: Context,
        conversation: &Conversation,
        part: &str,
    ) -> impl Future<Output = Result<Acted<MessageId>, HookFault>> + Send;

    /// Acting.
    fn edit(
        &self,
        channel: &str,
        context: Context,
        conversation: &Conversation,
        message: &MessageId,
        part: &str,
    ) -> impl Future<Output = Result<Acted<()>, HookFault>> + Send;

    /// Acting.
    fn remove(
        &self,
        channel: &str,
        context: Context,
        conversation: &Conversation,
        message: &MessageId,
    ) -> impl Future<Output = Result<Acted<()>, HookFault>> + Send;

    /// Acting.
    fn render(
        &self,
        channel: &str,
        context: Context,
        conversation: &Conversation,
        calls: &[Call<'_>],
    ) -> impl Future<Output = Result<Acted<Vec<RenderedEntry>>, HookFault>> + Send;

    /// Acting.
    fn updated(
        &self,
        channel: &str,
        shared: Shared<'_>,
        interaction: Option<&Interaction>,
    ) -> impl Future<Output = Result<Acted<QuestionChange>, HookFault>> + Send;

    /// Acting.
    fn settled(
        &self,
        channel: &str,
        shared: Shared<'_>,
        ending: Ending<'_>,
    ) -> impl Future<Output = Result<Acted<QuestionChange>, HookFault>> + Send;

    /// Acting.
    fn rejected(
        &self,
        channel: &str,
        shared: Shared<'_>,
        interaction: &Interaction,
        reason: &str,
    ) -> impl Future<Output = Result<Acted<()>, HookFault>> + Send;

    /// Acting.
    fn denied(
        &self,
        channel: &str,
        shared: Shared<'_>,
        interaction: &Interaction,
    ) -> impl Future<Output = Result<Acted<()>, HookFault>> + Send;

    /// Acting.
    fn stale(
        &self,
        channel: &str,
        shared: Shared<'_>,
        interaction: &Interaction,
    ) -> impl Future<Output = Result<Acted<()>, HookFault>> + Send;
}
