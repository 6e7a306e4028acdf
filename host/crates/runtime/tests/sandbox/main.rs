//! The sandbox, through a real component: each guard of the runtime is seen refusing the piece `tests/guests/hostile`,
//! which misbehaves on request.

#![expect(
    clippy::expect_used,
    clippy::panic,
    reason = "tests, and what they are played on"
)]

mod bounds;
mod egress;
mod guest;
mod hooks;
mod loading;
mod platform;
mod questions;
mod rates;
mod stage;
mod swapping;
