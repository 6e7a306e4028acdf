//! A forum, an installation, and the hosts that live and die in it.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use ports::failpoint;
use tokio::time::timeout;

use super::people::{self, Talk};
use super::plan::{Death, Draw};
use super::promises;
use super::tally::Run;
use crate::forum_server::{ForumConfig, ForumServer};
use crate::host_process::{HostProcess, Installation};

const TOKEN: &str = "forum-token-of-the-kills";
const SECRET: &str = "forum-webhook-secret-of-the-kills";
/// Conversations of a run.
const TALKS: usize = 4;
/// How long a host may take to come to the place where it dies; one that does not is killed then.
const PLACE_WITHIN: Duration = Duration::from_secs(3);
/// How much of each host's log is shown when a promise is broken.
const LOG_LINES: usize = 60;
/// How long a run may take to heal: a lost attempt is missed after two seconds, and a few may follow one another.
const HEALED_WITHIN: Duration = Duration::from_secs(60);

const SCRIPT: &str = r#"
[[model]]
when = { result = { tool = "question" } }
say = "{answer:Color} it is."

[[model]]
when = { calls = 0 }
[[model.call]]
tool = "question"
[[model.call.input.questions]]
header = "Color"
question = "Which color?"
options = [{ label = "Red" }, { label = "Blue" }, { label = "Green" }]

[[model]]
say = "I heard you."
"#;

/// A process.
struct Host {
    process: HostProcess,
    /// The file in which it looks for the place where it is to die.
    place: String,
}

pub(super) struct World {
    forum: ForumServer,
    installation: Installation,
    hosts: Vec<Host>,
    /// Where events can go now.
    addresses: Mutex<Vec<String>>,
    recognises: bool,
    draw: Draw,
    seed: u64,
    runs: usize,
    /// How many processes there were.
    started: AtomicUsize,
}

impl World {
    /// On SQLite, or on the Redis of this address under a namespace.
    pub(super) async fn start(
        redis: Option<(String, String)>,
        recognises: bool,
        seed: u64,
    ) -> Result<Self, String> {
        let mut config = ForumConfig::new(TOKEN, SECRET);
        config.recognises_repeats = recognises;
        let forum = ForumServer::start(config)
            .await
            .map_err(|error| error.to_string())?;
        let mut installation = Installation::new()?;
        installation.set_environment("FORUM_TOKEN", TOKEN);
        installation.set_environment("FORUM_WEBHOOK_SECRET", SECRET);
        installation.write("script.toml", SCRIPT)?;
        let pieces = installation.artifacts().pieces.display().to_string();
        installation.write(
            "frogbot.toml",
            &frogbot_toml(&pieces, &forum.url(), redis.as_ref()),
        )?;
        let mut world = Self {
            forum,
            installation,
            hosts: Vec::new(),
            addresses: Mutex::new(Vec::new()),
            recognises,
            draw: Draw::new(seed),
            seed,
            runs: 0,
            started: AtomicUsize::new(0),
        };
        for _ in 0..if redis.is_some() { 2 } else { 1 } {
            let host = world.host().await?;
            world.hosts.push(host);
        }
        Ok(world)
    }

    /// A process, which looks for the place where it is to die in a file of its own.
    async fn host(&self) -> Result<Host, String> {
        let number = self.started.fetch_add(1, Ordering::Relaxed);
        let place = format!("place{number}");
        let process = self
            .installation
            .start_with(&[(failpoint::VARIABLE, &place)])
            .await?;
        self.guard().push(process.channel_url("forum"));
        Ok(Host { process, place })
    }

    fn guard(&self) -> MutexGuard<'_, Vec<String>> {
        self.addresses.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Conversations, a death, another process, and what came of it.
    pub(super) async fn run(&mut self) -> Result<Run, String> {
        self.runs += 1;
        let number = self.runs;
        let names: Vec<String> = (0..TALKS).map(|talk| format!("run{number}-{talk}")).collect();
        let victim = self.hosts.swap_remove(self.draw.place_in(self.hosts.len()));
        let death = self.draw.death();
        let what = format!("seed {}, run {number}, {death:?}", self.seed);
        let draws: Vec<u64> = names.iter().map(|_| self.draw.below(u64::MAX)).collect();
        let (talks, successor) = {
            let this = &*self;
            let talking = names
                .iter()
                .zip(draws)
                .map(|(name, draw)| people::talk(&this.forum, || this.guard().clone(), name, draw));
            let talking = timeout(HEALED_WITHIN, futures_util::future::join_all(talking));
            tokio::join!(talking, this.die_and_come_back(victim, &death))
        };
        let (successor, was_at_place) = successor.map_err(|problem| format!("{what}: {problem}"))?;
        self.hosts.push(successor);
        let broken = |problem: &str| {
            let logs: Vec<String> = self.hosts.iter().map(|host| last_lines(&host.process)).collect();
            format!("{what}: {problem}\n{}", logs.join("\n--- another host:\n"))
        };
        let talks: Vec<Talk> = talks
            .map_err(|_| {
                broken(&format!(
                    "not healed within {HEALED_WITHIN:?}\n{:#?}",
                    self.unfinished(&names)
                ))
            })?
            .into_iter()
            .collect::<Result<_, _>>()
            .map_err(|problem| broken(&problem))?;
        let mut run = Run::new(was_at_place);
        for talk in &talks {
            let seen = promises::check(&talk.name, &self.forum.posts(&talk.name), talk, self.recognises);
            run.add(&seen.map_err(|problem| broken(&problem))?);
        }
        Ok(run)
    }

    /// What stands in the threads that are not at their end.
    fn unfinished(&self, names: &[String]) -> Vec<crate::forum_server::Post> {
        let posts = names.iter().flat_map(|name| self.forum.posts(name));
        posts.filter(|post| !post.buttons.is_empty()).collect()
    }

    /// Returns the process that took its place, and whether the victim died where it was told to.
    async fn die_and_come_back(&self, victim: Host, death: &Death) -> Result<(Host, bool), String> {
        let Host { mut process, place } = victim;
        let at_place = match death {
            Death::At(instant) => {
                wait(*instant).await;
                false
            }
            Death::Place(text) => {
                self.installation.write(&place, text)?;
                process.ended(PLACE_WITHIN).await.is_ok()
            }
        };
        let address = process.channel_url("forum");
        self.guard().retain(|known| *known != address);
        if !at_place {
            process.kill().await?;
        }
        Ok((self.host().await?, at_place))
    }
}

fn last_lines(host: &HostProcess) -> String {
    let text = host.log().text();
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(LOG_LINES)..].join("\n")
}

#[expect(
    clippy::disallowed_methods,
    reason = "processes live in the time of this machine"
)]
async fn wait(length: Duration) {
    tokio::time::sleep(length).await;
}

fn frogbot_toml(pieces: &str, forum_url: &str, redis: Option<&(String, String)>) -> String {
    let store = redis.map_or_else(
        || "kind = \"sqlite\"\npath = \"frogbot.db\"".to_owned(),
        |(url, namespace)| {
            format!("kind = \"redis\"\nurl = \"{url}\"\nnamespace = \"{namespace}\"\nshards = 4")
        },
    );
    let series = "{ retries = 20, first_delay = \"100ms\", longest_delay = \"500ms\" }";
    format!(
        r#"
[server]
listen = "127.0.0.1:0"

[store]
{store}

[pieces]
dir = "{pieces}"

[[users]]
id = "everybody"
emails = ["ann@example.com", "ben@example.com"]

[models.scripted]
kind = "scripted"
script = "script.toml"

[agents.painter]
model = "scripted"
instructions = "Paint what you are asked to paint."
tools = ["question"]

[channels.forum]
piece = "forum"
agent = "painter"
accounts = ["forum"]
trust_email = true
secrets.token = {{ env = "FORUM_TOKEN" }}
secrets.webhook_secret = {{ env = "FORUM_WEBHOOK_SECRET" }}
slots.forum = {{ base = "{forum_url}", allow_private = ["127.0.0.1"] }}

[times]
hook = "2s"
lease_renewal = "500ms"
advancing = {series}
posting = {series}
closing = {series}
replying = {series}
handling = {series}
continuing = {{ retries = 20, first_delay = "100ms", longest_delay = "500ms", deadline = "3s" }}
"#
    )
}
