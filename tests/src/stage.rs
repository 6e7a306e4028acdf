//! The stage: the real engine on virtual time, with a platform, pieces, a store and models that live in memory and do what
//! a story tells them to.
//!
//! A *story* is a text that people can read who know no Rust. Its lines are what happens; the lines below each that begin
//! with `>` are what people see of it. [`play`] plays the first and writes the second; [`check`] compares them with the
//! file, and writes the file instead when the environment says `FROGBOT_BLESS=1`. What a story can say stands in
//! `tests/stories/README.md`.
//!
//! * `story`, `stimulus`: reading a story;
//! * `director`: playing it;
//! * `host`: the engine's surroundings, and how a host dies;
//! * `platform`, `pieces`, `forum`, `card`: where people meet the agent;
//! * `store`, `agent`: the store and the model, which are watched and disturbed;
//! * `faults`: what shall go wrong;
//! * `transcript`: what was seen;
//! * `promises`: what must hold whatever went wrong, once everything has healed.

#![expect(
    clippy::panic,
    reason = "this is test code: a story that goes another way ends its test"
)]

mod agent;
mod card;
mod director;
mod faults;
mod forum;
mod host;
mod pieces;
mod platform;
mod promises;
mod records;
mod stimulus;
mod store;
mod story;
mod transcript;

use std::path::{Path, PathBuf};

use serde_json::Value;

pub use story::Problem;

/// The most points of one story at which a host dies. Nearly all have fewer; of a crowd's clicks or an endless chain of
/// steps every few are enough, and the sweep stays below a minute.
const POINTS_MAX: usize = 60;

/// Plays a story and compares it with what it says; with `FROGBOT_BLESS=1` the file is rewritten instead. `name` is the
/// file's name in `tests/stories` without its ending.
///
/// # Panics
/// The story cannot be read, or something else happens than it says; the text shows both.
pub fn check(name: &str) {
    let path = folder("stories").join(format!("{name}.story"));
    let expected = read(&path);
    let played = play(&expected).unwrap_or_else(|problem| panic!("{}: {problem}", path.display()));
    compare(&path, &expected, &played);
}

/// Plays a story and returns it as it went.
///
/// # Errors
/// It cannot be read: the line and what is wrong with it.
pub fn play(story: &str) -> Result<String, Problem> {
    let story = story::Story::read(story, &folder("stories/scripts"))?;
    on_virtual_time(director::play(story)).map(|(played, _)| played)
}

/// Plays a story once for every point at which a host can die, before and after each acting hook and each commit, and
/// compares what is there when everything has healed with the promises. `name` is as in [`check`].
///
/// # Panics
/// A promise is broken; the text names the point and the promise.
pub fn survives_a_crash_anywhere(name: &str) {
    let path = folder("stories").join(format!("{name}.story"));
    let text = read(&path);
    let play = |point| {
        let story = story::Story::read(&text, &folder("stories/scripts"));
        let story = story.unwrap_or_else(|problem| panic!("{name}: {problem}"));
        let played = on_virtual_time(director::survive(story, point));
        played.unwrap_or_else(|problem| panic!("{name}: {problem}"))
    };
    let (broken, points) = play(None);
    assert!(broken.is_empty(), "{name}, undisturbed: {broken:#?}");
    for point in (0..points).step_by(points.div_ceil(POINTS_MAX).max(1)) {
        let (broken, _) = play(Some(point));
        assert!(
            broken.is_empty(),
            "{name}, a host dies at point {point}: {broken:#?}"
        );
    }
}

/// Every document that is in the store at the end of a story, as JSON, with its key; in the order of partitions and keys.
///
/// # Errors
/// The story cannot be read: the line and what is wrong with it.
pub fn documents_after(story: &str) -> Result<Vec<(String, Value)>, Problem> {
    let story = story::Story::read(story, &folder("stories/scripts"))?;
    on_virtual_time(director::play(story)).map(|(_, documents)| documents)
}

/// Compares a file with what it should hold, or writes it when the environment says `FROGBOT_BLESS=1`.
///
/// # Panics
/// They differ; the text shows where.
pub fn compare(path: &Path, expected: &str, found: &str) {
    if expected == found {
        return;
    }
    if blessing() {
        std::fs::write(path, found).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        return;
    }
    let name = path.display();
    let shown = story::difference(expected, found);
    panic!("{name} went another way (`-` expected, `+` found; FROGBOT_BLESS=1 accepts it):\n{shown}");
}

/// A folder of this package.
pub fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

#[expect(
    clippy::disallowed_methods,
    reason = "a switch of the tests, not a setting of the host"
)]
fn blessing() -> bool {
    std::env::var_os("FROGBOT_BLESS").is_some_and(|value| value == "1")
}

/// A file's text; empty when there is none yet.
fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_default()
}

fn on_virtual_time<T>(play: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build();
    runtime
        .unwrap_or_else(|error| panic!("no runtime: {error}"))
        .block_on(play)
}
