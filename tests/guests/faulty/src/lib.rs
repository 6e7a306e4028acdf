//! A piece with one fault, which its channel's option `fault` names: to see each check of the workbench find what it is there
//! for. Without one it is the piece that `frogbot piece new` starts, whose code it wraps.

#![expect(clippy::panic, reason = "some faults are traps")]

// The template says `frogbot_piece` and exports its piece. Here both names are this crate's, whose `export` does nothing: a
// component exports once.
extern crate self as frogbot_piece;

pub use sdk::*;

#[allow(
    unreachable_pub,
    clippy::pedantic,
    reason = "it is written for a package of its own"
)]
#[path = "../../../../sdk/tool/template/lib.rs"]
mod template;

use sdk::http::Request;
use serde::Deserialize;
use serde_json::json;
use template::Piece;

/// In the place of the SDK's: the template's piece is wrapped, not exported.
#[macro_export]
macro_rules! export {
    ($piece:ty) => {};
}

/// What can be wrong with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Fault {
    ConnectsNever,
    TakesPeopleForBots,
    TakesItselfForAPerson,
    NumbersDeliveriesAlike,
    TrapsOnNonsense,
    LosesTexts,
    InventsMessages,
    ShowsNoQuestions,
    ForgetsTheLastOption,
    TrapsOnManyOptions,
    ClaimsToHavePosted,
    GivesUp,
    IgnoresRetryAfter,
    AnswersWithTheFirstOption,
    TakesForeignCards,
    TakesEarlierSteps,
    IgnoresDismiss,
    IgnoresLateClicks,
    TrapsOnForeignState,
    NeedsTheInteraction,
    LeavesDismissedOpen,
    SticksToDeletedCards,
    KeepsSilentToTheLate,
    OpensAgain,
    KeepsSilentToTheDenied,
    ClosesForTheDenied,
    AsksElsewhere,
    KeepsTheReason,
}

#[derive(Deserialize)]
struct Options {
    fault: Option<Fault>,
}

fn has(settings: &Settings, fault: Fault) -> bool {
    settings
        .read_options::<Options>()
        .is_ok_and(|options| options.fault == Some(fault))
}

struct Faulty;

sdk::export!(Faulty);

impl Channel for Faulty {
    fn connect(context: &Context, account: &str) -> Result<Connected, Failure> {
        if has(&context.settings, Fault::ConnectsNever) {
            return Err(Failure::refused("the token is not valid"));
        }
        Ok(Connected {
            summary: format!("the bot of {account}"),
            ..Piece::connect(context, account)?
        })
    }

    fn receive(settings: &Settings, request: &InboundRequest) -> Result<Received, String> {
        let received = Piece::receive(settings, request);
        if received.is_err() && has(settings, Fault::TrapsOnNonsense) {
            panic!("who would send that?");
        }
        let mut received = received?;
        for event in &mut received.events {
            if has(settings, Fault::NumbersDeliveriesAlike) {
                "d".clone_into(&mut event.delivery_id);
            }
            let Happening::Message(message) = &mut event.happening else {
                continue;
            };
            if has(settings, Fault::TakesPeopleForBots) {
                message.author.kind = AuthorKind::Bot;
            }
            if has(settings, Fault::TakesItselfForAPerson) {
                message.author.kind = AuthorKind::Person;
            }
        }
        Ok(received)
    }

    fn split(settings: &Settings, text: &str) -> Vec<String> {
        if has(settings, Fault::LosesTexts) {
            return Vec::new();
        }
        Piece::split(settings, text)
    }

    fn post(context: &Context, conversation: &Conversation, part: &str) -> Result<Posted, Failure> {
        let mut posted = Piece::post(context, conversation, part)?;
        if has(&context.settings, Fault::InventsMessages) {
            "invented".clone_into(&mut posted.message_id);
        }
        Ok(posted)
    }
}

impl Questions for Faulty {
    fn supports(settings: &Settings, conversation: &Conversation) -> bool {
        !has(settings, Fault::ShowsNoQuestions) && Piece::supports(settings, conversation)
    }

    fn render(context: &Context, conversation: &Conversation, calls: &[Call]) -> Result<Rendering, Failure> {
        let settings = &context.settings;
        let mut calls = calls.to_vec();
        for question in calls.iter_mut().flat_map(|call| &mut call.input.questions) {
            if has(settings, Fault::ForgetsTheLastOption) {
                question.options.pop();
            }
            if question.options.len() > 10 && has(settings, Fault::TrapsOnManyOptions) {
                panic!("who would ask that?");
            }
        }
        let rendered =
            Piece::render(context, conversation, &calls).map_err(|failure| worse(settings, failure));
        match (rendered, calls.first()) {
            (Err(_), Some(call)) if has(settings, Fault::ClaimsToHavePosted) => {
                let message = QuestionMessage {
                    id: "claimed".to_owned(),
                    posted_at: None,
                    question: None,
                };
                Ok(Rendering::message(&call.tool_call_id, message))
            }
            (rendered, _) => rendered,
        }
    }

    fn parse(offer: &Offer) -> Result<Parsed, Unreadable> {
        let settings = &offer.settings;
        let mut offer = offer.clone();
        if let Interaction::Action(event) = &mut offer.interaction {
            let mut parts: Vec<String> = event.action_id.split(':').map(str::to_owned).collect();
            if let [_, call, step, _] = parts.as_mut_slice() {
                if has(settings, Fault::TakesForeignCards) {
                    call.clone_from(&offer.call.tool_call_id);
                }
                if has(settings, Fault::TakesEarlierSteps) {
                    let picks: Vec<String> = offer.question.read_state()?.unwrap_or_default();
                    *step = picks.len().to_string();
                }
            }
            event.action_id = parts.join(":");
        }
        if offer.settled && has(settings, Fault::IgnoresLateClicks) {
            return Ok(Parsed::Ignore);
        }
        let parsed = Piece::parse(&offer);
        if parsed.is_err() && has(settings, Fault::TrapsOnForeignState) {
            panic!("who would have written that?");
        }
        let mut parsed = parsed?;
        if matches!(parsed, Parsed::Dismiss) && has(settings, Fault::IgnoresDismiss) {
            return Ok(Parsed::Ignore);
        }
        if let Parsed::Answer(output) = &mut parsed {
            if has(settings, Fault::AnswersWithTheFirstOption) {
                answer_with_the_first(output, &offer.call.input.questions);
            }
        }
        Ok(parsed)
    }

    fn updated(shared: &Shared, interaction: Option<&Interaction>) -> Result<QuestionChange, Failure> {
        let settings = &shared.context.settings;
        if interaction.is_none() && has(settings, Fault::NeedsTheInteraction) {
            return Err(Failure::refused("nothing to redraw"));
        }
        Piece::updated(shared, interaction)
    }

    fn settled(shared: &Shared, outcome: &Outcome) -> Result<QuestionChange, Failure> {
        let settings = &shared.context.settings;
        if matches!(outcome, Outcome::Dismissed) && has(settings, Fault::LeavesDismissedOpen) {
            return Ok(QuestionChange::default());
        }
        if has(settings, Fault::SticksToDeletedCards) {
            for message in &shared.question.messages {
                let there = Request::patch("platform", format!("/messages/{}", message.id))
                    .json(&json!({}))?
                    .send()?;
                there
                    .accepted()
                    .map_err(|failure| Failure::retry(failure.reason))?;
            }
        }
        Piece::settled(shared, outcome).map_err(|failure| worse(settings, failure))
    }

    fn rejected(shared: &Shared, _: &Interaction, reason: &str) -> Result<Done, Failure> {
        let kept = has(&shared.context.settings, Fault::KeepsTheReason);
        let text = if kept { "No." } else { reason };
        Piece::post(&shared.context, &shared.conversation, text)?;
        Ok(Done::default())
    }

    fn denied(shared: &Shared, interaction: &Interaction) -> Result<Done, Failure> {
        let settings = &shared.context.settings;
        if has(settings, Fault::KeepsSilentToTheDenied) {
            return Ok(Done::default());
        }
        if has(settings, Fault::ClosesForTheDenied) {
            Piece::settled(shared, &Outcome::Dismissed)?;
        }
        if has(settings, Fault::AsksElsewhere) {
            Request::post("platform", "/typing").json(&json!({}))?.send()?;
        }
        Piece::denied(shared, interaction)
    }

    fn stale(shared: &Shared, interaction: &Interaction) -> Result<Done, Failure> {
        let settings = &shared.context.settings;
        if has(settings, Fault::KeepsSilentToTheLate) {
            return Ok(Done::default());
        }
        if has(settings, Fault::OpensAgain) {
            Piece::updated(shared, None)?;
        }
        Piece::stale(shared, interaction)
    }
}

fn answer_with_the_first(output: &mut QuestionOutput, questions: &[Question]) {
    for (answer, question) in output.answers.iter_mut().zip(questions) {
        let first = question.options.first();
        answer.selected = first.map(|option| option.label.clone()).into_iter().collect();
    }
}

/// A failure as the piece would tell it with a fault.
fn worse(settings: &Settings, failure: Failure) -> Failure {
    match failure.kind {
        FailureKind::Retry(_) | FailureKind::PerhapsSent if has(settings, Fault::GivesUp) => {
            Failure::refused(failure.reason)
        }
        FailureKind::Retry(Some(_)) if has(settings, Fault::IgnoresRetryAfter) => {
            Failure::retry(failure.reason)
        }
        FailureKind::Retry(_)
        | FailureKind::PerhapsSent
        | FailureKind::Gone
        | FailureKind::Refused
        | FailureKind::StateUnreadable => failure,
    }
}
