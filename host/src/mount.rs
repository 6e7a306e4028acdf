//! A channel of the plan as the crates take it.

use std::collections::BTreeMap;
use std::sync::Arc;

use gateway::SigningSecret;
use runtime::{ChannelSetup, SecretRef};

use crate::config::{ChannelPlan, Environment, SecretReference};
use crate::secrets::{Current, Secrets};
use crate::shelf::Mounted;

/// A channel without its piece: what stays the same when that is replaced.
pub(crate) fn mounted(
    name: &str,
    channel: &ChannelPlan,
    secrets: &mut Secrets,
    environment: Environment<'_>,
) -> Mounted {
    let mut referred = |places: &BTreeMap<String, SecretReference>| -> BTreeMap<String, Arc<Current>> {
        let secret =
            |(name, place): (&String, &SecretReference)| (name.clone(), secrets.current(place, environment));
        places.iter().map(secret).collect()
    };
    let of_channel = referred(&channel.secrets);
    let for_pieces = |secrets: &BTreeMap<String, Arc<Current>>| -> BTreeMap<String, SecretRef> {
        let secret = |(name, current): (&String, &Arc<Current>)| {
            let current: SecretRef = current.clone();
            (name.clone(), current)
        };
        secrets.iter().map(secret).collect()
    };
    Mounted {
        setup: ChannelSetup {
            channel: name.to_owned(),
            options: channel.options.clone(),
            grants: channel.grants.clone(),
            secrets: for_pieces(&of_channel),
            account_secrets: channel
                .account_secrets
                .iter()
                .map(|(account, places)| (account.clone(), for_pieces(&referred(places))))
                .collect(),
        },
        secrets: of_channel
            .into_iter()
            .map(|(name, current)| {
                let current: Arc<dyn SigningSecret> = current;
                (name, current)
            })
            .collect(),
    }
}
