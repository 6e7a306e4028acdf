//! What people did is not lost, answered, and counts only when they may.

use std::time::Duration;

use super::View;
use crate::facts::{About, Act, ActId, Answer, Choice, End, What, may};
use crate::plan::OPEN_BRIEFLY;

/// How long after a click a crash can lose the word about it: until its attempt is lost and made again.
const TOLD_WITHIN: Duration = Duration::from_secs(150);

fn acknowledged(view: &View<'_>, act: ActId) -> bool {
    let mut requests = view.facts.requests.iter().filter(|request| request.act == act);
    requests.any(|request| {
        request
            .answered
            .is_some_and(|(_, answer)| answer == Answer::Acknowledged)
    })
}

fn was_told(view: &View<'_>, act: ActId) -> bool {
    view.facts.told.iter().any(|told| told.act == act)
}

fn advanced(view: &View<'_>, act: ActId) -> bool {
    let mut hooks = view.facts.hooks.iter();
    hooks.any(|hook| matches!(&hook.about, About::Updated { act: Some(by), .. } if *by == act))
}

/// Whether a question ended by this person after this.
fn settled_by(view: &View<'_>, act: &Act) -> bool {
    view.facts.hooks.iter().any(|hook| {
        let by = matches!(&hook.about, About::Settled { actor: Some(actor), .. } if actor == act.person);
        by && hook.place == act.place && hook.at >= act.at
    })
}

/// Whether the hook that was to tell somebody failed: a notice is told once.
fn telling_failed(view: &View<'_>, act: ActId) -> bool {
    let mut hooks = view.facts.hooks.iter();
    hooks.any(|hook| hook.about == About::Notice { act } && hook.end != End::Returned)
}

fn may_be_lost(view: &View<'_>, act: ActId) -> bool {
    let requests = view.facts.requests.iter().filter(|request| request.act == act);
    let mut spans = requests.map(|request| (request.at, request.at + TOLD_WITHIN));
    spans.any(|(from, until)| view.anything_disturbed(from, until))
}

/// A message that was acknowledged reaches the model, or answers a question, or its sender is told why not.
pub(super) fn no_acknowledged_event_is_lost(view: &View<'_>) -> Vec<String> {
    let mut lost = Vec::new();
    for (number, act) in view.facts.acts.iter().enumerate() {
        let (What::Says { word } | What::Types { word }) = &act.what else {
            continue;
        };
        if !may(act.person) || !acknowledged(view, number) {
            continue;
        }
        let seen = view.facts.steps.iter().any(|step| step.words.contains(word));
        let typed = matches!(act.what, What::Types { .. });
        let answered = typed && (advanced(view, number) || settled_by(view, act));
        let told =
            was_told(view, number) || (typed && (telling_failed(view, number) || may_be_lost(view, number)));
        let gave_up = view.may_give_up() && (view.gave_up(act.place) || may_be_lost(view, number));
        if !seen && !answered && !told && !gave_up {
            lost.push(format!("act {number}: {} {word} in {:?}", act.person, act.place));
        }
    }
    lost
}

/// A click that was acknowledged advances or settles its question, or the person is told something.
pub(super) fn nobody_is_left_without_an_answer_to_a_click(view: &View<'_>) -> Vec<String> {
    let mut left = Vec::new();
    for (number, act) in view.facts.acts.iter().enumerate() {
        let What::Clicks {
            ask, step, choice, ..
        } = &act.what
        else {
            continue;
        };
        if !acknowledged(view, number) || was_told(view, number) || advanced(view, number) {
            continue;
        }
        if took_effect(view, act, ask, *step, choice)
            || telling_failed(view, number)
            || may_be_lost(view, number)
        {
            continue;
        }
        // Nobody knows a record that has expired.
        let brief = Duration::from_millis(OPEN_BRIEFLY.0);
        if view.plan.expiry && act.at >= first_seen(view, ask) + brief {
            continue;
        }
        left.push(format!(
            "act {number}: {} pressed {choice:?} of {ask}",
            act.person
        ));
    }
    left
}

fn took_effect(view: &View<'_>, act: &Act, ask: &str, step: usize, choice: &Choice) -> bool {
    view.facts.hooks.iter().any(|hook| match &hook.about {
        About::Settled {
            ask: of,
            ending,
            actor,
        } if of == ask => match choice {
            Choice::Dismiss => ending == "dismissed" && actor.as_deref() == Some(act.person),
            Choice::Option(_) => ending
                .split(' ')
                .any(|word| Some(word) == label(ask, step, choice).as_deref()),
        },
        About::Settled { .. }
        | About::Post { .. }
        | About::Render { .. }
        | About::Updated { .. }
        | About::Notice { .. }
        | About::Identity { .. } => false,
    })
}

/// What stands on a button.
pub(super) fn label(ask: &str, step: usize, choice: &Choice) -> Option<String> {
    match choice {
        Choice::Option(option) => Some(format!("{ask}#{step}o{option}")),
        Choice::Dismiss => None,
    }
}

fn first_seen(view: &View<'_>, ask: &str) -> Duration {
    let shown =
        view.facts.hooks.iter().find(
            |hook| matches!(&hook.about, About::Render { asks } if asks.iter().any(|name| name == ask)),
        );
    shown.map_or(Duration::ZERO, |hook| hook.at)
}

/// Nobody without access is heard, and every part of an answer was chosen by somebody with access.
pub(super) fn nobody_without_access_changes_anything(view: &View<'_>) -> Vec<String> {
    let mut broken = Vec::new();
    for act in view.facts.acts.iter().filter(|act| !may(act.person)) {
        let (What::Says { word } | What::Types { word }) = &act.what else {
            continue;
        };
        if view.facts.steps.iter().any(|step| step.words.contains(word)) {
            broken.push(format!("the model saw {word} of {}", act.person));
        }
    }
    for hook in &view.facts.hooks {
        match &hook.about {
            About::Updated { act: Some(act), .. } => {
                let person = view.facts.acts.get(*act).map_or("nobody", |act| act.person);
                if !may(person) {
                    broken.push(format!("act {act} of {person} advanced a question"));
                }
            }
            About::Settled { ask, ending, actor } => {
                if actor.as_deref().is_some_and(|actor| !may(actor)) {
                    broken.push(format!("{ask} was settled by {actor:?}"));
                }
                if ending != "dismissed" {
                    let parts = ending.split(' ').filter(|part| !chosen(view, ask, part));
                    broken.extend(parts.map(|part| format!("nobody who may chose {part} of {ask}")));
                }
            }
            About::Post { .. }
            | About::Render { .. }
            | About::Updated { act: None, .. }
            | About::Notice { .. }
            | About::Identity { .. } => {}
        }
    }
    broken
}

/// Whether somebody with access chose this label, or typed an answer.
fn chosen(view: &View<'_>, ask: &str, part: &str) -> bool {
    view.facts
        .acts
        .iter()
        .filter(|act| may(act.person))
        .any(|act| match &act.what {
            What::Clicks {
                ask: of,
                step,
                choice,
                ..
            } => of == ask && label(ask, *step, choice).as_deref() == Some(part),
            What::Types { word } => word == part || part.starts_with(ask),
            What::Says { .. } => false,
        })
}

/// The model sees the messages of a conversation in the order in which they were acknowledged.
pub(super) fn messages_keep_their_order(view: &View<'_>) -> Vec<String> {
    let mut broken = Vec::new();
    for step in &view.facts.steps {
        let acts: Vec<ActId> = step
            .words
            .iter()
            .filter_map(|word| word.get(1..)?.parse().ok())
            .collect();
        for pair in acts.windows(2) {
            let [first, second] = pair else { continue };
            let (Some(one), Some(two)) = (view.facts.acts.get(*first), view.facts.acts.get(*second)) else {
                continue;
            };
            // One that waits for a retry is passed over.
            let retried = view.facts.hooks.iter().any(|hook| {
                hook.place == one.place
                    && matches!(&hook.about, About::Identity { .. })
                    && hook.end != End::Returned
            });
            let after = first_acknowledged(view, *second).is_some_and(|at| at < one.at);
            if after && !retried && !view.anything_disturbed(two.at, one.at + TOLD_WITHIN) {
                broken.push(format!(
                    "{} was acknowledged before {} was sent, and comes after it",
                    second, first
                ));
            }
        }
    }
    broken.sort();
    broken.dedup();
    broken
}

fn first_acknowledged(view: &View<'_>, act: ActId) -> Option<Duration> {
    let requests = view.facts.requests.iter().filter(|request| request.act == act);
    let answered = requests.filter_map(|request| request.answered);
    answered
        .filter(|(_, answer)| *answer == Answer::Acknowledged)
        .map(|(at, _)| at)
        .min()
}
