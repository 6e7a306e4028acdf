//! The path of a request: what a guest may write, which pattern it matches, and the URL it becomes.
//!
//! A server that decodes twice, merges slashes or drops `;…` may see another path than we match. Whatever could be
//! read in two ways is refused instead of being interpreted.

use url::Url;

use crate::guard::{Guard, stands};

/// The longest path with its query, in bytes (the contract's).
pub(crate) const PATH_BYTES_MAX: usize = 4 * 1024;
/// How often a segment may be encoded before it is refused unread. Nobody encodes three times on purpose.
const ENCODINGS_MAX: usize = 3;

/// A path that means the same to everybody, with its query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RequestPath<'a> {
    path: &'a str,
    query: Option<&'a str>,
}

impl<'a> RequestPath<'a> {
    /// Reads what a guest wrote.
    ///
    /// # Errors
    /// What is wrong with it, for the piece's author.
    pub(crate) fn read(text: &'a str) -> Result<Self, String> {
        if text.len() > PATH_BYTES_MAX {
            return Err(format!(
                "the path has {} bytes, at most {PATH_BYTES_MAX} are allowed",
                text.len()
            ));
        }
        if let Some(odd) = text.chars().find(|c| !belongs_in_a_url(*c)) {
            return Err(format!(
                "the path contains {odd:?}, which has to be percent-encoded"
            ));
        }
        let (path, query) = match text.split_once('?') {
            Some((path, query)) => (path, Some(query)),
            None => (text, None),
        };
        let Some(below) = path.strip_prefix('/') else {
            return Err("the path does not start with `/`".to_owned());
        };
        if path.contains("//") {
            return Err("the path contains `//`".to_owned());
        }
        if stands(Guard::PathReading) {
            below.split('/').try_for_each(unambiguous)?;
        }
        Ok(Self { path, query })
    }

    fn segments(&self) -> impl Iterator<Item = &'a str> {
        self.path.trim_start_matches('/').split('/')
    }
}

/// RFC 3986's characters, without `#` (a fragment is never sent) and without the brackets that only hosts have.
fn belongs_in_a_url(c: char) -> bool {
    c.is_ascii_alphanumeric() || "-._~:/?@!$&'()*+,;=%".contains(c)
}

/// Refuses a segment that, decoded however often, goes up or contains a separator.
fn unambiguous(segment: &str) -> Result<(), String> {
    if escapes(segment).any(|escape| escape.is_none()) {
        return Err("the path contains a `%` that encodes nothing".to_owned());
    }
    let mut seen = segment.to_owned();
    for _ in 0..=ENCODINGS_MAX {
        // `..;x` is `..` to servers that take off parameters.
        let name = seen.split(';').next().unwrap_or_default();
        if name == "." || name == ".." {
            return Err("the path contains a `.` or `..` segment".to_owned());
        }
        if escapes(&seen)
            .flatten()
            .any(|byte| matches!(byte, b'.' | b'/' | b'\\' | 0..=0x1f | 0x7f))
        {
            return Err("the path contains an encoded dot, slash, backslash or control character".to_owned());
        }
        let decoded = decoded_once(&seen);
        if decoded == seen {
            return Ok(());
        }
        seen = decoded;
    }
    Err("the path is percent-encoded several times over".to_owned())
}

/// The byte that each `%` encodes; none where no two hexadecimal digits follow.
fn escapes(segment: &str) -> impl Iterator<Item = Option<u8>> {
    segment.split('%').skip(1).map(encoded_byte)
}

fn encoded_byte(after_percent: &str) -> Option<u8> {
    let digits = after_percent.get(..2)?;
    let hexadecimal = digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    hexadecimal.then(|| u8::from_str_radix(digits, 16).ok()).flatten()
}

/// What a decoder makes of it that leaves alone what is not encoded.
fn decoded_once(segment: &str) -> String {
    let mut parts = segment.split('%');
    let mut decoded = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        match encoded_byte(part) {
            None => decoded.extend(["%", part]),
            Some(byte) => {
                // What is not ASCII cannot be mistaken for a separator; any letter stands for it.
                decoded.push(if byte.is_ascii() { char::from(byte) } else { 'x' });
                decoded.push_str(part.get(2..).unwrap_or_default());
            }
        }
    }
    decoded
}

/// A pattern of a slot: literal segments, `*` for one segment, `**` at the end for any number.
pub(crate) fn matches(pattern: &str, path: &RequestPath<'_>) -> bool {
    let mut wanted = pattern.trim_start_matches('/').split('/');
    let mut found = path.segments();
    loop {
        match (wanted.next(), found.next()) {
            (Some("**"), _) => return wanted.next().is_none(),
            (Some("*"), Some(segment)) if !segment.is_empty() => {}
            (Some(literal), Some(segment)) if literal == segment => {}
            (None, None) => return true,
            (Some(_) | None, Some(_) | None) => return false,
        }
    }
}

/// Whether a secret can stand in a path without changing it.
pub(crate) fn fits_in_a_path(secret: &str) -> bool {
    !secret.is_empty()
        && secret
            .chars()
            .all(|c| belongs_in_a_url(c) && !matches!(c, '/' | '?' | '%' | ';'))
        && !secret.chars().all(|c| c == '.')
}

/// The URL: the slot's base, what authenticates in the path, and the request's path. It is parsed once more, and must
/// still be what was put together: nothing in it was read as another host or a way up.
///
/// # Errors
/// It was.
pub(crate) fn below(base: &Url, credential: Option<&str>, path: &RequestPath<'_>) -> Result<Url, String> {
    let credential = credential
        .map(|segment| format!("/{segment}"))
        .unwrap_or_default();
    let whole = format!("{}{credential}{}", base.path().trim_end_matches('/'), path.path);
    let mut url = base.clone();
    url.set_path(&whole);
    url.set_query(path.query);
    let same_place = url.scheme() == base.scheme()
        && url.host() == base.host()
        && url.port_or_known_default() == base.port_or_known_default();
    if same_place && url.path() == whole && url.fragment().is_none() || !stands(Guard::UrlRead) {
        Ok(url)
    } else {
        Err("the path changes when it becomes a URL".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_that_could_be_read_in_two_ways_are_refused() {
        for path in [
            "",
            "repos",
            "//evil.example/x",
            "/a//b",
            "/../x",
            "/a/..",
            "/a/./b",
            "/a/%2e%2e/b",
            "/a/%2E%2e",
            "/a/.%2e/b",
            "/a%2fb",
            "/a%2Fb",
            "/a%5cb",
            "/a\\b",
            "/a/%252e%252e/b",
            "/a/%25zz%252e%252e",
            "/a/%25252525",
            "/a#b",
            "/a b",
            "/a\r\nb",
            "/a\0b",
            "/a%00b",
            "/a%0d%0ab",
            "/a%zz",
            "/a%4",
            "/a%",
            "/..;/b",
            "/.;x/b",
            "/a/\u{ff0e}\u{ff0e}/b",
            "/[::1]/",
            "http://evil.example/",
            "@evil.example/",
            "/a%c0%ae%2e",
        ] {
            assert!(RequestPath::read(path).is_err(), "{path}");
        }
        assert!(RequestPath::read(&format!("/{}", "a".repeat(PATH_BYTES_MAX))).is_err());
    }

    #[test]
    fn ordinary_paths_are_not() {
        for path in [
            "/",
            "/api/chat.postMessage",
            "/repos/o/r/issues/1",
            "/a/b/",
            "/a?b=c&d=%2F..%2f&e=http://x/#".trim_end_matches('#'),
            "/rooms/!abc:server.example/send",
            "/a/%C3%BC",
            "/a/100%25",
            "/a/100%25%20sure",
            "/a/..b/c",
            "/a/...",
        ] {
            assert!(
                RequestPath::read(path).is_ok(),
                "{path}: {:?}",
                RequestPath::read(path)
            );
        }
    }

    fn check(pattern: &str, path: &str, expected: bool) {
        let path = RequestPath::read(path).expect("a path");
        assert_eq!(matches(pattern, &path), expected, "{pattern} and {path:?}");
    }

    #[test]
    fn patterns_match_whole_segments() {
        check("/a/*/c", "/a/b/c", true);
        check("/a/*/c", "/a/b/c?d=e", true);
        check("/a/*/c", "/a/b/d", false);
        check("/a/*/c", "/a/b/c/d", false);
        check("/a/*/c", "/a/b", false);
        check("/a/*", "/a/", false);
        check("/a/b", "/a/b/", false);
        check("/a/b", "/A/b", false);
        check("/a/b", "/%61/b", false);
        check("/a/**", "/a/b/c/d", true);
        check("/a/**", "/a", true);
        check("/a/**", "/ab", false);
        check("/**", "/", true);
        check("/*", "/*", true);
        check("/", "/", true);
    }

    #[test]
    fn a_url_stays_below_its_base() {
        let base = Url::parse("https://forge.example:8443/api/v3").expect("a URL");
        let path = RequestPath::read("/repos/o/r?x=1").expect("a path");
        let url = below(&base, None, &path).expect("a URL");
        assert_eq!(url.as_str(), "https://forge.example:8443/api/v3/repos/o/r?x=1");
        let url = below(&base, Some("bot123:abc"), &path).expect("a URL");
        assert_eq!(
            url.as_str(),
            "https://forge.example:8443/api/v3/bot123:abc/repos/o/r?x=1"
        );
    }

    #[test]
    fn a_secret_that_would_change_the_path_does_not_fit() {
        for secret in ["", "a/b", "..", "a?b", "a#b", "a%2fb", "a b", "a\\b", "a;b"] {
            assert!(!fits_in_a_path(secret), "{secret}");
        }
        assert!(fits_in_a_path("123456:ABC-def_ghi"));
    }
}
