//! Users: who is who must never be a question.

use std::collections::BTreeMap;

use engine::config::User;

use super::Check;
use crate::config::problem::suggestion;

impl Check<'_> {
    /// The users, with everything ambiguous noted.
    pub(super) fn users(&self) -> Vec<User> {
        let mut seen: BTreeMap<String, &str> = BTreeMap::new();
        for entry in &self.file.users {
            let User {
                id,
                emails,
                platform_ids,
            } = &entry.user;
            let ids = std::iter::once(format!("the id {id:?}"));
            // E-mail addresses are compared without case.
            let emails = emails
                .iter()
                .map(|email| format!("the e-mail {:?}", email.to_lowercase()));
            let platform_ids = platform_ids
                .iter()
                .map(|(channel, id)| format!("the platform id \"{channel}:{id}\""));
            for claim in ids.chain(emails).chain(platform_ids) {
                if let Some(other) = seen.get(&claim) {
                    let text = format!(
                        "users: {claim} of {id:?} belongs to {other:?} already; keep it in one entry"
                    );
                    self.problems.error(entry.line, text);
                }
                seen.insert(claim, id);
            }
            for channel in entry
                .channels
                .iter()
                .filter(|channel| !self.file.channels.contains_key(&channel.value))
            {
                let near = suggestion(&channel.value, self.file.channels.keys().map(String::as_str));
                let text = format!(
                    "users: platform_ids: there is no channel `{}`{near}",
                    channel.value
                );
                self.problems.error(channel.line, text);
            }
        }
        self.file.users.iter().map(|entry| entry.user.clone()).collect()
    }
}
