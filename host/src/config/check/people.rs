//! Users: who is who must never be a question.

use std::collections::BTreeMap;

use engine::config::{PlatformId, User};

use super::Check;
use crate::config::file::{UserEntry, WrittenId};
use crate::config::problem::suggestion;

impl Check<'_> {
    /// The users, with everything ambiguous noted.
    pub(super) fn users(&self) -> Vec<User> {
        let users: Vec<(usize, User)> = self.file.users.iter().map(|entry| self.user(entry)).collect();
        let mut seen: BTreeMap<String, &str> = BTreeMap::new();
        for (line, user) in &users {
            for claim in claims(user) {
                if let Some(other) = seen.get(&claim) {
                    let text = format!(
                        "users: {claim} of {:?} belongs to {other:?} already; keep it in one entry",
                        user.id
                    );
                    self.problems.error(*line, text);
                }
                seen.insert(claim, &user.id);
            }
        }
        users.iter().map(|(_, user)| user.clone()).collect()
    }

    fn user(&self, entry: &UserEntry) -> (usize, User) {
        let resolved = entry.platform_ids.iter().filter_map(|written| {
            let found = self.platform_id(&written.value);
            let told = found.map_err(|text| {
                self.problems
                    .error(written.line, format!("users: platform_ids: {text}"));
            });
            told.ok()
        });
        let user = User {
            id: entry.id.clone(),
            emails: entry.emails.clone(),
            platform_ids: resolved.collect(),
        };
        (entry.line, user)
    }

    /// Whom a platform id names. One that does not say its account is the one account's that its channel has: with several,
    /// or with any that comes, it could be somebody else's.
    fn platform_id(&self, WrittenId { channel, within }: &WrittenId) -> Result<PlatformId, String> {
        let Some(settings) = self.file.channels.get(channel) else {
            let near = suggestion(channel, self.file.channels.keys().map(String::as_str));
            return Err(format!("there is no channel `{channel}`{near}"));
        };
        let accounts: Vec<&str> = settings.accounts.keys().map(String::as_str).collect();
        let (account, id) = match (within.split_once('/'), accounts.as_slice()) {
            (Some((account, id)), _) if account.is_empty() || id.is_empty() => {
                return Err(format!(
                    "expected `{channel}:<account>/<id>`, found `{channel}:{within}`"
                ));
            }
            (Some((account, _)), [_, ..]) if !accounts.contains(&account) => {
                let near = suggestion(account, accounts.iter().copied());
                return Err(format!(
                    "there is no account {account:?} in `channels.{channel}.accounts`{near}"
                ));
            }
            (Some(named), _) => named,
            (None, [only]) => (*only, within.as_str()),
            (None, []) => {
                return Err(format!(
                    "`{channel}:{within}` does not say which account it is of, and `channels.{channel}` names none; write \
                     `{channel}:<account>/{within}`, or name the one account as `channels.{channel}.accounts`"
                ));
            }
            (None, [first, ..]) => {
                return Err(format!(
                    "`{channel}:{within}` does not say which account it is of, and `channels.{channel}` has {}; write \
                     `{channel}:{first}/{within}` if it is of that one",
                    accounts.len()
                ));
            }
        };
        Ok(PlatformId {
            channel: channel.clone(),
            account: account.to_owned(),
            id: id.to_owned(),
        })
    }
}

/// What only one user may have.
fn claims(user: &User) -> Vec<String> {
    let User {
        id,
        emails,
        platform_ids,
    } = user;
    let id = std::iter::once(format!("the id {id:?}"));
    // E-mail addresses are compared without case.
    let emails = emails
        .iter()
        .map(|email| format!("the e-mail {:?}", email.to_lowercase()));
    let platform_ids = platform_ids
        .iter()
        .map(|PlatformId { channel, account, id }| format!("the platform id \"{channel}:{account}/{id}\""));
    id.chain(emails).chain(platform_ids).collect()
}
