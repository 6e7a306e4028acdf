//! The forum piece on payloads as the forum sends them, with a forum that answers from memory.

#![expect(clippy::unwrap_used, reason = "the helpers of tests fail like tests")]

use forum::Forum;
use frogbot_piece::http::{Priority, Request, Response};
use frogbot_piece::testing::{self, FakeHost, response};
use frogbot_piece::{
    Addressing, Answer, AuthorKind, Call, Channel, Context, Conversation, FailureKind, Happening,
    Interaction, Outcome, Parsed, Place, QuestionOutput, QuestionRecord, Questions, Settings, Shared, http,
};
use serde_json::{Value, json};

fn settings() -> Settings {
    testing::settings(&json!({}), "forum", &json!({ "id": "bot", "name": "frogbot" }))
}

fn context() -> Context {
    testing::context(settings())
}

fn thread() -> Conversation {
    testing::conversation("forum", "board", "t/1")
}

/// Two questions: a colour of two, then a size of three.
fn call() -> Call {
    let colour = testing::question("Colour", "Which colour?", &["Red", "Green"]);
    let size = testing::question("Size", "Which size?", &["S", "M", "L"]);
    testing::call("c1", vec![colour, size])
}

fn fresh() -> QuestionRecord {
    testing::record(&[("p1", 1_000)], None)
}

/// After `Red`.
fn second() -> QuestionRecord {
    testing::record(
        &[("p1", 1_000), ("p2", 2_000)],
        Some(&json!({ "step": 1, "picks": ["Red"] })),
    )
}

fn parse(question: QuestionRecord, interaction: Interaction) -> Parsed {
    Forum::parse(&testing::offer(thread(), call(), question, interaction)).unwrap_or(Parsed::StateUnreadable)
}

fn shared(question: QuestionRecord) -> Shared {
    testing::shared(context(), thread(), call(), question)
}

fn created(_: &Request) -> Result<Response, http::Error> {
    Ok(response(201, &json!({ "id": "p7", "created_at": 7_000 })))
}

fn receive(body: &Value) -> frogbot_piece::Event {
    let request = testing::inbound("application/json", body.to_string());
    Forum::receive(&settings(), &request).unwrap().events.remove(0)
}

fn post_webhook(user: &Value, text: &str) -> Value {
    json!({
        "delivery": "d1", "kind": "post", "bot": { "id": "bot", "name": "frogbot" }, "thread": "t/1", "user": user,
        "post": { "id": "p3", "thread": "t/1", "author": "ann", "text": text, "created_at": 1_500, "buttons": [] },
    })
}

#[test]
fn a_post_that_names_the_bot_is_a_mention_without_the_name() {
    let event = receive(&post_webhook(
        &json!({ "id": "ann", "name": "Ann", "bot": false }),
        "@frogbot which colour?",
    ));
    assert_eq!(
        (event.delivery_id.as_str(), event.addressing),
        ("d1", Addressing::Mention)
    );
    assert_eq!(event.place, Place::Conversation(thread()));
    let Happening::Message(message) = event.happening else {
        panic!("not a message")
    };
    assert_eq!(
        (message.text.as_str(), message.date_sent),
        ("which colour?", Some(1_500))
    );
    assert_eq!(message.author.kind, AuthorKind::Person);
}

#[test]
fn posts_of_programs_are_told_from_our_own() {
    let event = receive(&post_webhook(
        &json!({ "id": "bot", "name": "frogbot", "bot": true }),
        "hello",
    ));
    let Happening::Message(message) = event.happening else {
        panic!("not a message")
    };
    assert_eq!(
        (message.author.kind, event.addressing),
        (AuthorKind::Own, Addressing::None)
    );
    let event = receive(&post_webhook(
        &json!({ "id": "other", "name": "other", "bot": true }),
        "hello",
    ));
    let Happening::Message(message) = event.happening else {
        panic!("not a message")
    };
    assert_eq!(message.author.kind, AuthorKind::Bot);
}

#[test]
fn a_press_carries_its_post_and_button() {
    let event = receive(&json!({
        "delivery": "d2", "kind": "press", "bot": { "id": "bot", "name": "frogbot" }, "thread": "t/1", "user": { "id": "ann", "name": "Ann", "bot": false },
        "post_id": "p1", "button": "q:c1:0:1",
    }));
    let Happening::Action(action) = event.happening else {
        panic!("not a press")
    };
    assert_eq!(
        (action.message_id.as_str(), action.action_id.as_str()),
        ("p1", "q:c1:0:1")
    );
    assert_eq!((event.acknowledgement.status, event.answer_within), (200, 5_000));
}

#[test]
fn an_unknown_kind_is_acknowledged_and_a_broken_body_is_refused_without_quoting_it() {
    let body = json!({ "delivery": "d3", "kind": "like", "bot": { "id": "bot", "name": "frogbot" }, "thread": "t", "user": { "id": "a", "name": "a", "bot": false } });
    let received = Forum::receive(
        &settings(),
        &testing::inbound("application/json", body.to_string()),
    )
    .unwrap();
    assert_eq!((received.reply.status, received.events.len()), (200, 0));
    let line = Forum::receive(
        &settings(),
        &testing::inbound("application/json", r#"{"delivery":"private"}"#),
    )
    .unwrap_err();
    assert!(!line.contains("private"), "{line}");
}

#[test]
fn rendering_posts_the_first_question_with_a_button_per_option_and_dismiss() {
    let host = FakeHost::answering(created);
    let rendering = Forum::render(&context(), &thread(), &[call()]).unwrap();
    let request = host.requests().remove(0);
    assert_eq!(
        (request.method.as_str(), request.path.as_str()),
        ("POST", "/threads/t%2F1/posts")
    );
    let body = host.bodies().remove(0);
    assert_eq!(body["text"], "Which colour?\n1. Red\n2. Green");
    let ids = ["q:c1:0:0", "q:c1:0:1", "q:c1:0:dismiss"];
    assert_eq!(
        body["buttons"]
            .as_array()
            .unwrap()
            .iter()
            .map(|button| &button["id"])
            .collect::<Vec<_>>(),
        ids
    );
    assert_eq!(body["client_id"], "07".repeat(16));
    let message = &rendering.entries[0].messages[0];
    assert_eq!(
        (message.id.as_str(), message.posted_at, message.question),
        ("p7", Some(7_000), Some(0))
    );
    assert_eq!(rendering.entries[0].calls, ["c1"]);
}

#[test]
fn a_reply_picks_by_number_and_the_last_pick_answers() {
    let Parsed::Partial(Some(state)) = parse(fresh(), testing::reply(" /answer 1 ", 1_001)) else {
        panic!("no progress")
    };
    assert_eq!(
        serde_json::from_str::<Value>(&state).unwrap(),
        json!({ "step": 1, "picks": ["Red"] })
    );
    let answer = |header: &str, label: &str| Answer {
        header: header.to_owned(),
        selected: vec![label.to_owned()],
        custom: None,
    };
    let output = QuestionOutput {
        answers: vec![answer("Colour", "Red"), answer("Size", "L")],
    };
    assert_eq!(
        parse(second(), testing::reply("/answer 3", 2_000)),
        Parsed::Answer(output)
    );
}

#[test]
fn other_replies_are_ordinary_messages() {
    for text in [
        "hello",
        "/answer",
        "/answer two",
        "/answer +1",
        "/answer 1 2",
        "please /answer 1",
    ] {
        assert_eq!(
            parse(fresh(), testing::reply(text, 1_001)),
            Parsed::Ignore,
            "{text}"
        );
    }
    assert_eq!(parse(fresh(), testing::reply("/dismiss", 1_001)), Parsed::Dismiss);
}

#[test]
fn a_number_that_no_option_has_is_rejected_with_the_range() {
    for text in ["/answer 0", "/answer 3", "/answer 99999999999999999999999"] {
        let reason = "Reply with a number from 1 to 2.".to_owned();
        assert_eq!(
            parse(fresh(), testing::reply(text, 1_001)),
            Parsed::Rejected(reason),
            "{text}"
        );
    }
}

#[test]
fn a_reply_sent_before_the_current_question_was_posted_is_stale() {
    assert_eq!(parse(second(), testing::reply("/answer 1", 1_999)), Parsed::Stale);
}

#[test]
fn a_press_counts_for_the_step_of_its_button() {
    assert!(matches!(
        parse(fresh(), testing::press("p1", "q:c1:0:1")),
        Parsed::Partial(Some(_))
    ));
    assert_eq!(parse(second(), testing::press("p2", "q:c1:0:1")), Parsed::Stale);
    assert_eq!(
        parse(second(), testing::press("p2", "q:c1:0:dismiss")),
        Parsed::Stale
    );
    assert_eq!(
        parse(second(), testing::press("p2", "q:c1:1:dismiss")),
        Parsed::Dismiss
    );
    for other in ["q:c2:0:1", "menu", "q:c1:0", "x:c1:0:1"] {
        assert_eq!(
            parse(fresh(), testing::press("p1", other)),
            Parsed::Ignore,
            "{other}"
        );
    }
}

#[test]
fn a_state_of_another_form_is_reported() {
    let other = testing::record(&[("p1", 1_000)], Some(&json!(["another", "version"])));
    assert_eq!(
        parse(other, testing::reply("/answer 1", 1_001)),
        Parsed::StateUnreadable
    );
    let beyond = testing::record(&[("p1", 1_000)], Some(&json!({ "step": 9, "picks": [] })));
    assert_eq!(
        Forum::updated(&shared(beyond), None).unwrap_err().kind,
        FailureKind::StateUnreadable
    );
}

#[test]
fn the_next_question_is_posted_from_the_record_alone() {
    let host = FakeHost::answering(created);
    let change = Forum::updated(&shared(second()), None).unwrap();
    assert_eq!(host.bodies()[0]["text"], "Which size?\n1. S\n2. M\n3. L");
    let ids: Vec<String> = change
        .messages
        .unwrap()
        .into_iter()
        .map(|message| message.id)
        .collect();
    assert_eq!(ids, ["p1", "p2", "p7"]);
}

#[test]
fn settling_closes_every_post_and_takes_a_deleted_one_for_closed() {
    let host = FakeHost::answering(|request| {
        Ok(response(
            if request.path == "/posts/p1" { 404 } else { 200 },
            &json!({}),
        ))
    });
    Forum::settled(&shared(second()), &Outcome::Dismissed).unwrap();
    let closed = json!({ "text": "Dismissed.", "buttons": [] });
    assert_eq!(host.bodies(), [closed.clone(), closed]);
    assert!(
        host.requests()
            .iter()
            .all(|request| request.priority == Priority::Closing && request.method == "PATCH")
    );
}

#[test]
fn settling_fails_when_a_post_could_not_be_closed() {
    let _host = FakeHost::answering(|request| {
        Ok(response(
            if request.path == "/posts/p2" { 503 } else { 200 },
            &json!({}),
        ))
    });
    let outcome = Outcome::Output(QuestionOutput { answers: Vec::new() });
    assert_eq!(
        Forum::settled(&shared(second()), &outcome).unwrap_err().kind,
        FailureKind::Retry(None)
    );
}

#[test]
fn notices_are_replies() {
    let host = FakeHost::answering(created);
    let reply = testing::reply("/answer 9", 1_001);
    Forum::rejected(&shared(fresh()), &reply, "Reply with a number from 1 to 2.").unwrap();
    Forum::denied(&shared(fresh()), &reply).unwrap();
    Forum::stale(&shared(fresh()), &reply).unwrap();
    let texts: Vec<String> = host
        .bodies()
        .iter()
        .map(|body| body["text"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(texts[0], "Reply with a number from 1 to 2.");
    assert!(texts[1].contains("may not answer") && texts[2].contains("no longer open"));
}

#[test]
fn identity_is_the_forums_user() {
    let host = FakeHost::answering(|_| {
        Ok(response(
            200,
            &json!({ "name": "Ann", "email": "ann@example.com", "bot": false }),
        ))
    });
    let profile = Forum::identity(&context(), &thread(), &testing::person("an/n")).unwrap();
    assert_eq!(host.requests()[0].path, "/users/an%2Fn");
    assert_eq!(
        (profile.name.as_deref(), profile.email.as_deref()),
        (Some("Ann"), Some("ann@example.com"))
    );
}
