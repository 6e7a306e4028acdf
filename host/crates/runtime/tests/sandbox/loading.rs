//! What is not loaded, and what the operator is told.

use std::collections::BTreeMap;
use std::time::Duration;

use ports::Pieces;
use ports::pieces::FaultKind;
use runtime::{ChannelSetup, LoadProblem, Runtime, RuntimeConfig, SlotGrant, Stage};
use serde_json::{Value, json};
use wasm_encoder::{ComponentBuilder, ComponentExportKind, ComponentTypeRef, InstanceType};

use crate::guest;
use crate::stage::{LOCATORS, config, manifest, piece, setup, slot};

async fn refused(setup: ChannelSetup, bytes: Vec<u8>) -> LoadProblem {
    let runtime = Runtime::new(config(), LOCATORS).expect("starts");
    let problem = runtime.load(setup, bytes).await.expect_err("refused");
    assert!(
        !problem.reason.is_empty() && !problem.remedy.is_empty(),
        "{problem}"
    );
    problem
}

async fn refused_by(changes: Value, setup: ChannelSetup, stage: Stage, reason: &str) {
    let problem = refused(setup, piece(&manifest(changes))).await;
    assert_eq!(problem.stage, stage, "{problem}");
    assert!(problem.to_string().contains(reason), "{problem}");
    assert_eq!(
        (problem.channel.as_str(), problem.piece.as_str()),
        ("support", "hostile 1.2.3")
    );
}

#[tokio::test]
async fn files_that_are_no_component_are_refused_before_anything_is_compiled() {
    let whole = piece(&manifest(json!({})));
    let mut bent = whole.clone();
    bent[2000] ^= 0xff;
    for (bytes, stage) in [
        (Vec::new(), Stage::Validation),
        (b"hello".to_vec(), Stage::Validation),
        (b"\0asm\x01\0\0\0".to_vec(), Stage::Validation),
        (whole[..whole.len() / 2].to_vec(), Stage::Validation),
        (bent, Stage::Validation),
    ] {
        let problem = refused(setup(), bytes).await;
        assert_eq!(problem.stage, stage, "{problem}");
    }
}

#[tokio::test]
async fn a_file_that_is_too_large_is_refused_unread() {
    let small = RuntimeConfig {
        piece_bytes_max: 1000,
        ..config()
    };
    let runtime = Runtime::new(small, LOCATORS).expect("starts");
    let problem = runtime.load(setup(), vec![0; 1001]).await.expect_err("refused");
    assert_eq!(problem.stage, Stage::Size);
}

#[tokio::test]
async fn a_piece_without_a_manifest_or_with_a_bad_one_is_refused() {
    let bare = b"\0asm\x0d\0\x01\0".to_vec();
    let problem = refused(setup(), bare).await;
    assert_eq!(problem.stage, Stage::Manifest, "{problem}");
    let bad = piece(&manifest(json!({ "name": "Not A Name" })));
    assert_eq!(refused(setup(), bad).await.stage, Stage::Manifest);
}

#[tokio::test]
async fn another_world_is_refused_with_both_versions() {
    let problem = refused(setup(), piece(&manifest(json!({ "world": "0.3" })))).await;
    assert_eq!(problem.stage, Stage::World, "{problem}");
    assert!(
        problem.reason.contains("expected world 0.1, found \"0.3\""),
        "{problem}"
    );
}

#[tokio::test]
async fn slots_are_refused_unless_granted_and_public() {
    let none = ChannelSetup {
        grants: BTreeMap::new(),
        ..setup()
    };
    refused_by(
        json!({}),
        none,
        Stage::Grants,
        "slot `api` (everything), which is not granted",
    )
    .await;
    for base in [
        "https://127.0.0.1/api",
        "https://[::ffff:169.254.169.254]/",
        "http://platform.example/",
    ] {
        let grant = SlotGrant {
            base: Some(base.parse().expect("a URL")),
            allow_private: Vec::new(),
        };
        let inside = ChannelSetup {
            grants: BTreeMap::from([("api".to_owned(), grant)]),
            ..setup()
        };
        refused_by(json!({}), inside, Stage::Grants, "allow_private").await;
    }
    refused_by(
        json!({ "slots": { "api": slot(json!({ "base": "" })) } }),
        setup(),
        Stage::Grants,
        "no base URL",
    )
    .await;
}

#[tokio::test]
async fn a_secret_that_is_not_configured_is_named() {
    let mut forgetful = setup();
    forgetful.secrets.remove("signing");
    refused_by(
        json!({}),
        forgetful,
        Stage::Secrets,
        "the secret `signing` (what requests are signed with)",
    )
    .await;
}

#[tokio::test]
async fn options_that_do_not_fit_are_refused() {
    let with = |name: &str, value: Value| {
        let mut setup = setup();
        setup.options.insert(name.to_owned(), value);
        setup
    };
    refused_by(
        json!({}),
        with("greetin", json!("x")),
        Stage::Options,
        "did you mean `greeting`?",
    )
    .await;
    refused_by(
        json!({}),
        with("loud", json!("yes")),
        Stage::Options,
        "true or false",
    )
    .await;
    let required =
        json!({ "options": { "room": { "description": "where", "type": "string", "required": true } } });
    refused_by(required, setup(), Stage::Options, "the option `room` is not set").await;
}

/// A component that imports and exports empty interfaces of these names, and contains nothing.
fn hollow_component(imports: &[&str], exports: &[&str]) -> Vec<u8> {
    let mut builder = ComponentBuilder::default();
    let interface = builder.type_instance(None, &InstanceType::new());
    for import in imports {
        builder.import(*import, ComponentTypeRef::Instance(interface));
    }
    for export in exports {
        let instance = builder.instantiate_exports(None, Vec::<(&str, ComponentExportKind, u32)>::new());
        builder.export(*export, ComponentExportKind::Instance, instance, None);
    }
    builder.finish()
}

const OURS: &str = "frogbot:piece/channel@0.1.0";

async fn hollow(imports: &[&str], exports: &[&str]) -> LoadProblem {
    let component = hollow_component(imports, exports);
    refused(
        setup(),
        frogbot_manifest::embed(&component, &manifest(json!({ "hooks": [] }))).expect("embeds"),
    )
    .await
}

#[tokio::test]
async fn what_takes_more_than_its_share_of_the_pool_is_refused() {
    let hollow = hollow_component(&[], &[OURS]);
    let embedded = frogbot_manifest::embed(&hollow, &manifest(json!({ "hooks": [] }))).expect("embeds");
    // The share is 4 of 16 places, with 4 tables each.
    for (tables, stage, reason) in [
        (16, Stage::Exports, ""),
        (
            17,
            Stage::Resources,
            "a call takes 5 places (0 memories, 17 tables)",
        ),
        (33, Stage::Resources, "33 tables, at most 32"),
    ] {
        let problem = refused(setup(), guest::with_tables(&embedded, tables)).await;
        assert_eq!(problem.stage, stage, "{problem}");
        assert!(problem.reason.contains(reason), "{problem}");
    }
}

#[tokio::test]
async fn a_host_too_busy_to_start_a_piece_does_not_blame_its_author() {
    let one_call = RuntimeConfig {
        pure_calls_max: 1,
        pure_cpu_max: Duration::from_secs(3600),
        // Loading compiles, which takes longer than a hook may on a machine that is busy.
        pure_wall_max: Duration::from_secs(3600),
        place_wait_max: Duration::ZERO,
        ..config()
    };
    let stage = crate::stage::Stage::with(one_call, manifest(json!({})), setup()).await;
    let other = ChannelSetup {
        channel: "other".to_owned(),
        ..setup()
    };
    let problem = tokio::select! {
        biased;
        _ = stage.split("loop") => panic!("the loop ended first"),
        loaded = stage.0.load(other, piece(&manifest(json!({})))) => loaded.expect_err("refused"),
    };
    assert_eq!(problem.stage, Stage::Starting, "{problem}");
    assert!(problem.remedy.contains("again"), "{problem}");
}

#[tokio::test]
async fn a_piece_whose_start_code_never_returns_is_refused() {
    let brief = RuntimeConfig {
        pure_cpu_max: Duration::from_millis(50),
        ..config()
    };
    let runtime = Runtime::new(brief, LOCATORS).expect("starts");
    let endless = guest::with_endless_start(&piece(&manifest(json!({}))));
    let problem = runtime.load(setup(), endless).await.expect_err("refused");
    assert_eq!(problem.stage, Stage::Starting, "{problem}");
    assert!(problem.reason.contains("computed for longer"), "{problem}");
}

#[tokio::test]
async fn a_piece_with_two_manifests_is_refused() {
    let once = piece(&manifest(json!({})));
    let bare = frogbot_manifest::embed(b"\0asm\x0d\0\x01\0", &manifest(json!({}))).expect("embeds");
    // What follows the preamble is the section with the manifest.
    let twice = [&once, &bare[8..]].concat();
    assert_eq!(refused(setup(), twice).await.stage, Stage::Manifest);
}

#[tokio::test]
async fn what_imports_more_than_its_world_is_refused() {
    for import in [
        "wasi:http/outgoing-handler@0.2.3",
        "wasi:cli/environment@0.3.0",
        "wasi:keyvalue/store@0.2.0",
        "frogbot:piece/secrets@0.1.0",
        "frogbot:piece/http@0.2.0",
    ] {
        let problem = hollow(&[import], &[OURS]).await;
        assert_eq!(problem.stage, Stage::Imports, "{problem}");
        assert!(problem.reason.contains(import), "{problem}");
    }
}

#[tokio::test]
async fn what_does_not_export_the_contract_is_refused() {
    assert_eq!(hollow(&["wasi:io/poll@0.2.3"], &[]).await.stage, Stage::Exports);
    assert_eq!(
        hollow(&[], &["frogbot:piece/channel-questions@0.1.0"])
            .await
            .stage,
        Stage::Exports
    );
    let problem = hollow(&[], &["frogbot:piece/channel@0.2.0"]).await;
    assert!(
        problem.reason.contains("expected world 0.1, found 0.2.0"),
        "{problem}"
    );
    // The right name with nothing behind it.
    assert_eq!(hollow(&[], &[OURS]).await.stage, Stage::Exports);
}

#[tokio::test]
async fn a_piece_without_questions_is_one_of_the_smaller_world() {
    let runtime = Runtime::new(config(), LOCATORS).expect("starts");
    let quiet = |changes| frogbot_manifest::embed(guest::quiet(), &manifest(changes)).expect("embeds");
    let problem = runtime
        .load(setup(), quiet(json!({})))
        .await
        .expect_err("lists `supports` and `updated`");
    assert_eq!(problem.stage, Stage::Hooks, "{problem}");
    let info = runtime
        .load(setup(), quiet(json!({ "hooks": ["connect"] })))
        .await
        .expect("loads");
    assert!(!info.questions);
    let said = runtime.split("support", "T1", "hello").await;
    assert_eq!(said, Ok(vec!["hello".to_owned()]));
    let (id, input) = (
        lifecycle::CallId::numbered(1),
        lifecycle::tool::Input {
            questions: Vec::new(),
        },
    );
    let call = [ports::pieces::Call {
        id: &id,
        input: &input,
    }];
    let context = crate::stage::context(Duration::from_secs(20));
    let rendered = runtime
        .render("support", context, &crate::stage::conversation(), &call)
        .await;
    assert_eq!(rendered.expect_err("no such export").kind, FaultKind::NotLoaded);
}
