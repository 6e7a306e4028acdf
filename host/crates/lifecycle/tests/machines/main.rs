//! The two machines, walked exhaustively: every event in every state that can be reached, and the laws that hold there.
//!
//! * [`walk`]: the harness, which knows no machine;
//! * `question`, `turn`: for each machine its world (where it starts, what can happen to it, what a state looks like from
//!   now) and its laws, one test per law;
//! * `tool`: the rules of the question tool's input and output, as tables.

mod question;
mod question_world;
mod tool;
mod turn;
mod turn_world;
mod walk;
