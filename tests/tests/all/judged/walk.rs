//! A call from its card to its end, by every kind of interaction, with what must hold for each card on the way.

use frogbot_piece::testing::FakeHost;
use frogbot_piece::{
    ActionEvent, Actor, Answer, Call, Interaction, ModalEvent, Outcome, Parsed, Question, QuestionOutput,
    QuestionRecord, Questions, Shared, testing,
};
use proptest::prelude::*;
use proptest::test_runner::TestCaseError;
use serde_json::{Value, json};
use slack::Slack;

use super::sent::{CARD, context, thread};

const PERSON: &str = "U1";

/// Asks the call, uses everything its cards have, answers it, and clicks on the closed card; `choices` decide which options
/// are picked, and `words` are what somebody types and is told.
pub(crate) fn to_the_end(
    host: &FakeHost,
    call: &Call,
    choices: [u16; 8],
    words: &str,
) -> Result<(), TestCaseError> {
    if Slack::render(&context(), &thread(), std::slice::from_ref(call)).is_err() {
        // Too long for any message: the model is told so, and nothing was posted.
        return Ok(());
    }
    let mut state: Option<String> = None;
    let mut seen = String::new();
    loop {
        let card = drawn(host, call, state.as_deref());
        seen.push_str(&sections(&card));
        let step = only_ids_of_one_step(&card)?;
        notices(call, state.as_deref(), &card, words);
        if let Some(typed) = type_into_every_form(call, state.as_deref(), &card, words) {
            state = Some(typed);
        }
        let picked = picks(call, &card, choices, step);
        match parse(call, state.as_deref(), pressed(&card, &picked)?) {
            Parsed::Partial(Some(next)) => state = Some(next),
            Parsed::Answer(output) => {
                says_what_was_picked(&output, call, &picked)?;
                whole_text_was_shown(call, &seen)?;
                return closed(host, call, &output, words);
            }
            other @ (Parsed::Ignore
            | Parsed::Dismiss
            | Parsed::Partial(None)
            | Parsed::Rejected(_)
            | Parsed::Stale
            | Parsed::StateUnreadable) => {
                return Err(TestCaseError::fail(format!(
                    "Submit of {picked:?} means {other:?}\n{card:#}"
                )));
            }
        }
    }
}

/// A question's place, and the options that are picked of it.
type Pick = (usize, Vec<usize>);

fn record(state: Option<&str>) -> QuestionRecord {
    let mut record = testing::record(&[(CARD, 100_000)], None);
    record.state = state.map(str::to_owned);
    record
}

fn shared(call: &Call, state: Option<&str>) -> Shared {
    testing::shared(context(), thread(), call.clone(), record(state))
}

fn parse(call: &Call, state: Option<&str>, interaction: Interaction) -> Parsed {
    let offer = testing::offer(thread(), call.clone(), record(state), interaction);
    Slack::parse(&offer).unwrap_or(Parsed::StateUnreadable)
}

/// The card as `updated` draws it again.
fn drawn(host: &FakeHost, call: &Call, state: Option<&str>) -> Value {
    Slack::updated(&shared(call, state), None).unwrap();
    last_sent(host)
}

/// The body of the newest request.
fn last_sent(host: &FakeHost) -> Value {
    let requests = host.requests();
    serde_json::from_slice(&requests.last().unwrap().body).unwrap()
}

fn sections(card: &Value) -> String {
    let blocks = card["blocks"].as_array().unwrap();
    blocks
        .iter()
        .filter_map(|block| block["text"]["text"].as_str())
        .collect()
}

fn controls(card: &Value) -> Vec<&Value> {
    let blocks = card["blocks"].as_array().unwrap();
    let all = blocks.iter().flat_map(|block| {
        let row = block["elements"].as_array().into_iter().flatten();
        row.chain(block.get("accessory"))
    });
    all.filter(|element| element.get("action_id").is_some()).collect()
}

fn ids(card: &Value) -> Vec<&str> {
    controls(card)
        .into_iter()
        .filter_map(|control| control["action_id"].as_str())
        .collect()
}

/// A control says its call, the step it was drawn for and places; no two are called alike.
fn only_ids_of_one_step(card: &Value) -> Result<usize, TestCaseError> {
    let ids = ids(card);
    let mut steps = Vec::new();
    for id in &ids {
        let parts: Vec<&str> = id.split(':').collect();
        prop_assert!(parts.starts_with(&["q", "c1"]) && parts.len() <= 5, "{}", id);
        steps.push(parts[2].parse::<usize>().unwrap());
        prop_assert!(
            parts.get(4).is_none_or(|place| place.parse::<usize>().is_ok()),
            "{}",
            id
        );
    }
    steps.dedup();
    prop_assert_eq!(steps.len(), 1);
    let mut unique = ids.clone();
    unique.sort_unstable();
    unique.dedup();
    prop_assert_eq!(unique.len(), ids.len());
    Ok(steps[0])
}

/// What the questions of a card are picked of; of several options every other one.
fn picks(call: &Call, card: &Value, choices: [u16; 8], step: usize) -> Vec<Pick> {
    let pick = |(place, question): (usize, &Question)| {
        let ending = format!(":pick:{place}");
        let is_shown = ids(card)
            .iter()
            .any(|id| id.ends_with(&ending) || id.contains(":option:"));
        let first = usize::from(choices[place % choices.len()]) % question.options.len();
        let places = if question.multiple {
            (first..question.options.len()).step_by(2).collect()
        } else {
            vec![first]
        };
        is_shown.then_some((place, places))
    };
    call.input
        .questions
        .iter()
        .enumerate()
        .skip(step)
        .filter_map(pick)
        .collect()
}

/// The press that sends the picks: Submit with everything that is ticked, or the option itself.
fn pressed(card: &Value, picked: &[Pick]) -> Result<Interaction, TestCaseError> {
    let with_ending = |ending: String| {
        let all = controls(card);
        all.into_iter().find(|control| {
            control["action_id"]
                .as_str()
                .is_some_and(|id| id.ends_with(&ending))
        })
    };
    let submit = with_ending(":submit".to_owned());
    let Some(submit) = submit else {
        // A lone choice: its button, or its pick.
        let (place, options) = &picked[0];
        let button = with_ending(format!(":option:{}", options[0]));
        let Some(control) = button.or_else(|| with_ending(format!(":pick:{place}"))) else {
            return Err(TestCaseError::fail(format!(
                "no control for {picked:?}\n{card:#}"
            )));
        };
        let value = option_values(control).get(options[0]).cloned();
        return Ok(action(control, value, json!({})));
    };
    let mut values = json!({});
    for (place, options) in picked {
        let Some(control) = with_ending(format!(":pick:{place}")) else {
            return Err(TestCaseError::fail(format!(
                "no control for question {place}\n{card:#}"
            )));
        };
        let offered = option_values(control);
        let chosen: Vec<Value> = options
            .iter()
            .map(|option| json!({ "value": offered[*option] }))
            .collect();
        let kind = control["type"].as_str().unwrap();
        let is_for_several = kind == "checkboxes" || kind.starts_with("multi_");
        let element = if is_for_several {
            json!({ "type": kind, "selected_options": chosen })
        } else {
            json!({ "type": kind, "selected_option": chosen[0] })
        };
        values[format!("block{place}")] = json!({ control["action_id"].as_str().unwrap(): element });
    }
    Ok(action(submit, None, values))
}

/// The values of a menu's options, groups one after the other.
fn option_values(control: &Value) -> Vec<String> {
    let groups = control["option_groups"].as_array();
    let holders: Vec<&Value> = groups.map_or_else(|| vec![control], |groups| groups.iter().collect());
    let options = holders
        .into_iter()
        .flat_map(|holder| holder["options"].as_array().into_iter().flatten());
    options
        .map(|option| option["value"].as_str().unwrap().to_owned())
        .collect()
}

fn action(control: &Value, value: Option<String>, values: Value) -> Interaction {
    let raw = json!({ "type": "block_actions", "state": { "values": values } });
    Interaction::Action(ActionEvent {
        action_id: control["action_id"].as_str().unwrap().to_owned(),
        value,
        message_id: CARD.to_owned(),
        user: testing::person(PERSON),
        trigger_id: Some("1.2.3".to_owned()),
        raw: raw.to_string(),
    })
}

/// Opens every form of a card twice, before and after something was typed, where that is kept.
fn type_into_every_form(call: &Call, state: Option<&str>, card: &Value, words: &str) -> Option<String> {
    let mut state = state.map(str::to_owned);
    let all = controls(card);
    let buttons = all.into_iter().filter(|control| {
        control["action_id"]
            .as_str()
            .is_some_and(|id| id.contains(":type:"))
    });
    let mut last = None;
    for button in buttons {
        let press = action(button, None, json!({}));
        for _ in 0..2 {
            Slack::updated(&shared(call, state.as_deref()), Some(&press)).unwrap();
            let form = form(button["action_id"].as_str().unwrap(), words);
            if let Parsed::Partial(Some(typed)) = parse(call, state.as_deref(), form.clone()) {
                state = Some(typed);
                Slack::updated(&shared(call, state.as_deref()), Some(&form)).unwrap();
            }
        }
        last = state.clone();
    }
    last
}

fn form(callback_id: &str, text: &str) -> Interaction {
    Interaction::ModalSubmit(ModalEvent {
        values: vec![("answer".to_owned(), text.to_owned())],
        private_metadata: Some("locator".to_owned()),
        related_message: None,
        user: testing::person(PERSON),
        raw: json!({ "type": "view_submission", "view": { "callback_id": callback_id } }).to_string(),
    })
}

fn notices(call: &Call, state: Option<&str>, card: &Value, words: &str) {
    let press = action(controls(card)[0], None, json!({}));
    let shared = shared(call, state);
    Slack::rejected(&shared, &press, &format!("Because: {words}")).unwrap();
    Slack::denied(&shared, &press).unwrap();
    Slack::stale(&shared, &press).unwrap();
}

fn says_what_was_picked(
    output: &QuestionOutput,
    call: &Call,
    last_page: &[Pick],
) -> Result<(), TestCaseError> {
    prop_assert_eq!(output.answers.len(), call.input.questions.len());
    for (place, options) in last_page {
        let Answer {
            selected,
            header,
            custom,
        } = &output.answers[*place];
        let question = &call.input.questions[*place];
        prop_assert_eq!(header, &question.header);
        // A typed answer takes the place of the pick of a single choice.
        if custom.is_none() || question.multiple {
            let labels: Vec<&String> = options
                .iter()
                .map(|option| &question.options[*option].label)
                .collect();
            prop_assert_eq!(selected.iter().collect::<Vec<_>>(), labels);
        }
    }
    Ok(())
}

/// The full text of every question and option stands in the body of a card, not only on controls, which Slack cuts. What is
/// too long for a message of its own is shortened.
fn whole_text_was_shown(call: &Call, seen: &str) -> Result<(), TestCaseError> {
    let plain = |text: &str| -> String {
        let escaped = text
            .replace('&', "&amp;")
            .replace('<', "&lt;")
            .replace('>', "&gt;");
        escaped
            .chars()
            .filter(|letter| letter.is_alphanumeric())
            .collect()
    };
    let shown: String = seen.chars().filter(|letter| letter.is_alphanumeric()).collect();
    for question in &call.input.questions {
        let options = question.options.iter();
        let texts = options.flat_map(|option| [Some(&option.label), option.description.as_ref()]);
        let texts: Vec<&String> = texts.flatten().chain([&question.question]).collect();
        let chars: usize = texts.iter().map(|text| text.chars().count() + 20).sum();
        if chars < 2_500 {
            for text in texts {
                prop_assert!(shown.contains(&plain(text)), "{:?} is not shown in full", text);
            }
        }
    }
    Ok(())
}

/// Closed by this answer and as a dismissed one; then somebody clicks who still sees the card.
fn closed(host: &FakeHost, call: &Call, output: &QuestionOutput, words: &str) -> Result<(), TestCaseError> {
    let actor = Actor {
        id: PERSON.to_owned(),
        name: words.chars().take(80).collect(),
        roles: Vec::new(),
        email: None,
        user: None,
    };
    let by_somebody = Shared {
        actor: Some(actor),
        ..shared(call, None)
    };
    Slack::settled(&by_somebody, &Outcome::Dismissed).unwrap();
    let outcome = Outcome::Output(output.clone());
    let state = Slack::settled(&by_somebody, &outcome).unwrap().state;
    let card = last_sent(host);
    prop_assert!(
        controls(&card).is_empty(),
        "a closed card has controls: {:#}",
        card
    );
    let closed = Shared {
        question: record(state.as_deref()),
        ..by_somebody
    };
    let late = testing::press(CARD, "q:c1:0:dismiss");
    prop_assert!(matches!(
        parse(call, state.as_deref(), late.clone()),
        Parsed::Stale
    ));
    Slack::settled(&closed, &outcome).unwrap();
    Slack::stale(&closed, &late).unwrap();
    Ok(())
}
