//! A share of `cargo xtask kills` in every run of the tests: fresh seeds, a few deaths on each store, and one of everything else that
//! goes wrong with each kind of platform.

use tests::kills::{self, Load, Options, Store, Trouble};

/// Half of them with a forum that recognises repeats.
async fn promises_hold(store: Store, trouble: Trouble, runs: usize) {
    let seed = u64::from(std::process::id());
    let options = Options {
        runs,
        seed,
        worlds: 1,
    };
    match kills::play(store, trouble, options).await {
        Ok(tallies) => assert_eq!(tallies.iter().map(|tally| tally.runs).sum::<usize>(), runs),
        Err(broken) => panic!(
            "`cargo xtask kills --seed {seed} --runs {runs} --worlds 1 --store {} --trouble {}`: {broken}",
            store.name(),
            trouble.name()
        ),
    }
}

#[tokio::test]
async fn a_host_on_sqlite_that_is_killed_over_and_over_keeps_its_promises() {
    promises_hold(Store::Sqlite, Trouble::Kill, 6).await;
}

#[tokio::test]
async fn hosts_on_redis_that_are_killed_over_and_over_keep_their_promises() {
    promises_hold(Store::Redis, Trouble::Kill, 6).await;
}

#[tokio::test]
async fn a_host_that_stood_still_for_longer_than_its_lease_does_nothing_twice() {
    promises_hold(Store::Redis, Trouble::Pause, 2).await;
}

#[tokio::test]
async fn a_redis_that_is_killed_and_started_again_loses_nothing() {
    promises_hold(Store::Redis, Trouble::Restart, 2).await;
}

#[tokio::test]
async fn hosts_live_through_a_redis_that_they_cannot_reach() {
    promises_hold(Store::Redis, Trouble::Cut, 2).await;
}

#[tokio::test]
async fn a_host_lives_through_a_full_disk_and_loses_nothing() {
    promises_hold(Store::Sqlite, Trouble::DiskFull, 2).await;
}

#[tokio::test]
async fn three_hosts_of_which_one_dies_and_one_stands_still_lose_nothing() {
    let seed = u64::from(std::process::id());
    let load = Load {
        conversations: 30,
        at_once: 6,
        recognises: true,
        seed,
    };
    match kills::load(load).await {
        Ok(loaded) => assert_eq!(loaded.conversations, load.conversations),
        Err(broken) => panic!("`cargo xtask kills --seed {seed} --load 30`: {broken}"),
    }
}
