//! One run of the host.

use std::net::SocketAddr;
use std::time::Duration;

use rustix::process::{Pid, Resource, Rlimit, Signal, kill_process, prlimit};
use serde_json::Value;
use tokio::process::{Child, Command};
use tokio::time::timeout;

use super::{LIMIT, Log};

/// What the host logs, with the address it is bound to, as soon as it takes requests.
const LISTENING: &str = "listening";
/// How long to read on when the process has ended: what it wrote is there already, unless a child of it keeps the pipe.
const LAST_WORDS: Duration = Duration::from_secs(2);

/// A running host. Killed, by its own process id, when it is dropped.
#[derive(Debug)]
pub struct HostProcess {
    child: Child,
    pid: Pid,
    log: Log,
    address: SocketAddr,
}

impl HostProcess {
    pub(crate) async fn start(mut command: Command) -> Result<Self, String> {
        let mut child = command
            .spawn()
            .map_err(|error| format!("{:?} does not start: {error}", command.as_std()))?;
        let log = Log::new();
        let (Some(out), Some(err)) = (child.stdout.take(), child.stderr.take()) else {
            return Err("the host has no output to read".to_owned());
        };
        let collecting = [log.collect(out), log.collect(err)];
        let pid = child
            .id()
            .and_then(|pid| i32::try_from(pid).ok())
            .and_then(Pid::from_raw)
            .ok_or_else(|| format!("the host ended at once:\n{}", log.text()))?;
        let bound = log.wait_for("the bound address", LIMIT, |line| {
            (line.message() == LISTENING)
                .then(|| line.field("address").and_then(Value::as_str)?.parse().ok())?
        });
        let address = tokio::select! {
            bound = bound => bound?,
            ended = child.wait() => {
                // Its last words are perhaps still in the pipes.
                for collected in collecting {
                    timeout(LAST_WORDS, collected).await.ok();
                }
                return Err(format!("the host ended ({ended:?}):\n{}", log.text()));
            }
        };
        Ok(Self {
            child,
            pid,
            log,
            address,
        })
    }

    /// Its process id.
    pub fn pid(&self) -> i32 {
        self.pid.as_raw_nonzero().get()
    }

    /// The address it is bound to.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Where the webhooks of a channel go.
    pub fn channel_url(&self, channel: &str) -> String {
        format!("http://{}/channels/{channel}", self.address)
    }

    /// What it wrote.
    pub fn log(&self) -> &Log {
        &self.log
    }

    /// `kill -9`: nothing is finished, nothing is said. Returns when it is dead.
    ///
    /// # Errors
    /// It is dead already, or does not die.
    pub async fn kill(mut self) -> Result<(), String> {
        self.signal(Signal::KILL)?;
        self.ended(LIMIT).await.map(drop)
    }

    /// `SIGSTOP`: the process stands still until [`HostProcess::resume`].
    ///
    /// # Errors
    /// It is dead.
    pub fn pause(&self) -> Result<(), String> {
        self.signal(Signal::STOP)
    }

    /// `SIGCONT`.
    ///
    /// # Errors
    /// It is dead.
    pub fn resume(&self) -> Result<(), String> {
        self.signal(Signal::CONT)
    }

    /// From now on a file that it writes may be so long, and what goes beyond fails; none: as long as it likes. A host that is
    /// not started by [`Installation::survive_full_disks`](super::Installation::survive_full_disks) is killed by it.
    ///
    /// # Errors
    /// It is dead.
    pub fn limit_files(&self, bytes_max: Option<u64>) -> Result<(), String> {
        // The hard limit stays, so that the soft one can be raised again without privileges.
        let limit = Rlimit {
            current: bytes_max,
            maximum: None,
        };
        prlimit(Some(self.pid), Resource::Fsize, limit)
            .map(drop)
            .map_err(|error| format!("process {:?}: {error}", self.pid))
    }

    /// `SIGTERM`: asks for an orderly end.
    ///
    /// # Errors
    /// It is dead.
    pub fn terminate(&self) -> Result<(), String> {
        self.signal(Signal::TERM)
    }

    /// Waits for its end and tells the exit code; none: it was killed by a signal.
    ///
    /// # Errors
    /// It did not end within `limit`.
    pub async fn ended(&mut self, limit: Duration) -> Result<Option<i32>, String> {
        let ended = timeout(limit, self.child.wait()).await;
        let status = ended.map_err(|_| format!("still running after {limit:?}:\n{}", self.log.text()))?;
        status
            .map(|status| status.code())
            .map_err(|error| format!("nobody knows how the host ended: {error}"))
    }

    fn signal(&self, signal: Signal) -> Result<(), String> {
        kill_process(self.pid, signal).map_err(|error| format!("process {:?}: {error}", self.pid))
    }
}

impl Drop for HostProcess {
    fn drop(&mut self) {
        if std::thread::panicking() {
            show(&self.log);
        }
        // `kill_on_drop` would do it, too; this one does not wait for the runtime's orphan reaping to come by.
        // An error means that it is gone already.
        self.child.start_kill().ok();
    }
}

#[expect(clippy::print_stderr, reason = "a test that failed shows what the host wrote")]
fn show(log: &Log) {
    eprintln!("--- the host wrote:\n{}\n---", log.text());
}
