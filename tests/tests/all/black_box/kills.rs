//! A share of `cargo xtask kills` in every run of the tests: fresh seeds, a few deaths on each store.

use tests::kills::{self, Options, Store};

/// On each store, half of them with a forum that recognises repeats.
const RUNS: usize = 6;

async fn promises_hold_on(store: Store) {
    let seed = u64::from(std::process::id());
    let options = Options {
        runs: RUNS,
        seed,
        worlds: 1,
    };
    match kills::play(store, options).await {
        Ok(tallies) => assert_eq!(tallies.iter().map(|tally| tally.kills).sum::<usize>(), RUNS),
        Err(broken) => panic!("`cargo xtask kills --seed {seed} --runs {RUNS} --worlds 1`: {broken}"),
    }
}

#[tokio::test]
async fn a_host_on_sqlite_that_is_killed_over_and_over_keeps_its_promises() {
    promises_hold_on(Store::Sqlite).await;
}

#[tokio::test]
async fn hosts_on_redis_that_are_killed_over_and_over_keep_their_promises() {
    promises_hold_on(Store::Redis).await;
}
