//! What every store of documents keeps: one function for each rule, named as the sentence it proves.
//!
//! An implementation gives a [`Fixture`] and has the rules as tests of its own:
//!
//! ```text
//! ports::documents_contract!(MyFixture::new());
//! ```
//!
//! A rule begins with an empty store. It asks nothing of a clock that runs by itself, only that `advance` moves it at least as
//! far as told, so that a store with a server of its own passes as well.

#![expect(
    clippy::expect_used,
    clippy::panic,
    missing_docs,
    reason = "a broken rule fails its test; the name of a rule is its documentation"
)]

pub mod appends;
pub mod bounds;
pub mod commits;
pub mod nudges;
pub mod reads;
pub mod times;

mod sentences;

use lifecycle::Millis;

use crate::Documents;

/// An empty store whose clock the test moves.
pub trait Fixture {
    /// What is tested.
    type Store: Documents;

    /// The store: the same at every call.
    fn store(&self) -> &Self::Store;

    /// Moves the store's clock on.
    fn advance(&self, length: Millis);
}

/// Makes a `#[tokio::test]` of each rule, in the crate that calls it. The expression is a new [`Fixture`], evaluated for each;
/// it may wait.
///
/// `documents_contract!(together on servers => async |servers| fixture)` makes one test of all, for a store whose servers take
/// long to begin: its fixtures share them, and which rule broke is said by the panic's place.
#[macro_export]
macro_rules! documents_contract {
    (together on $servers:expr => $fixture:expr) => {
        $crate::documents_contract! { @list @together ($servers, $fixture); }
    };
    ($fixture:expr) => {
        $crate::documents_contract! { @list @rules ($fixture); }
    };
    (@list @$how:ident $fixture:tt;) => {
        $crate::documents_contract! { @$how $fixture;
            commits::a_put_is_read_back_with_its_version_and_commit,
            commits::an_absent_document_is_expected_once,
            commits::a_version_is_expected_of_one_write,
            commits::anything_expects_nothing,
            commits::a_conflict_tells_what_is_there_and_writes_nothing,
            commits::a_conflict_tells_every_key_that_did_not_match,
            commits::a_check_writes_nothing,
            commits::a_failed_check_stops_the_writes,
            commits::a_deleted_document_is_absent,
            commits::deleting_what_is_absent_is_no_error,
            commits::a_delete_keeps_its_expectation,
            commits::a_version_never_comes_twice,
            commits::a_lost_reply_is_settled_by_the_commit_id,
            commits::partitions_are_independent,
            commits::one_of_many_equal_expectations_wins,
            commits::the_time_of_a_commit_is_not_after_a_later_read,
            appends::numbers_begin_at_one_and_rise,
            appends::numbers_of_one_batch_follow_its_order,
            appends::a_number_of_a_deleted_document_is_not_used_again,
            appends::a_number_of_an_expired_document_is_not_used_again,
            appends::prefixes_count_for_themselves,
            appends::concurrent_appends_never_conflict,
            appends::an_appended_document_expires_and_wakes,
            reads::selections_are_answered_in_their_order,
            reads::selections_are_one_snapshot,
            reads::a_prefix_is_read_from_both_ends,
            reads::a_prefix_ends_at_its_limit,
            reads::a_prefix_ends_at_the_bound_of_a_selection,
            reads::a_prefix_does_not_reach_its_neighbours,
            reads::a_prefix_is_no_pattern,
            reads::keys_are_ordered_by_their_bytes,
            times::an_expired_document_is_not_read,
            times::an_expired_document_is_absent_to_a_check,
            times::an_expired_document_has_no_version,
            times::an_expired_document_takes_no_place_in_a_limit,
            times::a_rewrite_replaces_the_expiry,
            times::a_document_is_due_from_its_wake_time_on,
            times::what_is_due_comes_earliest_first_from_all_partitions,
            times::no_more_is_due_than_asked_for,
            times::no_more_is_due_than_the_bound,
            times::the_next_wake_time_is_told,
            times::what_will_be_due_is_told_ahead_of_time,
            times::what_ends_before_then_is_not_told_ahead_of_time,
            times::reading_what_is_due_does_not_claim_it,
            times::a_rewrite_replaces_the_wake_time,
            times::a_deleted_document_is_not_due,
            times::an_expired_document_is_not_due,
            times::a_wake_time_after_the_end_is_never_next,
            nudges::an_earlier_wake_time_nudges,
            nudges::an_earlier_wake_time_of_an_append_nudges,
            nudges::a_later_wake_time_does_not_nudge,
            nudges::a_wake_time_beyond_the_next_look_does_not_nudge,
            nudges::what_was_not_written_does_not_nudge,
            bounds::a_batch_at_the_bounds_is_written,
            bounds::a_value_at_the_bound_is_written,
            bounds::a_batch_above_a_bound_is_refused_whole,
            bounds::a_key_twice_in_a_batch_is_refused_whole,
            bounds::a_read_above_a_bound_is_refused,
            bounds::an_empty_batch_is_written,
        }
    };
    (@together ($servers:expr, $fixture:expr); $($group:ident :: $rule:ident,)+) => {
        #[tokio::test]
        async fn every_rule_is_kept() {
            let servers = $servers;
            let fixture = $fixture;
            // Boxed: all of them in one future are more than a test's stack.
            $(Box::pin(async {
                $crate::contract::documents::$group::$rule(&fixture(&servers).await).await;
            })
            .await;)+
        }
    };
    (@rules ($fixture:expr); $($group:ident :: $rule:ident,)+) => {
        $(
            #[tokio::test]
            async fn $rule() {
                $crate::contract::documents::$group::$rule(&$fixture).await;
            }
        )+
    };
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    #[test]
    fn every_rule_becomes_a_test() {
        let groups = [
            ("commits", include_str!("documents/commits.rs")),
            ("appends", include_str!("documents/appends.rs")),
            ("reads", include_str!("documents/reads.rs")),
            ("times", include_str!("documents/times.rs")),
            ("nudges", include_str!("documents/nudges.rs")),
            ("bounds", include_str!("documents/bounds.rs")),
        ];
        let rules = groups.iter().flat_map(|(group, source)| {
            let names = source
                .lines()
                .filter_map(|line| line.strip_prefix("pub async fn "));
            names
                .filter_map(|line| line.split('<').next())
                .map(move |name| format!("{group}::{name},"))
        });
        let listed = include_str!("documents.rs").lines().map(str::trim);
        let listed = listed.filter(|line| {
            groups
                .iter()
                .any(|(group, _)| line.starts_with(&format!("{group}::")))
        });
        assert_eq!(
            rules.collect::<BTreeSet<_>>(),
            listed.map(str::to_owned).collect::<BTreeSet<_>>()
        );
    }
}
