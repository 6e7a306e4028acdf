//! People, and the platforms that carry what they do to the hosts: again and again until it is acknowledged, sometimes
//! twice, sometimes in another order.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use futures_channel::oneshot;
use futures_util::future::{Either, select};
use ports::Ingress;
use ports::ingress::IngressFault;
use ports::pieces::{
    Action, Addressing, Author, AuthorKind, Event, HttpReply, InboundRequest, Interaction, Message,
    Place as Where,
};

use crate::executor::{Group, OUTSIDE};
use crate::facts::{Act, ActId, Answer, Choice, OUTSIDER, PEOPLE, Place, Request, What};
use crate::model::POKE;
use crate::piece::{ACKNOWLEDGED, TELLS, reply};
use crate::platform::{Card, channel_of, conversation};
use crate::world::{Universe, lock};

/// How long the platform waits for the response to a click.
const ANSWER_WITHIN: Duration = Duration::from_secs(3);
/// How long it waits for the response to a message.
const MESSAGE_WITHIN: Duration = Duration::from_secs(10);

/// Somebody's intention, drawn.
enum Wish {
    Say,
    Type,
    Press(Card, Choice),
    PressTwice(Card, Choice),
    /// Two people press two buttons of one card at the same instant.
    PressTogether(Card, Choice, Choice),
}

/// Lets people live in a conversation for a while.
pub(crate) fn crowd(world: &Arc<Universe>, place: Place) {
    world.errands.fetch_add(1, Ordering::Relaxed);
    let world = Arc::clone(world);
    let executor = Arc::clone(&world.executor);
    executor.spawn(OUTSIDE, async move {
        say(&world, PEOPLE[0], place, 'w');
        for _ in 0..world.plan.acts {
            let pause = world.draw(|random| {
                let longest = if random.chance(200) {
                    world.plan.pause_ms * 4
                } else {
                    world.plan.pause_ms
                };
                random.millis(10, longest)
            });
            world.executor.sleep(pause).await;
            act(&world, place);
        }
        world.errands.fetch_sub(1, Ordering::Relaxed);
    });
}

fn act(world: &Arc<Universe>, place: Place) {
    let (live, drawn) = (world.platforms.live(place), world.platforms.drawn(place));
    let (person, other, wish) = world.draw(|random| {
        let person = if random.chance(120) {
            OUTSIDER
        } else {
            PEOPLE[random.index(PEOPLE.len())]
        };
        let other = PEOPLE[random.index(PEOPLE.len())];
        let drawn_choice = |random: &mut crate::random::Random, card: &Card| {
            if random.chance(100) {
                Choice::Dismiss
            } else {
                Choice::Option(random.index(card.block.choices))
            }
        };
        let wish = match (random.below(100), random.one_of(&live), random.one_of(&drawn)) {
            (0..12, _, _) | (_, None, None) => Wish::Say,
            (12..24, _, _) => Wish::Type,
            (24..40, _, Some(card)) | (_, None, Some(card)) => {
                Wish::Press(card.clone(), drawn_choice(random, card))
            }
            (40..52, Some(card), _) => Wish::PressTwice(card.clone(), drawn_choice(random, card)),
            (52..66, Some(card), _) => {
                let (one, two) = (drawn_choice(random, card), drawn_choice(random, card));
                Wish::PressTogether(card.clone(), one, two)
            }
            (_, Some(card), _) => Wish::Press(card.clone(), drawn_choice(random, card)),
        };
        (person, other, wish)
    });
    match wish {
        Wish::Say => drop(say(world, person, place, 'w')),
        Wish::Type => drop(type_answer(world, person, place)),
        Wish::Press(card, choice) => drop(press(world, person, &card, choice)),
        Wish::PressTwice(card, choice) => {
            press(world, person, &card, choice.clone());
            press(world, person, &card, choice);
        }
        Wish::PressTogether(card, one, two) => {
            press(world, person, &card, one);
            press(world, other, &card, two);
        }
    }
}

/// Somebody pokes the agent, who answers and asks nothing.
pub(crate) fn poke(world: &Arc<Universe>, place: Place) -> ActId {
    say(world, PEOPLE[0], place, POKE)
}

fn say(world: &Arc<Universe>, person: &'static str, place: Place, kind: char) -> ActId {
    let number = world.facts().acts.len();
    let word = format!("{kind}{number}");
    let text = format!("please {word}");
    write(
        world,
        person,
        place,
        text,
        What::Says { word },
        Addressing::Mention,
    )
}

fn type_answer(world: &Arc<Universe>, person: &'static str, place: Place) -> ActId {
    let word = format!("w{}", world.facts().acts.len());
    let text = world.draw(|random| match random.below(4) {
        0 | 1 => format!("/say {word}"),
        2 => format!("/answer {} {word}", 1 + random.below(3)),
        _ => format!("/answer 9 {word}"),
    });
    write(
        world,
        person,
        place,
        text,
        What::Types { word },
        Addressing::Reply,
    )
}

fn write(
    world: &Arc<Universe>,
    person: &'static str,
    place: Place,
    text: String,
    what: What,
    addressing: Addressing,
) -> ActId {
    let date_sent = world.platform_time();
    happens(world, person, place, what, addressing, |number, user| {
        Interaction::Message(Message {
            id: lifecycle::MessageId(format!("u{number}")),
            text,
            author: user,
            date_sent,
            reply_to: None,
            raw: number.to_string(),
        })
    })
}

/// Somebody presses a button.
pub(crate) fn press(world: &Arc<Universe>, person: &'static str, card: &Card, choice: Choice) -> ActId {
    let meaning = match &choice {
        Choice::Option(index) => index.to_string(),
        Choice::Dismiss => "dismiss".to_owned(),
    };
    let action_id = format!("{}:{}:{meaning}", card.block.call, card.block.step);
    let (ask, step) = (card.block.ask.clone(), card.block.step);
    let what = What::Clicks {
        message: card.message.0.clone(),
        ask,
        step,
        choice,
    };
    happens(
        world,
        person,
        card.place,
        what,
        Addressing::None,
        |number, user| {
            Interaction::Action(Action {
                action_id,
                value: None,
                message_id: card.message.clone(),
                user,
                trigger_id: None,
                raw: number.to_string(),
            })
        },
    )
}

fn happens(
    world: &Arc<Universe>,
    person: &'static str,
    place: Place,
    what: What,
    addressing: Addressing,
    interaction: impl FnOnce(ActId, Author) -> Interaction,
) -> ActId {
    let author = Author {
        id: format!("u-{person}"),
        name: person.to_owned(),
        kind: AuthorKind::Person,
        external: false,
    };
    let at = world.executor.now();
    let number = {
        let mut facts = world.facts();
        let what = what.clone();
        facts.acts.push(Act {
            person,
            place,
            at,
            what,
        });
        facts.acts.len() - 1
    };
    lock(&world.events).push(Event {
        delivery_id: format!("d{number}"),
        place: Where::Conversation(conversation(place)),
        addressing,
        interaction: interaction(number, author),
        acknowledgement: reply(ACKNOWLEDGED),
        answer_within: ANSWER_WITHIN,
    });
    world.note(|| format!("act {number}: {person} in {place:?} {what:?}"));
    deliver(world, number, place, matches!(what, What::Clicks { .. }));
    number
}

fn deliver(world: &Arc<Universe>, act: ActId, place: Place, is_click: bool) {
    world.errands.fetch_add(1, Ordering::Relaxed);
    let world = Arc::clone(world);
    let executor = Arc::clone(&world.executor);
    executor.spawn(OUTSIDE, async move {
        let (way, again) = world.draw(|random| {
            let way = if world.plan.reordered {
                random.millis(0, 4_000)
            } else {
                random.millis(0, 40)
            };
            let twice = random.chance(world.plan.duplicates);
            (way, twice.then(|| random.millis(0, 60_000)))
        });
        world.executor.sleep(way).await;
        while request(&world, act, place, is_click).await == Answer::Failed {
            let pause = world.draw(|random| random.millis(500, 8_000));
            world.executor.sleep(pause).await;
        }
        if let Some(pause) = again {
            world.executor.sleep(pause).await;
            request(&world, act, place, is_click).await;
        }
        world.errands.fetch_sub(1, Ordering::Relaxed);
    });
}

/// One request to some host.
async fn request(world: &Arc<Universe>, act: ActId, place: Place, is_click: bool) -> Answer {
    let running = world.running();
    let Some(host) = world.draw(|random| random.one_of(&running).cloned()) else {
        return Answer::Failed;
    };
    let number = {
        let at = world.executor.now();
        let mut facts = world.facts();
        facts.requests.push(Request {
            act,
            at,
            answered: None,
        });
        facts.requests.len() - 1
    };
    let (sender, receiver) = oneshot::channel();
    let body = InboundRequest {
        method: "POST".to_owned(),
        path: String::new(),
        headers: Vec::new(),
        body: act.to_string().into(),
    };
    world.executor.spawn(Group(host.host), async move {
        drop(sender.send(host.engine.take_in(channel_of(place), body).await));
    });
    let patience = if is_click { ANSWER_WITHIN } else { MESSAGE_WITHIN };
    let answered = select(receiver, world.executor.sleep(patience)).await;
    let answer = match answered {
        Either::Left((Ok(response), _)) => heard(world, response),
        Either::Left((Err(_), _)) | Either::Right(((), _)) => Answer::Failed,
    };
    world.note(|| format!("act {act}, request {number} to host {}: {answer:?}", host.host));
    let now = world.executor.now();
    if let Some(request) = world.facts().requests.get_mut(number) {
        request.answered = Some((now, answer));
    }
    answer
}

fn heard(world: &Arc<Universe>, response: Result<HttpReply, IngressFault>) -> Answer {
    let Ok(response) = response else {
        return Answer::Failed;
    };
    let body = String::from_utf8_lossy(&response.body).into_owned();
    let told = body.strip_prefix(TELLS).and_then(|rest| rest.split_once(' '));
    if let Some((act, what)) = told
        && let Ok(act) = act.parse()
    {
        world.told(act, what.to_owned());
    }
    Answer::Acknowledged
}
