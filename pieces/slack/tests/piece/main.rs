//! The piece against a Slack that answers from memory.

#![expect(
    clippy::panic,
    clippy::unwrap_used,
    reason = "the helpers of tests fail like tests"
)]

mod answers;
mod cards;
mod closing;
mod forms;
mod incoming;
mod nouns;
mod replies;
