//! The Slack piece: mentions, threads and direct messages in; replies and cards with controls out.
//!
//! A call is one message. Slack keeps what each person picked on it and sends that with their press of Submit, so picks are
//! in no state; a text is typed in a form of its own and kept for its author until then. The card steps on in place when not
//! all questions fit, so its controls name the step they were drawn for. When the call is settled the state keeps what the
//! card says, so that a late click can draw it again.

mod answers;
mod api;
mod card;
mod control;
mod events;
mod markdown;
mod mrkdwn;
mod notice;
mod progress;
mod typed;

use frogbot_piece::http::Priority;
use frogbot_piece::{
    ActionEvent, Author, Call, Channel, Connected, Context, Conversation, Done, Failure, FailureKind,
    InboundRequest, Interaction, Offer, Outcome, Parsed, Posted, Profile, QuestionChange, QuestionMessage,
    QuestionRecord, Questions, Received, Rendering, Settings, Shared, Unreadable, log, write_json,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use control::{Control, ControlId};
use progress::Progress;

/// The piece.
pub struct Slack;

frogbot_piece::export!(Slack);

/// What the app knows about itself in a workspace: the answer of `auth.test`, and what later hooks are given.
#[derive(Serialize, Deserialize)]
struct Me {
    user_id: String,
    bot_id: Option<String>,
    user: String,
    team: String,
}

/// What the app's manifest asks for (`README.md`), and what does not work without it.
const SCOPES: [(&str, &str); 8] = [
    (
        "app_mentions:read",
        "nobody can start a conversation in a channel",
    ),
    (
        "channels:history",
        "later messages of a thread do not arrive from public channels",
    ),
    ("chat:write", "nothing can be posted"),
    (
        "groups:history",
        "later messages of a thread do not arrive from private channels",
    ),
    ("im:history", "direct messages do not arrive"),
    ("mpim:history", "messages of group conversations do not arrive"),
    ("users:read", "nobody is recognised"),
    ("users:read.email", "nobody is recognised by e-mail address"),
];

impl Channel for Slack {
    fn connect(_: &Context, _: &str) -> Result<Connected, Failure> {
        let (me, scopes): (Me, _) = api::auth_test()?;
        let summary = format!("@{} in the workspace {}", me.user, me.team);
        Ok(Connected::new(&me, summary)?.lacking(lacks(scopes.as_deref())))
    }

    fn receive(settings: &Settings, request: &InboundRequest) -> Result<Received, String> {
        events::read(settings, request)
    }

    fn identity(_: &Context, conversation: &Conversation, author: &Author) -> Result<Profile, Failure> {
        let info = api::user_info(&author.id)?;
        let other_team = info
            .team_id
            .as_deref()
            .is_some_and(|team| team != conversation.account);
        Ok(Profile {
            name: info.name(),
            email: info.profile.email.filter(|email| !email.is_empty()),
            roles: Vec::new(),
            external: author.external || info.is_stranger || other_team,
        })
    }

    fn split(_: &Settings, text: &str) -> Vec<String> {
        markdown::split(text)
    }

    fn post(context: &Context, conversation: &Conversation, part: &str) -> Result<Posted, Failure> {
        let message_id = api::post_message(context, conversation, markdown::message(part))?;
        Ok(Posted {
            message_id,
            reply: None,
        })
    }
}

impl Questions for Slack {
    /// The first call only: the host comes back for the next one when it is answered.
    fn render(context: &Context, conversation: &Conversation, calls: &[Call]) -> Result<Rendering, Failure> {
        let call = calls
            .first()
            .ok_or_else(|| Failure::refused("asked to render no call"))?;
        card::fits(call)?;
        let card = card::open(call, &Progress::default())?;
        let ts = api::post_message(context, conversation, card)?;
        let message = QuestionMessage {
            posted_at: events::timestamp(&ts),
            id: ts,
            question: None,
        };
        Ok(Rendering::message(&call.tool_call_id, message))
    }

    fn parse(offer: &Offer) -> Result<Parsed, Unreadable> {
        answers::parse(offer)
    }

    /// A press that asks for a form opens it, a form that was kept says so to its author, and neither changes the card. All
    /// else, and a retry, draws the card.
    fn updated(shared: &Shared, interaction: Option<&Interaction>) -> Result<QuestionChange, Failure> {
        let progress = Progress::of(&shared.question)?;
        match (interaction, interaction.and_then(answers::id_of)) {
            (Some(Interaction::Action(event)), Some(id)) if matches!(id.control, Control::Type(_)) => {
                ask_for_text(shared, &progress, &id, event);
            }
            (Some(Interaction::ModalSubmit(event)), Some(_)) => {
                notice::mention(&shared.conversation, &event.user, KEPT);
            }
            (Some(_) | None, _) => {
                let card = card::open(&shared.call, &progress)?;
                let request = api::update(&shared.conversation, current(&shared.question)?, card)?;
                api::send::<Value>(request)?;
            }
        }
        Ok(QuestionChange::default())
    }

    fn settled(shared: &Shared, outcome: &Outcome) -> Result<QuestionChange, Failure> {
        let closed = card::closing(&shared.call, outcome, shared.actor.as_ref());
        let update = |message: &QuestionMessage| {
            let request = api::update(&shared.conversation, &message.id, card::closed_card(&closed));
            request.map(|request| request.priority(Priority::Closing))
        };
        let messages = &shared.question.messages;
        let requests = messages.iter().map(update).collect::<Result<Vec<_>, _>>()?;
        for result in api::send_all(&requests) {
            unless_useless(result)?;
        }
        let progress = Progress {
            closed: Some(closed),
            ..Progress::default()
        };
        Ok(QuestionChange {
            state: Some(write_json(&progress)?),
            ..QuestionChange::default()
        })
    }

    fn rejected(shared: &Shared, interaction: &Interaction, reason: &str) -> Result<Done, Failure> {
        notice::tell(shared, interaction, reason)
    }

    fn denied(shared: &Shared, interaction: &Interaction) -> Result<Done, Failure> {
        notice::tell(shared, interaction, "You may not answer this question.")
    }

    fn stale(shared: &Shared, interaction: &Interaction) -> Result<Done, Failure> {
        match interaction {
            Interaction::Action(event) => {
                // It repairs what is seen and nothing else.
                let drawn = card_now(shared, &event.message_id)
                    .and_then(|card| api::update(&shared.conversation, &event.message_id, card));
                notice::tell_beside(shared, interaction, STALE_CLICK, drawn.into_iter().collect())
            }
            Interaction::ModalSubmit(_) | Interaction::Message(_) => {
                notice::tell(shared, interaction, STALE_FORM)
            }
        }
    }
}

const STALE_CLICK: &str = "This was out of date: the card shows how things are.";
const STALE_FORM: &str = "This question has been answered or has moved on: nothing was sent.";
/// What somebody is told whose text waits for their Submit.
const KEPT: &str = "Your text is kept. Press Submit on the card to send it with your other answers.";

/// The message whose controls count.
fn current(question: &QuestionRecord) -> Result<&str, Failure> {
    let last = question
        .messages
        .last()
        .ok_or_else(|| Failure::refused("a record without messages"))?;
    Ok(&last.id)
}

/// What the app was not granted; nothing where Slack does not say what it was.
fn lacks(scopes: Option<&str>) -> Vec<String> {
    let Some(scopes) = scopes else {
        return Vec::new();
    };
    let granted: Vec<&str> = scopes.split(',').map(str::trim).collect();
    let lacking = SCOPES.iter().filter(|(scope, _)| !granted.contains(scope));
    lacking
        .map(|(scope, without)| format!("the scope {scope}: without it {without}"))
        .collect()
}

/// Opens the form for a typed answer. Its failure is the affair of the person who pressed: a retry has no press to open it for.
fn ask_for_text(shared: &Shared, progress: &Progress, id: &ControlId, event: &ActionEvent) {
    let Control::Type(index) = id.control else {
        return;
    };
    let Some(question) = shared.call.input.questions.get(index) else {
        return;
    };
    let before = progress.typed_by(&event.user.id, index);
    let trigger = event.trigger_id.as_deref().unwrap_or_default();
    if let Err(failure) = typed::open(shared, id, trigger, before, question) {
        log::warn(format!("a form could not be opened: {}", failure.reason));
        let expired = ["expired_trigger_id", "exchanged_trigger_id", "invalid_trigger_id"];
        let why = if api::says(&failure, &expired) {
            "That took too long for Slack"
        } else {
            "The form could not be opened"
        };
        let label = typed::label(&shared.call, question);
        notice::mention(
            &shared.conversation,
            &event.user,
            &format!("{why}: press “{label}” again."),
        );
    }
}

/// A message that is gone has no controls left, and one that Slack refuses to edit is refused the next time too.
fn unless_useless(result: Result<(), Failure>) -> Result<(), Failure> {
    match result {
        Err(Failure {
            kind: FailureKind::Gone | FailureKind::Refused,
            reason,
        }) => {
            log::warn(format!("a card could not be closed: {reason}"));
            Ok(())
        }
        result => result,
    }
}

/// What a clicked message shows as things are.
fn card_now(shared: &Shared, message_id: &str) -> Result<Value, Failure> {
    let progress = Progress::of(&shared.question)?;
    match &progress.closed {
        Some(closed) => Ok(card::closed_card(closed)),
        None if current(&shared.question)? == message_id => card::open(&shared.call, &progress),
        None => Ok(card::closed_card(&[
            "This question goes on in another message.".to_owned()
        ])),
    }
}
