//! The secrets of a channel, by account.

use std::collections::BTreeMap;

use crate::guard::{Guard, stands};
use crate::secret::Secret;
use crate::setup::{ChannelSetup, SecretRef};

/// Where the values come from.
pub(crate) struct Credentials {
    of_all: BTreeMap<String, SecretRef>,
    of_one: BTreeMap<String, BTreeMap<String, SecretRef>>,
}

impl Credentials {
    pub(crate) fn of(setup: &ChannelSetup) -> Self {
        Self {
            of_all: setup.secrets.clone(),
            of_one: setup.account_secrets.clone(),
        }
    }

    /// The value now: the account's own, or the one of all accounts that have none. An account is never served with
    /// another one's.
    ///
    /// # Errors
    /// There is none; in words that are safe to show.
    pub(crate) fn of_account(&self, account: &str, name: &str) -> Result<Secret, String> {
        let own = self.of_one.get(account).and_then(|secrets| secrets.get(name));
        let source = own
            .or_else(|| self.of_all.get(name))
            .or_else(|| self.anybodys(name))
            .ok_or_else(|| format!("there is no secret `{name}` for this account"))?;
        source
            .current()
            .map_err(|_| format!("the secret `{name}` has no value now"))
    }

    /// With its guard taken away: whose secret it is does not matter.
    fn anybodys(&self, name: &str) -> Option<&SecretRef> {
        if stands(Guard::AccountSecret) {
            return None;
        }
        self.of_one.values().find_map(|secrets| secrets.get(name))
    }

    /// Every value there is now, to be recognised. One that cannot be had now was not sent either.
    pub(crate) fn all(&self) -> Vec<Secret> {
        let own = self.of_one.values().flat_map(BTreeMap::values);
        self.of_all
            .values()
            .chain(own)
            .filter_map(|source| source.current().ok())
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    fn secret(value: &str) -> SecretRef {
        Arc::new(Secret::new(value))
    }

    fn credentials(default: Option<&str>) -> Credentials {
        let named = |value: &str| BTreeMap::from([("token".to_owned(), secret(value))]);
        Credentials {
            of_all: default.map(named).unwrap_or_default(),
            of_one: BTreeMap::from([("T1".to_owned(), named("one"))]),
        }
    }

    #[test]
    fn an_account_gets_its_own_secret_and_never_anothers() {
        let credentials = credentials(None);
        let value = credentials.of_account("T1", "token").expect("its own");
        assert_eq!(value.expose(), "one");
        assert!(credentials.of_account("T2", "token").is_err());
        assert!(credentials.of_account("T1", "other").is_err());
    }

    #[test]
    fn a_default_is_for_accounts_without_one() {
        let credentials = credentials(Some("all"));
        assert_eq!(
            credentials.of_account("T1", "token").expect("own").expose(),
            "one"
        );
        assert_eq!(
            credentials.of_account("T2", "token").expect("default").expose(),
            "all"
        );
    }

    #[test]
    fn a_secret_is_never_printed() {
        assert_eq!(format!("{0} {0:?}", Secret::new("value")), "[secret] [secret]");
    }
}
