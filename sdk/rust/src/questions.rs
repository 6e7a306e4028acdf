//! The hooks of a channel that shows questions.

use crate::{
    Call, Channel, Context, Conversation, Done, Failure, Interaction, Outcome, Parsed, QuestionChange,
    QuestionRecord, Rendering, Settings, Shared, Unreadable,
};

/// What `parse` is shown: an interaction that may belong to a question.
#[derive(Clone, Debug)]
pub struct Offer {
    /// What every hook is told about its channel.
    pub settings: Settings,
    /// Where it happened.
    pub conversation: Conversation,
    /// The call whose question it may belong to.
    pub call: Call,
    /// What the host remembers of the call.
    pub question: QuestionRecord,
    /// What the participant did.
    pub interaction: Interaction,
    /// Whether the question has an answer already. Classify the same way: the host tells the participant.
    pub settled: bool,
}

/// A channel that shows the agent's questions and takes their answers: the hooks of the specification.
pub trait Questions: Channel {
    /// Pure, optional. Whether questions can be shown here.
    fn supports(settings: &Settings, conversation: &Conversation) -> bool {
        let _ = (settings, conversation);
        true
    }

    /// Acting. Posts the questions of a step. It may cover only some of the calls, of which there is at least one; the host
    /// calls again for the rest when the posted ones are answered.
    fn render(context: &Context, conversation: &Conversation, calls: &[Call]) -> Result<Rendering, Failure>;

    /// Pure. What an interaction means for a question. May be called more than once for the same event.
    ///
    /// # Errors
    ///
    /// [`Unreadable`], when the question's state was written by a version whose state this one does not read: the host
    /// closes the old card and posts the question again.
    fn parse(offer: &Offer) -> Result<Parsed, Unreadable>;

    /// Acting, optional. Shows what `Parsed::Partial` changed. A retry has no interaction, so draw from `shared` alone. The
    /// default changes nothing.
    fn updated(shared: &Shared, interaction: Option<&Interaction>) -> Result<QuestionChange, Failure> {
        let _ = (shared, interaction);
        Ok(QuestionChange::default())
    }

    /// Acting. Replaces the controls on every message of the call by the outcome.
    fn settled(shared: &Shared, outcome: &Outcome) -> Result<QuestionChange, Failure>;

    /// Acting, optional. Tells the participant why nothing was recorded.
    fn rejected(shared: &Shared, interaction: &Interaction, reason: &str) -> Result<Done, Failure> {
        let _ = (shared, interaction, reason);
        Ok(Done::default())
    }

    /// Acting, optional. Tells the participant that they may not answer.
    fn denied(shared: &Shared, interaction: &Interaction) -> Result<Done, Failure> {
        let _ = (shared, interaction);
        Ok(Done::default())
    }

    /// Acting, optional. Tells the participant that this is out of date, and draws the card as it is.
    fn stale(shared: &Shared, interaction: &Interaction) -> Result<Done, Failure> {
        let _ = (shared, interaction);
        Ok(Done::default())
    }
}
