//! Who somebody is, and whether they may.

use std::collections::HashMap;
use std::sync::Mutex;
use std::time::Duration;

use lifecycle::Actor;
use ports::pieces::{Author, Context, FaultKind, HookFault, Profile};
use ports::{Clock, Pieces};

use crate::address::{Address, idempotency_key};
use crate::config::PlatformId;
use crate::{Inner, World, lock};

/// How many profiles are kept: a large company's active people, at about a kilobyte each.
const PROFILES_MAX: usize = 10_000;
/// The role of people of another tenant.
const EXTERNAL: &str = "external";
/// How old a profile must be before a denial by it asks afresh.
const ASKED_AFRESH_AFTER: Duration = Duration::from_secs(10);
/// How long after a failed look-up the next one is made while somebody waits.
const NEXT_TRY: Duration = Duration::from_millis(250);

/// Profiles that `identity` found lately, by channel, account, room and author.
#[derive(Debug, Default)]
pub(crate) struct Cache(Mutex<HashMap<Who, Known>>);

/// Channel, account, room and author: roles may differ between rooms.
type Who = (String, String, String, String);

#[derive(Clone, Debug)]
struct Known {
    profile: Profile,
    /// When it was found.
    at: Duration,
    until: Duration,
}

/// What the access check ruled.
#[derive(Clone, Debug)]
pub(crate) enum Ruling {
    Granted(Actor),
    Denied(Actor),
}

impl<W: World> Inner<W> {
    /// Resolves an author and asks the agent's access rule. A denial by a remembered profile asks afresh, unless it was found
    /// just now: whoever is denied and goes on writing must not use up what the platform lets everybody ask.
    pub(crate) async fn ruling(
        &self,
        address: &Address,
        author: &Author,
        within: Duration,
    ) -> Result<Ruling, HookFault> {
        let until = self.parts.clock.elapsed() + within;
        if let Some(known) = self.remembered(address, author) {
            let is_fresh = self.parts.clock.elapsed().saturating_sub(known.at) < ASKED_AFRESH_AFTER;
            let actor = self.actor(address, author, known.profile);
            if self.admits(address, &actor) {
                return Ok(Ruling::Granted(actor));
            }
            if is_fresh {
                return Ok(Ruling::Denied(actor));
            }
        }
        let profile = self.asked(address, author, until).await?;
        let actor = self.actor(address, author, profile);
        Ok(if self.admits(address, &actor) {
            Ruling::Granted(actor)
        } else {
            Ruling::Denied(actor)
        })
    }

    fn admits(&self, address: &Address, actor: &Actor) -> bool {
        let Some(channel) = self.config.channels.get(&address.channel) else {
            return false;
        };
        let Some(agent) = self.config.agents.get(&channel.agent) else {
            return false;
        };
        agent.access.admits(actor, &channel.agent, &address.conversation)
    }

    fn remembered(&self, address: &Address, author: &Author) -> Option<Known> {
        let now = self.parts.clock.elapsed();
        let cache = lock(&self.people.0);
        cache
            .get(&who(address, author))
            .filter(|known| known.until > now)
            .cloned()
    }

    async fn asked(&self, address: &Address, author: &Author, until: Duration) -> Result<Profile, HookFault> {
        // A channel without a running piece knows nobody: that is a fault, not an empty profile.
        let info = self
            .parts
            .pieces
            .info(&address.channel)
            .ok_or_else(|| HookFault {
                hook: "identity",
                kind: FaultKind::NotLoaded,
                reason: "no piece is behind the channel".to_owned(),
            })?;
        if !info.hooks.identity {
            return Ok(Profile {
                name: None,
                email: None,
                roles: Vec::new(),
                external: author.external,
            });
        }
        loop {
            let limit = until.saturating_sub(self.parts.clock.elapsed());
            let context = Context {
                account: address.conversation.account.clone(),
                attempt: 1,
                idempotency_key: idempotency_key(&address.partition(), &["identity", &author.id]),
                limit,
                reply_within: None,
            };
            let asked = self
                .parts
                .pieces
                .identity(&address.channel, context, &address.conversation, author);
            match asked.await {
                Ok(profile) => {
                    self.remember(address, author, &profile);
                    return Ok(profile);
                }
                Err(fault) => {
                    let Some(pause) =
                        next_try(&fault).filter(|pause| self.parts.clock.elapsed() + *pause < until)
                    else {
                        return Err(fault);
                    };
                    tracing::warn!(channel = address.channel, %fault, "identity failed, trying again");
                    self.parts.clock.sleep(pause).await;
                }
            }
        }
    }

    fn remember(&self, address: &Address, author: &Author, profile: &Profile) {
        let now = self.parts.clock.elapsed();
        let mut cache = lock(&self.people.0);
        if cache.len() >= PROFILES_MAX {
            cache.retain(|_, known| known.until > now);
        }
        if cache.len() >= PROFILES_MAX {
            cache.clear();
        }
        let until = now + self.config.times.identity_cache;
        cache.insert(
            who(address, author),
            Known {
                profile: profile.clone(),
                at: now,
                until,
            },
        );
    }

    fn actor(&self, address: &Address, author: &Author, profile: Profile) -> Actor {
        let external = author.external || profile.external;
        let mut roles = profile.roles;
        if external && !roles.iter().any(|role| role == EXTERNAL) {
            roles.push(EXTERNAL.to_owned());
        }
        let user = self.user(address, author, profile.email.as_deref(), external);
        Actor {
            channel: address.channel.clone(),
            piece: self
                .parts
                .pieces
                .info(&address.channel)
                .map(|info| info.piece)
                .unwrap_or_default(),
            account: address.conversation.account.clone(),
            id: author.id.clone(),
            name: profile.name.unwrap_or_else(|| author.name.clone()),
            roles,
            email: profile.email,
            user,
        }
    }

    /// The configured user an author is: by platform id, or by an e-mail address that the channel may vouch for.
    fn user(
        &self,
        address: &Address,
        author: &Author,
        email: Option<&str>,
        external: bool,
    ) -> Option<String> {
        let channel = self.config.channels.get(&address.channel)?;
        let vouched = channel.trust_email && (!external || channel.trust_external_email);
        let email = email.filter(|_| vouched);
        let is = |user: &&crate::config::User| {
            let by_id = user
                .platform_ids
                .iter()
                .any(|known| is_of(known, address, author));
            let same = |own: &String| email.is_some_and(|email| email.eq_ignore_ascii_case(own));
            by_id || user.emails.iter().any(same)
        };
        self.config.users.iter().find(is).map(|user| user.id.clone())
    }
}

fn is_of(known: &PlatformId, address: &Address, author: &Author) -> bool {
    let PlatformId { channel, account, id } = known;
    *channel == address.channel && *account == address.conversation.account && *id == author.id
}

/// How long before a failed look-up is worth another while somebody waits; none: not at all.
fn next_try(fault: &HookFault) -> Option<Duration> {
    match fault.kind {
        FaultKind::Retry(after) => Some(
            after
                .map_or(NEXT_TRY, |after| Duration::from_millis(after.0))
                .max(NEXT_TRY),
        ),
        FaultKind::PerhapsSent | FaultKind::Busy => Some(NEXT_TRY),
        FaultKind::Trap
        | FaultKind::TimedOut
        | FaultKind::Exhausted
        | FaultKind::Garbage
        | FaultKind::Gone
        | FaultKind::Refused
        | FaultKind::StateUnreadable
        | FaultKind::NotLoaded => None,
    }
}

fn who(address: &Address, author: &Author) -> Who {
    (
        address.channel.clone(),
        address.conversation.account.clone(),
        address.conversation.room.clone(),
        author.id.clone(),
    )
}
