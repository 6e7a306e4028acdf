//! The guards of the sandbox by name, and the switch with which `cargo xtask guards` takes one away, to see that nothing else
//! is what refuses.
//!
//! The switch is there with the feature `guard-switches` alone, which no other crate asks for: in every other build
//! [`stands`] is the constant `true`.

macro_rules! guards {
    ($($(#[$doc:meta])* $name:ident,)+) => {
        /// Something that keeps a piece from doing what it may not.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Guard {
            $($(#[$doc])* $name,)+
        }

        #[cfg(feature = "guard-switches")]
        impl Guard {
            /// Every guard that can be taken away.
            pub const ALL: &[Self] = &[$(Self::$name,)+];
        }
    };
}

guards! {
    /// How long a hook may compute.
    ComputingTime,
    /// A guest that computes gives way at every tick.
    Yielding,
    /// How long a hook may take, waits included.
    WallClock,
    /// Memory and tables together.
    Memory,
    /// How many tables and memories a component may have.
    Resources,
    /// How many tables, memories and core instances a running piece may have.
    InstanceParts,
    /// What one return may copy out of a guest.
    HostcallFuel,
    /// How long texts and lists may be that a guest returns.
    ResultSizes,
    /// What is called JSON is JSON.
    Json,
    /// The part of the calls in flight that one piece may have.
    Share,
    /// A piece runs once before it is switched to.
    TryOut,
    /// Nothing leaves a pure hook.
    PureEgress,
    /// The time stands still in a pure hook.
    PureClock,
    /// A pure hook's random bytes depend on the call.
    PureRandom,
    /// How many random bytes one call gives.
    RandomBytes,
    /// Only slots that the manifest declares.
    DeclaredSlot,
    /// Only slots that the operator granted.
    GrantedSlot,
    /// Only methods of the slot.
    Method,
    /// Only paths of the slot.
    PathPattern,
    /// Only paths that cannot be read in two ways.
    PathReading,
    /// A URL is what it was put together from.
    UrlRead,
    /// Headers that are the host's.
    HostHeaders,
    /// A secret is an account's own.
    AccountSecret,
    /// No redirect is followed.
    Redirect,
    /// No name that leads inside.
    ResolvedAddress,
    /// No literal address that is inside.
    LiteralAddress,
    /// No slot without TLS.
    Tls,
    /// The bytes of a request.
    RequestBytes,
    /// The bytes of a response.
    ResponseBytes,
    /// How long a response may take.
    ResponseTime,
    /// The bytes of all responses of a hook.
    ResponsesOfHook,
    /// The requests of a hook.
    RequestsOfHook,
    /// The requests of a batch.
    Batch,
    /// Nothing is sent after the deadline.
    Mute,
    /// Our secrets are taken out of what comes back.
    Redaction,
    /// The lines and bytes of a hook's log.
    Log,
    /// A locator leads to its own account.
    LocatorAccount,
    /// The bytes of a component.
    FileSize,
    /// Imports of the world alone.
    Imports,
}

/// Whether the guard stands.
#[cfg(not(feature = "guard-switches"))]
pub(crate) const fn stands(_: Guard) -> bool {
    true
}

#[cfg(feature = "guard-switches")]
mod switches {
    use std::sync::atomic::{AtomicU64, Ordering};

    use super::Guard;

    static OFF: AtomicU64 = AtomicU64::new(0);

    fn bit(guard: Guard) -> u64 {
        1 << (guard as u64)
    }

    pub(crate) fn stands(guard: Guard) -> bool {
        OFF.load(Ordering::SeqCst) & bit(guard) == 0
    }

    /// Takes these guards away and puts all others back.
    pub fn switch_off(guards: &[Guard]) {
        let off = guards.iter().fold(0, |off, guard| off | bit(*guard));
        OFF.store(off, Ordering::SeqCst);
    }
}

#[cfg(feature = "guard-switches")]
pub(crate) use switches::stands;
#[cfg(feature = "guard-switches")]
pub use switches::switch_off;
