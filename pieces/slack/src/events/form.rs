//! `application/x-www-form-urlencoded`, as much of it as Slack uses.

/// The first field of a name, decoded; bytes that are no UTF-8 become `�`.
pub(crate) fn field(body: &[u8], name: &str) -> Option<String> {
    body.split(|byte| *byte == b'&').find_map(|pair| {
        let (key, value) = match pair.iter().position(|byte| *byte == b'=') {
            Some(at) => (&pair[..at], &pair[at + 1..]),
            None => (pair, &pair[pair.len()..]),
        };
        (decoded(key) == name).then(|| decoded(value))
    })
}

fn decoded(text: &[u8]) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((&first, tail)) = rest.split_first() {
        let (byte, tail) = match (first, tail) {
            (b'+', tail) => (b' ', tail),
            (b'%', &[high, low, ref tail @ ..]) => match (digit(high), digit(low)) {
                (Some(high), Some(low)) => (high * 16 + low, tail),
                // Not an escape: it stands for itself.
                _ => (b'%', &rest[1..]),
            },
            (byte, tail) => (byte, tail),
        };
        bytes.push(byte);
        rest = tail;
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn digit(byte: u8) -> Option<u8> {
    let value = char::from(byte).to_digit(16)?;
    u8::try_from(value).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_decoded() {
        let body = b"a=1&pay%6Coad=%7B%22text%22%3A+%22100%25+%C3%A9%22%7D&flag";
        assert_eq!(field(body, "payload").as_deref(), Some(r#"{"text": "100% é"}"#));
        assert_eq!(field(body, "flag").as_deref(), Some(""));
        assert_eq!(field(body, "b"), None);
    }

    #[test]
    fn a_broken_escape_stands_for_itself() {
        assert_eq!(field(b"a=%zz%4", "a").as_deref(), Some("%zz%4"));
    }
}
