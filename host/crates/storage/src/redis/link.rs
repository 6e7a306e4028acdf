//! One connection to one server, shared by everybody who asks it something.
//!
//! Requests of many callers are sent one behind the other and answered in that order, so that they share system calls and
//! round trips. A request ends in an answer, or as one of the [`Failure`]s, of which only [`Failure::Unsent`] and
//! [`Failure::Full`] promise that the server has not seen it: what was handed to a connection that then broke may have
//! been carried out.

use std::fmt::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use redis::aio::MultiplexedConnection;
use redis::{AsyncConnectionConfig, Cmd, Pipeline, RedisConnectionInfo, RedisError};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::task::JoinHandle;
use tokio::time::timeout;

use super::answer::Answer;
use super::faults::{Failure, RedisFault};
use super::settings::{LoginSource, RedisAddress, RedisSettings};
use super::tls::Encryption;

/// The most requests of one connection without an answer: at 20 µs each, 80 ms of work for the server.
const WAITING_MAX: usize = 4_096;

/// What bytes go through.
pub(super) trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}
impl<S: AsyncRead + AsyncWrite + Send + Unpin> Stream for S {}

/// A connection. Closed when it is dropped.
#[derive(Debug)]
pub(super) struct Link {
    pub(super) address: RedisAddress,
    connection: MultiplexedConnection,
    broken: Arc<AtomicBool>,
    waiting: Semaphore,
    answer_within: Duration,
    driver: JoinHandle<()>,
}

/// What every connection is opened with.
pub(super) struct Opener<'a> {
    pub(super) settings: &'a RedisSettings,
    pub(super) encryption: &'a Encryption,
}

impl Opener<'_> {
    /// Connects and logs in, to the database of the store.
    pub(super) async fn link(&self, address: &RedisAddress) -> Result<Link, RedisFault> {
        self.connect(address, &self.settings.login, self.settings.database)
            .await
    }

    /// Connects and logs in to ask for the way, of which every database knows.
    pub(super) async fn guide(
        &self,
        address: &RedisAddress,
        login: &LoginSource,
    ) -> Result<Link, RedisFault> {
        self.within(address, self.connect(address, login, 0)).await
    }

    /// The bytes of a connection, and how to log in on it.
    pub(super) async fn stream(
        &self,
        address: &RedisAddress,
    ) -> Result<(Box<dyn Stream>, RedisConnectionInfo), RedisFault> {
        let opened = async {
            let info = info(address, &self.settings.login, 0)?;
            Ok((self.encryption.connect(address).await?, info))
        };
        self.within(address, opened).await
    }

    /// Bounds what belongs to opening a connection.
    pub(super) async fn within<T>(
        &self,
        address: &RedisAddress,
        opened: impl Future<Output = Result<T, RedisFault>>,
    ) -> Result<T, RedisFault> {
        let limit = self.settings.connect_within;
        timeout(limit, opened).await.unwrap_or_else(|_| {
            Err(RedisFault::Unreachable {
                address: address.clone(),
                why: format!("no connection within {} ms", limit.as_millis()),
            })
        })
    }

    async fn connect(
        &self,
        address: &RedisAddress,
        login: &LoginSource,
        database: i64,
    ) -> Result<Link, RedisFault> {
        let info = info(address, login, database)?;
        let stream = self.encryption.connect(address).await?;
        let config = AsyncConnectionConfig::new()
            .set_response_timeout(None)
            .set_pipeline_buffer_size(WAITING_MAX);
        let opened = MultiplexedConnection::new_with_config(&info, stream, config).await;
        let (connection, driver) = opened.map_err(|error| RedisFault::of_setup(address, &error))?;
        Ok(Link::start(
            address.clone(),
            connection,
            driver,
            self.settings.answer_within,
        ))
    }
}

/// Logs in to one server, with the protocol that every version speaks.
fn info(
    address: &RedisAddress,
    login: &LoginSource,
    database: i64,
) -> Result<RedisConnectionInfo, RedisFault> {
    let login = login().map_err(|why| RedisFault::NoLogin {
        address: address.clone(),
        why,
    })?;
    let mut info = RedisConnectionInfo::default()
        .set_db(database)
        .set_skip_set_lib_name();
    if let Some(username) = login.username {
        info = info.set_username(username);
    }
    if let Some(password) = login.password {
        info = info.set_password(password);
    }
    Ok(info)
}

/// Connects to a server's port.
pub(super) async fn tcp(address: &RedisAddress) -> std::io::Result<TcpStream> {
    let stream = TcpStream::connect((address.host.as_str(), address.port)).await?;
    // A request is one write, and somebody waits for its answer.
    stream.set_nodelay(true)?;
    Ok(stream)
}

impl Link {
    #[expect(
        clippy::disallowed_methods,
        reason = "the connection's task belongs to this value and ends with it, as a thread of another store does"
    )]
    fn start(
        address: RedisAddress,
        connection: MultiplexedConnection,
        driver: impl Future<Output = ()> + Send + 'static,
        answer_within: Duration,
    ) -> Self {
        let broken = Arc::new(AtomicBool::new(false));
        let ends = Arc::clone(&broken);
        let driver = tokio::spawn(async move {
            driver.await;
            ends.store(true, Ordering::Release);
        });
        Self {
            address,
            connection,
            broken,
            waiting: Semaphore::new(WAITING_MAX),
            answer_within,
            driver,
        }
    }

    /// Whether nothing can be asked any more.
    pub(super) fn is_broken(&self) -> bool {
        self.broken.load(Ordering::Acquire)
    }

    /// Makes nobody ask any more; what is under way still gets its answer.
    pub(super) fn retire(&self) {
        self.broken.store(true, Ordering::Release);
    }

    /// Asks one thing.
    pub(super) async fn ask(&self, command: &Cmd) -> Result<Answer, Failure> {
        let _place = self.place()?;
        let mut connection = self.connection.clone();
        let answer = self.answer(connection.send_packed_command(command)).await?;
        Answer::from(answer).accepted().map_err(Failure::Refused)
    }

    /// Asks several things in one trip. A refusal is among the answers.
    pub(super) async fn ask_all(&self, commands: &Pipeline, count: usize) -> Result<Vec<Answer>, Failure> {
        let _place = self.place()?;
        let mut connection = self.connection.clone();
        let answers = self
            .answer(connection.send_packed_commands(commands, 0, count))
            .await?;
        if answers.len() == count {
            Ok(answers.into_iter().map(Answer::from).collect())
        } else {
            self.retire();
            Err(Failure::Lost(format!(
                "{} sent {} answers to {count} questions",
                self.address,
                answers.len()
            )))
        }
    }

    fn place(&self) -> Result<SemaphorePermit<'_>, Failure> {
        if self.is_broken() {
            return Err(Failure::Unsent(format!(
                "the connection to {} is broken",
                self.address
            )));
        }
        self.waiting.try_acquire().map_err(|_| Failure::Full)
    }

    async fn answer<T>(&self, answer: impl Future<Output = Result<T, RedisError>>) -> Result<T, Failure> {
        let mut why = format!("from {}", self.address);
        match timeout(self.answer_within, answer).await {
            Ok(Ok(answer)) => return Ok(answer),
            // Only the kind: the text of an error may quote what was sent.
            Ok(Err(error)) => drop(write!(why, ": the connection broke ({:?})", error.kind())),
            Err(_) => drop(write!(why, " within {} ms", self.answer_within.as_millis())),
        }
        // Half a connection answers nobody; the next request opens another.
        self.retire();
        Err(Failure::Lost(format!("no answer {why}")))
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        self.driver.abort();
    }
}
