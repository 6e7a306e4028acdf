//! `[store]`: where everything is remembered.

use std::path::{Path, PathBuf};

use storage::{NAMESPACE_STANDARD, RedisUrl, SHARDS_MAX, SHARDS_STANDARD};
use toml::de::DeValue;

use super::file::{SecretReference, read_place};
use super::problem::{At, suggestion};
use super::reader::Table;

const FILE_STANDARD: &str = "frogbot.db";
/// The longest beginning of a key: it stands in every key.
const NAMESPACE_CHARS_MAX: usize = 40;
const KINDS: [&str; 3] = ["sqlite", "redis", "memory"];

/// Where everything is remembered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Store {
    /// In a file, for a host that is alone.
    Sqlite(PathBuf),
    /// On servers, for any number of hosts.
    Redis(Box<RedisStore>),
    /// Nowhere: for tests.
    Memory,
}

/// A store on Redis or Valkey.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RedisStore {
    /// Where the servers are.
    pub place: RedisPlace,
    /// Set when they are sentinels: what those call the master.
    pub sentinel: Option<String>,
    /// How to log in to the servers, where the URL does not say it.
    pub login: LoginPlace,
    /// How to log in to the sentinels.
    pub sentinel_login: LoginPlace,
    /// A file with the authorities (PEM) that certificates are checked against, instead of the system's.
    pub authorities: Option<PathBuf>,
    /// The beginning of every key.
    pub namespace: String,
    /// How many shards a new store gets.
    pub shards: u16,
}

/// Where the servers are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RedisPlace {
    /// As it stands in the configuration, without a password. At least one.
    Written(Vec<RedisUrl>),
    /// One URL, which is a secret because there may be a password in it.
    Secret(SecretReference),
}

/// A user's name, and where the password is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LoginPlace {
    /// The name.
    pub username: Option<String>,
    /// The password.
    pub password: Option<SecretReference>,
}

/// The section, read.
pub(crate) struct Read {
    pub(crate) store: Store,
    /// The secrets that it refers to, by their keys.
    pub(crate) secrets: Vec<(&'static str, At<SecretReference>)>,
}

impl Read {
    fn without_secrets(store: Store) -> Self {
        Self {
            store,
            secrets: Vec::new(),
        }
    }
}

/// Reads the section; every problem is noted.
pub(crate) fn read_store(store: Option<Table<'_>>, folder: &Path) -> Read {
    let standard = Store::Sqlite(folder.join(FILE_STANDARD));
    let Some(mut store) = store else {
        return Read::without_secrets(standard);
    };
    let kind = store.required_text(
        "kind",
        "`sqlite`, `redis` for several hosts, or `memory` for tests",
    );
    match kind.as_ref().map(|kind| kind.value.as_str()) {
        Some("redis") => return read_redis(store, folder),
        Some("memory") => {
            if let Some(path) = store.path("path", folder) {
                let text = "a store in memory has no path; remove it, or set `kind = \"sqlite\"`";
                store.error_at(path.line, "path", text);
            }
            return Read::without_secrets(Store::Memory);
        }
        Some("sqlite") | None => {}
        Some(other) => {
            let text = format!("there is no store `{other}`{}", suggestion(other, KINDS));
            store.error_at(kind.as_ref().map_or(0, |kind| kind.line), "kind", &text);
        }
    }
    let path = store.path("path", folder);
    Read::without_secrets(path.map_or(standard, |path| Store::Sqlite(path.value)))
}

fn read_redis(mut store: Table<'_>, folder: &Path) -> Read {
    let mut secrets = Vec::new();
    let place = read_url(&mut store, folder, &mut secrets);
    let login = read_login(&mut store, ["username", "password"], folder, &mut secrets);
    let sentinel_login = read_login(
        &mut store,
        ["sentinel_username", "sentinel_password"],
        folder,
        &mut secrets,
    );
    let sentinel = store.text("sentinel").map(|name| name.value);
    if sentinel.is_none() && sentinel_login != LoginPlace::default() {
        store.error("there is a login for sentinels, but no `sentinel`; set it to what they call the master");
    }
    let shards = store.number("shards", 1, u64::from(SHARDS_MAX));
    let redis = RedisStore {
        place: place.unwrap_or(RedisPlace::Written(Vec::new())),
        sentinel,
        login,
        sentinel_login,
        authorities: store.path("ca", folder).map(|path| path.value),
        namespace: read_namespace(&mut store),
        shards: shards
            .and_then(|shards| u16::try_from(shards).ok())
            .unwrap_or(SHARDS_STANDARD),
    };
    Read {
        store: Store::Redis(Box::new(redis)),
        secrets,
    }
}

/// One URL, several, or one that is a secret.
fn read_url(
    store: &mut Table<'_>,
    folder: &Path,
    secrets: &mut Vec<(&'static str, At<SecretReference>)>,
) -> Option<RedisPlace> {
    let purpose = "`redis://host:port`, several of them for a cluster or sentinels, or `{ env = \"NAME\" }`";
    let Some(value) = store.value("url") else {
        store.error(&format!("`url` is missing: {purpose}"));
        return None;
    };
    match value.value {
        DeValue::Table(_) => {
            let place = read_place(store, &value, "url", folder)?;
            secrets.push(("url", place.clone()));
            Some(RedisPlace::Secret(place.value))
        }
        DeValue::Array(_) => {
            let texts = store.texts_of(&value);
            let urls: Vec<_> = texts
                .into_iter()
                .filter_map(|text| read_one(store, &text))
                .collect();
            if urls.is_empty() {
                store.error_at(value.line, "url", &format!("expected {purpose}"));
            }
            if urls.windows(2).any(|two| differ(&two[0], &two[1])) {
                let text =
                    "the servers of one store are reached in one way; make schemes and databases the same";
                store.error_at(value.line, "url", text);
            }
            Some(RedisPlace::Written(urls))
        }
        DeValue::String(_)
        | DeValue::Integer(_)
        | DeValue::Float(_)
        | DeValue::Boolean(_)
        | DeValue::Datetime(_) => {
            let text = store.text_of(&value)?;
            Some(RedisPlace::Written(vec![read_one(store, &text)?]))
        }
    }
}

fn read_one(store: &Table<'_>, text: &At<String>) -> Option<RedisUrl> {
    match RedisUrl::parse(&text.value) {
        Ok(url) if url.login.password.is_some() => {
            let wrong = "a password does not stand in the configuration; write `password = { env = \"NAME\" }`, \
                         or the whole `url = { env = \"NAME\" }`";
            store.error_at(text.line, "url", wrong);
            None
        }
        Ok(url) => Some(url),
        Err(fault) => {
            store.error_at(text.line, "url", &fault.to_string());
            None
        }
    }
}

fn differ(one: &RedisUrl, other: &RedisUrl) -> bool {
    (one.encrypted, one.database, &one.login) != (other.encrypted, other.database, &other.login)
}

fn read_login(
    store: &mut Table<'_>,
    [username, password]: [&'static str; 2],
    folder: &Path,
    secrets: &mut Vec<(&'static str, At<SecretReference>)>,
) -> LoginPlace {
    let place = store
        .value(password)
        .and_then(|value| read_place(store, &value, password, folder));
    if let Some(place) = &place {
        secrets.push((password, place.clone()));
    }
    LoginPlace {
        username: store.text(username).map(|name| name.value),
        password: place.map(|place| place.value),
    }
}

fn read_namespace(store: &mut Table<'_>) -> String {
    let standard = || NAMESPACE_STANDARD.to_owned();
    let Some(name) = store.text("namespace") else {
        return standard();
    };
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.:".contains(&byte);
    if name.value.len() > NAMESPACE_CHARS_MAX || !name.value.bytes().all(fits) {
        let text = format!("expected letters, digits, `-`, `_`, `.` and `:`, at most {NAMESPACE_CHARS_MAX}");
        store.error_at(name.line, "namespace", &text);
        return standard();
    }
    name.value
}
