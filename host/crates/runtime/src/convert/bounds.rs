//! The limits of the contract on what a guest returns.

use serde::de::IgnoredAny;

use crate::guard::{Guard, stands};

/// A text unless a line of the contract says otherwise.
pub(super) const TEXT_BYTES_MAX: usize = 64 * 1024;
/// An id.
pub(super) const ID_BYTES_MAX: usize = 256;
/// A list.
pub(super) const LIST_MAX: usize = 1_000;
/// What the piece wrote itself: question state, connect data.
pub(super) const OWN_JSON_BYTES_MAX: usize = 64 * 1024;
/// A platform's payload.
pub(super) const RAW_JSON_BYTES_MAX: usize = 1024 * 1024;
/// The body of a reply.
pub(super) const REPLY_BYTES_MAX: usize = 256 * 1024;
/// A reason for a participant.
pub(super) const REASON_BYTES_MAX: usize = 1024;

/// What a guest returned breaks the contract: which part, and how. Never contains what it returned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Garbage(pub(crate) String);

pub(super) type Checked<T> = Result<T, Garbage>;

pub(super) fn garbage<T>(what: impl Into<String>) -> Checked<T> {
    Err(Garbage(what.into()))
}

/// A value of at most so many bytes.
pub(super) fn at_most(what: &str, text: String, bytes_max: usize) -> Checked<String> {
    if text.len() <= bytes_max || !stands(Guard::ResultSizes) {
        Ok(text)
    } else {
        garbage(format!(
            "{what} has {} bytes, at most {bytes_max} are allowed",
            text.len()
        ))
    }
}

pub(super) fn text(what: &str, text: String) -> Checked<String> {
    at_most(what, text, TEXT_BYTES_MAX)
}

/// A name that may be empty where the platform has none.
pub(super) fn name(what: &str, id: String) -> Checked<String> {
    at_most(what, id, ID_BYTES_MAX)
}

/// An id that has to be there.
pub(super) fn id(what: &str, id: String) -> Checked<String> {
    if id.is_empty() {
        return garbage(format!("{what} is empty"));
    }
    name(what, id)
}

/// A text that has to say something.
pub(super) fn said(what: &str, text: String, bytes_max: usize) -> Checked<String> {
    if text.trim().is_empty() {
        return garbage(format!("{what} is empty"));
    }
    at_most(what, text, bytes_max)
}

/// JSON text.
pub(super) fn json(what: &str, json: String, bytes_max: usize) -> Checked<String> {
    let json = at_most(what, json, bytes_max)?;
    match serde_json::from_str::<IgnoredAny>(&json) {
        Ok(IgnoredAny) => Ok(json),
        Err(_) if !stands(Guard::Json) => Ok(json),
        Err(error) => garbage(format!(
            "{what} is no JSON at line {}, column {}",
            error.line(),
            error.column()
        )),
    }
}

/// A list of at most so many entries, each converted.
pub(super) fn list<A, B>(
    what: &str,
    list: Vec<A>,
    max: usize,
    convert: impl FnMut(A) -> Checked<B>,
) -> Checked<Vec<B>> {
    if list.len() > max && stands(Guard::ResultSizes) {
        return garbage(format!(
            "{what} has {} entries, at most {max} are allowed",
            list.len()
        ));
    }
    list.into_iter().map(convert).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_limit_lets_its_last_byte_through_and_no_more() {
        assert!(text("x", "a".repeat(TEXT_BYTES_MAX)).is_ok());
        assert!(text("x", "a".repeat(TEXT_BYTES_MAX + 1)).is_err());
        assert!(id("x", "a".repeat(ID_BYTES_MAX)).is_ok());
        assert!(id("x", "a".repeat(ID_BYTES_MAX + 1)).is_err());
        assert!(id("x", String::new()).is_err());
        assert!(said("x", " \n".to_owned(), 9).is_err());
        assert!(list("x", vec![0; LIST_MAX], LIST_MAX, Ok).is_ok());
        assert!(list("x", vec![0; LIST_MAX + 1], LIST_MAX, Ok).is_err());
    }

    #[test]
    fn only_json_is_json() {
        for good in ["{}", "null", "[1,2]", "\"x\""] {
            assert!(json("x", good.to_owned(), 99).is_ok(), "{good}");
        }
        for bad in ["", "{", "{}x", "NaN", &"[".repeat(1000)] {
            assert!(json("x", bad.to_owned(), 9999).is_err(), "{bad}");
        }
    }
}
