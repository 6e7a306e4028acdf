//! The Slack piece: mentions, threads and direct messages in; replies and cards with buttons out.
//!
//! A call is one message, a card that steps through its questions in place, so its controls name the step they were drawn
//! for. What was chosen so far is the question's state; when the call is settled the state keeps what the card says, so
//! that a late click can draw it again.

mod api;
mod card;
mod events;
mod mrkdwn;
mod progress;

use frogbot_piece::http::Priority;
use frogbot_piece::{
    Author, Call, Channel, Connected, Context, Conversation, Done, Failure, FailureKind, InboundRequest,
    Interaction, Offer, Outcome, Parsed, Posted, Profile, QuestionChange, QuestionMessage, QuestionRecord,
    Questions, Received, Rendering, Settings, Shared, Unreadable, log, split, write_json,
};
use serde::{Deserialize, Serialize};
use serde_json::json;

use progress::Progress;

/// The longest wait in milliseconds that the host takes for a redraw that may come later.
const REDRAW_AFTER_MS_MAX: u32 = 60_000;

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

impl Channel for Slack {
    /// Below the 3,000 characters of a section, with room for the escapes of `&`, `<` and `>` in ordinary text.
    const PART_CHARS_MAX: usize = 2_900;

    fn connect(_: &Context, _: &str) -> Result<Connected, Failure> {
        let me: Me = api::send(api::request("auth.test", &json!({}))?)?;
        Connected::new(&me, format!("@{} in the workspace {}", me.user, me.team))
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
        split::by_lines(text, Self::PART_CHARS_MAX)
    }

    fn post(_: &Context, conversation: &Conversation, part: &str) -> Result<Posted, Failure> {
        let ts = api::post_message(conversation, json!({ "text": mrkdwn::from_markdown(part) }))?;
        Ok(Posted {
            message_id: ts,
            reply: None,
        })
    }
}

impl Questions for Slack {
    /// The first call only: the host comes back for the next one when it is answered.
    fn render(_: &Context, conversation: &Conversation, calls: &[Call]) -> Result<Rendering, Failure> {
        let call = calls
            .first()
            .ok_or_else(|| Failure::refused("asked to render no call"))?;
        card::fits(call)?;
        let card = card::open(call, &Progress::default())?;
        let ts = api::post_message(conversation, card)?;
        let message = QuestionMessage {
            posted_at: events::timestamp(&ts),
            id: ts,
            question: None,
        };
        Ok(Rendering::message(&call.tool_call_id, message))
    }

    fn parse(offer: &Offer) -> Result<Parsed, Unreadable> {
        match &offer.interaction {
            Interaction::Action(event) => {
                progress::parse_click(&offer.call, &offer.question, &event.action_id)
            }
            Interaction::ModalSubmit(_) | Interaction::Message(_) => Ok(Parsed::Ignore),
        }
    }

    fn updated(shared: &Shared, _: Option<&Interaction>) -> Result<QuestionChange, Failure> {
        let progress = Progress::of(&shared.question)?;
        let card = card::open(&shared.call, &progress)?;
        let request = api::update(&shared.conversation, current(&shared.question)?, card)?;
        match api::send::<serde_json::Value>(request) {
            Ok(_) => Ok(QuestionChange::default()),
            // The choice is saved and the card still takes clicks: its ticks may follow later.
            Err(Failure {
                kind: FailureKind::Retry(Some(wait_ms)),
                ..
            }) if progress.toggled && wait_ms <= REDRAW_AFTER_MS_MAX => Ok(QuestionChange {
                redraw_after: Some(wait_ms),
                ..QuestionChange::default()
            }),
            Err(failure) => Err(failure),
        }
    }

    fn settled(shared: &Shared, outcome: &Outcome) -> Result<QuestionChange, Failure> {
        let closed = card::closing_text(&shared.call, outcome, shared.actor.as_ref());
        let update = |message: &QuestionMessage| {
            let request = api::update(&shared.conversation, &message.id, card::closed(&closed));
            request.map(|request| request.priority(Priority::Closing))
        };
        let requests = shared
            .question
            .messages
            .iter()
            .map(update)
            .collect::<Result<Vec<_>, _>>()?;
        for result in api::send_all(&requests) {
            // A message that is gone has no controls left.
            result.or_else(|failure| if failure.is_gone() { Ok(()) } else { Err(failure) })?;
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
        notice(shared, interaction, reason)
    }

    fn denied(shared: &Shared, interaction: &Interaction) -> Result<Done, Failure> {
        notice(shared, interaction, "You may not answer this question.")
    }

    fn stale(shared: &Shared, interaction: &Interaction) -> Result<Done, Failure> {
        redraw(shared, interaction);
        notice(
            shared,
            interaction,
            "This was out of date: the card shows how things are.",
        )
    }
}

/// The message whose controls count.
fn current(question: &QuestionRecord) -> Result<&str, Failure> {
    let last = question
        .messages
        .last()
        .ok_or_else(|| Failure::refused("a record without messages"))?;
    Ok(&last.id)
}

/// Tells one person, in the thread, what only they see.
fn notice(shared: &Shared, interaction: &Interaction, text: &str) -> Result<Done, Failure> {
    let user = match interaction {
        Interaction::Action(event) => &event.user,
        Interaction::ModalSubmit(event) => &event.user,
        Interaction::Message(message) => &message.author,
    };
    let request = api::post_ephemeral(&shared.conversation, &user.id, &mrkdwn::escape(text))?;
    api::send::<serde_json::Value>(request)?;
    Ok(Done::default())
}

/// Draws the clicked card as things are. It repairs what is seen and nothing else, so a failure is only logged.
fn redraw(shared: &Shared, interaction: &Interaction) {
    let Interaction::Action(event) = interaction else {
        return;
    };
    let drawn = card_now(shared, &event.message_id)
        .and_then(|card| api::update(&shared.conversation, &event.message_id, card))
        .and_then(api::send::<serde_json::Value>);
    if let Err(failure) = drawn {
        log::info(format!(
            "a card that is out of date could not be drawn again: {}",
            failure.reason
        ));
    }
}

fn card_now(shared: &Shared, message_id: &str) -> Result<serde_json::Value, Failure> {
    let progress = Progress::of(&shared.question)?;
    match &progress.closed {
        Some(closed) => Ok(card::closed(closed)),
        None if current(&shared.question)? == message_id => card::open(&shared.call, &progress),
        None => Ok(card::closed("This question goes on in another message.")),
    }
}
