//! Several people on one card: menus, boxes and forms are each person's own until somebody presses Submit; what comes twice, too
//! late or from an old picture of the card changes nothing and is answered.

use serde_json::{Value, json};
use tests::host_process::{LIMIT, Line};
use tests::slack_stand_in::{Control, Failure, Message, SlackSender, Workspace};

use super::slack_world::SlackWorld;

/// One call with a menu for several of twelve and a choice of two; a text is welcome in both.
pub(crate) const PIZZA: &str = r#"
[[model]]
when = { result = { tool = "question" } }
say = "{answer:Toppings}, {answer:Size}."

[[model]]
[[model.call]]
tool = "question"
[[model.call.input.questions]]
header = "Toppings"
question = "Which toppings?"
multiple = true
options = [
    { label = "Olives" }, { label = "Cheese" }, { label = "Onions" }, { label = "Peppers" },
    { label = "Mushrooms" }, { label = "Corn" }, { label = "Spinach" }, { label = "Rocket" },
    { label = "Tomatoes" }, { label = "Garlic" }, { label = "Basil" }, { label = "Artichokes" },
]
[[model.call.input.questions]]
header = "Size"
question = "Which size?"
options = [{ label = "Small" }, { label = "Large" }]
"#;

pub(crate) const ANN: &str = "U1";
pub(crate) const BEN: &str = "U2";

/// The control in which a question's options are picked, by the question's place.
pub(crate) fn picks(card: &Message, question: usize) -> Control {
    let ending = format!(":pick:{question}");
    let mut controls = card.controls().into_iter();
    controls
        .find(|control| control.action_id.ends_with(&ending))
        .unwrap_or_else(|| panic!("nothing to pick for question {question} on {card:#?}"))
}

/// How often the bot was told to say this in the thread, once it has.
async fn said_once(world: &SlackWorld, thread: &str, text: &str) {
    assert_eq!(world.said(thread, text).await, 1, "{text}");
}

#[tokio::test]
async fn each_person_picks_and_types_alone_and_the_first_submit_counts() {
    let world = SlackWorld::start_playing(PIZZA).await;
    let thread = world.mention("pizza").await;
    let card = world.card(&thread).await;
    let (toppings, size) = (picks(&card, 0), picks(&card, 1));
    assert_eq!(toppings.kind, "multi_static_select");

    // Both have a form open at the same time, and both send it off.
    let forms = (world.form(ANN, &card, 0).await, world.form(BEN, &card, 0).await);
    assert_eq!(world.submit(ANN, &forms.0, "capers").await, "");
    assert_eq!(world.submit(BEN, &forms.1, "anchovies").await, "");
    // Ticks are sent as they are made. They mean nothing yet.
    let tick = |user: &str, places: &[usize]| {
        let at = world.slack.next_ts();
        let press = world
            .sender
            .press(user, &card, &toppings, &format!("tick.{at}"), &at);
        SlackSender::press_with(press, &[(&toppings, places)])
    };
    world.interaction(&tick(ANN, &[0, 1])).await;
    world.interaction(&tick(BEN, &[2])).await;

    let submit = |user: &str, toppings_of: &[usize], size_of: &[usize]| {
        let press = world.press_of(user, &card, "Submit");
        SlackSender::press_with(press, &[(&toppings, toppings_of), (&size, size_of)])
    };
    world.interaction(&submit(BEN, &[2, 11], &[1])).await;
    world.interaction(&submit(ANN, &[0, 1], &[0])).await;

    let closed = world.closed(&card).await;
    for (word, shown) in [
        ("Onions", true),
        ("Artichokes", true),
        ("anchovies", true),
        ("Large", true),
        ("capers", false),
        (BEN, true),
    ] {
        assert_eq!(closed.says(word), shown, "{word}: {closed:#?}");
    }
    said_once(&world, &thread, "Onions, Artichokes, anchovies, Large.").await;
    world.is_told(ANN, "out of date").await;
    world.nothing_was_refused();
}

#[tokio::test]
async fn a_submit_without_all_answers_says_which_are_missing() {
    let world = SlackWorld::start_playing(PIZZA).await;
    let thread = world.mention("pizza").await;
    let card = world.card(&thread).await;
    let press = world.press_of(BEN, &card, "Submit");
    let only_size = SlackSender::press_with(press, &[(&picks(&card, 1), &[0])]);
    world.interaction(&only_size).await;
    let notice = world.notice_for(BEN).await;
    assert!(notice.says("Toppings") && !notice.says("Size"), "{notice:#?}");
    let open = world.card(&thread).await;
    assert!(!open.controls().is_empty());
}

#[tokio::test]
async fn what_slack_delivers_twice_counts_once() {
    let world = SlackWorld::start().await;
    let thread = world.slack.next_ts();
    for kind in ["app_mention", "message", "app_mention", "message"] {
        world
            .message(kind, "<@U0BOT> paint the fence", &thread, None)
            .await;
    }
    let card = world.card(&thread).await;
    let press = world.press_of(BEN, &card, "Blue");
    for _ in 0..3 {
        world.interaction(&press).await;
    }
    world.closed(&card).await;
    said_once(&world, &thread, "Blue it is.").await;
    let posted = world.slack.look(|workspace| workspace.thread(&thread).count());
    assert_eq!(posted, 2, "a card and a continuation");

    // A press that came again is no late press: Ben is told nothing, and a person who is late is.
    world.press("U3", &card, "Red").await;
    world.notice_for("U3").await;
    let told = |workspace: &Workspace| workspace.ephemerals.iter().any(|notice| notice.user == BEN);
    assert!(!world.slack.look(told));
    world.nothing_was_refused();
}

#[tokio::test]
async fn a_form_that_was_corrected_answers() {
    let world = SlackWorld::start().await;
    let thread = world.mention("paint the fence").await;
    let card = world.card(&thread).await;
    let form = world.form(ANN, &card, 0).await;
    let refused: Value = serde_json::from_str(&world.submit(ANN, &form, " ").await).unwrap();
    assert_eq!(refused["response_action"], "errors");
    let block = form.view["blocks"]
        .as_array()
        .and_then(|blocks| blocks.iter().find(|block| block["type"] == "input"))
        .unwrap();
    let field = block["block_id"].as_str().unwrap();
    assert!(refused["errors"][field].is_string(), "{refused} for {form:#?}");
    assert_eq!(world.submit(ANN, &form, "Mauve").await, "");
    assert!(world.closed(&card).await.says("Mauve"));
    said_once(&world, &thread, "Mauve it is.").await;
}

#[tokio::test]
async fn a_form_that_was_opened_before_somebody_else_answered_changes_nothing() {
    let world = SlackWorld::start().await;
    let thread = world.mention("paint the fence").await;
    let card = world.card(&thread).await;
    let form = world.form(ANN, &card, 0).await;
    world.press(BEN, &card, "Blue").await;
    world.closed(&card).await;
    let told = world.submit(ANN, &form, "Mauve").await;
    assert!(told.contains("nothing was sent"), "{told}");
    let closed = world.closed(&card).await;
    assert!(closed.says("Blue") && !closed.says("Mauve"), "{closed:#?}");
    said_once(&world, &thread, "Blue it is.").await;
}

/// Questions that fill more than one message are asked page by page, on the same message.
#[tokio::test]
async fn a_click_on_the_page_before_is_out_of_date() {
    let world = SlackWorld::start_playing(&two_pages()).await;
    let thread = world.mention("everything").await;
    let first = world.card(&thread).await;
    let all = |card: &Message| -> Vec<Control> {
        let is_pick = |control: &Control| control.action_id.contains(":pick:");
        card.controls().into_iter().filter(is_pick).collect()
    };
    let submit = |user: &str, card: &Message| {
        let controls = all(card);
        let picked: Vec<(&Control, &[usize])> = controls.iter().map(|control| (control, &[0][..])).collect();
        SlackSender::press_with(world.press_of(user, card, "Submit"), &picked)
    };
    world.interaction(&submit(BEN, &first)).await;
    let second = world
        .when("the second page", |workspace| {
            let is = |message: &&Message| message.ts == first.ts && message.says("Question 8");
            workspace.messages.iter().find(is).cloned()
        })
        .await;
    world.log().wait_for_cards(2, LIMIT).await.unwrap();

    // Ann's client still shows the first page.
    world.interaction(&submit(ANN, &first)).await;
    world.is_told(ANN, "out of date").await;
    world.interaction(&submit(BEN, &second)).await;
    world.closed(&first).await;
    said_once(&world, &thread, "All answered: First, First.").await;
    world.nothing_was_refused();
}

pub(crate) fn two_pages() -> String {
    let description = "a long description ".repeat(12);
    let option = |label: &str| format!("{{ label = \"{label}\", description = \"{description}\" }}");
    let options = ["First", "Second", "Third", "Fourth", "Fifth", "Sixth"]
        .map(option)
        .join(", ");
    let question = |number: usize| {
        format!(
            "[[model.call.input.questions]]\nheader = \"Q{number}\"\nquestion = \"Question {number}\"\noptions = [{options}]\n"
        )
    };
    let questions: String = (1..=8).map(question).collect();
    format!(
        "[[model]]\nwhen = {{ result = {{ tool = \"question\" }} }}\nsay = \"All answered: {{answer:Q1}}, {{answer:Q8}}.\"\n\n\
         [[model]]\n[[model.call]]\ntool = \"question\"\n{questions}"
    )
}

#[tokio::test]
async fn who_is_not_in_the_room_is_told_directly() {
    let world = SlackWorld::start().await;
    let thread = world.mention("paint the fence").await;
    let card = world.card(&thread).await;
    world.press(BEN, &card, "Blue").await;
    world.closed(&card).await;
    let outside = Failure::Error("user_not_in_channel".to_owned());
    world.slack.fail_next("chat.postEphemeral", [outside]);
    world.press("U3", &card, "Red").await;
    world
        .when("a direct message to U3", |workspace| {
            workspace
                .messages
                .iter()
                .find(|message| message.channel == "U3")
                .map(drop)
        })
        .await;
}

#[tokio::test]
async fn a_card_that_somebody_deleted_is_given_up_and_the_agent_goes_on() {
    let world = SlackWorld::start().await;
    let thread = world.mention("paint the fence").await;
    let card = world.card(&thread).await;
    let gone = Failure::Error("message_not_found".to_owned());
    world.slack.fail_next("chat.update", [gone]);
    world.press(BEN, &card, "Blue").await;
    said_once(&world, &thread, "Blue it is.").await;
    let given_up = |line: &Line| line.message().contains("message_not_found").then_some(());
    let waited = world.log().wait_for("a word about the card", LIMIT, given_up);
    waited.await.unwrap();
    let closed = |line: &Line| line.is("question closed", "closed", true).then_some(());
    let waited = world.log().wait_for("the end of the closing", LIMIT, closed);
    waited.await.unwrap();
    let tries = |workspace: &Workspace| workspace.calls["chat.update"];
    assert_eq!(world.slack.look(tries), 1);
}

#[tokio::test]
async fn a_closing_edit_that_slack_could_not_make_is_made_again() {
    let world = SlackWorld::start().await;
    let thread = world.mention("paint the fence").await;
    let card = world.card(&thread).await;
    world.slack.fail_next("chat.update", [Failure::Status(503)]);
    world.press(BEN, &card, "Blue").await;
    let closed = world.closed(&card).await;
    assert_eq!(json!(closed.updates), json!(1));
    said_once(&world, &thread, "Blue it is.").await;
    world.nothing_was_refused();
}
