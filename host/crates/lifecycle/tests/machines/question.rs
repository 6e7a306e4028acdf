//! The laws of a question, each over every move of the walk.

use lifecycle::Timestamp;
use lifecycle::owed::{Attempt, Phase};
use lifecycle::question::{
    Access, Change, Effect, Event, Evidence, Notice, Outcome, Parsed, Question, REDRAW_AFTER, Reason,
    STILL_POSTING, Step, Target,
};

use crate::question_world::{CURRENT, POLICY, Questions, actor, answer};
use crate::walk::{self, NOW, Seen, World, attempts_are_numbered};

type Move<'a> = Seen<'a, Questions>;

/// Enough wakes to use up a series of each kind.
const WAKES_MAX: usize = 8;

#[test]
fn every_event_in_every_state_has_an_answer_and_always_the_same() {
    let size = walk::every_move::<Questions>(|seen| {
        let again = Questions::step(seen.before, seen.event, NOW);
        assert_eq!(*seen.step, again);
    });
    println!("questions: {} states, {} moves", size.states, size.moves);
    assert!(size.states > 1_000, "the walk has become small: {size:?}");
}

#[test]
fn neither_the_hour_nor_earlier_attempts_matter() {
    let later = Timestamp(NOW.0 + 77);
    walk::every_move::<Questions>(|seen| {
        let mut moved = seen.before.clone();
        for owed in Questions::owed(&mut moved) {
            if let Phase::Due(at) | Phase::Running(at) = &mut owed.phase {
                at.0 += 77;
            }
        }
        let step = Questions::step(&moved, seen.event, later);
        let after = Questions::next(&step).unwrap_or(&moved).clone();
        let expected = walk::seen_from::<Questions>(seen.after.clone(), NOW);
        assert_eq!(walk::seen_from::<Questions>(after, later), expected);
        assert_eq!(effects(&step), effects(seen.step));
    });
}

#[test]
fn the_revision_rises_by_one_with_a_partial_and_never_otherwise() {
    walk::every_move::<Questions>(|seen| {
        let expected = seen.before.revision + u64::from(is_recorded_partial(seen));
        assert_eq!(seen.after.revision, expected);
    });
}

#[test]
fn a_settled_question_never_reopens_and_its_outcome_never_changes() {
    walk::every_move::<Questions>(|seen| {
        if seen.before.settlement.is_some() {
            assert_eq!(seen.after.settlement, seen.before.settlement);
        }
    });
}

#[test]
fn an_end_is_recorded_with_who_did_it_and_orders_the_turn_and_the_closing_at_once() {
    walk::every_move::<Questions>(|seen| {
        let told = effects(seen.step)
            .iter()
            .filter(|effect| matches!(effect, Effect::Settle(_)));
        let ends = seen.before.is_open() && !seen.after.is_open();
        assert_eq!(told.count(), usize::from(ends), "the turn is told once");
        let Some(settlement) = seen.after.settlement.as_ref().filter(|_| ends) else {
            return;
        };
        let expected = match seen.event {
            Event::Cancelled => (Outcome::Cancelled, None),
            Event::Interaction(Evidence {
                parsed: Parsed::Dismiss,
                ..
            }) => (Outcome::Dismissed, Some(actor("ann"))),
            _ => (Outcome::Answered(answer("Red")), Some(actor("ann"))),
        };
        assert_eq!((settlement.outcome.clone(), settlement.actor.clone()), expected);
        let closing = Effect::CallSettled(Attempt(seen.after.closing.last));
        assert_eq!(effects(seen.step), [Effect::Settle(expected.0), closing]);
    });
}

/// The record's life is counted from its last change; waiting and failing are none.
#[test]
fn a_change_and_nothing_else_prolongs_the_life_of_the_record() {
    walk::every_move::<Questions>(|seen| {
        let content = |state: &Question| (state.messages.clone(), state.state.clone(), state.revision);
        let (before, after) = (seen.before, seen.after);
        let changed = content(before) != content(after) || before.settlement != after.settlement;
        let saved = matches!(
            seen.event,
            Event::UpdatedEnded(CURRENT, Ok(_)) | Event::SettledEnded(CURRENT, Ok(_))
        );
        if changed {
            assert_eq!(after.changed_at, NOW);
        } else if !saved && !is_recorded_partial(seen) {
            assert_eq!(after.changed_at, before.changed_at);
        }
        let end = match &after.settlement {
            Some(settlement) => settlement.at + POLICY.settled_for,
            None => after.changed_at + POLICY.open_for,
        };
        assert_eq!(after.expires_at(&POLICY), end);
    });
}

#[test]
fn only_a_participant_with_access_and_fresh_evidence_can_change_what_is_recorded() {
    walk::every_move::<Questions>(|seen| {
        let Event::Interaction(evidence) = seen.event else {
            return;
        };
        if recorded(seen.before) != recorded(seen.after) {
            assert_eq!(evidence.access, Access::Granted(actor("ann")));
            assert_eq!(evidence.revision, seen.before.revision);
            assert_ne!(evidence.target, Target::Older);
            assert!(seen.before.is_open() && !seen.before.still_posting);
        }
    });
}

#[test]
fn denied_stale_rejected_and_invalid_record_nothing() {
    walk::every_move::<Questions>(|seen| {
        let told = effects(seen.step)
            .iter()
            .any(|effect| matches!(effect, Effect::Tell(_)));
        if told {
            assert_eq!(recorded(seen.before), recorded(seen.after));
        }
    });
}

#[test]
fn an_interaction_has_the_specified_consequence() {
    walk::every_move::<Questions>(|seen| {
        let Event::Interaction(evidence) = seen.event else {
            return;
        };
        assert_eq!(consequence(seen.step), specified(seen.before, evidence));
    });
}

#[test]
fn nobody_is_told_anything_but_in_answer_to_an_interaction() {
    walk::every_move::<Questions>(|seen| {
        let notices = effects(seen.step)
            .iter()
            .filter(|effect| matches!(effect, Effect::Tell(_)))
            .count();
        assert!(notices <= usize::from(matches!(seen.event, Event::Interaction(_))));
    });
}

#[test]
fn every_attempt_is_on_record_before_it_is_made_and_numbers_rise_by_one() {
    walk::every_move::<Questions>(|seen| {
        let (updated, settled) = ordered(seen.step);
        let retries = (POLICY.advancing.retries, POLICY.closing.retries);
        attempts_are_numbered(&seen.before.advancing, &seen.after.advancing, updated, retries.0);
        attempts_are_numbered(&seen.before.closing, &seen.after.closing, settled, retries.1);
    });
}

#[test]
fn a_question_is_awake_exactly_while_a_series_has_attempts_left() {
    walk::every_state::<Questions>(|state| {
        let pending = state.advancing.is_pending() || state.closing.is_pending();
        assert_eq!(state.next_wake().is_some(), pending);
    });
}

#[test]
fn early_ticks_do_nothing_and_due_ones_something() {
    walk::every_move::<Questions>(|seen| {
        if *seen.event == Event::Tick {
            let early = seen.before.next_wake().is_none_or(|wake| wake > NOW);
            assert_eq!(*seen.step == Step::Stay(Reason::Early), early);
        }
    });
}

#[test]
fn ticks_alone_lead_from_every_state_to_rest() {
    walk::every_state::<Questions>(|state| {
        let tick = |state: &Question, at| {
            let step = state.step(Event::Tick, at, &POLICY);
            Questions::next(&step)
                .expect("a tick at its wake does something")
                .clone()
        };
        let rest = walk::wait_out(state, WAKES_MAX, Question::next_wake, tick);
        assert_eq!(recorded(&rest), recorded(state));
    });
}

#[test]
fn what_is_used_up_begins_anew_with_the_next_interaction() {
    walk::every_move::<Questions>(|seen| {
        let Event::Interaction(evidence) = seen.event else {
            return;
        };
        let welcome = matches!(evidence.access, Access::Granted(_)) || seen.before.settlement.is_some();
        let reaches_us = evidence.parsed != Parsed::Ignore && evidence.revision == seen.before.revision;
        let card_is_wrong = seen.before.still_posting || evidence.parsed == Parsed::Stale;
        let (updated, settled) = ordered(seen.step);
        if welcome && reaches_us && card_is_wrong && seen.before.advancing.phase == Phase::Spent {
            assert!(updated.is_some(), "the card is never redrawn");
        }
        if welcome && reaches_us && seen.before.closing.phase == Phase::Spent {
            assert!(settled.is_some(), "the card is never closed");
        }
    });
}

#[test]
fn impatient_clicks_never_use_up_a_series() {
    walk::every_move::<Questions>(|seen| {
        if matches!(seen.event, Event::Interaction(_)) {
            for (owed, ordered) in [
                (seen.after.advancing, ordered(seen.step).0),
                (seen.after.closing, ordered(seen.step).1),
            ] {
                assert!(ordered.is_none() || owed.in_series == 1, "{owed:?}");
            }
        }
    });
}

#[test]
fn the_result_of_an_attempt_that_is_not_under_way_decides_nothing() {
    walk::every_move::<Questions>(|seen| {
        let (attempt, under_way) = match seen.event {
            Event::UpdatedEnded(attempt, _) => (*attempt, &seen.before.advancing),
            Event::SettledEnded(attempt, _) => (*attempt, &seen.before.closing),
            Event::Interaction(_) | Event::Cancelled | Event::Found(_) | Event::Tick => return,
        };
        if attempt == CURRENT && matches!(under_way.phase, Phase::Running(_)) {
            return;
        }
        let (before, after) = (seen.before, seen.after);
        assert_eq!(recorded(before), recorded(after));
        assert_eq!(before.still_posting, after.still_posting);
        assert_eq!(before.advancing, after.advancing);
        assert_eq!(current(before), current(after), "the current message is another");
        let closed_again = before.messages != after.messages && !before.is_open();
        assert!(closed_again || before.closing == after.closing);
    });
}

#[test]
fn whatever_a_hook_posted_is_linked_for_ever() {
    walk::every_move::<Questions>(|seen| {
        for id in seen.before.links() {
            assert!(seen.after.target_of(id).is_some(), "{id} is forgotten");
        }
        for message in created(seen.event) {
            assert!(seen.after.target_of(message).is_some(), "{message} is lost");
        }
    });
}

/// A message that a lost attempt created is in the list that `settled` gets, even when a piece that did not know of it
/// replaces the list; and if the question is closed already, it is closed again.
#[test]
fn a_message_that_came_late_is_closed_with_the_rest() {
    let is_late = |id: &str| id == "late";
    walk::every_move::<Questions>(|seen| {
        let listed = |state: &Question| state.messages.iter().any(|message| is_late(message.id.as_str()));
        if listed(seen.before) {
            assert!(listed(seen.after));
        }
        if !listed(seen.before) && listed(seen.after) && !seen.after.is_open() {
            assert!(seen.after.closing.is_pending(), "closed already, and not again");
        }
    });
}

#[test]
fn the_list_of_messages_is_never_empty_and_links_each_message_once() {
    walk::every_state::<Questions>(|state| {
        assert!(!state.messages.is_empty());
        let mut links: Vec<_> = state.links().collect();
        let all = links.len();
        links.sort();
        links.dedup();
        assert_eq!(links.len(), all);
        assert!(
            state
                .messages
                .iter()
                .all(|message| state.target_of(&message.id).is_some())
        );
    });
}

#[test]
fn still_posting_means_that_a_redraw_is_owed_and_holds_until_it_is_done() {
    walk::every_state::<Questions>(|state| {
        if state.still_posting {
            assert!(state.is_open() && state.advancing.phase != Phase::Nothing);
        }
        assert!(
            state.is_open() || !matches!(state.advancing.phase, Phase::Due(_) | Phase::Spent),
            "a settled question advances"
        );
    });
    walk::every_move::<Questions>(
        |seen| match (seen.before.still_posting, seen.after.still_posting) {
            (false, true) => assert!(is_recorded_partial(seen)),
            (true, false) => {
                let drawn = matches!(seen.event, Event::UpdatedEnded(CURRENT, Ok(_)));
                assert!(drawn || !seen.after.is_open());
            }
            (false, false) => {
                // Owed without "still posting": only a redraw that the piece put off.
                let put_off = matches!(
                    seen.event,
                    Event::UpdatedEnded(
                        _,
                        Ok(Change {
                            redraw_after: Some(_),
                            ..
                        })
                    )
                );
                let owed = |state: &Question| state.advancing.phase != Phase::Nothing;
                assert!(owed(seen.before) || !owed(seen.after) || put_off);
            }
            (true, true) => {}
        },
    );
}

/// A redraw that is under way when the question ends may reach the platform after the closing did, and draw live controls
/// over it.
#[test]
fn a_card_is_closed_once_more_when_a_redraw_has_ended_that_the_end_overtook() {
    walk::every_move::<Questions>(|seen| {
        let running = matches!(seen.before.advancing.phase, Phase::Running(_));
        if seen.before.is_open() || !running {
            return;
        }
        let over = match seen.event {
            Event::UpdatedEnded(attempt, _) => seen.before.advancing.is_current(*attempt),
            Event::Tick => seen.before.advancing.next_wake().is_some_and(|at| at <= NOW),
            Event::Interaction(_) | Event::SettledEnded(..) | Event::Cancelled | Event::Found(_) => false,
        };
        let (updated, settled) = ordered(seen.step);
        assert_eq!(updated, None, "a settled question is redrawn");
        if over {
            assert!(settled.is_some(), "the card may stay as the redraw left it");
            assert_eq!(seen.after.advancing.phase, Phase::Nothing);
        } else {
            assert_eq!(seen.after.advancing, seen.before.advancing);
        }
    });
}

#[test]
fn a_partial_is_shown_by_updated_where_the_piece_has_it() {
    walk::every_move::<Questions>(|seen| {
        let Event::Interaction(evidence) = seen.event else {
            return;
        };
        if is_recorded_partial(seen) {
            assert_eq!(ordered(seen.step).0.is_some(), evidence.updates);
            assert_eq!(seen.after.still_posting, evidence.updates);
        }
    });
}

#[test]
fn a_redraw_that_was_put_off_is_owed_and_holds_nobody() {
    walk::every_move::<Questions>(|seen| {
        let Event::UpdatedEnded(attempt, Ok(change)) = seen.event else {
            return;
        };
        if seen.before.is_open() && seen.before.advancing.is_current(*attempt) {
            let used_up = seen.before.advancing.in_series > POLICY.advancing.retries;
            let owed = match change.redraw_after {
                Some(delay) if !used_up => Phase::Due(NOW + delay.clamp(REDRAW_AFTER.0, REDRAW_AFTER.1)),
                Some(_) | None => Phase::Nothing,
            };
            assert_eq!(seen.after.advancing.phase, owed);
            assert!(!seen.after.still_posting);
        }
    });
}

#[test]
fn the_state_is_what_the_piece_returned_last_and_kept_otherwise() {
    walk::every_move::<Questions>(|seen| {
        let saved = match seen.event {
            Event::Interaction(evidence) if is_recorded_partial(seen) => match &evidence.parsed {
                Parsed::Partial(state) => state.clone(),
                _ => None,
            },
            Event::UpdatedEnded(attempt, Ok(change))
                if seen.before.is_open() && seen.before.advancing.is_current(*attempt) =>
            {
                change.state.clone()
            }
            Event::SettledEnded(attempt, Ok(change)) if seen.before.closing.is_current(*attempt) => {
                change.state.clone()
            }
            _ => None,
        };
        assert_eq!(seen.after.state, saved.or(seen.before.state.clone()));
    });
}

/// What the table in "Interactions, in this order" says.
#[derive(Debug, PartialEq)]
enum Consequence {
    Nothing(Reason),
    Told(Notice),
    Ended(Outcome),
    Advanced,
}

fn specified(state: &Question, evidence: &Evidence) -> Consequence {
    let reason = |text: &str| Consequence::Told(Notice::Rejected(text.to_owned()));
    if evidence.parsed == Parsed::Ignore && evidence.target != Target::Older {
        return Consequence::Nothing(Reason::NotOurs);
    }
    if !state.is_open() || evidence.target == Target::Older {
        return Consequence::Told(Notice::Stale);
    }
    if evidence.revision != state.revision {
        return Consequence::Nothing(Reason::Outdated);
    }
    if evidence.parsed == Parsed::Stale && !state.still_posting {
        return Consequence::Told(Notice::Stale);
    }
    match evidence.access {
        Access::Unresolved => return Consequence::Nothing(Reason::AccessRequired),
        Access::Denied => return Consequence::Told(Notice::Denied),
        Access::Granted(_) => {}
    }
    if state.still_posting {
        return reason(STILL_POSTING);
    }
    match &evidence.parsed {
        Parsed::Answer(given) if *given == answer("Red") => {
            Consequence::Ended(Outcome::Answered(given.clone()))
        }
        Parsed::Answer(_) => reason("Color: \"Green\" was not offered"),
        Parsed::Dismiss => Consequence::Ended(Outcome::Dismissed),
        Parsed::Partial(_) => Consequence::Advanced,
        Parsed::Rejected(text) => reason(text),
        Parsed::Ignore | Parsed::Stale => unreachable!("handled above"),
    }
}

fn consequence(step: &Step) -> Consequence {
    match step {
        Step::Stay(reason) | Step::Refuse(reason) => Consequence::Nothing(*reason),
        Step::Advance(_, effects) => {
            let told = effects.iter().find_map(|effect| match effect {
                Effect::Tell(notice) => Some(Consequence::Told(notice.clone())),
                Effect::Settle(outcome) => Some(Consequence::Ended(outcome.clone())),
                Effect::CallUpdated(_) | Effect::CallSettled(_) => None,
            });
            told.unwrap_or(Consequence::Advanced)
        }
    }
}

fn is_recorded_partial(seen: &Move<'_>) -> bool {
    let Event::Interaction(evidence) = seen.event else {
        return false;
    };
    matches!(evidence.parsed, Parsed::Partial(_)) && specified(seen.before, evidence) == Consequence::Advanced
}

/// What only a recorded interaction may change.
fn recorded(state: &Question) -> (u64, Option<&Outcome>) {
    (
        state.revision,
        state.settlement.as_ref().map(|settlement| &settlement.outcome),
    )
}

fn current(state: &Question) -> Option<&str> {
    state.messages.last().map(|message| message.id.as_str())
}

fn effects(step: &Step) -> &[Effect] {
    match step {
        Step::Advance(_, effects) => effects,
        Step::Stay(_) | Step::Refuse(_) => &[],
    }
}

/// The attempts at `updated` and at `settled` that a step orders: at most one of each.
fn ordered(step: &Step) -> (Option<u32>, Option<u32>) {
    let mut ordered = (None, None);
    for effect in effects(step) {
        let before = match effect {
            Effect::CallUpdated(attempt) => ordered.0.replace(attempt.0),
            Effect::CallSettled(attempt) => ordered.1.replace(attempt.0),
            Effect::Tell(_) | Effect::Settle(_) => None,
        };
        assert_eq!(before, None, "two attempts at once");
    }
    ordered
}

fn created(event: &Event) -> Vec<&lifecycle::MessageId> {
    match event {
        Event::UpdatedEnded(_, Ok(change)) | Event::SettledEnded(_, Ok(change)) => {
            let messages = change.messages.iter().flatten();
            messages.map(|message| &message.id).collect()
        }
        Event::Found(message) => vec![&message.id],
        Event::UpdatedEnded(_, Err(_))
        | Event::SettledEnded(_, Err(_))
        | Event::Interaction(_)
        | Event::Cancelled
        | Event::Tick => Vec::new(),
    }
}
