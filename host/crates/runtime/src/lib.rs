//! Pieces: loading and running WebAssembly components under guard. Implements [`ports::Pieces`].
//!
//! A piece is often written by somebody we do not know. It gets a fresh instance for every hook call, bounded memory and
//! time, an instant, random bytes, a few log lines, and one way out: HTTP through the slots that its manifest declares
//! and the operator granted. No secret's value ever enters it.
//!
//! * `load`: from bytes to a [`ChannelInfo`](ports::pieces::ChannelInfo), or a [`LoadProblem`] that says what to do;
//! * `hooks`: the hooks, each entered in an instance of `instance`, its result checked by `convert`;
//! * `examples`: what a piece says of itself, tried before it is switched to;
//! * `compile`: the compiler, in a process of its own, and the code it made;
//! * `capabilities`: what a guest finds in its world; `egress` is the HTTP behind it;
//! * `standing`: how a piece does, and when it is held back;
//! * `measure`: what calls use, for tools;
//! * `engine`, `limits`, `gate`, `moment`: what bounds them.

mod bindings;
mod capabilities;
mod compile;
mod convert;
mod egress;
mod engine;
mod examples;
mod gate;
mod guard;
mod hooks;
mod instance;
pub mod limits;
mod load;
mod mac;
mod measure;
mod moment;
mod piece;
mod runtime;
mod secret;
mod setup;
mod standing;

pub use compile::{ChildCompiler, CodeCache, CodeKey, CompileLimits, Compiler, compile_for_parent};
pub use engine::StartProblem;
pub use guard::Guard;
#[cfg(feature = "guard-switches")]
pub use guard::switch_off;
pub use load::{LoadProblem, Stage};
pub use measure::Measure;
pub use runtime::{Prepared, Runtime};
pub use secret::{Secret, SecretSource, SecretUnavailable};
pub use setup::{Allocator, ChannelSetup, LocatorKey, RuntimeConfig, SecretRef, SlotGrant};
pub use standing::Health;
