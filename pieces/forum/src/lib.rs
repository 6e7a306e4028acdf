//! The forum piece: the example of the specification, for a platform whose people answer by replying `/answer 2` or by
//! pressing a button.
//!
//! It posts one message per question. The step of the question is part of each button's id, and the state tells which step
//! is current; replies are told apart by when they were sent. Every post carries the idempotency key of what the host owes,
//! by which the forum recognises a repeat: a crash between posting and recording leaves no twin.

mod webhook;

use frogbot_piece::http::{self, Priority, Request, Response, segment};
use frogbot_piece::{
    Answer, Author, Call, Channel, Connected, Context, Conversation, Done, Failure, InboundRequest,
    Interaction, Message, Offer, Outcome, Parsed, Posted, Profile, Question, QuestionChange, QuestionMessage,
    QuestionOutput, QuestionRecord, Questions, Received, Rendering, Settings, Shared, Timestamp, Unreadable,
};
use serde::{Deserialize, Serialize};
use serde_json::json;

/// The slot of the manifest.
const SLOT: &str = "forum";
/// What stands in a button's id in the place of an option's index.
const DISMISS: &str = "dismiss";

/// The piece.
pub struct Forum;

frogbot_piece::export!(Forum);

/// How far a call is: the question that is asked, and what was picked before.
#[derive(Default, Serialize, Deserialize)]
struct Progress {
    step: usize,
    picks: Vec<String>,
}

/// The bot, as the forum knows it.
#[derive(Serialize, Deserialize)]
struct Me {
    id: String,
    name: String,
}

impl Channel for Forum {
    fn connect(_: &Context, _: &str) -> Result<Connected, Failure> {
        let me: Me = Request::get(SLOT, "/me").send()?.accepted()?.json()?;
        Connected::new(&me, format!("@{} on the forum", me.name))
    }

    fn receive(_: &Settings, request: &InboundRequest) -> Result<Received, String> {
        webhook::read(request)
    }

    fn identity(_: &Context, _: &Conversation, author: &Author) -> Result<Profile, Failure> {
        #[derive(Deserialize)]
        struct User {
            name: String,
            email: Option<String>,
        }
        let path = format!("/users/{}", segment(&author.id));
        let user: User = Request::get(SLOT, path).send()?.accepted()?.json()?;
        Ok(Profile {
            name: Some(user.name),
            email: user.email,
            roles: Vec::new(),
            external: false,
        })
    }

    fn post(context: &Context, conversation: &Conversation, part: &str) -> Result<Posted, Failure> {
        let post = post(context, conversation, part, &[])?;
        Ok(Posted {
            message_id: post.id,
            reply: None,
        })
    }
}

impl Questions for Forum {
    fn render(context: &Context, conversation: &Conversation, calls: &[Call]) -> Result<Rendering, Failure> {
        let call = calls
            .first()
            .ok_or_else(|| Failure::refused("asked to render no call"))?;
        let message = ask(context, conversation, call, 0)?;
        Ok(Rendering::message(&call.tool_call_id, message))
    }

    fn parse(offer: &Offer) -> Result<Parsed, Unreadable> {
        match &offer.interaction {
            Interaction::Message(message) => parse_reply(offer, message),
            Interaction::Action(event) => parse_press(offer, &event.action_id),
            Interaction::ModalSubmit(_) => Ok(Parsed::Ignore),
        }
    }

    fn updated(shared: &Shared, _: Option<&Interaction>) -> Result<QuestionChange, Failure> {
        let Progress { step, .. } = progress(&shared.question)?;
        let message = ask(&shared.context, &shared.conversation, &shared.call, step)?;
        Ok(QuestionChange::appended(shared, message))
    }

    fn settled(shared: &Shared, outcome: &Outcome) -> Result<QuestionChange, Failure> {
        let text = match outcome {
            Outcome::Output(_) => "Answered.",
            Outcome::Dismissed => "Dismissed.",
        };
        let close = |message: &QuestionMessage| {
            Request::patch(SLOT, format!("/posts/{}", segment(&message.id)))
                .priority(Priority::Closing)
                .json(&json!({ "text": text, "buttons": [] }))
        };
        let edits = shared
            .question
            .messages
            .iter()
            .map(close)
            .collect::<Result<Vec<_>, _>>()?;
        for response in http::send_all(&edits) {
            let closed = response.map_err(Failure::from).and_then(Response::accepted);
            // A post that somebody has deleted has no controls left.
            closed
                .map(|_| ())
                .or_else(|failure| if failure.is_gone() { Ok(()) } else { Err(failure) })?;
        }
        Ok(QuestionChange::default())
    }

    fn rejected(shared: &Shared, _: &Interaction, reason: &str) -> Result<Done, Failure> {
        notice(shared, reason)
    }

    fn denied(shared: &Shared, _: &Interaction) -> Result<Done, Failure> {
        notice(shared, "You may not answer this question.")
    }

    fn stale(shared: &Shared, _: &Interaction) -> Result<Done, Failure> {
        notice(
            shared,
            "This question is no longer open, or the answer came before it was asked.",
        )
    }
}

fn progress(question: &QuestionRecord) -> Result<Progress, Unreadable> {
    Ok(question.read_state()?.unwrap_or_default())
}

fn question_at(call: &Call, step: usize) -> Result<&Question, Unreadable> {
    let count = call.input.questions.len();
    call.input
        .questions
        .get(step)
        .ok_or_else(|| Unreadable::new(format!("step {step} of a call of {count} questions")))
}

fn parse_reply(offer: &Offer, message: &Message) -> Result<Parsed, Unreadable> {
    let text = message.text.trim();
    if text == "/dismiss" {
        return Ok(Parsed::Dismiss);
    }
    let Some(number) = text.strip_prefix("/answer ").filter(|number| is_number(number)) else {
        return Ok(Parsed::Ignore);
    };
    let posted_at = offer
        .question
        .messages
        .last()
        .and_then(|current| current.posted_at);
    if posted_at.is_some_and(|posted_at| message.sent_before(posted_at)) {
        return Ok(Parsed::Stale);
    }
    // A number too large to read is no option's, like zero.
    let index = number
        .parse::<usize>()
        .ok()
        .and_then(|number| number.checked_sub(1));
    choose(&offer.call, progress(&offer.question)?, index)
}

/// Text of ASCII digits only, as in the specification's pattern: `parse` would take a sign too.
fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

fn parse_press(offer: &Offer, action_id: &str) -> Result<Parsed, Unreadable> {
    let parts: Vec<&str> = action_id.split(':').collect();
    let &["q", call, step, option] = parts.as_slice() else {
        return Ok(Parsed::Ignore);
    };
    if call != offer.call.tool_call_id {
        return Ok(Parsed::Ignore);
    }
    let progress = progress(&offer.question)?;
    if step != progress.step.to_string() {
        return Ok(Parsed::Stale);
    }
    if option == DISMISS {
        return Ok(Parsed::Dismiss);
    }
    choose(&offer.call, progress, option.parse().ok())
}

fn choose(call: &Call, progress: Progress, index: Option<usize>) -> Result<Parsed, Unreadable> {
    let Progress { step, mut picks } = progress;
    let item = question_at(call, step)?;
    let Some(option) = index.and_then(|index| item.options.get(index)) else {
        return Ok(Parsed::Rejected(format!(
            "Reply with a number from 1 to {}.",
            item.options.len()
        )));
    };
    picks.push(option.label.clone());
    if picks.len() < call.input.questions.len() {
        let next = Progress {
            step: step + 1,
            picks,
        };
        return Ok(Parsed::Partial(Some(frogbot_piece::write_json(&next)?)));
    }
    let answer = |(question, pick): (&Question, String)| Answer {
        header: question.header.clone(),
        selected: vec![pick],
        custom: None,
    };
    let answers = call.input.questions.iter().zip(picks).map(answer).collect();
    Ok(Parsed::Answer(QuestionOutput { answers }))
}

/// A button below a post.
#[derive(Serialize)]
struct Button {
    id: String,
    label: String,
}

fn ask(
    context: &Context,
    conversation: &Conversation,
    call: &Call,
    step: usize,
) -> Result<QuestionMessage, Failure> {
    let item = question_at(call, step)?;
    let numbered = item
        .options
        .iter()
        .zip(1..)
        .map(|(option, number)| format!("{number}. {}", option.label));
    let lines: Vec<String> = [item.question.clone()].into_iter().chain(numbered).collect();
    let button = |option: &str, label: &str| Button {
        id: format!("q:{}:{step}:{option}", call.tool_call_id),
        label: label.to_owned(),
    };
    let options = item
        .options
        .iter()
        .enumerate()
        .map(|(index, option)| button(&index.to_string(), &option.label));
    let buttons: Vec<Button> = options.chain([button(DISMISS, "Dismiss")]).collect();
    let posted = post(context, conversation, &lines.join("\n"), &buttons)?;
    Ok(QuestionMessage {
        id: posted.id,
        posted_at: Some(posted.created_at),
        question: u32::try_from(step).ok(),
    })
}

/// A post as the forum reports it.
#[derive(Deserialize)]
struct ForumPost {
    id: String,
    created_at: Timestamp,
}

fn post(
    context: &Context,
    conversation: &Conversation,
    text: &str,
    buttons: &[Button],
) -> Result<ForumPost, Failure> {
    let body = json!({ "text": text, "buttons": buttons, "client_id": context.idempotency_hex() });
    let path = format!("/threads/{}/posts", segment(&conversation.thread));
    Request::post(SLOT, path).json(&body)?.send()?.accepted()?.json()
}

fn notice(shared: &Shared, text: &str) -> Result<Done, Failure> {
    post(&shared.context, &shared.conversation, text, &[])?;
    Ok(Done::default())
}
