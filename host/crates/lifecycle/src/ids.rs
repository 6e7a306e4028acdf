//! Names of things, each its own type.

use alloc::string::String;
use core::fmt;

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub String);

        impl $name {
            /// The id's text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    };
}

id!(
    /// A question call: at most 12 characters of `[a-z0-9]`, unique in its conversation, made by [`CallId::numbered`].
    CallId
);
id!(
    /// A platform's message: unique in its room.
    MessageId
);

impl CallId {
    /// The `n`th call of a conversation. Ids of one conversation sort in the order of their calls up to the ten
    /// billionth.
    pub fn numbered(n: u64) -> Self {
        Self(alloc::format!("q{n:010}"))
    }
}
