//! What a piece asks for against what the operator gives: slots, options, secrets.

use std::collections::{BTreeMap, BTreeSet};

use frogbot_manifest::{Manifest, OptionSpec};
use runtime::SlotGrant;
use serde_json::{Map, Value};
use url::{Origin, Url};

use super::Check;
use crate::config::file::{Channel, Grant, Slot};
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
        for (id, asked) in &manifest.slots {
            let request = Request {
                path: format!("channels.{name}.slots.{id}"),
                id,
                piece: &manifest.name,
                asked,
            };
            match channel.slots.get(id) {
                Some(slot) => {
                    grants.extend(self.grant(&request, slot).map(|grant| (id.clone(), grant)));
                }
                None => self.problems.error(channel.line, request.not_granted()),
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

    fn grant(&self, request: &Request<'_>, slot: &Slot) -> Option<SlotGrant> {
        let granted = match &slot.grant {
            Grant::Base(base) => base_url(&base.value).map_err(|text| (base.line, format!(".base: {text}"))),
            Grant::Origin(origin) => request
                .base_within(&origin.value)
                .map_err(|text| (origin.line, format!(".grant: {text}"))),
            Grant::Anything(line) => {
                let text = format!(
                    ".grant: expected the place that is granted, found true or false; write `{}`",
                    request.remedy()
                );
                Err((*line, text))
            }
            Grant::Nothing => {
                self.problems.error(slot.line, request.not_granted());
                return None;
            }
            Grant::Unreadable => return None,
        };
        let base = match granted {
            Ok(base) => base,
            Err((line, text)) => {
                self.problems.error(line, format!("{}{text}", request.path));
                return None;
            }
        };
        if base.scheme() == "http" && slot.allow_private.is_empty() {
            let place = base.authority();
            let text = format!(
                "expected https; if the piece shall reach it in plain text, add `allow_private = [\"{place}\"]`"
            );
            self.problems
                .error(slot.line, format!("{}.base: {text}", request.path));
        }
        let places = slot.allow_private.iter();
        Some(SlotGrant {
            base: Some(base),
            allow_private: places.map(|place| place.value.clone()).collect(),
        })
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
            let needs = &manifest.name;
            if channel.accounts.values().all(|own| !own.contains_key(secret)) {
                let each = if channel.accounts.len() > 1 {
                    format!(", or one for each account below `channels.{name}.accounts.<account>.secrets`")
                } else {
                    String::new()
                };
                let text = format!(
                    "{path}: `{needs}` needs it ({purpose}); set `{{ env = \"NAME\" }}` or `{{ file = \"path\" }}`{each}"
                );
                self.problems.error(channel.line, text);
                continue;
            }
            for (account, _) in channel
                .accounts
                .iter()
                .filter(|(_, own)| !own.contains_key(secret))
            {
                let text = format!(
                    "channels.{name}.accounts.{account}.secrets.{secret}: `{needs}` needs it for each account ({purpose}), \
                     and this one has none; set `{{ env = \"NAME\" }}` or `{{ file = \"path\" }}`"
                );
                self.problems.error(channel.line, text);
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

/// A slot that a piece asks for.
struct Request<'a> {
    /// Where the operator grants it.
    path: String,
    id: &'a str,
    piece: &'a str,
    asked: &'a frogbot_manifest::Slot,
}

impl Request<'_> {
    fn not_granted(&self) -> String {
        let Self {
            path,
            id,
            piece,
            asked,
        } = self;
        let place = if asked.base.is_empty() {
            "a base URL that you set"
        } else {
            &asked.base
        };
        let (methods, paths) = (asked.methods.join(", "), asked.paths.join(", "));
        format!(
            "{path}: `{piece}` sends requests to {place} ({}: {methods} on {paths}), which is not granted; add \
             `slots.{id} = {{ {} }}`",
            asked.purpose,
            self.remedy()
        )
    }

    /// What grants it as it is asked for.
    fn remedy(&self) -> String {
        match Url::parse(&self.asked.base) {
            Ok(base) => format!("grant = \"{}\"", base.origin().ascii_serialization()),
            Err(_) => "base = \"https://host\"".to_owned(),
        }
    }

    /// The base that the piece asks for, when it is at the granted origin.
    fn base_within(&self, granted: &str) -> Result<Url, String> {
        let granted = origin(granted)?;
        if self.asked.base.is_empty() {
            return Err(format!(
                "the piece has no base URL of its own; set `{}` instead",
                self.remedy()
            ));
        }
        let base = base_url(&self.asked.base)?;
        if base.origin() == granted {
            return Ok(base);
        }
        Err(format!(
            "expected {}, the piece asks for {}; put back the piece that you granted this to, or write `{}` if its \
             requests and their secret shall go there",
            granted.ascii_serialization(),
            base.origin().ascii_serialization(),
            self.remedy()
        ))
    }
}

fn origin(text: &str) -> Result<Origin, String> {
    let expected = "expected an origin, `https://host[:port]`";
    let url = bare_url(text, expected)?;
    if url.path() != "/" {
        return Err(format!(
            "{expected}, found {text:?} with a path; write `grant = \"{}\"`",
            url.origin().ascii_serialization()
        ));
    }
    Ok(url.origin())
}

fn base_url(text: &str) -> Result<Url, String> {
    bare_url(text, "expected `https://host[:port][/path]`")
}

fn bare_url(text: &str, expected: &str) -> Result<Url, String> {
    let url = Url::parse(text).map_err(|error| format!("{expected}, found {text:?} ({error})"))?;
    let bare = url.username().is_empty()
        && url.password().is_none()
        && url.query().is_none()
        && url.fragment().is_none();
    if !bare || !url.has_host() || !matches!(url.scheme(), "http" | "https") {
        return Err(format!(
            "{expected}, found {text:?} with a user, a query, a fragment or another scheme"
        ));
    }
    Ok(url)
}
