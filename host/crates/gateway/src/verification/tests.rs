//! Known vectors first, then everything that must not pass.

use frogbot_manifest::{Encoding, Replay, Signed, Verification};
use http::{HeaderMap, HeaderName, HeaderValue};

use super::*;

/// A body that a platform signed in its documentation, in Base64 because it names the platform.
const V0_BODY: &str = "dG9rZW49eHl6ejBXYmFwQTR2QkNERUZhc3gwcTZHJnRlYW1faWQ9VDFEQzJKSDNKJnRlYW1fZG9tYWluPXRlc3R0ZWFtbm93\
     JmNoYW5uZWxfaWQ9RzhQU1M5VDNWJmNoYW5uZWxfbmFtZT1mb29iYXImdXNlcl9pZD1VMkNFUkxLSkEmdXNlcl9uYW1lPXJv\
     YWRydW5uZXImY29tbWFuZD0lMkZ3ZWJob29rLWNvbGxlY3QmdGV4dD0mcmVzcG9uc2VfdXJsPWh0dHBzJTNBJTJGJTJGaG9v\
     a3Muc2xhY2suY29tJTJGY29tbWFuZHMlMkZUMURDMkpIM0olMkYzOTc3MDA4ODU1NTQlMkY5NnJHbGZtaWJJR2xnY1pSc2tY\
     YUlGZk4mdHJpZ2dlcl9pZD0zOTg3Mzg2NjMwMTUuNDc0NDU2MjkxMjEuODAzYTBiYzg4N2ExNGQxMGQyYzQ0N2ZjZThiNjcw\
     M2M=";
const V0_SECRET: &str = "8f742231b10e8888abcd99yyyzzz85a5";
const V0_TIME: &str = "1531420618";
const V0_NOW_S: u64 = 1_531_420_618;
const V0_SIGNATURE: &str = "v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503";

/// HMAC over `v0:<time>:<body>`, in hex behind `v0=`, at most five minutes off.
fn v0() -> Verification {
    Verification::HmacSha256 {
        secret: "signing".to_owned(),
        header: "x-signature".to_owned(),
        prefix: "v0=".to_owned(),
        encoding: Encoding::Hex,
        signed: vec![
            Signed::Text("v0:".to_owned()),
            Signed::Header("x-time".to_owned()),
            Signed::Text(":".to_owned()),
            Signed::Body,
        ],
        replay: Some(Replay {
            header: "x-time".to_owned(),
            window_s: 300,
        }),
    }
}

/// HMAC over the body alone.
fn body_only(prefix: &str, encoding: Encoding) -> Verification {
    Verification::HmacSha256 {
        secret: "signing".to_owned(),
        header: "x-signature".to_owned(),
        prefix: prefix.to_owned(),
        encoding,
        signed: vec![Signed::Body],
        replay: None,
    }
}

fn ed25519() -> Verification {
    Verification::Ed25519 {
        key: "public".to_owned(),
        header: "x-signature".to_owned(),
        signed: vec![Signed::Header("x-time".to_owned()), Signed::Body],
        replay: None,
    }
}

struct Sent {
    headers: HeaderMap,
    body: Vec<u8>,
    now_s: u64,
}

impl Sent {
    fn new(headers: &[(&'static str, &str)], body: impl Into<Vec<u8>>) -> Self {
        let pair = |(name, value): &(&'static str, &str)| {
            (
                HeaderName::from_static(name),
                HeaderValue::from_str(value).unwrap(),
            )
        };
        let mut map = HeaderMap::new();
        for (name, value) in headers.iter().map(pair) {
            map.append(name, value);
        }
        Self {
            headers: map,
            body: body.into(),
            now_s: V0_NOW_S,
        }
    }

    fn v0() -> Self {
        Self::new(
            &[("x-time", V0_TIME), ("x-signature", V0_SIGNATURE)],
            STANDARD.decode(V0_BODY).unwrap(),
        )
    }

    fn at(mut self, now_s: u64) -> Self {
        self.now_s = now_s;
        self
    }

    fn passes(&self, recipe: &Verification, secret: &str) -> Result<(), Refusal> {
        let evidence = Evidence {
            headers: &self.headers,
            body: &self.body,
            now_s: self.now_s,
        };
        evidence.passes(recipe, secret)
    }
}

#[test]
fn vector_with_v0_prefix_passes() {
    assert_eq!(Sent::v0().passes(&v0(), V0_SECRET), Ok(()));
}

#[test]
fn vector_over_the_body_alone_passes() {
    let signature = "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17";
    let recipe = body_only("sha256=", Encoding::Hex);
    let sent = Sent::new(&[("x-signature", signature)], "Hello, World!");
    assert_eq!(sent.passes(&recipe, "It's a Secret to Everybody"), Ok(()));
    let upper = Sent::new(
        &[(
            "x-signature",
            &format!("sha256={}", signature[7..].to_uppercase()),
        )],
        "Hello, World!",
    );
    assert_eq!(upper.passes(&recipe, "It's a Secret to Everybody"), Ok(()));
}

#[test]
fn vector_in_base64_passes_and_only_with_its_padding() {
    let recipe = body_only("", Encoding::Base64);
    let sent = |signature| Sent::new(&[("x-signature", signature)], r#"{"id":1}"#);
    assert_eq!(
        sent("plW8VGqq0nDMIEhDqaNNW99asdUCy7EIqLZVcQwtAZ0=").passes(&recipe, "shop-secret"),
        Ok(())
    );
    let unpadded = sent("plW8VGqq0nDMIEhDqaNNW99asdUCy7EIqLZVcQwtAZ0").passes(&recipe, "shop-secret");
    assert_eq!(unpadded, Err(Refusal::Form("x-signature".to_owned())));
}

/// RFC 8032, section 7.1, test 3: the message `af82`, here in two pieces as a recipe signs them.
#[test]
fn vector_of_the_rfc_passes_with_its_key_alone() {
    let key = "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025";
    let signature = "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac\
                     18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a";
    let recipe = Verification::Ed25519 {
        key: "public".to_owned(),
        header: "x-signature".to_owned(),
        signed: vec![Signed::Text(String::new()), Signed::Body],
        replay: None,
    };
    let sent = Sent::new(&[("x-signature", signature)], [0xaf, 0x82]);
    assert_eq!(sent.passes(&recipe, key), Ok(()));
    let other = Sent::new(&[("x-signature", signature)], [0xaf, 0x83]);
    assert_eq!(other.passes(&recipe, key), Err(Refusal::Mismatch));
    let other_key = "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c";
    assert_eq!(sent.passes(&recipe, other_key), Err(Refusal::Mismatch));
}

#[test]
fn ed25519_signs_header_and_body() {
    use ed25519_dalek::{Signer, SigningKey};
    let signer = SigningKey::from_bytes(&[7; 32]);
    let key = hex::encode(signer.verifying_key().as_bytes());
    let signature = hex::encode(signer.sign(b"42body").to_bytes());
    let sent = |time: &'static str| Sent::new(&[("x-time", time), ("x-signature", &signature)], "body");
    assert_eq!(sent("42").passes(&ed25519(), &key), Ok(()));
    assert_eq!(sent("43").passes(&ed25519(), &key), Err(Refusal::Mismatch));
}

#[test]
fn key_that_is_none_is_the_operators_fault() {
    let sent = Sent::new(&[("x-time", "1"), ("x-signature", &"00".repeat(64))], "");
    for key in ["", "00", "zz", &"ff".repeat(31)] {
        assert_eq!(sent.passes(&ed25519(), key), Err(Refusal::Key), "{key}");
    }
}

/// With a key of small order, the all-zero signature would hold for every message if checked leniently.
#[test]
fn key_of_small_order_lets_nothing_in() {
    let identity = format!("01{}", "00".repeat(31));
    let signature = format!("{identity}{}", "00".repeat(32));
    let sent = Sent::new(&[("x-time", "1"), ("x-signature", &signature)], "anything");
    assert_eq!(sent.passes(&ed25519(), &identity), Err(Refusal::Mismatch));
}

#[test]
fn tampered_body_is_refused() {
    let mut sent = Sent::v0();
    sent.body[0] ^= 1;
    assert_eq!(sent.passes(&v0(), V0_SECRET), Err(Refusal::Mismatch));
}

#[test]
fn tampered_time_is_refused() {
    let mut sent = Sent::v0();
    sent.headers
        .insert("x-time", HeaderValue::from_static("1531420619"));
    assert_eq!(sent.passes(&v0(), V0_SECRET), Err(Refusal::Mismatch));
}

#[test]
fn other_secret_is_refused() {
    assert_eq!(
        Sent::v0().passes(&v0(), "8f742231b10e8888abcd99yyyzzz85a6"),
        Err(Refusal::Mismatch)
    );
}

#[test]
fn replay_window_holds_in_both_directions() {
    for (now_s, seconds_off) in [
        (V0_NOW_S + 301, 301),
        (V0_NOW_S - 301, 301),
        (V0_NOW_S + 3_600, 3_600),
    ] {
        let refusal = Refusal::Replay {
            seconds_off,
            window_s: 300,
        };
        assert_eq!(Sent::v0().at(now_s).passes(&v0(), V0_SECRET), Err(refusal));
    }
    for now_s in [V0_NOW_S + 300, V0_NOW_S - 300] {
        assert_eq!(Sent::v0().at(now_s).passes(&v0(), V0_SECRET), Ok(()));
    }
}

#[test]
fn time_that_is_no_whole_number_is_refused() {
    for time in [
        "",
        "+1531420618",
        "-1",
        "1531420618.0",
        " 1531420618x",
        "99999999999999999999",
    ] {
        let mut sent = Sent::v0();
        sent.headers
            .insert("x-time", HeaderValue::from_str(time).unwrap());
        assert_eq!(
            sent.passes(&v0(), V0_SECRET),
            Err(Refusal::Form("x-time".to_owned())),
            "{time:?}"
        );
    }
}

#[test]
fn signature_in_another_form_is_refused() {
    let bare = &V0_SIGNATURE[3..];
    let forms = [
        bare.to_owned(),
        format!("v1={bare}"),
        "v0=".to_owned() + "zz",
        format!("v0= {bare}"),
        format!("{V0_SIGNATURE},"),
    ];
    for form in forms {
        let mut sent = Sent::v0();
        sent.headers
            .insert("x-signature", HeaderValue::from_str(&form).unwrap());
        assert_eq!(
            sent.passes(&v0(), V0_SECRET),
            Err(Refusal::Form("x-signature".to_owned())),
            "{form}"
        );
    }
}

/// A prefix of the right signature is no signature.
#[test]
fn shortened_signature_is_refused() {
    for bytes in [0, 1, 16, 31] {
        let mut sent = Sent::v0();
        let short = HeaderValue::from_str(&V0_SIGNATURE[..3 + 2 * bytes]).unwrap();
        sent.headers.insert("x-signature", short);
        assert_eq!(
            sent.passes(&v0(), V0_SECRET),
            Err(Refusal::Mismatch),
            "{bytes} bytes"
        );
    }
}

#[test]
fn missing_and_repeated_headers_are_refused() {
    for header in ["x-signature", "x-time"] {
        let refusal = |found| {
            Err(Refusal::HeaderCount {
                header: header.to_owned(),
                found,
            })
        };
        let mut sent = Sent::v0();
        let value = sent.headers.remove(header).unwrap();
        assert_eq!(sent.passes(&v0(), V0_SECRET), refusal(0));
        sent.headers.append(header, value.clone());
        sent.headers.append(header, value);
        assert_eq!(sent.passes(&v0(), V0_SECRET), refusal(2));
    }
}

#[test]
fn header_that_is_no_text_is_refused() {
    for header in ["x-signature", "x-time"] {
        let mut sent = Sent::v0();
        sent.headers
            .insert(header, HeaderValue::from_bytes(&[0xff, 0xfe]).unwrap());
        assert_eq!(
            sent.passes(&v0(), V0_SECRET),
            Err(Refusal::HeaderText(header.to_owned()))
        );
    }
}

#[test]
fn shared_secret_is_compared_whole() {
    let recipe = Verification::SharedSecret {
        secret: "token".to_owned(),
        header: "x-token".to_owned(),
        prefix: "Bearer ".to_owned(),
    };
    let passes = |value| Sent::new(&[("x-token", value)], "").passes(&recipe, "s3cret");
    assert_eq!(passes("Bearer s3cret"), Ok(()));
    for value in ["Bearer ", "Bearer s3cre", "Bearer s3crets", "Bearer S3cret"] {
        assert_eq!(passes(value), Err(Refusal::Mismatch), "{value}");
    }
    for value in ["s3cret", "bearer s3cret"] {
        assert_eq!(passes(value), Err(Refusal::Form("x-token".to_owned())), "{value}");
    }
}

#[test]
fn no_refusal_shows_a_value() {
    let recipe = v0();
    let mut shown = String::new();
    for header in ["x-signature", "x-time"] {
        let mut sent = Sent::v0();
        sent.headers.insert(header, HeaderValue::from_static("private"));
        shown += &sent.passes(&recipe, V0_SECRET).unwrap_err().to_string();
    }
    shown += &Sent::v0().passes(&recipe, "private").unwrap_err().to_string();
    assert!(
        !shown.contains("private") && !shown.contains(V0_SECRET),
        "{shown}"
    );
}
