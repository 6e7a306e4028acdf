//! A manifest as its author writes it, and every nested place where a key could be misspelled.

use super::AuthorProblem;
use crate::{Auth, Manifest, Verification};

/// A manifest that uses everything there is.
pub(crate) const FULL: &str = r#"
name = "square"
version = "1.2.3"
world = "0.1"
description = "Questions on the village square"
licence = "MIT OR Apache-2.0"
source = "https://example.org/square"
hooks = ["identity", "updated"]
notices_public = true

[slots.api]
base = "https://api.example.org:8443/v2"
purpose = "posts cards and edits them"
methods = ["GET", "POST"]
paths = ["/posts", "/posts/*", "/files/**"]
auth = { kind = "header", name = "x-token", prefix = "Token ", secret = "token" }
request_bytes_max = 1000
response_bytes_max = 2000
timeout_ms = 3000

[slots.open]
base = "https://static.example.org"
purpose = "reads pictures"
methods = ["GET"]
paths = ["/"]
auth = { kind = "none" }

[secrets]
token = "the bot's token"
signing = "the webhook's signing secret"

[verification]
kind = "hmac-sha256"
secret = "signing"
header = "x-signature"
prefix = "v0="
encoding = "hex"
signed = [{ text = "v0:" }, { header = "x-time" }, { text = ":" }, "body"]
replay = { header = "x-time", window_s = 300 }

[options.colour]
description = "the colour of a card"
type = "string"
default = "green"
"#;

pub(crate) fn full() -> Manifest {
    Manifest::from_toml(FULL).unwrap()
}

fn refusal(text: &str) -> String {
    match Manifest::from_toml(text) {
        Err(AuthorProblem::Unreadable { reason }) => reason,
        other => panic!("expected an unreadable manifest, got {other:?}"),
    }
}

#[test]
fn full_manifest_is_read() {
    let manifest = full();
    assert_eq!(manifest.name, "square");
    assert_eq!(manifest.slots["open"].auth, Auth::None);
    assert!(matches!(manifest.verification, Verification::HmacSha256 { .. }));
}

#[test]
fn unknown_key_is_refused_in_every_nested_place() {
    let places = [
        ("name = \"square\"", "name = \"square\"\nbogus = 1"),
        (
            "purpose = \"reads pictures\"",
            "purpose = \"reads pictures\"\nbogus = 1",
        ),
        ("{ kind = \"none\" }", "{ kind = \"none\", bogus = 1 }"),
        (
            "{ kind = \"none\" }",
            "{ kind = \"bearer\", secret = \"token\", bogus = 1 }",
        ),
        (
            "{ kind = \"none\" }",
            "{ kind = \"path\", secret = \"token\", bogus = 1 }",
        ),
        ("secret = \"token\" }", "secret = \"token\", bogus = 1 }"),
        ("kind = \"hmac-sha256\"", "kind = \"hmac-sha256\"\nbogus = 1"),
        ("window_s = 300", "window_s = 300, bogus = 1"),
        ("type = \"string\"", "type = \"string\"\nbogus = 1"),
        ("{ text = \":\" }", "{ bogus = \":\" }"),
    ];
    for (known, with_unknown) in places {
        let text = FULL.replacen(known, with_unknown, 1);
        assert_ne!(text, FULL, "{known} is not in the manifest");
        let reason = refusal(&text);
        assert!(
            reason.contains("unknown") && reason.contains("`bogus`"),
            "{with_unknown}: {reason}"
        );
    }
}

#[test]
fn unknown_key_is_refused_in_every_verification() {
    let (before, after) = FULL.split_once("[verification]").unwrap();
    let (_, options) = after.split_once("[options.colour]").unwrap();
    for verification in [
        "kind = \"ed25519\"\nkey = \"signing\"\nheader = \"x-signature\"\nsigned = [\"body\"]",
        "kind = \"shared-secret\"\nsecret = \"signing\"\nheader = \"x-secret\"",
    ] {
        let with =
            |more: &str| format!("{before}[verification]\n{verification}\n{more}\n[options.colour]{options}");
        Manifest::from_toml(&with("")).unwrap();
        let reason = refusal(&with("bogus = 1"));
        assert!(reason.contains("`bogus`"), "{verification}: {reason}");
    }
}

#[test]
fn a_part_of_the_signed_text_is_one_thing() {
    refusal(&FULL.replacen("{ text = \":\" }", "{ text = \":\", header = \"x-time\" }", 1));
}

#[test]
fn misspelled_key_names_the_one_that_was_meant() {
    let reason = refusal(&FULL.replacen("notices_public", "notice_public", 1));
    assert!(reason.ends_with("did you mean `notices_public`"), "{reason}");
}

#[test]
fn every_rule_that_is_broken_is_told_at_once() {
    let text = FULL
        .replacen("\"square\"", "\"Square\"", 1)
        .replacen("\"0.1\"", "\"0.3\"", 1);
    let problem = Manifest::from_toml(&text).unwrap_err().to_string();
    assert!(
        problem.contains("\n  name: ") && problem.contains("expected world 0.1, found \"0.3\""),
        "{problem}"
    );
}
