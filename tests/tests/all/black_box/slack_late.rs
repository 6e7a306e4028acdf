//! Old pictures of a card, and what people keep for themselves meanwhile: a press or a form of yesterday, of the page before or
//! of a card that could not be closed is answered and changes nothing but what is seen.

use serde_json::Value;
use tests::host_process::{LIMIT, Line};
use tests::slack_stand_in::{Control, Failure, Message, SlackSender, View, Workspace};

use super::slack_together::{ANN, BEN, PIZZA, picks, two_pages};
use super::slack_world::SlackWorld;

/// Asks for a colour, and when it has one for a size.
const COLOR_THEN_SIZE: &str = r#"
[[model]]
when = { result = { tool = "question" }, calls = 2 }
say = "{answer:Color}, {answer:Size}."

[[model]]
when = { result = { tool = "question" }, calls = 1 }
[[model.call]]
tool = "question"
[[model.call.input.questions]]
header = "Size"
question = "Which size?"
options = [{ label = "Small" }, { label = "Large" }]

[[model]]
[[model.call]]
tool = "question"
[[model.call.input.questions]]
header = "Color"
question = "Which color?"
options = [{ label = "Red" }, { label = "Blue" }]
"#;

/// A person's Submit with the first option picked everywhere.
fn submit_with_the_first_of_each(world: &SlackWorld, user: &str, card: &Message) -> Value {
    let mut controls = card.controls();
    controls.retain(|control| control.action_id.contains(":pick:"));
    let picked: Vec<(&Control, &[usize])> = controls.iter().map(|control| (control, &[0][..])).collect();
    SlackSender::press_with(world.press_of(user, card, "Submit"), &picked)
}

/// Waits for a card of the thread that shows this and can be used, once the host knows that it is there.
async fn open_card(world: &SlackWorld, thread: &str, shows: &str, cards: usize) -> Message {
    let is = |message: &&Message| message.says(shows) && message.button("Dismiss").is_some();
    let card = world
        .when(shows, |workspace| workspace.thread(thread).find(is).cloned())
        .await;
    world.log().wait_for_cards(cards, LIMIT).await.unwrap();
    card
}

/// The message as it is now.
fn as_it_is(world: &SlackWorld, card: &Message) -> Message {
    let is = |message: &&Message| message.ts == card.ts;
    world
        .slack
        .look(|workspace| workspace.messages.iter().find(is).cloned())
        .unwrap()
}

/// What stands in a form's field when it opens.
fn prefilled(form: &View) -> Option<&str> {
    let mut blocks = form.view["blocks"].as_array()?.iter();
    let input = blocks.find(|block| block["type"] == "input")?;
    input["element"]["initial_value"].as_str()
}

#[tokio::test]
async fn a_press_on_yesterdays_card_leaves_todays_question_open() {
    let world = SlackWorld::start_playing(COLOR_THEN_SIZE).await;
    let thread = world.mention("paint the fence").await;
    let yesterdays = open_card(&world, &thread, "Which color?", 1).await;
    world.press(BEN, &yesterdays, "Blue").await;
    let todays = open_card(&world, &thread, "Which size?", 2).await;
    assert_ne!(todays.ts, yesterdays.ts, "another call is another message");

    world.press(ANN, &yesterdays, "Red").await;
    world.is_told(ANN, "out of date").await;
    assert_eq!(as_it_is(&world, &todays), todays);
    world.press(BEN, &todays, "Large").await;
    world.closed(&todays).await;
    assert_eq!(world.said(&thread, "Blue, Large.").await, 1);
    let old = world.closed(&yesterdays).await;
    assert!(old.says("Blue") && !old.says("Red"), "{old:#?}");
    world.nothing_was_refused();
}

#[tokio::test]
async fn a_form_of_the_page_before_says_so_and_its_text_is_not_sent() {
    let world = SlackWorld::start_playing(&two_pages()).await;
    let thread = world.mention("everything").await;
    let first = world.card(&thread).await;
    let form = world.form(ANN, &first, 0).await;

    // While Ann types, Ben is done with the page.
    world
        .interaction(&submit_with_the_first_of_each(&world, BEN, &first))
        .await;
    let second = open_card(&world, &thread, "Question 8", 2).await;
    let told: Value = serde_json::from_str(&world.submit(ANN, &form, "mine").await).unwrap();
    assert_eq!(told["response_action"], "errors", "{told}");
    assert!(told.to_string().contains("nothing was sent"), "{told}");
    assert_eq!(as_it_is(&world, &second), second);

    world
        .interaction(&submit_with_the_first_of_each(&world, ANN, &second))
        .await;
    let closed = world.closed(&second).await;
    assert!(!closed.says("mine"), "{closed:#?}");
    assert_eq!(world.said(&thread, "All answered: First, First.").await, 1);
    world.nothing_was_refused();
}

/// Slack may refuse the closing edit for good, so that a card with live controls stays behind.
#[tokio::test]
async fn a_late_press_draws_a_card_that_could_not_be_closed() {
    let world = SlackWorld::start().await;
    let thread = world.mention("paint the fence").await;
    let card = world.card(&thread).await;
    let refused = Failure::Error("cant_update_message".to_owned());
    world.slack.fail_next("chat.update", [refused]);
    world.press(BEN, &card, "Blue").await;
    assert_eq!(world.said(&thread, "Blue it is.").await, 1);
    let closed = |line: &Line| line.is("question closed", "closed", true).then_some(());
    let waited = world.log().wait_for("the end of the closing", LIMIT, closed);
    waited.await.unwrap();
    assert!(
        as_it_is(&world, &card).button("Red").is_some(),
        "it is still alive"
    );

    world.press(ANN, &card, "Red").await;
    let drawn = world.closed(&card).await;
    assert!(drawn.says("Blue") && drawn.says(BEN), "{drawn:#?}");
    world.is_told(ANN, "out of date").await;
    let said = |workspace: &Workspace| {
        let thread = workspace.thread(&thread);
        thread.filter(|message| message.says("it is.")).count()
    };
    assert_eq!(world.slack.look(said), 1);
}

#[tokio::test]
async fn a_form_that_slack_delivers_twice_counts_once() {
    let world = SlackWorld::start().await;
    let thread = world.mention("paint the fence").await;
    let card = world.card(&thread).await;
    let form = world.form(ANN, &card, 0).await;
    let trigger = format!("trigger.{}", world.slack.next_ts());
    let sent = world.sender.submit(ANN, &form, "answer", "Mauve", &trigger);
    for _ in 0..3 {
        let answered = world.sender.interaction(&sent).await.unwrap();
        assert_eq!(
            (answered.status, answered.body.as_str()),
            (200, ""),
            "a form that was sent again is not told that it came too late"
        );
    }
    world.closed(&card).await;
    assert_eq!(world.said(&thread, "Mauve it is.").await, 1);
    let posted = world.slack.look(|workspace| workspace.thread(&thread).count());
    assert_eq!(posted, 2, "a card and a continuation");
    world.nothing_was_refused();
}

#[tokio::test]
async fn a_text_is_kept_for_its_author_who_may_change_it_or_take_it_back() {
    let world = SlackWorld::start_playing(PIZZA).await;
    let thread = world.mention("pizza").await;
    let card = world.card(&thread).await;
    let form = world.form(ANN, &card, 0).await;
    assert_eq!(prefilled(&form), None);
    assert_eq!(world.submit(ANN, &form, "capers").await, "");
    world.is_told(ANN, "kept").await;

    assert_eq!(prefilled(&world.form(BEN, &card, 0).await), None, "it is Ann's");
    let again = world.form(ANN, &card, 0).await;
    assert_eq!(prefilled(&again), Some("capers"));
    assert_eq!(world.submit(ANN, &again, "anchovies").await, "");
    let emptied = world.form(ANN, &card, 0).await;
    assert_eq!(prefilled(&emptied), Some("anchovies"));
    assert_eq!(world.submit(ANN, &emptied, "").await, "");
    assert_eq!(prefilled(&world.form(ANN, &card, 0).await), None);

    world
        .interaction(&submit_with_the_first_of_each(&world, ANN, &card))
        .await;
    assert_eq!(world.said(&thread, "Olives, Small.").await, 1);
    world.nothing_was_refused();
}

#[tokio::test]
async fn a_dismissal_ends_all_questions_of_a_call_and_what_others_picked_and_typed() {
    let world = SlackWorld::start_playing(PIZZA).await;
    let thread = world.mention("pizza").await;
    let card = world.card(&thread).await;
    let kept = world.form(ANN, &card, 0).await;
    assert_eq!(world.submit(ANN, &kept, "capers").await, "");
    let still_open = world.form(ANN, &card, 1).await;

    let toppings = picks(&card, 0);
    let dismissal = world.press_of(BEN, &card, "Dismiss");
    world
        .interaction(&SlackSender::press_with(dismissal, &[(&toppings, &[0, 1])]))
        .await;
    let closed = world.closed(&card).await;
    assert!(closed.says("Dismissed") && closed.says(BEN), "{closed:#?}");
    assert!(!closed.says("capers") && !closed.says("Olives"), "{closed:#?}");

    let told = world.submit(ANN, &still_open, "huge").await;
    assert!(told.contains("nothing was sent"), "{told}");
    world
        .interaction(&submit_with_the_first_of_each(&world, ANN, &card))
        .await;
    world.is_told(ANN, "out of date").await;
    let posted = world.slack.look(|workspace| workspace.thread(&thread).count());
    assert_eq!(posted, 1, "nobody goes on after a dismissal");
    world.nothing_was_refused();
}
