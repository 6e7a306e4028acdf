//! A forum, an installation, the hosts that live and die in it, and their store.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use ports::failpoint;
use tokio::time::timeout;

use super::configuration::{SCRIPT, frogbot_toml};
use super::people::{self, Talk};
use super::plan::{Draw, Event, Moment, Store, Trouble};
use super::promises;
use super::store::Redis;
use super::tally::Run;
use crate::forum_server::{BOT, ForumConfig, ForumServer, Post};
use crate::host_process::{HostProcess, Installation, Line};

const TOKEN: &str = "forum-token-of-the-kills";
const SECRET: &str = "forum-webhook-secret-of-the-kills";
/// Conversations of a run.
pub(super) const TALKS: usize = 4;
/// How long a host may take to come to the place where it dies; one that does not is killed then.
const PLACE_WITHIN: Duration = Duration::from_secs(3);
/// How much of each host's log is shown when a promise is broken.
const LOG_LINES: usize = 60;
/// A file may be as long as a page of SQLite: then nothing can be appended to its log.
const PAGE_BYTES: u64 = 4_096;
/// How often somebody looks how far a run is.
const LOOK_EVERY: Duration = Duration::from_millis(5);
/// How long a run may take to heal: a lost attempt is missed after three seconds, and a few may follow one another.
const HEALED_WITHIN: Duration = Duration::from_secs(60);

/// A process.
pub(super) struct Host {
    process: HostProcess,
    /// The file in which it looks for the place where it is to die.
    place: String,
}

pub(super) struct World {
    forum: ForumServer,
    installation: Installation,
    hosts: Vec<Host>,
    /// None: SQLite, in the installation's folder.
    redis: Option<Redis>,
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
    /// With one host on SQLite, or two on a Redis of their own.
    pub(super) async fn start(store: Store, recognises: bool, seed: u64) -> Result<Self, String> {
        let hosts = match store {
            Store::Sqlite => 1,
            Store::Redis => 2,
        };
        Self::start_with(store, hosts, recognises, seed).await
    }

    /// With so many hosts.
    pub(super) async fn start_with(
        store: Store,
        hosts: usize,
        recognises: bool,
        seed: u64,
    ) -> Result<Self, String> {
        let mut config = ForumConfig::new(TOKEN, SECRET);
        config.recognises_repeats = recognises;
        let forum = ForumServer::start(config)
            .await
            .map_err(|error| error.to_string())?;
        let redis = match store {
            Store::Sqlite => None,
            Store::Redis => Some(Redis::start().await?),
        };
        let mut installation = Installation::new()?;
        installation.set_environment("FORUM_TOKEN", TOKEN);
        installation.set_environment("FORUM_WEBHOOK_SECRET", SECRET);
        installation.survive_full_disks();
        installation.write("script.toml", SCRIPT)?;
        let pieces = installation.artifacts().pieces.display().to_string();
        let url = redis.as_ref().map(Redis::url);
        installation.write(
            "frogbot.toml",
            &frogbot_toml(&pieces, &forum.url(), url.as_deref()),
        )?;
        let mut world = Self {
            forum,
            installation,
            hosts: Vec::new(),
            redis,
            addresses: Mutex::new(Vec::new()),
            recognises,
            draw: Draw::new(seed),
            seed,
            runs: 0,
            started: AtomicUsize::new(0),
        };
        for _ in 0..hosts {
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

    /// Conversations, something that goes wrong, and what came of it.
    pub(super) async fn run(&mut self, trouble: Trouble) -> Result<Run, String> {
        self.runs += 1;
        let number = self.runs;
        let names: Vec<String> = (0..TALKS).map(|talk| format!("run{number}-{talk}")).collect();
        let complaints = self.complaints();
        let victim = self.hosts.swap_remove(self.draw.place_in(self.hosts.len()));
        let event = self.draw.event(trouble);
        let what = format!("seed {}, run {number}, {event:?}", self.seed);
        let draws: Vec<u64> = names.iter().map(|_| self.draw.below(u64::MAX)).collect();
        let (talks, after) = {
            let this = &*self;
            let talking = names.iter().zip(draws).map(|(name, draw)| this.talk(name, draw));
            let talking = timeout(HEALED_WITHIN, futures_util::future::join_all(talking));
            tokio::join!(talking, this.suffer(victim, &event, &names))
        };
        let (host, struck) = after.map_err(|problem| format!("{what}: {problem}"))?;
        self.hosts.push(host);
        let talks: Result<Vec<Talk>, String> = match talks {
            Ok(talks) => talks.into_iter().collect(),
            Err(_) => Err(format!(
                "not healed within {HEALED_WITHIN:?}\n{:#?}",
                self.unfinished(&names)
            )),
        };
        let seen = talks.and_then(|talks| self.check(&talks));
        let felt = !trouble.is_of_a_store() || self.complaints() > complaints;
        let mut run = Run::new(struck && felt);
        for seen in seen.map_err(|problem| self.broken(&what, &problem))? {
            run.add(&seen);
        }
        Ok(run)
    }

    /// A conversation to its end, in a thread of its own.
    pub(super) async fn talk(&self, thread: &str, draw: u64) -> Result<Talk, String> {
        people::talk(&self.forum, || self.guard().clone(), thread, draw).await
    }

    /// Whether every promise was kept in these conversations.
    pub(super) fn check(&self, talks: &[Talk]) -> Result<Vec<promises::Seen>, String> {
        talks
            .iter()
            .map(|talk| promises::check(&talk.name, &self.forum.posts(&talk.name), talk, self.recognises))
            .collect()
    }

    /// A broken promise, with what the hosts wrote last and where all of it is.
    pub(super) fn broken(&self, what: &str, problem: &str) -> String {
        let logs: Vec<String> = self.hosts.iter().map(|host| last_lines(&host.process)).collect();
        let kept = self.keep_logs();
        format!(
            "{what}: {problem}\n{}\n{kept}",
            logs.join("\n--- another host:\n")
        )
    }

    /// Writes what the living hosts wrote into a folder that stays.
    fn keep_logs(&self) -> String {
        let folder = std::env::temp_dir().join(format!("frogbot-kills-{}-{}", std::process::id(), self.seed));
        let write = || {
            std::fs::create_dir_all(&folder)?;
            for host in &self.hosts {
                let name = format!("host-{}.log", host.process.pid());
                std::fs::write(folder.join(name), host.process.log().text())?;
            }
            Ok::<_, std::io::Error>(())
        };
        match write() {
            Ok(()) => format!("the logs are in {}", folder.display()),
            Err(error) => format!("the logs could not be kept in {}: {error}", folder.display()),
        }
    }

    /// How often the living hosts wrote that something is wrong with their store, or that they have found it again.
    fn complaints(&self) -> usize {
        let is_complaint = |line: &&Line| {
            let level = line.field("level").and_then(|level| level.as_str());
            let is_bad = matches!(level, Some("WARN" | "ERROR")) && line.text.contains("the store");
            is_bad || line.message() == "connected to the store"
        };
        let lines = self.hosts.iter().flat_map(|host| host.process.log().lines());
        lines.collect::<Vec<_>>().iter().filter(is_complaint).count()
    }

    /// What stands in the threads that are not at their end.
    fn unfinished(&self, names: &[String]) -> Vec<Post> {
        let threads = names.iter().map(|name| self.forum.posts(name));
        threads
            .filter(|posts| !people::finished(posts))
            .flatten()
            .collect()
    }

    /// Lets it happen. Returns the process that is in the host's place afterwards, which is the host itself when it lives, and
    /// whether it struck: a host may not come to the place where it is to die, and an instant is no place.
    pub(super) async fn suffer(
        &self,
        host: Host,
        event: &Event,
        names: &[String],
    ) -> Result<(Host, bool), String> {
        match event {
            Event::Dies(after) => {
                wait(*after).await;
                Ok((self.replace(host).await?, false))
            }
            Event::DiesAt(place) => self.die_at(host, place).await,
            Event::Stands(moment, length) => {
                self.reach(names, *moment).await;
                host.process.pause()?;
                wait(*length).await;
                host.process.resume()?;
                Ok((host, true))
            }
            Event::DiskFull(moment, length) => {
                self.reach(names, *moment).await;
                host.process.limit_files(Some(PAGE_BYTES))?;
                wait(*length).await;
                host.process.limit_files(None)?;
                Ok((host, true))
            }
            Event::StoreDies(moment, length) => {
                self.reach(names, *moment).await;
                self.redis()?.die_for(*length).await?;
                Ok((host, true))
            }
            Event::StoreAway(moment, away, length) => {
                self.reach(names, *moment).await;
                self.redis()?.is_away(*away, *length).await;
                Ok((host, true))
            }
        }
    }

    /// Waits until the bot has posted so often in these threads.
    async fn reach(&self, names: &[String], posts: Moment) {
        let posted = || {
            let all = names.iter().flat_map(|name| self.forum.posts(name));
            all.filter(|post| post.author == BOT).count()
        };
        while posted() < posts {
            wait(LOOK_EVERY).await;
        }
    }

    fn redis(&self) -> Result<&Redis, String> {
        self.redis.as_ref().ok_or_else(|| "there is no Redis".to_owned())
    }

    async fn die_at(&self, mut host: Host, place: &str) -> Result<(Host, bool), String> {
        self.installation.write(&host.place, place)?;
        if host.process.ended(PLACE_WITHIN).await.is_err() {
            return Ok((self.replace(host).await?, false));
        }
        self.leave(&host.process);
        Ok((self.host().await?, true))
    }

    /// `kill -9`, and another process.
    async fn replace(&self, host: Host) -> Result<Host, String> {
        self.leave(&host.process);
        host.process.kill().await?;
        self.host().await
    }

    /// Nothing is sent to it from now on.
    fn leave(&self, process: &HostProcess) {
        let address = process.channel_url("forum");
        self.guard().retain(|known| *known != address);
    }

    /// Takes a host out of the world, for something that goes wrong with it.
    pub(super) fn take_host(&mut self) -> Option<Host> {
        self.hosts.pop()
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
pub(super) async fn wait(length: Duration) {
    tokio::time::sleep(length).await;
}
