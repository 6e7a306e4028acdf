//! What `wit-bindgen` makes of the contract in `wit/`. The rest of the crate gives these types and functions their
//! pleasant form; a piece reaches them by the names at the root of the crate, the macros by this path.

/// The world of a channel with questions: every noun, every import, and the exports of both interfaces.
pub mod questions {
    wit_bindgen::generate!({
        path: "../../wit",
        world: "channel-questions-piece",
        additional_derives: [Clone, PartialEq],
        generate_unused_types: true,
        pub_export_macro: true,
        export_macro_name: "export_questions_world",
        runtime_path: "::frogbot_piece::wit_bindgen::rt",
    });
}

/// The world of a channel without questions, for its type alone: a piece of either world exports `channel`, so its section can
/// stand in every piece, while the exports themselves are those above.
mod channel {
    wit_bindgen::generate!({
        path: "../../wit",
        world: "channel-piece",
        runtime_path: "::frogbot_piece::wit_bindgen::rt",
        disable_custom_section_link_helpers: true,
        with: {
            "frogbot:piece/types@0.1.0": super::questions::frogbot::piece::types,
            "frogbot:piece/http@0.1.0": super::questions::frogbot::piece::http,
            "frogbot:piece/log@0.1.0": super::questions::frogbot::piece::log,
            "frogbot:piece/clock@0.1.0": super::questions::frogbot::piece::clock,
            "frogbot:piece/random@0.1.0": super::questions::frogbot::piece::random,
            "frogbot:piece/modal-locator@0.1.0": super::questions::frogbot::piece::modal_locator,
        },
    });
}
