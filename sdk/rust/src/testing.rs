//! A host for native tests: answers requests by a closure and remembers what a piece did.
//!
//! ```
//! use frogbot_piece::{http::Request, testing::{FakeHost, response}};
//!
//! let host = FakeHost::answering(|request| {
//!     assert_eq!(request.path, "/me");
//!     Ok(response(200, &serde_json::json!({ "name": "frog" })))
//! });
//! let name: serde_json::Value = Request::get("forum", "/me").send()?.json()?;
//! assert_eq!(name["name"], "frog");
//! assert_eq!(host.requests().len(), 1);
//! # Ok::<(), frogbot_piece::Failure>(())
//! ```
//!
//! One fake is in force per thread, from its making until it is dropped. Without one every request is refused, the clock
//! stands at 0 and random bytes are zeros.

mod samples;

use std::cell::RefCell;
use std::rc::Rc;

use crate::Timestamp;
use crate::http::{Error, Request, Response};
use crate::log::Level;

pub use samples::{
    call, context, conversation, inbound, offer, person, press, question, record, reply, settings, shared,
};

type Answer = dyn Fn(&Request) -> Result<Response, Error>;

struct State {
    answer: Box<Answer>,
    requests: Vec<Request>,
    lines: Vec<(Level, String)>,
    now: Timestamp,
    next_byte: u8,
}

thread_local! {
    static CURRENT: RefCell<Option<Rc<RefCell<State>>>> = const { RefCell::new(None) };
}

/// The host of this thread, as long as it lives.
pub struct FakeHost(Rc<RefCell<State>>);

impl FakeHost {
    /// A host that answers every request with what `answer` says.
    #[must_use = "the fake is in force only as long as it lives"]
    pub fn answering(answer: impl Fn(&Request) -> Result<Response, Error> + 'static) -> Self {
        let state = State {
            answer: Box::new(answer),
            requests: Vec::new(),
            lines: Vec::new(),
            now: 0,
            next_byte: 0,
        };
        let state = Rc::new(RefCell::new(state));
        CURRENT.with_borrow_mut(|current| *current = Some(Rc::clone(&state)));
        Self(state)
    }

    /// Sets the clock.
    pub fn set_now(&self, now: Timestamp) {
        self.0.borrow_mut().now = now;
    }

    /// Every request so far, oldest first.
    pub fn requests(&self) -> Vec<Request> {
        self.0.borrow().requests.clone()
    }

    /// The JSON bodies of the requests so far, oldest first; `null` for a body that is not JSON.
    pub fn bodies(&self) -> Vec<serde_json::Value> {
        let parse =
            |request: &Request| serde_json::from_slice(&request.body).unwrap_or(serde_json::Value::Null);
        self.0.borrow().requests.iter().map(parse).collect()
    }

    /// Every line of the log so far, oldest first.
    pub fn lines(&self) -> Vec<(Level, String)> {
        self.0.borrow().lines.clone()
    }
}

impl Drop for FakeHost {
    fn drop(&mut self) {
        CURRENT.with_borrow_mut(|current| {
            if current.as_ref().is_some_and(|state| Rc::ptr_eq(state, &self.0)) {
                *current = None;
            }
        });
    }
}

/// A response with a JSON body.
pub fn response(status: u16, body: &serde_json::Value) -> Response {
    let headers = vec![("content-type".to_owned(), "application/json".to_owned())];
    Response {
        status,
        headers,
        body: body.to_string().into_bytes(),
    }
}

/// The functions of the contract, served by the fake of this thread.
pub(crate) mod host {
    use std::rc::Rc;

    use super::CURRENT;
    use crate::http::{Error, Request, Response};
    use crate::log::Level;
    use crate::{Conversation, Timestamp};

    pub(crate) fn send(request: &Request) -> Result<Response, Error> {
        let Some(state) = CURRENT.with_borrow(Option::clone) else {
            return Err(Error::Refused(
                "no fake host in this thread: make one with FakeHost::answering".to_owned(),
            ));
        };
        state.borrow_mut().requests.push(request.clone());
        let state = Rc::clone(&state);
        let state = state.borrow();
        (state.answer)(request)
    }

    pub(crate) fn send_all(requests: &[Request]) -> Vec<Result<Response, Error>> {
        requests.iter().map(send).collect()
    }

    pub(crate) fn write(level: Level, line: &str) {
        CURRENT.with_borrow(|current| {
            if let Some(state) = current {
                state.borrow_mut().lines.push((level, line.to_owned()));
            }
        });
    }

    pub(crate) fn now() -> Timestamp {
        CURRENT.with_borrow(|current| current.as_ref().map_or(0, |state| state.borrow().now))
    }

    /// Counts up, so that two draws differ and every run is the same.
    pub(crate) fn bytes(count: u32) -> Vec<u8> {
        let draw = || {
            CURRENT.with_borrow(|current| {
                current.as_ref().map_or(0, |state| {
                    let mut state = state.borrow_mut();
                    state.next_byte = state.next_byte.wrapping_add(1);
                    state.next_byte
                })
            })
        };
        (0..count).map(|_| draw()).collect()
    }

    /// Readable, unlike the real one, which only its host understands.
    pub(crate) fn modal_locator(conversation: &Conversation, message_id: &str) -> String {
        let Conversation {
            account,
            room,
            thread,
        } = conversation;
        format!("locator:{account}:{room}:{thread}:{message_id}")
    }
}
