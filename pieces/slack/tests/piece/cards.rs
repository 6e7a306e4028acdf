//! What a card shows.

use frogbot_piece::testing::{self, FakeHost, response};
use frogbot_piece::{Choice, Context, FailureKind, Question, Questions};
use serde_json::{Value, json};
use slack::Slack;

use crate::nouns::*;

#[test]
fn a_call_is_one_card_in_the_thread() {
    let host = FakeHost::answering(ok);
    let calls = [call(&[colour()]), call(&[sizes()])];
    let rendering = Slack::render(&context(), &thread(), &calls).unwrap();
    let message = &rendering.entries[0].messages[0];
    assert_eq!((message.id.as_str(), message.posted_at), (CARD, Some(100_000)));
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
    assert_eq!(body(&card), "*Colour*\nWhich &lt;colour&gt;?\n1. Red\n2. Green");
}

#[test]
fn the_number_of_options_decides_the_control() {
    let of = |questions: &[Question]| -> Vec<String> {
        let card = posted(&call(questions));
        kinds(&card)
            .into_iter()
            .map(|(kind, id)| format!("{kind} {id}"))
            .collect()
    };
    let several = |count| Question {
        multiple: true,
        ..numbered("N", count)
    };
    let buttons = |count: usize| -> Vec<String> {
        (0..count)
            .map(|index| format!("button q:c1:0:option:{index}"))
            .collect()
    };
    let dismiss = "button q:c1:0:dismiss".to_owned();
    let submit = "button q:c1:0:submit".to_owned();
    assert_eq!(
        of(&[numbered("N", 5)]),
        [buttons(5), vec![dismiss.clone()]].concat()
    );
    for (count, kind) in [
        (6, "radio_buttons"),
        (10, "radio_buttons"),
        (11, "static_select"),
        (250, "static_select"),
    ] {
        assert_eq!(
            of(&[numbered("N", count)]),
            [format!("{kind} q:c1:0:pick:0"), dismiss.clone()],
            "{count}"
        );
    }
    for (count, kind) in [
        (1, "checkboxes"),
        (10, "checkboxes"),
        (11, "multi_static_select"),
        (150, "multi_static_select"),
    ] {
        assert_eq!(
            of(&[several(count)]),
            [format!("{kind} q:c1:0:pick:0"), submit.clone(), dismiss.clone()],
            "{count}"
        );
    }
    // With several questions nothing is answered before Submit, so no button is an option.
    let two = of(&[colour(), open(sizes())]);
    assert_eq!(
        two[..2],
        ["radio_buttons q:c1:0:pick:0", "checkboxes q:c1:0:pick:1"]
    );
    assert_eq!(two[2..], ["button q:c1:0:type:1".to_owned(), submit, dismiss]);
}

#[test]
fn a_question_that_takes_a_typed_answer_has_a_button_for_it() {
    let card = posted(&call(&[open(colour())]));
    let labels: Vec<&str> = controls(&card)
        .iter()
        .map(|control| control["text"]["text"].as_str().unwrap())
        .collect();
    assert_eq!(labels, ["1. Red", "2. Green", "Type your answer", "Dismiss"]);
}

#[test]
fn a_menu_of_more_than_a_hundred_is_grouped_and_keeps_every_option() {
    let card = posted(&call(&[numbered("N", 250)]));
    let groups = controls(&card)[0]["option_groups"].as_array().unwrap();
    let sizes: Vec<usize> = groups
        .iter()
        .map(|group| group["options"].as_array().unwrap().len())
        .collect();
    assert_eq!(sizes, [100, 100, 50]);
    assert_eq!(groups[2]["label"]["text"], "201 to 250");
    assert_eq!(groups[2]["options"][49]["value"], "249");
}

#[test]
fn the_body_has_every_option_in_full_with_its_description() {
    let option = Choice {
        label: "x".repeat(90),
        description: Some("d".repeat(200)),
    };
    let question = Question {
        options: vec![option],
        ..colour()
    };
    let card = posted(&call(&[question]));
    assert!(body(&card).ends_with(&format!("1. {}: {}", "x".repeat(90), "d".repeat(200))));
    assert_eq!(
        controls(&card)[0]["text"]["text"]
            .as_str()
            .map(|text| text.chars().count()),
        Some(75)
    );
}

#[test]
fn what_does_not_fit_is_shortened_first_the_descriptions_then_the_labels() {
    let options = |label: usize, description: usize| -> Vec<Choice> {
        let option = |index: usize| Choice {
            label: format!("{index:02}{}", "l".repeat(label)),
            description: Some("d".repeat(description)),
        };
        (0..40).map(option).collect()
    };
    let of = |label, description| {
        body(&posted(&call(&[Question {
            options: options(label, description),
            ..colour()
        }])))
    };
    let described = of(60, 400);
    assert!(
        described.contains(&"l".repeat(60)) && described.contains("dd…"),
        "{described}"
    );
    let labelled = of(300, 400);
    assert!(labelled.contains("l…") && !labelled.contains('d'), "{labelled}");
}

#[test]
fn the_longest_calls_keep_to_slacks_limits() {
    let long = |length: usize| "&".repeat(length);
    for (count, multiple) in [
        (1, false),
        (5, true),
        (10, false),
        (26, true),
        (100, false),
        (300, true),
    ] {
        let option = |index: usize| Choice {
            label: format!("{index}{}", long(2_000)),
            description: Some(long(2_000)),
        };
        let options = (0..count).map(option).collect();
        let question = Question {
            options,
            multiple,
            custom: true,
            ..testing::question(&long(30), &long(10_000), &[])
        };
        let card = posted(&call(&[question]));
        let blocks = card["blocks"].as_array().unwrap();
        let texts: Vec<&str> = blocks
            .iter()
            .filter_map(|block| block["text"]["text"].as_str())
            .collect();
        assert!(
            blocks.len() <= 50 && texts.iter().all(|text| text.chars().count() <= 3_000),
            "{count}"
        );
        assert!(
            texts.iter().all(|text| !text.replace("&amp;", "").contains('&')),
            "an escape is cut, {count}"
        );
        assert!(
            chars(&card["blocks"]) < 13_200,
            "{count}: {}",
            chars(&card["blocks"])
        );
    }
}

fn chars(value: &Value) -> usize {
    match value {
        Value::String(text) => text.chars().count(),
        Value::Array(values) => values.iter().map(chars).sum(),
        Value::Object(fields) => fields.values().map(chars).sum(),
        Value::Null | Value::Bool(_) | Value::Number(_) => 0,
    }
}

#[test]
fn more_options_than_fit_are_refused_before_anything_is_posted() {
    let host = FakeHost::answering(ok);
    // Of a later question too: the people who answer the first one must not find out.
    for questions in [
        vec![numbered("Number", 1_000)],
        vec![colour(), numbered("Number", 1_000)],
    ] {
        let failure = Slack::render(&context(), &thread(), &[call(&questions)]).unwrap_err();
        assert_eq!((failure.kind, host.requests().len()), (FailureKind::Refused, 0));
        let reason = "the question \"Number\" with its 1000 options is too long for a message here: ask shorter, with fewer options";
        assert_eq!(failure.reason, reason);
    }
}

#[test]
fn questions_that_do_not_fit_follow_on_the_same_card() {
    let questions: Vec<Question> = (0..40).map(|index| numbered(&format!("Q{index}"), 3)).collect();
    let call = call(&questions);
    let card = posted(&call);
    let shown = controls(&card)
        .iter()
        .filter(|control| control["type"] == "radio_buttons")
        .count();
    assert!((10..40).contains(&shown), "{shown}");
    assert_eq!(
        card["blocks"][0]["elements"][0]["text"],
        format!("Questions 1 to {shown} of 40")
    );
    let picked: Vec<String> = (0..shown).map(|index| format!("q:c1:0:pick:{index}")).collect();
    let picked: Vec<(&str, &[usize])> = picked.iter().map(|id| (id.as_str(), [1].as_slice())).collect();
    let state = partial(parse(&call, None, press("U1", "q:c1:0:submit", &picked)));

    let host = FakeHost::answering(ok);
    Slack::updated(&shared(call, record(Some(&state))), None).unwrap();
    let request = host.requests().remove(0);
    assert_eq!(
        (request.path.as_str(), request.rate_key.as_deref()),
        ("/chat.update", Some("chat.update:C1"))
    );
    let card = host.bodies().remove(0);
    assert_eq!(kinds(&card)[0].1, format!("q:c1:{shown}:pick:{shown}"));
    assert_eq!((&card["ts"], &card["parse"]), (&json!(CARD), &json!("none")));
}

#[test]
fn ids_are_unique_where_slack_wants_them_to_be() {
    let questions: Vec<Question> = (0..8)
        .map(|index| open(numbered(&format!("Q{index}"), index + 5)))
        .collect();
    let card = posted(&call(&questions));
    let unique = |mut ids: Vec<&str>| {
        let count = ids.len();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), count, "{ids:?}");
    };
    unique(kinds(&card).into_iter().map(|(_, id)| id).collect());
    unique(
        card["blocks"]
            .as_array()
            .unwrap()
            .iter()
            .filter_map(|block| block["block_id"].as_str())
            .collect(),
    );
}

#[test]
fn a_limited_redraw_is_tried_again() {
    let _host = FakeHost::answering(|_| Err(frogbot_piece::http::Error::RateLimited(4_000)));
    let state = json!({ "done": [{ "picks": [0] }] });
    let failure =
        Slack::updated(&shared(call(&[colour(), sizes()]), record(Some(&state))), None).unwrap_err();
    assert_eq!(failure.kind, FailureKind::Retry(Some(4_000)));
}

#[test]
fn another_attempt_finds_the_card_that_the_first_one_posted() {
    let there = json!({ "ok": true, "messages": [
        { "ts": "99.5", "metadata": { "event_type": "frogbot", "event_payload": { "id": "0808" } } },
        { "ts": "99.7", "metadata": { "event_type": "frogbot", "event_payload": { "id": "07".repeat(16) } } },
    ] });
    let host = FakeHost::answering(move |_| Ok(response(200, &there)));
    let again = Context {
        attempt: 2,
        ..context()
    };
    let rendering = Slack::render(&again, &thread(), &[call(&[colour()])]).unwrap();
    assert_eq!(rendering.entries[0].messages[0].id, "99.7");
    let requests = host.requests();
    assert_eq!(requests.len(), 1);
    assert!(
        requests[0]
            .path
            .starts_with("/conversations.replies?channel=C1&ts=1.5&"),
        "{}",
        requests[0].path
    );
}

#[test]
fn an_attempt_that_may_not_look_posts_and_marks_what_it_posts() {
    let host = FakeHost::answering(|request| {
        let looks = request.path.starts_with("/conversations");
        Ok(response(
            200,
            &json!({ "ok": !looks, "error": "missing_scope", "ts": "5.5" }),
        ))
    });
    let again = Context {
        attempt: 2,
        ..context()
    };
    let rendering = Slack::render(
        &again,
        &testing::conversation("T1", "D1", ""),
        &[call(&[colour()])],
    )
    .unwrap();
    assert_eq!(rendering.entries[0].messages[0].id, "5.5");
    assert!(
        host.requests()[0]
            .path
            .starts_with("/conversations.history?channel=D1&")
    );
    assert_eq!(
        host.bodies()[1]["metadata"]["event_payload"]["id"],
        "07".repeat(16)
    );
}
