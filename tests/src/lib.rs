//! What the tests and the demonstration run against: platforms that behave as real ones do, and the host as a process.

pub mod chat_sdk;
pub mod emulated_slack;
pub mod forum_server;
pub mod host_process;
pub mod judges;
pub mod kills;
mod line_program;
pub mod peers;
pub mod slack_stand_in;
pub mod stage;
