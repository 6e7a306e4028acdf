//! `[times]`: how often, how soon and how long, within bounds.

use std::time::Duration;

use engine::config::Times;
use lifecycle::policy::{Policy, Series};
use lifecycle::time::Millis;

use super::reader::Table;

/// Tests run with milliseconds; nobody waits longer than this between two attempts.
const DELAY: (&str, &str) = ("1ms", "24h");
/// An attempt that may run longer than this looks lost to everybody else.
const DEADLINE: (&str, &str) = ("10ms", "10m");
/// What is kept, and for how long: a year is longer than anybody remembers a question.
const KEPT: (&str, &str) = ("1s", "365d");
/// The doubling delay reaches its longest after some twenty attempts.
const RETRIES_MAX: u64 = 100;
/// See `Policy::STANDARD`; ten times that is a document of 10 MiB, beyond what a store takes.
const QUEUE_MAX: u64 = 700;
/// Twenty times what a sensible agent takes.
const STEPS_MAX: u64 = 1_000;

/// Reads the section; what it does not say is as in the specification.
pub(crate) fn read_times(section: Option<Table<'_>>) -> (Policy, Times) {
    let (mut policy, mut times) = (Policy::STANDARD, Times::STANDARD);
    let Some(mut section) = section else {
        return (policy, times);
    };
    for (name, series) in series_of(&mut policy) {
        read_series(section.table(name), series);
    }
    read_length(&mut section, "open_for", KEPT, &mut policy.open_for);
    read_length(&mut section, "settled_for", KEPT, &mut policy.settled_for);
    if let Some(max) = section.number("queue_max", 1, QUEUE_MAX) {
        policy.queue_max = usize::try_from(max).unwrap_or(policy.queue_max);
    }
    if let Some(max) = section.number("steps_max", 1, STEPS_MAX) {
        policy.steps_max = u32::try_from(max).unwrap_or(policy.steps_max);
    }
    read_duration(&mut section, "hook", DEADLINE, &mut times.hook);
    read_duration(
        &mut section,
        "acknowledge_margin",
        ("0ms", "5s"),
        &mut times.acknowledge_margin,
    );
    read_duration(
        &mut section,
        "identity_cache",
        ("0ms", "24h"),
        &mut times.identity_cache,
    );
    read_duration(&mut section, "delivery", KEPT, &mut times.delivery);
    read_duration(&mut section, "lease_renewal", DEADLINE, &mut times.lease_renewal);
    read_duration(&mut section, "sweep", ("1ms", "1m"), &mut times.sweep);
    check_order(&section, &mut policy, &times);
    (policy, times)
}

fn series_of(policy: &mut Policy) -> [(&'static str, &mut Series); 6] {
    [
        ("advancing", &mut policy.advancing),
        ("posting", &mut policy.posting),
        ("closing", &mut policy.closing),
        ("continuing", &mut policy.continuing),
        ("replying", &mut policy.replying),
        ("handling", &mut policy.handling),
    ]
}

fn read_series(section: Option<Table<'_>>, series: &mut Series) {
    let Some(mut section) = section else {
        return;
    };
    if let Some(retries) = section.number("retries", 0, RETRIES_MAX) {
        series.retries = u32::try_from(retries).unwrap_or(series.retries);
    }
    read_length(&mut section, "first_delay", DELAY, &mut series.first_delay);
    read_length(&mut section, "longest_delay", DELAY, &mut series.longest_delay);
    read_length(&mut section, "deadline", DEADLINE, &mut series.deadline);
    if series.longest_delay < series.first_delay {
        section.error(&format!(
            "`longest_delay` ({} ms) is shorter than `first_delay` ({} ms)",
            series.longest_delay.0, series.first_delay.0
        ));
    }
}

fn read_length(section: &mut Table<'_>, key: &'static str, bounds: (&str, &str), length: &mut Millis) {
    if let Some(read) = section.duration(key, bounds.0, bounds.1) {
        *length = Millis(ms(read.value));
    }
}

fn read_duration(section: &mut Table<'_>, key: &'static str, bounds: (&str, &str), length: &mut Duration) {
    if let Some(read) = section.duration(key, bounds.0, bounds.1) {
        *length = read.value;
    }
}

/// A hook ends before the deadline of its attempt, and a lease is renewed before it lapses.
fn check_order(section: &Table<'_>, policy: &mut Policy, times: &Times) {
    if ms(times.lease_renewal) >= policy.continuing.deadline.0 {
        section.error(&format!(
            "`lease_renewal` ({} ms) must be shorter than `continuing.deadline` ({} ms)",
            ms(times.lease_renewal),
            policy.continuing.deadline.0
        ));
    }
    for (name, series) in series_of(policy) {
        if ms(times.hook) >= series.deadline.0 {
            let (hook, deadline) = (ms(times.hook), series.deadline.0);
            section.error(&format!(
                "`hook` ({hook} ms) must be shorter than `{name}.deadline` ({deadline} ms)"
            ));
        }
    }
}

fn ms(length: Duration) -> u64 {
    u64::try_from(length.as_millis()).unwrap_or(u64::MAX)
}
