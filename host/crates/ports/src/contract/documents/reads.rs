//! Selections and their order.

use super::Fixture;
use super::sentences::{both, commit, key, keys, keys_of, prefix, put, puts, read};
use crate::documents::{BATCH_MAX, Order, SELECT_MAX, Select};

/// How often the snapshot rule writes and reads.
const ROUNDS: usize = 50;

pub async fn selections_are_answered_in_their_order<F: Fixture>(fixture: &F) {
    commit(fixture, puts([put("a", "1"), put("b/1", "1"), put("b/2", "1")])).await;

    let select = vec![
        prefix("b/", Order::Descending, 10),
        Select::Key(key("absent")),
        Select::Key(key("a")),
        prefix("none/", Order::Ascending, 10),
        Select::Key(key("a")),
    ];
    let selected = read(fixture, select).await.selected;

    let names = selected
        .iter()
        .map(|found| found.iter().map(|document| document.key.0.as_str()).collect());
    let names: Vec<Vec<&str>> = names.collect();
    assert_eq!(names, [vec!["b/2", "b/1"], vec![], vec!["a"], vec![], vec!["a"]]);
}

pub async fn selections_are_one_snapshot<F: Fixture>(fixture: &F) {
    commit(fixture, puts([put("a", "0"), put("z", "0")])).await;
    let writes = async {
        for round in 0..ROUNDS {
            let round = round.to_string();
            commit(fixture, puts([put("a", &round), put("z", &round)])).await;
        }
    };
    let reads = async {
        for _ in 0..ROUNDS {
            let select = vec![
                Select::Key(key("a")),
                prefix("", Order::Descending, 1),
                Select::Key(key("z")),
            ];
            let selected = read(fixture, select).await.selected;
            let values: Vec<_> = selected
                .iter()
                .flatten()
                .map(|document| &document.value)
                .collect();
            assert!(values.iter().all(|value| *value == values[0]), "{values:?}");
        }
    };
    both(writes, reads).await;
}

pub async fn a_prefix_is_read_from_both_ends<F: Fixture>(fixture: &F) {
    commit(
        fixture,
        puts(["c/2", "c/1", "c/10", "c/3"].map(|name| put(name, "1"))),
    )
    .await;

    let up = keys_of(fixture, prefix("c/", Order::Ascending, 10)).await;
    let down = keys_of(fixture, prefix("c/", Order::Descending, 10)).await;

    assert_eq!(up, ["c/1", "c/10", "c/2", "c/3"]);
    assert_eq!(down, ["c/3", "c/2", "c/10", "c/1"]);
}

pub async fn a_prefix_ends_at_its_limit<F: Fixture>(fixture: &F) {
    commit(fixture, puts(["a", "b", "c"].map(|name| put(name, "1")))).await;

    assert_eq!(
        keys_of(fixture, prefix("", Order::Ascending, 2)).await,
        ["a", "b"]
    );
    assert_eq!(
        keys_of(fixture, prefix("", Order::Descending, 2)).await,
        ["c", "b"]
    );
    assert_eq!(keys_of(fixture, prefix("", Order::Descending, 0)).await, [""; 0]);
}

pub async fn a_prefix_ends_at_the_bound_of_a_selection<F: Fixture>(fixture: &F) {
    commit(
        fixture,
        puts((0..BATCH_MAX).map(|n| put(&format!("a/{n:04}"), "1"))),
    )
    .await;
    commit(fixture, puts([put("a/last", "1")])).await;

    let found = keys_of(fixture, prefix("a/", Order::Ascending, usize::MAX)).await;

    assert_eq!(found.len(), SELECT_MAX);
    assert_eq!(found.last().map(String::as_str), Some("a/0999"));
}

pub async fn a_prefix_does_not_reach_its_neighbours<F: Fixture>(fixture: &F) {
    let names = [
        "a",
        "a.",
        "a/",
        "a/1",
        "a/\u{7f}",
        "a/é",
        "a/\u{10ffff}",
        "a/\u{10ffff}\u{10ffff}",
        "a0",
        "b",
        "é",
        "ê",
    ];
    commit(fixture, puts(names.map(|name| put(name, "1")))).await;

    assert_eq!(keys(fixture, "a/").await, names[2..8]);
    assert_eq!(keys(fixture, "a/\u{10ffff}").await, names[6..8]);
    assert_eq!(keys(fixture, "a").await, names[..9]);
    assert_eq!(keys(fixture, "é").await, ["é"]);
    assert_eq!(keys(fixture, "").await, names);
    assert_eq!(keys(fixture, "a/2").await, [""; 0]);
}

pub async fn a_prefix_is_no_pattern<F: Fixture>(fixture: &F) {
    let names = [
        "%a", "*a", "?a", "A", "[a]", "\\a", "_a", "a", "a\0b", "a\0c", "aa",
    ];
    commit(fixture, puts(names.map(|name| put(name, "1")))).await;

    for wild in ["%", "*", "?", "[", "\\", "_"] {
        assert_eq!(keys(fixture, wild).await.len(), 1, "{wild}");
    }
    assert_eq!(keys(fixture, "A").await, ["A"]);
    assert_eq!(keys(fixture, "a\0").await, ["a\0b", "a\0c"]);
}

pub async fn keys_are_ordered_by_their_bytes<F: Fixture>(fixture: &F) {
    // By UTF-16 or by a locale some of these would change places.
    let ordered = ["", "\0", "B", "Z", "a", "ab", "z", "é", "\u{ffff}", "\u{10000}"];
    commit(fixture, puts(ordered.iter().rev().map(|name| put(name, "1")))).await;

    assert_eq!(keys(fixture, "").await, ordered);
}
