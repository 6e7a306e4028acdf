//! Which files are opened, and by how many.

use std::fs::{self, File};
use std::path::PathBuf;

use ports::Documents as _;
use rusqlite::Connection;
use tempfile::TempDir;

use super::super::open::{self, APPLICATION_ID, FORMAT};
use super::{all, appends, here, open, put, puts, stopped};
use crate::{OpenFault, SqliteDocuments, WallClock};

fn place() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.db");
    (folder, path)
}

fn refusal(path: &std::path::Path) -> OpenFault {
    SqliteDocuments::open(path, WallClock::Manual(stopped())).unwrap_err()
}

#[tokio::test]
async fn documents_versions_and_numbers_survive_a_reopening() {
    let (_folder, path) = place();
    let before = {
        let documents = open(&path);
        documents.commit(&here(), puts([put("a", "1")])).await.unwrap();
        documents.commit(&here(), appends("list/")).await.unwrap();
        all(&documents).await
    };

    let documents = open(&path);

    assert_eq!(all(&documents).await, before);
    assert_eq!(before.len(), 2);
    let version = documents
        .commit(&here(), puts([put("a", "1")]))
        .await
        .unwrap()
        .versions[0];
    assert!(
        before.iter().all(|document| document.version < version),
        "{before:?} {version:?}"
    );
    assert_eq!(
        documents.commit(&here(), appends("list/")).await.unwrap().numbers,
        [2]
    );
}

#[test]
fn a_second_host_is_refused_until_the_first_has_closed() {
    let (folder, path) = place();
    let first = open(&path);
    let link = folder.path().join("another name.db");
    std::os::unix::fs::symlink(&path, &link).unwrap();

    for name in [&path, &link] {
        let refusal = refusal(name);
        assert!(
            matches!(&refusal, OpenFault::InUse { path: named } if *named == path.canonicalize().unwrap())
        );
        assert!(refusal.to_string().contains("exactly one host"), "{refusal}");
    }
    drop(first);
    open(&path);
}

#[test]
fn a_file_that_another_program_holds_is_refused() {
    let (_folder, path) = place();
    drop(open(&path));
    let other = Connection::open(&path).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();

    assert!(matches!(refusal(&path), OpenFault::InUse { .. }));
}

#[test]
fn a_newer_format_is_refused() {
    let (_folder, path) = place();
    drop(open(&path));
    Connection::open(&path)
        .unwrap()
        .pragma_update(None, "user_version", FORMAT + 1)
        .unwrap();

    let text = refusal(&path).to_string();

    let both = [format!("format {}", FORMAT + 1), format!("up to {FORMAT}")];
    assert!(both.iter().all(|part| text.contains(part)), "{text}");
}

#[test]
fn the_database_of_another_program_is_refused_and_left_alone() {
    let (_folder, path) = place();
    Connection::open(&path)
        .unwrap()
        .execute_batch("CREATE TABLE theirs (a); PRAGMA user_version = 1")
        .unwrap();
    let before = fs::read(&path).unwrap();

    assert!(matches!(refusal(&path), OpenFault::Foreign { found: 0, .. }));

    assert_eq!(fs::read(&path).unwrap(), before);
}

#[test]
fn garbage_is_refused() {
    let (_folder, path) = place();
    fs::write(
        &path,
        "certainly no database, and longer than a header of 100 bytes. ".repeat(100),
    )
    .unwrap();

    let refusal = refusal(&path);

    assert!(matches!(&refusal, OpenFault::Damaged { .. }), "{refusal}");
    assert!(refusal.to_string().contains("store.db"), "{refusal}");
}

#[tokio::test]
async fn a_store_that_was_cut_short_is_refused() {
    let (_folder, path) = place();
    let documents = open(&path);
    documents
        .commit(&here(), puts([put("a", vec![1; 100_000])]))
        .await
        .unwrap();
    drop(documents);
    let length = fs::metadata(&path).unwrap().len();

    for kept in [length / 2, 4096, 50] {
        File::options()
            .write(true)
            .open(&path)
            .unwrap()
            .set_len(kept)
            .unwrap();
        let refusal = refusal(&path);
        assert!(
            matches!(&refusal, OpenFault::Damaged { .. }),
            "{kept} of {length} bytes: {refusal}"
        );
    }
}

#[test]
fn a_missing_folder_is_named() {
    let (folder, _path) = place();
    let path = folder.path().join("missing").join("store.db");

    let refusal = refusal(&path);

    assert!(
        matches!(&refusal, OpenFault::Io { path: named, .. } if *named == path),
        "{refusal}"
    );
}

#[test]
fn commits_are_synced_to_a_log() {
    let (_folder, path) = place();
    let writing = open::writing(&path).unwrap();
    let reading = open::reading(&path).unwrap();
    let number = |connection: &Connection, name| {
        connection
            .pragma_query_value(None, name, |row| row.get::<_, i32>(0))
            .unwrap()
    };

    let mode: String = writing
        .pragma_query_value(None, "journal_mode", |row| row.get(0))
        .unwrap();
    // 2 is FULL: in a log, anything less may lose the last commits with the power.
    assert_eq!((mode.as_str(), number(&writing, "synchronous")), ("wal", 2));
    assert_eq!(
        (
            number(&writing, "application_id"),
            number(&writing, "user_version")
        ),
        (APPLICATION_ID, FORMAT)
    );
    assert_eq!(number(&reading, "query_only"), 1);
    assert!(reading.execute("DELETE FROM documents", []).is_err());
}
