//! What a click costs the SQLite store, and whether that grows with what is stored.
//!
//! `cargo bench -p storage`. The last lines say the ratio that may be 1.3 at most: one click with 1,000,000 open questions in
//! the store against one with 1,000.

#![expect(clippy::expect_used, reason = "a measurement that cannot be made ends here")]

use std::hint::black_box;
use std::path::Path;
use std::time::{Duration, Instant};

use bytes::Bytes;
use criterion::{Criterion, Throughput};
use lifecycle::{Millis, Timestamp};
use ports::Documents as _;
use ports::documents::{Append, Batch, CommitId, Expect, Key, Order, Partition, Put, Select};
use rusqlite::Connection;
use storage::{ManualClock, SqliteDocuments, WallClock};
use tokio::runtime::{Builder, Runtime};

const FEW: u64 = 1_000;
const MANY: u64 = 1_000_000;
/// Documents of one conversation.
const PER_PARTITION: u64 = 10;
/// About what a question's record takes.
const VALUE_BYTES: usize = 1_000;
/// Clicks of the final comparison, of each store in turn.
const COMPARED: usize = 3_000;
const COMMITTERS: usize = 32;
const START: Timestamp = Timestamp(1_700_000_000_000);

fn main() {
    let runtime = Builder::new_multi_thread()
        .worker_threads(2)
        .build()
        .expect("a runtime");
    let folder = tempfile::tempdir().expect("a folder");
    let stores = [FEW, MANY].map(|documents| {
        let path = folder.path().join(documents.to_string());
        fill(&path, documents);
        (documents, open(&path))
    });

    let mut criterion = Criterion::default().configure_from_args();
    click(&mut criterion, &runtime, &stores);
    nothing_due(&mut criterion, &runtime, &stores);
    group(&mut criterion, &runtime, &folder.path().join("group"));
    criterion.final_summary();
    compare(&runtime, &stores);
}

fn open(path: &Path) -> SqliteDocuments {
    SqliteDocuments::open(path, WallClock::Manual(ManualClock::new(START))).expect("the store opens")
}

/// Documents with expiry and wake times, written past the store: a million commits would take longer than the measurement.
fn fill(path: &Path, documents: u64) {
    drop(open(path));
    let connection = Connection::open(path).expect("the store is a database");
    let fill = format!(
        "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < {documents})
         INSERT INTO documents (partition, key, version, commit_id, expires, wake, value)
         SELECT CAST(printf('channel/account/room/%07d', i / {PER_PARTITION}) AS BLOB),
                CAST(printf('question/%d', i % {PER_PARTITION}) AS BLOB),
                1, zeroblob(16), {end} + i, {wake} + (i * 7919) % {documents}, randomblob({VALUE_BYTES})
         FROM n",
        end = (START + Millis::days(30)).0,
        wake = (START + Millis::hours(1)).0,
    );
    connection
        .execute_batch(&fill)
        .expect("the documents are written");
    connection
        .execute_batch("UPDATE counter SET version = 1")
        .expect("the version is counted");
}

/// The partitions, in an order without a pattern that a cache could use.
struct Wander {
    partitions: u64,
    turn: u64,
}

impl Wander {
    fn new(documents: u64) -> Self {
        Self {
            partitions: documents / PER_PARTITION,
            turn: 0,
        }
    }

    fn next(&mut self) -> Partition {
        self.turn = self
            .turn
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        Partition(format!(
            "channel/account/room/{:07}",
            (self.turn >> 33) % self.partitions
        ))
    }
}

/// One read and one commit, as an answer makes them: the record and the turn rewritten, a delivery added.
async fn answer(documents: &SqliteDocuments, partition: &Partition) {
    let (record, turn) = (Key("question/3".to_owned()), Key("question/7".to_owned()));
    let messages = Select::Prefix {
        prefix: "question/".to_owned(),
        order: Order::Ascending,
        limit: 4,
    };
    let select = vec![Select::Key(record.clone()), Select::Key(turn.clone()), messages];
    let read = documents
        .read(partition, select)
        .await
        .expect("the store answers");
    let value = Bytes::from(vec![0x5a; VALUE_BYTES]);
    let (end, wake) = (
        Some(read.now + Millis::days(30)),
        Some(read.now + Millis::minutes(5)),
    );
    let put = |key, found: usize| Put {
        key,
        expect: Expect::Version(read.selected[found][0].version),
        value: value.clone(),
        expires: end,
        wake,
    };
    let puts = vec![put(record, 0), put(turn, 1)];
    let delivery = Append {
        prefix: "delivery/".to_owned(),
        value: value.clone(),
        expires: end,
        wake: None,
    };
    let batch = Batch {
        id: CommitId(7),
        checks: vec![],
        puts,
        deletes: vec![],
        appends: vec![delivery],
    };
    black_box(
        documents
            .commit(partition, batch)
            .await
            .expect("nobody else writes"),
    );
}

fn click(criterion: &mut Criterion, runtime: &Runtime, stores: &[(u64, SqliteDocuments)]) {
    let mut clicks = criterion.benchmark_group("click");
    for (documents, store) in stores {
        let mut wander = Wander::new(*documents);
        clicks.bench_function(documents.to_string(), |bench| {
            bench.iter(|| runtime.block_on(answer(store, &wander.next())));
        });
    }
    clicks.finish();
    let mut reads = criterion.benchmark_group("read");
    for (documents, store) in stores {
        let mut wander = Wander::new(*documents);
        reads.bench_function(documents.to_string(), |bench| {
            let select = || vec![Select::Key(Key("question/3".to_owned()))];
            bench.iter(|| {
                runtime
                    .block_on(store.read(&wander.next(), select()))
                    .expect("the store answers")
            });
        });
    }
    reads.finish();
}

fn nothing_due(criterion: &mut Criterion, runtime: &Runtime, stores: &[(u64, SqliteDocuments)]) {
    let mut due = criterion.benchmark_group("nothing due");
    for (documents, store) in stores {
        due.bench_function(documents.to_string(), |bench| {
            bench.iter(|| {
                runtime
                    .block_on(store.due(lifecycle::Millis(0), 100))
                    .expect("the store answers")
            });
        });
    }
    due.finish();
}

fn group(criterion: &mut Criterion, runtime: &Runtime, path: &Path) {
    let documents = open(path);
    let mut group = criterion.benchmark_group("commits");
    for committers in [1, COMMITTERS] {
        group.throughput(Throughput::Elements(
            u64::try_from(committers).expect("a small number"),
        ));
        group.bench_function(format!("{committers} at once"), |bench| {
            bench.iter(|| runtime.block_on(commit_together(&documents, committers)));
        });
    }
    group.finish();
}

async fn commit_together(documents: &SqliteDocuments, committers: usize) {
    let partitions: Vec<_> = (0..committers).map(|n| Partition(n.to_string())).collect();
    let put = |key: &str| Put {
        key: Key(key.to_owned()),
        expect: Expect::Anything,
        value: Bytes::from(vec![0x5a; VALUE_BYTES]),
        expires: None,
        wake: Some(START + Millis::hours(1)),
    };
    let batch = || Batch {
        id: CommitId(7),
        checks: vec![],
        puts: vec![put("record")],
        deletes: vec![],
        appends: vec![],
    };
    let commits = partitions
        .iter()
        .map(|partition| documents.commit(partition, batch()));
    for outcome in futures_util::future::join_all(commits).await {
        black_box(outcome.expect("it is written"));
    }
}

/// Clicks in both stores by turns, so that what else the machine does meets both.
#[expect(clippy::disallowed_methods, reason = "a measurement")]
#[expect(
    clippy::print_stdout,
    reason = "the result of a measurement is for whoever started it"
)]
fn compare(runtime: &Runtime, stores: &[(u64, SqliteDocuments); 2]) {
    let mut wanders = [FEW, MANY].map(Wander::new);
    let mut spent = [FEW, MANY].map(|_| Vec::with_capacity(COMPARED));
    for _ in 0..COMPARED {
        for ((spent, wander), (_, store)) in spent.iter_mut().zip(&mut wanders).zip(stores) {
            let partition = wander.next();
            let start = Instant::now();
            runtime.block_on(answer(store, &partition));
            spent.push(start.elapsed());
        }
    }
    let [few, many] = spent.map(|mut spent| {
        spent.sort_unstable();
        let mean = spent.iter().sum::<Duration>() / u32::try_from(spent.len()).expect("a small number");
        (spent[spent.len() / 2], mean)
    });
    println!("click with {FEW}: median {:?}, mean {:?}", few.0, few.1);
    println!("click with {MANY}: median {:?}, mean {:?}", many.0, many.1);
    let ratio = |many: Duration, few: Duration| many.as_secs_f64() / few.as_secs_f64();
    println!(
        "ratio (at most 1.3): median {:.2}, mean {:.2}",
        ratio(many.0, few.0),
        ratio(many.1, few.1)
    );
}
