//! What a click costs: from the request to the recorded answer on SQLite, with a piece and a model that answer at once.
//!
//! Prints the median, the 99th percentile, the CPU time, the commits and the hook calls of a click, and the ratio of its
//! cost with 1,000,000 open questions in the store to its cost with 1,000. Run with `cargo bench -p tests --bench click`;
//! `FROGBOT_BENCH_QUESTIONS` sets another size of the large store.

#![allow(
    missing_docs,
    clippy::as_conversions,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a benchmark, not the product"
)]

#[path = "click/at_once.rs"]
mod at_once;
#[path = "click/crowd.rs"]
mod crowd;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use criterion::Criterion;
use tokio::runtime::Runtime;

use at_once::Bench;

/// Open questions in the small store.
const FEW: u64 = 1_000;
/// Open questions in the large one.
const MANY: u64 = 1_000_000;

fn main() {
    let many = std::env::var("FROGBOT_BENCH_QUESTIONS")
        .ok()
        .and_then(|n| n.parse().ok())
        .unwrap_or(MANY);
    let runtime = Runtime::new().expect("a runtime");
    let mut criterion = Criterion::default().configure_from_args().sample_size(30);
    let few = measured(&mut criterion, &runtime, FEW);
    let many = measured(&mut criterion, &runtime, many);
    println!(
        "\na click with {} open questions costs {:.2} of one with {}",
        many.open,
        many.median() / few.median(),
        few.open
    );
    println!("CPU time: {:.2} of it", many.cpu_each() / few.cpu_each());
}

/// What the clicks of one store cost.
struct Costs {
    open: u64,
    each: Vec<Duration>,
    cpu: Duration,
}

impl Costs {
    fn percentile(&self, share: f64) -> f64 {
        let mut sorted: Vec<f64> = self.each.iter().map(Duration::as_secs_f64).collect();
        sorted.sort_by(f64::total_cmp);
        let index = ((sorted.len() as f64 - 1.0) * share).round() as usize;
        sorted[index] * 1e6
    }

    fn median(&self) -> f64 {
        self.percentile(0.5)
    }

    fn cpu_each(&self) -> f64 {
        self.cpu.as_secs_f64() * 1e6 / self.each.len() as f64
    }
}

fn measured(criterion: &mut Criterion, runtime: &Runtime, open: u64) -> Costs {
    let folder = tempfile::tempdir().expect("a folder");
    let bench = runtime.block_on(Bench::start(&folder.path().join("store.sqlite")));
    println!("asking {open} questions …");
    runtime.block_on(crowd::open_questions(&bench, open));
    let mut costs = Costs {
        open,
        each: Vec::new(),
        cpu: Duration::ZERO,
    };
    let thread = Arc::new(AtomicU64::new(0));
    let before = bench.counts();
    criterion.bench_function(&format!("click/{open} open"), |bencher| {
        bencher.iter_custom(|clicks| {
            let mut total = Duration::ZERO;
            for _ in 0..clicks {
                let thread = format!("clicked-{}", thread.fetch_add(1, Ordering::Relaxed));
                runtime.block_on(bench.ask(&thread));
                let cpu = cpu_time();
                let begun = Instant::now();
                runtime.block_on(bench.click(&thread));
                let took = begun.elapsed();
                costs.cpu += cpu_time() - cpu;
                costs.each.push(took);
                total += took;
                runtime.block_on(bench.continued(&thread));
            }
            total
        });
    });
    let clicks = costs.each.len() as f64;
    let counts = bench.counts();
    println!(
        "click with {open} open: median {:.0} µs, 99th percentile {:.0} µs, CPU {:.0} µs",
        costs.median(),
        costs.percentile(0.99),
        costs.cpu_each()
    );
    println!(
        "a question asked, answered, closed and continued: {:.1} commits, {:.1} hook calls",
        (counts.commits - before.commits) as f64 / clicks,
        (counts.hooks - before.hooks) as f64 / clicks
    );
    let click = bench.counts_of_a_click(runtime);
    println!(
        "of these until the click is answered: {} commits, {} hook calls",
        click.commits, click.hooks
    );
    costs
}

/// The CPU time of this process so far, by the kernel's clock.
fn cpu_time() -> Duration {
    let stat = std::fs::read_to_string("/proc/self/schedstat").expect("schedstat");
    // Of the main thread only; the workers' are below.
    let own: u64 = stat.split(' ').next().and_then(|n| n.parse().ok()).unwrap_or(0);
    let tasks = std::fs::read_dir("/proc/self/task").expect("tasks");
    let of_task = |entry: std::io::Result<std::fs::DirEntry>| {
        let stat = std::fs::read_to_string(entry.ok()?.path().join("schedstat")).ok()?;
        stat.split(' ').next()?.parse::<u64>().ok()
    };
    let all: u64 = tasks.filter_map(of_task).sum();
    Duration::from_nanos(all.max(own))
}
