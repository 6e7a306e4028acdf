//! Cards that close, late clicks, and what one person is told.

use frogbot_piece::http::Priority;
use frogbot_piece::testing::{self, FakeHost, response};
use frogbot_piece::{Actor, Channel, FailureKind, Outcome, Parsed, Questions, Shared};
use serde_json::{Value, json};
use slack::Slack;

use crate::nouns::*;

fn by_ann(shared: Shared) -> Shared {
    let actor = Actor {
        id: "U1".to_owned(),
        name: "Ann".to_owned(),
        roles: Vec::new(),
        email: None,
        user: None,
    };
    Shared {
        actor: Some(actor),
        ..shared
    }
}

#[test]
fn settling_closes_every_message_and_remembers_what_the_card_says() {
    let host = FakeHost::answering(ok);
    let question = testing::record(&[("99.000001", 1), (CARD, 2)], None);
    let shared = by_ann(shared(call(&[colour()]), question));
    let outcome = Outcome::Output(output(&[("Colour", &["Red"], None)]));
    let change = Slack::settled(&shared, &outcome).unwrap();
    let text = "*Colour*\nWhich &lt;colour&gt;?\nAnswered by <@U1>:\nRed";
    for (closed, ts) in host.bodies().iter().zip(["99.000001", CARD]) {
        assert_eq!((&closed["ts"], body(closed).as_str()), (&json!(ts), text));
        assert!(controls(closed).is_empty());
    }
    assert!(
        host.requests()
            .iter()
            .all(|request| request.priority == Priority::Closing)
    );
    let state: Value = serde_json::from_str(&change.state.unwrap()).unwrap();
    assert_eq!(state["closed"], json!([text]));
    assert_eq!(
        parse(
            &call(&[colour()]),
            Some(&state),
            press("U1", "q:c1:0:option:0", &[])
        ),
        Parsed::Stale
    );
}

#[test]
fn the_answers_of_several_questions_have_a_line_each() {
    let host = FakeHost::answering(ok);
    let outcome = Outcome::Output(output(&[
        ("Colour", &[], Some("<Mauve>")),
        ("Sizes", &["S", "L"], Some("XXL")),
    ]));
    Slack::settled(
        &by_ann(shared(call(&[colour(), sizes()]), record(None))),
        &outcome,
    )
    .unwrap();
    assert_eq!(
        body(&host.bodies()[0]),
        "Answered by <@U1>:\n*Colour*: &lt;Mauve&gt;\n*Sizes*: S, L, XXL"
    );
}

#[test]
fn a_dismissed_call_says_so_and_by_whom_when_that_is_known() {
    let host = FakeHost::answering(ok);
    let question = || shared(call(&[colour()]), record(None));
    Slack::settled(&question(), &Outcome::Dismissed).unwrap();
    Slack::settled(&by_ann(question()), &Outcome::Dismissed).unwrap();
    let bodies = host.bodies();
    assert!(
        body(&bodies[0]).ends_with("\nDismissed.") && body(&bodies[1]).ends_with("\nDismissed by <@U1>.")
    );
}

#[test]
fn the_longest_answers_keep_to_slacks_limits_and_to_the_states() {
    let host = FakeHost::answering(ok);
    let questions: Vec<_> = (0..50)
        .map(|index| open(numbered(&format!("Q{index}"), 1)))
        .collect();
    let typed = "<\u{1}".repeat(1_500);
    let answers: Vec<(String, String)> = (0..50)
        .map(|index| (format!("Q{index}"), typed.clone()))
        .collect();
    let answers: Vec<(&str, &[&str], Option<&str>)> = answers
        .iter()
        .map(|(header, text)| (header.as_str(), [].as_slice(), Some(text.as_str())))
        .collect();
    for (questions, answers) in [(&questions[..], &answers[..]), (&questions[..1], &answers[..1])] {
        let shared = shared(call(questions), record(None));
        let change = Slack::settled(&shared, &Outcome::Output(output(answers))).unwrap();
        assert!(change.state.unwrap().len() <= 64 * 1024);
    }
    for card in host.bodies() {
        let blocks = card["blocks"].as_array().unwrap();
        let texts: Vec<usize> = blocks
            .iter()
            .map(|block| block["text"]["text"].as_str().unwrap().chars().count())
            .collect();
        assert!(
            blocks.len() <= 50
                && texts.iter().all(|chars| *chars <= 3_000)
                && texts.iter().sum::<usize>() < 13_000
        );
    }
}

#[test]
fn what_slack_will_never_do_counts_as_done_and_what_it_may_do_is_tried_again() {
    let gone = [
        "message_not_found",
        "channel_not_found",
        "is_archived",
        "not_in_channel",
        "token_revoked",
    ];
    for (code, kind) in gone
        .map(|code| (code, FailureKind::Gone))
        .into_iter()
        .chain([("cant_update_message", FailureKind::Refused)])
    {
        let host = FakeHost::answering(failing(code));
        let closed = Slack::settled(&shared(call(&[colour()]), record(None)), &Outcome::Dismissed).unwrap();
        assert!(closed.state.is_some() && host.lines().len() == 1, "{code}");
        assert_eq!(
            Slack::post(&context(), &thread(), "hi").unwrap_err().kind,
            kind,
            "{code}"
        );
    }
    for code in ["ratelimited", "internal_error", "fatal_error", "invalid_auth"] {
        let _host = FakeHost::answering(failing(code));
        let failure =
            Slack::settled(&shared(call(&[colour()]), record(None)), &Outcome::Dismissed).unwrap_err();
        assert_eq!(failure.kind, FailureKind::Retry(None), "{code}");
    }
    let _host = FakeHost::answering(|_| {
        let mut limited = response(429, &json!({ "ok": false, "error": "ratelimited" }));
        limited.headers.push(("retry-after".to_owned(), "30".to_owned()));
        Ok(limited)
    });
    let failure = Slack::settled(&shared(call(&[colour()]), record(None)), &Outcome::Dismissed).unwrap_err();
    assert_eq!(failure.kind, FailureKind::Retry(Some(30_000)));
}

#[test]
fn errors_quote_only_names() {
    let reason = |error: &'static str| {
        let _host = FakeHost::answering(failing(error));
        Slack::post(&context(), &thread(), "hi").unwrap_err().reason
    };
    assert_eq!(reason("invalid_blocks"), "Slack says invalid_blocks");
    assert_eq!(reason("Text <of> somebody"), "Slack says something unreadable");
}

#[test]
fn a_late_click_gets_a_private_notice_and_the_card_as_it_is() {
    let closed = json!({ "done": [], "closed": ["Answered by <@U2>:\nRed"] });
    let host = FakeHost::answering(ok);
    Slack::stale(
        &shared(call(&[colour()]), record(Some(&closed))),
        &press("U1", "q:c1:0:option:0", &[]),
    )
    .unwrap();
    let bodies = host.bodies();
    assert_eq!(
        (&bodies[0]["ts"], body(&bodies[0]).as_str()),
        (&json!(CARD), "Answered by <@U2>:\nRed")
    );
    assert_eq!(
        (&bodies[1]["user"], &bodies[1]["thread_ts"]),
        (&json!("U1"), &json!("1.5"))
    );
    let notice = host.requests().remove(1);
    assert_eq!(
        (notice.path.as_str(), notice.priority),
        ("/chat.postEphemeral", Priority::Notice)
    );
    assert_eq!(notice.rate_key.as_deref(), Some("chat.postEphemeral:C1"));
}

#[test]
fn a_click_on_an_open_but_older_message_takes_its_controls_away() {
    let stale = |message: &str| {
        let host = FakeHost::answering(ok);
        let clicked = testing::press(message, "q:c1:3:option:0");
        Slack::stale(&shared(call(&[colour()]), record(None)), &clicked).unwrap();
        controls(&host.bodies()[0]).len()
    };
    assert_eq!((stale("99.000001"), stale(CARD)), (0, 3));
}

#[test]
fn a_redraw_that_fails_does_not_cost_the_notice() {
    let host = FakeHost::answering(|request| {
        let ok = request.path == "/chat.postEphemeral";
        Ok(response(200, &json!({ "ok": ok, "error": "message_not_found" })))
    });
    Slack::stale(
        &shared(call(&[colour()]), record(None)),
        &press("U1", "q:c1:0:option:0", &[]),
    )
    .unwrap();
    assert_eq!((host.requests().len(), host.lines().len()), (2, 1));
}

#[test]
fn refusals_are_told_to_the_one_who_clicked() {
    let host = FakeHost::answering(ok);
    let clicked = press("U1", "q:c1:0:option:0", &[]);
    let question = answering(shared(call(&[colour()]), record(None)));
    Slack::rejected(&question, &clicked, "Choose <one>.").unwrap();
    Slack::denied(&question, &clicked).unwrap();
    let bodies = host.bodies();
    assert_eq!(
        (&bodies[0]["text"], &bodies[0]["user"]),
        (&json!("Choose &lt;one&gt;."), &json!("U1"))
    );
    assert!(bodies[1]["text"].as_str().unwrap().contains("may not answer"));
}

#[test]
fn somebody_who_is_not_in_the_channel_is_told_directly() {
    let host = FakeHost::answering(|request| {
        let ok = request.path == "/chat.postMessage";
        Ok(response(
            200,
            &json!({ "ok": ok, "error": "user_not_in_channel" }),
        ))
    });
    Slack::denied(
        &shared(call(&[colour()]), record(None)),
        &press("U7", "q:c1:0:option:0", &[]),
    )
    .unwrap();
    let direct = host.bodies().remove(1);
    assert_eq!(
        (&direct["channel"], direct.get("thread_ts")),
        (&json!("U7"), None)
    );
}
