//! What the tests are played on: a runtime with the hostile piece behind the channel `support`.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use frogbot_manifest::Manifest;
use lifecycle::MessageId;
use ports::Pieces;
use ports::pieces::{Author, AuthorKind, Context, Conversation, HookFault, Interaction, Message};
use runtime::{ChannelSetup, LocatorKey, Runtime, RuntimeConfig, Secret, SlotGrant};
use serde_json::{Value, json};

use crate::guest;

pub(crate) const CHANNEL: &str = "support";
pub(crate) const TOKEN: &str = "xoxb-very-secret";
pub(crate) const LOCATORS: LocatorKey = LocatorKey::new([7; 32]);

/// The manifest of the hostile piece, changed as a test likes.
pub(crate) fn manifest(changes: Value) -> Manifest {
    let mut manifest = json!({
        "name": "hostile",
        "version": "1.2.3",
        "world": "0.1",
        "description": "misbehaves on request",
        "licence": "MIT",
        "hooks": ["connect", "identity", "edit", "remove", "supports", "updated", "rejected"],
        "secrets": { "token": "what the platform calls a token", "signing": "what requests are signed with" },
        "slots": { "api": slot(json!({})) },
        "verification": { "kind": "shared-secret", "secret": "signing", "header": "x-shared" },
        "options": {
            "greeting": { "description": "what to say first", "type": "string", "default": "hello" },
            "loud": { "description": "whether to shout", "type": "boolean" },
        },
    });
    merge(&mut manifest, changes);
    serde_json::from_value(manifest).expect("a manifest")
}

pub(crate) fn slot(changes: Value) -> Value {
    let mut slot = json!({
        "base": "https://platform.example/api",
        "purpose": "everything",
        "methods": ["GET", "POST"],
        "paths": ["/open/**", "/users/*/posts"],
        "auth": { "kind": "bearer", "secret": "token" },
        "request_bytes_max": 1024,
        "response_bytes_max": 65536,
        "timeout_ms": 1000,
    });
    merge(&mut slot, changes);
    slot
}

fn merge(whole: &mut Value, changes: Value) {
    if let (Value::Object(whole), Value::Object(changes)) = (whole, changes) {
        whole.extend(changes);
    }
}

pub(crate) fn piece(manifest: &Manifest) -> Vec<u8> {
    frogbot_manifest::embed(guest::hostile(), manifest).expect("embeds")
}

pub(crate) fn setup() -> ChannelSetup {
    ChannelSetup {
        channel: CHANNEL.to_owned(),
        options: serde_json::Map::new(),
        grants: BTreeMap::from([("api".to_owned(), SlotGrant::default())]),
        secrets: BTreeMap::from([secret("token", TOKEN), secret("signing", "another secret")]),
        account_secrets: BTreeMap::new(),
    }
}

pub(crate) fn secret(name: &str, value: &str) -> (String, runtime::SecretRef) {
    (name.to_owned(), Arc::new(Secret::new(value)))
}

/// Small places, so that many runtimes fit beside each other, and patience: most of what is done here fails.
pub(crate) fn config() -> RuntimeConfig {
    RuntimeConfig {
        failures_forgiven: u32::MAX,
        pure_calls_max: 16,
        acting_calls_max: 16,
        ..RuntimeConfig::default()
    }
}

/// A runtime with the piece loaded.
pub(crate) struct Stage(pub(crate) Runtime);

impl Stage {
    pub(crate) async fn with(config: RuntimeConfig, manifest: Manifest, setup: ChannelSetup) -> Self {
        let runtime = Runtime::new(config, LOCATORS).expect("starts");
        runtime.load(setup, piece(&manifest)).await.expect("loads");
        Self(runtime)
    }

    pub(crate) async fn new() -> Self {
        Self::with(config(), manifest(json!({})), setup()).await
    }

    /// Asks in a pure hook.
    pub(crate) async fn split(&self, text: &str) -> Result<Vec<String>, HookFault> {
        self.0.split(CHANNEL, "T1", text).await
    }

    /// Asks in an acting hook.
    pub(crate) async fn act(&self, text: &str) -> Result<String, HookFault> {
        self.act_as("T1", text, Duration::from_secs(20)).await
    }

    pub(crate) async fn act_as(
        &self,
        account: &str,
        text: &str,
        limit: Duration,
    ) -> Result<String, HookFault> {
        let context = Context {
            account: account.to_owned(),
            ..context(limit)
        };
        let profile = self
            .0
            .identity(CHANNEL, context, &conversation(), &author(text))
            .await?;
        Ok(profile.name.expect("an answer"))
    }
}

pub(crate) fn context(limit: Duration) -> Context {
    Context {
        account: "T1".to_owned(),
        attempt: 3,
        idempotency_key: [7; 16],
        limit,
        reply_within: None,
    }
}

pub(crate) fn conversation() -> Conversation {
    Conversation {
        account: "T1".to_owned(),
        room: "C1".to_owned(),
        thread: String::new(),
    }
}

pub(crate) fn author(id: &str) -> Author {
    Author {
        id: id.to_owned(),
        name: "Ada".to_owned(),
        kind: AuthorKind::Person,
        external: false,
    }
}

pub(crate) fn said(text: &str) -> Interaction {
    Interaction::Message(Message {
        id: MessageId("M9".to_owned()),
        text: text.to_owned(),
        author: author("U1"),
        date_sent: None,
        reply_to: None,
        raw: "{}".to_owned(),
    })
}
