//! Where the host's functions come from: the imports of the component, or the fake of a native build.

#[cfg(target_arch = "wasm32")]
mod imported {
    use crate::bindings::questions::frogbot::piece;

    pub(crate) use piece::clock::now;
    pub(crate) use piece::http::{send, send_all};
    pub(crate) use piece::log::write;
    pub(crate) use piece::modal_locator::encode as modal_locator;
    pub(crate) use piece::random::bytes;
}

#[cfg(target_arch = "wasm32")]
pub(crate) use imported::{bytes, modal_locator, now, send, send_all, write};

#[cfg(not(target_arch = "wasm32"))]
pub(crate) use crate::testing::host::{bytes, modal_locator, now, send, send_all, write};
