//! Where the servers are and how they are reached. What is secret here is never shown.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use url::Url;

/// The port of a server whose URL names none.
const PORT_STANDARD: u16 = 6379;
/// The port of a sentinel whose URL names none.
pub const SENTINEL_PORT_STANDARD: u16 = 26379;
/// The beginning of every key, where the operator says nothing.
pub const NAMESPACE_STANDARD: &str = "frogbot";
/// How many shards a new store gets, where the operator says nothing: enough to spread over a dozen nodes, and asking all
/// of them what is due costs a server 1.5 ms, every ten seconds.
pub const SHARDS_STANDARD: u16 = 64;
/// The most shards of a store: asking all of them what is due must stay a matter of milliseconds.
pub const SHARDS_MAX: u16 = 1_024;

/// A store on Redis or Valkey: one server, a cluster (which a server says of itself), or a master that sentinels know.
#[derive(Clone)]
pub struct RedisSettings {
    /// The server, some nodes of a cluster, or the sentinels. At least one.
    pub addresses: Vec<RedisAddress>,
    /// Set when the addresses are those of sentinels.
    pub sentinel: Option<Sentinel>,
    /// Whether the connections are encrypted.
    pub tls: RedisTls,
    /// The database's number; 0 in a cluster.
    pub database: i64,
    /// Asked before every new connection, so that a rotated password is used by the next.
    pub login: LoginSource,
    /// The beginning of every key. Stores with different ones are independent.
    pub namespace: String,
    /// How many shards the store gets when it is created, at most [`SHARDS_MAX`]; an existing one keeps its number.
    pub shards: u16,
    /// How long a connection may take until it can be used.
    pub connect_within: Duration,
    /// How long an answer may take; a commit without one is of unknown outcome.
    pub answer_within: Duration,
}

impl RedisSettings {
    /// One server, or a cluster that it belongs to, with what is standard.
    pub fn new(address: RedisAddress) -> Self {
        Self {
            addresses: vec![address],
            sentinel: None,
            tls: RedisTls::Off,
            database: 0,
            login: no_login(),
            namespace: NAMESPACE_STANDARD.to_owned(),
            shards: SHARDS_STANDARD,
            connect_within: Duration::from_secs(2),
            answer_within: Duration::from_secs(5),
        }
    }
}

/// Where a server listens.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RedisAddress {
    /// A name or an address, without brackets.
    pub host: String,
    /// Its port.
    pub port: u16,
}

impl fmt::Display for RedisAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { host, port } = self;
        if host.contains(':') {
            write!(f, "[{host}]:{port}")
        } else {
            write!(f, "{host}:{port}")
        }
    }
}

/// How a master is found through sentinels.
#[derive(Clone)]
pub struct Sentinel {
    /// The master's name, as the sentinels' configuration has it.
    pub master: String,
    /// How one logs in to the sentinels.
    pub login: LoginSource,
}

/// Whether connections are encrypted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RedisTls {
    /// They are not.
    Off,
    /// They are; the certificate is checked against these authorities (PEM), or against the system's.
    On(Option<Vec<u8>>),
}

/// A user's name and password.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Login {
    /// None: the default user.
    pub username: Option<String>,
    /// None: the server asks for none.
    pub password: Option<String>,
}

impl fmt::Debug for Login {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Login([secret])")
    }
}

/// Says how to log in now, or why nobody knows.
pub type LoginSource = Arc<dyn Fn() -> Result<Login, String> + Send + Sync>;

/// The login of a server that asks for none.
pub fn no_login() -> LoginSource {
    Arc::new(|| Ok(Login::default()))
}

/// What a URL says: `redis://[user[:password]@]host[:port][/database]`, `rediss` with TLS, `valkey` and `valkeys` the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RedisUrl {
    /// The host; the port if there is one.
    host: String,
    port: Option<u16>,
    /// Whether the scheme asks for TLS.
    pub encrypted: bool,
    /// The database's number, 0 when the URL names none.
    pub database: i64,
    /// The user's name and password, as far as they stand in the URL.
    pub login: Login,
}

/// A URL that names no server. The text never shows the URL: there may be a password in it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RedisUrlFault {
    /// It cannot be read.
    #[error("expected `redis://host:port`, or `rediss://host:port` with TLS; this is no URL of a server")]
    Unreadable,
    /// Another scheme.
    #[error("expected `redis://host:port`, or `rediss://host:port` with TLS; the scheme is `{0}`")]
    Scheme(String),
    /// Something behind the host that is no number.
    #[error("expected the number of a database behind the host, such as `redis://host:6379/0`")]
    Database,
    /// A query or a fragment: whoever wrote it expects something that does not happen.
    #[error("expected nothing behind the database's number; there is a `?` or a `#`")]
    Options,
}

impl RedisUrl {
    /// Reads a URL.
    ///
    /// # Errors
    /// See [`RedisUrlFault`].
    pub fn parse(text: &str) -> Result<Self, RedisUrlFault> {
        let url = Url::parse(text.trim()).map_err(|_| RedisUrlFault::Unreadable)?;
        let encrypted = match url.scheme() {
            "redis" | "valkey" => false,
            "rediss" | "valkeys" => true,
            other => return Err(RedisUrlFault::Scheme(other.to_owned())),
        };
        if url.query().is_some() || url.fragment().is_some() {
            return Err(RedisUrlFault::Options);
        }
        let host = url
            .host_str()
            .filter(|host| !host.is_empty())
            .ok_or(RedisUrlFault::Unreadable)?;
        let database = match url.path().trim_matches('/') {
            "" => 0,
            number => i64::from(number.parse::<u16>().map_err(|_| RedisUrlFault::Database)?),
        };
        let username = Some(url.username()).filter(|name| !name.is_empty());
        Ok(Self {
            host: host.trim_matches(['[', ']']).to_owned(),
            port: url.port(),
            encrypted,
            database,
            login: Login {
                username: username.map(decoded),
                password: url.password().map(decoded),
            },
        })
    }

    /// The server.
    pub fn server(&self) -> RedisAddress {
        self.with_port(PORT_STANDARD)
    }

    /// The sentinel.
    pub fn sentinel(&self) -> RedisAddress {
        self.with_port(SENTINEL_PORT_STANDARD)
    }

    fn with_port(&self, standard: u16) -> RedisAddress {
        RedisAddress {
            host: self.host.clone(),
            port: self.port.unwrap_or(standard),
        }
    }
}

/// What stands in a URL with `%` for some bytes.
fn decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let hex = after.get(..2).filter(|_| *first == b'%');
        let byte = hex
            .and_then(|hex| std::str::from_utf8(hex).ok())
            .and_then(|hex| u8::from_str_radix(hex, 16).ok());
        bytes.push(byte.unwrap_or(*first));
        rest = if byte.is_some() { &after[2..] } else { after };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_names_a_server_a_database_and_a_login() {
        let url = RedisUrl::parse("rediss://ada:p%40s%2fs%25@cache.example:6380/3").unwrap();
        assert_eq!((url.encrypted, url.database), (true, 3));
        assert_eq!(url.server().to_string(), "cache.example:6380");
        assert_eq!(url.login.username.as_deref(), Some("ada"));
        assert_eq!(url.login.password.as_deref(), Some("p@s/s%"));
        let plain = RedisUrl::parse("valkey://[::1]").unwrap();
        assert_eq!(plain.server().to_string(), "[::1]:6379");
        assert_eq!(plain.sentinel().port, 26379);
        assert_eq!(plain.login, Login::default());
    }

    #[test]
    fn what_is_no_url_of_a_server_is_refused_without_being_shown() {
        let secret = "hunter2";
        for wrong in [
            "http://a:hunter2@b",
            "redis://:hunter2@",
            "hunter2",
            "redis://:hunter2@b/x",
            "redis://:hunter2@b?a=1",
        ] {
            let fault = RedisUrl::parse(wrong).unwrap_err();
            assert!(!fault.to_string().contains(secret), "{fault}");
        }
        let url = RedisUrl::parse("redis://:hunter2@b").unwrap();
        assert!(!format!("{url:?}").contains(secret));
    }
}
