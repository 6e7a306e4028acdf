//! The pure hooks: `receive`, `supports`, `parse`, `split`. What names the call seeds its random bytes.

use ports::pieces::{
    Call, Conversation, HookFault, InboundRequest, Interaction, ParseResult, Received, Record,
};

use super::{checked, listed, returned};
use crate::bindings::exports::frogbot::piece::{channel as channel_hooks, channel_questions};
use crate::capabilities::Seeded;
use crate::convert::{from_channel, from_questions, to_guest};
use crate::limits::REASON_BYTES_MAX;
use crate::piece::Channel;
use crate::runtime::Runtime;

pub(crate) async fn receive(
    runtime: &Runtime,
    channel: &Channel,
    request: InboundRequest,
) -> Result<Result<Received, String>, HookFault> {
    let seed = Seeded::by([b"receive", request.path.as_bytes(), request.body.as_ref()]);
    let settings = to_guest::settings(&channel.piece, channel.connections.all());
    let request = to_guest::request(request);
    let (mut running, hooks) = runtime
        .enter_pure::<channel_hooks::Guest>(channel, "receive", seed)
        .await?;
    let deadline = running.deadline();
    let end = returned(
        deadline,
        hooks.call_receive(&mut running.store, &settings, &request),
    )
    .await;
    match running.ended(end)? {
        Ok(received) => checked(&running, from_channel::received(received)).map(Ok),
        Err(line) => Ok(Err(running.store.data().line(&line, REASON_BYTES_MAX))),
    }
}

pub(super) async fn supports(
    runtime: &Runtime,
    channel: &Channel,
    conversation: &Conversation,
) -> Result<bool, HookFault> {
    listed(channel, "supports", |hooks| hooks.supports)?;
    let seed = Seeded::by([b"supports".as_slice()].into_iter().chain(names(conversation)));
    let settings = to_guest::settings(&channel.piece, channel.connections.of(&conversation.account));
    let conversation = to_guest::conversation(conversation);
    let (mut running, hooks) = runtime
        .enter_pure::<channel_questions::Guest>(channel, "supports", seed)
        .await?;
    let deadline = running.deadline();
    let end = returned(
        deadline,
        hooks.call_supports(&mut running.store, &settings, &conversation),
    )
    .await;
    running.ended(end)
}

pub(super) async fn parse(
    runtime: &Runtime,
    channel: &Channel,
    conversation: &Conversation,
    call: Call<'_>,
    record: Record<'_>,
    interaction: &Interaction,
    settled: bool,
) -> Result<ParseResult, HookFault> {
    let seed = Seeded::by(
        [
            b"parse".as_slice(),
            call.id.as_str().as_bytes(),
            &record.revision.to_be_bytes(),
            raw(interaction),
        ]
        .into_iter()
        .chain(names(conversation)),
    );
    let settings = to_guest::settings(&channel.piece, channel.connections.of(&conversation.account));
    let conversation = to_guest::conversation(conversation);
    let call = to_guest::call(call);
    let record = to_guest::record(record);
    let interaction = to_guest::interaction(interaction);
    let (mut running, hooks) = runtime
        .enter_pure::<channel_questions::Guest>(channel, "parse", seed)
        .await?;
    let deadline = running.deadline();
    let parsed = hooks.call_parse(
        &mut running.store,
        &settings,
        &conversation,
        &call,
        &record,
        &interaction,
        settled,
    );
    let end = returned(deadline, parsed).await;
    let parsed = running.ended(end)?;
    checked(
        &running,
        from_questions::parsed(parsed, &channel.piece.info.version),
    )
}

pub(crate) async fn split(
    runtime: &Runtime,
    channel: &Channel,
    account: &str,
    text: &str,
) -> Result<Vec<String>, HookFault> {
    let seed = Seeded::by([b"split", text.as_bytes()]);
    let settings = to_guest::settings(&channel.piece, channel.connections.of(account));
    let (mut running, hooks) = runtime
        .enter_pure::<channel_hooks::Guest>(channel, "split", seed)
        .await?;
    let deadline = running.deadline();
    let end = returned(deadline, hooks.call_split(&mut running.store, &settings, text)).await;
    let parts = running.ended(end)?;
    checked(&running, from_channel::parts(parts))
}

fn names(conversation: &Conversation) -> [&[u8]; 3] {
    [
        conversation.account.as_bytes(),
        conversation.room.as_bytes(),
        conversation.thread.as_bytes(),
    ]
}

fn raw(interaction: &Interaction) -> &[u8] {
    match interaction {
        Interaction::Action(action) => action.raw.as_bytes(),
        Interaction::ModalSubmit(submit) => submit.raw.as_bytes(),
        Interaction::Message(message) => message.raw.as_bytes(),
    }
}
