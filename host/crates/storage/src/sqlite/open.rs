//! Opening the file: one host only, a format this build knows, and the settings of every connection.

use std::ffi::OsString;
use std::fs::{File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, ErrorCode, OpenFlags, TransactionBehavior};

/// Marks a file as ours in its header: "FrgB".
pub(super) const APPLICATION_ID: i32 = 0x4672_6742;
/// The format that this build writes, kept as `user_version`.
pub(super) const FORMAT: i32 = 1;
/// How long a connection waits for somebody else's lock on the file: an operator's `sqlite3`, a backup.
const BUSY_WAIT: Duration = Duration::from_secs(2);
/// The page cache of a connection, in KiB.
const CACHE_KIB: i32 = 16 * 1024;
/// Statements of a connection that stay prepared: more than all the SQL there is.
const STATEMENTS_MAX: usize = 32;
/// After how many pages of log (16 MiB) a commit also moves them into the file. Rarely, because that costs a second sync and,
/// in a large store, a write for almost every page; a log of this size is read within a fraction of a second at the start.
const LOG_PAGES: i32 = 4_000;
/// What the log may keep of the disk after a burst of large batches.
const LOG_BYTES_KEPT: i32 = 64 * 1024 * 1024;

/// Why a store cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenFault {
    /// Another process, or this one, has it open.
    #[error(
        "the store {path} is in use: a SQLite store has exactly one host; stop the other one, or use Redis for several"
    )]
    InUse {
        /// The file.
        path: PathBuf,
    },
    /// A database of another program.
    #[error(
        "{path} is not a FrogBot store: expected application id {APPLICATION_ID:#x}, found {found:#x}; name another file"
    )]
    Foreign {
        /// The file.
        path: PathBuf,
        /// What its header says.
        found: i32,
    },
    /// Written by a later FrogBot.
    #[error(
        "the store {path} has format {found}, this build knows up to {FORMAT}; start the newer build, or restore a backup"
    )]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its format.
        found: i32,
    },
    /// Not a database, cut short, or malformed.
    #[error("the store {path} is damaged or no database ({reason}); restore a backup, or move it away")]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What SQLite says.
        reason: String,
    },
    /// The operating system refuses.
    #[error(
        "the store {path} cannot be opened: {source}; check that its folder exists and belongs to the host"
    )]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// Anything else that SQLite says.
    #[error("the store {path} cannot be opened: {reason}")]
    Sqlite {
        /// The file.
        path: PathBuf,
        /// What SQLite says.
        reason: String,
    },
}

/// A failure before it is known to which file it belongs.
#[derive(Debug)]
pub(super) enum Unplaced {
    Sqlite(rusqlite::Error),
    Io(io::Error),
    Foreign(i32),
    Newer(i32),
}

impl From<rusqlite::Error> for Unplaced {
    fn from(error: rusqlite::Error) -> Self {
        Self::Sqlite(error)
    }
}

impl Unplaced {
    pub(super) fn at(self, path: &Path) -> OpenFault {
        let path = path.to_owned();
        match self {
            Self::Io(source) => OpenFault::Io { path, source },
            Self::Foreign(found) => OpenFault::Foreign { path, found },
            Self::Newer(found) => OpenFault::Newer { path, found },
            Self::Sqlite(error) => {
                let (code, reason) = (error.sqlite_error_code(), error.to_string());
                if matches!(code, Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase)) {
                    OpenFault::Damaged { path, reason }
                } else if matches!(code, Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked)) {
                    OpenFault::InUse { path }
                } else {
                    OpenFault::Sqlite { path, reason }
                }
            }
        }
    }
}

/// The file behind every link, so that two names of one store have one lock. It is not opened for that: closing a second
/// descriptor of a file that SQLite has open would drop SQLite's own locks on it.
pub(super) fn real_path(path: &Path) -> Result<PathBuf, OpenFault> {
    let created = |error: io::Error| {
        let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else {
            return Err(error);
        };
        let folder = if folder.as_os_str().is_empty() {
            Path::new(".")
        } else {
            folder
        };
        Ok(folder.canonicalize()?.join(name))
    };
    path.canonicalize()
        .or_else(created)
        .map_err(|source| Unplaced::Io(source).at(path))
}

/// Takes the store for this process. The lock is the operating system's and ends with the process, however that ends; the
/// file stays.
pub(super) fn lock(path: &Path) -> Result<File, OpenFault> {
    let mut name = OsString::from(path);
    name.push(".lock");
    let file = File::options().create(true).append(true).open(name);
    let file = file.map_err(|source| Unplaced::Io(source).at(path))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(OpenFault::InUse {
            path: path.to_owned(),
        }),
        Err(TryLockError::Error(source)) => Err(Unplaced::Io(source).at(path)),
    }
}

/// The connection of the writer, with the format checked and the tables there.
pub(super) fn writing(path: &Path) -> Result<Connection, OpenFault> {
    let opened = connect(path, OpenFlags::SQLITE_OPEN_CREATE).and_then(|mut connection| {
        prepare_format(&mut connection)?;
        // The journal mode is kept in the file; the rest belongs to the connection.
        connection.pragma_update_and_check(None, "journal_mode", "WAL", |_| Ok(()))?;
        connection.pragma_update(None, "synchronous", "FULL")?;
        connection.pragma_update_and_check(None, "wal_autocheckpoint", LOG_PAGES, |_| Ok(()))?;
        connection.pragma_update(None, "journal_size_limit", LOG_BYTES_KEPT)?;
        Ok(connection)
    });
    opened.map_err(|fault| fault.at(path))
}

/// The connection of a reader.
pub(super) fn reading(path: &Path) -> Result<Connection, OpenFault> {
    let opened = connect(path, OpenFlags::empty()).and_then(|connection| {
        connection.pragma_update(None, "query_only", true)?;
        Ok(connection)
    });
    opened.map_err(|fault| fault.at(path))
}

fn connect(path: &Path, more: OpenFlags) -> Result<Connection, Unplaced> {
    // Every connection belongs to one thread: no mutex. No URI: a path is a path.
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX | more;
    let connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(BUSY_WAIT)?;
    connection.pragma_update(None, "foreign_keys", false)?;
    connection.pragma_update(None, "trusted_schema", false)?;
    connection.pragma_update(None, "temp_store", "MEMORY")?;
    // Negative: KiB instead of pages.
    connection.pragma_update(None, "cache_size", -CACHE_KIB)?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS_MAX);
    Ok(connection)
}

/// Creates the tables in an empty file, and refuses one that this build cannot read. One transaction: a host that is
/// killed here leaves an empty file.
fn prepare_format(connection: &mut Connection) -> Result<(), Unplaced> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let number = |name| transaction.pragma_query_value(None, name, |row| row.get::<_, i32>(0));
    let (application, format) = (number("application_id")?, number("user_version")?);
    let tables: i64 = transaction.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    if (application, format, tables) == (0, 0, 0) {
        transaction.execute_batch(include_str!("schema.sql"))?;
        transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
        transaction.pragma_update(None, "user_version", FORMAT)?;
    } else if application != APPLICATION_ID {
        return Err(Unplaced::Foreign(application));
    } else if format > FORMAT {
        return Err(Unplaced::Newer(format));
    }
    Ok(transaction.commit()?)
}
