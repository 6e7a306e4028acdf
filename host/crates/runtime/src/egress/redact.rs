//! Takes our own secrets out of what a platform or a guest says. Only exact values (and what they look like
//! percent-encoded) are replaced; nothing is guessed and nothing is blocked.

use std::borrow::Cow;

use memchr::memmem;

use crate::limits::REDACTED_BYTES_MIN;
use crate::secret::Secret;

/// What stands for a secret.
const STAND_IN: &str = "[secret]";

/// The values to look for.
#[derive(Clone, Default)]
pub(crate) struct Redactor(Vec<String>);

impl Redactor {
    /// Looks for these.
    pub(crate) fn new<'a>(secrets: impl IntoIterator<Item = &'a Secret>) -> Self {
        let mut values: Vec<String> = secrets
            .into_iter()
            .flat_map(|secret| [secret.expose().to_owned(), percent_encoded(secret.expose())])
            .filter(|value| value.len() >= REDACTED_BYTES_MIN)
            .collect();
        // The longest first: one secret may begin like another.
        values.sort_by(|a, b| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
        values.dedup();
        Self(values)
    }

    /// The bytes without our secrets.
    pub(crate) fn bytes(&self, bytes: Vec<u8>) -> Vec<u8> {
        self.0.iter().fold(bytes, |bytes, value| replaced(bytes, value))
    }

    /// The text without our secrets.
    pub(crate) fn text<'a>(&self, text: &'a str) -> Cow<'a, str> {
        self.0.iter().fold(Cow::Borrowed(text), |text, value| {
            if text.contains(value.as_str()) {
                Cow::Owned(text.replace(value, STAND_IN))
            } else {
                text
            }
        })
    }
}

fn replaced(bytes: Vec<u8>, value: &str) -> Vec<u8> {
    let finder = memmem::Finder::new(value);
    if finder.find(&bytes).is_none() {
        return bytes;
    }
    let mut clean = Vec::with_capacity(bytes.len());
    let mut from = 0;
    for at in finder.find_iter(&bytes) {
        clean.extend_from_slice(&bytes[from..at]);
        clean.extend_from_slice(STAND_IN.as_bytes());
        from = at + value.len();
    }
    clean.extend_from_slice(&bytes[from..]);
    clean
}

fn percent_encoded(value: &str) -> String {
    url::form_urlencoded::byte_serialize(value.as_bytes()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn redactor() -> Redactor {
        Redactor::new(&[
            Secret::new("xoxb-12/34"),
            Secret::new("xoxb-12/34-more"),
            Secret::new("abc"),
        ])
    }

    #[test]
    fn secrets_are_replaced_wherever_they_stand() {
        let said = br#"{"token":"xoxb-12/34","again":"xoxb-12/34-more","url":"?t=xoxb-12%2F34&abc"}"#;
        let clean = redactor().bytes(said.to_vec());
        assert_eq!(
            String::from_utf8(clean).expect("text"),
            r#"{"token":"[secret]","again":"[secret]","url":"?t=[secret]&abc"}"#
        );
        assert_eq!(redactor().text("not xoxb-12/34, is it"), "not [secret], is it");
    }

    #[test]
    fn what_only_looks_like_a_secret_stays() {
        let said = "xoxb-12/35 and abc";
        assert_eq!(redactor().text(said), said);
        assert_eq!(redactor().bytes(said.as_bytes().to_vec()), said.as_bytes());
    }
}
