//! The piece tool's library, behind `frogbot piece new`, `build` and `inspect`.
//!
//! [`build`](build::build) makes the one file that an operator installs: it finds a way to compile for WebAssembly, lets
//! cargo build the piece, wraps the core module as a component and puts the manifest from `piece.toml` inside.
//! [`new`](new::new) starts a piece that builds at once. [`inspect`](inspect::inspect) shows what such a file is and what it could do, without running anything of it.
//! [`toolchain`] and [`debian`] are public for the repository's own commands, which prepare a machine in the same way.

pub mod build;
mod command;
pub mod debian;
pub mod inspect;
mod interface;
pub mod new;
pub mod progress;
pub mod toolchain;
pub mod wit;

pub use build::{BuildProblem, BuildRequest, Built, build};
pub use inspect::{InspectProblem, Inspection, inspect};
pub use new::{NewProblem, NewRequest, Started, new};
pub use progress::Progress;
pub use toolchain::{NoToolchain, Toolchain};
