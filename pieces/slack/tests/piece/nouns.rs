//! What the tests speak of.

use frogbot_piece::http::{self, Request, Response};
use frogbot_piece::testing::{self, FakeHost, response};
use frogbot_piece::{
    ActionEvent, Answer, Call, Context, Conversation, Interaction, ModalEvent, Parsed, Question,
    QuestionOutput, QuestionRecord, Questions, Shared,
};
use serde_json::{Value, json};
use slack::Slack;

/// The message of every card.
pub(crate) const CARD: &str = "100.000001";

pub(crate) fn thread() -> Conversation {
    testing::conversation("T1", "C1", "1.5")
}

pub(crate) fn context() -> Context {
    testing::context(testing::settings(&json!({}), "T1", &Value::Null))
}

/// A single choice.
pub(crate) fn colour() -> Question {
    testing::question("Colour", "Which <colour>?", &["Red", "Green"])
}

/// Several may be picked.
pub(crate) fn sizes() -> Question {
    Question {
        multiple: true,
        ..testing::question("Sizes", "Which sizes?", &["S", "M", "L"])
    }
}

/// With so many options.
pub(crate) fn numbered(header: &str, count: usize) -> Question {
    let labels: Vec<String> = (0..count).map(|index| format!("option {index}")).collect();
    let labels: Vec<&str> = labels.iter().map(String::as_str).collect();
    testing::question(header, "Which?", &labels)
}

/// Takes a typed answer too.
pub(crate) fn open(question: Question) -> Question {
    Question {
        custom: true,
        ..question
    }
}

pub(crate) fn call(questions: &[Question]) -> Call {
    testing::call("c1", questions.to_vec())
}

pub(crate) fn record(state: Option<&Value>) -> QuestionRecord {
    testing::record(&[(CARD, 100_000)], state)
}

pub(crate) fn shared(call: Call, question: QuestionRecord) -> Shared {
    testing::shared(context(), thread(), call, question)
}

/// While the request that brought the interaction is open.
pub(crate) fn answering(shared: Shared) -> Shared {
    let context = Context {
        reply_until: Some(u64::MAX),
        ..shared.context
    };
    Shared { context, ..shared }
}

pub(crate) fn ok(_: &Request) -> Result<Response, http::Error> {
    Ok(response(200, &json!({ "ok": true, "ts": CARD, "channel": "C1" })))
}

pub(crate) fn failing(error: &'static str) -> impl Fn(&Request) -> Result<Response, http::Error> {
    move |_| Ok(response(200, &json!({ "ok": false, "error": error })))
}

/// The card that `render` posts.
pub(crate) fn posted(call: &Call) -> Value {
    let host = FakeHost::answering(ok);
    Slack::render(&context(), &thread(), std::slice::from_ref(call)).unwrap();
    host.bodies().remove(0)
}

/// The controls of a card, in the order of its blocks.
pub(crate) fn controls(card: &Value) -> Vec<&Value> {
    let blocks = card["blocks"].as_array().unwrap();
    blocks
        .iter()
        .flat_map(|block| {
            let row = block["elements"].as_array().into_iter().flatten();
            row.chain(block.get("accessory"))
        })
        .filter(|element| element.get("action_id").is_some())
        .collect()
}

/// What each control is, with its id.
pub(crate) fn kinds(card: &Value) -> Vec<(&str, &str)> {
    controls(card)
        .into_iter()
        .map(|control| {
            (
                control["type"].as_str().unwrap(),
                control["action_id"].as_str().unwrap(),
            )
        })
        .collect()
}

/// The texts of the sections, one below the other.
pub(crate) fn body(card: &Value) -> String {
    let blocks = card["blocks"].as_array().unwrap();
    let texts = blocks.iter().filter_map(|block| block["text"]["text"].as_str());
    texts.collect::<Vec<_>>().join("\n")
}

/// A press of a person, with what they have picked: control and the indexes of its options.
pub(crate) fn press(person: &str, action_id: &str, picked: &[(&str, &[usize])]) -> Interaction {
    let option =
        |index: &usize| json!({ "text": { "type": "plain_text", "text": "x" }, "value": index.to_string() });
    let mut values = json!({});
    for (at, (control, indexes)) in picked.iter().enumerate() {
        let options: Vec<Value> = indexes.iter().map(option).collect();
        let element = match options.as_slice() {
            [option] => json!({ "type": "radio_buttons", "selected_option": option }),
            options => json!({ "type": "checkboxes", "selected_options": options }),
        };
        values[format!("block{at}")] = json!({ *control: element });
    }
    let raw = json!({ "type": "block_actions", "state": { "values": values } });
    Interaction::Action(ActionEvent {
        action_id: action_id.to_owned(),
        value: None,
        message_id: CARD.to_owned(),
        user: testing::person(person),
        trigger_id: Some("1.2.3".to_owned()),
        raw: raw.to_string(),
    })
}

/// A pick in a menu or among radio buttons.
pub(crate) fn pick(person: &str, action_id: &str, index: usize) -> Interaction {
    let Interaction::Action(event) = press(person, action_id, &[(action_id, &[index])]) else {
        panic!("a press is an action")
    };
    Interaction::Action(ActionEvent {
        value: Some(index.to_string()),
        ..event
    })
}

/// A form that a person submits.
pub(crate) fn form(person: &str, callback_id: &str, text: &str) -> Interaction {
    let raw = json!({ "type": "view_submission", "view": { "callback_id": callback_id } });
    Interaction::ModalSubmit(ModalEvent {
        values: vec![("answer".to_owned(), text.to_owned())],
        private_metadata: Some(format!("locator:T1:C1:1.5:{CARD}")),
        related_message: None,
        user: testing::person(person),
        raw: raw.to_string(),
    })
}

/// What it means for a call at a state.
pub(crate) fn parse(call: &Call, state: Option<&Value>, interaction: Interaction) -> Parsed {
    let offer = testing::offer(thread(), call.clone(), record(state), interaction);
    Slack::parse(&offer).unwrap_or(Parsed::StateUnreadable)
}

/// The state that a partial answer saves.
pub(crate) fn partial(parsed: Parsed) -> Value {
    let Parsed::Partial(Some(state)) = parsed else {
        panic!("no progress: {parsed:?}")
    };
    serde_json::from_str(&state).unwrap()
}

pub(crate) fn output(answers: &[(&str, &[&str], Option<&str>)]) -> QuestionOutput {
    let answer = |(header, labels, custom): &(&str, &[&str], Option<&str>)| Answer {
        header: (*header).to_owned(),
        selected: labels.iter().map(|label| (*label).to_owned()).collect(),
        custom: custom.map(str::to_owned),
    };
    QuestionOutput {
        answers: answers.iter().map(answer).collect(),
    }
}
