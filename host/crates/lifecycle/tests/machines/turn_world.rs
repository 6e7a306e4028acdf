//! Everything that can happen to the turn of a chat, and what its laws ask of a step.

use lifecycle::owed::{Attempt, Failure, Owed};
use lifecycle::question::{Message, Outcome, Question};
use lifecycle::turn::{Effect, Event, ModelStep, Next, Part, Pending, Rendered, Step, Turn, Work};
use lifecycle::{CallId, Timestamp};

use crate::question_world::{CURRENT, POLICY, SUPERSEDED, actor, answer, input, message};
use crate::walk::{NOW, Seen, World};

/// The first queued message of every walked state; the others follow.
const QUEUED: u64 = 20;
/// The first waiting part.
const PARTS: u64 = 30;
/// How many parts were made before; more than any number that waits.
const PARTS_MADE: u64 = 50;
/// How many calls were made before the step that is asked now.
const CALLS_MADE: u64 = 5;
/// From here on a walked outbox does not grow.
const OUTBOX_WALKED: usize = 2;

pub(crate) struct Turns;

impl World for Turns {
    type State = Turn;
    type Event = Event;
    type Step = Step;

    fn starts() -> Vec<Turn> {
        vec![Turn::idle()]
    }

    fn events(state: &Turn) -> Vec<Event> {
        let mut events = messages(state);
        events.extend(results(state));
        events.extend(renders(state));
        let with_record = state.pending().iter().filter(|pending| pending.posted);
        for call in with_record.map(|pending| pending.call.clone()).chain([earlier()]) {
            for outcome in [Outcome::Answered(answer("Red")), Outcome::Dismissed] {
                events.push(Event::CallSettled(call.clone(), outcome));
            }
        }
        for call in [first(), earlier()] {
            events.push(Event::CallUnreadable(call, vec![message("twin")]));
        }
        events.push(Event::Revive { live: Vec::new() });
        events.push(Event::Revive {
            live: vec![first(), earlier()],
        });
        for attempt in [SUPERSEDED, CURRENT] {
            events.push(Event::RenderRefused(attempt, "too many options".to_owned()));
        }
        events.push(Event::Tick(None));
        for attempt in [SUPERSEDED, CURRENT] {
            events.push(Event::Tick(Some((attempt, Timestamp(NOW.0 + 1)))));
            events.push(Event::Tick(Some((attempt, NOW))));
        }
        events
    }

    fn step(state: &Turn, event: &Event, now: Timestamp) -> Step {
        state.step(event.clone(), now, &POLICY, 0)
    }

    fn next(step: &Step) -> Option<&Turn> {
        match step {
            Step::Advance(next, _) => Some(next),
            Step::Stay(_) | Step::Refuse(_) => None,
        }
    }

    fn owed(state: &mut Turn) -> Vec<&mut Owed> {
        vec![
            &mut state.continuing,
            &mut state.posting,
            &mut state.replying,
            &mut state.promoting,
        ]
    }

    fn renumber(state: &mut Turn) {
        for (queued, number) in state.queue.iter_mut().zip(QUEUED..) {
            *queued = number;
        }
        renumber_parts(&mut state.outbox);
        state.parts_made = PARTS_MADE;
        state.calls_made = CALLS_MADE;
        if let Some(run) = &mut state.run {
            run.message = 1;
            run.assistant = None;
            run.steps = run.steps.min(POLICY.steps_max);
            if let Work::Answers(pending) = &mut run.work {
                pending.iter_mut().for_each(|pending| pending.generation = 0);
            }
        }
    }

    fn within_bounds(state: &Turn) -> bool {
        state.outbox.len() <= OUTBOX_WALKED
    }
}

/// Numbers that keep which parts belong together; what they say does not matter.
fn renumber_parts(outbox: &mut [Part]) {
    let replies: Vec<u64> = outbox.iter().map(|part| part.reply).collect();
    for (index, (part, number)) in outbox.iter_mut().zip(PARTS..).enumerate() {
        let first = replies.iter().position(|reply| *reply == replies[index]);
        part.reply = PARTS + u64::try_from(first.unwrap_or(index)).expect("small");
        part.number = number;
        "text".clone_into(&mut part.text);
    }
}

/// The first call of the next step, or of the step that waits: renumbering gives it the same id again and again.
pub(crate) fn first() -> CallId {
    CallId::numbered(CALLS_MADE + 1)
}

/// The second.
pub(crate) fn second() -> CallId {
    CallId::numbered(CALLS_MADE + 2)
}

/// A call of some step before.
pub(crate) fn earlier() -> CallId {
    CallId::numbered(1)
}

/// The number the next message gets.
pub(crate) fn arriving(state: &Turn) -> u64 {
    QUEUED + u64::try_from(state.queue.len()).expect("small")
}

/// A message while all posted calls have their records, and one when none has any more.
fn messages(state: &Turn) -> Vec<Event> {
    let posted = state.pending().iter().filter(|pending| pending.posted);
    let posted = posted.map(|pending| pending.call.clone()).collect();
    let message = |live| Event::Message {
        message: arriving(state),
        actor: actor("bob"),
        live,
    };
    vec![message(posted), message(Vec::new())]
}

fn results(state: &Turn) -> Vec<Event> {
    let mut events = Vec::new();
    let failures = [Failure::Transient(None), Failure::Permanent];
    for attempt in [SUPERSEDED, CURRENT] {
        for ruling in [Some(actor("bob")), None] {
            events.push(Event::Promoted(attempt, Ok(ruling)));
        }
        events.push(Event::ToolsEnded(attempt, Ok(())));
        events.push(Event::PostEnded(attempt, Ok(())));
        for failure in failures {
            events.push(Event::Promoted(attempt, Err(failure)));
            events.push(Event::ToolsEnded(attempt, Err(failure)));
            events.push(Event::PostEnded(attempt, Err(failure)));
            events.push(Event::StepEnded(attempt, Err(failure)));
        }
    }
    events.push(Event::StepEnded(SUPERSEDED, Ok(step(&[], Next::Finish))));
    events.extend(
        model_steps(state)
            .into_iter()
            .map(|step| Event::StepEnded(CURRENT, Ok(step))),
    );
    events
}

fn model_steps(state: &Turn) -> Vec<ModelStep> {
    let questions = |count: usize| {
        let calls = [state.call_id(0), state.call_id(1)].into_iter().take(count);
        Next::Questions(calls.map(|call| (call, input())).collect())
    };
    vec![
        step(&[], Next::Finish),
        step(&["part one", "", "part two"], Next::Finish),
        step(&["looking it up"], Next::Tools),
        step(&[], Next::Tools),
        step(&[], questions(0)),
        step(&[], questions(1)),
        step(&["a question:"], questions(1)),
        step(&["questions:"], questions(2)),
    ]
}

fn step(parts: &[&str], next: Next) -> ModelStep {
    let parts = parts.iter().map(|part| (*part).to_owned()).collect();
    ModelStep {
        assistant: 2,
        parts,
        next,
    }
}

/// What `render` may return: all, only the first, nothing, an entry without messages, two entries for one call; and
/// what may be told by an attempt that is not under way, about this step and about one before.
fn renders(state: &Turn) -> Vec<Event> {
    let both = [first(), second()];
    let entry = |calls: &[CallId], messages: &[&str]| Rendered {
        calls: calls.to_vec(),
        messages: messages.iter().map(|id| message(id)).collect(),
        state: None,
    };
    let unposted = state
        .pending()
        .iter()
        .find(|pending| !pending.posted && !pending.settled);
    let one: Vec<CallId> = unposted.map(|pending| pending.call.clone()).into_iter().collect();
    let current = [
        Ok(vec![entry(&both, &["card"])]),
        Ok(vec![entry(&one, &["card"])]),
        Ok(vec![
            entry(&one, &["card", "card two"]),
            entry(&one, &["card three"]),
        ]),
        Ok(Vec::new()),
        Ok(vec![entry(&both, &[])]),
        Err(Failure::Transient(None)),
        Err(Failure::Permanent),
    ];
    let late = [
        Ok(vec![entry(&both, &["twin"])]),
        Ok(vec![entry(&[earlier()], &["twin"])]),
        Err(Failure::Transient(None)),
    ];
    let told_by = |attempt| move |result| Event::RenderEnded(attempt, result);
    let superseded = late.clone().into_iter().map(told_by(SUPERSEDED));
    if state.posting.is_current(CURRENT) {
        superseded
            .chain(current.into_iter().map(told_by(CURRENT)))
            .collect()
    } else {
        superseded.chain(late.into_iter().map(told_by(CURRENT))).collect()
    }
}

/// The messages that a `render` brought for `call`.
pub(crate) fn brought(entries: &[Rendered], call: &CallId) -> Vec<Message> {
    let covering = entries.iter().filter(|entry| entry.calls.contains(call));
    covering.flat_map(|entry| entry.messages.clone()).collect()
}

/// The four things a turn can owe, in the order of [`ordered`].
pub(crate) const OWED: [fn(&Turn) -> &Owed; 4] = [
    |turn| &turn.continuing,
    |turn| &turn.posting,
    |turn| &turn.replying,
    |turn| &turn.promoting,
];

/// The attempts that a step orders: at most one of each kind.
pub(crate) fn ordered(step: &Step) -> [Option<u32>; 4] {
    let mut ordered = [None; 4];
    for effect in effects(step) {
        let (index, attempt) = match effect {
            Effect::RunModel(attempt) | Effect::RunTools(attempt) => (0, attempt),
            Effect::Render(attempt, _) => (1, attempt),
            Effect::Post(attempt) => (2, attempt),
            Effect::CheckQueued(attempt, _) => (3, attempt),
            Effect::Open(_)
            | Effect::Link(..)
            | Effect::Cancel(_)
            | Effect::FailCalls(..)
            | Effect::FailTools
            | Effect::Drop(_)
            | Effect::Started(_) => continue,
        };
        assert_eq!(ordered[index].replace(attempt.0), None, "two attempts at once");
    }
    ordered
}

pub(crate) fn effects(step: &Step) -> &[Effect] {
    match step {
        Step::Advance(_, effects) => effects,
        Step::Stay(_) | Step::Refuse(_) => &[],
    }
}

pub(crate) fn opened(step: &Step) -> impl Iterator<Item = &Question> {
    effects(step)
        .iter()
        .filter_map(|effect| match effect {
            Effect::Open(records) => Some(records),
            _ => None,
        })
        .flatten()
}

pub(crate) fn started(seen: &Seen<'_, Turns>) -> Option<u64> {
    effects(seen.step).iter().find_map(|effect| match effect {
        Effect::Started(message) => Some(*message),
        _ => None,
    })
}

pub(crate) fn pending<'a>(state: &'a Turn, call: &CallId) -> Option<&'a Pending> {
    state.pending().iter().find(|pending| pending.call == *call)
}

/// Whether a posted call waits for its answer.
pub(crate) fn is_visible(state: &Turn) -> bool {
    state
        .pending()
        .iter()
        .any(|pending| pending.posted && !pending.settled)
}

/// A turn that is posting two questions.
pub(crate) fn asking_two() -> Turn {
    let mut idle = Turn::idle();
    Turns::renumber(&mut idle);
    let message = Event::Message {
        message: 1,
        actor: actor("bob"),
        live: Vec::new(),
    };
    let running = after(&idle, message);
    let attempt = Attempt(running.continuing.last);
    let calls = [first(), second()].map(|call| (call, input()));
    let step = ModelStep {
        assistant: 2,
        parts: Vec::new(),
        next: Next::Questions(calls.into()),
    };
    after(&running, Event::StepEnded(attempt, Ok(step)))
}

pub(crate) fn after(turn: &Turn, event: Event) -> Turn {
    let step = Turns::step(turn, &event, NOW);
    Turns::next(&step).expect("something happens").clone()
}
