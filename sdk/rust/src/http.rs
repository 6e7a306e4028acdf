//! HTTP through the slots of the manifest: the only way out, and only in acting hooks.
//!
//! The host builds the URL from the slot's base, adds the credential and sends; a piece never sees a token.
//!
//! ```no_run
//! use frogbot_piece::{Failure, http::{Priority, Request}};
//!
//! fn close(post: &str) -> Result<(), Failure> {
//!     let path = format!("/posts/{}", frogbot_piece::http::segment(post));
//!     Request::patch("forum", path)
//!         .json(&serde_json::json!({ "text": "Answered." }))?
//!         .priority(Priority::Closing)
//!         .send()?
//!         .accepted()?;
//!     Ok(())
//! }
//! ```

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::{Failure, host, read};

pub use crate::bindings::questions::frogbot::piece::http::{Error, Priority, Request, Response};

/// How many requests the host sends at once.
pub const BATCH_MAX: usize = 32;

impl Request {
    /// A request without headers and body, of normal priority, counted by its slot.
    pub fn new(method: impl Into<String>, slot: impl Into<String>, path: impl Into<String>) -> Self {
        Self {
            slot: slot.into(),
            method: method.into(),
            path: path.into(),
            headers: Vec::new(),
            body: Vec::new(),
            rate_key: None,
            priority: Priority::Normal,
        }
    }

    /// `GET`. The path starts with `/` and may have a query; write parts that are not your own with [`segment`].
    pub fn get(slot: impl Into<String>, path: impl Into<String>) -> Self {
        Self::new("GET", slot, path)
    }

    /// `POST`.
    pub fn post(slot: impl Into<String>, path: impl Into<String>) -> Self {
        Self::new("POST", slot, path)
    }

    /// `PATCH`.
    pub fn patch(slot: impl Into<String>, path: impl Into<String>) -> Self {
        Self::new("PATCH", slot, path)
    }

    /// `DELETE`.
    pub fn delete(slot: impl Into<String>, path: impl Into<String>) -> Self {
        Self::new("DELETE", slot, path)
    }

    /// With a header. `authorization`, `cookie`, `host` and the slot's own header are the host's.
    #[must_use]
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.headers.push((name.into(), value.into()));
        self
    }

    /// With a JSON body.
    ///
    /// # Errors
    ///
    /// Refused, when the body has no JSON form, such as a map whose keys are not text.
    pub fn json(mut self, body: &impl Serialize) -> Result<Self, Failure> {
        self.body = serde_json::to_vec(body)
            .map_err(|error| Failure::refused(read::described("request body", &error)))?;
        Ok(self.header("content-type", "application/json; charset=utf-8"))
    }

    /// Counted by what the platform counts a rate by, such as `chat.postMessage:C123`; else by the slot.
    #[must_use]
    pub fn rate_key(mut self, key: impl Into<String>) -> Self {
        self.rate_key = Some(key.into());
        self
    }

    /// How urgent it is where the platform limits rates.
    #[must_use]
    pub fn priority(mut self, priority: Priority) -> Self {
        self.priority = priority;
        self
    }

    /// Sends it and waits for the response, whatever its status.
    ///
    /// # Errors
    ///
    /// When there is no response; `?` turns the error into the [`Failure`] that fits.
    pub fn send(&self) -> Result<Response, Error> {
        host::send(self)
    }
}

/// Sends several requests at once, [`BATCH_MAX`] at a time; results in the order of the requests.
pub fn send_all(requests: &[Request]) -> Vec<Result<Response, Error>> {
    requests.chunks(BATCH_MAX).flat_map(host::send_all).collect()
}

/// Text as one segment of a path or one value of a query: all but unreserved characters percent-encoded.
pub fn segment(text: &str) -> String {
    text.bytes()
        .fold(String::with_capacity(text.len()), |mut out, byte| {
            match byte {
                b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                    out.push(char::from(byte))
                }
                _ => out.push_str(&format!("%{byte:02X}")),
            }
            out
        })
}

impl Response {
    /// The value of a header; the name in lower case.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .iter()
            .find(|(key, _)| key == name)
            .map(|(_, value)| value.as_str())
    }

    /// This response when the platform did what it was asked, else the failure that fits the status.
    ///
    /// # Errors
    ///
    /// `429` and `503` with their `retry-after`, `408` and `5xx`: retry. `404` and `410`: gone. All else: refused. A piece
    /// whose platform means something else by a status looks at it first.
    pub fn accepted(self) -> Result<Self, Failure> {
        let reason = || format!("the platform answered {}", self.status);
        match self.status {
            200..=299 => Ok(self),
            408 | 429 | 500..=599 => Err(match self.retry_after_ms() {
                Some(wait_ms) => Failure::retry_after(wait_ms, reason()),
                None => Failure::retry(reason()),
            }),
            404 | 410 => Err(Failure::gone(reason())),
            _ => Err(Failure::refused(reason())),
        }
    }

    /// How long the platform says to wait, in milliseconds; none when it does not say so in whole seconds.
    pub fn retry_after_ms(&self) -> Option<u32> {
        let seconds: u32 = self.header("retry-after")?.trim().parse().ok()?;
        seconds.checked_mul(1_000)
    }

    /// The body as JSON.
    ///
    /// # Errors
    ///
    /// Perhaps sent, when it is not: the platform has answered, so it may have acted.
    pub fn json<T: DeserializeOwned>(&self) -> Result<T, Failure> {
        serde_json::from_slice(&self.body)
            .map_err(|error| Failure::perhaps_sent(read::described("response", &error)))
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        match error {
            Error::Refused(reason) => Self::refused(reason),
            Error::RateLimited(wait_ms) => Self::retry_after(wait_ms, "waiting out a rate limit"),
            Error::Unreachable => Self::retry("the platform cannot be reached"),
            Error::TooLate => Self::retry("the hook's deadline has passed"),
            Error::PerhapsSent(reason) => Self::perhaps_sent(reason),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::FailureKind;

    fn response(status: u16, headers: &[(&str, &str)]) -> Response {
        let headers = headers
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect();
        Response {
            status,
            headers,
            body: Vec::new(),
        }
    }

    fn kind(status: u16, headers: &[(&str, &str)]) -> Option<FailureKind> {
        response(status, headers)
            .accepted()
            .err()
            .map(|failure| failure.kind)
    }

    #[test]
    fn a_status_becomes_the_failure_that_tells_the_host_what_to_do() {
        assert_eq!(kind(204, &[]), None);
        assert_eq!(
            kind(429, &[("retry-after", "3")]),
            Some(FailureKind::Retry(Some(3_000)))
        );
        assert_eq!(kind(429, &[]), Some(FailureKind::Retry(None)));
        assert_eq!(
            kind(503, &[("retry-after", "Wed, 21 Oct 2026 07:28:00 GMT")]),
            Some(FailureKind::Retry(None))
        );
        assert_eq!(kind(404, &[]), Some(FailureKind::Gone));
        assert_eq!(kind(410, &[]), Some(FailureKind::Gone));
        assert_eq!(kind(403, &[]), Some(FailureKind::Refused));
        assert_eq!(kind(302, &[]), Some(FailureKind::Refused));
    }

    #[test]
    fn a_segment_cannot_leave_its_path() {
        assert_eq!(segment("../users?a=1#é"), "..%2Fusers%3Fa%3D1%23%C3%A9");
    }

    #[test]
    fn an_unreadable_response_says_nothing_of_its_content() {
        let response = Response {
            status: 200,
            headers: Vec::new(),
            body: br#"{"ok":"secret"}"#.to_vec(),
        };
        let failure = response
            .json::<std::collections::BTreeMap<String, bool>>()
            .unwrap_err();
        assert_eq!(failure.kind, FailureKind::PerhapsSent);
        assert!(!failure.reason.contains("secret"), "{}", failure.reason);
    }
}
