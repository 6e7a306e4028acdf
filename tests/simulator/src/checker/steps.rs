//! The model is asked once for each step, as far as anybody can tell.

use std::collections::{BTreeMap, BTreeSet};

use super::View;
use crate::facts::{About, End, Saw, Step};
use crate::model::{made_by, path};

/// Which step of which message a request is for.
fn for_what(step: &Step) -> (&str, usize) {
    let word = step.words.last().map_or("", String::as_str);
    let taken = step.turns.get(word).map_or(0, |turn| path(turn).len());
    (word, taken)
}

/// Of all replies to one request of the model, one is saved: it is the only one that later requests and the platforms show.
pub(super) fn one_continuation_is_saved(view: &View<'_>) -> Vec<String> {
    let mut out: BTreeMap<(&str, usize), BTreeSet<usize>> = BTreeMap::new();
    let mut let_out = |number: usize| {
        if let Some(step) = view.facts.steps.get(number) {
            out.entry(for_what(step)).or_default().insert(number);
        }
    };
    for step in &view.facts.steps {
        step.turns
            .values()
            .flat_map(|turn| path(turn))
            .for_each(&mut let_out);
    }
    for hook in &view.facts.hooks {
        match &hook.about {
            About::Post { text } if text.starts_with('s') => made_by(text).into_iter().for_each(&mut let_out),
            About::Render { asks } => asks.iter().filter_map(|ask| made_by(ask)).for_each(&mut let_out),
            About::Updated { ask, .. } | About::Settled { ask, .. } => {
                made_by(ask).into_iter().for_each(&mut let_out);
            }
            About::Post { .. } | About::Notice { .. } | About::Identity { .. } => {}
        }
    }
    let several = out.into_iter().filter(|(_, numbers)| numbers.len() > 1);
    let mut broken: Vec<String> = several
        .map(|((word, taken), numbers)| format!("step {taken} for {word} is that of {numbers:?}"))
        .collect();
    broken.extend(results_differ(view));
    broken
}

/// A tool's result is saved once.
fn results_differ(view: &View<'_>) -> Vec<String> {
    let mut results: BTreeMap<usize, BTreeSet<&str>> = BTreeMap::new();
    for saw in view
        .facts
        .steps
        .iter()
        .flat_map(|step| step.turns.values())
        .flatten()
    {
        if let Saw::Tool {
            by,
            result: Some(result),
        } = saw
        {
            results.entry(*by).or_default().insert(result);
        }
    }
    let several = results.into_iter().filter(|(_, results)| results.len() > 1);
    several
        .map(|(by, results)| format!("the tool that {by} called gave {results:?}"))
        .collect()
}

/// Every request for a step carries the same key, and no other step does; so does every run of a tool.
pub(super) fn a_step_has_one_key(view: &View<'_>) -> Vec<String> {
    let mut keys: BTreeMap<(&str, usize), BTreeSet<[u8; 16]>> = BTreeMap::new();
    let mut steps: BTreeMap<[u8; 16], BTreeSet<(&str, usize)>> = BTreeMap::new();
    for step in &view.facts.steps {
        keys.entry(for_what(step)).or_default().insert(step.key);
        steps.entry(step.key).or_default().insert(for_what(step));
    }
    let mut tools: BTreeMap<usize, BTreeSet<[u8; 16]>> = BTreeMap::new();
    for (key, by) in &view.facts.tool_runs {
        tools.entry(*by).or_default().insert(*key);
    }
    let several = keys.into_iter().filter(|(_, keys)| keys.len() > 1);
    let several =
        several.map(|((word, taken), keys)| format!("step {taken} for {word} has {} keys", keys.len()));
    let shared = steps.into_values().filter(|steps| steps.len() > 1);
    let shared = shared.map(|steps| format!("one key is that of {steps:?}"));
    let tools = tools.into_iter().filter(|(_, keys)| keys.len() > 1);
    let tools = tools.map(|(by, keys)| format!("the tool that {by} called has {} keys", keys.len()));
    several.chain(shared).chain(tools).collect()
}

/// What is owed to the model and to the reader is tried as often as its series says. Of the other effects every interaction
/// begins a new series.
pub(super) fn attempts_never_exceed_their_series(view: &View<'_>) -> Vec<String> {
    let mut asked: BTreeMap<(&str, usize), u32> = BTreeMap::new();
    for step in &view.facts.steps {
        *asked.entry(for_what(step)).or_default() += 1;
    }
    let most = view.policy.continuing.retries + 1;
    let asked = asked.into_iter().filter(|(_, count)| *count > most);
    let asked = asked
        .map(|((word, taken), count)| format!("step {taken} for {word} was asked {count} times of {most}"));
    let mut posted: BTreeMap<&str, u32> = BTreeMap::new();
    for hook in view.facts.hooks.iter().filter(|hook| hook.end != End::Limited) {
        if let About::Post { text } = &hook.about
            && text.starts_with('s')
        {
            *posted.entry(text).or_default() += 1;
        }
    }
    let most = view.policy.replying.retries + 1;
    let posted = posted.into_iter().filter(|(_, count)| *count > most);
    let posted = posted.map(|(text, count)| format!("{text:?} was posted {count} times of {most}"));
    let numbers = view
        .facts
        .hooks
        .iter()
        .filter(|hook| hook.attempt > view.policy.replying.retries + 2);
    let numbers = numbers.map(|hook| format!("attempt {} of {:?}", hook.attempt, hook.about));
    asked.chain(posted).chain(numbers).collect()
}
