//! The pieces of the stage behind the engine's port: the faults a story plans, then the forum or the card.

use std::sync::{Arc, Weak};
use std::time::Duration;

use lifecycle::{MessageId, Millis};
use ports::Pieces;
use ports::pieces::{
    Acted, Author, Call, ChannelInfo, Connected, Context, Conversation, Ending, FaultKind, HookFault,
    HttpReply, InboundRequest, Interaction, Locator, OptionalHooks, ParseResult, Profile, QuestionChange,
    Received, Record, RenderedEntry, Shared,
};

use super::faults::{HookFails, Limited, Moment};
use super::host::{CHANNEL, Surroundings, email, pass};
use super::platform::{ACKNOWLEDGED, Block, reply};
use super::records::short;
use super::story::{PieceKind, Setup};
use super::transcript::lock;
use super::{card, forum};

/// How long the platform takes for a call.
const LATENCY: Duration = Duration::from_millis(10);
/// How long it takes when it is slow.
const SLOW: Duration = Duration::from_secs(4);

/// When a platform that refuses everything wants to be asked again.
const COME_BACK_AFTER: Millis = Millis::seconds(10);

/// The pieces as one host has them.
#[derive(Debug)]
pub(super) struct StagePieces {
    pub(super) stage: Weak<Surroundings>,
    pub(super) host: usize,
}

/// A fault of a hook, for the reason of the story.
fn fault(hook: &'static str, kind: FaultKind) -> HookFault {
    HookFault {
        hook,
        kind,
        reason: "the story says so".to_owned(),
    }
}

/// Refuses what the platform does not take in this thread now.
fn taken(stage: &Surroundings, hook: &'static str, conversation: &Conversation) -> Result<(), HookFault> {
    let thread = &conversation.thread;
    match stage.faults.limited(thread, hook) {
        Limited::No => return Ok(()),
        Limited::First => stage.transcript.note(format!(
            "the platform refuses {hook} in {thread} and says when to come back"
        )),
        Limited::Again => {}
    }
    Err(fault(hook, FaultKind::Retry(Some(COME_BACK_AFTER))))
}

/// The locator of a form: what the host's capability makes.
pub(super) fn locator(conversation: &Conversation, message: &MessageId) -> String {
    let Conversation {
        account,
        room,
        thread,
    } = conversation;
    [CHANNEL, account, room, thread, &message.0].join("|")
}

impl StagePieces {
    fn stage(&self, hook: &'static str) -> Result<Arc<Surroundings>, HookFault> {
        self.stage
            .upgrade()
            .ok_or_else(|| fault(hook, FaultKind::NotLoaded))
    }

    fn setup(&self) -> Option<Setup> {
        Some(lock(&self.stage.upgrade()?.setup).clone())
    }

    /// A pure hook: it only traps.
    fn pure(&self, hook: &'static str) -> Result<(Arc<Surroundings>, Setup), HookFault> {
        let stage = self.stage(hook)?;
        if let Some(how) = stage.faults.next_of(hook) {
            stage.transcript.note(format!("{hook} fails ({})", how.word()));
            return Err(fault(hook, FaultKind::Trap));
        }
        let setup = lock(&stage.setup).clone();
        Ok((stage, setup))
    }

    /// An acting hook, within its time.
    async fn act<T>(
        &self,
        hook: &'static str,
        context: &Context,
        about: &str,
        play: impl FnOnce(&Surroundings, &Setup) -> Result<T, HookFault>,
    ) -> Result<T, HookFault> {
        let acting = self.act_unlimited(hook, context, about, play);
        match tokio::time::timeout(context.limit, acting).await {
            Ok(acted) => acted,
            Err(_) => {
                self.stage(hook)?
                    .transcript
                    .note(format!("{hook} runs out of time"));
                Err(fault(hook, FaultKind::TimedOut))
            }
        }
    }

    async fn act_unlimited<T>(
        &self,
        hook: &'static str,
        context: &Context,
        about: &str,
        play: impl FnOnce(&Surroundings, &Setup) -> Result<T, HookFault>,
    ) -> Result<T, HookFault> {
        let stage = self.stage(hook)?;
        if stage.faults.dies_at(Moment::Before, hook) {
            stage.die(self.host, &format!("before {hook}")).await;
        }
        let setup = lock(&stage.setup).clone();
        if setup.shows.hooks {
            stage
                .transcript
                .note(format!("hook {hook}{about}, attempt {}", context.attempt));
        }
        pass(LATENCY).await;
        while stage.faults.is_held(hook) {
            pass(LATENCY).await;
        }
        let fails = stage.faults.next_of(hook);
        if let Some(how) = fails {
            stage.transcript.note(format!("{hook} fails ({})", how.word()));
        }
        let kind = match fails {
            None | Some(HookFails::NoMessage | HookFails::Limited | HookFails::ReplyLost) => None,
            Some(HookFails::Slow) => {
                pass(SLOW).await;
                None
            }
            Some(HookFails::Hangs) => std::future::pending().await,
            Some(HookFails::Retry) => Some(FaultKind::Retry(None)),
            Some(HookFails::Gone) => Some(FaultKind::Gone),
            Some(HookFails::Refused) => Some(FaultKind::Refused),
            Some(HookFails::Trap) => Some(FaultKind::Trap),
            Some(HookFails::Garbage) => Some(FaultKind::Garbage),
        };
        if let Some(kind) = kind {
            return Err(fault(hook, kind));
        }
        let result = play(&stage, &setup);
        if stage.faults.dies_at(Moment::After, hook) {
            stage.die(self.host, &format!("after {hook}")).await;
        }
        match fails {
            Some(HookFails::ReplyLost) => Err(fault(hook, FaultKind::PerhapsSent)),
            Some(_) | None => result,
        }
    }

    /// Tells the participant of an interaction: as the response where there is time and the piece can, else in private
    /// or, on a platform without private words, for everybody.
    async fn tell(
        &self,
        hook: &'static str,
        shared: &Shared<'_>,
        interaction: &Interaction,
        text: &str,
    ) -> Result<Acted<()>, HookFault> {
        let about = format!(" of {}", short(shared.call.id.as_str()));
        self.act(hook, &shared.context, &about, |stage, setup| {
            let person = &interaction.author().name;
            let in_response = setup.piece == PieceKind::Card && shared.context.reply_within.is_some();
            let said = match interaction {
                Interaction::ModalSubmit(_) if in_response => {
                    Some(reply(format!("in the form {text}").as_bytes()))
                }
                Interaction::Action(_) if in_response => Some(reply(format!("toast {text}").as_bytes())),
                Interaction::Action(_) | Interaction::ModalSubmit(_) | Interaction::Message(_) => {
                    if setup.notices_public {
                        let blocks = vec![Block::text(format!("@{person} {text}"))];
                        stage.platform.post(
                            shared.conversation,
                            Some(shared.context.idempotency_key),
                            blocks,
                        );
                    } else {
                        stage.platform.tell(person, text);
                    }
                    None
                }
            };
            Ok(Acted {
                value: (),
                reply: said,
            })
        })
        .await
    }
}

/// Whether this version of the piece can read what is in the record.
fn readable(setup: &Setup, record: &Record<'_>) -> bool {
    record
        .state
        .is_none_or(|state| setup.reads_older_state || state.written_by == setup.version)
}

fn none<T>(value: T) -> Acted<T> {
    Acted { value, reply: None }
}

impl Pieces for StagePieces {
    fn info(&self, _: &str) -> Option<ChannelInfo> {
        let setup = self.setup()?;
        let has = |hook: &str| !setup.without_hooks.iter().any(|without| without == hook);
        Some(ChannelInfo {
            piece: match setup.piece {
                PieceKind::Forum => "forum".to_owned(),
                PieceKind::Card => "card".to_owned(),
            },
            version: setup.version.clone(),
            questions: setup.has_questions,
            hooks: OptionalHooks {
                connect: false,
                identity: has("identity"),
                started: false,
                edit: false,
                remove: false,
                supports: has("supports"),
                updated: has("updated"),
                rejected: has("rejected"),
                denied: has("denied"),
                stale: has("stale"),
            },
            notices_public: setup.notices_public,
        })
    }

    fn locate(&self, channel: &str, account: &str, private_metadata: &str) -> Option<Locator> {
        let within = private_metadata.strip_prefix(&format!("{channel}|{account}|"))?;
        let parts: Vec<&str> = within.split('|').collect();
        let [room, thread, message]: [&str; 3] = parts.try_into().ok()?;
        Some(Locator {
            conversation: Conversation {
                account: account.to_owned(),
                room: room.to_owned(),
                thread: thread.to_owned(),
            },
            message: MessageId(message.to_owned()),
        })
    }

    fn connected(&self, _: &str, _: &str, _: &str) {}

    async fn receive(&self, _: &str, request: InboundRequest) -> Result<Result<Received, String>, HookFault> {
        let (stage, _) = self.pure("receive")?;
        let number = std::str::from_utf8(&request.body)
            .ok()
            .and_then(|body| body.parse().ok());
        let Some(event) = number.and_then(|number| stage.platform.event(number)) else {
            return Ok(Err("expected the number of an event".to_owned()));
        };
        Ok(Ok(Received {
            reply: reply(ACKNOWLEDGED),
            events: vec![event],
        }))
    }

    async fn supports(&self, _: &str, conversation: &Conversation) -> Result<bool, HookFault> {
        let (_, setup) = self.pure("supports")?;
        Ok(!setup.no_controls.contains(&conversation.thread))
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
        let (_, setup) = self.pure("parse")?;
        if !readable(&setup, &record) {
            return Ok(ParseResult::StateUnreadable);
        }
        Ok(ParseResult::Parsed(match setup.piece {
            PieceKind::Forum => forum::parse(call, record, interaction, &setup.version),
            PieceKind::Card => card::parse(call, record, interaction, &setup.version),
        }))
    }

    async fn split(&self, _: &str, _: &str, text: &str) -> Result<Vec<String>, HookFault> {
        self.pure("split")?;
        Ok(text.split("\n\n").map(str::to_owned).collect())
    }

    async fn connect(&self, _: &str, _: Context) -> Result<Connected, HookFault> {
        Err(fault("connect", FaultKind::NotLoaded))
    }

    async fn identity(
        &self,
        _: &str,
        context: Context,
        _: &Conversation,
        author: &Author,
    ) -> Result<Profile, HookFault> {
        self.act(
            "identity",
            &context,
            &format!(" of {}", author.name),
            |_, setup| {
                let known = !setup.strangers.contains(&author.name);
                let email = known.then(|| email(&author.name));
                Ok(Profile {
                    name: Some(author.name.clone()),
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
        self.act("post", &context, "", |stage, _| {
            taken(stage, "post", conversation)?;
            Ok(none(stage.platform.post(
                conversation,
                Some(context.idempotency_key),
                vec![Block::text(part)],
            )))
        })
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
        let no_message = self.stage("render")?.faults.will("render", HookFails::NoMessage);
        let names: Vec<String> = calls.iter().map(|call| short(call.id.as_str())).collect();
        let about = format!(" of {}", names.join(" "));
        self.act("render", &context, &about, |stage, setup| {
            taken(stage, "render", conversation)?;
            if no_message {
                return Ok(none(Vec::new()));
            }
            let (platform, key) = (&stage.platform, context.idempotency_key);
            Ok(none(match setup.piece {
                PieceKind::Forum => forum::render(platform, conversation, key, calls),
                PieceKind::Card => card::render(platform, conversation, key, calls),
            }))
        })
        .await
    }

    async fn updated(
        &self,
        _: &str,
        shared: Shared<'_>,
        interaction: Option<&Interaction>,
    ) -> Result<Acted<QuestionChange>, HookFault> {
        let limited = self.stage("updated")?.faults.will("updated", HookFails::Limited);
        let with = if interaction.is_some() {
            ""
        } else {
            " without the interaction"
        };
        let about = format!(" of {}{with}", short(shared.call.id.as_str()));
        self.act("updated", &shared.context, &about, |stage, setup| {
            taken(stage, "updated", shared.conversation)?;
            if !readable(setup, &shared.record) {
                return Err(fault("updated", FaultKind::StateUnreadable));
            }
            if limited {
                let redraw_after = Some(Millis::seconds(3));
                return Ok(none(QuestionChange {
                    redraw_after,
                    ..QuestionChange::default()
                }));
            }
            let (conversation, key) = (shared.conversation, shared.context.idempotency_key);
            Ok(match setup.piece {
                PieceKind::Forum => none(forum::updated(
                    &stage.platform,
                    conversation,
                    key,
                    shared.call,
                    shared.record,
                )),
                PieceKind::Card => card::updated(&stage.platform, &shared, interaction, |record| {
                    let message = record.messages.last().map(|message| message.id.clone());
                    locator(conversation, &message.unwrap_or_else(|| MessageId(String::new())))
                }),
            })
        })
        .await
    }

    async fn settled(
        &self,
        _: &str,
        shared: Shared<'_>,
        ending: Ending<'_>,
    ) -> Result<Acted<QuestionChange>, HookFault> {
        let about = format!(" of {}", short(shared.call.id.as_str()));
        self.act("settled", &shared.context, &about, |stage, setup| {
            taken(stage, "settled", shared.conversation)?;
            if !readable(setup, &shared.record) {
                return Err(fault("settled", FaultKind::StateUnreadable));
            }
            let actor = shared.actor.map(|actor| actor.name.as_str());
            forum::settled(&stage.platform, shared.call, shared.record, ending, actor);
            Ok(none(QuestionChange::default()))
        })
        .await
    }

    async fn rejected(
        &self,
        _: &str,
        shared: Shared<'_>,
        interaction: &Interaction,
        reason: &str,
    ) -> Result<Acted<()>, HookFault> {
        self.tell("rejected", &shared, interaction, reason).await
    }

    async fn denied(
        &self,
        _: &str,
        shared: Shared<'_>,
        interaction: &Interaction,
    ) -> Result<Acted<()>, HookFault> {
        self.tell("denied", &shared, interaction, "You may not answer this.")
            .await
    }

    async fn stale(
        &self,
        _: &str,
        shared: Shared<'_>,
        interaction: &Interaction,
    ) -> Result<Acted<()>, HookFault> {
        self.tell("stale", &shared, interaction, "This is out of date.")
            .await
    }
}

/// A response a piece gave, as the person sees it; none where it is a mere acknowledgement.
pub(super) fn response(answer: &HttpReply) -> Option<String> {
    let body = String::from_utf8_lossy(&answer.body).into_owned();
    (answer.body.as_ref() != ACKNOWLEDGED).then_some(body)
}
