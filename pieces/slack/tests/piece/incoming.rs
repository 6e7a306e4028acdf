//! What the piece makes of Slack's requests. The payloads are written after Slack's documentation.

use frogbot_piece::testing;
use frogbot_piece::{
    ActionEvent, Addressing, AuthorKind, Channel, Conversation, Event, Happening, Message, Place, Received,
    Settings,
};
use serde_json::{Value, json};
use slack::Slack;

fn settings() -> Settings {
    let me = json!({ "user_id": "UBOT", "bot_id": "BBOT", "user": "frogbot", "team": "Acme" });
    testing::settings(&json!({}), "T1", &me)
}

fn receive(body: &Value) -> Received {
    Slack::receive(
        &settings(),
        &testing::inbound("application/json", body.to_string()),
    )
    .unwrap()
}

fn receive_form(body: &str) -> Received {
    Slack::receive(
        &settings(),
        &testing::inbound("application/x-www-form-urlencoded", body),
    )
    .unwrap()
}

/// An event, with what every message has.
fn event(fields: &Value) -> Value {
    let mut event =
        json!({ "type": "message", "user": "U1", "ts": "1700000000.000100", "channel": "C1", "text": "hi" });
    for (name, value) in fields.as_object().unwrap() {
        event[name] = value.clone();
    }
    json!({ "type": "event_callback", "team_id": "T1", "event_id": "Ev1", "event": event })
}

fn only_event(received: Received) -> Event {
    let [event] = <[Event; 1]>::try_from(received.events).unwrap();
    event
}

fn message_of(event: &Event) -> &Message {
    let Happening::Message(message) = &event.happening else {
        panic!("not a message: {event:?}")
    };
    message
}

fn conversation_of(event: &Event) -> &Conversation {
    let Place::Conversation(conversation) = &event.place else {
        panic!("no conversation: {event:?}")
    };
    conversation
}

fn click_of(event: &Event) -> &ActionEvent {
    let Happening::Action(click) = &event.happening else {
        panic!("not a click: {event:?}")
    };
    click
}

fn click() -> Value {
    json!({
        "type": "block_actions", "team": { "id": "T1" }, "user": { "id": "U1", "name": "ann", "team_id": "T1" },
        "trigger_id": "1.2.3", "channel": { "id": "C1" },
        "container": { "type": "message", "message_ts": "1700000001.000200", "channel_id": "C1", "thread_ts": "1700000000.000100" },
        "message": { "ts": "1700000001.000200", "thread_ts": "1700000000.000100" },
        "actions": [{ "type": "button", "action_id": "q:c1:0:1", "block_id": "b", "action_ts": "1700000002.5" }],
    })
}

fn encoded(payload: &Value) -> String {
    format!("payload={}", frogbot_piece::http::segment(&payload.to_string()))
}

#[test]
fn the_challenge_is_answered() {
    let received = receive(&json!({ "type": "url_verification", "token": "x", "challenge": "3eZbrw1a" }));
    assert_eq!(
        (received.reply.status, received.reply.body.as_slice()),
        (200, b"3eZbrw1a".as_slice())
    );
    assert!(received.events.is_empty());
}

#[test]
fn a_mention_and_its_message_copy_are_one_delivery() {
    let mention = only_event(receive(&event(
        &json!({ "type": "app_mention", "text": "<@UBOT> ask me &lt;now&gt;" }),
    )));
    let mut copy = event(&json!({ "text": "<@UBOT> ask me &lt;now&gt;" }));
    copy["authorizations"] = json!([{ "user_id": "UBOT" }]);
    let copy = only_event(receive(&copy));
    assert_eq!(
        (&mention.delivery_id, mention.addressing),
        (&copy.delivery_id, copy.addressing)
    );
    assert_eq!(
        (mention.delivery_id.as_str(), mention.addressing),
        ("T1:C1:1700000000.000100", Addressing::Mention)
    );
    let message = message_of(&mention);
    assert_eq!(
        (message.text.as_str(), message.date_sent),
        ("ask me <now>", Some(1_700_000_000_000))
    );
    assert_eq!(message.author.kind, AuthorKind::Person);
    assert_eq!(
        conversation_of(&mention),
        &testing::conversation("T1", "C1", "1700000000.000100")
    );
}

#[test]
fn a_mention_is_understood_before_the_bot_knows_itself() {
    let unknown = testing::settings(&json!({}), "T1", &Value::Null);
    let body = event(&json!({ "type": "app_mention", "text": "<@UBOT> ask me" }));
    let received = Slack::receive(&unknown, &testing::inbound("application/json", body.to_string())).unwrap();
    let event = only_event(received);
    assert_eq!(
        (message_of(&event).text.as_str(), event.addressing),
        ("ask me", Addressing::Mention)
    );
}

#[test]
fn a_reply_in_a_thread_addresses_nobody() {
    let reply = only_event(receive(&event(&json!({ "thread_ts": "1699999999.000001" }))));
    assert_eq!(reply.addressing, Addressing::None);
    assert_eq!(conversation_of(&reply).thread, "1699999999.000001");
    assert_eq!(message_of(&reply).reply_to.as_deref(), Some("1699999999.000001"));
}

#[test]
fn a_direct_message_needs_no_mention_and_no_thread() {
    let direct = only_event(receive(&event(&json!({ "channel": "D1", "channel_type": "im" }))));
    assert_eq!(
        (direct.addressing, conversation_of(&direct).thread.as_str()),
        (Addressing::Direct, "")
    );
    let threaded = json!({ "channel": "D1", "channel_type": "im", "thread_ts": "1699999999.000001" });
    assert_eq!(
        conversation_of(&only_event(receive(&event(&threaded)))).thread,
        "1699999999.000001"
    );
}

#[test]
fn own_messages_and_those_of_bots_are_told_from_peoples() {
    let kind = |fields: Value| message_of(&only_event(receive(&event(&fields)))).author.kind;
    assert_eq!(kind(json!({ "user": "UBOT" })), AuthorKind::Own);
    assert_eq!(
        kind(json!({ "user": null, "bot_id": "BBOT", "subtype": "bot_message" })),
        AuthorKind::Own
    );
    assert_eq!(kind(json!({ "bot_id": "B2" })), AuthorKind::Bot);
    assert_eq!(kind(json!({ "subtype": "bot_message" })), AuthorKind::Unknown);
    assert_eq!(kind(json!({ "user": null })), AuthorKind::Unknown);
    assert_eq!(kind(json!({ "subtype": "thread_broadcast" })), AuthorKind::Person);
}

#[test]
fn whoever_installed_the_app_is_a_person() {
    let authorized = |authorizations: Value, fields: Value| {
        let unknown = testing::settings(&json!({}), "T1", &Value::Null);
        let mut body = event(&fields);
        body["authorizations"] = authorizations;
        let received = Slack::receive(&unknown, &testing::inbound("application/json", body.to_string()));
        only_event(received.unwrap())
    };
    let installer = json!({ "user_id": "U1", "is_bot": false });
    let bot = json!({ "user_id": "UBOT", "is_bot": true });
    let said = authorized(json!([installer]), json!({}));
    assert_eq!(message_of(&said).author.kind, AuthorKind::Person);
    let mentioned = authorized(json!([installer, bot]), json!({ "text": "<@UBOT> ask me" }));
    assert_eq!(
        (mentioned.addressing, message_of(&mentioned).author.kind),
        (Addressing::Mention, AuthorKind::Person)
    );
    let own = authorized(json!([installer, bot]), json!({ "user": "UBOT" }));
    assert_eq!(message_of(&own).author.kind, AuthorKind::Own);
    // What `auth.test` said goes before.
    let mut body = event(&json!({}));
    body["authorizations"] = json!([installer]);
    assert_eq!(
        message_of(&only_event(receive(&body))).author.kind,
        AuthorKind::Person
    );
}

#[test]
fn edits_deletions_and_other_events_are_acknowledged_and_skipped() {
    let others = [
        event(&json!({ "subtype": "message_changed" })),
        event(&json!({ "subtype": "message_deleted" })),
        event(&json!({ "subtype": "channel_join" })),
        event(&json!({ "type": "reaction_added", "ts": null, "channel": null })),
        event(&json!({ "type": "channel_created", "channel": { "id": "C9" } })),
        json!({ "type": "app_rate_limited", "team_id": "T1" }),
    ];
    for body in others {
        let received = receive(&body);
        assert_eq!((received.reply.status, received.events.len()), (200, 0), "{body}");
    }
}

#[test]
fn people_of_another_workspace_are_external() {
    let mut body = event(&json!({ "team": "T2" }));
    body["is_ext_shared_channel"] = json!(true);
    assert!(message_of(&only_event(receive(&body))).author.external);
    let mut payload = click();
    payload["user"]["team_id"] = json!("T2");
    assert!(
        click_of(&only_event(receive_form(&encoded(&payload))))
            .user
            .external
    );
    assert!(
        !click_of(&only_event(receive_form(&encoded(&click()))))
            .user
            .external
    );
}

#[test]
fn a_click_carries_its_message_thread_and_control() {
    let event = only_event(receive_form(&encoded(&click())));
    assert_eq!(event.delivery_id, "T1:1700000001.000200:U1:1700000002.5");
    assert_eq!((event.answer_within, event.acknowledgement.status), (3_000, 200));
    assert!(event.acknowledgement.body.is_empty());
    assert_eq!(
        conversation_of(&event),
        &testing::conversation("T1", "C1", "1700000000.000100")
    );
    let click = click_of(&event);
    assert_eq!(
        (click.action_id.as_str(), click.message_id.as_str()),
        ("q:c1:0:1", "1700000001.000200")
    );
    assert_eq!(click.trigger_id.as_deref(), Some("1.2.3"));
}

#[test]
fn a_menu_gives_the_picked_value_and_a_click_elsewhere_gives_nothing() {
    let mut payload = click();
    payload["actions"][0] =
        json!({ "action_id": "menu", "selected_option": { "value": "v" }, "action_ts": "1.5" });
    assert_eq!(
        click_of(&only_event(receive_form(&encoded(&payload))))
            .value
            .as_deref(),
        Some("v")
    );
    let mut on_home = click();
    on_home["channel"] = Value::Null;
    assert!(receive_form(&encoded(&on_home)).events.is_empty());
    assert!(
        receive_form(&encoded(
            &json!({ "type": "view_closed", "team": { "id": "T1" } })
        ))
        .events
        .is_empty()
    );
    assert!(receive_form("ssl_check=1&token=x").events.is_empty());
}

/// A submitted form, with fields of every kind that a form of ours or another's can have.
fn submission() -> Value {
    json!({
        "type": "view_submission", "team": { "id": "T1" }, "user": { "id": "U1", "name": "ann", "team_id": "T1" },
        "trigger_id": "4.5.6",
        "view": {
            "id": "V1", "hash": "1.abc", "callback_id": "q:c1:0:type:0", "private_metadata": "where",
            "state": { "values": {
                "a": { "text": { "type": "plain_text_input", "value": "typed & sent" } },
                "b": { "one": { "type": "static_select", "selected_option": { "value": "v" } } },
                "c": { "many": { "type": "checkboxes", "selected_options": [{ "value": "x" }, { "value": "y" }] } },
                "d": { "none": { "type": "plain_text_input", "value": null } },
            } },
        },
    })
}

fn form_of(event: &Event) -> &frogbot_piece::ModalEvent {
    let Happening::ModalSubmit(form) = &event.happening else {
        panic!("not a form: {event:?}")
    };
    form
}

#[test]
fn a_form_carries_its_fields_and_what_leads_to_its_card() {
    let event = only_event(receive_form(&encoded(&submission())));
    assert_eq!(event.place, Place::Account("T1".to_owned()));
    assert_eq!(
        (event.answer_within, event.acknowledgement.body.len()),
        (3_000, 0)
    );
    let form = form_of(&event);
    let values: Vec<(&str, &str)> = form
        .values
        .iter()
        .map(|(name, value)| (name.as_str(), value.as_str()))
        .collect();
    assert_eq!(
        values,
        [
            ("text", "typed & sent"),
            ("one", "v"),
            ("many", "x"),
            ("many", "y")
        ]
    );
    assert_eq!(
        (form.private_metadata.as_deref(), form.user.id.as_str()),
        (Some("where"), "U1")
    );
}

#[test]
fn a_corrected_form_is_another_delivery_and_a_redelivered_one_is_not() {
    let first = only_event(receive_form(&encoded(&submission()))).delivery_id;
    assert_eq!(
        only_event(receive_form(&encoded(&submission()))).delivery_id,
        first
    );
    let mut corrected = submission();
    corrected["trigger_id"] = json!("7.8.9");
    assert_ne!(only_event(receive_form(&encoded(&corrected))).delivery_id, first);
}

#[test]
fn a_bot_may_be_named_with_its_name() {
    let named = only_event(receive(&event(&json!({ "text": "hello <@UBOT|frogbot>, ask" }))));
    assert_eq!(
        (named.addressing, message_of(&named).text.as_str()),
        (Addressing::Mention, "hello , ask")
    );
    let other = only_event(receive(&event(&json!({ "text": "<@UBOTTOM> ask" }))));
    assert_eq!(other.addressing, Addressing::None);
}

#[test]
fn what_is_no_payload_is_refused_without_being_quoted() {
    let broken = [
        ("application/json", "{\"type\":7,\"x\":\"private\"}"),
        ("application/x-www-form-urlencoded", "payload=private"),
    ];
    for (kind, body) in broken {
        let line = Slack::receive(&settings(), &testing::inbound(kind, body)).unwrap_err();
        assert!(!line.contains("private"), "{line}");
    }
}

/// Traffic that others recorded, where it is at hand: `FROGBOT_FIXTURES` names the folder.
#[test]
#[expect(
    clippy::disallowed_methods,
    reason = "the recorded payloads are not part of the repository"
)]
fn recorded_traffic_is_understood() {
    let Ok(folder) = std::env::var("FROGBOT_FIXTURES") else {
        return;
    };
    let read = |name: &str| -> Value {
        serde_json::from_slice(&std::fs::read(format!("{folder}/slack/{name}.json")).unwrap()).unwrap()
    };
    let channel = read("replay-channel-slack");
    let mention = only_event(receive(&channel["mention"]));
    assert_eq!(
        (message_of(&mention).text.as_str(), mention.addressing),
        ("Hey", Addressing::Mention)
    );
    let click = only_event(receive_form(&encoded(&channel["channel_post_action"])));
    assert_eq!(conversation_of(&click), conversation_of(&mention));
    assert_eq!(click_of(&click).message_id, "1771287149.605429");

    let plain = read("replay-slack");
    let named = only_event(receive(&plain["mention"]));
    let follow_up = only_event(receive(&plain["followUp"]));
    assert_eq!(
        (named.addressing, follow_up.addressing),
        (Addressing::Mention, Addressing::None)
    );
    assert_eq!(conversation_of(&named), conversation_of(&follow_up));

    let direct = read("replay-dm-slack-direct");
    for message in [&direct["directDM"], &direct["followUp"]] {
        let event = only_event(receive(message));
        assert_eq!(
            (event.addressing, conversation_of(&event).thread.as_str()),
            (Addressing::Direct, "")
        );
    }
    assert!(
        receive(&read("replay-actions-reactions-slack")["reaction"])
            .events
            .is_empty()
    );
    let menu = only_event(receive_form(&encoded(
        &read("replay-actions-reactions-slack")["staticSelectAction"],
    )));
    assert_eq!(click_of(&menu).value.as_deref(), Some("greet"));
}
