//! The shell around the lifecycle: load, gather evidence, step, commit, perform.

pub mod access;
pub mod config;
