//! Who did something.

use alloc::string::String;
use alloc::vec::Vec;

/// A resolved participant: who answered, or whose message started a turn.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Actor {
    /// The configured channel it came through.
    pub channel: String,
    /// The name of the channel's piece.
    pub piece: String,
    /// The tenant inside the channel.
    pub account: String,
    /// The platform's id of the person, unique in the account.
    pub id: String,
    /// A name to show; may be empty.
    pub name: String,
    /// Roles on the platform, and `external` for people of another tenant.
    pub roles: Vec<String>,
    /// An e-mail address as the piece's `identity` found it.
    pub email: Option<String>,
    /// The id of the configured user this person is, if any.
    pub user: Option<String>,
}
