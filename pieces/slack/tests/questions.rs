//! Cards, clicks and replies, against a Slack that answers from memory.

#![expect(
    clippy::panic,
    clippy::unwrap_used,
    reason = "the helpers of tests fail like tests"
)]

use frogbot_piece::http::{Priority, Request, Response};
use frogbot_piece::testing::{self, FakeHost, response};
use frogbot_piece::{
    Actor, Answer, Call, Channel, Choice, Context, Conversation, FailureKind, Outcome, Parsed, Question,
    QuestionOutput, QuestionRecord, Questions, Shared, http,
};
use serde_json::{Value, json};
use slack::Slack;

fn thread() -> Conversation {
    testing::conversation("T1", "C1", "1.5")
}

fn context() -> Context {
    testing::context(testing::settings(&json!({}), "T1", &Value::Null))
}

fn colour() -> Question {
    testing::question("Colour", "Which <colour>?", &["Red", "Green"])
}

fn sizes() -> Question {
    Question {
        multiple: true,
        ..testing::question("Sizes", "Which sizes?", &["S", "M", "L"])
    }
}

fn one() -> Call {
    testing::call("c1", vec![colour()])
}

fn two() -> Call {
    testing::call("c1", vec![colour(), sizes()])
}

fn record(state: Option<&Value>) -> QuestionRecord {
    testing::record(&[("100.000001", 100_000)], state)
}

fn ok(_: &Request) -> Result<Response, http::Error> {
    Ok(response(
        200,
        &json!({ "ok": true, "ts": "100.000001", "channel": "C1" }),
    ))
}

fn failing(error: &'static str) -> impl Fn(&Request) -> Result<Response, http::Error> {
    move |_| Ok(response(200, &json!({ "ok": false, "error": error })))
}

fn click(call: Call, question: QuestionRecord, action_id: &str) -> Parsed {
    let offer = testing::offer(thread(), call, question, testing::press("100.000001", action_id));
    Slack::parse(&offer).unwrap_or(Parsed::StateUnreadable)
}

fn partial(parsed: Parsed) -> Value {
    let Parsed::Partial(Some(state)) = parsed else {
        panic!("no progress: {parsed:?}")
    };
    serde_json::from_str(&state).unwrap()
}

fn shared(call: Call, question: QuestionRecord) -> Shared {
    testing::shared(context(), thread(), call, question)
}

fn answer(header: &str, labels: &[&str]) -> Answer {
    let selected = labels.iter().map(|label| (*label).to_owned()).collect();
    Answer {
        header: header.to_owned(),
        selected,
        custom: None,
    }
}

fn elements(card: &Value) -> Vec<&Value> {
    card["blocks"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|block| block["elements"].as_array())
        .flatten()
        .collect()
}

fn labels(card: &Value) -> Vec<&str> {
    elements(card)
        .into_iter()
        .map(|element| element["text"]["text"].as_str().unwrap())
        .collect()
}

#[test]
fn a_call_is_one_card_in_the_thread() {
    let host = FakeHost::answering(ok);
    let rendering = Slack::render(&context(), &thread(), &[one(), two()]).unwrap();
    let message = &rendering.entries[0].messages[0];
    assert_eq!(
        (message.id.as_str(), message.posted_at),
        ("100.000001", Some(100_000))
    );
    assert_eq!(
        (rendering.entries.len(), rendering.entries[0].calls.as_slice()),
        (1, ["c1".to_owned()].as_slice())
    );
    let request = host.requests().remove(0);
    assert_eq!(
        (request.path.as_str(), request.rate_key.as_deref()),
        ("/chat.postMessage", Some("chat.postMessage:C1"))
    );
    let card = host.bodies().remove(0);
    assert_eq!(
        (&card["channel"], &card["thread_ts"]),
        (&json!("C1"), &json!("1.5"))
    );
    assert_eq!(
        card["blocks"][0]["text"]["text"],
        "*Colour*\nWhich &lt;colour&gt;?\n1. Red\n2. Green"
    );
    let ids: Vec<&str> = elements(&card)
        .iter()
        .map(|element| element["action_id"].as_str().unwrap())
        .collect();
    assert_eq!(ids, ["q:c1:0:0", "q:c1:0:1", "q:c1:0:dismiss"]);
    assert_eq!(labels(&card), ["1. Red", "2. Green", "Dismiss"]);
}

#[test]
fn a_single_choice_is_answered_by_one_click() {
    let output = QuestionOutput {
        answers: vec![answer("Colour", &["Green"])],
    };
    assert_eq!(click(one(), record(None), "q:c1:0:1"), Parsed::Answer(output));
    assert_eq!(click(one(), record(None), "q:c1:0:dismiss"), Parsed::Dismiss);
    for other in ["q:c2:0:1", "q:c1:0:7", "q:c1:0:x", "menu", "q:c1:0"] {
        assert_eq!(click(one(), record(None), other), Parsed::Ignore, "{other}");
    }
}

#[test]
fn several_questions_step_in_place_and_picks_are_kept_until_submit() {
    let first = partial(click(two(), record(None), "q:c1:0:0"));
    assert_eq!(click(two(), record(Some(&first)), "q:c1:0:0"), Parsed::Stale);
    let refused = click(two(), record(Some(&first)), "q:c1:1:submit");
    assert_eq!(
        refused,
        Parsed::Rejected("Choose at least one option first.".to_owned())
    );
    let ticked = partial(click(two(), record(Some(&first)), "q:c1:1:2"));
    let both = partial(click(two(), record(Some(&ticked)), "q:c1:1:0"));
    let unticked = partial(click(two(), record(Some(&both)), "q:c1:1:2"));
    assert_eq!(
        (&both["ticked"], &unticked["ticked"]),
        (&json!([0, 2]), &json!([0]))
    );
    let output = QuestionOutput {
        answers: vec![answer("Colour", &["Red"]), answer("Sizes", &["S", "L"])],
    };
    assert_eq!(
        click(two(), record(Some(&both)), "q:c1:1:submit"),
        Parsed::Answer(output)
    );
}

#[test]
fn the_card_is_redrawn_from_the_record_alone() {
    let host = FakeHost::answering(ok);
    let state = json!({ "done": [[0]], "ticked": [2], "toggled": true });
    Slack::updated(&shared(two(), record(Some(&state))), None).unwrap();
    let request = host.requests().remove(0);
    assert_eq!(
        (request.path.as_str(), request.rate_key.as_deref()),
        ("/chat.update", Some("chat.update"))
    );
    let card = host.bodies().remove(0);
    assert_eq!(
        (&card["ts"], &card["blocks"][0]["text"]["text"]),
        (
            &json!("100.000001"),
            &json!("*Sizes* (2 of 2)\nWhich sizes?\n1. S\n2. M\n3. L"),
        )
    );
    assert_eq!(labels(&card), ["☐ 1. S", "☐ 2. M", "☑ 3. L", "Submit", "Dismiss"]);
}

#[test]
fn a_limited_redraw_of_ticks_comes_later_and_that_of_a_step_is_a_failure() {
    let _host = FakeHost::answering(|_| Err(http::Error::RateLimited(4_000)));
    let ticks = json!({ "done": [[0]], "ticked": [2], "toggled": true });
    let change = Slack::updated(&shared(two(), record(Some(&ticks))), None).unwrap();
    assert_eq!(change.redraw_after, Some(4_000));
    let step = json!({ "done": [[0]] });
    let failure = Slack::updated(&shared(two(), record(Some(&step))), None).unwrap_err();
    assert_eq!(failure.kind, FailureKind::Retry(Some(4_000)));
}

#[test]
fn settling_closes_every_message_and_remembers_what_the_card_says() {
    let host = FakeHost::answering(ok);
    let actor = Actor {
        id: "U1".to_owned(),
        name: "Ann".to_owned(),
        roles: Vec::new(),
        email: None,
        user: None,
    };
    let question = testing::record(&[("99.000001", 1), ("100.000001", 2)], None);
    let shared = Shared {
        actor: Some(actor),
        ..shared(one(), question)
    };
    let outcome = Outcome::Output(QuestionOutput {
        answers: vec![answer("Colour", &["Red"])],
    });
    let change = Slack::settled(&shared, &outcome).unwrap();
    let text = "*Colour*\nWhich &lt;colour&gt;?\nAnswered by <@U1>: Red";
    for (body, ts) in host.bodies().iter().zip(["99.000001", "100.000001"]) {
        assert_eq!(
            (&body["ts"], &body["blocks"][0]["text"]["text"]),
            (&json!(ts), &json!(text))
        );
        assert!(elements(body).is_empty());
    }
    assert!(
        host.requests()
            .iter()
            .all(|request| request.priority == Priority::Closing)
    );
    let state: Value = serde_json::from_str(&change.state.unwrap()).unwrap();
    assert_eq!(state["closed"], text);
    assert_eq!(click(one(), record(Some(&state)), "q:c1:0:0"), Parsed::Stale);
}

#[test]
fn a_dismissed_call_says_so_and_by_whom_when_that_is_known() {
    let host = FakeHost::answering(ok);
    Slack::settled(&shared(two(), record(None)), &Outcome::Dismissed).unwrap();
    assert_eq!(host.bodies()[0]["text"], "*Colour*\n*Sizes*\nDismissed.");
}

#[test]
fn a_message_that_is_gone_counts_as_closed_and_a_limited_one_is_tried_again() {
    for gone in [
        "message_not_found",
        "channel_not_found",
        "is_archived",
        "not_in_channel",
    ] {
        let _host = FakeHost::answering(failing(gone));
        assert!(
            Slack::settled(&shared(one(), record(None)), &Outcome::Dismissed)
                .unwrap()
                .state
                .is_some(),
            "{gone}"
        );
        assert_eq!(
            Slack::post(&context(), &thread(), "hi").unwrap_err().kind,
            FailureKind::Gone,
            "{gone}"
        );
    }
    let _host = FakeHost::answering(|_| {
        let mut limited = response(429, &json!({ "ok": false, "error": "ratelimited" }));
        limited.headers.push(("retry-after".to_owned(), "30".to_owned()));
        Ok(limited)
    });
    let failure = Slack::settled(&shared(one(), record(None)), &Outcome::Dismissed).unwrap_err();
    assert_eq!(failure.kind, FailureKind::Retry(Some(30_000)));
}

#[test]
fn errors_tell_the_host_what_to_do_and_quote_only_names() {
    let kind = |error: &'static str| {
        let _host = FakeHost::answering(failing(error));
        Slack::post(&context(), &thread(), "hi").unwrap_err()
    };
    assert_eq!(kind("internal_error").kind, FailureKind::Retry(None));
    assert_eq!(kind("invalid_auth").kind, FailureKind::Refused);
    assert_eq!(kind("invalid_blocks").reason, "Slack says invalid_blocks");
    assert_eq!(
        kind("Text <of> somebody").reason,
        "Slack says something unreadable"
    );
    let _host = FakeHost::answering(|_| Ok(response(503, &Value::Null)));
    assert_eq!(
        Slack::post(&context(), &thread(), "hi").unwrap_err().kind,
        FailureKind::Retry(None)
    );
}

#[test]
fn a_late_click_gets_a_private_notice_and_the_card_as_it_is() {
    let closed = json!({ "done": [], "closed": "Answered by <@U2>: Red" });
    let host = FakeHost::answering(ok);
    Slack::stale(
        &shared(one(), record(Some(&closed))),
        &testing::press("100.000001", "q:c1:0:0"),
    )
    .unwrap();
    let bodies = host.bodies();
    assert_eq!(
        (&bodies[0]["ts"], &bodies[0]["text"]),
        (&json!("100.000001"), &json!("Answered by <@U2>: Red"))
    );
    assert_eq!(
        (&bodies[1]["user"], &bodies[1]["thread_ts"]),
        (&json!("U1"), &json!("1.5"))
    );
    assert_eq!(host.requests()[1].path, "/chat.postEphemeral");
    assert_eq!(host.requests()[1].priority, Priority::Notice);
}

#[test]
fn a_click_on_an_open_but_older_message_takes_its_controls_away() {
    let host = FakeHost::answering(ok);
    Slack::stale(
        &shared(one(), record(None)),
        &testing::press("99.000001", "q:c1:0:0"),
    )
    .unwrap();
    assert!(elements(&host.bodies()[0]).is_empty());
    let host = FakeHost::answering(ok);
    Slack::stale(
        &shared(one(), record(None)),
        &testing::press("100.000001", "q:c1:3:0"),
    )
    .unwrap();
    assert_eq!(elements(&host.bodies()[0]).len(), 3);
}

#[test]
fn a_redraw_that_fails_does_not_cost_the_notice() {
    let host = FakeHost::answering(|request| {
        let ok = request.path == "/chat.postEphemeral";
        Ok(response(200, &json!({ "ok": ok, "error": "message_not_found" })))
    });
    Slack::stale(
        &shared(one(), record(None)),
        &testing::press("100.000001", "q:c1:0:0"),
    )
    .unwrap();
    assert_eq!((host.requests().len(), host.lines().len()), (2, 1));
}

#[test]
fn refusals_are_told_to_the_one_who_clicked() {
    let host = FakeHost::answering(ok);
    let clicked = testing::press("100.000001", "q:c1:0:0");
    Slack::rejected(&shared(one(), record(None)), &clicked, "Choose <one>.").unwrap();
    Slack::denied(&shared(one(), record(None)), &clicked).unwrap();
    let bodies = host.bodies();
    assert_eq!(
        (&bodies[0]["text"], &bodies[0]["user"]),
        (&json!("Choose &lt;one&gt;."), &json!("U1"))
    );
    assert!(bodies[1]["text"].as_str().unwrap().contains("may not answer"));
}

#[test]
fn the_longest_question_keeps_to_slacks_limits() {
    let long = |length: usize| "&".repeat(length);
    let option = |index: usize| Choice {
        label: format!("{index}{}", long(2_000)),
        description: Some(long(2_000)),
    };
    for count in [1, 5, 25, 26, 100] {
        let options = (0..count).map(option).collect();
        let item = Question {
            options,
            ..testing::question(&long(30), &long(20_000), &[])
        };
        let host = FakeHost::answering(ok);
        Slack::render(&context(), &thread(), &[testing::call("c1", vec![item])]).unwrap();
        let card = host.bodies().remove(0);
        let blocks = card["blocks"].as_array().unwrap();
        let texts: Vec<&str> = blocks
            .iter()
            .filter_map(|block| block["text"]["text"].as_str())
            .collect();
        assert!(
            blocks.len() <= 50
                && texts
                    .iter()
                    .all(|text| (1..=3_000).contains(&text.chars().count())),
            "{count}"
        );
        assert!(
            texts.iter().all(|text| !text.replace("&amp;", "").contains('&')),
            "an escape is cut, {count}"
        );
        let on_buttons: Vec<usize> = labels(&card).iter().map(|label| label.chars().count()).collect();
        assert_eq!(on_buttons.len(), count + 1);
        assert!(on_buttons.iter().all(|chars| *chars <= 75), "{count}");
        let total: usize =
            texts.iter().map(|text| text.chars().count()).sum::<usize>() + on_buttons.iter().sum::<usize>();
        assert!(total <= 13_200, "{count}: {total}");
        assert!(card.to_string().len() <= 256 * 1024, "{count}");
    }
}

#[test]
fn more_options_than_fit_are_refused() {
    let labels: Vec<String> = (0..101).map(|index| index.to_string()).collect();
    let labels: Vec<&str> = labels.iter().map(String::as_str).collect();
    let number = testing::question("Number", "Which?", &labels);
    let host = FakeHost::answering(ok);
    // Of a later question too: the people who answer the first one must not find out.
    for questions in [vec![number.clone()], vec![colour(), number]] {
        let failure = Slack::render(&context(), &thread(), &[testing::call("c1", questions)]).unwrap_err();
        assert_eq!((failure.kind, host.requests().len()), (FailureKind::Refused, 0));
        assert_eq!(
            failure.reason,
            "a question can have at most 100 options here, found 101: offer fewer"
        );
    }
}

#[test]
fn a_reply_is_posted_in_the_thread_and_calls_nobody() {
    let host = FakeHost::answering(ok);
    let posted = Slack::post(&context(), &thread(), "**done** <!channel>").unwrap();
    assert_eq!(posted.message_id, "100.000001");
    let body = host.bodies().remove(0);
    assert_eq!(
        (&body["text"], &body["thread_ts"]),
        (&json!("*done* &lt;!channel&gt;"), &json!("1.5"))
    );
    Slack::post(&context(), &testing::conversation("T1", "D1", ""), "hi").unwrap();
    assert!(host.bodies()[1].get("thread_ts").is_none());
}

#[test]
fn no_link_is_fetched_for_a_preview() {
    let host = FakeHost::answering(ok);
    Slack::post(&context(), &thread(), "https://evil.example/x.png?d=secret").unwrap();
    Slack::render(&context(), &thread(), &[one()]).unwrap();
    for body in host.bodies() {
        assert_eq!(
            (&body["unfurl_links"], &body["unfurl_media"]),
            (&json!(false), &json!(false)),
            "{body}"
        );
    }
}

#[test]
fn replies_are_cut_between_lines_below_the_limit() {
    let text = format!("{}\n{}", "a".repeat(2_500), "b".repeat(2_500));
    let parts = Slack::split(&context().settings, &text);
    assert_eq!(
        parts.iter().map(|part| part.chars().count()).collect::<Vec<_>>(),
        [2_500, 2_500]
    );
}

#[test]
fn the_bot_learns_who_it_is() {
    let me = json!({ "ok": true, "user_id": "UBOT", "bot_id": "BBOT", "user": "frogbot", "team": "Acme", "team_id": "T1" });
    let _host = FakeHost::answering(move |_| Ok(response(200, &me)));
    let connected = Slack::connect(&context(), "T1").unwrap();
    assert_eq!(connected.summary, "@frogbot in the workspace Acme");
    assert_eq!(
        serde_json::from_str::<Value>(&connected.data).unwrap()["user_id"],
        "UBOT"
    );
}

#[test]
fn a_person_has_the_address_of_their_profile_and_strangers_are_external() {
    let identity = |user: Value| {
        let host =
            FakeHost::answering(move |_| Ok(response(200, &json!({ "ok": true, "user": user.clone() }))));
        let profile = Slack::identity(&context(), &thread(), &testing::person("U1")).unwrap();
        assert_eq!(host.requests()[0].path, "/users.info?user=U1");
        profile
    };
    let ann = identity(
        json!({ "team_id": "T1", "profile": { "display_name": "", "real_name": "Ann", "email": "ann@example.com" } }),
    );
    assert_eq!(
        (ann.name.as_deref(), ann.email.as_deref(), ann.external),
        (Some("Ann"), Some("ann@example.com"), false)
    );
    assert!(identity(json!({ "team_id": "T2", "profile": {} })).external);
    assert!(identity(json!({ "is_stranger": true })).external);
}
