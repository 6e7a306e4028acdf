//! Rules about the repository itself: which way the crates depend on each other, and how their files look. A failing test
//! lists every offender and what to do.

mod dependencies;
mod sources;
