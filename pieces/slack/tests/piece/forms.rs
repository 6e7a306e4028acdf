//! Typed answers.

use frogbot_piece::testing::{FakeHost, response};
use frogbot_piece::{Outcome, Parsed, Questions};
use serde_json::{Value, json};
use slack::Slack;

use crate::nouns::*;

const TYPE: &str = "q:c1:0:type:0";

#[test]
fn the_button_opens_a_form_and_changes_nothing() {
    let call = call(&[open(colour())]);
    assert_eq!(parse(&call, None, press("U1", TYPE, &[])), Parsed::Partial(None));
    let host = FakeHost::answering(ok);
    let change = Slack::updated(&shared(call, record(None)), Some(&press("U1", TYPE, &[]))).unwrap();
    assert_eq!((change.messages.is_none(), change.state), (true, None));
    let requests = host.requests();
    assert_eq!((requests.len(), requests[0].path.as_str()), (1, "/views.open"));
    let body = host.bodies().remove(0);
    assert_eq!(body["trigger_id"], "1.2.3");
    let view = &body["view"];
    assert_eq!(
        (&view["callback_id"], &view["private_metadata"]),
        (&json!(TYPE), &json!("locator:T1:C1:1.5:100.000001"))
    );
    assert!(
        view["title"]["text"]
            .as_str()
            .is_some_and(|title| title.len() <= 24)
    );
    let input = &view["blocks"][1];
    assert_eq!(
        (&input["label"]["text"], &input["optional"]),
        (&json!("Colour"), &json!(false))
    );
}

#[test]
fn a_lone_choice_is_answered_by_its_form() {
    let call = call(&[open(colour())]);
    let typed = |text: &str| parse(&call, None, form("U1", TYPE, text));
    assert_eq!(
        typed("  Mauve\n"),
        Parsed::Answer(output(&[("Colour", &[], Some("Mauve"))]))
    );
    assert_eq!(typed(" \n"), Parsed::Rejected("Type an answer first.".to_owned()));
}

#[test]
fn a_form_for_a_question_that_takes_no_text_or_of_another_call_is_ignored() {
    assert_eq!(
        parse(&call(&[colour()]), None, form("U1", TYPE, "Mauve")),
        Parsed::Ignore
    );
    let open = call(&[open(colour())]);
    for id in ["q:c2:0:type:0", "q:c1:0:type:1", "q:c1:0:submit", "feedback"] {
        assert_eq!(
            parse(&open, None, form("U1", id, "Mauve")),
            Parsed::Ignore,
            "{id}"
        );
    }
}

#[test]
fn typed_texts_wait_for_submit_each_for_its_author() {
    let call = call(&[open(colour()), open(sizes())]);
    let ann = partial(parse(&call, None, form("U1", TYPE, "Mauve")));
    let both = partial(parse(&call, Some(&ann), form("U2", TYPE, "Teal")));
    let again = partial(parse(&call, Some(&both), form("U1", TYPE, "Lilac")));

    let submit = |person: &str, picked: &[(&str, &[usize])]| {
        parse(&call, Some(&again), press(person, "q:c1:0:submit", picked))
    };
    let sizes: &[(&str, &[usize])] = &[("q:c1:0:pick:0", &[0]), ("q:c1:0:pick:1", &[0, 1])];
    // In a single choice the text goes before the pick.
    let of = |text| {
        Parsed::Answer(output(&[
            ("Colour", &[], Some(text)),
            ("Sizes", &["S", "M"], None),
        ]))
    };
    assert_eq!(
        (submit("U1", sizes), submit("U2", sizes)),
        (of("Lilac"), of("Teal"))
    );
    let picked = Parsed::Answer(output(&[
        ("Colour", &["Red"], None),
        ("Sizes", &["S", "M"], None),
    ]));
    assert_eq!(submit("U3", sizes), picked);

    // In a multiple both count, and an emptied form takes the text back.
    let typed = partial(parse(&call, Some(&again), form("U1", "q:c1:0:type:1", "XXL")));
    let output = output(&[
        ("Colour", &[], Some("Lilac")),
        ("Sizes", &["S", "M"], Some("XXL")),
    ]);
    assert_eq!(
        parse(&call, Some(&typed), press("U1", "q:c1:0:submit", sizes)),
        Parsed::Answer(output)
    );
    let emptied = partial(parse(&call, Some(&typed), form("U1", TYPE, "")));
    assert!(!emptied.to_string().contains("Lilac") && emptied.to_string().contains("Teal"));
}

#[test]
fn a_form_shows_again_what_its_author_typed_before() {
    let call = call(&[open(sizes())]);
    let state = partial(parse(&call, None, form("U1", TYPE, "XXL")));
    let initial = |person: &str| {
        let host = FakeHost::answering(ok);
        Slack::updated(
            &shared(call.clone(), record(Some(&state))),
            Some(&press(person, TYPE, &[])),
        )
        .unwrap();
        host.bodies()[0]["view"]["blocks"][1]["element"]["initial_value"].clone()
    };
    assert_eq!((initial("U1"), initial("U2")), (json!("XXL"), Value::Null));
}

#[test]
fn a_kept_text_is_confirmed_to_its_author_and_draws_nothing() {
    let call = call(&[open(sizes())]);
    let state = partial(parse(&call, None, form("U1", TYPE, "XXL")));
    let host = FakeHost::answering(ok);
    Slack::updated(
        &shared(call, record(Some(&state))),
        Some(&form("U1", TYPE, "XXL")),
    )
    .unwrap();
    let requests = host.requests();
    assert_eq!(
        (requests.len(), requests[0].path.as_str()),
        (1, "/chat.postEphemeral")
    );
    assert!(
        host.bodies()[0]["text"]
            .as_str()
            .unwrap()
            .contains("Press Submit")
    );
}

#[test]
fn a_form_that_cannot_be_opened_is_its_pressers_affair() {
    for (error, says) in [
        ("expired_trigger_id", "took too long"),
        ("internal_error", "could not be opened"),
    ] {
        let host = FakeHost::answering(move |request| {
            let opens = request.path == "/views.open";
            Ok(response(200, &json!({ "ok": !opens, "error": error })))
        });
        let shared = shared(call(&[open(colour())]), record(None));
        Slack::updated(&shared, Some(&press("U1", TYPE, &[]))).unwrap();
        let told = host.bodies().remove(1);
        let text = told["text"].as_str().unwrap();
        assert!(
            text.contains(says) && text.contains("press “Type your answer” again"),
            "{text}"
        );
        assert_eq!(told["user"], "U1");
    }
}

#[test]
fn a_retry_has_no_press_and_draws_the_card() {
    let host = FakeHost::answering(ok);
    Slack::updated(&shared(call(&[open(colour())]), record(None)), None).unwrap();
    assert_eq!(host.requests()[0].path, "/chat.update");
}

#[test]
fn a_form_is_told_what_is_wrong_below_its_input_while_it_is_open() {
    let host = FakeHost::answering(ok);
    let form = form("U1", TYPE, " ");
    let open_form = answering(shared(call(&[open(colour())]), record(None)));
    let reply = Slack::rejected(&open_form, &form, "Type an answer first.")
        .unwrap()
        .reply
        .unwrap();
    let body: Value = serde_json::from_slice(&reply.body).unwrap();
    assert_eq!(
        body,
        json!({ "response_action": "errors", "errors": { "answer": "Type an answer first." } })
    );
    let denied = Slack::denied(&open_form, &form).unwrap().reply.unwrap();
    let stale = Slack::stale(&open_form, &form).unwrap().reply.unwrap();
    for reply in [denied, stale] {
        assert!(String::from_utf8(reply.body).unwrap().contains("response_action"));
    }
    assert!(host.requests().is_empty());
    // Too late for a reply: in the thread.
    let late = shared(call(&[open(colour())]), record(None));
    assert_eq!(
        Slack::rejected(&late, &form, "Type an answer first.")
            .unwrap()
            .reply,
        None
    );
    assert_eq!(host.requests()[0].path, "/chat.postEphemeral");
}

#[test]
fn a_form_opened_from_a_card_that_has_moved_on_is_out_of_date() {
    let call = call(&[open(colour()), open(sizes())]);
    let stepped = json!({ "done": [{ "picks": [0] }] });
    assert_eq!(
        parse(&call, Some(&stepped), form("U1", TYPE, "Mauve")),
        Parsed::Stale
    );
    let host = FakeHost::answering(ok);
    let outcome = Outcome::Output(output(&[("Colour", &["Red"], None), ("Sizes", &["S"], None)]));
    let change = Slack::settled(&shared(call.clone(), record(None)), &outcome).unwrap();
    let closed: Value = serde_json::from_str(&change.state.unwrap()).unwrap();
    assert_eq!(
        parse(&call, Some(&closed), form("U1", TYPE, "Mauve")),
        Parsed::Stale
    );
    drop(host);
}

#[test]
fn a_card_without_room_for_more_text_says_so_and_loses_none() {
    let call = call(&[open(sizes())]);
    let mut state = None;
    let mut kept = 0;
    let refused = loop {
        let text = "é".repeat(3_000);
        let parsed = parse(&call, state.as_ref(), form(&format!("U{kept}"), TYPE, &text));
        let Parsed::Partial(Some(next)) = parsed else {
            break parsed;
        };
        assert!(next.len() < 64 * 1024);
        state = serde_json::from_str(&next).ok();
        kept += 1;
    };
    assert!(matches!(refused, Parsed::Rejected(_)), "{refused:?}");
    assert!(kept >= 9, "{kept}");
    assert!(record(state.as_ref()).state.unwrap().contains("U0"));
}
