//! The way out: what is sent, with which credential, and everything that is not.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use ports::pieces::FaultKind;
use runtime::{ChannelSetup, Secret, SecretSource, SecretUnavailable, SlotGrant};
use serde_json::{Value, json};

use crate::platform::Platform;
use crate::stage::{Stage, TOKEN, config, manifest, secret, setup, slot};

/// A channel whose slot leads to the platform, as its operator allows.
pub(crate) fn to(platform: &Platform) -> ChannelSetup {
    let base = format!("http://{}/api", platform.address).parse().expect("a URL");
    let grant = SlotGrant {
        base: Some(base),
        allow_private: vec![platform.address.to_string()],
    };
    ChannelSetup {
        grants: BTreeMap::from([("api".to_owned(), grant)]),
        ..setup()
    }
}

async fn stage(platform: &Platform, slot_changes: Value) -> Stage {
    Stage::with(
        config(),
        manifest(json!({ "slots": { "api": slot(slot_changes) } })),
        to(platform),
    )
    .await
}

async fn send(stage: &Stage, request: &str) -> String {
    stage
        .act(&format!("send\n{request}"))
        .await
        .expect("the hook returns")
}

#[tokio::test]
async fn a_request_carries_the_credential_and_the_answer_does_not() {
    let platform = Platform::start().await;
    let stage = stage(&platform, json!({})).await;
    let told = send(&stage, "api\nPOST\n/open/echo?a=b\nnormal\n-\nx-note: hi\n\nbody").await;
    let heard = platform.heard().remove(0);
    assert!(
        heard.starts_with("POST /api/open/echo?a=b HTTP/1.1\r\n"),
        "{heard}"
    );
    assert!(
        heard.contains(&format!("authorization: Bearer {TOKEN}\r\n")),
        "{heard}"
    );
    assert!(
        heard.contains("x-note: hi\r\n") && heard.contains("user-agent: frogbot/"),
        "{heard}"
    );
    assert!(heard.ends_with("\r\n\r\nbody"), "{heard}");
    assert!(
        told.starts_with("200 ") && told.contains("Bearer [secret]"),
        "{told}"
    );
    assert!(!told.contains(TOKEN), "{told}");
    assert!(
        told.contains(r#"("x-said", "Bearer [secret]")"#),
        "in headers too: {told}"
    );
}

#[tokio::test]
async fn no_secret_stands_anywhere_in_a_guests_memory() {
    let platform = Platform::start().await;
    let stage = stage(&platform, json!({})).await;
    let raised = |text: &str| text.bytes().map(|byte| char::from(byte + 1)).collect::<String>();
    for (text, is_there) in [("Bearer [secret]", true), (TOKEN, false)] {
        let ask = format!("send-and-search\n{}\napi\nGET\n/open/x\nnormal\n-", raised(text));
        let found: usize = stage
            .act(&ask)
            .await
            .expect("the hook returns")
            .parse()
            .expect("a number");
        assert_eq!(found > 0, is_there, "{text}: {found} times");
    }
    assert!(
        platform.heard()[1].contains(TOKEN),
        "the platform was sent what the guest is searched for"
    );
}

#[tokio::test]
async fn what_the_manifest_does_not_allow_is_refused_and_nothing_is_sent() {
    let platform = Platform::start().await;
    let stage = stage(&platform, json!({})).await;
    for request in [
        "other\nGET\n/open/x\nnormal\n-",
        "api\nDELETE\n/open/x\nnormal\n-",
        "api\nget\n/open/x\nnormal\n-",
        "api\nGET /evil\n/open/x\nnormal\n-",
        "api\nGET\n/closed\nnormal\n-",
        "api\nGET\n/users/1/2/posts\nnormal\n-",
        "api\nGET\n/open/../closed\nnormal\n-",
        "api\nGET\n/open/%2e%2e/closed\nnormal\n-",
        "api\nGET\n/open/%252e%252e/closed\nnormal\n-",
        "api\nGET\n/open/..%2fclosed\nnormal\n-",
        "api\nGET\n/open/..;/closed\nnormal\n-",
        "api\nGET\n/open/a\\..\\b\nnormal\n-",
        "api\nGET\n/open//x\nnormal\n-",
        "api\nGET\n//evil.example/open/x\nnormal\n-",
        "api\nGET\n@evil.example/open/x\nnormal\n-",
        "api\nGET\nhttp://evil.example/open/x\nnormal\n-",
        "api\nGET\n/open/x#fragment\nnormal\n-",
        "api\nGET\n/open/x y\nnormal\n-",
        "api\nGET\n/open/x\nnormal\n-\nauthorization: Bearer mine",
        "api\nGET\n/open/x\nnormal\n-\nAuthorization: Bearer mine",
        "api\nGET\n/open/x\nnormal\n-\ncookie: a=b",
        "api\nGET\n/open/x\nnormal\n-\nhost: evil.example",
        "api\nGET\n/open/x\nnormal\n-\nproxy-authorization: x",
        "api\nGET\n/open/x\nnormal\n-\ntransfer-encoding: chunked",
        "api\nGET\n/open/x\nnormal\n-\ncontent-length: 1",
        "api\nGET\n/open/x\nnormal\n-\nconnection: upgrade",
        "api\nGET\n/open/x\nnormal\n-\nx-http-method-override: DELETE",
        "api\nGET\n/open/x\nnormal\n-\nx-a: b\\nauthorization: c",
        "api\nPOST\n/open/x\nnormal\n-\n\nmegabyte",
    ] {
        let told = send(&stage, request).await;
        assert!(told.contains("Refused("), "{request}: {told}");
    }
    assert_eq!(platform.heard(), [""; 0]);
}

#[tokio::test]
async fn a_pure_hook_sends_nothing() {
    let platform = Platform::start().await;
    let stage = stage(&platform, json!({ "paths": ["/**"] })).await;
    for command in ["send", "send-all"] {
        let told = stage.split(command).await.expect("the hook returns");
        assert!(told[0].contains("is a pure hook, it sends nothing"), "{told:?}");
    }
    assert_eq!(platform.heard(), [""; 0]);
}

#[tokio::test]
async fn a_redirect_is_returned_and_not_followed() {
    let platform = Platform::start().await;
    let stage = stage(&platform, json!({})).await;
    let told = send(&stage, "api\nGET\n/open/redirect\nnormal\n-").await;
    assert!(
        told.starts_with("302 ") && told.contains("/api/elsewhere"),
        "{told}"
    );
    assert_eq!(platform.heard().len(), 1);
    let inside = Platform::start().await;
    let told = send(
        &stage,
        &format!("api\nGET\n/open/redirect-to-{}\nnormal\n-", inside.address.port()),
    )
    .await;
    assert!(told.starts_with("302 "), "{told}");
    assert_eq!(inside.connections(), 0);
}

#[tokio::test]
async fn a_private_address_is_refused_unless_the_operator_named_it() {
    let platform = Platform::start().await;
    // With TLS, so that only the address is against it.
    let base = format!("https://localhost:{}/api", platform.address.port())
        .parse()
        .expect("a URL");
    let grant = SlotGrant {
        base: Some(base),
        allow_private: Vec::new(),
    };
    let grants = BTreeMap::from([("api".to_owned(), grant)]);
    let stage = Stage::with(config(), manifest(json!({})), ChannelSetup { grants, ..setup() }).await;
    let told = send(&stage, "api\nGET\n/open/x\nnormal\n-").await;
    assert!(told.contains("resolves to a loopback address"), "{told}");
    assert_eq!(platform.connections(), 0);
    let base = format!("http://localhost:{}/api", platform.address.port())
        .parse()
        .expect("a URL");
    let grant = SlotGrant {
        base: Some(base),
        allow_private: vec!["localhost".to_owned()],
    };
    let grants = BTreeMap::from([("api".to_owned(), grant)]);
    let stage = Stage::with(config(), manifest(json!({})), ChannelSetup { grants, ..setup() }).await;
    let told = send(&stage, "api\nGET\n/open/x\nnormal\n-").await;
    assert!(told.starts_with("200 "), "{told}");
}

#[tokio::test]
async fn a_response_is_cut_off_by_its_bytes() {
    let platform = Platform::start().await;
    let stage = stage(&platform, json!({ "timeout_ms": 20_000 })).await;
    let told = send(&stage, "api\nGET\n/open/flood\nnormal\n-").await;
    assert!(
        told.contains("PerhapsSent(\"the response has more than 65536 bytes\")"),
        "{told}"
    );
    let told = send(&stage, "api\nGET\n/open/headers\nnormal\n-").await;
    assert!(told.contains("PerhapsSent("), "{told}");
}

#[tokio::test]
async fn a_response_that_drips_or_never_comes_is_cut_off_by_the_slots_time() {
    let platform = Platform::start().await;
    let stage = stage(&platform, json!({ "timeout_ms": 100 })).await;
    for path in ["drip", "silent"] {
        let told = send(&stage, &format!("api\nGET\n/open/{path}\nnormal\n-")).await;
        assert!(
            told.contains("PerhapsSent(\"no complete response in time\")"),
            "{path}: {told}"
        );
    }
}

#[tokio::test]
async fn a_hook_that_waits_for_the_platform_ends_with_its_attempt() {
    let platform = Platform::start().await;
    let stage = stage(&platform, json!({ "timeout_ms": 30_000 })).await;
    let waited = stage
        .act_as(
            "T1",
            "send\napi\nGET\n/open/silent\nnormal\n-",
            Duration::from_millis(100),
        )
        .await;
    // Either the request or the hook is cut off first; both at the attempt's limit.
    match waited {
        Err(fault) => assert_eq!(fault.kind, FaultKind::TimedOut),
        Ok(told) => assert!(told.contains("PerhapsSent("), "{told}"),
    }
}

#[tokio::test]
async fn nothing_is_sent_after_the_deadline() {
    let platform = Platform::start().await;
    let stage = stage(&platform, json!({})).await;
    // A hook whose limit is over runs until it waits for the first time. A tick of the epoch may be that time, before it
    // asks; then it is played once more.
    let told = loop {
        match stage
            .act_as("T1", "send\napi\nGET\n/open/x\nnormal\n-", Duration::ZERO)
            .await
        {
            Err(fault) => assert_eq!(fault.kind, FaultKind::TimedOut),
            Ok(told) => break told,
        }
    };
    assert!(told.contains("TooLate"), "{told}");
    assert_eq!(platform.heard(), [""; 0]);
}

#[tokio::test]
async fn a_compressed_response_is_not_unpacked() {
    let platform = Platform::start().await;
    let stage = stage(&platform, json!({})).await;
    let told = send(&stage, "api\nGET\n/open/squeezed\nnormal\n-").await;
    assert!(told.starts_with("200 ") && told.contains("\"gzip\""), "{told}");
    assert!(
        !platform.heard()[0].contains("accept-encoding"),
        "{:?}",
        platform.heard()
    );
}

#[tokio::test]
async fn a_closed_port_is_unreachable() {
    let platform = Platform::start().await;
    let setup = to(&platform);
    let stage = Stage::with(config(), manifest(json!({})), setup).await;
    let address = platform.address;
    drop(platform);
    // The port is free again once the aborted task has dropped its listener.
    while tokio::net::TcpStream::connect(address).await.is_ok() {
        tokio::task::yield_now().await;
    }
    let told = send(&stage, "api\nGET\n/open/x\nnormal\n-").await;
    assert!(told.contains("Unreachable"), "{told}");
}

#[tokio::test]
async fn several_requests_go_at_once_and_come_back_in_order() {
    let platform = Platform::start().await;
    let stage = stage(&platform, json!({ "timeout_ms": 300 })).await;
    let ask = ["silent", "one", "silent", "two"].map(|path| format!("api\nGET\n/open/{path}\nnormal\n-"));
    let told = stage
        .act(&format!("send-all\n{}", ask.join("\n--\n")))
        .await
        .expect("the hook returns");
    let lines: Vec<_> = told
        .lines()
        .filter(|line| line.starts_with("200") || line.contains("PerhapsSent"))
        .collect();
    assert_eq!(lines.len(), 4, "{told}");
    assert!(
        lines[0].contains("PerhapsSent") && lines[2].contains("PerhapsSent"),
        "{told}"
    );
    assert!(
        lines[1].contains("/open/one") && lines[3].contains("/open/two"),
        "{told}"
    );
}

#[tokio::test]
async fn thirty_three_requests_at_once_are_refused() {
    let platform = Platform::start().await;
    let stage = stage(&platform, json!({})).await;
    let ask = vec!["api\nGET\n/open/x\nnormal\n-"; 33].join("\n--\n");
    let fault = stage.act(&format!("send-all\n{ask}")).await.expect_err("a fault");
    assert_eq!(fault.kind, FaultKind::Garbage);
    assert_eq!(platform.heard(), [""; 0]);
}

#[tokio::test]
async fn one_hook_sends_a_limited_number_of_requests() {
    let platform = Platform::start().await;
    let stage = stage(&platform, json!({})).await;
    let told = stage
        .act("send-times\n257\napi\nGET\n/open/x\nnormal\n-")
        .await
        .expect("the hook returns");
    assert!(told.contains("the hook has sent 256 requests"), "{told}");
    assert_eq!(platform.heard().len(), 256);
    // Those that are refused count: each is a line in the operator's log.
    let told = stage
        .act("send-times\n257\nother\nGET\n/open/x\nnormal\n-")
        .await
        .expect("the hook returns");
    assert!(told.contains("the hook has sent 256 requests"), "{told}");
}

#[tokio::test]
async fn each_account_is_served_with_its_own_secret_and_never_with_anothers() {
    let platform = Platform::start().await;
    let mut own = to(&platform);
    let (name, token) = own.secrets.remove_entry("token").expect("there");
    own.account_secrets
        .insert("T1".to_owned(), BTreeMap::from([(name, token)]));
    own.account_secrets.insert(
        "T2".to_owned(),
        BTreeMap::from([secret("token", "xoxb-of-the-second")]),
    );
    let stage = Stage::with(config(), manifest(json!({})), own).await;
    let ask = "send\napi\nGET\n/open/x\nnormal\n-";
    for account in ["T1", "T2", "T3"] {
        let told = stage
            .act_as(account, ask, Duration::from_secs(20))
            .await
            .expect("the hook returns");
        assert_eq!(
            told.contains("there is no secret `token` for this account"),
            account == "T3",
            "{told}"
        );
    }
    let heard = platform.heard();
    assert_eq!(heard.len(), 2);
    assert!(
        heard[0].contains(TOKEN) && heard[1].contains("Bearer xoxb-of-the-second"),
        "{heard:?}"
    );
}

#[tokio::test]
async fn a_secret_stands_where_the_manifest_says() {
    let platform = Platform::start().await;
    let header =
        json!({ "auth": { "kind": "header", "name": "x-token", "prefix": "Key ", "secret": "token" } });
    let in_header = stage(&platform, header).await;
    let told = send(&in_header, "api\nGET\n/open/x\nnormal\n-\nx-token: mine").await;
    assert!(
        told.contains("Refused("),
        "the slot's own header is the host's: {told}"
    );
    send(&in_header, "api\nGET\n/open/x\nnormal\n-").await;
    assert!(
        platform.heard()[0].contains(&format!("x-token: Key {TOKEN}\r\n")),
        "{:?}",
        platform.heard()
    );
    let path = json!({ "auth": { "kind": "path", "prefix": "bot", "secret": "token" } });
    let in_path = stage(&platform, path).await;
    let told = send(&in_path, "api\nGET\n/open/x\nnormal\n-").await;
    assert!(
        platform.heard()[1].starts_with(&format!("GET /api/bot{TOKEN}/open/x ")),
        "{:?}",
        platform.heard()
    );
    assert!(told.starts_with("200 ") && !told.contains(TOKEN), "{told}");
}

/// A file that is rotated.
struct Rotated(Mutex<Vec<&'static str>>);

impl SecretSource for Rotated {
    fn current(&self) -> Result<Secret, SecretUnavailable> {
        let values = self.0.lock().expect("lock");
        values
            .last()
            .map(|value| Secret::new(*value))
            .ok_or_else(|| SecretUnavailable("no file".to_owned()))
    }
}

#[tokio::test]
async fn a_rotated_secret_is_used_by_the_next_request() {
    let platform = Platform::start().await;
    let file = Arc::new(Rotated(Mutex::new(vec!["the first value"])));
    let mut rotated = to(&platform);
    let source: runtime::SecretRef = Arc::<Rotated>::clone(&file);
    rotated.secrets.insert("token".to_owned(), source);
    let stage = Stage::with(config(), manifest(json!({})), rotated).await;
    send(&stage, "api\nGET\n/open/x\nnormal\n-").await;
    file.0.lock().expect("lock").push("the second value");
    send(&stage, "api\nGET\n/open/x\nnormal\n-").await;
    file.0.lock().expect("lock").clear();
    let told = send(&stage, "api\nGET\n/open/x\nnormal\n-").await;
    assert!(
        told.contains("Refused(\"the secret `token` has no value now\")"),
        "{told}"
    );
    let heard = platform.heard();
    assert!(
        heard[0].contains("Bearer the first value") && heard[1].contains("Bearer the second value"),
        "{heard:?}"
    );
    assert_eq!(heard.len(), 2);
}

#[tokio::test]
async fn one_hook_receives_a_limited_number_of_bytes() {
    let platform = Platform::start().await;
    let large = json!({ "response_bytes_max": 4 * 1024 * 1024, "timeout_ms": 20_000 });
    let stage = stage(&platform, large).await;
    let ask = ["api\nGET\n/open/three-megabytes\nnormal\n-"; 12].join("\n--\n");
    let told = stage
        .act(&format!("send-all\n{ask}"))
        .await
        .expect("the hook returns");
    assert!(
        told.contains("the responses of this hook are too large together"),
        "{told}"
    );
}
