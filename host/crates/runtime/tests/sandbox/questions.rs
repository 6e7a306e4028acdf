//! What the question hooks may return.

use std::time::Duration;

use lifecycle::question::{Message as QuestionMessage, Parsed, PieceState};
use lifecycle::tool::{Choice, Input, Item};
use lifecycle::{CallId, MessageId, Millis, Timestamp};
use ports::Pieces;
use ports::pieces::{
    Acted, Call, Ending, FaultKind, HookFault, ParseResult, QuestionChange, Record, RenderedEntry, Shared,
};

use crate::stage::{CHANNEL, Stage, context, conversation, said};

const LIMIT: Duration = Duration::from_secs(20);

fn input(header: &str) -> Input {
    Input {
        questions: vec![Item {
            header: header.to_owned(),
            question: "Which?".to_owned(),
            options: vec![Choice {
                label: "A".to_owned(),
                description: None,
            }],
            multiple: false,
            custom: true,
        }],
    }
}

async fn render(stage: &Stage, header: &str) -> Result<Acted<Vec<RenderedEntry>>, HookFault> {
    let (id, input) = (CallId::numbered(1), input(header));
    let calls = [Call {
        id: &id,
        input: &input,
    }];
    stage
        .0
        .render(CHANNEL, context(LIMIT), &conversation(), &calls)
        .await
}

fn messages() -> Vec<QuestionMessage> {
    vec![QuestionMessage {
        id: MessageId("M1".to_owned()),
        posted_at: Timestamp(5),
        question: None,
    }]
}

async fn parse(stage: &Stage, text: &str) -> Result<ParseResult, HookFault> {
    let (id, input, messages) = (CallId::numbered(1), input("Pick"), messages());
    let record = Record {
        messages: &messages,
        revision: 4,
        state: None,
    };
    let call = Call {
        id: &id,
        input: &input,
    };
    stage
        .0
        .parse(CHANNEL, &conversation(), call, record, &said(text), true)
        .await
}

/// `updated` and then `settled`.
async fn change(stage: &Stage, header: &str) -> [Result<Acted<QuestionChange>, HookFault>; 2] {
    let (id, input, messages) = (CallId::numbered(1), input(header), messages());
    let state = PieceState {
        json: "[1]".to_owned(),
        written_by: "1.0.0".to_owned(),
    };
    let conversation = conversation();
    let shared = Shared {
        context: context(LIMIT),
        conversation: &conversation,
        call: Call {
            id: &id,
            input: &input,
        },
        record: Record {
            messages: &messages,
            revision: 4,
            state: Some(&state),
        },
        actor: None,
    };
    [
        stage.0.updated(CHANNEL, shared.clone(), None).await,
        stage.0.settled(CHANNEL, shared, Ending::Dismissed).await,
    ]
}

#[tokio::test]
async fn a_rendered_question_is_covered_by_its_message() {
    let rendered = render(&Stage::new().await, "Pick").await.expect("renders");
    let [entry] = &rendered.value[..] else {
        panic!("one entry")
    };
    assert_eq!(entry.calls, [CallId::numbered(1)]);
    assert_eq!(entry.messages[0].id.as_str(), "M1");
    let state = entry.state.as_ref().expect("a state");
    assert_eq!(
        (state.json.as_str(), state.written_by.as_str()),
        (r#"{"page":1}"#, "1.2.3")
    );
}

#[tokio::test]
async fn renderings_that_break_the_contract_are_the_pieces_fault() {
    let stage = Stage::new().await;
    for header in [
        "nothing",
        "unknown call",
        "no call",
        "call twice",
        "no message",
        "no message id",
        "beyond",
        "bad state",
        "large state",
    ] {
        let fault = render(&stage, header).await.expect_err(header);
        assert_eq!(fault.kind, FaultKind::Garbage, "{header}: {fault}");
    }
}

#[tokio::test]
async fn what_parse_says_is_understood() {
    let stage = Stage::new().await;
    for (text, expected) in [
        ("dismiss", Parsed::Dismiss),
        ("stale", Parsed::Stale),
        ("rejected", Parsed::Rejected("no".to_owned())),
        (
            "partial",
            Parsed::Partial(Some(PieceState {
                json: r#"{"revision":4,"settled":true}"#.to_owned(),
                written_by: "1.2.3".to_owned(),
            })),
        ),
    ] {
        assert_eq!(
            parse(&stage, text).await,
            Ok(ParseResult::Parsed(expected)),
            "{text}"
        );
    }
    assert_eq!(
        parse(&stage, "unreadable").await,
        Ok(ParseResult::StateUnreadable)
    );
    let Ok(ParseResult::Parsed(Parsed::Answer(output))) = parse(&stage, "A").await else {
        panic!("an answer")
    };
    assert_eq!(
        (output.answers[0].header.as_str(), &output.answers[0].selected[..]),
        ("Pick", &["A".to_owned()][..])
    );
}

#[tokio::test]
async fn what_parse_must_not_say_is_the_pieces_fault() {
    let stage = Stage::new().await;
    for text in ["rejected without a word", "rejected at length", "bad state"] {
        assert_eq!(
            parse(&stage, text).await.expect_err(text).kind,
            FaultKind::Garbage,
            "{text}"
        );
    }
}

#[tokio::test]
async fn a_redraw_is_for_updated_alone_and_not_too_late() {
    let stage = Stage::new().await;
    let [updated, settled] = change(&stage, "Pick").await;
    assert_eq!(updated.expect("changes").value.redraw_after, None);
    let state = settled.expect("changes").value.state.expect("a state");
    assert_eq!((state.json.as_str(), state.written_by.as_str()), ("[1]", "1.2.3"));
    let [updated, settled] = change(&stage, "redraw").await;
    assert_eq!(updated.expect("may").value.redraw_after, Some(Millis(500)));
    assert_eq!(settled.expect_err("must not").kind, FaultKind::Garbage);
    let [updated, _] = change(&stage, "redraw late").await;
    assert_eq!(updated.expect_err("too late").kind, FaultKind::Garbage);
}

#[tokio::test]
async fn whether_questions_are_shown_is_for_the_piece_to_say() {
    let stage = Stage::new().await;
    assert_eq!(stage.0.supports(CHANNEL, &conversation()).await, Ok(true));
    let elsewhere = ports::pieces::Conversation {
        room: "no".to_owned(),
        ..conversation()
    };
    assert_eq!(stage.0.supports(CHANNEL, &elsewhere).await, Ok(false));
}
