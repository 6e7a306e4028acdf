//! The three scripts that a shard is asked with. The server keeps them under their digest; one that has been restarted says
//! that it does not know a script, is given all of them, and is asked again.

use std::borrow::Cow;

use redis::{Cmd, Pipeline};

use super::faults::Failure;
use super::link::Link;
use super::names::Names;

/// What is asked of a shard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Script {
    Commit,
    Read,
    Due,
}

/// The first line makes the server refuse what it cannot carry out (memory, role, disk) before the script begins.
const SOURCES: [&str; 3] = [
    concat!(
        "#!lua\n",
        include_str!("shard.lua"),
        include_str!("purge.lua"),
        include_str!("commit.lua")
    ),
    concat!(
        "#!lua flags=no-writes\n",
        include_str!("shard.lua"),
        include_str!("read.lua")
    ),
    concat!(
        "#!lua\n",
        include_str!("shard.lua"),
        include_str!("purge.lua"),
        include_str!("due.lua")
    ),
];

/// The digests under which a server knows the scripts, by [`Script`].
#[derive(Clone, Debug)]
pub(super) struct Digests([String; 3]);

/// Gives a server the scripts.
pub(super) async fn load(link: &Link) -> Result<Digests, Failure> {
    let mut all = Pipeline::new();
    for source in SOURCES {
        all.cmd("SCRIPT").arg("LOAD").arg(source);
    }
    let mut digests = Vec::with_capacity(SOURCES.len());
    for answer in link.ask_all(&all, SOURCES.len()).await? {
        let digest = answer.accepted().map_err(Failure::Refused)?;
        digests.extend(digest.text());
    }
    let digests = digests.try_into();
    digests
        .map(Digests)
        .map_err(|_| Failure::Lost("a script has no digest".to_owned()))
}

impl Digests {
    fn of(&self, script: Script) -> &str {
        let [commit, read, due] = &self.0;
        match script {
            Script::Commit => commit,
            Script::Read => read,
            Script::Due => due,
        }
    }

    /// The command that runs a script on a shard.
    fn command(&self, script: Script, shard: &str, arguments: &Arguments<'_>) -> Cmd {
        let mut command = redis::cmd("EVALSHA");
        command
            .arg(self.of(script))
            .arg(arguments.keys.len() + 1)
            .arg(shard);
        for key in &arguments.keys {
            command.arg(format!("{shard}{key}"));
        }
        for value in &arguments.values {
            command.arg(value.as_ref());
        }
        command
    }
}

/// What a script is given.
#[derive(Clone, Debug, Default)]
pub(super) struct Arguments<'a> {
    /// Names below the shard's.
    keys: Vec<String>,
    values: Vec<Cow<'a, [u8]>>,
}

impl<'a> Arguments<'a> {
    pub(super) fn key(&mut self, name: String) -> &mut Self {
        self.keys.push(name);
        self
    }

    pub(super) fn bytes(&mut self, bytes: &'a [u8]) -> &mut Self {
        self.values.push(bytes.into());
        self
    }

    pub(super) fn owned(&mut self, bytes: impl Into<Vec<u8>>) -> &mut Self {
        self.values.push(bytes.into().into());
        self
    }

    pub(super) fn number(&mut self, number: impl ToString) -> &mut Self {
        self.owned(number.to_string())
    }
}

/// A question to one shard, until it is answered.
#[derive(Clone, Copy, Debug)]
pub(super) struct Question<'a> {
    pub(super) script: Script,
    pub(super) shard: u16,
    pub(super) arguments: &'a Arguments<'a>,
}

impl Question<'_> {
    pub(super) fn command(&self, digests: &Digests, names: &Names) -> Cmd {
        digests.command(self.script, &names.shard(self.shard), self.arguments)
    }

    /// Whether it may be asked again when nobody knows what became of it.
    pub(super) fn is_repeatable(&self) -> bool {
        match self.script {
            Script::Read | Script::Due => true,
            Script::Commit => false,
        }
    }
}
