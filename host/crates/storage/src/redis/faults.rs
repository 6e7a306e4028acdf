//! What went wrong, told apart by what may have happened: nothing was sent, something may have been carried out, or the
//! server said that it did nothing.

use redis::{ErrorKind, RedisError};

use super::settings::RedisAddress;

/// Why a store on Redis cannot be opened, or a server of it not be used. Tells neither names nor passwords.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RedisFault {
    /// Nobody answers there.
    #[error("cannot reach {address}: {why}; start it, or correct `store.url`")]
    Unreachable {
        /// Where.
        address: RedisAddress,
        /// What the system or the TLS said.
        why: String,
    },
    /// How to log in is not known.
    #[error("cannot log in to {address}: {why}")]
    NoLogin {
        /// Where.
        address: RedisAddress,
        /// What became of the secret.
        why: String,
    },
    /// It wants a password that it was not given.
    #[error("{address} asks for a password; set `store.password` (and `store.username`)")]
    PasswordWanted {
        /// Where.
        address: RedisAddress,
    },
    /// It does not take the password.
    #[error("{address} refuses the user's name or password; correct `store.username` and `store.password`")]
    PasswordRefused {
        /// Where.
        address: RedisAddress,
    },
    /// It is too old.
    #[error("{address} is Redis {found}, expected 7.0 or newer (or Valkey); upgrade it")]
    Old {
        /// Where.
        address: RedisAddress,
        /// Its version.
        found: String,
    },
    /// It forgets documents when its memory is full.
    #[error(
        "{address} deletes keys when its memory is full: its maxmemory-policy is `{policy}`; expected `noeviction`, set it"
    )]
    Evicts {
        /// Where.
        address: RedisAddress,
        /// Its policy.
        policy: String,
    },
    /// It only copies another.
    #[error(
        "{address} is a replica of {master}; name the master, or let sentinels find it with `store.sentinel`"
    )]
    Replica {
        /// Where.
        address: RedisAddress,
        /// The master, as the replica names it.
        master: String,
    },
    /// It is not ready, or does not let this user do what is needed.
    #[error("{address} cannot be used now: {why}")]
    Unfit {
        /// Where.
        address: RedisAddress,
        /// What it said, in our words.
        why: String,
    },
    /// No sentinel can say where the master is.
    #[error(
        "no sentinel knows where the master `{master}` is: {why}; correct `store.sentinel` or `store.url`"
    )]
    NoMaster {
        /// Its name.
        master: String,
        /// What became of each.
        why: String,
    },
    /// A cluster has one database.
    #[error("{address} belongs to a cluster, which has database 0 only; found {database} in `store.url`")]
    Database {
        /// Where.
        address: RedisAddress,
        /// The number asked for.
        database: i64,
    },
    /// It does not let this user do what a commit does.
    #[error(
        "a trial commit to `{namespace}` failed: {why}; the server's user needs `{}`",
        rights(namespace)
    )]
    Trial {
        /// The beginning of the keys.
        namespace: String,
        /// What became of it.
        why: String,
    },
    /// A newer program made the store.
    #[error("the store in `{namespace}` has format {found}, this host reads {known}; start a newer host")]
    Format {
        /// The beginning of its keys.
        namespace: String,
        /// Its format.
        found: String,
        /// Ours.
        known: u32,
    },
    /// Somebody else uses these keys.
    #[error("what is in `{namespace}` is not a store of documents; choose another `store.namespace`")]
    Foreign {
        /// The beginning of the keys.
        namespace: String,
    },
}

impl RedisFault {
    /// What an error while a connection is being set up means.
    pub(super) fn of_setup(address: &RedisAddress, error: &RedisError) -> Self {
        let address = address.clone();
        match error.code() {
            Some("NOAUTH") => return Self::PasswordWanted { address },
            Some("WRONGPASS") => return Self::PasswordRefused { address },
            Some(_) | None => {}
        }
        if error.kind() == ErrorKind::AuthenticationFailed {
            return Self::PasswordRefused { address };
        }
        if error.kind() == ErrorKind::Io {
            let why = error.to_string();
            return Self::Unreachable { address, why };
        }
        // What the server said is not repeated: it may quote what it was sent.
        let why = format!("setting up the connection failed ({:?})", error.kind());
        Self::Unfit { address, why }
    }

    /// What a refused command means before the store is open.
    pub(super) fn of_refusal(address: &RedisAddress, refusal: &Refusal) -> Self {
        let address = address.clone();
        match refusal.code.as_str() {
            "NOAUTH" => Self::PasswordWanted { address },
            "WRONGPASS" => Self::PasswordRefused { address },
            _ => Self::Unfit {
                address,
                why: refusal.said(),
            },
        }
    }
}

/// What the access list of a server has to give the user of a store.
fn rights(namespace: &str) -> String {
    format!("~{namespace}:* &{namespace}:* +@all -@admin -@dangerous +info +cluster|slots")
}

/// What became of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Failure {
    /// No byte of it was sent.
    Unsent(String),
    /// As many requests wait as may: no byte of it was sent, and trying again at once is no use.
    Full,
    /// It was sent, or may have been, and no answer came.
    Lost(String),
    /// The server answered with an error.
    Refused(Refusal),
}

/// An error of the server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Refusal {
    pub(super) code: String,
    /// Its text. It may quote what it was sent, and is not shown.
    detail: String,
}

/// What an error of the server means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Meaning {
    /// Nothing was done: it does not know the script.
    NoScript,
    /// Nothing was done: the slot is elsewhere, for good.
    Moved(u16, RedisAddress),
    /// Nothing was done: it is no master any more.
    NoMaster,
    /// Nothing was done.
    NotDone,
    /// Perhaps something was done.
    Unclear,
}

impl Refusal {
    pub(super) fn new(code: &str, detail: &str) -> Self {
        Self {
            code: code.to_owned(),
            detail: detail.to_owned(),
        }
    }

    /// What it means; `asked` is the node that said it, for answers that leave the host out.
    ///
    /// An error from inside a script names the script, and comes after what the script had done by then. All others come
    /// before it begins.
    pub(super) fn meaning(&self, asked: &RedisAddress) -> Meaning {
        if self.detail.contains("script: ") {
            return Meaning::Unclear;
        }
        match self.code.as_str() {
            "NOSCRIPT" => Meaning::NoScript,
            "MOVED" => self
                .place(asked)
                .map_or(Meaning::NotDone, |(slot, address)| Meaning::Moved(slot, address)),
            "READONLY" | "MASTERDOWN" => Meaning::NoMaster,
            // ASK is not followed: where it leads, only some of the shard has arrived.
            "ASK" | "OOM" | "LOADING" | "CLUSTERDOWN" | "TRYAGAIN" | "CROSSSLOT" | "BUSY" | "MISCONF"
            | "NOREPLICAS" | "NOAUTH" | "WRONGPASS" | "NOPERM" | "DENIED" | "UNKILLABLE" => Meaning::NotDone,
            _ => Meaning::Unclear,
        }
    }

    /// What the operator can do about it.
    pub(super) fn said(&self) -> String {
        let what = match self.code.as_str() {
            "OOM" => "its memory is full; raise maxmemory",
            "LOADING" => "it is still reading its data",
            "CLUSTERDOWN" => "the cluster is down; bring its masters back",
            "TRYAGAIN" | "ASK" => "a slot is on its way to another node",
            "READONLY" | "MASTERDOWN" => "it is a replica now",
            "BUSY" | "UNKILLABLE" => "it is busy with a script",
            "MISCONF" => "it cannot save to its disk; see its log",
            "NOREPLICAS" => "too few replicas are connected to it",
            "NOAUTH" | "WRONGPASS" => "it asks for another password",
            "NOPERM" => "its user may not do this",
            _ => "it answered with an error",
        };
        format!("{what} ({})", self.code)
    }

    /// `<slot> <host>:<port>`; the host may be missing, and an IPv6 address has no brackets.
    fn place(&self, asked: &RedisAddress) -> Option<(u16, RedisAddress)> {
        let (slot, place) = self.detail.split_once(' ')?;
        let (host, port) = place.trim().rsplit_once(':')?;
        let host = match host {
            "" | "?" => asked.host.clone(),
            host => host.to_owned(),
        };
        let address = RedisAddress {
            host,
            port: port.parse().ok()?,
        };
        Some((slot.parse().ok()?, address))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(code: &str, detail: &str) -> Refusal {
        Refusal::new(code, detail)
    }

    fn node(host: &str, port: u16) -> RedisAddress {
        RedisAddress {
            host: host.to_owned(),
            port,
        }
    }

    #[test]
    fn what_a_script_did_before_its_error_is_unclear() {
        let asked = node("here", 1);
        let before = "command not allowed when used memory > 'maxmemory'.";
        let within = "command not allowed when used memory > 'maxmemory'. script: 00ff, on @user_script:5.";
        assert_eq!(refusal("OOM", before).meaning(&asked), Meaning::NotDone);
        assert_eq!(refusal("OOM", within).meaning(&asked), Meaning::Unclear);
        assert_eq!(refusal("ERR", "anything else").meaning(&asked), Meaning::Unclear);
        assert_eq!(refusal("WRONGTYPE", "").meaning(&asked), Meaning::Unclear);
    }

    #[test]
    fn a_moved_slot_names_its_node() {
        let asked = node("here", 1);
        for (said, host) in [
            ("3999 10.0.0.7:6381", "10.0.0.7"),
            ("3999 :6381", "here"),
            ("3999 fe80::1:6381", "fe80::1"),
        ] {
            let moved = refusal("MOVED", said).meaning(&asked);
            assert_eq!(moved, Meaning::Moved(3999, node(host, 6381)), "{said}");
            assert_eq!(refusal("ASK", said).meaning(&asked), Meaning::NotDone);
        }
        assert_eq!(refusal("MOVED", "nonsense").meaning(&asked), Meaning::NotDone);
    }

    #[test]
    fn what_the_server_quotes_is_not_shown() {
        let quoting = refusal("ERR", "unknown command 'AUTH', with args: 'hunter2'");
        assert!(!quoting.said().contains("hunter2"));
    }
}
