//! The configuration as it is written: every section read, nothing compared with anything else yet.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use engine::config::Times;
use lifecycle::Policy;
use serde_json::Value as Json;
use toml::de::DeValue;

use super::problem::{At, Problems, listed};
use super::reader::{Table, Value};
use super::store;
use super::times::read_times;

/// How long shutdown waits for what is under way, where the operator says nothing: a hook's limit and its commit.
const SHUTDOWN_STANDARD: Duration = Duration::from_secs(30);
const LISTEN_STANDARD: &str = "127.0.0.1:8080";
const PIECES_STANDARD: &str = "pieces";
/// Where compiled code is kept when nothing is said.
const COMPILED_STANDARD: &str = "compiled";
/// How deep an option's value may be nested; the types of options need two.
const OPTION_DEPTH_MAX: usize = 8;

/// A configuration file, read.
pub(crate) struct File {
    pub(crate) listen: Option<SocketAddr>,
    pub(crate) shutdown: Duration,
    pub(crate) admin_token: Option<At<SecretReference>>,
    pub(crate) store: store::Read,
    pub(crate) users: Vec<UserEntry>,
    pub(crate) tools: Vec<At<String>>,
    pub(crate) pieces: PieceFiles,
    pub(crate) models: BTreeMap<String, Model>,
    pub(crate) agents: BTreeMap<String, Agent>,
    pub(crate) channels: BTreeMap<String, Channel>,
    pub(crate) policy: Policy,
    pub(crate) times: Times,
}

/// `[[users]]`.
pub(crate) struct UserEntry {
    pub(crate) line: usize,
    pub(crate) id: String,
    pub(crate) emails: Vec<String>,
    pub(crate) platform_ids: Vec<At<WrittenId>>,
}

/// `<channel>:<account>/<id>`, or `<channel>:<id>` where the channel has one account.
pub(crate) struct WrittenId {
    pub(crate) channel: String,
    /// What stands behind the colon.
    pub(crate) within: String,
}

/// `[pieces]`.
pub(crate) struct PieceFiles {
    folder: PathBuf,
    pub(crate) compiled: PathBuf,
    files: BTreeMap<String, PathBuf>,
}

impl PieceFiles {
    /// Where the file of a piece is.
    pub(crate) fn path(&self, piece: &str) -> PathBuf {
        self.files
            .get(piece)
            .cloned()
            .unwrap_or_else(|| self.folder.join(format!("{piece}.wasm")))
    }
}

/// `[models.<name>]`.
pub(crate) struct Model {
    pub(crate) script: Option<At<PathBuf>>,
}

/// `[agents.<name>]`.
pub(crate) struct Agent {
    pub(crate) model: Option<At<String>>,
    pub(crate) instructions: Option<At<String>>,
    pub(crate) tools: Vec<At<String>>,
    pub(crate) access: Option<At<String>>,
}

/// `[channels.<name>]`.
pub(crate) struct Channel {
    pub(crate) line: usize,
    pub(crate) piece: Option<At<String>>,
    pub(crate) agent: Option<At<String>>,
    pub(crate) accounts: BTreeMap<String, Secrets>,
    pub(crate) trust_email: bool,
    pub(crate) trust_external_email: bool,
    pub(crate) options: BTreeMap<String, At<Json>>,
    pub(crate) secrets: Secrets,
    pub(crate) slots: BTreeMap<String, Slot>,
}

/// Secrets by name.
pub(crate) type Secrets = BTreeMap<String, At<SecretReference>>;

/// Where a secret's value is.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SecretReference {
    /// In an environment variable, read once at the start.
    Env(String),
    /// In a file, watched.
    File(PathBuf),
}

/// `slots.<id>` of a channel.
pub(crate) struct Slot {
    pub(crate) line: usize,
    pub(crate) grant: Grant,
    pub(crate) allow_private: Vec<At<String>>,
}

/// What the operator wrote to grant a slot. It names a place, because a piece's file can be replaced by one that wants
/// another place under the same slot id.
pub(crate) enum Grant {
    /// `base`: an address of the operator's own.
    Base(At<String>),
    /// `grant`: the origin that the piece may ask for.
    Origin(At<String>),
    /// `grant = true`, which would grant whatever the piece asks for. The line.
    Anything(usize),
    /// Neither key.
    Nothing,
    /// Of a wrong type, which is told already.
    Unreadable,
}

impl File {
    /// Reads a file; every problem is noted.
    pub(crate) fn read(mut file: Table<'_>, folder: &Path, problems: &Problems) -> Self {
        let (listen, shutdown) = read_server(file.table("server"));
        let (policy, times) = read_times(file.table("times"));
        Self {
            listen,
            shutdown,
            admin_token: file.table("admin").and_then(|admin| read_admin(admin, folder)),
            store: store::read_store(file.table("store"), folder),
            users: file.tables("users").into_iter().filter_map(read_user).collect(),
            tools: file.texts("tools"),
            pieces: read_pieces(file.table("pieces"), folder),
            models: each(file.named("models"), |table| read_model(table, folder)),
            agents: each(file.named("agents"), read_agent),
            channels: each(file.named("channels"), |table| {
                read_channel(table, folder, problems)
            }),
            policy,
            times,
        }
    }
}

fn each<'a, T>(tables: Vec<(String, Table<'a>)>, read: impl Fn(Table<'a>) -> T) -> BTreeMap<String, T> {
    tables
        .into_iter()
        .map(|(name, table)| (name, read(table)))
        .collect()
}

fn read_server(server: Option<Table<'_>>) -> (Option<SocketAddr>, Duration) {
    let Some(mut server) = server else {
        return (LISTEN_STANDARD.parse().ok(), SHUTDOWN_STANDARD);
    };
    let listen = match server.text("listen") {
        None if server.has("listen") => None,
        None => LISTEN_STANDARD.parse().ok(),
        Some(text) => {
            let address = text.value.parse().ok();
            if address.is_none() {
                let wrong = format!(
                    "expected an address and a port such as `{LISTEN_STANDARD}`, found {:?}",
                    text.value
                );
                server.error_at(text.line, "listen", &wrong);
            }
            address
        }
    };
    let shutdown = server.duration("shutdown", "10ms", "10m");
    (
        listen,
        shutdown.map_or(SHUTDOWN_STANDARD, |shutdown| shutdown.value),
    )
}

/// `[admin]`.
fn read_admin(mut admin: Table<'_>, folder: &Path) -> Option<At<SecretReference>> {
    let Some(token) = admin.value("token") else {
        admin.error("expected `token = { file = \"path\" }`, which whoever replaces pieces has to know");
        return None;
    };
    read_place(&admin, &token, "token", folder)
}

fn read_user(mut user: Table<'_>) -> Option<UserEntry> {
    let id = user.required_text("id", "the name by which access rules know this person");
    let emails = user
        .texts("emails")
        .into_iter()
        .map(|email| email.value)
        .collect();
    let mut platform_ids = Vec::new();
    for written in user.texts("platform_ids") {
        match written.value.split_once(':') {
            Some((channel, within)) if !channel.is_empty() && !within.is_empty() => {
                let (channel, within) = (channel.to_owned(), within.to_owned());
                platform_ids.push(At {
                    line: written.line,
                    value: WrittenId { channel, within },
                });
            }
            Some(_) | None => {
                let wrong = format!(
                    "expected `<channel>:<account>/<id on the platform>`, or `<channel>:<id>` where the channel has one \
                     account, found {:?}",
                    written.value
                );
                user.error_at(written.line, "platform_ids", &wrong);
            }
        }
    }
    let line = user.line();
    Some(UserEntry {
        line,
        id: id?.value,
        emails,
        platform_ids,
    })
}

fn read_pieces(pieces: Option<Table<'_>>, folder: &Path) -> PieceFiles {
    let standard = folder.join(PIECES_STANDARD);
    let compiled = folder.join(COMPILED_STANDARD);
    let Some(mut pieces) = pieces else {
        return PieceFiles {
            folder: standard,
            compiled,
            files: BTreeMap::new(),
        };
    };
    let place = pieces.path("dir", folder).map_or(standard, |dir| dir.value);
    let compiled = pieces.path("cache", folder).map_or(compiled, |cache| cache.value);
    let file = |(name, mut piece): (String, Table<'_>)| {
        piece.required_text("file", "the piece's `.wasm`");
        Some((name, piece.path("file", folder)?.value))
    };
    PieceFiles {
        folder: place,
        compiled,
        files: pieces.rest().into_iter().filter_map(file).collect(),
    }
}

fn read_model(mut model: Table<'_>, folder: &Path) -> Model {
    match model.required_text("kind", "`scripted` is the one there is") {
        Some(kind) if kind.value != "scripted" => {
            let wrong = format!(
                "there is no kind of model `{}`; `scripted` is the one there is",
                kind.value
            );
            model.error_at(kind.line, "kind", &wrong);
        }
        Some(_) | None => {}
    }
    model.required_text("script", "the file that the scripted model plays");
    Model {
        script: model.path("script", folder),
    }
}

fn read_agent(mut agent: Table<'_>) -> Agent {
    Agent {
        model: agent.required_text("model", "one of `[models]`"),
        instructions: agent.required_text("instructions", "what the agent is told to be and do"),
        tools: agent.texts("tools"),
        access: agent.text("access"),
    }
}

fn read_channel(mut channel: Table<'_>, folder: &Path, problems: &Problems) -> Channel {
    Channel {
        line: channel.line(),
        piece: channel.required_text("piece", "the name of the piece that speaks to the platform"),
        agent: channel.required_text("agent", "one of `[agents]`"),
        accounts: read_accounts(&mut channel, folder),
        trust_email: channel.flag("trust_email").is_some_and(|flag| flag.value),
        trust_external_email: channel
            .flag("trust_external_email")
            .is_some_and(|flag| flag.value),
        options: read_options(&mut channel, problems),
        secrets: read_secrets(&mut channel, folder),
        slots: each(channel.named("slots"), read_slot),
    }
}

/// `accounts = ["T1"]`, or a table for each where an account has secrets of its own.
fn read_accounts(channel: &mut Table<'_>, folder: &Path) -> BTreeMap<String, Secrets> {
    let Some(value) = channel.value("accounts") else {
        return BTreeMap::new();
    };
    match value.value {
        DeValue::Array(_) => {
            let names = channel.texts_of(&value).into_iter();
            names.map(|name| (name.value, Secrets::new())).collect()
        }
        DeValue::Table(_) => {
            let tables = channel.values("accounts").into_iter();
            let secrets = |account: Value<'_>| {
                let mut table = channel.below_value(&account)?;
                Some(read_secrets(&mut table, folder))
            };
            tables
                .filter_map(|(name, account)| Some((name, secrets(account)?)))
                .collect()
        }
        DeValue::String(_)
        | DeValue::Integer(_)
        | DeValue::Float(_)
        | DeValue::Boolean(_)
        | DeValue::Datetime(_) => {
            channel.error_at(
                value.line,
                "accounts",
                "expected a list of accounts, or a table for each",
            );
            BTreeMap::new()
        }
    }
}

fn read_secrets(table: &mut Table<'_>, folder: &Path) -> Secrets {
    let mut secrets = Secrets::new();
    for (name, value) in table.values("secrets") {
        if let Some(place) = read_place(table, &value, &format!("secrets.{name}"), folder) {
            secrets.insert(name, place);
        }
    }
    secrets
}

/// Where a secret is: `{ env = "NAME" }` or `{ file = "path" }`.
pub(super) fn read_place(
    table: &Table<'_>,
    value: &Value<'_>,
    key: &str,
    folder: &Path,
) -> Option<At<SecretReference>> {
    if let DeValue::String(_) = value.value {
        let text = "a secret does not stand in the configuration; write `{ env = \"NAME\" }` or `{ file = \"path\" }`";
        table.error_at(value.line, key, text);
        return None;
    }
    let mut place = table.below_value(value)?;
    match (place.text("env"), place.path("file", folder)) {
        (Some(env), None) => Some(env.map(SecretReference::Env)),
        (None, Some(file)) => Some(file.map(SecretReference::File)),
        (None, None) if place.has("env") || place.has("file") => None,
        (None, None) | (Some(_), Some(_)) => {
            place.error("expected `{ env = \"NAME\" }` or `{ file = \"path\" }`");
            None
        }
    }
}

fn read_options(channel: &mut Table<'_>, problems: &Problems) -> BTreeMap<String, At<Json>> {
    let mut options = BTreeMap::new();
    for (name, value) in channel.values("options") {
        match json(value.value, OPTION_DEPTH_MAX) {
            Ok(json) => drop(options.insert(
                name,
                At {
                    line: value.line,
                    value: json,
                },
            )),
            Err(text) => problems.error(value.line, format!("{}: {text}", value.path)),
        }
    }
    options
}

fn json(value: &DeValue<'_>, depth: usize) -> Result<Json, String> {
    if depth == 0 {
        return Err(format!("nested deeper than {OPTION_DEPTH_MAX}"));
    }
    match value {
        DeValue::String(text) => Ok(Json::from(text.as_ref())),
        DeValue::Integer(number) => i64::from_str_radix(number.as_str(), number.radix())
            .map(Json::from)
            .map_err(|_| format!("{number} is too large a number")),
        DeValue::Float(_) | DeValue::Datetime(_) => Err(format!(
            "expected one of {}",
            listed(["text", "whole number", "boolean", "list"])
        )),
        DeValue::Boolean(flag) => Ok(Json::from(*flag)),
        DeValue::Array(items) => items.iter().map(|item| json(item.get_ref(), depth - 1)).collect(),
        DeValue::Table(entries) => entries
            .iter()
            .map(|(key, value)| Ok((key.get_ref().to_string(), json(value.get_ref(), depth - 1)?)))
            .collect::<Result<_, _>>()
            .map(Json::Object),
    }
}

fn read_slot(mut slot: Table<'_>) -> Slot {
    Slot {
        line: slot.line(),
        grant: read_grant(&mut slot),
        allow_private: slot.texts("allow_private"),
    }
}

fn read_grant(slot: &mut Table<'_>) -> Grant {
    let (base, grant) = (slot.value("base"), slot.value("grant"));
    match (base, grant) {
        (None, None) => Grant::Nothing,
        (Some(base), grant) => {
            if let Some(grant) = grant {
                let wrong = "the slot is granted by its `base` already; remove `grant`";
                slot.error_at(grant.line, "grant", wrong);
            }
            slot.text_of(&base).map_or(Grant::Unreadable, Grant::Base)
        }
        (None, Some(grant)) if grant.value.as_bool().is_some() => Grant::Anything(grant.line),
        (None, Some(grant)) => slot.text_of(&grant).map_or(Grant::Unreadable, Grant::Origin),
    }
}
