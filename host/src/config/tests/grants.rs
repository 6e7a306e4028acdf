//! What is told of a slot whose grant and piece do not agree.

use super::Case;

pub(super) const CASES: &[Case] = &[
    (
        "slots.api = { grant = \"https://forum.example\" }",
        "",
        "frogbot.toml:10: channels.forum.slots.api: `forum` sends requests to https://forum.example/api \
            (posts: POST on /posts), which is not granted; add `slots.api = { grant = \"https://forum.example\" }`",
    ),
    (
        "grant = \"https://forum.example\"",
        "allow_private = []",
        "frogbot.toml:15: channels.forum.slots.api: `forum` sends requests to https://forum.example/api \
            (posts: POST on /posts), which is not granted; add `slots.api = { grant = \"https://forum.example\" }`",
    ),
    (
        "\"https://forum.example\"",
        "true",
        "frogbot.toml:15: channels.forum.slots.api.grant: expected the place that is granted, found true or false; \
            write `grant = \"https://forum.example\"`",
    ),
    (
        "\"https://forum.example\"",
        "[\"https://forum.example\"]",
        "frogbot.toml:15: channels.forum.slots.api.grant: expected a text, found a list",
    ),
    (
        "piece = \"forum\"",
        "piece = \"replaced\"",
        "frogbot.toml:15: channels.forum.slots.api.grant: expected https://forum.example, the piece asks for \
            https://forum.example.evil; put back the piece that you granted this to, or write \
            `grant = \"https://forum.example.evil\"` if its requests and their secret shall go there",
    ),
    (
        "piece = \"forum\"",
        "piece = \"homeless\"",
        "frogbot.toml:15: channels.forum.slots.api.grant: the piece has no base URL of its own; set \
            `base = \"https://host\"` instead",
    ),
    // The same origin in another spelling.
    ("\"https://forum.example\"", "\"https://FORUM.example:443/\"", ""),
    (
        "\"https://forum.example\"",
        "\"https://forum.example:8443\"",
        "frogbot.toml:15: channels.forum.slots.api.grant: expected https://forum.example:8443, the piece asks for …",
    ),
    (
        "\"https://forum.example\"",
        "\"http://forum.example\"",
        "frogbot.toml:15: channels.forum.slots.api.grant: expected http://forum.example, the piece asks for …",
    ),
    (
        "\"https://forum.example\"",
        "\"https://forum.example/api\"",
        "frogbot.toml:15: channels.forum.slots.api.grant: expected an origin, `https://host[:port]`, found \
            \"https://forum.example/api\" with a path; write `grant = \"https://forum.example\"`",
    ),
    (
        "\"https://forum.example\"",
        "\"forum.example\"",
        "frogbot.toml:15: channels.forum.slots.api.grant: expected an origin, `https://host[:port]`, found …",
    ),
    (
        "\"https://forum.example\" }",
        "true, base = \"https://forum.example\" }",
        "frogbot.toml:15: channels.forum.slots.api.grant: the slot is granted by its `base` already; remove `grant`",
    ),
    (
        "slots.api",
        "slots.apis = { grant = true }\nslots.api",
        "frogbot.toml:15: channels.forum.slots.apis: `forum` has no such slot; did you mean `api`",
    ),
    (
        "grant = \"https://forum.example\"",
        "base = \"http://forum.example\"",
        "frogbot.toml:15: channels.forum.slots.api.base: \
            expected https; if the piece shall reach it in plain text, add `allow_private = [\"forum.example\"]`",
    ),
    (
        "grant = \"https://forum.example\"",
        "base = \"https://a:b@forum.example\"",
        "frogbot.toml:15: channels.forum.slots.api.base: expected `https://host[:port][/path]`, found …",
    ),
];
