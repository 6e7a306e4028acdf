//! Reading and committing one conversation.

mod after;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use lifecycle::owed::Attempt;
use lifecycle::question::Question;
use lifecycle::{CallId, Timestamp};
use ports::documents::{
    Append, Batch, CommitFault, CommitId, Document, Expect, Key, Order, Partition, Put, Select, Snapshot,
};
use ports::{Clock, Documents, Entropy, failpoint};
use serde::{Deserialize, Serialize};

use crate::address::{Address, ENTRIES as ENTRIES_PREFIX, LEASE, QUESTIONS, TURN, entry_key, question_key};
use crate::chat::{Assistant, Entry};
use crate::conversation::{Chat, Draft, Edit, Held, Scope, View};
use crate::model::{extended, with_results};
use crate::newest::{Known, Newest};
use crate::stored::chat::StoredEntry;
use crate::stored::question::StoredQuestion;
use crate::stored::turn::StoredChat;
use crate::stored::{Undecodable, decode, encode};
use crate::{Inner, World};
use after::{After, Writes};

/// The most records of a conversation that an event looks at, newest first. A record lives for a day after its answer;
/// clicks on what is older than the newest 64 of them are answered like those of an expired record.
pub(crate) const RECORDS_MAX: usize = 64;

/// How often a write is tried anew after it met another version. Every try means that somebody else succeeded.
pub(crate) const TRIES_MAX: u32 = 20;

/// How much a view may age by a ruling before something is ordered on it: little of a hook's time.
const VIEW_GOOD_FOR: Duration = Duration::from_secs(2);

/// Why a conversation could not be read or written.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Fault {
    /// The store failed; what is owed is tried again by its wake time.
    #[error("{0}")]
    Store(String),
    /// The host could not ask the piece now; what came in is tried again.
    #[error("{0}")]
    Busy(String),
    /// A document cannot be read: the conversation is parked until the operator looks.
    #[error(transparent)]
    Alarm(#[from] Undecodable),
}

/// How many of a chat's newest messages an event reads beside its records: what it changes is nearly always among them, and
/// a short chat is read as a whole.
const ENTRIES: usize = 4;

/// Which records to read.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Records<'a> {
    /// The newest [`RECORDS_MAX`], and the newest messages of the chat.
    All,
    /// One.
    One(&'a CallId),
}

/// What a commit carries beside the draft.
#[derive(Debug, Default)]
pub(crate) struct Also {
    /// Versions that rulings were made from; one of a document that the draft writes is checked by that write.
    pub(crate) checks: Vec<(Key, Expect)>,
    pub(crate) puts: Vec<Put>,
    pub(crate) deletes: Vec<(Key, Expect)>,
    pub(crate) appends: Vec<Append>,
}

/// What a confirmed commit left behind: what the acts work on.
#[derive(Debug)]
pub(crate) struct Committed {
    pub(crate) partition: Partition,
    pub(crate) chat: Chat,
    /// The records that were read or written.
    pub(crate) questions: BTreeMap<CallId, Question>,
    /// The host's clock before the time was read that the deadlines of the acts count from.
    pub(crate) ordered_at: Duration,
    /// Nothing where the store's reply was lost.
    after: Option<After>,
}

impl Committed {
    pub(crate) fn address(&self) -> &Address {
        &self.chat.address
    }
}

/// How a commit ended.
#[derive(Debug)]
pub(crate) enum Outcome {
    /// Confirmed.
    Done(Arc<Committed>),
    /// Not written: read again.
    Again,
}

/// The lease of a running turn, as it is stored.
#[derive(Serialize, Deserialize)]
pub(crate) struct Lease {
    pub(crate) attempt: u32,
    pub(crate) until: u64,
}

impl<W: World> Inner<W> {
    /// One snapshot of a conversation, and of whatever else of its partition the caller selects.
    pub(crate) async fn load(
        &self,
        partition: &Partition,
        records: Records<'_>,
        also: Vec<Select>,
    ) -> Result<(View, Vec<Vec<Document>>), Fault> {
        let entries = match records {
            Records::All => ENTRIES,
            Records::One(_) => 0,
        };
        self.load_with(partition, records, entries, also).await
    }

    /// The same with so many of the chat's newest messages.
    pub(crate) async fn load_with(
        &self,
        partition: &Partition,
        records: Records<'_>,
        entries: usize,
        also: Vec<Select>,
    ) -> Result<(View, Vec<Vec<Document>>), Fault> {
        let newest = |prefix: &str, limit| Select::Prefix {
            prefix: prefix.to_owned(),
            order: Order::Descending,
            limit,
        };
        let (records, scope) = match records {
            Records::All => (newest(QUESTIONS, RECORDS_MAX), Scope::All),
            Records::One(call) => (Select::Key(question_key(call)), Scope::One),
        };
        let mut select = vec![
            Select::Key(Key(TURN.to_owned())),
            records,
            Select::Key(Key(LEASE.to_owned())),
        ];
        if entries > 0 {
            select.push(newest(ENTRIES_PREFIX, entries));
        }
        select.extend(also);
        let read_at = self.parts.clock.elapsed();
        let Snapshot { now, selected } = self.read(partition, select).await?;
        let mut selected = selected.into_iter();
        let mut next = || selected.next().unwrap_or_default();
        let chat = held(next(), decode::<Chat, StoredChat>)?.pop();
        let questions = held(next(), |key, bytes| {
            decode::<Question, StoredQuestion>(key, bytes)
        })?;
        let lease = next().pop().and_then(|document| lease(&document.value));
        let documents = if entries > 0 { next() } else { Vec::new() };
        let entries = Newest {
            complete: documents.len() < entries,
            documents,
        };
        let view = View {
            partition: partition.clone(),
            now,
            read_at,
            chat,
            questions,
            scope,
            entries,
            lease,
        };
        Ok((view, selected.collect()))
    }

    pub(crate) async fn read(&self, partition: &Partition, select: Vec<Select>) -> Result<Snapshot, Fault> {
        let read = self.parts.documents.read(partition, select).await;
        let snapshot = read.map_err(|fault| Fault::Store(fault.to_string()))?;
        self.store_clock.told(snapshot.now, self.parts.clock.elapsed());
        Ok(snapshot)
    }

    /// Writes a draft, in one batch with `also`. What it ordered may be performed only on [`Outcome::Done`].
    pub(crate) async fn commit(
        &self,
        address: &Address,
        draft: Draft<'_>,
        also: Also,
    ) -> Result<Outcome, Fault> {
        let partition = draft.view.partition.clone();
        let id = self.commit_id();
        let chat = Chat {
            address: address.clone(),
            turn: draft.turn.clone(),
            messages_made: draft.messages_made,
        };
        let mut batch = Batch {
            id,
            checks: Vec::new(),
            puts: also.puts,
            deletes: also.deletes,
            appends: also.appends,
        };
        self.write_chat(&draft, &chat, &mut batch)?;
        self.write_questions(&draft, &mut batch)?;
        self.write_entries(&draft, &mut batch).await?;
        let puts = batch.puts.iter().map(|put| &put.key);
        let written: Vec<&Key> = puts.chain(batch.deletes.iter().map(|(key, _)| key)).collect();
        let checks = also.checks.into_iter().filter(|(key, _)| !written.contains(&key));
        batch.checks = checks.collect();
        let probe = batch.puts.first().map(|put| put.key.clone());
        let writes = Writes::of(&batch);
        let asked_at = self.parts.clock.elapsed();
        failpoint::pass("commit", "before");
        let committed = self.parts.documents.commit(&partition, batch).await;
        failpoint::pass("commit", "after");
        let after = match committed {
            Ok(committed) => {
                let told_at = self.parts.clock.elapsed();
                self.store_clock.told(committed.now, told_at);
                Some(writes.after(&draft, &committed, asked_at, told_at))
            }
            Err(CommitFault::Conflict(_)) => return Ok(Outcome::Again),
            Err(CommitFault::Unavailable(reason)) => return Err(Fault::Store(reason)),
            Err(CommitFault::Unknown(reason)) => {
                if !self.was_applied(&partition, probe, id).await? {
                    return Err(Fault::Store(reason));
                }
                None
            }
        };
        let read = draft
            .view
            .questions
            .iter()
            .map(|held| (held.value.call.clone(), held.value.clone()));
        let mut questions: BTreeMap<CallId, Question> = read.collect();
        questions.extend(draft.questions);
        Ok(Outcome::Done(Arc::new(Committed {
            partition,
            chat,
            questions,
            ordered_at: draft.view.read_at,
            after,
        })))
    }

    /// Whether what began then has made the view too old to order anything on: the attempts would have little of their
    /// time left. Only what is quick the next time is measured, so that reading again gets somewhere.
    pub(crate) fn took_long(&self, began: Duration) -> bool {
        self.parts.clock.elapsed().saturating_sub(began) > VIEW_GOOD_FOR
    }

    /// Whether a commit of unknown outcome is there after all.
    pub(crate) async fn was_applied(
        &self,
        partition: &Partition,
        probe: Option<Key>,
        id: CommitId,
    ) -> Result<bool, Fault> {
        let Some(key) = probe else { return Ok(false) };
        let snapshot = self.read(partition, vec![Select::Key(key)]).await?;
        Ok(snapshot
            .selected
            .iter()
            .flatten()
            .any(|document| document.commit == id))
    }

    pub(crate) fn commit_id(&self) -> CommitId {
        CommitId(u128::from_be_bytes(self.parts.entropy.bytes()))
    }

    fn write_chat(&self, draft: &Draft<'_>, chat: &Chat, batch: &mut Batch) -> Result<(), Fault> {
        let read = draft.view.chat.as_ref();
        if read.is_some_and(|held| held.value == *chat) {
            return Ok(());
        }
        // A conversation whose only event changed nothing about its turn has no chat.
        if read.is_none() && chat.turn == lifecycle::turn::Turn::idle() {
            return Ok(());
        }
        let expect = read.map_or(Expect::Absent, |held| Expect::Version(held.version));
        let value = encode::<Chat, StoredChat>(TURN, chat)?;
        batch.puts.push(put(
            Key(TURN.to_owned()),
            expect,
            value,
            None,
            chat.turn.next_wake(),
        ));
        Ok(())
    }

    fn write_questions(&self, draft: &Draft<'_>, batch: &mut Batch) -> Result<(), Fault> {
        for call in &draft.deleted {
            if let Some(held) = draft.view.question(call) {
                batch
                    .deletes
                    .push((question_key(call), Expect::Version(held.version)));
            }
        }
        for (question, version) in draft.changed_questions() {
            if draft.deleted.contains(&question.call) {
                continue;
            }
            let key = question_key(&question.call);
            let expect = version.map_or(Expect::Absent, Expect::Version);
            let value = encode::<Question, StoredQuestion>(&key.0, question)?;
            let expires = Some(question.expires_at(&self.config.policy));
            batch
                .puts
                .push(put(key, expect, value, expires, question.next_wake()));
        }
        Ok(())
    }

    /// Applies the draft's edits to the chat's messages, each read at the version it is written over.
    async fn write_entries(&self, draft: &Draft<'_>, batch: &mut Batch) -> Result<(), Fault> {
        if draft.edits.is_empty() {
            return Ok(());
        }
        let mut numbers: Vec<u64> = draft.edits.iter().map(|(number, _)| *number).collect();
        numbers.sort_unstable();
        numbers.dedup();
        let read = self.known_entries(draft.view, &numbers).await?;
        for (number, held) in numbers.into_iter().zip(read) {
            let edits = draft
                .edits
                .iter()
                .filter(|(edited, _)| *edited == number)
                .map(|(_, edit)| edit);
            let expect = held
                .as_ref()
                .map_or(Expect::Absent, |held| Expect::Version(held.version));
            let key = entry_key(number);
            match edits.fold(held.map(|held| held.value), edited) {
                Some(entry) => {
                    let value = encode::<Entry, StoredEntry>(&key.0, &entry)?;
                    batch.puts.push(put(key, expect, value, None, None));
                }
                None => batch.deletes.push((key, expect)),
            }
        }
        Ok(())
    }

    /// Messages of the chat by number, in the order of the numbers: those of the view, and where it has not all of them those
    /// of the store.
    async fn known_entries(&self, view: &View, numbers: &[u64]) -> Result<Vec<Option<Held<Entry>>>, Fault> {
        let mut known = Vec::with_capacity(numbers.len());
        for number in numbers {
            known.push(match view.entries.find(&entry_key(*number)) {
                Known::There(document) => entries(vec![document])?.pop(),
                Known::Absent => None,
                Known::Unread => return self.entries(&view.partition, numbers).await,
            });
        }
        Ok(known)
    }

    /// Messages of the chat by number, in the order of the numbers.
    pub(crate) async fn entries(
        &self,
        partition: &Partition,
        numbers: &[u64],
    ) -> Result<Vec<Option<Held<Entry>>>, Fault> {
        let select = numbers
            .iter()
            .map(|number| Select::Key(entry_key(*number)))
            .collect();
        let snapshot = self.read(partition, select).await?;
        snapshot
            .selected
            .into_iter()
            .map(|documents| Ok(entries(documents)?.pop()))
            .collect()
    }
}

/// Messages of the chat.
pub(crate) fn entries(documents: Vec<Document>) -> Result<Vec<Held<Entry>>, Undecodable> {
    held(documents, decode::<Entry, StoredEntry>)
}

/// Decodes documents, keeping their versions.
pub(crate) fn held<T>(
    documents: Vec<Document>,
    read: impl Fn(&str, &[u8]) -> Result<T, Undecodable>,
) -> Result<Vec<Held<T>>, Undecodable> {
    let decoded = documents.into_iter().map(|document| {
        let value = read(&document.key.0, &document.value)?;
        Ok(Held {
            value,
            version: document.version,
        })
    });
    decoded.collect()
}

/// A document to write.
pub(crate) fn put(
    key: Key,
    expect: Expect,
    value: Bytes,
    expires: Option<Timestamp>,
    wake: Option<Timestamp>,
) -> Put {
    Put {
        key,
        expect,
        value,
        expires,
        wake,
    }
}

fn lease(bytes: &[u8]) -> Option<(Attempt, Timestamp)> {
    // A lease only saves work: one that cannot be read is no lease.
    let lease: Lease = serde_json::from_slice(bytes).ok()?;
    Some((Attempt(lease.attempt), Timestamp(lease.until)))
}

fn edited(entry: Option<Entry>, edit: &Edit) -> Option<Entry> {
    match (edit, entry) {
        (Edit::Write(entry), _) => Some(entry.clone()),
        (Edit::Extend(said), entry) => Some(extended(entry, said)),
        (Edit::Remove, _) => None,
        (Edit::Results(results), Some(Entry::Assistant(message))) => Some(with_results(message, results)),
        (Edit::Settle(call, settlement), Some(Entry::Assistant(mut message))) => {
            message.settle(call, settlement);
            Some(Entry::Assistant(message))
        }
        (Edit::Refuse(call, reason), Some(Entry::Assistant(mut message))) => {
            message.refuse(call, reason);
            Some(Entry::Assistant(message))
        }
        (Edit::FailTools, Some(Entry::Assistant(mut message))) => {
            message.fail_unfinished();
            Some(Entry::Assistant(message))
        }
        (Edit::Settle(call, settlement), None) => {
            let mut message = Assistant::default();
            message.settle(call, settlement);
            Some(Entry::Assistant(message))
        }
        (
            Edit::Settle(..) | Edit::Refuse(..) | Edit::FailTools | Edit::Results(_),
            entry @ Some(Entry::User(_)),
        ) => entry,
        (Edit::Refuse(..) | Edit::FailTools | Edit::Results(_), None) => None,
    }
}
