//! Every limit of this crate that no file of the contract names, with the reason for its number. What an operator may
//! change is in [`RuntimeConfig`]; its defaults are here.
//!
//! [`RuntimeConfig`]: crate::RuntimeConfig

use std::time::Duration;

/// The largest component, in bytes. The largest piece we know is the Python example with 18.4 MB; twice that leaves
/// room for one more library.
pub const PIECE_BYTES_MAX: usize = 40 * 1024 * 1024;

/// How much processor time the compiler may take for one component, over all its threads. A Rust piece of 300 kB takes a
/// second in a development build, so the largest component takes about this there and a quarter of it in a release.
pub const COMPILE_CPU_MAX: Duration = Duration::from_secs(120);
/// How long it may take on the wall: its processor time on one core that it shares.
pub const COMPILE_WALL_MAX: Duration = Duration::from_secs(240);
/// How much address space it may have, in bytes: several times what the Python example needs, with what allocators reserve.
pub const COMPILE_MEMORY_BYTES_MAX: u64 = 4 * 1024 * 1024 * 1024;
/// The most code it may make of one component, in bytes: some six times the largest component.
pub const CODE_BYTES_MAX: u64 = 256 * 1024 * 1024;
/// How much of what it says when it fails is read, in bytes.
pub const COMPILER_SAYS_BYTES_MAX: u64 = 4 * 1024;
/// The most entries in the folder of compiled code: a hundred pieces would be many, and their code is some 200 MB.
pub const CODE_ENTRIES_MAX: usize = 100;

/// How much memory (linear memories and tables together) one instance may use, in bytes. A Rust piece needs 2 MiB, a
/// JavaScript one 12 MiB, a Python one 30 MiB; a request of 1 MiB is held a few times over while it is parsed.
pub const MEMORY_BYTES_MAX: usize = 64 * 1024 * 1024;

/// How long a pure hook may compute. A warm `parse` takes 4 to 41 µs and the slowest instance 2 ms to start; a second
/// is a bug, and the platform's own deadline is three.
pub const PURE_CPU_MAX: Duration = Duration::from_secs(1);

/// How long a pure hook may take on the wall: its computing time on a host that is four times overcommitted.
pub const PURE_WALL_MAX: Duration = Duration::from_secs(4);

/// How long an acting hook may compute. Its wall time is its attempt's limit; what it computes is the drawing of a card
/// with the largest call (50 questions of 1,000 options), far below this.
pub const ACTING_CPU_MAX: Duration = Duration::from_secs(5);

/// How often the epoch ticks: how exactly computing time is measured, and how long a guest may hold an executor thread.
pub const TICK: Duration = Duration::from_millis(10);

/// The stack of a guest, in bytes: twice what a debug build of a deep JSON parser takes.
pub const WASM_STACK_BYTES_MAX: usize = 1024 * 1024;

/// The stack of a fiber, in bytes: the guest's and what the host's own functions need on top.
pub const FIBER_STACK_BYTES: usize = 2 * 1024 * 1024;

/// What one call of the host may copy out of a guest, in bytes: a `send-all` of 32 requests of 1 MiB, and their frames.
pub const HOSTCALL_BYTES_MAX: usize = 40 * 1024 * 1024;

/// What each place for a call has in the pool. A piece of ours has one memory and two tables; a call of a piece with more
/// than this takes several places, so that no number of calls uses the pool up.
pub const MEMORIES_PER_PLACE: u32 = 2;
/// See [`MEMORIES_PER_PLACE`].
pub const TABLES_PER_PLACE: u32 = 4;
/// The most core instances, memories and tables in one component. componentize-py makes some 30 modules with one memory
/// and one table; nothing we know has more than four memories.
pub const CORE_INSTANCES_MAX: u32 = 100;
/// See [`CORE_INSTANCES_MAX`].
pub const MEMORIES_MAX: u32 = 8;
/// See [`CORE_INSTANCES_MAX`].
pub const TABLES_MAX: u32 = 32;
/// The most elements of one table: ten times what the Python example has.
pub const TABLE_ELEMENTS_MAX: usize = 100_000;

/// How much of a memory stays with its place in the pool between two calls, in bytes: half of what a Rust piece has. The pool
/// leaves up to a hundred places of other pieces as they are, which then hold 100 MB at most.
pub const KEPT_MEMORY_BYTES: usize = 1024 * 1024;
/// The same of a table.
pub const KEPT_TABLE_BYTES: usize = 64 * 1024;

/// The most calls of acting hooks in flight on this host. Each may wait for a platform, so they are many.
pub const ACTING_CALLS_MAX: usize = 256;
/// The most calls of pure hooks in flight on this host. They only compute, so more than some per core is no use.
pub const PURE_CALLS_MAX: usize = 64;
/// The part of the calls in flight that one piece may have: one slow platform must not take the others' places.
pub const SHARE_OF_ONE_PIECE: usize = 4;
/// How many calls may wait for a place, for each place there is.
pub const WAITING_PER_PLACE: usize = 4;
/// How long a call waits for its place. A click is answered within three seconds; after one there is no use.
pub const PLACE_WAIT_MAX: Duration = Duration::from_secs(1);

/// How many failures of its own in a row a piece is forgiven. Fewer are a bug that one event meets, more are a broken piece.
pub const FAILURES_FORGIVEN: u32 = 10;
/// How long it is left alone after that many; twice as long after each further one.
pub const HELD_BACK_FIRST: Duration = Duration::from_millis(500);
/// How long it is left alone at most: an operator who has repaired it, or its platform, does not wait longer.
pub const HELD_BACK_MAX: Duration = Duration::from_secs(60);

/// The most accounts of one channel whose connections are kept: the contract's limit on a list.
pub const CONNECTIONS_MAX: usize = 1_000;

/// The most requests of one hook call: eight full batches. A card with 50 questions posted one by one takes 50.
pub const REQUESTS_PER_CALL_MAX: usize = 256;
/// The most response bytes of one hook call together: half of what its memory may hold.
pub const RESPONSE_BYTES_PER_CALL_MAX: usize = 32 * 1024 * 1024;
/// The most headers of a request or response, and their bytes together. The largest header platforms send is a `link` with pages.
pub const HEADERS_MAX: usize = 100;
/// See [`HEADERS_MAX`].
pub const HEADER_BYTES_MAX: usize = 32 * 1024;
/// How long a connection may take: three TCP retries.
pub const CONNECT_MAX: Duration = Duration::from_secs(7);
/// How long an idle connection is kept. Most platforms close theirs after a minute.
pub const IDLE_MAX: Duration = Duration::from_secs(50);
/// The most idle connections to one host.
pub const IDLE_PER_HOST_MAX: usize = 16;
/// The most addresses of a name that are checked and used; the rest is left.
pub const ADDRESSES_MAX: usize = 64;

/// The most rate keys that are waited out at once for one piece. Beyond it the platform has to say `429` once more.
pub const RATE_KEYS_MAX: usize = 10_000;
/// The longest rate key, in bytes: the contract's limit on an id.
pub const RATE_KEY_BYTES_MAX: usize = 256;
/// How long a `429` without `retry-after` is waited out; doubles with every further one until a request is taken.
pub const RATE_WAIT_DEFAULT: Duration = Duration::from_secs(1);
/// Where that doubling ends: the longest wait of a platform that we know to measure its waits is a minute.
pub const RATE_WAIT_GROWN_MAX: Duration = Duration::from_secs(60);
/// How long a `429` is waited out at least, whatever it says.
pub const RATE_WAIT_MIN: Duration = Duration::from_millis(100);
/// How long a `429` is waited out at most, whatever it says: a platform's mistake must not silence a channel for a day.
pub const RATE_WAIT_MAX: Duration = Duration::from_secs(60 * 60);
/// How much longer the less urgent wait each time when somebody more urgent is expected back.
pub const RATE_COURTESY: Duration = Duration::from_secs(1);
/// How long a key that is free again is kept for somebody more urgent: what the engine takes at most to make an attempt
/// again that was told when (its shortest wait is 1.25 s, its sweep a second), and some.
pub const RATE_HOLD: Duration = Duration::from_secs(3);

/// The shortest secret that is looked for in responses. A shorter one would replace ordinary text.
pub const REDACTED_BYTES_MIN: usize = 6;
/// How long a reason for the operator may be, in bytes.
pub const REASON_BYTES_MAX: usize = 1024;
