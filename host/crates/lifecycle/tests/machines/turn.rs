//! The laws of a turn, each over every move of the walk.

use lifecycle::owed::Phase;
use lifecycle::question::Outcome;
use lifecycle::turn::{Effect, Event, Next, Reason, Rendered, State, Step, TURN_FAILED, Turn, Work};
use lifecycle::{CallId, Timestamp};

use crate::question_world::{CURRENT, POLICY, actor, answer};
use crate::turn_world::{
    OWED, Turns, after, arriving, asking_two, brought, effects, first, is_visible, opened, ordered, pending,
    second, started,
};
use crate::walk::{self, NOW, World, attempts_are_numbered};

/// Enough wakes for: a run that fails, its reply and every queued message, each with all attempts.
const WAKES_MAX: usize = 40;

#[test]
fn every_event_in_every_state_has_an_answer_and_always_the_same() {
    let size = walk::every_move::<Turns>(|seen| {
        let again = Turns::step(seen.before, seen.event, NOW);
        assert_eq!(*seen.step, again);
    });
    println!("turns: {} states, {} moves", size.states, size.moves);
    assert!(size.states > 500, "the walk has become small: {size:?}");
}

#[test]
fn neither_the_hour_nor_earlier_attempts_matter() {
    let later = Timestamp(NOW.0 + 77);
    walk::every_move::<Turns>(|seen| {
        let mut moved = seen.before.clone();
        for owed in Turns::owed(&mut moved) {
            if let Phase::Due(at) | Phase::Running(at) = &mut owed.phase {
                at.0 += 77;
            }
        }
        let event = match seen.event {
            Event::Tick(Some((attempt, until))) => Event::Tick(Some((*attempt, Timestamp(until.0 + 77)))),
            event => event.clone(),
        };
        let step = Turns::step(&moved, &event, later);
        let after = Turns::next(&step).unwrap_or(&moved).clone();
        let expected = walk::seen_from::<Turns>(seen.after.clone(), NOW);
        assert_eq!(walk::seen_from::<Turns>(after, later), expected);
    });
}

#[test]
fn every_attempt_is_on_record_before_it_is_made_and_numbers_rise_by_one() {
    walk::every_move::<Turns>(|seen| {
        let ordered = ordered(seen.step);
        for (owed, ordered) in OWED.into_iter().zip(ordered) {
            attempts_are_numbered(owed(seen.before), owed(seen.after), ordered, 1);
        }
    });
}

#[test]
fn a_turn_is_awake_exactly_while_a_series_has_attempts_left() {
    walk::every_state::<Turns>(|state| {
        let pending = OWED.iter().any(|owed| owed(state).is_pending());
        assert_eq!(state.next_wake().is_some(), pending);
    });
}

#[test]
fn early_ticks_do_nothing_and_due_ones_something() {
    walk::every_move::<Turns>(|seen| {
        if *seen.event == Event::Tick(None) {
            let early = seen.before.next_wake().is_none_or(|wake| wake > NOW);
            assert_eq!(*seen.step == Step::Stay(Reason::Early), early);
        }
    });
}

#[test]
fn a_run_is_never_repeated_while_its_lease_is_held() {
    walk::every_move::<Turns>(|seen| {
        let Event::Tick(Some((attempt, until))) = seen.event else {
            return;
        };
        let running = matches!(seen.before.continuing.phase, Phase::Running(_));
        if running && *attempt == CURRENT && *until > NOW {
            assert_eq!(seen.after.continuing.phase, Phase::Running(*until));
            assert_eq!(seen.after.continuing.last, seen.before.continuing.last);
        } else {
            let unleased = Turns::step(seen.before, &Event::Tick(None), NOW);
            assert_eq!(*seen.step, unleased, "a lapsed or foreign lease protects nothing");
        }
    });
}

#[test]
fn ticks_alone_lead_from_every_state_to_rest() {
    walk::every_state::<Turns>(|state| {
        let tick = |state: &Turn, at| {
            let step = state.step(Event::Tick(None), at, &POLICY, 0);
            Turns::next(&step)
                .expect("a tick at its wake does something")
                .clone()
        };
        let rest = walk::wait_out(state, WAKES_MAX, Turn::next_wake, tick);
        assert!(rest.outbox.is_empty());
        match rest.state() {
            State::Idle => assert!(rest.queue.is_empty(), "messages wait behind nothing"),
            State::Awaiting => assert!(is_visible(&rest) || rest.posting.phase == Phase::Spent),
            State::Running => panic!("a run rests: {rest:?}"),
        }
    });
}

#[test]
fn whatever_can_be_done_is_owed() {
    walk::every_state::<Turns>(|state| {
        assert_eq!(state.continuing.is_pending(), state.state() == State::Running);
        assert_eq!(state.replying.is_pending(), !state.outbox.is_empty());
        let may_promote = state.state() == State::Idle && !state.queue.is_empty();
        assert_eq!(state.promoting.is_pending(), may_promote);
        let may_post = state.state() == State::Awaiting && state.outbox.is_empty() && !is_visible(state);
        assert_eq!(state.posting.phase != Phase::Nothing, may_post);
    });
}

#[test]
fn nobody_waits_for_nothing() {
    walk::every_state::<Turns>(|state| {
        let open = state.pending().iter().any(|pending| !pending.settled);
        assert_eq!(state.state() == State::Awaiting, open);
    });
}

#[test]
fn a_result_of_an_attempt_that_is_not_under_way_decides_nothing() {
    walk::every_move::<Turns>(|seen| {
        let (attempt, owed) = match seen.event {
            Event::Promoted(attempt, _) => (*attempt, seen.before.promoting),
            Event::StepEnded(attempt, _) | Event::ToolsEnded(attempt, _) => {
                (*attempt, seen.before.continuing)
            }
            Event::RenderEnded(attempt, _) | Event::RenderRefused(attempt, _) => {
                (*attempt, seen.before.posting)
            }
            Event::PostEnded(attempt, _) => (*attempt, seen.before.replying),
            Event::Message { .. }
            | Event::Revive { .. }
            | Event::CallSettled(..)
            | Event::CallUnreadable(..)
            | Event::Tick(_) => return,
        };
        if attempt == CURRENT && matches!(owed.phase, Phase::Running(_)) {
            return;
        }
        let without_strays = |state: &Turn| {
            let mut state = state.clone();
            if let Some(Work::Answers(pending)) = state.run.as_mut().map(|run| &mut run.work) {
                pending.iter_mut().for_each(|pending| pending.strays.clear());
            }
            state
        };
        assert_eq!(without_strays(seen.before), without_strays(seen.after));
        assert!(
            effects(seen.step)
                .iter()
                .all(|effect| matches!(effect, Effect::Link(..)))
        );
    });
}

#[test]
fn what_a_lost_render_posted_is_kept_until_a_record_has_it() {
    walk::every_move::<Turns>(|seen| {
        if let Event::RenderEnded(attempt, Ok(entries)) = seen.event
            && !(*attempt == CURRENT && matches!(seen.before.posting.phase, Phase::Running(_)))
        {
            for call in entries.iter().flat_map(|entry| &entry.calls) {
                for message in brought(entries, call) {
                    let linked = Effect::Link(call.clone(), vec![message.clone()]);
                    let kept = pending(seen.after, call).is_some_and(|call| call.strays.contains(&message));
                    assert!(
                        kept || effects(seen.step).contains(&linked),
                        "{message:?} of {call} is lost"
                    );
                }
            }
        }
        for before in seen.before.pending().iter().filter(|before| !before.settled) {
            let after = pending(seen.after, &before.call);
            for stray in &before.strays {
                let kept = after.is_some_and(|after| after.strays.contains(stray));
                let in_record = opened(seen.step)
                    .any(|record| record.call == before.call && record.target_of(&stray.id).is_some());
                assert!(kept || in_record, "{stray:?} is lost");
            }
        }
    });
}

#[test]
fn a_call_has_a_record_of_everything_that_shows_it_or_counts_as_not_posted() {
    walk::every_move::<Turns>(|seen| {
        let Event::RenderEnded(_, Ok(entries)) = seen.event else {
            return;
        };
        for after in seen.after.pending() {
            let was_posted = pending(seen.before, &after.call).is_some_and(|before| before.posted);
            let record = opened(seen.step).find(|record| record.call == after.call);
            assert_eq!(after.posted && !was_posted, record.is_some());
            let Some(record) = record else { continue };
            let brought = brought(entries, &after.call);
            assert_eq!((record.revision, record.is_open()), (0, true));
            assert!(
                record.messages.ends_with(&brought),
                "the newest is current: {record:?}"
            );
            assert!(
                brought
                    .iter()
                    .all(|message| record.target_of(&message.id).is_some())
            );
        }
    });
}

#[test]
fn a_render_that_shows_nothing_has_failed() {
    walk::every_move::<Turns>(|seen| {
        assert!(opened(seen.step).all(|record| !record.messages.is_empty()));
        let Event::RenderEnded(attempt, result) = seen.event else {
            return;
        };
        if !seen.before.posting.is_current(*attempt) {
            return;
        }
        let shows = |entry: &Rendered| !entry.messages.is_empty();
        if result.as_ref().is_ok_and(|entries| entries.iter().any(shows)) {
            assert!(
                opened(seen.step).next().is_some(),
                "a call is shown and has no record"
            );
        } else {
            assert!(matches!(seen.after.posting.phase, Phase::Due(_) | Phase::Spent));
            assert!(opened(seen.step).next().is_none());
        }
    });
}

#[test]
fn a_question_is_posted_after_its_text_and_never_beside_one_that_is_open() {
    walk::every_move::<Turns>(|seen| {
        for effect in effects(seen.step) {
            let Effect::Render(_, calls) = effect else {
                continue;
            };
            assert!(seen.after.outbox.is_empty(), "the step's text is not posted yet");
            assert!(!is_visible(seen.after), "a posted call is open");
            let open = seen.after.pending().iter().filter(|pending| !pending.settled);
            let open: Vec<CallId> = open.map(|pending| pending.call.clone()).collect();
            assert_eq!(*calls, open, "all that wait, in the order of the step");
            assert!(!calls.is_empty());
        }
    });
}

#[test]
fn the_model_goes_on_once_after_the_last_answer_and_never_after_a_dismissal() {
    walk::every_move::<Turns>(|seen| {
        let Event::CallSettled(call, outcome) = seen.event else {
            return;
        };
        let runs = effects(seen.step)
            .iter()
            .filter(|effect| matches!(effect, Effect::RunModel(_)))
            .count();
        let Some(_) = pending(seen.before, call).filter(|call| !call.settled) else {
            assert_eq!(*seen.step, Step::Stay(Reason::NotPending));
            return;
        };
        let others = seen
            .before
            .pending()
            .iter()
            .filter(|other| !other.settled && other.call != *call);
        let others: Vec<CallId> = others.map(|other| other.call.clone()).collect();
        match outcome {
            Outcome::Answered(_) => {
                assert_eq!(runs, usize::from(others.is_empty()));
                let state = if others.is_empty() {
                    State::Running
                } else {
                    State::Awaiting
                };
                assert_eq!(seen.after.state(), state);
            }
            Outcome::Dismissed | Outcome::Cancelled => {
                assert_eq!(runs, 0);
                assert_eq!(seen.after.state(), State::Idle);
                assert_eq!(effects(seen.step).first(), Some(&Effect::Cancel(others)));
            }
        }
    });
}

#[test]
fn a_run_goes_on_in_the_name_of_who_started_it_and_in_the_same_message() {
    walk::every_move::<Turns>(|seen| {
        let (Some(before), Some(after)) = (&seen.before.run, &seen.after.run) else {
            return;
        };
        assert_eq!((before.message, &before.actor), (after.message, &after.actor));
        if let Event::StepEnded(_, Ok(step)) = seen.event
            && before != after
        {
            assert_eq!(after.assistant, Some(step.assistant));
        } else {
            assert_eq!(before.assistant, after.assistant);
        }
    });
}

#[test]
fn a_message_starts_a_turn_or_waits_or_is_refused_at_the_limit() {
    walk::every_move::<Turns>(|seen| {
        let Event::Message { message, .. } = seen.event else {
            return;
        };
        let before = seen.before;
        if before.run.is_none() && before.queue.is_empty() {
            assert_eq!(started(seen), Some(*message));
            assert_eq!(
                ordered(seen.step)[0],
                Some(before.continuing.last + 1),
                "the model is asked"
            );
        } else if before.queue.len() == POLICY.queue_max {
            assert_eq!(*seen.step, Step::Refuse(Reason::QueueFull));
        } else {
            assert_eq!(seen.after.queue.last(), Some(&arriving(before)));
            assert_eq!(started(seen), None);
        }
    });
}

#[test]
fn queued_messages_start_in_their_order_and_none_is_lost() {
    walk::every_move::<Turns>(|seen| {
        let (before, after) = (&seen.before.queue, &seen.after.queue);
        if after.len() >= before.len() {
            assert!(after.starts_with(before));
            return;
        }
        assert_eq!(after[..], before[1..], "one leaves, the oldest");
        let dropped = effects(seen.step).contains(&Effect::Drop(before[0]));
        let ruled = match seen.event {
            Event::Promoted(_, Ok(Some(_))) => !dropped && started(seen) == Some(before[0]),
            Event::Promoted(_, Ok(None) | Err(_)) | Event::Tick(_) => dropped && started(seen).is_none(),
            _ => false,
        };
        assert!(ruled, "{before:?} became {after:?}");
    });
}

#[test]
fn a_queued_message_runs_as_who_sent_it_after_a_check_of_its_own() {
    walk::every_move::<Turns>(|seen| {
        for effect in effects(seen.step) {
            if let Effect::CheckQueued(_, message) = effect {
                assert_eq!(seen.after.queue.first(), Some(message));
                assert_eq!(seen.after.state(), State::Idle);
            }
        }
        if started(seen).is_some() {
            let run = seen.after.run.as_ref().expect("started");
            assert_eq!((&run.actor, run.steps), (&actor("bob"), 0));
        }
    });
}

/// Only then is a card whose record expired, or whose posting was given up, posted again.
#[test]
fn the_next_message_has_an_invisible_question_posted_at_once() {
    walk::every_move::<Turns>(|seen| {
        let Event::Message { live, .. } = seen.event else {
            return;
        };
        if seen.before.state() != State::Awaiting || matches!(seen.step, Step::Refuse(_)) {
            return;
        }
        for pending in seen
            .after
            .pending()
            .iter()
            .filter(|pending| pending.posted && !pending.settled)
        {
            assert!(
                live.contains(&pending.call),
                "counts as posted, and has no record"
            );
        }
        if seen.after.outbox.is_empty() && !is_visible(seen.after) {
            assert!(matches!(seen.after.posting.phase, Phase::Running(_)));
        }
        if is_visible(seen.after) {
            assert_eq!(seen.after.posting, seen.before.posting);
        }
    });
}

#[test]
fn replies_are_posted_in_order_and_given_up_only_whole() {
    walk::every_move::<Turns>(|seen| {
        let (before, after) = (&seen.before.outbox, &seen.after.outbox);
        let posted = matches!(seen.event, Event::PostEnded(CURRENT, Ok(())))
            && seen.before.replying.is_current(CURRENT);
        let failed = matches!(seen.event, Event::PostEnded(CURRENT, Err(_)) | Event::Tick(_));
        let rest = if posted {
            before[1..].to_vec()
        } else if failed && !before.is_empty() && !after.contains(&before[0]) {
            before
                .iter()
                .filter(|part| part.reply != before[0].reply)
                .cloned()
                .collect()
        } else {
            before.clone()
        };
        assert!(after.starts_with(&rest), "{before:?} became {after:?}");
        let new = &after[rest.len()..];
        for (part, number) in new.iter().zip(seen.before.parts_made..) {
            assert_eq!(part.number, number);
            assert!(
                (seen.before.parts_made..=number).contains(&part.reply),
                "belongs to an older reply"
            );
            assert!(!part.text.is_empty(), "an empty text is posted");
        }
    });
}

#[test]
fn a_failed_run_says_so_once_and_leaves_no_call_without_a_result() {
    walk::every_move::<Turns>(|seen| {
        let failures = effects(seen.step)
            .iter()
            .filter(|effect| **effect == Effect::FailTools)
            .count();
        let said = |state: &Turn| {
            state
                .outbox
                .iter()
                .filter(|part| part.text == TURN_FAILED)
                .count()
        };
        let may_fail =
            seen.before.state() == State::Running || matches!(seen.event, Event::RenderRefused(..));
        let ended_by_failing = may_fail
            && seen.before.state() != State::Idle
            && seen.after.state() == State::Idle
            && !matches!(
                seen.event,
                Event::StepEnded(_, Ok(step)) if step.next == Next::Finish
            );
        assert_eq!(failures, usize::from(ended_by_failing));
        if ended_by_failing {
            assert_eq!(said(seen.after), said(seen.before) + 1);
        }
    });
}

#[test]
fn what_cannot_be_shown_becomes_an_error_and_the_agent_goes_on() {
    walk::every_move::<Turns>(|seen| {
        let Event::RenderRefused(attempt, reason) = seen.event else {
            return;
        };
        if !seen.before.posting.is_current(*attempt) {
            return;
        }
        let refused: Vec<_> = effects(seen.step)
            .iter()
            .filter_map(|effect| match effect {
                Effect::FailCalls(calls, why) => Some((calls.clone(), why)),
                _ => None,
            })
            .collect();
        let unposted = seen
            .before
            .pending()
            .iter()
            .filter(|pending| !pending.posted && !pending.settled);
        let unposted: Vec<_> = unposted.map(|pending| pending.call.clone()).collect();
        assert_eq!(refused, [(unposted, reason)]);
        assert_ne!(
            seen.after.state(),
            State::Awaiting,
            "nobody can answer what is not shown"
        );
    });
}

#[test]
fn what_is_tried_again_is_what_was_being_done() {
    walk::every_move::<Turns>(|seen| {
        for effect in effects(seen.step) {
            let work = match effect {
                Effect::RunModel(_) => Work::Model,
                Effect::RunTools(_) => Work::Tools,
                _ => continue,
            };
            assert_eq!(seen.after.run.as_ref().map(|run| &run.work), Some(&work));
        }
    });
}

/// Not walked: in a channel nobody can answer what has no record. Another entry point can.
#[test]
fn an_answer_that_overtakes_the_posting_ends_it() {
    let answered = || Outcome::Answered(answer("Red"));
    let asking = after(&asking_two(), Event::CallSettled(first(), answered()));
    assert!(asking.posting.is_pending(), "the other call waits to be posted");
    let running = after(&asking, Event::CallSettled(second(), answered()));
    assert_eq!(
        (running.state(), running.posting.phase),
        (State::Running, Phase::Nothing)
    );
}

#[test]
fn an_agent_that_goes_in_circles_is_stopped() {
    walk::every_move::<Turns>(|seen| {
        let tools = effects(seen.step)
            .iter()
            .any(|effect| matches!(effect, Effect::RunTools(_)));
        if let Event::StepEnded(_, Ok(step)) = seen.event
            && step.next == Next::Tools
            && seen
                .before
                .run
                .as_ref()
                .is_some_and(|run| run.steps + 1 >= POLICY.steps_max)
        {
            assert!(!tools, "more than {} steps", POLICY.steps_max);
        }
    });
}
