//! The two machines, walked exhaustively: every event in every state that can be reached, and the laws that hold there.
//!
//! * [`walk`]: the harness, which knows no machine;
//! * `question`, `turn`: for each machine its world (where it starts, what can happen to it, what a state looks like from
//!   now) and its laws, one test per law;
//! * `limits`: what is too large or too long to be walked: waits, links, waiting parts;
//! * `tool`: the rules of the question tool's input and output, as tables.

#![expect(
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    clippy::wildcard_enum_match_arm,
    reason = "a test: laws panic when they are broken, the walk prints the way there, and a law names only what it is about"
)]

mod limits;
mod question;
mod question_world;
mod tool;
mod turn;
mod turn_world;
mod walk;
