//! Every rule of a manifest, each broken alone.

use serde_json::{Value, json};

use crate::author::tests::full;
use crate::{Auth, Encoding, Manifest, OptionSpec, OptionType, OptionalHook, Replay, Signed, Verification};

/// The paths of the problems of the full manifest after one change.
fn paths(change: impl FnOnce(&mut Manifest)) -> Vec<String> {
    let mut manifest = full();
    change(&mut manifest);
    manifest
        .problems()
        .into_iter()
        .map(|problem| problem.path)
        .collect()
}

fn with_base(base: &str) -> Vec<String> {
    paths(|manifest| manifest.slots.get_mut("api").unwrap().base = base.to_owned())
}

fn with_pattern(pattern: &str) -> Vec<String> {
    paths(|manifest| manifest.slots.get_mut("api").unwrap().paths = vec![pattern.to_owned()])
}

fn with_signed(signed: &[Signed], replay: Option<&str>) -> Vec<String> {
    paths(|manifest| {
        manifest.verification = Verification::HmacSha256 {
            secret: "signing".to_owned(),
            header: "x-signature".to_owned(),
            prefix: String::new(),
            encoding: Encoding::Base64,
            signed: signed.to_vec(),
            replay: replay.map(|header| Replay {
                header: header.to_owned(),
                window_s: 300,
            }),
        };
    })
}

#[test]
fn full_manifest_has_no_problem() {
    assert_eq!(full().problems(), []);
}

#[test]
fn names_keep_their_pattern() {
    for name in ["", "Square", "1square", "-a", "a_b", "a/b", "ä", &"a".repeat(41)] {
        assert_eq!(
            paths(|manifest| manifest.name = name.to_owned()),
            ["name"],
            "{name}"
        );
    }
    assert!(paths(|manifest| manifest.name = "a".repeat(40)).is_empty());
    let slot = full().slots["open"].clone();
    assert_eq!(
        paths(|manifest| drop(manifest.slots.insert("A b".to_owned(), slot))),
        ["slots.A b"]
    );
}

#[test]
fn world_is_the_one_of_this_build() {
    assert_eq!(paths(|manifest| manifest.world = "0.2".to_owned()), ["world"]);
}

#[test]
fn lines_for_people_are_one_plain_short_line() {
    for line in [
        "",
        "  ",
        "two\nlines",
        "\u{1b}[2Jgone",
        "safe\u{202e}evil",
        "hid\u{200b}den",
        &"x".repeat(201),
    ] {
        assert_eq!(
            paths(|manifest| manifest.description = line.to_owned()),
            ["description"],
            "{line:?}"
        );
        assert_eq!(
            paths(|manifest| manifest.slots.get_mut("api").unwrap().purpose = line.to_owned()),
            ["slots.api.purpose"]
        );
    }
    assert!(paths(|manifest| manifest.source = String::new()).is_empty());
    assert!(paths(|manifest| manifest.description = "ü".repeat(200)).is_empty());
}

#[test]
fn hook_listed_twice_is_flagged() {
    let twice = vec![OptionalHook::Stale, OptionalHook::Stale];
    assert_eq!(paths(|manifest| manifest.hooks = twice), ["hooks[1]"]);
}

#[test]
fn base_is_an_https_host_and_nothing_hidden() {
    for base in [
        "",
        "https://a.example",
        "https://a.example:1/b/c.d",
        "https://localhost",
    ] {
        assert!(with_base(base).is_empty(), "{base}");
    }
    for base in [
        "http://a.example",
        "https://",
        "https:///a",
        "https://a.example/",
        "https://a.example/b/",
        "https://a.example?x=1",
        "https://a.example/b?x=1",
        "https://a.example#b",
        "https://user@a.example",
        "https://user:secret@a.example",
        "https://a.example:0",
        "https://a.example:65536",
        "https://a.example:+1",
        "https://a.example:",
        "https://A.example",
        "https://a..example",
        "https://a.example.",
        "https://-a.example",
        "https://a.example\\b",
        "https://a.example/../b",
        "https://a.example/%2e%2e/b",
        "https://169.254.169.254",
        "https://2852039166",
        "https://0xa9fea9fe",
        "https://[::1]",
        "https://*.example",
    ] {
        assert_eq!(with_base(base), ["slots.api.base"], "{base}");
    }
}

#[test]
fn methods_are_known_and_listed_once() {
    let with = |methods: &[&str]| {
        paths(|manifest| {
            manifest.slots.get_mut("api").unwrap().methods =
                methods.iter().map(|&method| method.to_owned()).collect();
        })
    };
    assert!(with(&["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"]).is_empty());
    assert_eq!(with(&[]), ["slots.api.methods"]);
    assert_eq!(
        with(&["GET", "post", "CONNECT", "GET"]),
        [
            "slots.api.methods[1]",
            "slots.api.methods[2]",
            "slots.api.methods[3]"
        ]
    );
}

#[test]
fn path_patterns_are_literal_star_or_trailing_stars() {
    for pattern in ["/", "/a", "/a.b/c:d", "/*", "/**", "/a/*/b/**"] {
        assert!(with_pattern(pattern).is_empty(), "{pattern}");
    }
    for pattern in [
        "", "a", "//", "/a/", "/a//b", "/a/../b", "/./a", "/a*", "/a/**/b", "/a?b", "/a#b", "/%61", "/a b",
        "/a\\b",
    ] {
        assert_eq!(with_pattern(pattern), ["slots.api.paths[0]"], "{pattern}");
    }
    assert_eq!(
        paths(|manifest| manifest.slots.get_mut("api").unwrap().paths.clear()),
        ["slots.api.paths"]
    );
}

#[test]
fn credential_goes_into_a_header_or_a_segment_of_its_own() {
    let with = |auth: Auth| paths(|manifest| manifest.slots.get_mut("api").unwrap().auth = auth);
    let header = |name: &str, prefix: &str| Auth::Header {
        name: name.to_owned(),
        prefix: prefix.to_owned(),
        secret: "token".to_owned(),
    };
    let path = |prefix: &str| Auth::Path {
        prefix: prefix.to_owned(),
        secret: "token".to_owned(),
    };
    assert!(with(header("x-token", "")).is_empty());
    assert!(with(path("bot")).is_empty());
    for name in [
        "",
        "X-Token",
        "x token",
        "x:y",
        "host",
        "content-length",
        "transfer-encoding",
        "proxy-authorization",
    ] {
        assert_eq!(with(header(name, "")), ["slots.api.auth.name"], "{name}");
    }
    assert_eq!(with(header("x-token", "a\r\nb: ")), ["slots.api.auth.prefix"]);
    for prefix in ["a/", "../", "a?", "%2f"] {
        assert_eq!(with(path(prefix)), ["slots.api.auth.prefix"], "{prefix}");
    }
}

#[test]
fn limits_of_a_slot_stay_within_the_maxima() {
    let with = |request, response, timeout| {
        paths(|manifest| {
            let slot = manifest.slots.get_mut("api").unwrap();
            (slot.request_bytes_max, slot.response_bytes_max, slot.timeout_ms) = (request, response, timeout);
        })
    };
    assert!(with(1024 * 1024, 4 * 1024 * 1024, 30_000).is_empty());
    let all = [
        "slots.api.request_bytes_max",
        "slots.api.response_bytes_max",
        "slots.api.timeout_ms",
    ];
    assert_eq!(with(0, 0, 0), all);
    assert_eq!(with(1024 * 1024 + 1, 4 * 1024 * 1024 + 1, 30_001), all);
}

#[test]
fn verification_signs_the_body() {
    assert!(with_signed(&[Signed::Body], None).is_empty());
    assert_eq!(
        with_signed(&[Signed::Header("x-time".to_owned())], None),
        ["verification.signed"]
    );
    assert_eq!(with_signed(&[], None), ["verification.signed"]);
    assert_eq!(
        with_signed(
            &[
                Signed::Body,
                Signed::Text(String::new()),
                Signed::Header("X-Time".to_owned())
            ],
            None
        ),
        ["verification.signed[1]", "verification.signed[2]"]
    );
}

#[test]
fn time_of_a_replay_window_is_itself_signed() {
    let signed = [Signed::Header("x-time".to_owned()), Signed::Body];
    assert!(with_signed(&signed, Some("x-time")).is_empty());
    assert_eq!(
        with_signed(&signed, Some("x-other")),
        ["verification.replay.header"]
    );
    for window in [0, 901] {
        let found = paths(|manifest| {
            if let Verification::HmacSha256 {
                replay: Some(replay), ..
            } = &mut manifest.verification
            {
                replay.window_s = window;
            }
        });
        assert_eq!(found, ["verification.replay.window_s"]);
    }
}

#[test]
fn every_kind_of_verification_names_a_header_and_a_described_secret() {
    let kinds: [(Verification, &[&str]); 3] = [
        (
            Verification::Ed25519 {
                key: "absent".to_owned(),
                header: "X-Sig".to_owned(),
                signed: vec![],
                replay: None,
            },
            &[
                "verification.header",
                "verification.signed",
                "verification.key",
                "secrets.signing",
            ],
        ),
        (
            Verification::SharedSecret {
                secret: "absent".to_owned(),
                header: String::new(),
                prefix: "\n".to_owned(),
            },
            &[
                "verification.header",
                "verification.prefix",
                "verification.secret",
                "secrets.signing",
            ],
        ),
        (
            Verification::HmacSha256 {
                secret: "absent".to_owned(),
                header: "x sig".to_owned(),
                prefix: "\t".to_owned(),
                encoding: Encoding::Hex,
                signed: vec![Signed::Body],
                replay: None,
            },
            &[
                "verification.header",
                "verification.prefix",
                "verification.secret",
                "secrets.signing",
            ],
        ),
    ];
    for (verification, expected) in kinds {
        assert_eq!(paths(|manifest| manifest.verification = verification), expected);
    }
}

#[test]
fn secrets_are_described_and_used() {
    assert_eq!(
        paths(|manifest| drop(manifest.secrets.remove("token"))),
        ["slots.api.auth.secret"]
    );
    assert_eq!(
        paths(|manifest| drop(
            manifest
                .secrets
                .insert("idle".to_owned(), "nobody uses it".to_owned())
        )),
        ["secrets.idle"]
    );
    assert_eq!(
        paths(|manifest| drop(manifest.secrets.insert("token".to_owned(), String::new()))),
        ["secrets.token"]
    );
}

#[test]
fn default_of_an_option_has_its_type() {
    let with = |kind, required, default: Option<Value>| {
        paths(|manifest| {
            let option = OptionSpec {
                description: "an option".to_owned(),
                kind,
                required,
                default,
            };
            manifest.options.insert("extra".to_owned(), option);
        })
    };
    let values = [json!("a"), json!(true), json!(-3), json!(["a", "b"])];
    let kinds = [
        OptionType::String,
        OptionType::Boolean,
        OptionType::Integer,
        OptionType::Strings,
    ];
    for (row, kind) in kinds.into_iter().enumerate() {
        assert!(with(kind, true, None).is_empty());
        for (column, value) in values.iter().enumerate() {
            let found = with(kind, false, Some(value.clone()));
            assert_eq!(found.is_empty(), row == column, "{kind:?} {value}");
        }
    }
    assert_eq!(
        with(OptionType::Integer, false, Some(json!(1.5))),
        ["options.extra.default"]
    );
    assert_eq!(
        with(OptionType::Strings, false, Some(json!(["a", 1]))),
        ["options.extra.default"]
    );
    assert_eq!(
        with(OptionType::String, true, Some(json!("a"))),
        ["options.extra.default"]
    );
}
