//! Where the masters are: what sentinels say, and what the nodes of a cluster say.

use std::time::Duration;

use super::admission;
use super::answer::Answer;
use super::faults::RedisFault;
use super::link::{Link, Opener};
use super::names::SlotRange;
use super::settings::{RedisAddress, RedisSettings, Sentinel};
use super::tls::Encryption;

/// Opens connections, and knows whom to ask for the way.
pub(super) struct Finder {
    settings: RedisSettings,
    encryption: Encryption,
}

impl std::fmt::Debug for Finder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Finder")
            .field("addresses", &self.settings.addresses)
            .finish_non_exhaustive()
    }
}

impl Finder {
    pub(super) fn new(settings: RedisSettings, encryption: Encryption) -> Self {
        Self { settings, encryption }
    }

    pub(super) fn opener(&self) -> Opener<'_> {
        Opener {
            settings: &self.settings,
            encryption: &self.encryption,
        }
    }

    /// Whether sentinels are asked for the master.
    pub(super) fn by_sentinel(&self) -> bool {
        self.settings.sentinel.is_some()
    }

    /// Where the operator says to begin.
    pub(super) fn beginnings(&self) -> &[RedisAddress] {
        &self.settings.addresses
    }

    /// How long to wait for a connection.
    pub(super) fn connect_within(&self) -> Duration {
        self.settings.connect_within
    }

    /// A connection to a server that is asked for the way, or about itself.
    pub(super) async fn guide(&self, address: &RedisAddress) -> Result<Link, RedisFault> {
        self.opener().guide(address, &self.settings.login).await
    }

    /// Where the master is, by the first sentinel that knows.
    pub(super) async fn master(&self) -> Result<RedisAddress, RedisFault> {
        let Some(sentinel) = &self.settings.sentinel else {
            return self.first_beginning();
        };
        let mut why = Vec::new();
        for address in &self.settings.addresses {
            match self.ask_sentinel(address, sentinel).await {
                Ok(Some(master)) => return Ok(master),
                Ok(None) => why.push(format!("{address} does not know it")),
                Err(RedisFault::PasswordWanted { .. } | RedisFault::PasswordRefused { .. }) => {
                    why.push(format!(
                        "{address} asks for another password; set `store.sentinel_password`"
                    ));
                }
                Err(RedisFault::Unfit { .. }) => why.push(format!("{address} is no sentinel")),
                Err(fault) => why.push(fault.to_string()),
            }
        }
        Err(RedisFault::NoMaster {
            master: sentinel.master.clone(),
            why: why.join("; "),
        })
    }

    fn first_beginning(&self) -> Result<RedisAddress, RedisFault> {
        let first = self.settings.addresses.first().cloned();
        first.ok_or_else(|| RedisFault::NoMaster {
            master: String::new(),
            why: "no address is configured".to_owned(),
        })
    }

    async fn ask_sentinel(
        &self,
        address: &RedisAddress,
        sentinel: &Sentinel,
    ) -> Result<Option<RedisAddress>, RedisFault> {
        let link = self.opener().guide(address, &sentinel.login).await?;
        let mut question = redis::cmd("SENTINEL");
        question.arg("GET-MASTER-ADDR-BY-NAME").arg(&sentinel.master);
        let answer = link.ask(&question).await;
        let answer = answer.map_err(|failure| admission::fault(&link, failure))?;
        let place: Option<[Answer; 2]> = answer.list().and_then(|place| place.try_into().ok());
        Ok(place.and_then(|[host, port]| {
            Some(RedisAddress {
                host: host.text()?,
                port: port.text()?.parse().ok()?,
            })
        }))
    }

    /// Which node of the cluster has which slots, by the first node that answers.
    pub(super) async fn slots(&self, known: Vec<RedisAddress>) -> Result<Vec<SlotRange>, RedisFault> {
        let mut last = None;
        for address in known.iter().chain(self.beginnings()) {
            match self.ask_slots(address).await {
                Ok(slots) if !slots.is_empty() => return Ok(slots),
                Ok(_) => {
                    last = Some(RedisFault::Unfit {
                        address: address.clone(),
                        why: "the cluster has given no slot to a node".to_owned(),
                    });
                }
                Err(fault) => last = Some(fault),
            }
        }
        match last {
            Some(fault) => Err(fault),
            None => self.first_beginning().map(|_| Vec::new()),
        }
    }

    async fn ask_slots(&self, address: &RedisAddress) -> Result<Vec<SlotRange>, RedisFault> {
        let link = self.guide(address).await?;
        let mut question = redis::cmd("CLUSTER");
        question.arg("SLOTS");
        let answer = link.ask(&question).await;
        let answer = answer.map_err(|failure| admission::fault(&link, failure))?;
        let ranges = answer.list().unwrap_or_default().into_iter();
        Ok(ranges.filter_map(|range| read(range, &link)).collect())
    }
}

/// `[first, last, [host, port, …], replicas…]`. A node that does not know its own host leaves it out.
fn read(range: Answer, asked: &Link) -> Option<SlotRange> {
    let mut range = range.list()?.into_iter();
    let mut slot = || range.next()?.number().and_then(|slot| u16::try_from(slot).ok());
    let (first, last) = (slot()?, slot()?);
    let mut master = range.next()?.list()?.into_iter();
    let host = master
        .next()?
        .text()
        .filter(|host| !host.is_empty() && host != "?");
    let port = master.next()?.number()?;
    Some(SlotRange {
        first,
        last,
        master: RedisAddress {
            host: host.unwrap_or_else(|| asked.address.host.clone()),
            port: u16::try_from(port).ok()?,
        },
    })
}
