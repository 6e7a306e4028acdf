//! What a press or a pick means.

use frogbot_piece::{Interaction, Parsed};
use serde_json::json;

use crate::nouns::*;

#[test]
fn a_single_choice_is_answered_by_its_press() {
    let call = call(&[colour()]);
    let press = |id: &str| parse(&call, None, press("U1", id, &[]));
    assert_eq!(
        press("q:c1:0:option:1"),
        Parsed::Answer(output(&[("Colour", &["Green"], None)]))
    );
    assert_eq!(press("q:c1:0:dismiss"), Parsed::Dismiss);
    for other in [
        "q:c2:0:option:1",
        "q:c1:0:option:7",
        "q:c1:0:option:x",
        "menu",
        "q:c1:0",
        "q:c1:0:type:0",
    ] {
        assert_eq!(press(other), Parsed::Ignore, "{other}");
    }
}

#[test]
fn a_single_choice_is_answered_by_its_pick() {
    let call = call(&[numbered("N", 12)]);
    let expected = Parsed::Answer(output(&[("N", &["option 11"], None)]));
    assert_eq!(parse(&call, None, pick("U1", "q:c1:0:pick:0", 11)), expected);
    assert_eq!(
        parse(&call, None, pick("U1", "q:c1:0:pick:0", 12)),
        Parsed::Ignore
    );
}

#[test]
fn a_tick_is_ignored_and_picks_come_with_the_pressers_submit() {
    let call = call(&[sizes()]);
    assert_eq!(parse(&call, None, pick("U1", "q:c1:0:pick:0", 2)), Parsed::Ignore);
    let submit = press("U1", "q:c1:0:submit", &[("q:c1:0:pick:0", &[2, 0, 2, 9])]);
    assert_eq!(
        parse(&call, None, submit),
        Parsed::Answer(output(&[("Sizes", &["S", "L"], None)]))
    );
}

#[test]
fn several_questions_are_answered_by_one_submit() {
    let call = call(&[colour(), sizes()]);
    let picked: &[(&str, &[usize])] = &[("q:c1:0:pick:0", &[1]), ("q:c1:0:pick:1", &[0, 1])];
    let expected = output(&[("Colour", &["Green"], None), ("Sizes", &["S", "M"], None)]);
    assert_eq!(
        parse(&call, None, press("U1", "q:c1:0:submit", picked)),
        Parsed::Answer(expected)
    );
    assert_eq!(parse(&call, None, pick("U1", "q:c1:0:pick:0", 1)), Parsed::Ignore);
    assert_eq!(
        parse(&call, None, press("U1", "q:c1:0:option:1", &[])),
        Parsed::Ignore
    );
}

#[test]
fn a_submit_that_leaves_something_open_says_what() {
    let call = call(&[colour(), sizes()]);
    let reason = |picked: &[(&str, &[usize])]| parse(&call, None, press("U1", "q:c1:0:submit", picked));
    let rejected = |text: &str| Parsed::Rejected(text.to_owned());
    assert_eq!(
        reason(&[]),
        rejected("Nothing was sent yet: answer “Colour”, “Sizes” first.")
    );
    assert_eq!(
        reason(&[("q:c1:0:pick:0", &[1])]),
        rejected("Nothing was sent yet: answer “Sizes” first.")
    );
}

#[test]
fn a_control_of_an_earlier_step_or_of_a_closed_card_is_out_of_date() {
    let call = call(&[colour(), sizes()]);
    let stepped = json!({ "done": [{ "picks": [0] }] });
    for id in [
        "q:c1:0:submit",
        "q:c1:0:pick:0",
        "q:c1:0:dismiss",
        "q:c1:0:type:0",
    ] {
        assert_eq!(
            parse(&call, Some(&stepped), press("U1", id, &[])),
            Parsed::Stale,
            "{id}"
        );
    }
    let picked: &[(&str, &[usize])] = &[("q:c1:1:pick:1", &[1, 2])];
    let expected = output(&[("Colour", &["Red"], None), ("Sizes", &["M", "L"], None)]);
    assert_eq!(
        parse(&call, Some(&stepped), press("U1", "q:c1:1:submit", picked)),
        Parsed::Answer(expected)
    );
    let closed = json!({ "done": [], "closed": ["Answered"] });
    assert_eq!(
        parse(&call, Some(&closed), press("U1", "q:c1:0:submit", &[])),
        Parsed::Stale
    );
}

#[test]
fn a_message_is_never_an_answer_and_a_state_of_another_version_is_told() {
    let call = call(&[colour()]);
    let message = frogbot_piece::testing::reply("Red", 1);
    assert_eq!(parse(&call, None, message), Parsed::Ignore);
    let slim = json!({ "done": [[0]], "ticked": [], "closed": "Answered" });
    assert_eq!(
        parse(&call, Some(&slim), press("U1", "q:c1:0:option:0", &[])),
        Parsed::StateUnreadable
    );
}

#[test]
fn a_payload_without_picks_is_an_empty_submit() {
    let Interaction::Action(mut event) = press("U1", "q:c1:0:submit", &[]) else {
        panic!("a press is an action")
    };
    event.raw = "{}".to_owned();
    assert!(matches!(
        parse(&call(&[sizes()]), None, Interaction::Action(event)),
        Parsed::Rejected(_)
    ));
}
