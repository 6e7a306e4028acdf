//! What it does with questions.

use crate::Hostile;
use crate::bindings::exports::frogbot::piece::channel_questions::{
    self, Parsed, QuestionChange, Rendered, Rendering, Shared,
};
use crate::bindings::frogbot::piece::types::{
    Answer, Call, Context, Conversation, Done, Failure, Interaction, Outcome, QuestionMessage,
    QuestionOutput, QuestionRecord, Settings,
};

fn shown(id: &str, question: Option<u32>) -> QuestionMessage {
    QuestionMessage {
        id: id.to_owned(),
        posted_at: None,
        question,
    }
}

fn header_of(call: &Call) -> &str {
    call.input
        .questions
        .first()
        .map_or("", |question| question.header.as_str())
}

impl channel_questions::Guest for Hostile {
    fn supports(_: Settings, conversation: Conversation) -> bool {
        conversation.room != "no"
    }

    fn render(_: Context, _: Conversation, calls: Vec<Call>) -> Result<Rendering, Failure> {
        let first = calls.first().map_or("", header_of);
        let covered: Vec<String> = match first {
            "unknown call" => vec!["q0000000099".to_owned()],
            "no call" => Vec::new(),
            "call twice" => calls
                .iter()
                .chain(&calls)
                .map(|call| call.tool_call_id.clone())
                .collect(),
            _ => calls.iter().map(|call| call.tool_call_id.clone()).collect(),
        };
        let messages = match first {
            "no message" => Vec::new(),
            "no message id" => vec![shown("", None)],
            "beyond" => vec![shown("M1", Some(1))],
            _ => vec![shown("M1", Some(0))],
        };
        let state = match first {
            "bad state" => "{".to_owned(),
            "large state" => format!("\"{}\"", "x".repeat(64 * 1024)),
            _ => "{\"page\":1}".to_owned(),
        };
        let entry = Rendered {
            calls: covered,
            messages,
            state: Some(state),
        };
        let entries = if first == "nothing" {
            Vec::new()
        } else {
            vec![entry]
        };
        Ok(Rendering { entries, reply: None })
    }

    fn parse(
        _: Settings,
        _: Conversation,
        call: Call,
        question: QuestionRecord,
        interaction: Interaction,
        settled: bool,
    ) -> Parsed {
        let Interaction::Message(message) = interaction else {
            return Parsed::Ignore;
        };
        match message.text.as_str() {
            "dismiss" => Parsed::Dismiss,
            "stale" => Parsed::Stale,
            "unreadable" => Parsed::StateUnreadable,
            "rejected" => Parsed::Rejected("no".to_owned()),
            "rejected without a word" => Parsed::Rejected(String::new()),
            "rejected at length" => Parsed::Rejected("x".repeat(1025)),
            "partial" => Parsed::Partial(Some(format!(
                "{{\"revision\":{},\"settled\":{settled}}}",
                question.revision
            ))),
            "bad state" => Parsed::Partial(Some("no json".to_owned())),
            label => Parsed::Answer(QuestionOutput {
                answers: vec![Answer {
                    header: header_of(&call).to_owned(),
                    selected: vec![label.to_owned()],
                    custom: None,
                }],
            }),
        }
    }

    fn updated(shared: Shared, _: Option<Interaction>) -> Result<QuestionChange, Failure> {
        Ok(changed(&shared))
    }

    fn settled(shared: Shared, _: Outcome) -> Result<QuestionChange, Failure> {
        Ok(changed(&shared))
    }

    fn rejected(_: Shared, _: Interaction, _: String) -> Result<Done, Failure> {
        Ok(Done { reply: None })
    }

    fn denied(_: Shared, _: Interaction) -> Result<Done, Failure> {
        Ok(Done { reply: None })
    }

    fn stale(_: Shared, _: Interaction) -> Result<Done, Failure> {
        Ok(Done { reply: None })
    }
}

fn changed(shared: &Shared) -> QuestionChange {
    QuestionChange {
        messages: None,
        state: shared.question.state.clone(),
        redraw_after: match header_of(&shared.call) {
            "redraw" => Some(500),
            "redraw late" => Some(60_001),
            _ => None,
        },
        reply: None,
    }
}
