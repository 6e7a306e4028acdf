//! The headers of a request: which ones a guest may set.

use http::{HeaderMap, HeaderName, HeaderValue};

use crate::guard::{Guard, stands};
use crate::limits::{HEADER_BYTES_MAX, HEADERS_MAX};

/// What authenticates, routes or frames a message is the host's; what changes the method or the path goes around the
/// slot's lists; what compresses or cuts the response hides a secret in it from the redactor.
const REFUSED: &[&str] = &[
    "accept-encoding",
    "authorization",
    "connection",
    "content-length",
    "cookie",
    "expect",
    "forwarded",
    "host",
    "http2-settings",
    "keep-alive",
    "range",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
    "x-http-method",
    "x-http-method-override",
    "x-method-override",
    "x-original-url",
    "x-rewrite-url",
];
/// The same, by their beginning.
const REFUSED_PREFIXES: &[&str] = &["proxy-", "x-forwarded-"];
/// Platforms want to know who calls (some refuse requests without it); a piece may say more.
const USER_AGENT: HeaderValue = HeaderValue::from_static(concat!("frogbot/", env!("CARGO_PKG_VERSION")));

/// The headers as they are sent, without the credential. `own` is the header the slot authenticates with.
///
/// # Errors
/// The first one that is refused, for the piece's author, without its value.
pub(crate) fn checked(headers: &[(String, String)], own: Option<&str>) -> Result<HeaderMap, String> {
    if headers.len() > HEADERS_MAX {
        return Err(format!(
            "the request has {} headers, at most {HEADERS_MAX} are allowed",
            headers.len()
        ));
    }
    let bytes: usize = headers.iter().map(|(name, value)| name.len() + value.len()).sum();
    if bytes > HEADER_BYTES_MAX {
        return Err(format!(
            "the headers have {bytes} bytes, at most {HEADER_BYTES_MAX} are allowed"
        ));
    }
    let mut checked = HeaderMap::with_capacity(headers.len() + 2);
    checked.insert(http::header::USER_AGENT, USER_AGENT);
    for (name, value) in headers {
        let name =
            HeaderName::from_bytes(name.as_bytes()).map_err(|_| format!("{name:?} is no header name"))?;
        if name.as_str().contains('_') {
            return Err(format!(
                "the header `{name}` contains `_`, which some servers read as `-`: write it with `-`"
            ));
        }
        if is_the_hosts(&name, own) && stands(Guard::HostHeaders) {
            return Err(format!("the header `{name}` is set by the host alone"));
        }
        let value = HeaderValue::from_str(value)
            .map_err(|_| format!("the value of `{name}` contains a line break or a control character"))?;
        if name == http::header::USER_AGENT {
            checked.insert(name, value);
        } else {
            checked.append(name, value);
        }
    }
    Ok(checked)
}

fn is_the_hosts(name: &HeaderName, own: Option<&str>) -> bool {
    let name = name.as_str();
    REFUSED.contains(&name)
        || REFUSED_PREFIXES.iter().any(|prefix| name.starts_with(prefix))
        || own.is_some_and(|own| own.eq_ignore_ascii_case(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(name: &str, value: &str) -> Result<HeaderMap, String> {
        checked(&[(name.to_owned(), value.to_owned())], Some("x-token"))
    }

    #[test]
    fn headers_of_the_host_are_refused_in_every_spelling() {
        for name in REFUSED.iter().chain(&[
            "Authorization",
            "PROXY-Authorization",
            "X-Token",
            "X-Forwarded-For",
            "Forwarded",
            "X-Original-URL",
            "X-Rewrite-URL",
            "Range",
            "Accept-Encoding",
        ]) {
            assert!(check(name, "x").is_err(), "{name}");
        }
    }

    #[test]
    fn a_header_that_a_server_may_read_as_another_is_refused() {
        for name in ["x_forwarded_for", "Transfer_Encoding", "x-http_method", "x_a"] {
            assert!(check(name, "x").is_err(), "{name}");
        }
    }

    #[test]
    fn a_header_cannot_smuggle_another() {
        for value in ["a\r\nauthorization: b", "a\nb", "a\0b", "a\rb"] {
            assert!(check("x-a", value).is_err(), "{value:?}");
        }
        for name in ["x-a: b", "x a", "", "x\r\ny", "ä"] {
            assert!(check(name, "x").is_err(), "{name:?}");
        }
    }

    #[test]
    fn too_many_or_too_large_headers_are_refused() {
        let many = vec![("x-a".to_owned(), "b".to_owned()); HEADERS_MAX + 1];
        assert!(checked(&many, None).is_err());
        assert!(check("x-a", &"b".repeat(HEADER_BYTES_MAX)).is_err());
    }

    #[test]
    fn ordinary_headers_pass_and_the_host_names_itself() {
        let headers = check("Content-Type", "application/json").expect("passes");
        assert_eq!(headers["content-type"], "application/json");
        assert_eq!(headers["user-agent"], USER_AGENT);
    }
}
