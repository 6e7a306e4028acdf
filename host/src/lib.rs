//! FrogBot: a host for agents that ask questions in chat channels.
//!
//! This package is where everything meets: it reads the configuration ([`config`]), watches the secrets ([`secrets`]), gives
//! the crates the implementations of their ports ([`world`]) and starts them ([`serve`]). It decides nothing itself.

mod admin;
pub mod check;
pub mod cli;
mod compiling;
pub mod config;
pub mod demo;
mod mount;
pub mod piece;
mod remote;
pub mod secrets;
pub mod serve;
mod shelf;
mod store;
pub mod telemetry;
pub mod world;
