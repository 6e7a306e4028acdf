//! What people and the model see, in the order in which it happens.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Locks; a task that panicked leaves whole values behind.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The lines since somebody took them last.
#[derive(Debug, Default)]
pub(super) struct Transcript(Mutex<Vec<String>>);

impl Transcript {
    /// Adds a line; the breaks of a text become `⏎`.
    pub(super) fn note(&self, line: impl AsRef<str>) {
        lock(&self.0).push(line.as_ref().replace('\n', " ⏎ "));
    }

    /// The lines so far. Those that differ only in which member of the crowd they tell of become one.
    pub(super) fn take(&self) -> Vec<String> {
        let mut taken: Vec<(String, usize)> = Vec::new();
        for line in lock(&self.0).drain(..) {
            let line = without_member(&line);
            match taken
                .iter_mut()
                .find(|(other, _)| *other == line && line.contains(CROWD))
            {
                Some((_, times)) => *times += 1,
                None => taken.push((line, 1)),
            }
        }
        let counted = |(line, times): (String, usize)| line.replace(CROWD, &format!("{times} of the crowd"));
        taken.into_iter().map(counted).collect()
    }
}

/// Stands for a member of the crowd until they are counted.
const CROWD: &str = "\u{1}";

/// A crowd's members are called `p1`, `p2` and so on; only a line that begins with one is about them.
fn without_member(line: &str) -> String {
    let name: String = line.chars().take_while(|c| c.is_ascii_alphanumeric()).collect();
    let is_member = name
        .strip_prefix('p')
        .is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|b| b.is_ascii_digit()));
    match line.strip_prefix(&name) {
        Some(rest) if is_member => format!("{CROWD}{rest}"),
        Some(_) | None => line.to_owned(),
    }
}
