//! The promises, each a function of its own, judged on what could be seen from outside: what people did, what the platforms
//! show, what the model was asked. Nothing here knows a document of the host.
//!
//! Where a promise has an exception, it is one that the design names: a notice is told once and a crash may lose it, a
//! platform without client ids may show a twin per lost result, a used-up series is given up.

mod events;
mod posts;
mod questions;
mod steps;

use std::time::Duration;

use lifecycle::Policy;

use crate::facts::{Facts, Place};
use crate::plan::Plan;
use crate::platform::Posted;
use crate::run::Breach;

/// How long after an attempt did something a disturbance of its host can lose the result: its deadline, and what slow writes
/// take.
const RESULT_WITHIN: Duration = Duration::from_secs(90);

/// Everything the checker knows.
pub(crate) struct View<'a> {
    pub(crate) facts: &'a Facts,
    pub(crate) messages: &'a [Posted],
    pub(crate) plan: &'a Plan,
    pub(crate) policy: Policy,
}

/// A promise, by name: the function gives what shows that it is broken.
type Promise = (&'static str, fn(&View<'_>) -> Vec<String>);

const PROMISES: [Promise; 15] = [
    (
        "no_acknowledged_event_is_lost",
        events::no_acknowledged_event_is_lost,
    ),
    (
        "nobody_is_left_without_an_answer_to_a_click",
        events::nobody_is_left_without_an_answer_to_a_click,
    ),
    (
        "nobody_without_access_changes_anything",
        events::nobody_without_access_changes_anything,
    ),
    ("messages_keep_their_order", events::messages_keep_their_order),
    (
        "a_question_has_one_outcome",
        questions::a_question_has_one_outcome,
    ),
    (
        "cards_agree_with_the_outcome",
        questions::cards_agree_with_the_outcome,
    ),
    (
        "an_expired_question_takes_no_answer",
        questions::an_expired_question_takes_no_answer,
    ),
    (
        "a_question_advances_once_from_each_step",
        questions::a_question_advances_once_from_each_step,
    ),
    (
        "a_twin_that_is_known_is_closed_with_the_rest",
        posts::a_twin_that_is_known_is_closed_with_the_rest,
    ),
    (
        "hooks_act_within_their_limit",
        posts::hooks_act_within_their_limit,
    ),
    ("one_continuation_is_saved", steps::one_continuation_is_saved),
    ("a_step_has_one_key", steps::a_step_has_one_key),
    (
        "attempts_never_exceed_their_series",
        steps::attempts_never_exceed_their_series,
    ),
    ("nothing_is_posted_twice", posts::nothing_is_posted_twice),
    ("everything_owed_is_done", posts::everything_owed_is_done),
];

/// Every promise that is broken.
pub(crate) fn breaches(view: &View<'_>) -> Vec<Breach> {
    let broken = PROMISES.iter().flat_map(|(promise, judge)| {
        let shown = judge(view).into_iter();
        shown.map(|what| Breach { promise, what })
    });
    broken.collect()
}

impl View<'_> {
    /// Whether a host was disturbed in this span.
    fn disturbed(&self, host: u64, from: Duration, until: Duration) -> bool {
        let of_host = self.facts.disturbances.iter().filter(|one| one.host == host);
        of_host
            .into_iter()
            .any(|one| one.from <= until && one.until >= from)
    }

    /// Whether any host was disturbed in this span.
    fn anything_disturbed(&self, from: Duration, until: Duration) -> bool {
        self.facts
            .disturbances
            .iter()
            .any(|one| one.from <= until && one.until >= from)
    }

    /// Whether the agent said in a conversation that it failed, or was to say so.
    fn gave_up(&self, place: Place) -> bool {
        self.facts.hooks.iter().any(|hook| {
            hook.place == place
                && matches!(&hook.about, crate::facts::About::Post { text } if !text.starts_with('s'))
        })
    }

    /// Whether a series may have been used up in this run: it was short, or as many hosts died or stood still as it has attempts.
    fn may_give_up(&self) -> bool {
        let retries = usize::try_from(self.policy.continuing.retries).unwrap_or(usize::MAX);
        self.plan.hasty || self.facts.disturbances.len() > retries
    }
}
