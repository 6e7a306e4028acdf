//! What each hostile guest does, through the real runtime, and what came of it as text. A guard without a guest does not
//! compile.

use std::collections::BTreeMap;
use std::io::Write;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use lifecycle::CallId;
use lifecycle::tool::{Input, Item};
use ports::Pieces;
use ports::pieces::{Call, HookFault};
use runtime::{Allocator, ChannelSetup, Guard, Runtime, RuntimeConfig, SlotGrant};
use serde_json::{Value, json};
use wasm_encoder::{ComponentBuilder, ComponentExportKind, ComponentTypeRef, ComponentValType, InstanceType};

use crate::guest;
use crate::platform::Platform;
use crate::stage::{
    CHANNEL, LOCATORS, Stage, config, context, conversation, manifest, piece, secret, setup, slot,
};

const SHORT: Duration = Duration::from_millis(100);
const LONG: Duration = Duration::from_secs(3600);
const GET: &str = "api\nGET\n/open/x\nnormal\n-";

/// Plays the guest of a guard.
pub(crate) async fn attempt(guard: Guard) -> String {
    match guard {
        Guard::ComputingTime => computes(SHORT, 10 * SHORT).await,
        Guard::Yielding => who_is_first().await,
        Guard::WallClock => waits("silent", 30_000, SHORT).await,
        Guard::ResponseTime => waits("drip", 100, 20 * SHORT).await,
        Guard::Memory => in_split(config_on_demand(), "take 16").await,
        Guard::Resources | Guard::InstanceParts => {
            loading(setup(), guest::with_tables(&piece(&manifest(json!({}))), 31)).await
        }
        Guard::HostcallFuel => in_split(roomy(), "bytes 50000000").await,
        Guard::ResultSizes => in_split(config(), "parts 10000").await,
        Guard::Json => state().await,
        Guard::Share => beside_a_loop().await,
        Guard::TryOut => loading(setup(), guest::with_endless_start(&piece(&manifest(json!({}))))).await,
        Guard::PureEgress => sends_in_a_pure_hook().await,
        Guard::PureClock => in_split(config(), "clock-moves").await,
        Guard::PureRandom => random_twice().await,
        Guard::RandomBytes => in_split(config(), "random-count 5000").await,
        Guard::DeclaredSlot => sends("other\nGET\n/open/x\nnormal\n-").await,
        Guard::GrantedSlot => {
            let grants = BTreeMap::new();
            loading(ChannelSetup { grants, ..setup() }, piece(&manifest(json!({})))).await
        }
        Guard::Method => sends("api\nDELETE\n/open/x\nnormal\n-").await,
        Guard::PathPattern => sends("api\nGET\n/closed\nnormal\n-").await,
        Guard::PathReading | Guard::UrlRead => sends("api\nGET\n/open/%2e%2e/closed\nnormal\n-").await,
        Guard::HostHeaders => sets_headers().await,
        Guard::AccountSecret => as_another_account().await,
        Guard::Redirect => redirected().await,
        Guard::ResolvedAddress => resolved().await,
        Guard::LiteralAddress => spellings().await,
        Guard::Tls => leads_to("http://platform.example/").await,
        Guard::RequestBytes => sends("api\nPOST\n/open/redirect\nnormal\n-\n\nmegabyte").await,
        Guard::ResponseBytes => sends("api\nGET\n/open/three-megabytes\nnormal\n-").await,
        Guard::ResponsesOfHook => at_once(12, "three-megabytes").await,
        Guard::RequestsOfHook => {
            let platform = Platform::start().await;
            let stage = at(&platform, json!({})).await;
            told(stage.act(&format!("send-times\n257\n{GET}")).await)
        }
        Guard::Batch => at_once(33, "x").await,
        Guard::Mute => after_its_deadline().await,
        Guard::Redaction => sends(GET).await.replace('\\', ""),
        Guard::Log => logs().await,
        Guard::LocatorAccount => {
            let stage = Stage::new().await;
            told(stage.act_as("T2", "locate", LONG).await)
        }
        Guard::FileSize => {
            let piece_bytes_max = 1000;
            loading_with(
                RuntimeConfig {
                    piece_bytes_max,
                    ..config()
                },
                setup(),
                piece(&manifest(json!({}))),
            )
            .await
        }
        Guard::Imports => imports().await,
    }
}

fn told(result: Result<String, HookFault>) -> String {
    result.unwrap_or_else(|fault| format!("{:?}: {}", fault.kind, fault.reason))
}

fn config_on_demand() -> RuntimeConfig {
    RuntimeConfig {
        memory_bytes_max: 8 * 1024 * 1024,
        allocator: Allocator::OnDemand,
        ..config()
    }
}

/// So much memory that what is returned is the matter.
fn roomy() -> RuntimeConfig {
    RuntimeConfig {
        memory_bytes_max: 256 * 1024 * 1024,
        pure_cpu_max: Duration::from_secs(10),
        pure_wall_max: Duration::from_secs(15),
        allocator: Allocator::OnDemand,
        ..config()
    }
}

async fn with(config: RuntimeConfig) -> Stage {
    Stage::with(config, manifest(json!({})), setup()).await
}

async fn in_split(config: RuntimeConfig, command: &str) -> String {
    let parts = with(config).await.split(command).await;
    told(
        parts.map(|parts| match parts.iter().map(String::len).sum::<usize>() {
            0..100 => format!("returned {parts:?}"),
            bytes => format!("returned {bytes} bytes"),
        }),
    )
}

async fn computes(cpu: Duration, wall: Duration) -> String {
    let limits = RuntimeConfig {
        pure_cpu_max: cpu,
        pure_wall_max: wall,
        ..config()
    };
    in_split(limits, "loop").await
}

/// One thread: whoever does not give way runs to its end.
async fn who_is_first() -> String {
    let stage = with(RuntimeConfig {
        pure_cpu_max: 5 * SHORT,
        ..config()
    })
    .await;
    let first = tokio::select! {
        biased;
        _ = stage.split("loop") => "the loop first",
        _ = stage.split("hello") => "the other one first",
    };
    first.to_owned()
}

fn to(platform: &Platform) -> ChannelSetup {
    let grant = SlotGrant {
        base: Some(format!("http://{}/api", platform.address).parse().expect("a URL")),
        allow_private: vec![platform.address.to_string()],
    };
    let grants = BTreeMap::from([("api".to_owned(), grant)]);
    ChannelSetup { grants, ..setup() }
}

async fn at(platform: &Platform, changes: Value) -> Stage {
    let manifest = manifest(json!({ "slots": { "api": slot(changes) } }));
    Stage::with(config(), manifest, to(platform)).await
}

async fn sends(request: &str) -> String {
    let platform = Platform::start().await;
    let stage = at(&platform, json!({ "timeout_ms": 10_000 })).await;
    told(stage.act(&format!("send\n{request}")).await)
}

async fn waits(path: &str, timeout_ms: u64, limit: Duration) -> String {
    let platform = Platform::start().await;
    let stage = at(
        &platform,
        json!({ "timeout_ms": timeout_ms, "response_bytes_max": 4_194_304 }),
    )
    .await;
    let request = format!("send\napi\nGET\n/open/{path}\nnormal\n-");
    told(stage.act_as("T1", &request, limit).await)
}

async fn loading(setup: ChannelSetup, bytes: Vec<u8>) -> String {
    let limits = RuntimeConfig {
        pure_cpu_max: SHORT,
        // The pool has other limits on what a component has; here it is the check at loading.
        allocator: Allocator::OnDemand,
        pure_calls_max: 64,
        acting_calls_max: 64,
        ..config()
    };
    loading_with(limits, setup, bytes).await
}

async fn loading_with(config: RuntimeConfig, setup: ChannelSetup, bytes: Vec<u8>) -> String {
    let runtime = Runtime::new(config, LOCATORS).expect("starts");
    match runtime.load(setup, bytes).await {
        Ok(_) => "loaded".to_owned(),
        Err(problem) => format!("{:?}: {}", problem.stage, problem.reason),
    }
}

async fn state() -> String {
    let stage = Stage::new().await;
    let questions = vec![Item {
        header: "bad state".to_owned(),
        question: "Which?".to_owned(),
        options: Vec::new(),
        multiple: false,
        custom: true,
    }];
    let (id, input) = (CallId::numbered(1), Input { questions });
    let calls = [Call {
        id: &id,
        input: &input,
    }];
    let rendered = stage
        .0
        .render(CHANNEL, context(LONG), &conversation(), &calls)
        .await;
    told(rendered.map(|_| "kept {".to_owned()))
}

async fn beside_a_loop() -> String {
    let stage = with(RuntimeConfig {
        pure_calls_max: 4,
        pure_cpu_max: LONG,
        place_wait_max: Duration::ZERO,
        ..config()
    })
    .await;
    tokio::select! {
        biased;
        _ = stage.split("loop") => "the loop ended".to_owned(),
        second = stage.split("hello") => told(second.map(|parts| format!("returned {parts:?}"))),
    }
}

async fn sends_in_a_pure_hook() -> String {
    let platform = Platform::start().await;
    let stage = at(&platform, json!({ "paths": ["/**"] })).await;
    told(stage.split("send").await.map(|parts| parts.concat()))
}

async fn random_twice() -> String {
    let stage = Stage::new().await;
    let same = stage.split("random").await == stage.split("random").await;
    if same { "the same" } else { "others" }.to_owned()
}

async fn sets_headers() -> String {
    let mut outcomes = Vec::new();
    for header in ["authorization: mine", "host: evil.example", "cookie: a=b"] {
        let outcome = sends(&format!("{GET}\n{header}")).await;
        outcomes.push(match outcome {
            refused if refused.contains("is set by the host alone") => "Refused(".to_owned(),
            sent if sent.starts_with("200 ") => "200 ".to_owned(),
            other => other,
        });
    }
    outcomes.join(" ")
}

async fn as_another_account() -> String {
    let platform = Platform::start().await;
    let mut own = to(&platform);
    let (name, token) = own.secrets.remove_entry("token").expect("there");
    own.account_secrets
        .insert("T1".to_owned(), BTreeMap::from([(name, token)]));
    own.account_secrets.insert(
        "T2".to_owned(),
        BTreeMap::from([secret("other", "another value")]),
    );
    let stage = Stage::with(config(), manifest(json!({})), own).await;
    told(stage.act_as("T2", &format!("send\n{GET}"), LONG).await)
}

async fn redirected() -> String {
    let inside = Platform::start().await;
    sends(&format!(
        "api\nGET\n/open/redirect-to-{}\nnormal\n-",
        inside.address.port()
    ))
    .await
}

async fn resolved() -> String {
    let platform = Platform::start().await;
    let grant = SlotGrant {
        base: Some(
            format!("https://localhost:{}/api", platform.address.port())
                .parse()
                .expect("a URL"),
        ),
        allow_private: Vec::new(),
    };
    let grants = BTreeMap::from([("api".to_owned(), grant)]);
    let stage = Stage::with(config(), manifest(json!({})), ChannelSetup { grants, ..setup() }).await;
    let told = told(stage.act(&format!("send\n{GET}")).await);
    format!("{} connections, {told}", platform.connections())
}

async fn leads_to(base: &str) -> String {
    let grant = SlotGrant {
        base: Some(base.parse().expect("a URL")),
        allow_private: Vec::new(),
    };
    let grants = BTreeMap::from([("api".to_owned(), grant)]);
    loading(ChannelSetup { grants, ..setup() }, piece(&manifest(json!({})))).await
}

async fn spellings() -> String {
    let mut loaded = 0;
    for host in [
        "127.0.0.1",
        "127.1",
        "0x7f000001",
        "2130706433",
        "0177.0.0.1",
        "[::1]",
        "[::ffff:127.0.0.1]",
        "[64:ff9b::7f00:1]",
        "169.254.169.254",
    ] {
        loaded += usize::from(leads_to(&format!("https://{host}/")).await == "loaded");
    }
    format!("{loaded} loaded")
}

async fn at_once(count: usize, path: &str) -> String {
    let platform = Platform::start().await;
    let large = json!({ "response_bytes_max": 4_194_304, "timeout_ms": 20_000 });
    let stage = at(&platform, large).await;
    let ask = vec![format!("api\nGET\n/open/{path}\nnormal\n-"); count].join("\n--\n");
    let told = told(stage.act(&format!("send-all\n{ask}")).await);
    let answered = told.matches("content-length").count();
    if answered >= count {
        format!("{answered} answered")
    } else {
        lines_of_faults(&told)
    }
}

/// What was not answered.
fn lines_of_faults(told: &str) -> String {
    told.lines()
        .filter(|line| !line.starts_with("200"))
        .collect::<Vec<_>>()
        .join(" ")
}

/// A tick of the epoch may end the hook before it asks; then it is played once more.
async fn after_its_deadline() -> String {
    let platform = Platform::start().await;
    let stage = at(&platform, json!({})).await;
    loop {
        if let Ok(told) = stage.act_as("T1", &format!("send\n{GET}"), Duration::ZERO).await {
            return told;
        }
    }
}

/// What the operator reads.
#[derive(Clone, Default)]
struct Operator(Arc<Mutex<Vec<u8>>>);

impl Write for Operator {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().expect("lock").extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

async fn logs() -> String {
    let operator = Operator::default();
    let writer = operator.clone();
    let subscriber = tracing_subscriber::fmt()
        .with_ansi(false)
        .with_writer(move || writer.clone())
        .finish();
    let _reading = tracing::subscriber::set_default(subscriber);
    let stage = Stage::new().await;
    let _count = stage.split("log 5000").await;
    let read = String::from_utf8_lossy(&operator.0.lock().expect("lock")).into_owned();
    format!(
        "{} lines",
        read.lines()
            .filter(|line| line.contains("hook=\"split\""))
            .count()
    )
}

/// The hostile piece is not what matters: an interface that nobody has does.
async fn imports() -> String {
    let mut builder = ComponentBuilder::default();
    let mut handler = InstanceType::new();
    handler
        .ty()
        .function()
        .params(Vec::<(&str, ComponentValType)>::new())
        .result(None);
    handler.export("handle", ComponentTypeRef::Func(0));
    let handler = builder.type_instance(None, &handler);
    builder.import(
        "wasi:http/outgoing-handler@0.2.3",
        ComponentTypeRef::Instance(handler),
    );
    let channel = builder.instantiate_exports(None, Vec::<(&str, ComponentExportKind, u32)>::new());
    builder.export(
        "frogbot:piece/channel@0.1.0",
        ComponentExportKind::Instance,
        channel,
        None,
    );
    let whole = builder.finish();
    let bytes = frogbot_manifest::embed(&whole, &manifest(json!({ "hooks": [] }))).expect("embeds");
    loading(setup(), bytes).await
}
