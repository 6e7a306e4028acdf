//! Everything that can happen to a question.

use lifecycle::owed::{Attempt, Failure, Owed};
use lifecycle::question::{
    Access, Change, Event, Evidence, Message, Parsed, PieceState, Question, Step, Target,
};
use lifecycle::tool::{Answer, Choice, Input, Item, Output};
use lifecycle::{Actor, CallId, MessageId, Millis, Policy, Series, Timestamp};

use crate::walk::{LAST, NOW, World};

/// One retry and the shortest times, no jitter (a tenth of 1 ms is none): the same machines in a small space.
pub(crate) const POLICY: Policy = Policy {
    advancing: SERIES,
    posting: SERIES,
    closing: SERIES,
    continuing: SERIES,
    replying: SERIES,
    handling: SERIES,
    open_for: Millis(1_000),
    settled_for: Millis(100),
    queue_max: 2,
    steps_max: 2,
};

const SERIES: Series = Series {
    retries: 1,
    first_delay: Millis(1),
    longest_delay: Millis(1),
    deadline: Millis(1),
};

/// When every walked state last changed.
pub(crate) const BEFORE: Timestamp = Timestamp(NOW.0 - 1);
/// The revision of every walked state.
pub(crate) const REVISION: u64 = 5;

pub(crate) const CURRENT: Attempt = Attempt(LAST);
pub(crate) const SUPERSEDED: Attempt = Attempt(LAST - 1);
pub(crate) const NEVER_MADE: Attempt = Attempt(LAST + 1);

pub(crate) struct Questions;

impl World for Questions {
    type State = Question;
    type Event = Event;
    type Step = Step;

    fn starts() -> Vec<Question> {
        let posted = Question::posted(call(), input(), vec![message("posted")], None, NOW);
        let leftover = Question::leftover(call(), input(), vec![message("posted")], NOW);
        vec![posted, leftover]
    }

    fn events(state: &Question) -> Vec<Event> {
        let mut events: Vec<Event> = interactions().map(Event::Interaction).collect();
        let results = results(state).into_iter().map(|result| (CURRENT, result));
        let late = [SUPERSEDED, NEVER_MADE].into_iter();
        let late = late.flat_map(|attempt| late_results().into_iter().map(move |result| (attempt, result)));
        for (attempt, result) in results.chain(late) {
            events.push(Event::UpdatedEnded(attempt, result.clone()));
            events.push(Event::SettledEnded(attempt, result));
        }
        events.extend([
            Event::Cancelled,
            Event::Found(message("late")),
            Event::Found(message("posted")),
            Event::Tick,
        ]);
        events
    }

    fn step(state: &Question, event: &Event, now: Timestamp) -> Step {
        state.step(event.clone(), now, &POLICY)
    }

    fn next(step: &Step) -> Option<&Question> {
        match step {
            Step::Advance(next, _) => Some(next),
            Step::Stay(_) | Step::Refuse(_) => None,
        }
    }

    fn owed(state: &mut Question) -> Vec<&mut Owed> {
        vec![&mut state.advancing, &mut state.closing]
    }

    fn renumber(state: &mut Question) {
        state.revision = REVISION;
        state.changed_at = BEFORE;
        state
            .settlement
            .iter_mut()
            .for_each(|settlement| settlement.at = BEFORE);
    }
}

/// Every meaning, ruling and target; other revisions and a piece without `updated` where they can matter.
fn interactions() -> impl Iterator<Item = Evidence> {
    let mut all = Vec::new();
    for parsed in meanings() {
        for access in rulings() {
            for target in [Target::Current, Target::Older, Target::Conversation] {
                all.push(evidence(REVISION, target, parsed.clone(), access.clone()));
            }
        }
    }
    let granted = Access::Granted(actor("ann"));
    let without_updated = [None, Some(piece_state())].map(|state| Evidence {
        updates: false,
        ..evidence(REVISION, Target::Current, Parsed::Partial(state), granted.clone())
    });
    let other = [REVISION - 1, REVISION + 1].map(|revision| {
        let meant = [
            Parsed::Answer(answer("Red")),
            Parsed::Partial(None),
            Parsed::Stale,
        ];
        meant.map(|parsed| evidence(revision, Target::Current, parsed, granted.clone()))
    });
    all.into_iter()
        .chain(without_updated)
        .chain(other.into_iter().flatten())
}

fn meanings() -> [Parsed; 8] {
    [
        Parsed::Ignore,
        Parsed::Answer(answer("Red")),
        Parsed::Answer(answer("Green")),
        Parsed::Dismiss,
        Parsed::Partial(None),
        Parsed::Partial(Some(piece_state())),
        Parsed::Rejected("reply with a number".to_owned()),
        Parsed::Stale,
    ]
}

fn rulings() -> [Access; 3] {
    [Access::Unresolved, Access::Denied, Access::Granted(actor("ann"))]
}

/// What a hook may bring back: a message added, all replaced, none, a state, a redraw for later, and every failure.
fn results(state: &Question) -> Vec<Result<Change, Failure>> {
    let known = state.messages.iter().filter(|known| known.id.as_str() != "next");
    let added = known.cloned().chain([message("next")]).collect();
    let messages = |messages| {
        Ok(Change {
            messages: Some(messages),
            ..Change::default()
        })
    };
    vec![
        Ok(Change::default()),
        messages(added),
        messages(vec![message("next")]),
        messages(Vec::new()),
        Ok(Change {
            state: Some(piece_state()),
            ..Change::default()
        }),
        Ok(Change {
            redraw_after: Some(Millis(1)),
            ..Change::default()
        }),
        Err(Failure::Transient(None)),
        Err(Failure::Transient(Some(Millis(2)))),
        Err(Failure::Permanent),
    ]
}

/// What an attempt may bring back that is not the one under way.
fn late_results() -> Vec<Result<Change, Failure>> {
    let messages = vec![message("posted"), message("late")];
    let change = Change {
        messages: Some(messages),
        state: Some(piece_state()),
        redraw_after: None,
    };
    vec![Ok(Change::default()), Ok(change), Err(Failure::Permanent)]
}

pub(crate) fn evidence(revision: u64, target: Target, parsed: Parsed, access: Access) -> Evidence {
    Evidence {
        revision,
        target,
        parsed,
        access,
        updates: true,
    }
}

pub(crate) fn call() -> CallId {
    CallId::numbered(1)
}

pub(crate) fn input() -> Input {
    let choice = |label: &str| Choice {
        label: label.to_owned(),
        description: None,
    };
    let item = Item {
        header: "Color".to_owned(),
        question: "Which color?".to_owned(),
        options: vec![choice("Red"), choice("Blue")],
        multiple: false,
        custom: false,
    };
    Input {
        questions: vec![item],
    }
}

/// Valid for "Red" and "Blue" only.
pub(crate) fn answer(label: &str) -> Output {
    let answer = Answer {
        header: "Color".to_owned(),
        selected: vec![label.to_owned()],
        custom: None,
    };
    Output {
        answers: vec![answer],
    }
}

pub(crate) fn message(id: &str) -> Message {
    Message {
        id: MessageId(id.to_owned()),
        posted_at: NOW,
        question: None,
    }
}

pub(crate) fn piece_state() -> PieceState {
    PieceState {
        json: "1".to_owned(),
        written_by: "1.0.0".to_owned(),
    }
}

pub(crate) fn actor(id: &str) -> Actor {
    let text = str::to_owned;
    Actor {
        channel: text("forum"),
        piece: text("forum"),
        account: text("one"),
        id: text(id),
        name: String::new(),
        roles: Vec::new(),
        email: None,
        user: None,
    }
}
