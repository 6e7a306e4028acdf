//! Whole conversations on a Slack that others wrote, npm `emulate`, with hosts that are killed in the middle.
//!
//! Messages go through the emulator's Web API, as people's clients send them, and reach the host as its signed events. It plays
//! no clicks: those are sent as Slack sends them, with trigger ids that the emulator gave out and lets expire.

use serde_json::Value;
use tests::emulated_slack::{EmulatedSlack, Posted};
use tests::host_process::{Answered, HostProcess, Installation, LIMIT, Line, Log};
use tests::slack_stand_in::{Message, SlackSender, View};

use super::slack_together::{PIZZA, picks};
use super::slack_world::{SCRIPT, SIGNING_SECRET, TOKEN, control, installation_for};

/// The button for a typed answer of the only question of a call.
const TYPE: &str = "Type your answer";

/// The emulator, and an installation that knows ann and ben, and not cleo.
struct World {
    slack: EmulatedSlack,
    installation: Installation,
    host: Option<HostProcess>,
    sender: SlackSender,
}

#[tokio::test]
async fn a_question_is_asked_answered_through_a_form_and_closed_though_the_host_dies_twice() {
    let mut world = World::start().await;
    let thread = world.mentioned_by("ann", "paint the fence").await;
    let card = world.card(&thread).await;
    assert!(card.says("Which color?"));

    world.host_dies_and_comes_back().await;
    let form = world.form_of("ben", &card, TYPE).await;

    world.host_dies_and_comes_back().await;
    let wrong = world.submits("ben", &form, "   ").await;
    assert_eq!(wrong.status, 200);
    assert!(
        wrong.body.contains(r#""response_action":"errors""#),
        "{}",
        wrong.body
    );
    assert!(wrong.body.contains("Type an answer first."), "{}", wrong.body);
    let right = world.submits("ben", &form, "Mauve").await;
    assert_eq!(right.status, 200);
    assert!(!right.body.contains("errors"), "{}", right.body);

    let closed = world.closed(&card).await;
    let ben = world.id("ben");
    assert!(closed.says("Mauve") && closed.says(&ben), "{closed:#?}");
    world.says(&thread, "Mauve it is.").await;

    world.presses("ann", &card, "Red").await;
    world.is_told("ann", "out of date").await;
    let posted = world.slack.posted().await.unwrap();
    let said = in_thread(&posted, &thread).filter(|message| message.says("it is."));
    assert_eq!(said.count(), 1, "{posted:#?}");
    let cards = in_thread(&posted, &thread).filter(|message| message.says("Which color?"));
    assert_eq!(cards.count(), 1, "{posted:#?}");
    assert!(
        world.closed(&card).await.says("Mauve"),
        "a late click changes nothing"
    );
}

/// Several questions on one card: what Ann typed waits for her Submit, also while the host is dead.
#[tokio::test]
async fn a_text_that_was_kept_outlives_the_host_and_goes_with_its_authors_submit() {
    let mut world = World::start_playing(PIZZA).await;
    let thread = world.mentioned_by("ann", "pizza").await;
    let card = world.card(&thread).await;
    let form = world.form_of("ann", &card, "Type: Toppings").await;
    let kept = world.submits("ann", &form, "capers").await;
    assert_eq!((kept.status, kept.body.as_str()), (200, ""));
    world.is_told("ann", "kept").await;

    world.host_dies_and_comes_back().await;
    let trigger = world.slack.trigger("ann").await.unwrap();
    let submit = world.press_of(&trigger, "ann", &card, "Submit");
    let picked = [(&picks(&card, 0), &[0, 2][..]), (&picks(&card, 1), &[1][..])];
    world.sends(&SlackSender::press_with(submit, &picked)).await;

    let closed = world.closed(&card).await;
    for part in ["Olives", "Onions", "capers", "Large"] {
        assert!(closed.says(part), "{part}: {closed:#?}");
    }
    world.says(&thread, "Olives, Onions, capers, Large.").await;
}

#[tokio::test]
async fn the_emulator_ends_with_whoever_started_it() {
    let slack = EmulatedSlack::start(TOKEN, SIGNING_SECRET).await.unwrap();
    slack.ends_when_left_alone().await.unwrap();
}

#[tokio::test]
async fn who_was_too_slow_for_a_form_is_told_to_press_again() {
    let world = World::start().await;
    let thread = world.mentioned_by("ann", "paint the fence").await;
    let card = world.card(&thread).await;

    let trigger = world.slack.trigger("ben").await.unwrap();
    world.slack.expire_triggers().await.unwrap();
    world.presses_with(&trigger, "ben", &card, TYPE).await;
    world.is_told("ben", "again").await;

    let form = world.form_of("ben", &card, TYPE).await;
    world.submits("ben", &form, "Mauve").await;
    world.says(&thread, "Mauve it is.").await;
}

#[tokio::test]
async fn who_may_not_answer_is_told_so_and_the_question_stays_open() {
    let world = World::start().await;
    let thread = world.mentioned_by("ann", "paint the fence").await;
    let card = world.card(&thread).await;

    world.presses("cleo", &card, "Red").await;
    world.is_told("cleo", "may not answer").await;
    world.presses("cleo", &card, TYPE).await;
    world.is_told_times("cleo", 2).await;
    let forms = world.slack.posted().await.unwrap().forms;
    assert!(
        forms.is_empty(),
        "no form for whoever may not send it: {forms:#?}"
    );
    let open = world.card(&thread).await;
    assert_eq!(open.blocks, card.blocks);

    world.presses("ben", &card, "Red").await;
    world.says(&thread, "Red it is.").await;
}

#[tokio::test]
async fn a_direct_message_is_a_conversation_of_its_own() {
    let world = World::start().await;
    let channel = world.slack.whisper_to_bot("ann").await.unwrap();
    world
        .slack
        .say("ann", &channel, "paint the fence", None)
        .await
        .unwrap();
    let card = world
        .sees("the card", |posted| {
            let mut there = posted
                .messages
                .iter()
                .filter(|message| message.channel == channel);
            there.find(|message| message.button("Red").is_some()).cloned()
        })
        .await;
    world.recorded().await;
    world.presses("ann", &card, "Blue").await;
    world.closed(&card).await;
    world
        .sees("the continuation", |posted| {
            let mut there = posted
                .messages
                .iter()
                .filter(|message| message.channel == channel);
            there.find(|message| message.says("Blue it is.")).map(drop)
        })
        .await;
}

impl World {
    async fn start() -> Self {
        Self::start_playing(SCRIPT).await
    }

    /// With an agent that plays this script.
    async fn start_playing(script: &str) -> Self {
        let slack = EmulatedSlack::start(TOKEN, SIGNING_SECRET).await.unwrap();
        let team = slack.who().team_id.clone();
        let installation = installation_for(&["ann", "ben"], &slack.api_url(), SIGNING_SECRET, &team);
        installation.write("script.toml", script).unwrap();
        let host = connected(&installation).await;
        slack.deliver_to(&host.channel_url("slack")).await.unwrap();
        let sender = SlackSender {
            url: host.channel_url("slack"),
            signing_secret: SIGNING_SECRET.to_owned(),
            team_id: team,
        };
        Self {
            slack,
            installation,
            host: Some(host),
            sender,
        }
    }

    /// `kill -9`, and another process on the same store.
    async fn host_dies_and_comes_back(&mut self) {
        let dead = self.host.take().unwrap();
        dead.kill().await.unwrap();
        let host = connected(&self.installation).await;
        let url = host.channel_url("slack");
        self.host = Some(host);
        self.slack.deliver_to(&url).await.unwrap();
        self.sender.url = url;
    }

    fn log(&self) -> &Log {
        self.host.as_ref().unwrap().log()
    }

    fn id(&self, name: &str) -> String {
        self.slack.person(name).unwrap().to_owned()
    }

    /// Somebody mentions the bot in the room; returns the thread's timestamp.
    async fn mentioned_by(&self, name: &str, text: &str) -> String {
        let who = self.slack.who();
        let text = format!("<@{}> {text}", who.bot_user_id);
        self.slack.say(name, &who.channel_id, &text, None).await.unwrap()
    }

    async fn sees<T>(&self, what: &str, look: impl Fn(&Posted) -> Option<T>) -> T {
        match self.slack.wait_for(what, look).await {
            Ok(found) => found,
            Err(late) => panic!("{late}\nthe host wrote:\n{}", self.log().text()),
        }
    }

    /// The open card of a thread, once the host knows that it was posted.
    async fn card(&self, thread: &str) -> Message {
        let card = self
            .sees("the card", |posted| {
                let mut messages = in_thread(posted, thread);
                messages
                    .find(|message| message.button("Dismiss").is_some())
                    .cloned()
            })
            .await;
        self.recorded().await;
        card
    }

    async fn recorded(&self) {
        self.log().wait_for_cards(1, LIMIT).await.unwrap();
    }

    /// The card without controls.
    async fn closed(&self, card: &Message) -> Message {
        self.sees("the closed card", |posted| {
            let mut messages = posted.messages.iter();
            let is = |message: &&Message| message.ts == card.ts && message.controls().is_empty();
            messages.find(is).cloned()
        })
        .await
    }

    /// The bot says this in the thread.
    async fn says(&self, thread: &str, text: &str) {
        self.sees(text, |posted| {
            in_thread(posted, thread)
                .find(|message| message.says(text))
                .map(drop)
        })
        .await;
    }

    /// Somebody sees a private notice with this in it.
    async fn is_told(&self, name: &str, text: &str) {
        let id = self.id(name);
        self.sees(&format!("a notice for {name}"), |posted| {
            let mut notices = posted.notices.iter();
            notices
                .find(|(user, notice)| *user == id && notice.contains(text))
                .map(drop)
        })
        .await;
    }

    /// Somebody sees so many private notices.
    async fn is_told_times(&self, name: &str, times: usize) {
        let id = self.id(name);
        self.sees(&format!("{times} notices for {name}"), |posted| {
            let notices = posted.notices.iter().filter(|(user, _)| *user == id);
            (notices.count() == times).then_some(())
        })
        .await;
    }

    async fn presses(&self, name: &str, card: &Message, label: &str) {
        let trigger = self.slack.trigger(name).await.unwrap();
        self.presses_with(&trigger, name, card, label).await;
    }

    async fn presses_with(&self, trigger: &str, name: &str, card: &Message, label: &str) {
        self.sends(&self.press_of(trigger, name, card, label)).await;
    }

    /// What Slack sends when somebody presses this button.
    fn press_of(&self, trigger: &str, name: &str, card: &Message, label: &str) -> Value {
        let at = trigger.split('.').take(2).collect::<Vec<_>>().join(".");
        self.sender
            .press(&self.id(name), card, &control(card, label), trigger, &at)
    }

    /// Slack sends it, and is answered.
    async fn sends(&self, press: &Value) {
        let answered = self.sender.interaction(press).await.unwrap();
        assert_eq!(answered.status, 200, "{}", self.log().text());
    }

    /// The form that opens when somebody presses this button.
    async fn form_of(&self, name: &str, card: &Message, label: &str) -> View {
        self.presses(name, card, label).await;
        let id = self.id(name);
        self.sees("the form", |posted| {
            let mut forms = posted.forms.iter();
            forms.find(|form| form.view["user_id"] == id.as_str()).cloned()
        })
        .await
    }

    async fn submits(&self, name: &str, form: &View, text: &str) -> Answered {
        let trigger = self.slack.trigger(name).await.unwrap();
        let sent = self.sender.submit(&self.id(name), form, "answer", text, &trigger);
        self.sender.interaction(&sent).await.unwrap()
    }
}

async fn connected(installation: &Installation) -> HostProcess {
    let host = installation.start().await.unwrap();
    let connected = |line: &Line| (line.message() == "connected").then_some(());
    let waited = host.log().wait_for("the connection to Slack", LIMIT, connected);
    waited.await.unwrap();
    host
}

fn in_thread<'a>(posted: &'a Posted, thread: &'a str) -> impl Iterator<Item = &'a Message> {
    let is = move |message: &&Message| message.thread_ts.as_deref() == Some(thread);
    posted.messages.iter().filter(is)
}
