//! What the engine needs from the world: traits named by role, their requests, their replies, their errors.
//!
//! * [`documents`]: everything the host remembers;
//! * [`pieces`]: the hooks of the loaded pieces;
//! * [`models`] and [`tools`]: what makes an agent;
//! * [`world`]: time, tasks and random bytes;
//! * [`ingress`]: the engine as the gateway sees it;
//! * [`json`]: the JSON that the specification fixes, in its one definition;
//! * [`failpoint`]: where a test lets the process die;
//! * `contract`: the test suites every implementation passes (feature `contract`).

#[cfg(feature = "contract")]
pub mod contract;
pub mod documents;
pub mod failpoint;
pub mod ingress;
pub mod json;
pub mod models;
pub mod pieces;
pub mod tools;
pub mod world;

pub use documents::Documents;
pub use ingress::Ingress;
pub use models::Models;
pub use pieces::Pieces;
pub use tools::Tools;
pub use world::{Clock, Entropy, Tasks};
