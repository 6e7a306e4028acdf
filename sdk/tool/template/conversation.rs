//! A conversation with the piece, natively, with a platform that lives in this file.

use std::cell::RefCell;
use std::rc::Rc;

use frogbot_piece::http::{Error, Request, Response};
use frogbot_piece::testing::{self, FakeHost, response};
use frogbot_piece::{
    Answer, Call, Channel, Context, Conversation, Happening, Interaction, Outcome, Parsed, Place,
    QuestionOutput, QuestionRecord, Questions, Settings, Shared,
};
use serde_json::{Value, json};

use PIECE_CRATE::Piece;

/// The platform: its messages, oldest first. A message is found by its id, `m0`, `m1`, ….
#[derive(Clone, Default)]
struct Platform(Rc<RefCell<Vec<Value>>>);

impl Platform {
    fn answer(&self, request: &Request) -> Result<Response, Error> {
        let body: Value = serde_json::from_slice(&request.body).unwrap();
        let mut messages = self.0.borrow_mut();
        if let Some(id) = request.path.strip_prefix("/messages/m") {
            let Some(message) = messages.get_mut(id.parse::<usize>().unwrap()) else {
                return Ok(response(404, &json!({})));
            };
            *message = body;
            return Ok(response(200, &json!({})));
        }
        let id = format!("m{}", messages.len());
        messages.push(body);
        Ok(response(201, &json!({ "id": id, "sent_at": 1_000 })))
    }

    fn message(&self, index: usize) -> Value {
        self.0.borrow()[index].clone()
    }

    /// The id of the button with this label.
    fn button(&self, index: usize, label: &str) -> String {
        let message = self.message(index);
        let mut buttons = message["buttons"].as_array().unwrap().iter();
        let button = buttons.find(|button| button["label"] == label).unwrap();
        button["id"].as_str().unwrap().to_owned()
    }
}

fn settings() -> Settings {
    testing::settings(&json!({}), "main", &Value::Null)
}

fn context() -> Context {
    testing::context(settings())
}

fn room() -> Conversation {
    testing::conversation("main", "r1", "")
}

fn call() -> Call {
    let colour = testing::question("Colour", "Which colour?", &["Red", "Green"]);
    let size = testing::question("Size", "Which size?", &["S", "M"]);
    testing::call("c1", vec![colour, size])
}

fn record(state: Option<&Value>) -> QuestionRecord {
    testing::record(&[("m0", 1_000)], state)
}

/// What the platform's webhook for a press becomes.
fn pressed(button: &str) -> Interaction {
    let webhook = json!({
        "delivery": "d1", "kind": "press", "room": "r1", "from": { "id": "ann", "name": "Ann", "bot": false },
        "message": "m0", "button": button,
    });
    let request = testing::inbound("application/json", webhook.to_string());
    let event = Piece::receive(&settings(), &request)
        .unwrap()
        .events
        .remove(0);
    assert_eq!(event.place, Place::Conversation(room()));
    let Happening::Action(action) = event.happening else {
        panic!("no press")
    };
    Interaction::Action(action)
}

fn parse(state: Option<&Value>, interaction: Interaction) -> Parsed {
    let offer = testing::offer(room(), call(), record(state), interaction);
    Piece::parse(&offer).unwrap()
}

fn shared(state: Option<&Value>) -> Shared {
    testing::shared(context(), room(), call(), record(state))
}

#[test]
fn two_questions_are_asked_answered_and_closed() {
    let platform = Platform::default();
    let answering = platform.clone();
    let _host = FakeHost::answering(move |request| answering.answer(request));

    Piece::render(&context(), &room(), &[call()]).unwrap();
    let green = platform.button(0, "Green");
    let Parsed::Partial(Some(state)) = parse(None, pressed(&green)) else {
        panic!("not a step")
    };
    let state: Value = serde_json::from_str(&state).unwrap();

    // The host may call this again later, from another process, without the interaction.
    Piece::updated(&shared(Some(&state)), None).unwrap();
    assert_eq!(platform.message(0)["text"], "Which size?");
    assert_eq!(parse(Some(&state), pressed(&green)), Parsed::Stale);

    let parsed = parse(Some(&state), pressed(&platform.button(0, "M")));
    let answer = |header: &str, pick: &str| Answer {
        header: header.to_owned(),
        selected: vec![pick.to_owned()],
        custom: None,
    };
    let output = QuestionOutput {
        answers: vec![answer("Colour", "Green"), answer("Size", "M")],
    };
    assert_eq!(parsed, Parsed::Answer(output.clone()));

    Piece::settled(&shared(Some(&state)), &Outcome::Output(output)).unwrap();
    assert_eq!(
        platform.message(0),
        json!({ "text": "Answered: Green, M", "buttons": [] })
    );
}
