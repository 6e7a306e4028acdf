//! What needs a process of its own to go wrong. Such a test plays both parts: it starts itself again, with the place of the
//! store in its environment.

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use ports::Documents as _;
use ports::documents::CommitFault;

use super::{all, here, keys, open, put, puts};
use crate::SqliteDocuments;

/// Where the child finds its store.
const PLACE: &str = "STORAGE_TEST_CHILD";
/// What the child says of a confirmed commit, before its key.
const CONFIRMED: &str = "confirmed ";
/// How many loops commit at the same time, so that a kill meets groups.
const LOOPS: [&str; 4] = ["a", "b", "c", "d"];
/// After how many confirmations the child is killed, and how many it makes at most.
const KILLED_AFTER: usize = 300;
const COMMITS_MAX: usize = 100_000;

#[expect(
    clippy::disallowed_methods,
    reason = "a test tells its child by the environment where the store is"
)]
fn place() -> Option<PathBuf> {
    std::env::var_os(PLACE).map(PathBuf::from)
}

/// Starts `test` of this program again through a shell that first does `limits`.
fn start(test: &str, path: &Path, limits: &str) -> Child {
    let program = std::env::current_exe().unwrap();
    let script = format!("{limits} exec \"$0\" \"$@\"");
    let name = format!("sqlite::tests::child::{test}");
    let mut child = Command::new("sh");
    child
        .args(["-c", &script])
        .arg(program)
        .args(["--exact", &name, "--nocapture"]);
    child
        .env(PLACE, path)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

fn lines(child: &mut Child) -> impl Iterator<Item = String> + use<> {
    BufReader::new(child.stdout.take().unwrap())
        .lines()
        .map(Result::unwrap)
}

#[tokio::test]
async fn what_was_confirmed_survives_a_kill() {
    if let Some(path) = place() {
        let documents = open(&path);
        let [a, b, c, d] = LOOPS.map(|name| commit_for_ever(&documents, name));
        tokio::join!(a, b, c, d);
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.db");
    let mut child = start("what_was_confirmed_survives_a_kill", &path, "");
    let mut said = lines(&mut child).filter_map(|line| line.strip_prefix(CONFIRMED).map(str::to_owned));

    let mut confirmed: Vec<String> = said.by_ref().take(KILLED_AFTER).collect();
    child.kill().unwrap();
    // What it still said before it died counts too.
    confirmed.extend(said);
    child.wait().unwrap();

    assert!(
        confirmed.len() >= KILLED_AFTER && confirmed.len() < COMMITS_MAX,
        "{}",
        confirmed.len()
    );
    let documents = open(&path);
    for key in confirmed {
        let select = vec![ports::documents::Select::Key(ports::documents::Key(key.clone()))];
        let found = documents.read(&here(), select).await.unwrap().selected.remove(0);
        assert!(
            found.first().is_some_and(|document| document.value == key),
            "{key} is lost"
        );
    }
}

async fn commit_for_ever(documents: &SqliteDocuments, name: &str) {
    for n in 0..COMMITS_MAX {
        let key = format!("{name}/{n}");
        documents
            .commit(&here(), puts([put(&key, key.clone())]))
            .await
            .unwrap();
        println!("{CONFIRMED}{key}");
    }
}

#[tokio::test]
async fn a_write_that_fails_in_the_commit_is_unknown_and_nothing_confirmed_is_lost() {
    if let Some(path) = place() {
        return commit_until_it_fails(&open(&path)).await;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.db");
    // No file may pass 1 MiB, in blocks of 512 bytes; without the signal, a larger one is a failing write.
    let limits = "trap '' XFSZ; ulimit -f 2048;";
    let mut child = start(
        "a_write_that_fails_in_the_commit_is_unknown_and_nothing_confirmed_is_lost",
        &path,
        limits,
    );
    let said: Vec<String> = lines(&mut child).collect();
    assert!(child.wait().unwrap().success(), "{said:?}");

    let confirmed: Vec<_> = said
        .iter()
        .filter_map(|line| line.strip_prefix(CONFIRMED))
        .collect();
    let found = keys(&open(&path)).await;

    assert!(confirmed.len() > 3, "{said:?}");
    assert!(
        confirmed.iter().all(|key| found.iter().any(|found| found == key)),
        "{confirmed:?} {found:?}"
    );
}

async fn commit_until_it_fails(documents: &SqliteDocuments) {
    for n in 10..COMMITS_MAX {
        let key = n.to_string();
        match documents
            .commit(&here(), puts([put(&key, vec![1; 64 * 1024])]))
            .await
        {
            Ok(_) => println!("\n{CONFIRMED}{key}"),
            Err(CommitFault::Unknown(_)) => {
                assert_eq!(
                    all(documents).await.len(),
                    n - 10,
                    "reads go on, and show what was confirmed"
                );
                return;
            }
            Err(other) => panic!("expected unknown, found {other}"),
        }
    }
    panic!("no write failed");
}
