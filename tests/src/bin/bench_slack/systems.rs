//! What is measured: the host on SQLite, the host on Redis, and the peer on Redis, each a process of its own.

use std::net::SocketAddr;
use std::process::Stdio;

use storage::servers::RedisServer;
use tests::host_process::{HostProcess, Installation, LIMIT, Line};
use tests::peers::Peers;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};
use tokio::time::timeout;

use crate::slack::Slack;

pub(crate) const SIGNING_SECRET: &str = "signing-secret-of-the-benchmark";
pub(crate) const TEAM: &str = "T1";
const TOKEN: &str = "xoxb-token-of-the-benchmark";
const PEER: &str = "chat-sdk.mjs";

/// Asks for a colour and says one more thing, as the peer does.
const SCRIPT: &str = r#"
[[model]]
when = { result = { tool = "question" } }
say = "Continuing."

[[model]]
when = { calls = 0 }
[[model.call]]
tool = "question"
[[model.call.input.questions]]
header = "Color"
question = "Which color?"
options = [{ label = "Red" }, { label = "Blue" }]
"#;

/// Which one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Sqlite,
    Redis,
    Peer,
}

impl Kind {
    pub(crate) const ALL: [Self; 3] = [Self::Sqlite, Self::Redis, Self::Peer];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Sqlite => "FrogBot, SQLite",
            Self::Redis => "FrogBot, Redis",
            Self::Peer => "Chat SDK, Redis",
        }
    }

    pub(crate) fn named(name: &str) -> Result<Self, String> {
        match name {
            "sqlite" => Ok(Self::Sqlite),
            "redis" => Ok(Self::Redis),
            "peer" => Ok(Self::Peer),
            _ => Err(format!(
                "unknown system `{name}`; there are sqlite, redis and peer"
            )),
        }
    }
}

/// A running system in front of its own workspace.
pub(crate) struct System {
    pub(crate) kind: Kind,
    pub(crate) slack: Slack,
    /// Where its webhook is.
    pub(crate) address: SocketAddr,
    pub(crate) path: String,
    process: Process,
    redis: Option<RedisServer>,
}

enum Process {
    Host {
        host: HostProcess,
        _installation: Installation,
    },
    Peer(Child),
}

impl System {
    pub(crate) async fn start(kind: Kind) -> Result<Self, String> {
        let slack = Slack::start().await?;
        let redis = match kind {
            Kind::Sqlite => None,
            Kind::Redis | Kind::Peer => Some(redis()),
        };
        let (process, address, path) = match kind {
            Kind::Sqlite | Kind::Redis => host(&slack, redis.as_ref()).await?,
            Kind::Peer => peer(&slack, redis.as_ref()).await?,
        };
        Ok(Self {
            kind,
            slack,
            address,
            path,
            process,
            redis,
        })
    }

    pub(crate) fn pid(&self) -> u32 {
        match &self.process {
            Process::Host { host, .. } => u32::try_from(host.pid()).unwrap_or(0),
            Process::Peer(child) => child.id().unwrap_or(0),
        }
    }

    pub(crate) fn redis_pid(&self) -> Option<u32> {
        self.redis.as_ref().map(RedisServer::pid)
    }
}

/// A server with what most installations have: every write in a file that is synced once a second.
fn redis() -> RedisServer {
    RedisServer::start_with(&["--save", "", "--appendonly", "yes", "--appendfsync", "everysec"])
}

async fn host(slack: &Slack, redis: Option<&RedisServer>) -> Result<(Process, SocketAddr, String), String> {
    let mut installation = Installation::new()?;
    installation.set_environment("SLACK_TOKEN", TOKEN);
    installation.set_environment("SLACK_SIGNING_SECRET", SIGNING_SECRET);
    installation.write("script.toml", SCRIPT)?;
    let pieces = installation.artifacts().pieces.display().to_string();
    let store = redis.map_or_else(
        || "kind = \"sqlite\"\npath = \"frogbot.db\"".to_owned(),
        |redis| format!("kind = \"redis\"\nurl = \"{}\"", redis.url()),
    );
    let configuration = configuration(&pieces, &store, &slack.api_url());
    installation.write("frogbot.toml", &configuration)?;
    let host = installation.start().await?;
    let connected = |line: &Line| (line.message() == "connected").then_some(());
    host.log()
        .wait_for("the connection to Slack", LIMIT, connected)
        .await?;
    let address = host.address();
    let process = Process::Host {
        host,
        _installation: installation,
    };
    Ok((process, address, "/channels/slack".to_owned()))
}

fn configuration(pieces: &str, store: &str, api_url: &str) -> String {
    format!(
        r#"
[server]
listen = "127.0.0.1:0"

[store]
{store}

[pieces]
dir = "{pieces}"

[[users]]
id = "ann"
emails = ["ann@example.com"]

[models.scripted]
kind = "scripted"
script = "script.toml"

[agents.painter]
model = "scripted"
instructions = "Ask."
tools = ["question"]

[channels.slack]
piece = "slack"
agent = "painter"
accounts = ["{TEAM}"]
trust_email = true
secrets.bot_token = {{ env = "SLACK_TOKEN" }}
secrets.signing_secret = {{ env = "SLACK_SIGNING_SECRET" }}
slots.api = {{ base = "{api_url}", allow_private = ["127.0.0.1"] }}
"#
    )
}

async fn peer(slack: &Slack, redis: Option<&RedisServer>) -> Result<(Process, SocketAddr, String), String> {
    let mut command = Command::from(Peers::find()?.node(PEER)?);
    command
        .env("NODE_ENV", "production")
        .env("SLACK_API", format!("{}/", slack.api_url()))
        .env("REDIS_URL", redis.map(RedisServer::url).unwrap_or_default())
        .env("SIGNING_SECRET", SIGNING_SECRET)
        .env("BOT_TOKEN", TOKEN)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .kill_on_drop(true);
    let mut child = command.spawn().map_err(|error| format!("{PEER}: {error}"))?;
    let output = child.stdout.take().ok_or("the peer has no output")?;
    let mut lines = BufReader::new(output).lines();
    let said = timeout(LIMIT, lines.next_line()).await;
    let said = said.map_err(|_| format!("{PEER} does not listen after {LIMIT:?}"))?;
    let said = said.ok().flatten().unwrap_or_default();
    let port: Option<u16> = said.strip_prefix("listening ").and_then(|port| port.parse().ok());
    let port = port.ok_or_else(|| format!("{PEER} does not listen; it said `{said}`"))?;
    Ok((
        Process::Peer(child),
        SocketAddr::from(([127, 0, 0, 1], port)),
        "/".to_owned(),
    ))
}
