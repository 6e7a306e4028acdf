//! Redis servers for tests: real ones, on free ports and in folders of their own, that end with the test, also when it is
//! killed.
//!
//! They need the program `redis-server`. Where it is missing a test fails and says how to get it.

#![expect(
    clippy::expect_used,
    clippy::panic,
    clippy::disallowed_methods,
    reason = "a test that cannot have its server ends here, and waits for it on a thread of its own"
)]

use std::io::{BufRead as _, BufReader, ErrorKind};
use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::time::{Duration, Instant};

use redis::{Connection, Value};
use tempfile::TempDir;

use crate::redis::{RedisAddress, RedisSettings};

/// How long a server may take to begin: a loaded machine takes a second.
const START_MAX: Duration = Duration::from_secs(20);
const PAUSE: Duration = Duration::from_millis(5);
/// How often another port is tried, when somebody took the first between our look and the server's.
const PORTS_MAX: usize = 5;
/// Starts a program, says its number, and kills it when nobody holds the other end of the standard input any more.
const KEEPER: &str = "\"$@\" </dev/null >/dev/null 2>&1 & echo $!; read -r _; kill -9 $! 2>/dev/null";

/// One server.
#[derive(Debug)]
pub struct RedisServer {
    port: u16,
    options: Vec<String>,
    running: Option<Running>,
    // Dropped last: the server has ended before its folder goes.
    folder: TempDir,
}

#[derive(Debug)]
struct Running {
    keeper: Child,
    /// Closing it ends the server.
    held: Option<ChildStdin>,
    pid: u32,
}

impl RedisServer {
    /// Stands for a port in an option.
    pub const PORT: &'static str = "a free port";

    /// A server that keeps nothing on the disk.
    pub fn start() -> Self {
        Self::start_with(&["--save", "", "--appendonly", "no"])
    }

    /// A server with options of its command line, such as `--requirepass`. For [`Self::PORT`] it gets a port that is free.
    pub fn start_with(options: &[&str]) -> Self {
        for _ in 0..PORTS_MAX {
            let option = |option: &&str| match *option {
                Self::PORT => free_port().to_string(),
                other => other.to_owned(),
            };
            let mut server = Self {
                port: free_port(),
                options: options.iter().map(option).collect(),
                running: None,
                folder: tempfile::tempdir().expect("a folder"),
            };
            if server.run() {
                return server;
            }
        }
        panic!("redis-server does not start with {options:?}");
    }

    /// Starts it again after [`Self::kill`], on its port and with what it kept.
    pub fn restart(&mut self) {
        self.kill();
        // Somebody may have its port for a moment, for a connection that goes out.
        let again = (0..PORTS_MAX).any(|_| self.run());
        assert!(again, "redis-server does not start again on port {}", self.port);
    }

    /// Ends it at once, as a power failure does, as far as a process can be.
    pub fn kill(&mut self) {
        if let Some(mut running) = self.running.take() {
            drop(running.held.take());
            running.keeper.wait().expect("the keeper ends");
        }
    }

    /// Its process.
    ///
    /// # Panics
    /// It was killed.
    pub fn pid(&self) -> u32 {
        self.running.as_ref().expect("it is running").pid
    }

    /// Where it listens.
    pub fn address(&self) -> RedisAddress {
        RedisAddress {
            host: "127.0.0.1".to_owned(),
            port: self.port,
        }
    }

    /// What a store on it is opened with.
    pub fn settings(&self) -> RedisSettings {
        RedisSettings::new(self.address())
    }

    /// The URL of a store on it.
    pub fn url(&self) -> String {
        format!("redis://127.0.0.1:{}", self.port)
    }

    /// The value of an option that it was started with.
    pub fn option(&self, name: &str) -> Option<&str> {
        let mut options = self.options.iter().skip_while(|option| *option != name);
        options.nth(1).map(String::as_str)
    }

    /// Its folder.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Asks it something, as an operator would.
    ///
    /// # Panics
    /// It does not answer, or with an error.
    pub fn ask(&self, command: &[&str]) -> Value {
        let mut question = redis::cmd(command[0]);
        question.arg(&command[1..]);
        question
            .query(&mut self.connection().expect("the server answers"))
            .unwrap_or_else(|error| panic!("{command:?}: {error}"))
    }

    /// What it says of itself in one line of `INFO`.
    pub fn info(&self, name: &str) -> String {
        let mut connection = self.connection().expect("the server answers");
        let info: String = redis::cmd("INFO").query(&mut connection).expect("it tells");
        let lines = info.lines().filter_map(|line| line.split_once(':'));
        lines
            .filter(|(known, _)| *known == name)
            .map(|(_, value)| value.to_owned())
            .next()
            .unwrap_or_default()
    }

    fn connection(&self) -> Result<Connection, redis::RedisError> {
        let password = self.option("--requirepass");
        let login = password.map_or_else(String::new, |password| format!(":{password}@"));
        let client = redis::Client::open(format!("redis://{login}127.0.0.1:{}", self.port))?;
        client.get_connection_with_timeout(START_MAX)
    }

    /// Says whether it runs now.
    fn run(&mut self) -> bool {
        let mut command = Command::new("redis-server");
        command.args(["--bind", "127.0.0.1", "--port", &self.port.to_string()]);
        command.arg("--dir").arg(self.folder.path());
        command
            .args(["--protected-mode", "no", "--daemonize", "no"])
            .args(&self.options);
        self.running = Some(keep(&command));
        self.answers()
    }

    fn answers(&mut self) -> bool {
        let until = Instant::now() + START_MAX;
        while Instant::now() < until {
            let answers = self.connection().is_ok_and(|mut connection| {
                let pong: Result<Value, _> = redis::cmd("PING").query(&mut connection);
                pong.is_ok()
            });
            if answers {
                return true;
            }
            if !self.is_alive() {
                return false;
            }
            std::thread::sleep(PAUSE);
        }
        false
    }

    fn is_alive(&self) -> bool {
        self.running
            .as_ref()
            .is_some_and(|running| Path::new(&format!("/proc/{}", running.pid)).exists())
    }
}

impl Drop for RedisServer {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Three masters that share the slots.
#[derive(Debug)]
pub struct RedisCluster {
    /// Its nodes.
    pub nodes: [RedisServer; 3],
}

impl RedisCluster {
    /// A cluster that is ready. Takes two seconds: that long a new master refuses writes.
    pub fn start() -> Self {
        let nodes = std::array::from_fn(|_| {
            RedisServer::start_with(&[
                "--save",
                "",
                "--cluster-enabled",
                "yes",
                "--cluster-port",
                RedisServer::PORT,
                "--cluster-node-timeout",
                "2000",
            ])
        });
        let cluster = Self { nodes };
        let ranges = [("0", "5460"), ("5461", "10922"), ("10923", "16383")];
        for (epoch, (node, (first, last))) in cluster.nodes.iter().zip(ranges).enumerate() {
            node.ask(&["CLUSTER", "ADDSLOTSRANGE", first, last]);
            node.ask(&["CLUSTER", "SET-CONFIG-EPOCH", &(epoch + 1).to_string()]);
        }
        let [first, others @ ..] = &cluster.nodes;
        for other in others {
            let port = other.port.to_string();
            let bus = other.option("--cluster-port").unwrap_or_default();
            first.ask(&["CLUSTER", "MEET", "127.0.0.1", &port, bus]);
        }
        for node in &cluster.nodes {
            until("the cluster is complete", || {
                let told = node.ask(&["CLUSTER", "INFO"]);
                let text: String = redis::from_redis_value(told).expect("a text");
                text.contains("cluster_state:ok") && text.contains("cluster_known_nodes:3")
            });
        }
        cluster
    }

    /// What a store on it is opened with.
    pub fn settings(&self) -> RedisSettings {
        RedisSettings {
            addresses: self.nodes.iter().map(RedisServer::address).collect(),
            ..self.nodes[0].settings()
        }
    }
}

/// A master, a replica of it, and a sentinel that makes the replica the master when the master is gone for half a second.
#[derive(Debug)]
pub struct RedisSentinel {
    /// The first master.
    pub master: RedisServer,
    /// Its replica.
    pub replica: RedisServer,
    sentinel: RedisServer,
}

impl RedisSentinel {
    /// What the sentinel calls the master.
    pub const MASTER: &'static str = "store";

    /// All three, once the sentinel knows both servers and the replica has everything.
    pub fn start() -> Self {
        Self::begin(&[])
    }

    /// The same with a sentinel that asks for a password.
    pub fn guarded(password: &str) -> Self {
        Self::begin(&["--requirepass", password])
    }

    fn begin(options: &[&str]) -> Self {
        let master = RedisServer::start_with(&["--save", "", "--repl-diskless-sync-delay", "0"]);
        let of = master.port.to_string();
        let replica = RedisServer::start_with(&["--save", "", "--replicaof", "127.0.0.1", &of]);
        until("the replica follows", || {
            replica.info("master_link_status") == "up"
        });
        let mut sentinel = RedisServer {
            port: free_port(),
            options: options.iter().map(|option| (*option).to_owned()).collect(),
            running: None,
            folder: tempfile::tempdir().expect("a folder"),
        };
        let name = Self::MASTER;
        let configuration = format!(
            "port {}\nbind 127.0.0.1\nprotected-mode no\nsentinel monitor {name} 127.0.0.1 {of} 1\n\
             sentinel down-after-milliseconds {name} 500\nsentinel failover-timeout {name} 2000\n",
            sentinel.port
        );
        let file = sentinel.folder.path().join("sentinel.conf");
        std::fs::write(&file, configuration).expect("the folder takes a file");
        let mut command = Command::new("redis-server");
        command.arg(&file).arg("--sentinel").args(options);
        sentinel.running = Some(keep(&command));
        assert!(sentinel.answers(), "the sentinel does not start");
        until("the sentinel knows the replica", || {
            sentinel.info("master0").contains("slaves=1")
        });
        Self {
            master,
            replica,
            sentinel,
        }
    }

    /// What a store behind it is opened with.
    pub fn settings(&self) -> RedisSettings {
        RedisSettings {
            sentinel: Some(crate::Sentinel {
                master: Self::MASTER.to_owned(),
                login: crate::no_login(),
            }),
            ..self.sentinel.settings()
        }
    }
}

fn keep(command: &Command) -> Running {
    let program = Command::new(command.get_program()).arg("--version").output();
    match program {
        Ok(_) => {}
        Err(error) if error.kind() == ErrorKind::NotFound => {
            panic!("this test needs the program redis-server; run `apt-get install redis-server`")
        }
        Err(error) => panic!("redis-server cannot be started: {error}"),
    }
    let mut keeper = Command::new("sh");
    keeper.args(["-c", KEEPER, "keeper"]);
    keeper.arg(command.get_program()).args(command.get_args());
    keeper.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut keeper = keeper.spawn().expect("there is a shell");
    let mut said = String::new();
    let mut output = BufReader::new(keeper.stdout.take().expect("it is piped"));
    output.read_line(&mut said).expect("the keeper tells");
    Running {
        held: keeper.stdin.take(),
        keeper,
        pid: said.trim().parse().expect("a process number"),
    }
}

/// A port that nobody has now.
pub fn free_port() -> u16 {
    let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a port is free");
    listener.local_addr().expect("it has an address").port()
}

/// Waits until it is so.
///
/// # Panics
/// It takes too long.
pub fn until(what: &str, so: impl Fn() -> bool) {
    let end = Instant::now() + START_MAX;
    while !so() {
        assert!(Instant::now() < end, "not within {START_MAX:?}: {what}");
        std::thread::sleep(PAUSE);
    }
}
