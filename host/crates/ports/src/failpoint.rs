//! Places at which a test lets the process die, as `kill -9` would have it: nothing is finished, nothing is said.
//!
//! `FROGBOT_FAILPOINT` names a file. Once the file is there, its text `<place>:<n>` names a place, and the process dies when it
//! passes that for the `n`th time: `commit.before`, `commit.after`, `hook.before.<hook>`, `hook.after.<hook>`. Only in a
//! development build; a release has nothing of it.

/// The environment variable that names the file.
pub const VARIABLE: &str = "FROGBOT_FAILPOINT";

#[cfg(debug_assertions)]
mod armed {
    use std::path::PathBuf;
    use std::sync::OnceLock;
    use std::sync::atomic::{AtomicU32, Ordering};

    static FILE: OnceLock<Option<PathBuf>> = OnceLock::new();
    static PASSED: AtomicU32 = AtomicU32::new(0);

    #[expect(
        clippy::disallowed_methods,
        reason = "no operator's setting: only tests of a development build know it"
    )]
    fn file() -> Option<PathBuf> {
        std::env::var_os(super::VARIABLE).map(PathBuf::from)
    }

    pub(super) fn pass(step: &str, what: &str) {
        let Some(text) = FILE
            .get_or_init(file)
            .as_ref()
            .and_then(|file| std::fs::read_to_string(file).ok())
        else {
            return;
        };
        let Some((place, times)) = text.trim().rsplit_once(':') else {
            return;
        };
        let is_here = place
            .strip_prefix(step)
            .is_some_and(|rest| rest.strip_prefix('.') == Some(what));
        if is_here && Ok(PASSED.fetch_add(1, Ordering::SeqCst) + 1) == times.parse() {
            std::process::abort();
        }
    }
}

/// Passes the place `step.what`.
#[inline]
pub fn pass(step: &str, what: &str) {
    #[cfg(debug_assertions)]
    armed::pass(step, what);
    #[cfg(not(debug_assertions))]
    let _ = (step, what);
}
