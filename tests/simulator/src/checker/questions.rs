//! A question has one outcome, and everybody is told the same.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use super::View;
use super::events::label;
use crate::facts::{About, ActId, End, Saw, What};

/// How much a store's time and a hook's may lie apart, and how long a click may be on its way.
const SLACK: Duration = Duration::from_secs(100);

/// How each question ended: what the platform was told, with who did it.
fn settled<'a>(view: &View<'a>) -> BTreeMap<&'a str, BTreeSet<(String, Option<String>)>> {
    let mut ended: BTreeMap<&str, BTreeSet<(String, Option<String>)>> = BTreeMap::new();
    for hook in &view.facts.hooks {
        if let About::Settled { ask, ending, actor } = &hook.about {
            ended
                .entry(ask)
                .or_default()
                .insert((ending.clone(), actor.clone()));
        }
    }
    ended
}

/// How each question ended: what the model saw.
fn seen_by_model<'a>(view: &View<'a>) -> BTreeMap<&'a str, BTreeSet<&'a str>> {
    let mut ended: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for step in &view.facts.steps {
        for saw in step.turns.values().flatten() {
            if let Saw::Asked {
                ask,
                ending: Some(ending),
            } = saw
            {
                ended.entry(ask).or_default().insert(ending);
            }
        }
    }
    ended
}

/// The platform and the model are told one outcome of a question, and the same one.
pub(super) fn a_question_has_one_outcome(view: &View<'_>) -> Vec<String> {
    let mut broken = Vec::new();
    let (settled, seen) = (settled(view), seen_by_model(view));
    for (ask, endings) in &settled {
        if endings.len() > 1 {
            broken.push(format!(
                "the platform is told several outcomes of {ask}: {endings:?}"
            ));
        }
    }
    for (ask, endings) in &seen {
        if endings.len() > 1 {
            broken.push(format!("the model sees several outcomes of {ask}: {endings:?}"));
        }
        let told = settled.get(ask).into_iter().flatten();
        for (ending, _) in told.filter(|(ending, _)| !endings.contains(ending.as_str())) {
            broken.push(format!(
                "{ask} is {ending} on the platform and {endings:?} for the model"
            ));
        }
    }
    broken
}

/// Every message of a question says how it ended, and nothing else.
pub(super) fn cards_agree_with_the_outcome(view: &View<'_>) -> Vec<String> {
    let settled = settled(view);
    let mut broken = Vec::new();
    for (number, posted) in view.messages.iter().enumerate() {
        for block in &posted.blocks {
            let Some((ending, actor)) = settled
                .get(block.ask.as_str())
                .and_then(|endings| endings.first())
            else {
                // A record that has expired is not closed with the one that is dismissed beside it.
                if !(view.plan.expiry && posted.was_dismissed()) {
                    broken.push(format!("m{number} shows {}, which never ended", block.ask));
                }
                continue;
            };
            let by = actor
                .as_ref()
                .map(|name| format!(" by {name}"))
                .unwrap_or_default();
            let right = format!("{ending}{by}");
            if block.closed.as_ref() != Some(&right) {
                broken.push(format!(
                    "m{number} shows {:?} of {}, which is {right}",
                    block.closed, block.ask
                ));
            }
        }
    }
    broken
}

/// An answer comes within the life of the record since it last changed.
pub(super) fn an_expired_question_takes_no_answer(view: &View<'_>) -> Vec<String> {
    let open_for = Duration::from_millis(view.policy.open_for.0);
    let mut broken = Vec::new();
    // Closing a message that turned up later settles nothing anew.
    let mut ended: BTreeSet<&str> = BTreeSet::new();
    for hook in &view.facts.hooks {
        let About::Settled {
            ask,
            ending,
            actor: Some(_),
        } = &hook.about
        else {
            continue;
        };
        if !ended.insert(ask) {
            continue;
        }
        let Some(last) = last_change(view, ask, hook.at) else {
            continue;
        };
        if hook.at > last + open_for + SLACK {
            broken.push(format!(
                "{ask} was {ending} at {:?}, and last changed at {last:?}",
                hook.at
            ));
        }
    }
    broken
}

/// When a question last changed before it ended, at the latest: a hook about it ended, or somebody pressed a button of it
/// and was not the one who ended it.
fn last_change(view: &View<'_>, ask: &str, ended: Duration) -> Option<Duration> {
    let hooks = view.facts.hooks.iter().filter(|hook| match &hook.about {
        About::Render { asks } => asks.iter().any(|name| name == ask),
        About::Updated { ask: of, .. } => of == ask,
        About::Settled { ask: of, .. } => of == ask && hook.at < ended,
        About::Post { .. } | About::Notice { .. } | About::Identity { .. } => false,
    });
    let drawn = hooks.filter(|hook| hook.at < ended).map(|hook| hook.at);
    let pressed = view.facts.acts.iter().filter_map(|act| match &act.what {
        What::Clicks { ask: of, .. } if of == ask && act.at + SLACK < ended => Some(act.at),
        What::Types { .. } if act.at + SLACK < ended => Some(act.at),
        What::Clicks { .. } | What::Types { .. } | What::Says { .. } => None,
    });
    drawn.chain(pressed).max()
}

/// Of all clicks on one question of a call, one is taken, and its choice is part of the answer.
pub(super) fn a_question_advances_once_from_each_step(view: &View<'_>) -> Vec<String> {
    // A record that has expired begins anew.
    if view.plan.expiry {
        return Vec::new();
    }
    let mut taken: BTreeMap<(&str, usize), BTreeSet<ActId>> = BTreeMap::new();
    for hook in &view.facts.hooks {
        let About::Updated { ask, act: Some(act) } = &hook.about else {
            continue;
        };
        let Some(What::Clicks { step, .. }) = view.facts.acts.get(*act).map(|act| &act.what) else {
            continue;
        };
        // A click that only opens the next series of redraws comes after one that failed.
        let failed = view.facts.hooks.iter().any(|hook| {
            hook.end != End::Returned && matches!(&hook.about, About::Updated { ask: of, .. } if of == ask)
        });
        if !failed {
            taken.entry((ask, *step)).or_default().insert(*act);
        }
    }
    let ends = settled(view);
    let mut broken = Vec::new();
    for ((ask, step), acts) in taken {
        if acts.len() > 1 {
            broken.push(format!("acts {acts:?} all advanced step {step} of {ask}"));
        }
        let endings = ends
            .get(ask)
            .into_iter()
            .flatten()
            .filter(|(ending, _)| ending != "dismissed");
        for (ending, _) in endings {
            let part = ending.split(' ').nth(step);
            let others = acts.iter().filter(|act| {
                let Some(What::Clicks { choice, .. }) = view.facts.acts.get(**act).map(|act| &act.what)
                else {
                    return false;
                };
                label(ask, step, choice).as_deref() != part
            });
            broken.extend(others.map(|act| format!("act {act} advanced {ask}, which is {ending}")));
        }
    }
    broken
}
