//! A piece as it is shown.

use frogbot_manifest::{Manifest, SectionProblem, embed};

use super::{InspectProblem, Inspection, inspect};
use crate::interface::InterfaceProblem;
use crate::wit::tests::dummy;

const PIECE: &str = r#"
name = "square"
version = "1.2.3"
world = "0.1"
description = "Questions on the village square"
licence = "MIT"
hooks = ["identity", "updated"]

[slots.api]
base = "https://api.example.org/v2"
purpose = "posts cards and edits them"
methods = ["GET", "POST"]
paths = ["/posts", "/posts/*"]
auth = { kind = "header", name = "x-token", prefix = "Token ", secret = "token" }

[slots.own]
purpose = "asks your own server"
methods = ["GET"]
paths = ["/**"]

[secrets]
token = "the bot's token"
signing = "the webhook's signing secret"

[verification]
kind = "hmac-sha256"
secret = "signing"
header = "x-signature"
prefix = "v0="
encoding = "hex"
signed = [{ text = "v0:" }, { header = "x-time" }, "body"]
replay = { header = "x-time", window_s = 300 }

[options.colour]
description = "the colour of a card"
type = "string"
default = "green\u001B[2J\u202E"
"#;

const SCREEN: &str = r#"square 1.2.3: Questions on the village square
  kind            a channel with questions, world 0.1
  licence         MIT
  source          not given
  optional hooks  identity, updated
  notices go to   the participant only
"#;

const ABILITIES: &str = r#"
It can send requests to these places, and to no other:
  https://api.example.org/v2 (api): posts cards and edits them
    GET, POST /posts /posts/*
    with the secret `token` in the header `x-token` behind "Token "
    at most 262144 bytes there, 1048576 bytes back, 10000 ms
  the host that you configure (own): asks your own server
    GET /**
    with no credential
    at most 262144 bytes there, 1048576 bytes back, 10000 ms

It needs these secrets, whose values it never sees:
  signing: the webhook's signing secret
  token: the bot's token

The platform's requests are verified by the host:
  HMAC-SHA256 with the secret `signing` over "v0:" + the header `x-time` + the body, compared with the header `x-signature` in hex behind "v0="; `x-time` at most 300 s from now

Its options:
  colour: the colour of a card (a text, "green\u001b[2J\u{202e}" unless set)

Imports:
"#;

pub(crate) fn manifest() -> Manifest {
    Manifest::from_toml(PIECE).unwrap()
}

fn shown() -> Inspection {
    inspect(&embed(&dummy("channel-questions-piece"), &manifest()).unwrap()).unwrap()
}

#[test]
fn screen_tells_what_the_piece_is_and_everything_it_could_do() {
    let screen = shown().to_string();
    assert!(screen.starts_with(SCREEN), "{screen}");
    assert!(screen.contains(ABILITIES), "{screen}");
    assert!(
        screen.contains("\nExports:\n  frogbot:piece/channel@0.1.0\n"),
        "{screen}"
    );
}

#[test]
fn no_text_of_the_piece_can_move_the_cursor_or_hide_a_line() {
    let screen = shown().to_string();
    assert!(
        screen
            .chars()
            .all(|char| char == '\n' || (!char.is_control() && char != '\u{202e}')),
        "{screen:?}"
    );
}

#[test]
fn digest_is_the_files() {
    // SHA-256 of nothing is known; that of the file must differ when one byte does.
    let wasm = embed(&dummy("channel-piece"), &manifest()).unwrap();
    let mut other = manifest();
    other.licence = "ISC".to_owned();
    let changed = embed(&dummy("channel-piece"), &other).unwrap();
    let digest = |wasm: &[u8]| inspect(wasm).unwrap().sha256;
    assert_eq!(digest(&wasm).len(), 64);
    assert_ne!(digest(&wasm), digest(&changed));
}

#[test]
fn programs_get_the_same() {
    let json = serde_json::to_value(shown()).unwrap();
    assert_eq!(json["reaches"][0]["methods"], serde_json::json!(["GET", "POST"]));
    assert_eq!(json["questions"], true);
    assert_eq!(json["options"]["colour"]["type"], "string");
}

#[test]
fn what_cannot_be_trusted_is_not_shown() {
    let component = dummy("channel-piece");
    assert_eq!(
        inspect(&component),
        Err(InspectProblem::Section(SectionProblem::Missing))
    );
    assert_eq!(
        inspect(b"\0asm\x01\0\0\0"),
        Err(InspectProblem::Interface(InterfaceProblem::CoreModule))
    );
    let mut invalid = manifest();
    invalid.name = "../square".to_owned();
    let wasm = embed(&component, &invalid).unwrap();
    assert!(matches!(
        inspect(&wasm),
        Err(InspectProblem::Section(SectionProblem::Invalid { .. }))
    ));
}
