//! What a hook is given, in the contract's types.

use lifecycle::question::Message as QuestionMessage;
use lifecycle::tool::{Choice, Input, Item, Output};
use lifecycle::{Actor, MessageId};
use ports::pieces::{
    Author, AuthorKind, Call, Context, Conversation, Ending, InboundRequest, Interaction, Message, Record,
    Shared,
};

use crate::bindings::exports::frogbot::piece::channel_questions;
use crate::bindings::frogbot::piece::types;
use crate::moment::{millis, wall_clock};
use crate::piece::Piece;

pub(crate) fn settings(piece: &Piece, connections: Vec<(String, String)>) -> types::Settings {
    types::Settings {
        channel: piece.channel.clone(),
        options: piece.options.clone(),
        connections: connections
            .into_iter()
            .map(|(account, data)| types::Connection { account, data })
            .collect(),
    }
}

/// The two instants are told by the wall clock, for the guest to plan with; the host measures by its own.
pub(crate) fn context(settings: types::Settings, context: &Context) -> types::Context {
    let now = wall_clock().0;
    types::Context {
        settings,
        attempt: context.attempt,
        idempotency_key: context.idempotency_key.to_vec(),
        deadline: now.saturating_add(millis(context.limit)),
        reply_until: context
            .reply_within
            .map(|within| now.saturating_add(millis(within))),
    }
}

pub(crate) fn conversation(conversation: &Conversation) -> types::Conversation {
    types::Conversation {
        account: conversation.account.clone(),
        room: conversation.room.clone(),
        thread: conversation.thread.clone(),
    }
}

pub(crate) fn author(author: &Author) -> types::Author {
    types::Author {
        id: author.id.clone(),
        name: author.name.clone(),
        kind: match author.kind {
            AuthorKind::Person => types::AuthorKind::Person,
            AuthorKind::Bot => types::AuthorKind::Bot,
            AuthorKind::Own => types::AuthorKind::Own,
            AuthorKind::Unknown => types::AuthorKind::Unknown,
        },
        external: author.external,
    }
}

fn actor(actor: &Actor) -> types::Actor {
    types::Actor {
        id: actor.id.clone(),
        name: actor.name.clone(),
        roles: actor.roles.clone(),
        email: actor.email.clone(),
        user: actor.user.clone(),
    }
}

pub(crate) fn call(call: Call<'_>) -> types::Call {
    types::Call {
        tool_call_id: call.id.0.clone(),
        input: input(call.input),
    }
}

fn input(input: &Input) -> types::QuestionInput {
    let choice = |choice: &Choice| types::Choice {
        label: choice.label.clone(),
        description: choice.description.clone(),
    };
    let question = |item: &Item| types::Question {
        header: item.header.clone(),
        question: item.question.clone(),
        options: item.options.iter().map(choice).collect(),
        multiple: item.multiple,
        custom: item.custom,
    };
    types::QuestionInput {
        questions: input.questions.iter().map(question).collect(),
    }
}

fn output(output: &Output) -> types::QuestionOutput {
    let answers = output.answers.iter();
    types::QuestionOutput {
        answers: answers
            .map(|answer| types::Answer {
                header: answer.header.clone(),
                selected: answer.selected.clone(),
                custom: answer.custom.clone(),
            })
            .collect(),
    }
}

pub(crate) fn outcome(ending: Ending<'_>) -> types::Outcome {
    match ending {
        Ending::Output(answered) => types::Outcome::Output(output(answered)),
        Ending::Dismissed => types::Outcome::Dismissed,
    }
}

pub(crate) fn record(record: Record<'_>) -> types::QuestionRecord {
    let message = |message: &QuestionMessage| types::QuestionMessage {
        id: message.id.0.clone(),
        posted_at: Some(message.posted_at.0),
        question: message.question,
    };
    types::QuestionRecord {
        messages: record.messages.iter().map(message).collect(),
        revision: record.revision,
        state: record.state.map(|state| state.json.clone()),
        state_version: record.state.map(|state| state.written_by.clone()),
    }
}

/// `settings` are those of the shared context's account.
pub(crate) fn shared(settings: types::Settings, shared: &Shared<'_>) -> channel_questions::Shared {
    channel_questions::Shared {
        context: context(settings, &shared.context),
        conversation: conversation(shared.conversation),
        call: call(shared.call),
        question: record(shared.record),
        actor: shared.actor.map(actor),
    }
}

pub(crate) fn interaction(interaction: &Interaction) -> types::Interaction {
    match interaction {
        Interaction::Action(action) => types::Interaction::Action(types::ActionEvent {
            action_id: action.action_id.clone(),
            value: action.value.clone(),
            message_id: action.message_id.0.clone(),
            user: author(&action.user),
            trigger_id: action.trigger_id.clone(),
            raw: action.raw.clone(),
        }),
        Interaction::ModalSubmit(submit) => types::Interaction::ModalSubmit(types::ModalEvent {
            values: submit.values.clone(),
            private_metadata: submit.private_metadata.clone(),
            related_message: submit.related_message.as_ref().map(text_of),
            user: author(&submit.user),
            raw: submit.raw.clone(),
        }),
        Interaction::Message(said) => types::Interaction::Message(message(said)),
    }
}

fn message(message: &Message) -> types::Message {
    types::Message {
        id: message.id.0.clone(),
        text: message.text.clone(),
        author: author(&message.author),
        date_sent: message.date_sent.map(|at| at.0),
        reply_to: message.reply_to.as_ref().map(text_of),
        raw: message.raw.clone(),
    }
}

fn text_of(id: &MessageId) -> String {
    id.0.clone()
}

pub(crate) fn request(request: InboundRequest) -> types::InboundRequest {
    types::InboundRequest {
        method: request.method,
        path: request.path,
        headers: request.headers,
        body: request.body.into(),
    }
}
