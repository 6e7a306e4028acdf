//! What makes a manifest valid.
