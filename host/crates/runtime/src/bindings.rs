//! What `bindgen!` makes of the contract. These types stop in this crate: `convert` turns them into those of `ports`.
//!
//! One world is enough: `channel-questions-piece` is `channel-piece` and one more export, and each export has indices of
//! its own, so a piece without questions simply has none for `channel-questions`.

#![allow(missing_docs, unreachable_pub, clippy::all, reason = "generated")]

wasmtime::component::bindgen!({
    path: "../../../wit",
    world: "channel-questions-piece",
    imports: {
        "frogbot:piece/http": async | trappable,
        default: trappable,
    },
    exports: { default: async },
});
