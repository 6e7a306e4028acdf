//! What people read: once, and in the end all of it.

use std::collections::BTreeMap;
use std::time::Duration;

use super::{RESULT_WITHIN, View};
use crate::facts::{About, End, Saw, What, may};
use crate::model::made_by;
use crate::platform::{Posted, RECOGNISES, platform_of};

/// What a message shows: texts of the host's own may come several times.
fn contents(posted: &Posted) -> Vec<String> {
    let text = Some(posted.text.clone()).filter(|text| text.starts_with('s'));
    let asks = posted.blocks.iter().map(|block| block.ask.clone());
    text.into_iter().chain(asks).collect()
}

/// Messages with their numbers.
type Numbered<'a> = Vec<(usize, &'a Posted)>;

/// Where repeats are recognised nothing is there twice; elsewhere a twin has a lost result before it.
pub(super) fn nothing_is_posted_twice(view: &View<'_>) -> Vec<String> {
    // A card that was drawn for a later question since is still the post of an earlier one: posts are told apart by the
    // key of their hook, which names what is owed.
    let mut same: BTreeMap<(String, [u8; 16]), Numbered<'_>> = BTreeMap::new();
    for (number, posted) in view.messages.iter().enumerate() {
        let Some(hook) = view.facts.hooks.get(posted.hook) else {
            continue;
        };
        for content in contents(posted) {
            same.entry((content, hook.key))
                .or_default()
                .push((number, posted));
        }
    }
    let mut broken = Vec::new();
    for ((content, _), posts) in &same {
        let Some((_, earlier)) = posts.split_last() else {
            continue;
        };
        for (number, posted) in earlier {
            if platform_of(posted.place) == RECOGNISES || !result_was_lost(view, posted) {
                broken.push(format!("{content:?} is m{number} and is posted again"));
            }
        }
    }
    broken.extend(rendered_anew(view));
    broken
}

/// The keys under which a question was first posted: more than one means that the host posts it as something else, which only a
/// record that is gone allows.
fn rendered_anew(view: &View<'_>) -> Vec<String> {
    if view.plan.expiry {
        return Vec::new();
    }
    let mut keys: BTreeMap<&str, Vec<[u8; 16]>> = BTreeMap::new();
    for posted in view.messages {
        let Some(hook) = view.facts.hooks.get(posted.hook) else {
            continue;
        };
        if !matches!(hook.about, About::Render { .. }) {
            continue;
        }
        for block in &posted.blocks {
            let of = keys.entry(&block.ask).or_default();
            if !of.contains(&hook.key) {
                of.push(hook.key);
            }
        }
    }
    let several = keys.into_iter().filter(|(_, keys)| keys.len() > 1);
    several
        .map(|(ask, keys)| format!("{ask} was rendered under {} keys", keys.len()))
        .collect()
}

/// Whether the result of the hook call that posted this can have been lost.
fn result_was_lost(view: &View<'_>, posted: &Posted) -> bool {
    let Some(hook) = view.facts.hooks.get(posted.hook) else {
        return false;
    };
    hook.end != End::Returned || view.disturbed(hook.host, hook.at, posted.at + RESULT_WITHIN)
}

/// The turn of every message that the model saw ends: with a last word that is posted, or with a dismissal.
pub(super) fn everything_owed_is_done(view: &View<'_>) -> Vec<String> {
    let mut broken = Vec::new();
    for act in view.facts.acts.iter().filter(|act| may(act.person)) {
        let (What::Says { word } | What::Types { word }) = &act.what else {
            continue;
        };
        let requests = view
            .facts
            .steps
            .iter()
            .enumerate()
            .filter(|(_, step)| step.words.last() == Some(word));
        let numbers: Vec<usize> = requests.map(|(number, _)| number).collect();
        if numbers.is_empty() {
            continue;
        }
        let done = view
            .messages
            .iter()
            .any(|posted| posted.text.ends_with(&format!("done {word}")));
        let excused = view.may_give_up() && (view.gave_up(act.place) || used_up(view, word));
        if !done && !was_dismissed(view, &numbers) && !excused {
            broken.push(format!(
                "nobody reads the end of what {} asked with {word}",
                act.person
            ));
        }
    }
    broken
}

fn was_dismissed(view: &View<'_>, numbers: &[usize]) -> bool {
    let is_theirs = |ask: &str| made_by(ask).is_some_and(|by| numbers.contains(&by));
    let told = view.facts.hooks.iter().any(|hook| {
        matches!(&hook.about, About::Settled { ask, ending, .. } if ending == "dismissed" && is_theirs(ask))
    });
    let seen = view.facts.steps.iter().flat_map(|step| step.turns.values()).flatten().any(|saw| {
        matches!(saw, Saw::Asked { ask, ending: Some(ending) } if ending == "dismissed" && is_theirs(ask))
    });
    told || seen
}

/// Whether the attempts at the last word may be used up.
fn used_up(view: &View<'_>, word: &str) -> bool {
    view.facts.hooks.iter().any(|hook| {
        matches!(&hook.about, About::Post { text } if text.ends_with(word)) && hook.end != End::Returned
    })
}

/// A message that somebody was told is out of date is known to the host: it is closed when its question is, without another click.
pub(super) fn a_twin_that_is_known_is_closed_with_the_rest(view: &View<'_>) -> Vec<String> {
    // Closing may have been given up, or have nobody left who knows the record.
    if view.may_give_up() || view.plan.expiry {
        return Vec::new();
    }
    let mut broken = Vec::new();
    for left in &view.facts.left_open {
        let ended = view.facts.hooks.iter().any(|hook| {
            matches!(&hook.about, About::Settled { ask, .. } if *ask == left.ask)
                && hook.end == End::Returned
                && hook.at < view.facts.rested_at
        });
        let known = view.facts.told.iter().filter(|told| told.what == "stale").any(|told| {
            let act = view.facts.acts.get(told.act).filter(|act| act.at < view.facts.rested_at);
            let act = act.map(|act| &act.what);
            matches!(act, Some(What::Clicks { message, ask, .. }) if *message == left.message && *ask == left.ask)
        });
        if ended && known {
            broken.push(format!(
                "{} still has buttons of {}, which is closed",
                left.message, left.ask
            ));
        }
    }
    broken
}

/// Nothing is changed on a platform after the deadline of the attempt that wants it.
pub(super) fn hooks_act_within_their_limit(view: &View<'_>) -> Vec<String> {
    let deadline = Duration::from_millis(view.policy.closing.deadline.0);
    let late = view
        .facts
        .hooks
        .iter()
        .filter(|hook| hook.acted_last.is_some_and(|at| at > hook.at + deadline));
    late.map(|hook| {
        format!(
            "{:?}, called at {:?}, acts at {:?}",
            hook.about, hook.at, hook.acted_last
        )
    })
    .collect()
}
