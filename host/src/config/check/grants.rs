//! What a piece asks for against what the operator gives: slots, options, secrets.

use std::collections::{BTreeMap, BTreeSet};

use frogbot_manifest::{Manifest, OptionSpec};
use runtime::SlotGrant;
use serde_json::{Map, Value};
use url::Url;

use super::Check;
use crate::config::file::{Channel, Slot};
use crate::config::problem::suggestion;
use crate::config::verification_secret;

impl Check<'_> {
    /// The slots that are granted.
    pub(super) fn grants(
        &self,
        name: &str,
        channel: &Channel,
        manifest: &Manifest,
    ) -> BTreeMap<String, SlotGrant> {
        let mut grants = BTreeMap::new();
        for (id, slot) in &manifest.slots {
            let path = format!("channels.{name}.slots.{id}");
            match channel.slots.get(id) {
                Some(grant) => drop(grants.insert(id.clone(), self.grant(&path, grant, slot))),
                None => {
                    let place = if slot.base.is_empty() {
                        "a base URL that you set"
                    } else {
                        &slot.base
                    };
                    let text = format!(
                        "`{}` sends requests to {place} ({}), which is not granted; add `slots.{id} = {{ grant = true }}`",
                        manifest.name, slot.purpose
                    );
                    self.problems.error(channel.line, format!("{path}: {text}"));
                }
            }
        }
        for (id, slot) in channel
            .slots
            .iter()
            .filter(|(id, _)| !manifest.slots.contains_key(*id))
        {
            let near = suggestion(id, manifest.slots.keys().map(String::as_str));
            let text = format!(
                "channels.{name}.slots.{id}: `{}` has no such slot{near}",
                manifest.name
            );
            self.problems.error(slot.line, text);
        }
        grants
    }

    fn grant(&self, path: &str, grant: &Slot, asked: &frogbot_manifest::Slot) -> SlotGrant {
        let base = grant
            .base
            .as_ref()
            .and_then(|written| match base_url(&written.value) {
                Ok(base) => Some(base),
                Err(text) => {
                    self.problems.error(written.line, format!("{path}.base: {text}"));
                    None
                }
            });
        if asked.base.is_empty() && grant.base.is_none() {
            let text = "the piece has no base URL of its own; set `base = \"https://host\"`";
            self.problems.error(grant.line, format!("{path}: {text}"));
        }
        if let Some(base) = base
            .as_ref()
            .filter(|base| base.scheme() == "http" && grant.allow_private.is_empty())
        {
            let place = base.authority();
            let text = format!(
                "expected https; if the piece shall reach it in plain text, add `allow_private = [\"{place}\"]`"
            );
            self.problems.error(grant.line, format!("{path}.base: {text}"));
        }
        let allow_private = grant
            .allow_private
            .iter()
            .map(|place| place.value.clone())
            .collect();
        SlotGrant { base, allow_private }
    }

    /// The options, those that are configured; the runtime adds the defaults.
    pub(super) fn options(&self, name: &str, channel: &Channel, manifest: &Manifest) -> Map<String, Value> {
        let path = |option: &str| format!("channels.{name}.options.{option}");
        let missing = |(option, spec): &(&String, &OptionSpec)| {
            spec.required && spec.default.is_none() && !channel.options.contains_key(*option)
        };
        for (option, spec) in manifest.options.iter().filter(missing) {
            let (words, about) = (spec.kind.in_words(), &spec.description);
            let text = format!(
                "{}: `{}` needs it: {words} ({about})",
                path(option),
                manifest.name
            );
            self.problems.error(channel.line, text);
        }
        for (option, given) in &channel.options {
            let wrong = match manifest.options.get(option) {
                None => {
                    let near = suggestion(option, manifest.options.keys().map(String::as_str));
                    format!("`{}` has no such option{near}", manifest.name)
                }
                Some(spec) if !spec.kind.admits(&given.value) => {
                    format!("expected {} ({})", spec.kind.in_words(), spec.description)
                }
                Some(_) => continue,
            };
            self.problems
                .error(given.line, format!("{}: {wrong}", path(option)));
        }
        channel
            .options
            .iter()
            .map(|(name, given)| (name.clone(), given.value.clone()))
            .collect()
    }

    /// Every secret that the piece needs is named, and none that it does not.
    pub(super) fn secrets(&self, name: &str, channel: &Channel, manifest: &Manifest) {
        let verifying = verification_secret(&manifest.verification);
        for (secret, purpose) in &manifest.secrets {
            let path = format!("channels.{name}.secrets.{secret}");
            if channel.secrets.contains_key(secret) {
                continue;
            }
            // Requests are verified before anybody knows which account they are of.
            if secret == verifying {
                let text =
                    format!("requests are verified with it ({purpose}), and without it the channel is down");
                self.problems.error(
                    channel.line,
                    format!("{path}: {text}; set `{{ env = \"NAME\" }}` or `{{ file = \"path\" }}`"),
                );
                continue;
            }
            let lacking: Vec<_> = channel
                .accounts
                .iter()
                .filter(|(_, own)| !own.contains_key(secret))
                .collect();
            if channel.accounts.is_empty() || !lacking.is_empty() {
                let whose = match lacking.first() {
                    Some((account, _)) if lacking.len() < channel.accounts.len() => {
                        format!(" for the account {account:?}")
                    }
                    Some(_) | None => String::new(),
                };
                let text = format!(
                    "`{}` needs it{whose} ({purpose}); set `{{ env = \"NAME\" }}` or `{{ file = \"path\" }}`",
                    manifest.name
                );
                self.problems.error(channel.line, format!("{path}: {text}"));
            }
        }
        let mut told = BTreeSet::new();
        for (secret, place) in channel.secrets.iter().chain(channel.accounts.values().flatten()) {
            if !manifest.secrets.contains_key(secret) && told.insert(secret) {
                let near = suggestion(secret, manifest.secrets.keys().map(String::as_str));
                let text = format!(
                    "channels.{name}.secrets.{secret}: `{}` has no such secret{near}",
                    manifest.name
                );
                self.problems.error(place.line, text);
            }
        }
    }
}

fn base_url(text: &str) -> Result<Url, String> {
    let expected = "expected `https://host[:port][/path]`";
    let url = Url::parse(text).map_err(|error| format!("{expected}, found {text:?} ({error})"))?;
    let bare = url.username().is_empty()
        && url.password().is_none()
        && url.query().is_none()
        && url.fragment().is_none();
    if !bare || !url.has_host() || !matches!(url.scheme(), "http" | "https") {
        return Err(format!(
            "{expected}, found {:?} with a user, a query, a fragment or another scheme",
            text
        ));
    }
    Ok(url)
}
