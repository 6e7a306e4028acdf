//! `ports::Pieces`: each hook is entered, called once in a fresh instance, and its result checked.

mod acting;
pub(crate) mod pure;

use std::future::Future;

use lifecycle::MessageId;
use ports::pieces::{
    Acted, Author, Call, ChannelInfo, Connected, Context, Conversation, Ending, HookFault, InboundRequest,
    Interaction, Locator, OptionalHooks, ParseResult, Profile, QuestionChange, Received, Record,
    RenderedEntry, Shared,
};
use ports::{Pieces, pieces::FaultKind};

use crate::convert::Garbage;
use crate::guard::{Guard, stands};
use crate::instance::Running;
use crate::piece::Channel;
use crate::runtime::Runtime;

/// Waits for a hook within its deadline and says what its end means.
async fn returned<T>(
    deadline: tokio::time::Instant,
    call: impl Future<Output = wasmtime::Result<T>> + Send,
) -> Result<wasmtime::Result<T>, tokio::time::error::Elapsed> {
    if !stands(Guard::WallClock) {
        return Ok(call.await);
    }
    tokio::time::timeout_at(deadline, call).await
}

/// What was returned, or the piece's fault.
fn checked<T>(running: &Running, converted: Result<T, Garbage>) -> Result<T, HookFault> {
    converted.map_err(|Garbage(what)| running.fault(FaultKind::Garbage, what))
}

/// Refuses an optional hook that the manifest does not list.
fn listed(
    channel: &Channel,
    hook: &'static str,
    has: impl Fn(&OptionalHooks) -> bool,
) -> Result<(), HookFault> {
    if has(&channel.piece.info.hooks) {
        return Ok(());
    }
    Err(HookFault {
        hook,
        kind: FaultKind::NotLoaded,
        reason: format!(
            "the manifest of `{}` does not list `{hook}`",
            channel.piece.info.piece
        ),
    })
}

impl Pieces for Runtime {
    fn info(&self, channel: &str) -> Option<ChannelInfo> {
        self.channel(channel).map(|channel| channel.piece.info.clone())
    }

    fn locate(&self, channel: &str, account: &str, private_metadata: &str) -> Option<Locator> {
        self.located(channel, account, private_metadata)
    }

    fn connected(&self, channel: &str, account: &str, data: &str) {
        if let Some(known) = self.channel(channel)
            && !known.connections.keep(account, data)
        {
            tracing::warn!(
                channel,
                "too many accounts; what `connect` returned for another one is not kept"
            );
        }
    }

    async fn receive(
        &self,
        channel: &str,
        request: InboundRequest,
    ) -> Result<Result<Received, String>, HookFault> {
        let entered = self.entered(channel, "receive")?;
        entered.ended(pure::receive(self, &entered, request).await)
    }

    async fn supports(&self, channel: &str, conversation: &Conversation) -> Result<bool, HookFault> {
        let entered = self.entered(channel, "supports")?;
        entered.ended(pure::supports(self, &entered, conversation).await)
    }

    async fn parse(
        &self,
        channel: &str,
        conversation: &Conversation,
        call: Call<'_>,
        record: Record<'_>,
        interaction: &Interaction,
        settled: bool,
    ) -> Result<ParseResult, HookFault> {
        let entered = self.entered(channel, "parse")?;
        entered.ended(pure::parse(self, &entered, conversation, call, record, interaction, settled).await)
    }

    async fn split(&self, channel: &str, account: &str, text: &str) -> Result<Vec<String>, HookFault> {
        let entered = self.entered(channel, "split")?;
        entered.ended(pure::split(self, &entered, account, text).await)
    }

    async fn connect(&self, channel: &str, context: Context) -> Result<Connected, HookFault> {
        let entered = self.entered(channel, "connect")?;
        entered.ended(acting::connect(self, &entered, &context).await)
    }

    async fn identity(
        &self,
        channel: &str,
        context: Context,
        conversation: &Conversation,
        author: &Author,
    ) -> Result<Profile, HookFault> {
        let entered = self.entered(channel, "identity")?;
        entered.ended(acting::identity(self, &entered, &context, conversation, author).await)
    }

    async fn started(
        &self,
        channel: &str,
        context: Context,
        conversation: &Conversation,
        message: Option<&MessageId>,
    ) -> Result<Acted<()>, HookFault> {
        let entered = self.entered(channel, "started")?;
        entered.ended(acting::started(self, &entered, &context, conversation, message).await)
    }

    async fn post(
        &self,
        channel: &str,
        context: Context,
        conversation: &Conversation,
        part: &str,
    ) -> Result<Acted<MessageId>, HookFault> {
        let entered = self.entered(channel, "post")?;
        entered.ended(acting::post(self, &entered, &context, conversation, part).await)
    }

    async fn edit(
        &self,
        channel: &str,
        context: Context,
        conversation: &Conversation,
        message: &MessageId,
        part: &str,
    ) -> Result<Acted<()>, HookFault> {
        let entered = self.entered(channel, "edit")?;
        entered.ended(acting::edit(self, &entered, &context, conversation, message, part).await)
    }

    async fn remove(
        &self,
        channel: &str,
        context: Context,
        conversation: &Conversation,
        message: &MessageId,
    ) -> Result<Acted<()>, HookFault> {
        let entered = self.entered(channel, "remove")?;
        entered.ended(acting::remove(self, &entered, &context, conversation, message).await)
    }

    async fn render(
        &self,
        channel: &str,
        context: Context,
        conversation: &Conversation,
        calls: &[Call<'_>],
    ) -> Result<Acted<Vec<RenderedEntry>>, HookFault> {
        let entered = self.entered(channel, "render")?;
        entered.ended(acting::render(self, &entered, &context, conversation, calls).await)
    }

    async fn updated(
        &self,
        channel: &str,
        shared: Shared<'_>,
        interaction: Option<&Interaction>,
    ) -> Result<Acted<QuestionChange>, HookFault> {
        let entered = self.entered(channel, "updated")?;
        entered.ended(acting::updated(self, &entered, &shared, interaction).await)
    }

    async fn settled(
        &self,
        channel: &str,
        shared: Shared<'_>,
        ending: Ending<'_>,
    ) -> Result<Acted<QuestionChange>, HookFault> {
        let entered = self.entered(channel, "settled")?;
        entered.ended(acting::settled(self, &entered, &shared, ending).await)
    }

    async fn rejected(
        &self,
        channel: &str,
        shared: Shared<'_>,
        interaction: &Interaction,
        reason: &str,
    ) -> Result<Acted<()>, HookFault> {
        let entered = self.entered(channel, "rejected")?;
        entered.ended(acting::rejected(self, &entered, &shared, interaction, reason).await)
    }

    async fn denied(
        &self,
        channel: &str,
        shared: Shared<'_>,
        interaction: &Interaction,
    ) -> Result<Acted<()>, HookFault> {
        let entered = self.entered(channel, "denied")?;
        entered.ended(acting::denied(self, &entered, &shared, interaction).await)
    }

    async fn stale(
        &self,
        channel: &str,
        shared: Shared<'_>,
        interaction: &Interaction,
    ) -> Result<Acted<()>, HookFault> {
        let entered = self.entered(channel, "stale")?;
        entered.ended(acting::stale(self, &entered, &shared, interaction).await)
    }
}
