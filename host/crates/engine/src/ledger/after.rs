//! The conversation as a commit left it: what the result of an act is stepped on without reading again.
//!
//! A commit tells the versions it gave, so this host knows every document that it has just read and written. The next write
//! checks them, as it would check what was read a moment before it; where another host was faster it conflicts, and the
//! conversation is read.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use bytes::Bytes;
use lifecycle::owed::Attempt;
use lifecycle::{CallId, Timestamp};
use ports::documents::{self, Batch, CommitId, Document, Key, Version};

use super::{Committed, Records, VIEW_GOOD_FOR};
use crate::address::{ENTRIES, TURN, question_key};
use crate::conversation::{Draft, Held, Scope, View};
use crate::newest::Newest;
use crate::store_clock::since;

/// How the conversation was when the commit was applied: what its result can be stepped on without reading again. Another
/// host may have written since; then the versions do not match.
#[derive(Debug)]
pub(super) struct After {
    /// The store's clock.
    now: Timestamp,
    /// The host's clock before and after that was told.
    asked_at: Duration,
    told_at: Duration,
    chat: Option<Version>,
    /// Newest first.
    questions: Vec<(CallId, Version)>,
    scope: Scope,
    entries: Newest,
    lease: Option<(Attempt, Timestamp)>,
}

impl Committed {
    /// The conversation as this commit left it, at a time that is not later than the store's: what has passed since by the
    /// host's clock is added. None when it is too long ago, or when the commit did not have the records.
    pub(crate) fn carried(&self, records: Records<'_>, elapsed: Duration) -> Option<View> {
        let after = self.after.as_ref()?;
        let passed = elapsed.saturating_sub(after.told_at);
        let has_records = match records {
            Records::All => after.scope == Scope::All,
            Records::One(call) => after.questions.iter().any(|(known, _)| known == call),
        };
        if passed > VIEW_GOOD_FOR || !has_records {
            return None;
        }
        let chat = after.chat.map(|version| Held {
            value: self.chat.clone(),
            version,
        });
        let question = |(call, version): &(CallId, Version)| {
            let value = self.questions.get(call)?.clone();
            let version = *version;
            Some(Held { value, version })
        };
        Some(View {
            partition: self.partition.clone(),
            now: after.now + since(after.told_at, elapsed),
            read_at: after.asked_at + passed,
            chat,
            questions: after.questions.iter().filter_map(question).collect(),
            scope: after.scope,
            entries: after.entries.clone(),
            lease: after.lease,
        })
    }
}

/// What a batch writes, to know the conversation after it.
pub(super) struct Writes {
    id: CommitId,
    puts: Vec<(Key, Bytes)>,
    deletes: Vec<Key>,
}

impl Writes {
    pub(super) fn of(batch: &Batch) -> Self {
        Self {
            id: batch.id,
            puts: batch
                .puts
                .iter()
                .map(|put| (put.key.clone(), put.value.clone()))
                .collect(),
            deletes: batch.deletes.iter().map(|(key, _)| key.clone()).collect(),
        }
    }

    pub(super) fn after(
        self,
        draft: &Draft<'_>,
        committed: &documents::Committed,
        asked_at: Duration,
        told_at: Duration,
    ) -> After {
        let view = draft.view;
        let mut written: BTreeMap<&Key, Version> = BTreeMap::new();
        let mut entries = view.entries.clone();
        for ((key, value), version) in self.puts.iter().zip(&committed.versions) {
            written.insert(key, *version);
            if key.0.starts_with(ENTRIES) {
                entries.written(Document {
                    key: key.clone(),
                    version: *version,
                    commit: self.id,
                    value: value.clone(),
                    expires: None,
                    wake: None,
                });
            }
        }
        self.deletes.iter().for_each(|key| entries.deleted(key));
        let new = |key: &Key| written.get(key).copied();
        let held = view.questions.iter().map(|held| &held.value.call);
        let calls: BTreeSet<&CallId> = held.chain(draft.questions.keys()).collect();
        let left = calls
            .into_iter()
            .rev()
            .filter(|call| !draft.deleted.contains(call));
        let version_of = |call: &CallId| {
            let read = view.question(call).map(|held| held.version);
            Some((call.clone(), new(&question_key(call)).or(read)?))
        };
        After {
            now: committed.now,
            asked_at,
            told_at,
            chat: new(&Key(TURN.to_owned())).or(view.chat.as_ref().map(|chat| chat.version)),
            questions: left.filter_map(version_of).collect(),
            scope: view.scope,
            entries,
            lease: view.lease,
        }
    }
}
