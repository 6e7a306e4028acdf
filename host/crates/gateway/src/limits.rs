//! Every limit of this crate, with the reason for its number.

use std::time::Duration;

/// The largest request body, in bytes: the contract's limit for `inbound-request`. Platforms send at most some 100 KiB.
pub const BODY_BYTES_MAX: usize = 1024 * 1024;
/// The most headers of a request: some three times what a platform and two proxies send.
pub const HEADERS_MAX: usize = 64;
/// The most bytes of a request line and its headers: the path of the contract's 4 KiB and headers of the usual 16 KiB
/// fit with room to spare.
pub const HEAD_BYTES_MAX: usize = 32 * 1024;
/// How long a request line and its headers may take, and how long a connection may idle before the next ones.
pub const HEAD_READ_MAX: Duration = Duration::from_secs(30);
/// How long a body may take. A platform that gives us three seconds sends its body in less than one.
pub const BODY_READ_MAX: Duration = Duration::from_secs(3);
/// The most requests whose body is being read. Nobody knows yet who sends them, so their places are not those of the verified
/// ones; with [`BODY_READ_MAX`] it takes some 170 slow ones a second to keep them taken, and their bodies are 512 MiB at most.
pub const READING_MAX: usize = 512;
/// The most verified requests in flight, those that wait for an outcome included. Each may hold a body of 1 MiB a few times over
/// and a place among the acting hooks, of which the runtime has 256.
pub const REQUESTS_MAX: usize = 256;
/// The most open connections. Beyond [`READING_MAX`] and [`REQUESTS_MAX`], the rest is for those that idle
/// between two requests of a proxy's pool.
pub const CONNECTIONS_MAX: usize = 1_024;
/// How long a connection lives before it is closed after its current request, so that a slow reader is not for ever.
pub const CONNECTION_AGE_MAX: Duration = Duration::from_secs(3_600);
/// How long a request may still take once its connection is to close: the contract's longest `answer-within` of 30 s, the
/// body before it and the response after it.
pub const REQUEST_MAX: Duration = Duration::from_secs(45);
/// How long to wait after the system refused to accept a connection, most often for want of file descriptors.
pub const ACCEPT_RETRY: Duration = Duration::from_millis(100);
