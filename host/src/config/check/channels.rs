//! Channels: their agents, their pieces, and who can use them at all.

use std::collections::BTreeMap;

use bytes::Bytes;
use frogbot_manifest::{Manifest, OptionalHook};
use runtime::RuntimeConfig;

use super::Check;
use crate::config::ChannelPlan;
use crate::config::file::{Channel, SecretReference, Secrets};
use crate::config::problem::{At, suggestion};
use crate::shelf::accepted::Accepted;
use crate::shelf::policy;

impl Check<'_> {
    /// What stands behind the channels; none when one cannot be resolved.
    pub(super) fn channels(&self) -> Option<BTreeMap<String, ChannelPlan>> {
        if self.file.channels.is_empty() {
            self.problems.note(
                1,
                "there is no channel, so nothing can come in; add `[channels.<name>]`",
            );
        }
        let resolved: Vec<_> = self
            .file
            .channels
            .iter()
            .map(|(name, channel)| {
                self.agent_exists(name, channel);
                Some((name.clone(), self.channel(name, channel)?))
            })
            .collect();
        resolved.into_iter().collect()
    }

    /// The channels as the engine knows them.
    pub(super) fn engine_channels(&self) -> Option<BTreeMap<String, engine::config::Channel>> {
        let channel = |(name, channel): (&String, &Channel)| {
            let known = engine::config::Channel {
                agent: channel.agent.as_ref()?.value.clone(),
                accounts: channel.accounts.keys().cloned().collect(),
                trust_email: channel.trust_email,
                trust_external_email: channel.trust_external_email,
            };
            Some((name.clone(), known))
        };
        self.file.channels.iter().map(channel).collect()
    }

    fn agent_exists(&self, name: &str, channel: &Channel) {
        let Some(agent) = &channel.agent else {
            return;
        };
        if !self.file.agents.contains_key(&agent.value) {
            let near = suggestion(&agent.value, self.file.agents.keys().map(String::as_str));
            let text = format!("channels.{name}.agent: there is no agent `{}`{near}", agent.value);
            self.problems.error(agent.line, text);
        }
    }

    fn channel(&self, name: &str, channel: &Channel) -> Option<ChannelPlan> {
        let piece = channel.piece.as_ref()?;
        let (bytes, manifest) = match self.piece(piece) {
            Ok(found) => found,
            Err(text) => {
                self.problems
                    .error(piece.line, format!("channels.{name}.piece: {text}"));
                return None;
            }
        };
        self.somebody_is_admitted(name, channel, &manifest);
        if channel.trust_external_email && !channel.trust_email {
            let text = "`trust_external_email` has no effect without `trust_email = true`";
            self.problems
                .error(channel.line, format!("channels.{name}: {text}"));
        }
        let granted = self.grants(name, channel, &manifest);
        let options = self.options(name, channel, &manifest);
        self.secrets(name, channel, &manifest);
        Some(ChannelPlan {
            piece_name: piece.value.clone(),
            path: self.file.pieces.path(&piece.value),
            piece: bytes,
            manifest,
            options,
            grants: granted,
            secrets: places(&channel.secrets),
            account_secrets: channel
                .accounts
                .iter()
                .map(|(name, secrets)| (name.clone(), places(secrets)))
                .collect(),
        })
    }

    /// The build to start: that of the file, or the one that ran before, where the file's needs the operator's word.
    fn piece(&self, piece: &At<String>) -> Result<(Bytes, Manifest), String> {
        let name = &piece.value;
        let path = self.file.pieces.path(name);
        let shown = path.display();
        let bytes_max = RuntimeConfig::default().piece_bytes_max;
        let cannot = |error: std::io::Error| {
            format!(
                "cannot read {shown}: {error}; build it with `frogbot piece build`, or name it as `pieces.{name}.file`"
            )
        };
        let bytes = std::fs::metadata(&path).map_err(cannot)?.len();
        if usize::try_from(bytes).map_or(true, |bytes| bytes > bytes_max) {
            return Err(format!(
                "{shown} has {bytes} bytes, at most {bytes_max} are loaded"
            ));
        }
        let bytes = Bytes::from(std::fs::read(&path).map_err(cannot)?);
        let read = frogbot_manifest::read(&bytes).map_err(|problem| format!("{shown}: {problem}"));
        let accepted = Accepted::below(&self.file.pieces.compiled).read(name);
        let accepted = accepted.and_then(|bytes| Some((frogbot_manifest::read(&bytes).ok()?, bytes)));
        let Some((ran, ran_bytes)) = accepted.filter(|(_, ran)| *ran != bytes) else {
            return Ok((bytes, read?));
        };
        let objection = match &read {
            Ok(manifest) => policy::objections(&ran, manifest).join("; "),
            Err(problem) => problem.clone(),
        };
        if objection.is_empty() {
            return Ok((bytes, read?));
        }
        let text = format!(
            "{shown} is not started, but version {} that ran before: {objection}; if it is what you want, \
             `frogbot piece install --grant {shown}` on the running host",
            ran.version
        );
        self.problems.note(piece.line, text);
        Ok((ran_bytes, ran))
    }

    /// The default rule admits users. Where the piece cannot tell e-mails and no user has a platform id here, there are none.
    fn somebody_is_admitted(&self, name: &str, channel: &Channel, manifest: &Manifest) {
        let agent = channel
            .agent
            .as_ref()
            .and_then(|agent| Some((agent, self.file.agents.get(&agent.value)?)));
        let Some((agent, _)) = agent.filter(|(_, settings)| settings.access.is_none()) else {
            return;
        };
        let users = || self.file.users.iter();
        let by_id = users().any(|user| user.platform_ids.iter().any(|id| id.value.channel == name));
        let tells_email = channel.trust_email && manifest.hooks.contains(&OptionalHook::Identity);
        let by_email = tells_email && users().any(|user| !user.emails.is_empty());
        if !by_id && !by_email {
            let text = format!(
                "channels.{name}.agent: `{}` admits only users, and nobody can be one in this channel; add \
                 `platform_ids = [\"{name}:{}\"]` to a user{}, or set `agents.{}.access`",
                agent.value,
                if channel.accounts.len() == 1 {
                    "<id>"
                } else {
                    "<account>/<id>"
                },
                if manifest.hooks.contains(&OptionalHook::Identity) {
                    ", set `trust_email = true` with e-mails"
                } else {
                    ""
                },
                agent.value,
            );
            self.problems.note(agent.line, text);
        }
    }
}

fn places(secrets: &Secrets) -> BTreeMap<String, SecretReference> {
    secrets
        .iter()
        .map(|(name, place)| (name.clone(), place.value.clone()))
        .collect()
}
