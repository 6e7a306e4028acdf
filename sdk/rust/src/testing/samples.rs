//! Nouns for tests, with what a test does not care about filled in.

use crate::{
    ActionEvent, Author, AuthorKind, Call, Choice, Connection, Context, Conversation, InboundRequest,
    Interaction, Message, Offer, Question, QuestionInput, QuestionMessage, QuestionRecord, Settings, Shared,
    Timestamp,
};

/// Settings of a channel `test` with these options and one connection.
pub fn settings(options: &serde_json::Value, account: &str, connection: &serde_json::Value) -> Settings {
    let connection = Connection {
        account: account.to_owned(),
        data: connection.to_string(),
    };
    Settings {
        channel: "test".to_owned(),
        options: options.to_string(),
        connections: vec![connection],
    }
}

/// A first attempt with a deadline far away and the idempotency key `07 07 …`.
pub fn context(settings: Settings) -> Context {
    Context {
        settings,
        attempt: 1,
        idempotency_key: vec![7; 16],
        deadline: u64::MAX,
        reply_until: None,
    }
}

/// A conversation.
pub fn conversation(account: &str, room: &str, thread: &str) -> Conversation {
    Conversation {
        account: account.to_owned(),
        room: room.to_owned(),
        thread: thread.to_owned(),
    }
}

/// A verified `POST` with this body and `content-type`.
pub fn inbound(content_type: &str, body: impl Into<Vec<u8>>) -> InboundRequest {
    InboundRequest {
        method: "POST".to_owned(),
        path: String::new(),
        headers: vec![("content-type".to_owned(), content_type.to_owned())],
        body: body.into(),
    }
}

/// A question with these labels, for one choice and without a typed answer.
pub fn question(header: &str, text: &str, labels: &[&str]) -> Question {
    let option = |label: &&str| Choice {
        label: (*label).to_owned(),
        description: None,
    };
    Question {
        header: header.to_owned(),
        question: text.to_owned(),
        options: labels.iter().map(option).collect(),
        multiple: false,
        custom: false,
    }
}

/// A call.
pub fn call(id: &str, questions: Vec<Question>) -> Call {
    Call {
        tool_call_id: id.to_owned(),
        input: QuestionInput { questions },
    }
}

/// A record with these messages and instants of posting.
pub fn record(messages: &[(&str, Timestamp)], state: Option<&serde_json::Value>) -> QuestionRecord {
    let message = |(id, posted_at): &(&str, Timestamp)| QuestionMessage {
        id: (*id).to_owned(),
        posted_at: Some(*posted_at),
        question: None,
    };
    QuestionRecord {
        messages: messages.iter().map(message).collect(),
        revision: u64::from(state.is_some()),
        state: state.map(ToString::to_string),
        state_version: None,
    }
}

/// A person.
pub fn person(id: &str) -> Author {
    Author {
        id: id.to_owned(),
        name: id.to_owned(),
        kind: AuthorKind::Person,
        external: false,
    }
}

/// A button pressed by `U1`.
pub fn press(message_id: &str, action_id: &str) -> Interaction {
    Interaction::Action(ActionEvent {
        action_id: action_id.to_owned(),
        value: None,
        message_id: message_id.to_owned(),
        user: person("U1"),
        trigger_id: None,
        raw: "{}".to_owned(),
    })
}

/// A reply of `U1`.
pub fn reply(text: &str, date_sent: Timestamp) -> Interaction {
    Interaction::Message(Message {
        id: "reply".to_owned(),
        text: text.to_owned(),
        author: person("U1"),
        date_sent: Some(date_sent),
        reply_to: None,
        raw: "{}".to_owned(),
    })
}

/// What `parse` is shown of an open question.
pub fn offer(
    conversation: Conversation,
    call: Call,
    question: QuestionRecord,
    interaction: Interaction,
) -> Offer {
    let settings = settings(
        &serde_json::json!({}),
        &conversation.account,
        &serde_json::Value::Null,
    );
    Offer {
        settings,
        conversation,
        call,
        question,
        interaction,
        settled: false,
    }
}

/// What the later hooks are given, without an actor.
pub fn shared(context: Context, conversation: Conversation, call: Call, question: QuestionRecord) -> Shared {
    Shared {
        context,
        conversation,
        call,
        question,
        actor: None,
    }
}
