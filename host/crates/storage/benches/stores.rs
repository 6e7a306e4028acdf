//! Commits a second and how long one takes, on Redis and on SQLite, with 1, 16 and 64 clients at once, beside the cost of the
//! same writes without a store, in one run.
//!
//! `cargo bench -p storage --features servers --bench stores`. Needs `redis-server`. A commit writes one document of 1 kB
//! with an expiry and a wake time. Without a store that is: on Redis a pipeline of the five commands that the script calls,
//! through the same client; on SQLite an insert of the same row, as many in a transaction as there are clients. The ratio is
//! the store's commits a second by those, at the median of several turns, so that what else the machine does meets both.

#![expect(clippy::expect_used, reason = "a measurement that cannot be made ends here")]
#![expect(clippy::disallowed_methods, reason = "a measurement")]
#![expect(
    clippy::print_stdout,
    reason = "the result of a measurement is for whoever started it"
)]

use std::path::Path;
use std::time::{Duration, Instant};

use bytes::Bytes;
use futures_util::future::join_all;
use lifecycle::Millis;
use ports::Documents;
use ports::documents::{Batch, CommitId, Expect, Key, Partition, Put};
use redis::aio::MultiplexedConnection;
use rusqlite::{Connection, params};
use storage::servers::RedisServer;
use storage::{RedisDocuments, SqliteDocuments, WallClock};
use tokio::runtime::{Builder, Runtime};

const CLIENTS: [usize; 3] = [1, 16, 64];
const VALUE_BYTES: usize = 1_000;
/// How many turns the store and the raw writes take each, how long one is, and how long the first warm-up is.
const TURNS: usize = 7;
const TURN: Duration = Duration::from_millis(250);

fn main() {
    let runtime = Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .expect("a runtime");
    println!(
        "{:<28} {:>7} {:>10} {:>10} {:>10} {:>12} {:>6}",
        "store", "clients", "commits/s", "median", "p99", "raw writes/s", "ratio"
    );
    sqlite(&runtime);
    for (name, options) in [
        ("Redis, appendfsync always", ["--appendfsync", "always"]),
        ("Redis, appendfsync everysec", ["--appendfsync", "everysec"]),
    ] {
        on_redis(&runtime, name, options);
    }
}

/// What was measured in one turn, or in all turns of a cell.
struct Measured {
    per_second: f64,
    spent: Vec<Duration>,
}

/// Has clients do something at the same time, each again and again.
async fn measure<C: Clone, F: Future>(clients: &[C], act: impl Fn(C) -> F) -> Measured {
    let start = Instant::now();
    let one = async |client: C| {
        let mut spent = Vec::new();
        while start.elapsed() < TURN {
            let begun = Instant::now();
            act(client.clone()).await;
            spent.push(begun.elapsed());
        }
        spent
    };
    let spent = join_all(clients.iter().cloned().map(one)).await;
    let spent: Vec<_> = spent.into_iter().flatten().collect();
    Measured {
        per_second: rate(spent.len(), start.elapsed()),
        spent,
    }
}

fn rate(count: usize, length: Duration) -> f64 {
    f64::from(u32::try_from(count).expect("a small number")) / length.as_secs_f64()
}

/// One line of the table: both by turns, after one turn of each to warm up.
fn compare(
    name: &str,
    clients: usize,
    mut store: impl FnMut() -> Measured,
    mut raw: impl FnMut() -> Measured,
) {
    drop((store(), raw()));
    let (stores, raws): (Vec<_>, Vec<_>) = (0..TURNS).map(|_| (store(), raw())).unzip();
    let ratio = median(
        stores
            .iter()
            .zip(&raws)
            .map(|(store, raw)| store.per_second / raw.per_second),
    );
    let mut spent: Vec<Duration> = stores
        .iter()
        .flat_map(|turn| turn.spent.iter().copied())
        .collect();
    spent.sort_unstable();
    println!(
        "{name:<28} {clients:>7} {:>10.0} {:>8.0}µs {:>8.0}µs {:>12.0} {ratio:>6.2}",
        median(stores.iter().map(|turn| turn.per_second)),
        spent[spent.len() / 2].as_secs_f64() * 1e6,
        spent[spent.len() * 99 / 100].as_secs_f64() * 1e6,
        median(raws.iter().map(|turn| turn.per_second)),
    );
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<_> = values.collect();
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

async fn commits(documents: &impl Documents, clients: usize) -> Measured {
    let now = documents
        .read(&Partition(String::new()), vec![])
        .await
        .expect("the store answers")
        .now;
    let commit = |client: usize| async move {
        let put = Put {
            key: Key("question/1".to_owned()),
            expect: Expect::Anything,
            value: Bytes::from_static(&[0x5a; VALUE_BYTES]),
            expires: Some(now + Millis::days(30)),
            wake: Some(now + Millis::days(1)),
        };
        let batch = Batch {
            id: CommitId(7),
            checks: vec![],
            puts: vec![put],
            deletes: vec![],
            appends: vec![],
        };
        let place = Partition(format!("channel/account/room/{client}"));
        documents.commit(&place, batch).await.expect("it is written")
    };
    measure(&(0..clients).collect::<Vec<_>>(), commit).await
}

fn sqlite(runtime: &Runtime) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("store.db");
    let documents = SqliteDocuments::open(&path, WallClock::System).expect("the store opens");
    for clients in CLIENTS {
        let mut connection = raw_database(&folder.path().join(format!("raw{clients}.db")));
        compare(
            "SQLite, synchronous=FULL",
            clients,
            || runtime.block_on(commits(&documents, clients)),
            || by_hand(&mut connection, clients),
        );
    }
}

fn raw_database(path: &Path) -> Connection {
    let connection = Connection::open(path).expect("a database");
    let table = "CREATE TABLE documents (partition BLOB NOT NULL, key BLOB NOT NULL, version INTEGER NOT NULL, \
                 commit_id BLOB NOT NULL, expires INTEGER, wake INTEGER, value BLOB NOT NULL, UNIQUE (partition, key)); \
                 CREATE INDEX by_wake ON documents (wake, expires); CREATE INDEX by_expiry ON documents (expires)";
    for (name, value) in [("journal_mode", "wal"), ("synchronous", "full")] {
        connection.pragma_update(None, name, value).expect("a setting");
    }
    connection.execute_batch(table).expect("a table");
    connection
}

/// Rows written by hand, as many in a transaction as clients could wait for one.
fn by_hand(connection: &mut Connection, clients: usize) -> Measured {
    let write = "INSERT INTO documents VALUES (?1, 'question/1', ?2, zeroblob(16), 1, 2, zeroblob(1000)) \
                 ON CONFLICT DO UPDATE SET version = ?2, value = excluded.value";
    let (mut spent, start) = (Vec::new(), Instant::now());
    while start.elapsed() < TURN {
        let begun = Instant::now();
        let transaction = connection.transaction().expect("it begins");
        for client in 0..clients {
            let version = u32::try_from(spent.len()).expect("a small number");
            transaction
                .prepare_cached(write)
                .and_then(|mut write| write.execute(params![format!("room/{client}"), version]))
                .expect("it is written");
        }
        transaction.commit().expect("it is synced");
        spent.push(begun.elapsed());
    }
    Measured {
        per_second: rate(spent.len() * clients, start.elapsed()),
        spent,
    }
}

fn on_redis(runtime: &Runtime, name: &str, options: [&str; 2]) {
    let mut all = vec!["--appendonly", "yes", "--save", ""];
    all.extend(options);
    let server = RedisServer::start_with(&all);
    let documents = runtime
        .block_on(RedisDocuments::open(server.settings()))
        .expect("the store opens");
    let client = redis::Client::open(server.url()).expect("it is a URL");
    let connection = runtime
        .block_on(client.get_multiplexed_async_connection())
        .expect("the server answers");
    for clients in CLIENTS {
        let raw: Vec<_> = (0..clients).map(|client| (client, connection.clone())).collect();
        compare(
            name,
            clients,
            || runtime.block_on(commits(&documents, clients)),
            || runtime.block_on(measure(&raw, write_raw)),
        );
    }
}

/// What the script of a commit calls, without the script.
async fn write_raw((client, mut connection): (usize, MultiplexedConnection)) {
    let document = format!("raw:d:channel/account/room/{client}question/1");
    let mut same = redis::pipe();
    same.cmd("SET").arg("raw").arg("1700000000000000").ignore();
    same.cmd("SET")
        .arg(&document)
        .arg(&[0x5a_u8; VALUE_BYTES + 64][..])
        .arg("PXAT")
        .arg(4_000_000_000_000_u64)
        .ignore();
    for (index, score) in [
        ("raw:e", 4_000_000_000_000_u64),
        ("raw:k", 0),
        ("raw:w", 2_000_000_000_000),
    ] {
        same.cmd("ZADD").arg(index).arg(score).arg(&document).ignore();
    }
    let written: redis::RedisResult<()> = same.query_async(&mut connection).await;
    written.expect("it is written");
}
