//! A loaded piece: checked, compiled, linked, and ready to be instantiated for a hook call.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use frogbot_manifest::Manifest;
use ports::pieces::{ChannelInfo, HookFault};
use wasmtime::component::InstancePre;

use crate::bindings::exports::frogbot::piece::{channel, channel_questions};
use crate::capabilities::State;
use crate::egress::Egress;
use crate::gate::Gate;
use crate::limits::CONNECTIONS_MAX;
use crate::measure::Measures;
use crate::setup::LocatorKey;
use crate::standing::Standing;

/// A loaded piece behind one channel.
pub(crate) struct Piece {
    pub(crate) channel: String,
    pub(crate) info: ChannelInfo,
    pub(crate) manifest: Arc<Manifest>,
    /// The channel's options with the manifest's defaults, as JSON text.
    pub(crate) options: String,
    pub(crate) egress: Egress,
    pub(crate) locators: LocatorKey,
    pub(crate) instances: InstancePre<State>,
    pub(crate) channel_exports: channel::GuestIndices,
    pub(crate) question_exports: Option<channel_questions::GuestIndices>,
    pub(crate) gates: Gates,
    pub(crate) standing: Standing,
    /// Where its calls are written down, if they are.
    pub(crate) measures: Option<Arc<Measures>>,
    /// How many places of a gate a call takes.
    pub(crate) places_per_call: u32,
}

/// Places for calls, apart for the two kinds of hooks: a platform that hangs must not keep `parse` waiting.
#[derive(Debug)]
pub(crate) struct Gates {
    pub(crate) pure: Gate,
    pub(crate) acting: Gate,
}

/// A channel: the piece behind it now, and what stays when it is swapped.
#[derive(Clone)]
pub(crate) struct Channel {
    pub(crate) piece: Arc<Piece>,
    pub(crate) connections: Arc<Connections>,
}

impl Channel {
    /// A hook call has ended: it counts for the piece that ran it.
    pub(crate) fn ended<T>(&self, end: Result<T, HookFault>) -> Result<T, HookFault> {
        let Piece {
            info,
            standing,
            channel,
            ..
        } = &*self.piece;
        standing.ended(&info.piece, channel, end.as_ref().err());
        end
    }
}

/// What `connect` returned last, by account.
#[derive(Debug, Default)]
pub(crate) struct Connections(Mutex<BTreeMap<String, String>>);

impl Connections {
    /// Keeps the data of an account. False when there are too many accounts to keep another.
    pub(crate) fn keep(&self, account: &str, data: &str) -> bool {
        let mut connections = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if connections.len() >= CONNECTIONS_MAX && !connections.contains_key(account) {
            return false;
        }
        connections.insert(account.to_owned(), data.to_owned());
        true
    }

    /// The data of one account, if there is any.
    pub(crate) fn of(&self, account: &str) -> Vec<(String, String)> {
        let connections = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let found = connections.get_key_value(account);
        found
            .map(|(account, data)| (account.clone(), data.clone()))
            .into_iter()
            .collect()
    }

    /// The data of every account.
    pub(crate) fn all(&self) -> Vec<(String, String)> {
        let connections = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let pairs = connections.iter();
        pairs
            .map(|(account, data)| (account.clone(), data.clone()))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connections_are_kept_for_a_limited_number_of_accounts() {
        let connections = Connections::default();
        for n in 0..CONNECTIONS_MAX {
            assert!(connections.keep(&n.to_string(), "{}"));
        }
        assert!(!connections.keep("one more", "{}"));
        assert!(connections.keep("0", "[]"), "a known one is replaced");
        assert_eq!(connections.of("0"), [("0".to_owned(), "[]".to_owned())]);
        assert_eq!(connections.of("one more"), []);
    }
}
