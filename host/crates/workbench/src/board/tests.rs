//! Whether the played platform does what its description says.

use serde_json::{Value, json};

use super::{Asked, Board, ControlKind, Mood};
use crate::platform::Platform;

const DESCRIPTION: &str = r#"
account = "a"
room = "r"
message_id = "m{{serial}}"
labels.submit = "Go"

[[requests]]
method = "POST"
path = "/rooms/*/messages"
does = "post"
repeat = "/key"
answer = '{"id": "{{message}}"}'

[[requests]]
method = "POST"
path = "/update"
when = { "/what" = "message" }
does = "edit"
message = "/id"
answer = '{"ok": true}'

[[requests]]
method = "DELETE"
path = "/messages/*"
does = "remove"
message = "path"
answer = '{}'

[[controls]]
at = "/rows/*/buttons/*"
when = { "/type" = "button" }
id = "/id"
label = "/text"
value = "/value"

[[controls]]
at = "/rows/*/buttons/*"
when = { "/type" = "list" }
id = "/id"
options = "/entries/*"
option_label = "/text"
option_value = "/value"

[events]
mention.json = '{}'
press.json = '{}'
"#;

fn board() -> Board {
    Board::new(Platform::read(DESCRIPTION).unwrap())
}

fn ask(board: &Board, method: &str, path: &str, body: &Value) -> (u16, Value) {
    let answered = board.answer(Asked {
        slot: "api".to_owned(),
        method: method.to_owned(),
        path: path.to_owned(),
        body: body.clone(),
    });
    (answered.status, answered.body)
}

fn card(key: &str) -> Value {
    json!({ "key": key, "rows": [{ "buttons": [
        { "type": "button", "id": "b1", "text": "Red", "value": "0" },
        { "type": "list", "id": "l1", "entries": [{ "text": "S", "value": "s" }, { "text": "M", "value": "m" }] },
        { "type": "picture", "id": "p1" },
    ] }] })
}

fn post(board: &Board, key: &str) -> String {
    let (status, body) = ask(board, "POST", "/rooms/r/messages?x=1", &card(key));
    assert_eq!(status, 200);
    body["id"].as_str().unwrap().to_owned()
}

#[test]
fn posted_controls_can_be_used_until_an_edit_takes_them_away() {
    let board = board();
    let id = post(&board, "k1");
    let controls = board.controls(&id);
    assert_eq!(controls.len(), 2);
    assert_eq!(controls[0].entry("Red").unwrap().value.as_deref(), Some("0"));
    assert!(matches!(&controls[1].kind, ControlKind::List(entries) if entries.len() == 2));
    assert_eq!(controls[1].entry("M").unwrap().value.as_deref(), Some("m"));
    let edit = json!({ "what": "message", "id": id });
    assert_eq!(
        ask(&board, "POST", "/update", &edit),
        (200, json!({ "ok": true }))
    );
    assert_eq!(board.controls(&id), []);
    assert_eq!(
        ask(&board, "DELETE", &format!("/messages/{id}"), &json!({})).0,
        200
    );
    assert!(!board.has(&id));
    assert_eq!(ask(&board, "POST", "/update", &edit).0, 404);
}

#[test]
fn repeat_is_recognised_by_its_key() {
    let board = board();
    assert_eq!(post(&board, "k1"), post(&board, "k1"));
    assert_ne!(post(&board, "k1"), post(&board, "k2"));
    assert_eq!(board.count(), 2);
}

#[test]
fn what_is_not_described_is_remembered() {
    let board = board();
    for (method, path) in [
        ("GET", "/update"),
        ("POST", "/rooms/r/messages/7"),
        ("POST", "/update"),
    ] {
        assert_eq!(ask(&board, method, path, &json!({})).0, 404);
    }
    assert_eq!(board.undescribed().len(), 3);
}

#[test]
fn moods_do_nothing_except_the_mute_one() {
    let board = board();
    let id = post(&board, "k1");
    let edit = json!({ "what": "message", "id": id });
    for (mood, status) in [(Mood::Down, 503), (Mood::Limited, 429), (Mood::Gone, 404)] {
        board.set_mood(mood);
        assert_eq!(ask(&board, "POST", "/update", &edit).0, status);
        assert_eq!(board.controls(&id).len(), 2, "{mood:?}");
    }
    board.set_mood(Mood::Mute);
    assert_eq!(ask(&board, "POST", "/update", &edit).0, 503);
    assert_eq!(board.controls(&id), []);
}
