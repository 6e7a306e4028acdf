//! The documents port: on SQLite for a host that is alone, on Redis for several, in memory for tests.
//!
//! * [`SqliteDocuments`]: one file, one writer that commits groups, a few readers. What is confirmed survives a killed
//!   process and a power failure, as far as the disk honours a sync.
//! * [`RedisDocuments`]: Redis 7.0 or newer, or Valkey; one server, sentinels or a cluster. What survives is what the servers
//!   are told to keep.
//! * [`MemoryDocuments`]: forgets everything at its end.
//!
//! All pass `ports::contract::documents`. The first and the last tell the time by a [`WallClock`], Redis by the server's.

mod clock;
mod memory;
mod nudges;
mod redis;
#[cfg(any(test, feature = "servers"))]
pub mod servers;
mod sqlite;

pub use clock::{ManualClock, WallClock};
pub use memory::MemoryDocuments;
pub use redis::{
    Login, LoginSource, NAMESPACE_STANDARD, RedisAddress, RedisDocuments, RedisFault, RedisOpenFault,
    RedisSettings, RedisTls, RedisTlsFault, RedisUrl, RedisUrlFault, SENTINEL_PORT_STANDARD, SHARDS_MAX,
    SHARDS_STANDARD, Sentinel, no_login,
};
pub use sqlite::{OpenFault, SqliteDocuments};
