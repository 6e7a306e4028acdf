//! One batch inside the writer's transaction.
//!
//! All expectations are checked before anything is written, and nothing else writes meanwhile: a conflict therefore leaves
//! the transaction as it was, without a savepoint.

use lifecycle::Timestamp;
use ports::documents::{Append, Batch, CommitId, Committed, Document, Expect, Key, Partition, Version};
use rusqlite::{Connection, OptionalExtension as _, Result, params};

use super::rows::{BY_KEY, document, number, stored, stored_time};

/// Only the version: the value of a large document is not touched by a check.
pub(super) const HEAD: &str = "SELECT version FROM documents \
    WHERE partition = ?1 AND key = ?2 AND (expires IS NULL OR expires > ?3)";
const WRITE: &str = "INSERT INTO documents (partition, key, version, commit_id, expires, wake, value) \
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) \
    ON CONFLICT DO UPDATE SET version = ?3, commit_id = ?4, expires = ?5, wake = ?6, value = ?7";
const DELETE: &str = "DELETE FROM documents WHERE partition = ?1 AND key = ?2";
const NUMBER: &str = "INSERT INTO appends (partition, prefix, last) VALUES (?1, ?2, 1) \
    ON CONFLICT DO UPDATE SET last = last + 1 RETURNING last";

/// What became of a batch.
#[derive(Debug)]
pub(super) enum Applied {
    /// Written, and confirmed once the transaction is.
    Written(Committed),
    /// Nothing was written.
    Conflict(Vec<(Key, Option<Document>)>),
}

/// Applies `batch` at `now`. An error leaves the transaction fit for nothing but a rollback.
pub(super) fn apply(
    connection: &Connection,
    partition: &Partition,
    batch: &Batch,
    version: Version,
    now: Timestamp,
) -> Result<Applied> {
    let conflicts = conflicts(connection, partition, batch, now)?;
    if !conflicts.is_empty() {
        return Ok(Applied::Conflict(conflicts));
    }
    let writes = Writes {
        connection,
        partition,
        version,
        commit: batch.id,
    };
    for put in &batch.puts {
        writes.write(&put.key, &put.value, put.expires, put.wake)?;
    }
    for (key, _) in &batch.deletes {
        writes.delete(key)?;
    }
    let numbers = batch
        .appends
        .iter()
        .map(|append| writes.append(append))
        .collect::<Result<_>>()?;
    Ok(Applied::Written(Committed {
        now,
        versions: vec![version; batch.puts.len()],
        numbers,
    }))
}

fn conflicts(
    connection: &Connection,
    partition: &Partition,
    batch: &Batch,
    now: Timestamp,
) -> Result<Vec<(Key, Option<Document>)>> {
    let unwritten = batch
        .checks
        .iter()
        .chain(&batch.deletes)
        .map(|(key, expect)| (key, *expect));
    let mut conflicts = Vec::new();
    for (key, expect) in unwritten.chain(batch.puts.iter().map(|put| (&put.key, put.expect))) {
        let expected = match expect {
            Expect::Anything => continue,
            Expect::Absent => None,
            Expect::Version(version) => Some(version.0),
        };
        let place = params![partition.0.as_bytes(), key.0.as_bytes(), stored(now.0)];
        let found = connection
            .prepare_cached(HEAD)?
            .query_row(place, |row| number(row, 0))
            .optional()?;
        if found != expected {
            let there = connection
                .prepare_cached(BY_KEY)?
                .query_row(place, document)
                .optional()?;
            conflicts.push((key.clone(), there));
        }
    }
    Ok(conflicts)
}

/// The writes of one batch.
struct Writes<'a> {
    connection: &'a Connection,
    partition: &'a Partition,
    version: Version,
    commit: CommitId,
}

impl Writes<'_> {
    fn write(
        &self,
        key: &Key,
        value: &[u8],
        expires: Option<Timestamp>,
        wake: Option<Timestamp>,
    ) -> Result<()> {
        self.connection.prepare_cached(WRITE)?.execute(params![
            self.partition.0.as_bytes(),
            key.0.as_bytes(),
            stored(self.version.0),
            self.commit.0.to_be_bytes(),
            stored_time(expires),
            stored_time(wake),
            value,
        ])?;
        Ok(())
    }

    fn delete(&self, key: &Key) -> Result<()> {
        let place = params![self.partition.0.as_bytes(), key.0.as_bytes()];
        self.connection.prepare_cached(DELETE)?.execute(place)?;
        Ok(())
    }

    fn append(&self, append: &Append) -> Result<u64> {
        let counter = params![self.partition.0.as_bytes(), append.prefix.as_bytes()];
        let number = self
            .connection
            .prepare_cached(NUMBER)?
            .query_row(counter, |row| number(row, 0))?;
        self.write(&append.key(number), &append.value, append.expires, append.wake)?;
        Ok(number)
    }
}
