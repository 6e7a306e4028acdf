//! The laws of a question, each over every move of the walk.

use lifecycle::question::{Step, Event};
use crate::question_world::*;
use crate::walk::{self, World};

#[test]
fn every_event_in_every_state_has_an_answer_and_always_the_same() {
    let size = walk::every_move::<Questions>(|seen| {
        let again = Questions::step(seen.before, seen.event, walk::NOW);
        assert_eq!(*seen.step, again);
    });
    println!("{size:?}");
}
