//! What a server must be before anything is trusted to it. Asked on every new connection: a server that came back may be
//! another.

use redis::Pipeline;

use super::faults::{Failure, RedisFault};
use super::link::Link;

/// The sections of `INFO` that tell it. One command each: a server that is too old takes one only. `CONFIG` would tell it
/// too, but hosted servers refuse it.
const SECTIONS: [&str; 4] = ["server", "memory", "replication", "cluster"];
/// The oldest version that has what is used: scripts that say what they do before they begin.
const MAJOR_MIN: u32 = 7;

/// What a server says of itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Told {
    /// Whether it belongs to a cluster.
    pub(super) clustered: bool,
    master: Option<String>,
    version: String,
    policy: String,
}

/// Asks a server about itself.
pub(super) async fn ask(link: &Link) -> Result<Told, RedisFault> {
    let mut sections = Pipeline::new();
    for section in SECTIONS {
        sections.cmd("INFO").arg(section);
    }
    let answers = link
        .ask_all(&sections, SECTIONS.len())
        .await
        .map_err(|failure| fault(link, failure))?;
    let mut info = String::new();
    for answer in answers {
        let section = answer.accepted();
        let section = section.map_err(|refusal| RedisFault::of_refusal(&link.address, &refusal))?;
        info.push_str(&section.text().unwrap_or_default());
        info.push('\n');
    }
    Ok(Told::read(&info))
}

/// What a failed question means while a connection is not in use yet.
pub(super) fn fault(link: &Link, failure: Failure) -> RedisFault {
    let address = link.address.clone();
    match failure {
        Failure::Refused(refusal) => RedisFault::of_refusal(&address, &refusal),
        Failure::Unsent(why) | Failure::Lost(why) => RedisFault::Unreachable { address, why },
        Failure::Full => RedisFault::Unfit {
            address,
            why: "too much is asked of it".to_owned(),
        },
    }
}

impl Told {
    fn read(info: &str) -> Self {
        let line = |name: &str| {
            let values = info.lines().filter_map(|line| line.trim().split_once(':'));
            values
                .filter(|(known, _)| *known == name)
                .map(|(_, value)| value.to_owned())
                .next()
        };
        let text = |name| line(name).unwrap_or_default();
        let replica = text("role") == "slave";
        Self {
            clustered: text("cluster_enabled") == "1",
            master: replica.then(|| format!("{}:{}", text("master_host"), text("master_port"))),
            version: text("redis_version"),
            policy: text("maxmemory_policy"),
        }
    }

    /// Whether documents may be written to it.
    pub(super) fn admit(&self, link: &Link) -> Result<(), RedisFault> {
        let address = link.address.clone();
        let major = self
            .version
            .split('.')
            .next()
            .and_then(|major| major.parse().ok());
        if major.is_none_or(|major: u32| major < MAJOR_MIN) {
            return Err(RedisFault::Old {
                address,
                found: self.version.clone(),
            });
        }
        if let Some(master) = &self.master {
            return Err(RedisFault::Replica {
                address,
                master: master.clone(),
            });
        }
        // Also without a limit: whoever sets one later sets it while hosts run.
        if self.policy != "noeviction" {
            return Err(RedisFault::Evicts {
                address,
                policy: self.policy.clone(),
            });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_server_says_is_read_by_line() {
        let info = "# Server\r\nredis_version:7.0.15\r\n# Memory\r\nmaxmemory_policy:noeviction\r\n\
                    # Replication\r\nrole:slave\r\nmaster_host:10.0.0.1\r\nmaster_port:6379\r\n# Cluster\r\ncluster_enabled:0\r\n";
        let told = Told::read(info);
        assert_eq!(told.master.as_deref(), Some("10.0.0.1:6379"));
        assert_eq!((told.version.as_str(), told.clustered), ("7.0.15", false));
        assert_eq!(Told::read("").version, "");
    }
}
