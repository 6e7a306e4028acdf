//! What is too large or too long to be walked: the delays of a series, and the limits of lists.

use lifecycle::owed::{Attempt, Failure, Owed, Ticked};
use lifecycle::question::{Event, MESSAGES_MAX, Message, Question, Step};
use lifecycle::turn::{self, ModelStep, Next, OUTBOX_MAX, Rendered, Turn};
use lifecycle::{CallId, MessageId, Millis, Policy, Series, Timestamp};

use crate::question_world::{actor, call, input, message};
use crate::walk::NOW;

const STANDARD: Series = Series::standard(Millis::seconds(30));

#[test]
fn the_first_retry_comes_after_five_seconds_and_the_delay_doubles_to_45_minutes() {
    let seconds = [5, 10, 20, 40, 80, 160, 320, 640, 1_280, 2_560, 2_700, 2_700];
    for (n, expected) in (1..).zip(seconds) {
        let expected = Millis::seconds(expected).0;
        for seed in 0..100 {
            let delay = STANDARD.delay_after(n, seed).0;
            assert!(
                (expected..=expected + expected / 10).contains(&delay),
                "{delay} ms after attempt {n}"
            );
        }
    }
    assert!(STANDARD.delay_after(u32::MAX, 0) <= Millis::minutes(50));
}

#[test]
fn a_series_has_the_first_attempt_and_ten_retries() {
    let mut owed = Owed::NOTHING;
    let mut attempts = vec![owed.begin_series(NOW, &STANDARD)];
    while !owed.failed(Failure::Transient(None), NOW, &STANDARD, 0) {
        assert_eq!(attempts.last(), Some(&Attempt(owed.last)));
        attempts.push(wait_for_next(&mut owed, &STANDARD));
        assert!(attempts.len() < 20, "the series does not end");
    }
    assert_eq!(attempts, (1..=11).map(Attempt).collect::<Vec<_>>());
    assert_eq!(owed.next_wake(), None);
}

/// The next attempt of the same series, at the moment it is due and not before.
fn wait_for_next(owed: &mut Owed, series: &Series) -> Attempt {
    let due = owed.next_wake().expect("a retry is due");
    assert_eq!(owed.tick(Timestamp(due.0 - 1), series), Ticked::Early);
    match owed.tick(due, series) {
        Ticked::Begun(attempt) => attempt,
        other @ (Ticked::Early | Ticked::Spent) => panic!("expected the next attempt, found {other:?}"),
    }
}

#[test]
fn a_wait_that_the_platform_asks_for_is_obeyed_within_a_day() {
    let wait_after = |asked| {
        let mut owed = Owed::NOTHING;
        owed.begin_series(NOW, &STANDARD);
        owed.failed(Failure::Transient(Some(asked)), NOW, &STANDARD, 0);
        owed.next_wake().expect("a retry is due") - NOW
    };
    assert_eq!(wait_after(Millis::seconds(130)), Millis::seconds(130));
    assert_eq!(wait_after(Millis::seconds(2)), Millis::seconds(2));
    assert_eq!(
        wait_after(Millis(1)),
        Millis(1_250),
        "a quarter of the first delay"
    );
    assert_eq!(wait_after(Millis(u64::MAX)), Millis::hours(24));
}

#[test]
fn a_new_series_begins_without_the_waits_of_the_one_before() {
    let waiting = || {
        let mut owed = Owed::NOTHING;
        owed.begin_series(NOW, &STANDARD);
        owed.failed(Failure::Transient(Some(Millis::seconds(2))), NOW, &STANDARD, 0);
        assert_eq!(owed.waited, Millis::seconds(2));
        owed
    };
    let mut hurried = waiting();
    hurried.hurry(NOW, &STANDARD).expect("a new series");
    let mut cleared = waiting();
    cleared.clear();
    let mut owed_later = waiting();
    owed_later.due_at(NOW);
    for owed in [hurried, cleared, owed_later] {
        assert_eq!(owed.waited, Millis(0), "{owed:?}");
    }
}

/// How long a storm of answers that ask for this wait goes on until the series is used up, and in how many attempts.
fn storm(asked: Millis) -> (Millis, u32) {
    let mut owed = Owed::NOTHING;
    owed.begin_series(NOW, &STANDARD);
    let mut now = NOW;
    while !owed.failed(Failure::Transient(Some(asked)), now, &STANDARD, 0) {
        now = owed.next_wake().expect("a retry is due");
        wait_for_next(&mut owed, &STANDARD);
        assert!(owed.last < 10_000, "the series does not end");
    }
    (now - NOW, owed.last)
}

#[test]
fn a_storm_of_waits_uses_up_a_series_as_fast_as_time_does_and_no_faster() {
    let planned: u64 = (1..=10).map(|n| STANDARD.delay_after(n, 0).0).sum();
    for asked in [0, 1_000, 2_000, 30_000, 3_600_000] {
        let (lasted, attempts) = storm(Millis(asked));
        assert!(lasted.0 >= planned, "{asked} ms: over after {} ms", lasted.0);
        assert!(attempts <= 7_000, "{asked} ms: {attempts} attempts");
    }
}

#[test]
fn a_storm_that_is_over_leaves_the_effect_waiting_for_what_was_asked_and_no_longer() {
    let mut owed = Owed::NOTHING;
    owed.begin_series(NOW, &STANDARD);
    let mut now = NOW;
    while now < NOW + Millis::minutes(40) {
        owed.failed(Failure::Transient(Some(Millis::seconds(2))), now, &STANDARD, 0);
        let next = owed.next_wake().expect("a retry is due");
        assert_eq!(next - now, Millis::seconds(2));
        wait_for_next(&mut owed, &STANDARD);
        now = next;
    }
    // Whatever else fails then is tried again as the place in the series says.
    let place = owed.in_series;
    owed.failed(Failure::Transient(None), now, &STANDARD, 0);
    assert_eq!(owed.next_wake(), Some(now + STANDARD.delay_after(place, 0)));
}

#[test]
fn questions_that_failed_together_are_not_tried_again_together() {
    let retry_of = |posted: &str| {
        let question = Question::posted(call(), input(), vec![message(posted)], None, NOW);
        let ended = next(question.step(Event::Cancelled, NOW, &Policy::STANDARD));
        let failed = Event::SettledEnded(Attempt(1), Err(Failure::Transient(None)));
        next(ended.step(failed, NOW, &Policy::STANDARD)).next_wake()
    };
    let retries: std::collections::BTreeSet<_> = (0..20).map(|n| retry_of(&format!("{n}"))).collect();
    assert!(
        retries.len() > 10,
        "the first call of every conversation has the same jitter: {retries:?}"
    );
}

#[test]
fn a_record_links_a_hundred_messages_and_keeps_the_current_one() {
    let many: Vec<Message> = (0..150).map(|n| message(&format!("posted {n}"))).collect();
    let mut question = Question::posted(call(), input(), many, None, NOW);
    assert_eq!(question.links().count(), MESSAGES_MAX);
    for n in 0..150 {
        question = next(question.step(
            Event::Found(message(&format!("late {n}"))),
            NOW,
            &Policy::STANDARD,
        ));
        assert!(question.links().count() <= MESSAGES_MAX);
        assert_eq!(
            question.messages.last().map(|current| current.id.as_str()),
            Some("posted 149")
        );
    }
}

#[test]
fn an_outbox_takes_two_hundred_parts() {
    let parts = (0..=OUTBOX_MAX).map(|n| format!("part {n}")).collect();
    let step = ModelStep {
        assistant: 2,
        parts,
        next: Next::Finish,
    };
    let turn = after(&running(), turn::Event::StepEnded(Attempt(1), Ok(step)));
    assert_eq!(turn.outbox.len(), OUTBOX_MAX);
    assert_eq!(turn.outbox[0].text, "part 0");
}

#[test]
fn a_call_keeps_a_hundred_messages_of_lost_renders_each_once() {
    let questions = Next::Questions(vec![(CallId::numbered(1), input())]);
    let step = ModelStep {
        assistant: 2,
        parts: Vec::new(),
        next: questions,
    };
    let mut turn = after(&running(), turn::Event::StepEnded(Attempt(1), Ok(step)));
    for n in 0..150 {
        for _ in 0..2 {
            let messages = vec![message(&format!("twin {n}"))];
            let entry = Rendered {
                calls: vec![CallId::numbered(1)],
                messages,
                state: None,
            };
            turn = after(&turn, turn::Event::RenderEnded(Attempt(0), Ok(vec![entry])));
        }
    }
    let strays: Vec<&MessageId> = turn.pending()[0].strays.iter().map(|stray| &stray.id).collect();
    assert_eq!(strays.len(), MESSAGES_MAX);
    assert_eq!(strays.last().map(|id| id.as_str()), Some("twin 149"));
}

/// Calls are numbered through, so that no control of an old card can name a new call.
#[test]
fn the_calls_of_a_conversation_never_share_an_id() {
    let mut ids = std::collections::BTreeSet::new();
    let mut turn = running();
    for n in 1..=5_u32 {
        let calls = [turn.call_id(0), turn.call_id(1)];
        let asked = Next::Questions(calls.iter().map(|call| (call.clone(), input())).collect());
        let step = ModelStep {
            assistant: 2,
            parts: Vec::new(),
            next: asked,
        };
        turn = after(&turn, turn::Event::StepEnded(Attempt(n), Ok(step)));
        for call in calls {
            let answered = lifecycle::question::Outcome::Answered(crate::question_world::answer("Red"));
            turn = after(&turn, turn::Event::CallSettled(call.clone(), answered));
            assert!(call.as_str().len() <= 12 && ids.insert(call));
        }
    }
}

#[test]
fn an_expired_record_is_one_that_did_not_change_for_thirty_days_or_ended_a_day_ago() {
    let question = Question::posted(call(), input(), vec![message("posted")], None, NOW);
    assert_eq!(question.expires_at(&Policy::STANDARD), NOW + Millis::days(30));
    let later = NOW + Millis::days(29);
    let ended = next(question.step(Event::Cancelled, later, &Policy::STANDARD));
    assert_eq!(ended.expires_at(&Policy::STANDARD), later + Millis::hours(24));
}

/// A turn whose first model step is attempt 1.
fn running() -> Turn {
    let message = turn::Event::Message {
        message: 1,
        actor: actor("ann"),
        live: Vec::new(),
    };
    after(&Turn::idle(), message)
}

fn after(turn: &Turn, event: turn::Event) -> Turn {
    match turn.step(event, NOW, &Policy::STANDARD, 0) {
        turn::Step::Advance(next, _) => next,
        turn::Step::Stay(_) => turn.clone(),
        turn::Step::Refuse(reason) => panic!("refused: {reason:?}"),
    }
}

fn next(step: Step) -> Question {
    match step {
        Step::Advance(next, _) => next,
        Step::Stay(reason) | Step::Refuse(reason) => panic!("nothing happens: {reason:?}"),
    }
}

#[test]
fn a_piece_cannot_put_off_its_redraw_for_ever() {
    let mut owed = Owed::NOTHING;
    owed.begin_series(NOW, &STANDARD);
    let mut redraws = 0;
    while owed.is_pending() {
        owed.put_off(NOW, &STANDARD);
        redraws += u32::from(matches!(owed.tick(NOW, &STANDARD), Ticked::Begun(_)));
        assert!(redraws < 100, "the series does not end");
    }
    assert_eq!(redraws, STANDARD.retries);
}

#[test]
fn a_result_of_an_earlier_record_is_not_current_in_the_next() {
    let record = |generation| {
        Question::posted(call(), input(), vec![message("card")], None, NOW).of_generation(generation)
    };
    let (mut first, mut second) = (record(1), record(2));
    let early = first.closing.begin_series(NOW, &STANDARD);
    second.closing.begin_series(NOW, &STANDARD);
    assert_eq!(early, Attempt(1));
    assert!(!second.closing.is_current(early));
    assert_eq!((first.generation(), second.generation()), (1, 2));
}

#[test]
fn an_attempt_of_a_process_that_is_gone_is_lost_at_once() {
    let mut owed = Owed::NOTHING;
    owed.begin_series(NOW, &STANDARD);
    assert_eq!(owed.tick(NOW, &STANDARD), Ticked::Early);
    owed.orphaned(NOW);
    assert_eq!(owed.tick(NOW, &STANDARD), Ticked::Begun(Attempt(2)));
    let mut waiting = Owed::NOTHING;
    waiting.due_at(NOW + Millis(1));
    waiting.orphaned(NOW);
    assert_eq!(waiting.tick(NOW, &STANDARD), Ticked::Early, "a delay is kept");
}
