//! How long a pure hook takes from the port's call to its typed result, in a fresh instance: at most 100 µs. Beside it
//! what it costs to rebuild the linker for each call, and to do without the pool.
//!
//! `FROGBOT_PIECES_DIR` names a folder with `hostile.wasm`; without it the piece is built as the tests do.

#![expect(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a benchmark that cannot run has nothing else to say"
)]

#[path = "../tests/sandbox/guest.rs"]
#[expect(dead_code, reason = "the tests need more of it")]
mod guest;
#[path = "../tests/sandbox/stage.rs"]
#[expect(dead_code, reason = "the tests need more of it")]
mod stage;

use std::hint::black_box;
use std::time::{Duration, Instant};

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, Criterion, criterion_group, criterion_main};
use lifecycle::question::Message;
use lifecycle::tool::{Choice, Input, Item};
use lifecycle::{CallId, MessageId, Timestamp};
use ports::Pieces;
use ports::pieces::{Call, Record};
use runtime::{Allocator, RuntimeConfig};
use serde_json::json;
use stage::Stage;

fn input() -> Input {
    let choice = |label: &str| Choice {
        label: label.to_owned(),
        description: Some("what choosing it means".to_owned()),
    };
    Input {
        questions: vec![Item {
            header: "Database".to_owned(),
            question: "Which database shall the service use?".to_owned(),
            options: ["SQLite", "PostgreSQL", "Redis"].map(choice).to_vec(),
            multiple: false,
            custom: true,
        }],
    }
}

async fn parse(stage: &Stage, input: &Input) {
    let id = CallId::numbered(1);
    let messages = [Message {
        id: MessageId("M1".to_owned()),
        posted_at: Timestamp(5),
        question: None,
    }];
    let call = Call { id: &id, input };
    let record = Record {
        messages: &messages,
        revision: 0,
        state: None,
    };
    let conversation = stage::conversation();
    let said = stage::said("SQLite");
    let parsed = stage
        .0
        .parse(stage::CHANNEL, &conversation, call, record, &said, false)
        .await;
    black_box(parsed.expect("parses"));
}

fn pure_hook(criterion: &mut Criterion) {
    let executor = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .expect("an executor");
    let stage = |allocator| {
        let config = RuntimeConfig {
            allocator,
            ..RuntimeConfig::default()
        };
        executor.block_on(Stage::with(config, stage::manifest(json!({})), stage::setup()))
    };
    let (pooled, on_demand) = (stage(Allocator::PoolingIfPossible), stage(Allocator::OnDemand));
    let input = input();
    let mut group = criterion.benchmark_group("pure_hook");
    let hook = median(&mut group, "pooled", || executor.block_on(parse(&pooled, &input)));
    let without_pool = median(&mut group, "on_demand", || {
        executor.block_on(parse(&on_demand, &input))
    });
    let relinked = median(&mut group, "pooled_linker_rebuilt", || {
        pooled.0.relinked(stage::CHANNEL).expect("links");
        executor.block_on(parse(&pooled, &input));
    });
    group.finish();
    println!(
        "a pure hook takes {:.1} µs at the median",
        hook.as_secs_f64() * 1e6
    );
    println!(
        "without the pool: {:.2} of that",
        without_pool.as_secs_f64() / hook.as_secs_f64()
    );
    println!(
        "with the linker rebuilt: {:.2} of that",
        relinked.as_secs_f64() / hook.as_secs_f64()
    );
}

/// The median of all calls that criterion makes.
fn median(group: &mut BenchmarkGroup<'_, WallTime>, name: &str, call: impl Fn()) -> Duration {
    let mut each = Vec::new();
    group.bench_function(name, |bencher| {
        bencher.iter_custom(|calls| {
            let took = (0..calls).map(|_| {
                let began = Instant::now();
                call();
                began.elapsed()
            });
            let took: Vec<Duration> = took.collect();
            each.extend(&took);
            took.iter().sum()
        });
    });
    each.sort_unstable();
    each[each.len() / 2]
}

criterion_group!(benches, pure_hook);
criterion_main!(benches);
