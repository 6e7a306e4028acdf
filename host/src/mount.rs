//! A channel of the plan as the crates take it: what its requests must pass, and its piece behind it.

use std::collections::BTreeMap;

use anyhow::Context;
use gateway::ChannelGate;
use ports::pieces::ChannelInfo;
use runtime::{ChannelSetup, LoadProblem, Runtime, SecretRef};

use crate::config::{ChannelPlan, Environment, SecretReference, verification_secret};
use crate::secrets::Secrets;

/// What requests to the channel must pass.
pub(crate) fn gate(
    channel: &ChannelPlan,
    secrets: &mut Secrets,
    environment: Environment<'_>,
) -> anyhow::Result<ChannelGate> {
    let verification = channel.manifest.verification.clone();
    let name = verification_secret(&verification);
    let place = channel
        .secrets
        .get(name)
        .with_context(|| format!("the secret `{name}` is not configured"))?;
    let secret = secrets.current(place, environment);
    Ok(ChannelGate { verification, secret })
}

/// Loads the channel's piece.
pub(crate) async fn mount(
    runtime: &Runtime,
    name: &str,
    channel: ChannelPlan,
    secrets: &mut Secrets,
    environment: Environment<'_>,
) -> Result<ChannelInfo, LoadProblem> {
    let mut referred = |places: &BTreeMap<String, SecretReference>| -> BTreeMap<String, SecretRef> {
        let secret = |(name, place): (&String, &SecretReference)| {
            let current: SecretRef = secrets.current(place, environment);
            (name.clone(), current)
        };
        places.iter().map(secret).collect()
    };
    let setup = ChannelSetup {
        channel: name.to_owned(),
        options: channel.options,
        grants: channel.grants,
        secrets: referred(&channel.secrets),
        account_secrets: channel
            .account_secrets
            .iter()
            .map(|(account, places)| (account.clone(), referred(places)))
            .collect(),
    };
    runtime.load(setup, channel.piece).await
}
