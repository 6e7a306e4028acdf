//! Rules about the repository itself: which way the crates depend on each other, and how their files look. A failing test
//! lists every offender and what to do.

#![expect(
    clippy::unwrap_used,
    reason = "a repository that cannot be read fails the rule"
)]

mod dependencies;
mod sources;
mod switches;
