//! A piece as `frogbot piece new` makes it, for an invented chat with rooms and buttons. Put your platform in its place:
//! what it sends is in `receive`, what it takes is in `show`, `close` and `say`.
//!
//! A call is one message, which shows one question at a time with a button per option. The state is what was picked so
//! far; how many there are is the step, which is part of each button's id: a press on an earlier step is out of date.

use frogbot_piece::http::{Priority, Request, segment};
use frogbot_piece::{
    ActionEvent, Addressing, Answer, Author, AuthorKind, Call, Channel, Context, Conversation, Done, Event,
    Failure, Happening, HttpReply, InboundRequest, Interaction, Message, Offer, Outcome, Parsed, Place,
    Posted, Question, QuestionChange, QuestionMessage, QuestionOutput, Questions, Received, Rendering,
    Settings, Shared, Timestamp, Unreadable, write_json,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// The slot of piece.toml.
const SLOT: &str = "platform";
/// The platform has one tenant; where it has several, the account is the tenant's id.
const ACCOUNT: &str = "main";
/// What stands in the Dismiss button's id in the place of an option's index.
const DISMISS: &str = "dismiss";
/// How long the platform waits for the response to a press.
const PRESS_ANSWER_WITHIN_MS: u32 = 3_000;

/// The piece.
pub struct Piece;

frogbot_piece::export!(Piece);

/// What the platform sends.
#[derive(Deserialize)]
struct Webhook {
    delivery: String,
    room: String,
    from: From,
    #[serde(flatten)]
    what: What,
}

#[derive(Deserialize)]
struct From {
    id: String,
    name: String,
    /// Whether it is a program. Never let an agent answer a program, least of all itself.
    bot: bool,
}

#[derive(Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
enum What {
    Message {
        id: String,
        text: String,
        sent_at: Timestamp,
    },
    Press {
        message: String,
        button: String,
    },
    #[serde(other)]
    Other,
}

/// What the platform answers when something was posted.
#[derive(Deserialize)]
struct PlatformMessage {
    id: String,
    sent_at: Timestamp,
}

impl Channel for Piece {
    fn receive(_: &Settings, request: &InboundRequest) -> Result<Received, String> {
        let Webhook {
            delivery,
            room,
            from,
            what,
        } = request.json()?;
        let raw = String::from_utf8_lossy(&request.body).into_owned();
        let kind = if from.bot {
            AuthorKind::Bot
        } else {
            AuthorKind::Person
        };
        let author = Author {
            id: from.id,
            name: from.name,
            kind,
            external: false,
        };
        let happening = match what {
            What::Message { id, text, sent_at } => {
                let date_sent = Some(sent_at);
                Happening::Message(Message {
                    id,
                    text,
                    author,
                    date_sent,
                    reply_to: None,
                    raw,
                })
            }
            What::Press { message, button } => Happening::Action(ActionEvent {
                action_id: button,
                value: None,
                message_id: message,
                user: author,
                trigger_id: None,
                raw,
            }),
            What::Other => return Ok(Received::nothing()),
        };
        let conversation = Conversation {
            account: ACCOUNT.to_owned(),
            room,
            thread: String::new(),
        };
        Ok(Received::event(Event {
            delivery_id: delivery,
            place: Place::Conversation(conversation),
            addressing: Addressing::Direct,
            happening,
            acknowledgement: HttpReply::ok(),
            answer_within: PRESS_ANSWER_WITHIN_MS,
        }))
    }

    fn post(context: &Context, conversation: &Conversation, part: &str) -> Result<Posted, Failure> {
        let message = say(context, conversation, json!({ "text": part }))?;
        Ok(Posted {
            message_id: message.id,
            reply: None,
        })
    }
}

impl Questions for Piece {
    fn render(context: &Context, conversation: &Conversation, calls: &[Call]) -> Result<Rendering, Failure> {
        let call = calls
            .first()
            .ok_or_else(|| Failure::refused("asked to render no call"))?;
        let message = say(context, conversation, card(call, 0)?)?;
        let message = QuestionMessage {
            id: message.id,
            posted_at: Some(message.sent_at),
            question: None,
        };
        Ok(Rendering::message(&call.tool_call_id, message))
    }

    fn parse(offer: &Offer) -> Result<Parsed, Unreadable> {
        match &offer.interaction {
            Interaction::Action(event) => press(offer, &event.action_id),
            Interaction::Message(_) | Interaction::ModalSubmit(_) => Ok(Parsed::Ignore),
        }
    }

    fn updated(shared: &Shared, _: Option<&Interaction>) -> Result<QuestionChange, Failure> {
        let picks: Vec<String> = shared.question.read_state()?.unwrap_or_default();
        redraw(shared, &card(&shared.call, picks.len())?, Priority::Normal)
    }

    fn settled(shared: &Shared, outcome: &Outcome) -> Result<QuestionChange, Failure> {
        let text = match outcome {
            Outcome::Output(output) => {
                let picked = output.answers.iter().flat_map(|answer| &answer.selected);
                format!("Answered: {}", picked.cloned().collect::<Vec<_>>().join(", "))
            }
            Outcome::Dismissed => "Dismissed.".to_owned(),
        };
        redraw(shared, &json!({ "text": text, "buttons": [] }), Priority::Closing)
    }

    fn denied(shared: &Shared, _: &Interaction) -> Result<Done, Failure> {
        notice(shared, "You may not answer this question.")
    }

    fn stale(shared: &Shared, _: &Interaction) -> Result<Done, Failure> {
        notice(shared, "This question has moved on.")
    }
}

/// A button, as the platform takes it.
#[derive(Serialize)]
struct Button {
    id: String,
    label: String,
}

/// The message that shows one question of a call.
fn card(call: &Call, step: usize) -> Result<Value, Unreadable> {
    let question = question_at(call, step)?;
    let button = |what: &str, label: &str| Button {
        id: format!("q:{}:{step}:{what}", call.tool_call_id),
        label: label.to_owned(),
    };
    let options = question.options.iter().enumerate();
    let options = options.map(|(index, option)| button(&index.to_string(), &option.label));
    let buttons: Vec<Button> = options.chain([button(DISMISS, "Dismiss")]).collect();
    Ok(json!({ "text": question.question, "buttons": buttons }))
}

fn question_at(call: &Call, step: usize) -> Result<&Question, Unreadable> {
    let question = call.input.questions.get(step);
    question.ok_or_else(|| Unreadable::new(format!("the call has no question {step}")))
}

/// What a press means for the question that is asked now.
fn press(offer: &Offer, id: &str) -> Result<Parsed, Unreadable> {
    let parts: Vec<&str> = id.split(':').collect();
    let &["q", call, step, what] = parts.as_slice() else {
        return Ok(Parsed::Ignore);
    };
    if call != offer.call.tool_call_id {
        return Ok(Parsed::Ignore);
    }
    let mut picks: Vec<String> = offer.question.read_state()?.unwrap_or_default();
    if step != picks.len().to_string() {
        return Ok(Parsed::Stale);
    }
    if what == DISMISS {
        return Ok(Parsed::Dismiss);
    }
    let question = question_at(&offer.call, picks.len())?;
    let option = what
        .parse::<usize>()
        .ok()
        .and_then(|index| question.options.get(index));
    let Some(option) = option else {
        return Ok(Parsed::Stale);
    };
    picks.push(option.label.clone());
    let questions = &offer.call.input.questions;
    if picks.len() < questions.len() {
        return Ok(Parsed::Partial(Some(write_json(&picks)?)));
    }
    let answer = |(question, pick): (&Question, String)| Answer {
        header: question.header.clone(),
        selected: vec![pick],
        custom: None,
    };
    Ok(Parsed::Answer(QuestionOutput {
        answers: questions.iter().zip(picks).map(answer).collect(),
    }))
}

/// Posts a message. The platform recognises a repeat by `key`: a crash between posting and recording leaves no twin.
fn say(
    context: &Context,
    conversation: &Conversation,
    mut message: Value,
) -> Result<PlatformMessage, Failure> {
    message["key"] = json!(context.idempotency_hex());
    let path = format!("/rooms/{}/messages", segment(&conversation.room));
    Request::post(SLOT, path)
        .json(&message)?
        .send()?
        .accepted()?
        .json()
}

/// Draws every message of the call anew. One that somebody has deleted has no controls left.
fn redraw(shared: &Shared, card: &Value, priority: Priority) -> Result<QuestionChange, Failure> {
    for message in &shared.question.messages {
        let path = format!("/messages/{}", segment(&message.id));
        let sent = Request::patch(SLOT, path)
            .priority(priority)
            .json(card)?
            .send()?
            .accepted();
        if let Err(failure) = sent {
            if !failure.is_gone() {
                return Err(failure);
            }
        }
    }
    Ok(QuestionChange::default())
}

fn notice(shared: &Shared, text: &str) -> Result<Done, Failure> {
    say(&shared.context, &shared.conversation, json!({ "text": text }))?;
    Ok(Done::default())
}
