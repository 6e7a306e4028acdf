//! The test suites that every implementation of a port passes.

pub mod documents;
