//! Names the nearest known key when a decoder refuses one.
//!
//! serde's messages list the keys it would have taken, in backticks. This reads such a message for people, and only to
//! add to it: nothing is decided by it.

/// Names further away than this share too little to be a misspelling.
const SIMILARITY_MIN: f64 = 0.7;

/// The message, and behind it the key that was probably meant.
pub(crate) fn explain(message: &str) -> String {
    let mut quoted = message.split('`').skip(1).step_by(2);
    let unknown = message.contains("unknown field") || message.contains("unknown variant");
    match (unknown, quoted.next()) {
        (true, Some(given)) => match nearest(given, quoted) {
            Some(known) => format!("{message}; did you mean `{known}`"),
            None => message.to_owned(),
        },
        (true | false, Some(_) | None) => message.to_owned(),
    }
}

fn nearest<'a>(given: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    known
        .map(|name| (strsim::jaro_winkler(given, name), name))
        .filter(|(similarity, _)| *similarity >= SIMILARITY_MIN)
        .max_by(|left, right| left.0.total_cmp(&right.0))
        .map(|(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::explain;

    #[test]
    fn nearest_key_is_named() {
        assert_eq!(
            explain("unknown field `pourpose`, expected one of `base`, `purpose`, `paths`"),
            "unknown field `pourpose`, expected one of `base`, `purpose`, `paths`; did you mean `purpose`"
        );
    }

    #[test]
    fn nothing_is_added_when_no_key_is_near_or_the_message_is_another() {
        for message in [
            "unknown field `zzz`, expected `base` or `paths`",
            "missing field `name`",
        ] {
            assert_eq!(explain(message), message);
        }
    }
}
