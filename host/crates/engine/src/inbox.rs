//! An event that was acknowledged and is not handled yet.

use lifecycle::owed::Owed;
use ports::pieces::Interaction;

use crate::address::Address;

/// One item of a conversation's inbox.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Item {
    pub(crate) address: Address,
    /// The platform's delivery id.
    pub(crate) delivery: String,
    pub(crate) interaction: Interaction,
    /// Identity, access and first step of a message; the recording of a click whose time was over.
    pub(crate) handling: Owed,
    /// Which host began the attempt under way.
    pub(crate) host: String,
}
