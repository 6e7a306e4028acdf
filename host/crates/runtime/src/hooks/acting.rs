//! The acting hooks. The deadline is taken first, before anything is waited for.

use lifecycle::{MessageId, Millis};
use ports::pieces::{
    Acted, Author, Call, Connected, Context, Conversation, Ending, FaultKind, HookFault, Interaction,
    Profile, QuestionChange, RenderedEntry, Shared,
};

use super::{checked, listed, returned};
use crate::bindings::exports::frogbot::piece::channel::Guest as ChannelHooks;
use crate::bindings::exports::frogbot::piece::channel_questions::{self as guest, Guest as QuestionHooks};
use crate::bindings::frogbot::piece::types;
use crate::convert::from_questions::Redraws;
use crate::convert::{Garbage, from_channel, from_questions, to_guest};
use crate::instance::Running;
use crate::moment::Deadline;
use crate::piece::Channel;
use crate::runtime::Runtime;

/// What a hook returned, or the failure it reported.
fn succeeded<T>(running: &Running, result: Result<T, types::Failure>) -> Result<T, HookFault> {
    result.map_err(|types::Failure { kind, reason }| {
        let kind = match kind {
            types::FailureKind::Retry(after) => FaultKind::Retry(after.map(|after| Millis(u64::from(after)))),
            types::FailureKind::Gone => FaultKind::Gone,
            types::FailureKind::Refused => FaultKind::Refused,
            types::FailureKind::PerhapsSent => FaultKind::PerhapsSent,
            types::FailureKind::StateUnreadable => FaultKind::StateUnreadable,
        };
        running.fault(kind, reason)
    })
}

fn in_context(channel: &Channel, context: &Context) -> types::Context {
    let settings = to_guest::settings(&channel.piece, channel.connections.of(&context.account));
    to_guest::context(settings, context)
}

fn in_shared(channel: &Channel, shared: &Shared<'_>) -> guest::Shared {
    let settings = to_guest::settings(&channel.piece, channel.connections.of(&shared.context.account));
    to_guest::shared(settings, shared)
}

pub(super) async fn connect(
    runtime: &Runtime,
    channel: &Channel,
    context: &Context,
) -> Result<Connected, HookFault> {
    let deadline = Deadline::after(context.limit);
    listed(channel, "connect", |hooks| hooks.connect)?;
    let context_in = in_context(channel, context);
    let (mut running, hooks) = runtime
        .enter_acting::<ChannelHooks>(channel, "connect", &context.account, deadline)
        .await?;
    let call = hooks.call_connect(&mut running.store, &context_in, &context.account);
    let end = returned(deadline.instant(), call).await;
    let result = running.ended(end)?;
    let result = succeeded(&running, result)?;
    checked(&running, from_channel::connected(result))
}

pub(super) async fn identity(
    runtime: &Runtime,
    channel: &Channel,
    context: &Context,
    conversation: &Conversation,
    author: &Author,
) -> Result<Profile, HookFault> {
    let deadline = Deadline::after(context.limit);
    listed(channel, "identity", |hooks| hooks.identity)?;
    let context_in = in_context(channel, context);
    let place = to_guest::conversation(conversation);
    let author = to_guest::author(author);
    let (mut running, hooks) = runtime
        .enter_acting::<ChannelHooks>(channel, "identity", &context.account, deadline)
        .await?;
    let call = hooks.call_identity(&mut running.store, &context_in, &place, &author);
    let end = returned(deadline.instant(), call).await;
    let result = running.ended(end)?;
    let result = succeeded(&running, result)?;
    checked(&running, from_channel::profile(result))
}

pub(super) async fn started(
    runtime: &Runtime,
    channel: &Channel,
    context: &Context,
    conversation: &Conversation,
    message: Option<&MessageId>,
) -> Result<Acted<()>, HookFault> {
    let deadline = Deadline::after(context.limit);
    listed(channel, "started", |hooks| hooks.started)?;
    let context_in = in_context(channel, context);
    let place = to_guest::conversation(conversation);
    let message = message.map(MessageId::as_str);
    let (mut running, hooks) = runtime
        .enter_acting::<ChannelHooks>(channel, "started", &context.account, deadline)
        .await?;
    let call = hooks.call_started(&mut running.store, &context_in, &place, message);
    let end = returned(deadline.instant(), call).await;
    let result = running.ended(end)?;
    let result = succeeded(&running, result)?;
    checked(&running, from_channel::done(result))
}

pub(super) async fn post(
    runtime: &Runtime,
    channel: &Channel,
    context: &Context,
    conversation: &Conversation,
    part: &str,
) -> Result<Acted<MessageId>, HookFault> {
    let deadline = Deadline::after(context.limit);
    let context_in = in_context(channel, context);
    let place = to_guest::conversation(conversation);
    let (mut running, hooks) = runtime
        .enter_acting::<ChannelHooks>(channel, "post", &context.account, deadline)
        .await?;
    let call = hooks.call_post(&mut running.store, &context_in, &place, part);
    let end = returned(deadline.instant(), call).await;
    let result = running.ended(end)?;
    let result = succeeded(&running, result)?;
    checked(&running, from_channel::posted(result))
}

pub(super) async fn edit(
    runtime: &Runtime,
    channel: &Channel,
    context: &Context,
    conversation: &Conversation,
    message: &MessageId,
    part: &str,
) -> Result<Acted<()>, HookFault> {
    let deadline = Deadline::after(context.limit);
    listed(channel, "edit", |hooks| hooks.edit)?;
    let context_in = in_context(channel, context);
    let place = to_guest::conversation(conversation);
    let (mut running, hooks) = runtime
        .enter_acting::<ChannelHooks>(channel, "edit", &context.account, deadline)
        .await?;
    let call = hooks.call_edit(&mut running.store, &context_in, &place, message.as_str(), part);
    let end = returned(deadline.instant(), call).await;
    let result = running.ended(end)?;
    let result = succeeded(&running, result)?;
    checked(&running, from_channel::done(result))
}

pub(super) async fn remove(
    runtime: &Runtime,
    channel: &Channel,
    context: &Context,
    conversation: &Conversation,
    message: &MessageId,
) -> Result<Acted<()>, HookFault> {
    let deadline = Deadline::after(context.limit);
    listed(channel, "remove", |hooks| hooks.remove)?;
    let context_in = in_context(channel, context);
    let place = to_guest::conversation(conversation);
    let (mut running, hooks) = runtime
        .enter_acting::<ChannelHooks>(channel, "remove", &context.account, deadline)
        .await?;
    let call = hooks.call_remove(&mut running.store, &context_in, &place, message.as_str());
    let end = returned(deadline.instant(), call).await;
    let result = running.ended(end)?;
    let result = succeeded(&running, result)?;
    checked(&running, from_channel::done(result))
}

pub(super) async fn render(
    runtime: &Runtime,
    channel: &Channel,
    context: &Context,
    conversation: &Conversation,
    calls: &[Call<'_>],
) -> Result<Acted<Vec<RenderedEntry>>, HookFault> {
    let deadline = Deadline::after(context.limit);
    let context_in = in_context(channel, context);
    let place = to_guest::conversation(conversation);
    let calls_in: Vec<_> = calls.iter().map(|call| to_guest::call(*call)).collect();
    let (mut running, hooks) = runtime
        .enter_acting::<QuestionHooks>(channel, "render", &context.account, deadline)
        .await?;
    let call = hooks.call_render(&mut running.store, &context_in, &place, &calls_in);
    let end = returned(deadline.instant(), call).await;
    let result = running.ended(end)?;
    let result = succeeded(&running, result)?;
    checked(
        &running,
        from_questions::rendering(result, calls, &channel.piece.info.version),
    )
}

pub(super) async fn updated(
    runtime: &Runtime,
    channel: &Channel,
    shared: &Shared<'_>,
    interaction: Option<&Interaction>,
) -> Result<Acted<QuestionChange>, HookFault> {
    let deadline = Deadline::after(shared.context.limit);
    listed(channel, "updated", |hooks| hooks.updated)?;
    let shared_in = in_shared(channel, shared);
    let interaction = interaction.map(to_guest::interaction);
    let (mut running, hooks) = runtime
        .enter_acting::<QuestionHooks>(channel, "updated", &shared.context.account, deadline)
        .await?;
    let call = hooks.call_updated(&mut running.store, &shared_in, interaction.as_ref());
    let end = returned(deadline.instant(), call).await;
    let result = running.ended(end)?;
    let result = succeeded(&running, result)?;
    checked(&running, changed(channel, shared, result, Redraws::Allowed))
}

pub(super) async fn settled(
    runtime: &Runtime,
    channel: &Channel,
    shared: &Shared<'_>,
    ending: Ending<'_>,
) -> Result<Acted<QuestionChange>, HookFault> {
    let deadline = Deadline::after(shared.context.limit);
    let shared_in = in_shared(channel, shared);
    let outcome = to_guest::outcome(ending);
    let (mut running, hooks) = runtime
        .enter_acting::<QuestionHooks>(channel, "settled", &shared.context.account, deadline)
        .await?;
    let call = hooks.call_settled(&mut running.store, &shared_in, &outcome);
    let end = returned(deadline.instant(), call).await;
    let result = running.ended(end)?;
    let result = succeeded(&running, result)?;
    checked(&running, changed(channel, shared, result, Redraws::Never))
}

pub(super) async fn rejected(
    runtime: &Runtime,
    channel: &Channel,
    shared: &Shared<'_>,
    interaction: &Interaction,
    reason: &str,
) -> Result<Acted<()>, HookFault> {
    let deadline = Deadline::after(shared.context.limit);
    listed(channel, "rejected", |hooks| hooks.rejected)?;
    let shared_in = in_shared(channel, shared);
    let interaction = to_guest::interaction(interaction);
    let (mut running, hooks) = runtime
        .enter_acting::<QuestionHooks>(channel, "rejected", &shared.context.account, deadline)
        .await?;
    let call = hooks.call_rejected(&mut running.store, &shared_in, &interaction, reason);
    let end = returned(deadline.instant(), call).await;
    let result = running.ended(end)?;
    let result = succeeded(&running, result)?;
    checked(&running, from_channel::done(result))
}

pub(super) async fn denied(
    runtime: &Runtime,
    channel: &Channel,
    shared: &Shared<'_>,
    interaction: &Interaction,
) -> Result<Acted<()>, HookFault> {
    let deadline = Deadline::after(shared.context.limit);
    listed(channel, "denied", |hooks| hooks.denied)?;
    let shared_in = in_shared(channel, shared);
    let interaction = to_guest::interaction(interaction);
    let (mut running, hooks) = runtime
        .enter_acting::<QuestionHooks>(channel, "denied", &shared.context.account, deadline)
        .await?;
    let call = hooks.call_denied(&mut running.store, &shared_in, &interaction);
    let end = returned(deadline.instant(), call).await;
    let result = running.ended(end)?;
    let result = succeeded(&running, result)?;
    checked(&running, from_channel::done(result))
}

pub(super) async fn stale(
    runtime: &Runtime,
    channel: &Channel,
    shared: &Shared<'_>,
    interaction: &Interaction,
) -> Result<Acted<()>, HookFault> {
    let deadline = Deadline::after(shared.context.limit);
    listed(channel, "stale", |hooks| hooks.stale)?;
    let shared_in = in_shared(channel, shared);
    let interaction = to_guest::interaction(interaction);
    let (mut running, hooks) = runtime
        .enter_acting::<QuestionHooks>(channel, "stale", &shared.context.account, deadline)
        .await?;
    let call = hooks.call_stale(&mut running.store, &shared_in, &interaction);
    let end = returned(deadline.instant(), call).await;
    let result = running.ended(end)?;
    let result = succeeded(&running, result)?;
    checked(&running, from_channel::done(result))
}

fn changed(
    channel: &Channel,
    shared: &Shared<'_>,
    change: guest::QuestionChange,
    redraws: Redraws,
) -> Result<Acted<QuestionChange>, Garbage> {
    from_questions::change(change, shared.call.input, &channel.piece.info.version, redraws)
}
