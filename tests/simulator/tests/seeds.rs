//! What CI runs of the simulator: every seed that ever failed, fresh ones for a while, and a look whether each rule is missed.

use std::time::Duration;

use simulator::{Campaign, Options, Outcome, Rule, Until, campaign, fresh_seed, report, run};

/// How long fresh seeds are run.
const FRESH: Duration = Duration::from_secs(30);
/// How many seeds may be tried until the absence of a rule is noticed.
const TRIED_MAX: u64 = 400;

/// Rules whose absence shows too seldom for a test of this length: the command `sensitivity` tries more seeds. What `Evidence` takes
/// away is a part of what `CompareAndSet` does.
const SELDOM: [Rule; 2] = [Rule::Evidence, Rule::WakesUpMute];

const SEEDS: &str = include_str!("../seeds.txt");

fn whole(failed: &[Outcome]) {
    let told: Vec<String> = failed
        .iter()
        .map(|outcome| report(outcome, Options::default()))
        .collect();
    assert!(told.is_empty(), "{}", told.join("\n"));
}

#[test]
fn every_seed_that_ever_failed_keeps_every_promise() {
    let lines = SEEDS.lines().filter(|line| !line.starts_with('#'));
    let seeds = lines.filter_map(|line| line.split(' ').next()?.parse().ok());
    let outcomes: Vec<Outcome> = seeds.map(|seed| run(seed, Options::default())).collect();
    assert!(outcomes.len() > 3, "found only {} seeds", outcomes.len());
    let failed: Vec<Outcome> = outcomes
        .into_iter()
        .filter(|outcome| !outcome.breaches.is_empty())
        .collect();
    whole(&failed);
}

#[test]
fn fresh_seeds_keep_every_promise() {
    let until = Until {
        runs: u64::MAX,
        failures: 3,
        time: Some(FRESH),
    };
    let Campaign {
        runs,
        failed,
        steps_min,
        ..
    } = campaign(fresh_seed(), Options::default(), until);
    whole(&failed);
    assert!(runs > 0, "no run ended within {FRESH:?}");
    assert!(steps_min >= 200, "a run had only {steps_min} steps");
}

#[test]
fn the_same_seed_gives_the_same_run() {
    let traced = Options {
        traced: true,
        ..Options::default()
    };
    let (one, two) = (run(7, traced), run(7, traced));
    let what = |outcome: &Outcome| -> Vec<(Duration, String)> {
        outcome
            .trace
            .iter()
            .map(|step| (step.at, step.what.clone()))
            .collect()
    };
    assert!(one.trace.len() > 200, "{} steps", one.trace.len());
    assert_eq!(what(&one), what(&two));
    assert_eq!(
        one.steps,
        run(7, Options::default()).steps,
        "looking at a run changes it"
    );
}

#[test]
fn the_absence_of_a_rule_is_noticed() {
    let missed: Vec<String> = Rule::ALL
        .into_iter()
        .filter(|rule| !SELDOM.contains(rule))
        .filter(|rule| {
            let options = Options {
                broken: Some(*rule),
                ..Options::default()
            };
            let until = Until {
                runs: TRIED_MAX,
                failures: 1,
                time: None,
            };
            campaign(0, options, until).failed.is_empty()
        })
        .map(|rule| format!("{}: {}", rule.name(), rule.says()))
        .collect();
    assert!(
        missed.is_empty(),
        "nobody notices the absence of {}",
        missed.join("; ")
    );
}
