//! The documents port: on SQLite for a host that is alone, in memory for tests.
//!
//! * [`SqliteDocuments`]: one file, one writer that commits groups, a few readers. What is confirmed survives a killed
//!   process and a power failure, as far as the disk honours a sync.
//! * [`MemoryDocuments`]: forgets everything at its end.
//!
//! Both pass `ports::contract::documents` and tell the time by a [`WallClock`].

mod clock;
mod memory;
mod sqlite;

pub use clock::{ManualClock, WallClock};
pub use memory::MemoryDocuments;
pub use sqlite::{OpenFault, SqliteDocuments};
