//! Between the port's values and SQLite's.

use bytes::Bytes;
use lifecycle::Timestamp;
use ports::documents::{CommitId, Document, Key, Version};
use rusqlite::types::{FromSqlError, Type};
use rusqlite::{Error, Result, Row};

/// The columns of a document, as [`document`] reads them.
macro_rules! columns {
    () => {
        "key, version, commit_id, expires, wake, value"
    };
}
pub(super) use columns;

/// The document of partition ?1 and key ?2, unless it has expired at ?3.
pub(super) const BY_KEY: &str = concat!(
    "SELECT ",
    columns!(),
    " FROM documents WHERE partition = ?1 AND key = ?2 AND (expires IS NULL OR expires > ?3)"
);

/// A document from [`columns`].
pub(super) fn document(row: &Row<'_>) -> Result<Document> {
    Ok(Document {
        key: Key(text(row, 0)?),
        version: Version(number(row, 1)?),
        commit: CommitId(u128::from_be_bytes(row.get(2)?)),
        expires: time(row, 3)?,
        wake: time(row, 4)?,
        value: Bytes::copy_from_slice(row.get_ref(5)?.as_blob()?),
    })
}

/// A name, stored as the bytes of its UTF-8 text.
pub(super) fn text(row: &Row<'_>, column: usize) -> Result<String> {
    let bytes: Vec<u8> = row.get(column)?;
    String::from_utf8(bytes)
        .map_err(|error| Error::FromSqlConversionFailure(column, Type::Blob, Box::new(error)))
}

/// A count, a version or a time: SQLite's integers are signed, and ours never reach the sign.
pub(super) fn number(row: &Row<'_>, column: usize) -> Result<u64> {
    let stored: i64 = row.get(column)?;
    u64::try_from(stored).map_err(|_| Error::IntegralValueOutOfRange(column, stored))
}

/// An instant that may be missing.
pub(super) fn time(row: &Row<'_>, column: usize) -> Result<Option<Timestamp>> {
    let stored: Option<i64> = row.get(column)?;
    let negative = |_| Error::from(FromSqlError::OutOfRange(stored.unwrap_or_default()));
    stored
        .map(u64::try_from)
        .transpose()
        .map(|time| time.map(Timestamp))
        .map_err(negative)
}

/// A number as SQLite keeps it. The bounds of a batch end far below; a clock that passed them means "never".
pub(super) fn stored(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// An instant as SQLite keeps it.
pub(super) fn stored_time(time: Option<Timestamp>) -> Option<i64> {
    time.map(|time| stored(time.0))
}
