//! The custom section.
