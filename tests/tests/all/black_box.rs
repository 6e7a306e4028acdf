//! The real binary, as a child process, between platforms that behave as real ones do. Everything is seen from outside:
//! what was posted, what was answered, what the log says.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "what a test needs is there, or the test has failed"
)]

mod compiling;
mod configuration;
mod conversation;
mod crashes;
mod forum_world;
mod hosts;
mod kills;
mod online;
mod parked;
mod retries;
mod secrets;
mod shutdown;
mod slack;
mod slack_emulated;
mod slack_late;
mod slack_limits;
mod slack_load;
mod slack_recorded;
mod slack_together;
mod slack_workspaces;
mod slack_world;
mod swapping;
mod trips;
mod webhooks;
