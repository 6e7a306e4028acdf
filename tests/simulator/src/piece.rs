//! The simulated piece as one host runs it: acting hooks that take time, change the platform, and fail before or after they
//! did. What the sandbox guarantees holds here too: nothing is sent after the hook's limit on the host's own clock.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::{Either, select};
use lifecycle::{MessageId, Millis};
use ports::Pieces;
use ports::pieces::{
    Acted, Author, Call, ChannelInfo, Connected, Context, Conversation, Ending, FaultKind, HookFault,
    HttpReply, InboundRequest, Interaction, Locator, OptionalHooks, ParseResult, PostedMessage, Profile,
    QuestionChange, Received, Record, RenderedEntry, Shared,
};

use crate::broken::Rule;
use crate::cards;
use crate::facts::{About, ActId, End, Hook, Place, Told, may};
use crate::platform::{Block, Posted, Style, place_of};
use crate::world::{Universe, lock};

/// The response to an event that needs no other.
pub(crate) const ACKNOWLEDGED: &[u8] = b"ok";
/// What a response begins with that tells somebody something.
pub(crate) const TELLS: &str = "told ";

/// The pieces as one host runs them.
pub(crate) struct HostPieces {
    pub(crate) world: Arc<Universe>,
    pub(crate) host: u64,
}

/// What goes wrong with one call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wrong {
    Nothing,
    /// Refused before anything was done.
    Fails(FaultKind),
    /// Nothing happens until the time is over.
    Hangs,
    /// Done, but the result comes only after the time is over.
    HangsAfterwards,
    /// Done, but the result is lost.
    ReplyLost,
}

fn fault(hook: &'static str, kind: FaultKind) -> HookFault {
    HookFault {
        hook,
        kind,
        reason: "drawn".to_owned(),
    }
}

/// One call of an acting hook while it runs.
struct Doing<'a> {
    world: &'a Arc<Universe>,
    hook: usize,
    /// When the host's clock says that it is over.
    until: Duration,
    host: u64,
    key: [u8; 16],
}

impl Doing<'_> {
    /// Sends one request to the platform, unless the time is over.
    async fn send<T>(&self, change: impl FnOnce(&Universe) -> T) -> Result<T, FaultKind> {
        let way = self.world.draw(|random| random.millis(1, 60));
        self.world.executor.sleep(way).await;
        let mute = self.world.host_time(self.host) >= self.until;
        if mute && self.world.broken != Some(Rule::WakesUpMute) {
            return Err(FaultKind::TimedOut);
        }
        let now = self.world.executor.now();
        if let Some(hook) = self.world.facts().hooks.get_mut(self.hook) {
            hook.acted.get_or_insert(now);
            hook.acted_last = Some(now);
        }
        Ok(change(self.world))
    }

    async fn post(
        &self,
        place: Place,
        text: &str,
        blocks: Vec<Block>,
        part: usize,
    ) -> Result<MessageId, FaultKind> {
        self.send(|world| {
            let posted = Posted {
                place,
                at: world.executor.now(),
                text: text.to_owned(),
                blocks,
                hook: self.hook,
            };
            world.platforms.post(posted, self.key, part)
        })
        .await
    }

    async fn edit(&self, message: &MessageId, block: Block) -> Result<(), FaultKind> {
        self.send(|world| world.platforms.edit(message, block)).await
    }
}

impl HostPieces {
    fn wrong(&self, hook: &'static str) -> Wrong {
        let plan = &self.world.plan;
        if self.world.is_healed() {
            return Wrong::Nothing;
        }
        self.world.draw(|random| {
            let fails = if hook == "identity" {
                plan.identity_fails
            } else {
                plan.hook_fails
            };
            if random.chance(fails) {
                let kinds = [
                    FaultKind::Retry(None),
                    FaultKind::Trap,
                    FaultKind::Busy,
                    FaultKind::Garbage,
                ];
                return Wrong::Fails(*random.one_of(&kinds).unwrap_or(&FaultKind::Trap));
            }
            if random.chance(plan.hook_limited) {
                let after = Millis(200 + random.below(8_000));
                return Wrong::Fails(FaultKind::Retry(Some(after)));
            }
            if random.chance(plan.hook_hangs) {
                return if random.chance(500) {
                    Wrong::Hangs
                } else {
                    Wrong::HangsAfterwards
                };
            }
            if random.chance(plan.hook_reply_lost) {
                return Wrong::ReplyLost;
            }
            Wrong::Nothing
        })
    }

    /// Runs an acting hook within its limit and writes down what became of it.
    async fn act<T, F>(
        &self,
        name: &'static str,
        context: &Context,
        conversation: &Conversation,
        about: About,
        work: impl FnOnce(Arc<Universe>, usize, Duration) -> F,
    ) -> Result<T, HookFault>
    where
        F: Future<Output = Result<T, FaultKind>> + Send,
        T: Send,
    {
        let until = self.world.host_time(self.host) + context.limit;
        let wrong = self.wrong(name);
        self.world.note(|| {
            format!(
                "host {}: {name} {about:?}, attempt {}, drawn {wrong:?}",
                self.host, context.attempt
            )
        });
        let hook = self.begun(context, conversation, about);
        let working = async {
            match wrong {
                Wrong::Fails(kind) => return Err(kind),
                Wrong::Hangs => std::future::pending().await,
                Wrong::Nothing | Wrong::HangsAfterwards | Wrong::ReplyLost => {}
            }
            let done = work(Arc::clone(&self.world), hook, until).await?;
            let way = self.world.draw(|random| random.millis(1, 60));
            self.world.executor.sleep(way).await;
            match wrong {
                Wrong::HangsAfterwards => std::future::pending().await,
                Wrong::ReplyLost => Err(FaultKind::PerhapsSent),
                Wrong::Nothing | Wrong::Fails(_) | Wrong::Hangs => Ok(done),
            }
        };
        let limit = self.world.executor.sleep(context.limit);
        let patient = self.world.broken == Some(Rule::WakesUpMute) && wrong == Wrong::Nothing;
        let ended = if patient {
            working.await
        } else {
            match select(Box::pin(working), Box::pin(limit)).await {
                Either::Left((ended, _)) => ended,
                Either::Right(((), _)) => Err(FaultKind::TimedOut),
            }
        };
        let end = match &ended {
            Ok(_) => End::Returned,
            Err(FaultKind::Retry(Some(_))) => End::Limited,
            Err(_) => End::Failed,
        };
        self.world
            .note(|| format!("host {}: {name} ends: {end:?}", self.host));
        if let Some(hook) = self.world.facts().hooks.get_mut(hook) {
            hook.end = end;
        }
        ended.map_err(|kind| fault(name, kind))
    }

    fn begun(&self, context: &Context, conversation: &Conversation, about: About) -> usize {
        let mut facts = self.world.facts();
        facts.hooks.push(Hook {
            at: self.world.executor.now(),
            host: self.host,
            place: place_of(conversation),
            key: context.idempotency_key,
            attempt: context.attempt,
            about,
            acted: None,
            acted_last: None,
            end: End::Open,
        });
        facts.hooks.len() - 1
    }

    /// The key that the platform is given.
    fn key(&self, context: &Context) -> [u8; 16] {
        let mut key = context.idempotency_key;
        if self.world.broken == Some(Rule::KeysOfHooks) {
            key[0] ^= u8::try_from(context.attempt % 200).unwrap_or(0);
        }
        key
    }

    /// Tells somebody what became of what they did: in the response where there is time, else in private.
    async fn tell(
        &self,
        name: &'static str,
        shared: &Shared<'_>,
        interaction: &Interaction,
        what: String,
    ) -> Result<Acted<()>, HookFault> {
        let Some(act) = act_of(interaction) else {
            return Err(fault(name, FaultKind::Garbage));
        };
        let in_response = shared.context.reply_within.is_some();
        let (key, host) = (self.key(&shared.context), self.host);
        self.act(
            name,
            &shared.context,
            shared.conversation,
            About::Notice { act },
            |world, hook, until| async move {
                let doing = Doing {
                    world: &world,
                    hook,
                    until,
                    host,
                    key,
                };
                if in_response {
                    let body = format!("{TELLS}{act} {what}");
                    return Ok(Acted {
                        value: (),
                        reply: Some(reply(body.as_bytes())),
                    });
                }
                doing.send(|world| world.told(act, what)).await?;
                Ok(Acted {
                    value: (),
                    reply: None,
                })
            },
        )
        .await
    }
}

impl Universe {
    /// Somebody was told something.
    pub(crate) fn told(&self, act: ActId, what: String) {
        self.note(|| format!("the person of act {act} is told: {what}"));
        self.facts().told.push(Told { act, what });
    }
}

/// What somebody did, by the number in its payload.
fn act_of(interaction: &Interaction) -> Option<ActId> {
    let raw = match interaction {
        Interaction::Action(action) => &action.raw,
        Interaction::ModalSubmit(submit) => &submit.raw,
        Interaction::Message(message) => &message.raw,
    };
    raw.parse().ok()
}

/// A response with status 200.
pub(crate) fn reply(body: &[u8]) -> HttpReply {
    HttpReply {
        status: 200,
        content_type: None,
        body: bytes::Bytes::copy_from_slice(body),
    }
}

fn none<T>(value: T) -> Acted<T> {
    Acted { value, reply: None }
}

fn posted(id: MessageId, step: Option<usize>, at: Option<lifecycle::Timestamp>) -> PostedMessage {
    PostedMessage {
        id,
        posted_at: at,
        question: step.and_then(|step| u32::try_from(step).ok()),
    }
}

impl Pieces for HostPieces {
    fn info(&self, _: &str) -> Option<ChannelInfo> {
        Some(ChannelInfo {
            piece: "simulated".to_owned(),
            version: cards::VERSION.to_owned(),
            questions: true,
            hooks: OptionalHooks {
                identity: true,
                updated: true,
                rejected: true,
                denied: true,
                stale: true,
                ..OptionalHooks::default()
            },
            notices_public: false,
        })
    }

    fn locate(&self, _: &str, _: &str, _: &str) -> Option<Locator> {
        None
    }

    fn connected(&self, _: &str, _: &str, _: &str) {}

    async fn receive(&self, _: &str, request: InboundRequest) -> Result<Result<Received, String>, HookFault> {
        let number = std::str::from_utf8(&request.body)
            .ok()
            .and_then(|body| body.parse::<usize>().ok());
        let event = number.and_then(|number| lock(&self.world.events).get(number).cloned());
        Ok(event
            .map(|event| Received {
                reply: reply(ACKNOWLEDGED),
                events: vec![event],
            })
            .ok_or_else(|| "expected the number of an event".to_owned()))
    }

    async fn supports(&self, _: &str, _: &Conversation) -> Result<bool, HookFault> {
        Ok(true)
    }

    async fn parse(
        &self,
        _: &str,
        _: &Conversation,
        call: Call<'_>,
        record: Record<'_>,
        interaction: &Interaction,
        _: bool,
    ) -> Result<ParseResult, HookFault> {
        Ok(ParseResult::Parsed(cards::parse(call, &record, interaction)))
    }

    async fn split(&self, _: &str, _: &str, text: &str) -> Result<Vec<String>, HookFault> {
        Ok(text.split('\n').map(str::to_owned).collect())
    }

    async fn connect(&self, _: &str, _: Context) -> Result<Connected, HookFault> {
        Err(fault("connect", FaultKind::NotLoaded))
    }

    async fn identity(
        &self,
        _: &str,
        context: Context,
        conversation: &Conversation,
        author: &Author,
    ) -> Result<Profile, HookFault> {
        let about = About::Identity {
            person: author.name.clone(),
        };
        let email = may(&author.name).then(|| format!("{}@acme.test", author.name));
        let (name, host, key) = (author.name.clone(), self.host, self.key(&context));
        self.act(
            "identity",
            &context,
            conversation,
            about,
            |world, hook, until| async move {
                let doing = Doing {
                    world: &world,
                    hook,
                    until,
                    host,
                    key,
                };
                doing.send(|_| ()).await?;
                Ok(Profile {
                    name: Some(name),
                    email,
                    roles: Vec::new(),
                    external: false,
                })
            },
        )
        .await
    }

    async fn started(
        &self,
        _: &str,
        _: Context,
        _: &Conversation,
        _: Option<&MessageId>,
    ) -> Result<Acted<()>, HookFault> {
        Err(fault("started", FaultKind::NotLoaded))
    }

    async fn post(
        &self,
        _: &str,
        context: Context,
        conversation: &Conversation,
        part: &str,
    ) -> Result<Acted<MessageId>, HookFault> {
        let about = About::Post {
            text: part.to_owned(),
        };
        let (place, host, key) = (place_of(conversation), self.host, self.key(&context));
        let text = part.to_owned();
        self.act(
            "post",
            &context,
            conversation,
            about,
            |world, hook, until| async move {
                let doing = Doing {
                    world: &world,
                    hook,
                    until,
                    host,
                    key,
                };
                Ok(none(doing.post(place, &text, Vec::new(), 0).await?))
            },
        )
        .await
    }

    async fn edit(
        &self,
        _: &str,
        _: Context,
        _: &Conversation,
        _: &MessageId,
        _: &str,
    ) -> Result<Acted<()>, HookFault> {
        Err(fault("edit", FaultKind::NotLoaded))
    }

    async fn remove(
        &self,
        _: &str,
        _: Context,
        _: &Conversation,
        _: &MessageId,
    ) -> Result<Acted<()>, HookFault> {
        Err(fault("remove", FaultKind::NotLoaded))
    }

    async fn render(
        &self,
        _: &str,
        context: Context,
        conversation: &Conversation,
        calls: &[Call<'_>],
    ) -> Result<Acted<Vec<RenderedEntry>>, HookFault> {
        let asks = calls.iter().map(|call| cards::ask(*call)).collect();
        let (place, host, key) = (place_of(conversation), self.host, self.key(&context));
        let style = self.world.style(place);
        let drawn: Vec<_> = calls
            .iter()
            .map(|call| (call.id.clone(), cards::block(*call, 0)))
            .collect();
        self.act(
            "render",
            &context,
            conversation,
            About::Render { asks },
            |world, hook, until| async move {
                let doing = Doing {
                    world: &world,
                    hook,
                    until,
                    host,
                    key,
                };
                let at = world.platform_time();
                let entry = |calls, id| RenderedEntry {
                    calls,
                    messages: vec![posted(id, Some(0), at)],
                    state: None,
                };
                let mut entries = Vec::new();
                match style {
                    Style::Together => {
                        let blocks = drawn.iter().map(|(_, block)| block.clone()).collect();
                        let id = doing.post(place, "", blocks, 0).await?;
                        entries.push(entry(drawn.iter().map(|(call, _)| call.clone()).collect(), id));
                    }
                    Style::Each | Style::Stepwise => {
                        let count = if style == Style::Stepwise { 1 } else { drawn.len() };
                        for (part, (call, block)) in drawn.into_iter().take(count).enumerate() {
                            let id = doing.post(place, "", vec![block], part).await?;
                            entries.push(entry(vec![call], id));
                        }
                    }
                }
                Ok(none(entries))
            },
        )
        .await
    }

    async fn updated(
        &self,
        _: &str,
        shared: Shared<'_>,
        interaction: Option<&Interaction>,
    ) -> Result<Acted<QuestionChange>, HookFault> {
        let about = About::Updated {
            ask: cards::ask(shared.call),
            act: interaction.and_then(act_of),
        };
        let place = place_of(shared.conversation);
        let (host, key) = (self.host, self.key(&shared.context));
        let step = cards::Progress::of(&shared.record).step();
        let block = cards::block(shared.call, step);
        let style = self.world.style(place);
        let messages: Vec<_> = shared.record.messages.to_vec();
        self.act(
            "updated",
            &shared.context,
            shared.conversation,
            about,
            |world, hook, until| async move {
                let doing = Doing {
                    world: &world,
                    hook,
                    until,
                    host,
                    key,
                };
                if style != Style::Stepwise {
                    for message in &messages {
                        doing.edit(&message.id, block.clone()).await?;
                    }
                    return Ok(none(QuestionChange::default()));
                }
                let id = doing.post(place, "", vec![block], 0).await?;
                let kept = messages.into_iter().map(|message| PostedMessage {
                    id: message.id,
                    posted_at: Some(message.posted_at),
                    question: message.question,
                });
                let kept = kept.filter(|message| message.id != id);
                let new = posted(id.clone(), Some(step), world.platform_time());
                let messages = kept.chain([new]).collect();
                Ok(none(QuestionChange {
                    messages: Some(messages),
                    ..QuestionChange::default()
                }))
            },
        )
        .await
    }

    async fn settled(
        &self,
        _: &str,
        shared: Shared<'_>,
        ending: Ending<'_>,
    ) -> Result<Acted<QuestionChange>, HookFault> {
        let ending = cards::ending(ending);
        let actor = shared.actor.map(|actor| actor.name.clone());
        let block = cards::closed(shared.call, &ending, actor.as_deref());
        let about = About::Settled {
            ask: cards::ask(shared.call),
            ending,
            actor,
        };
        let (host, key) = (self.host, self.key(&shared.context));
        let messages: Vec<_> = shared
            .record
            .messages
            .iter()
            .map(|message| message.id.clone())
            .collect();
        self.act(
            "settled",
            &shared.context,
            shared.conversation,
            about,
            |world, hook, until| async move {
                let doing = Doing {
                    world: &world,
                    hook,
                    until,
                    host,
                    key,
                };
                for message in &messages {
                    doing.edit(message, block.clone()).await?;
                }
                Ok(none(QuestionChange::default()))
            },
        )
        .await
    }

    async fn rejected(
        &self,
        _: &str,
        shared: Shared<'_>,
        interaction: &Interaction,
        reason: &str,
    ) -> Result<Acted<()>, HookFault> {
        self.tell("rejected", &shared, interaction, format!("rejected: {reason}"))
            .await
    }

    async fn denied(
        &self,
        _: &str,
        shared: Shared<'_>,
        interaction: &Interaction,
    ) -> Result<Acted<()>, HookFault> {
        self.tell("denied", &shared, interaction, "denied".to_owned())
            .await
    }

    async fn stale(
        &self,
        _: &str,
        shared: Shared<'_>,
        interaction: &Interaction,
    ) -> Result<Acted<()>, HookFault> {
        self.tell("stale", &shared, interaction, "stale".to_owned()).await
    }
}
