//! The HTTP import: refused in pure hooks, else through the piece's slots.

use std::sync::Arc;

use futures_util::future::join_all;

use super::{Misuse, Mode, State};
use crate::bindings::frogbot::piece::http::{Error, Host, Priority, Request, Response};
use crate::egress::rate::Urgency;
use crate::egress::{Answer, Ask, Budget, SendFault};
use crate::guard::{Guard, stands};
use crate::moment::millis;
use crate::piece::Piece;

/// The most requests at once (the contract's).
const BATCH_MAX: usize = 32;

/// The way out of one hook call.
#[derive(Clone)]
struct Way {
    piece: Arc<Piece>,
    hook: &'static str,
    budget: Arc<Budget>,
}

impl State {
    fn way(&self) -> Result<Way, Error> {
        match &self.mode {
            // A way out that nobody limits: as the wall clock does, it ends with the hook.
            #[cfg(feature = "guard-switches")]
            Mode::Pure { .. } if !stands(Guard::PureEgress) => Ok(Way {
                piece: Arc::clone(&self.piece),
                hook: self.hook,
                budget: Arc::new(Budget::new(
                    "T1".to_owned(),
                    crate::moment::Deadline::after(std::time::Duration::from_secs(5)),
                )),
            }),
            Mode::Pure { .. } => Err(Error::Refused(format!(
                "`{}` is a pure hook, it sends nothing",
                self.hook
            ))),
            Mode::Acting(budget) => Ok(Way {
                piece: Arc::clone(&self.piece),
                hook: self.hook,
                budget: Arc::clone(budget),
            }),
        }
    }
}

impl Way {
    async fn send(&self, request: Request) -> Result<Response, Error> {
        match self.piece.egress.send(&self.budget, ask(request)).await {
            Ok(answer) => Ok(response(answer)),
            Err(fault) => Err(self.told(fault)),
        }
    }

    /// The fault as the guest is told it. A refusal is a mistake of the piece or of the configuration, so the operator is
    /// told too.
    fn told(&self, fault: SendFault) -> Error {
        match fault {
            SendFault::Refused(why) => {
                let (piece, channel, hook) = (&*self.piece.info.piece, &*self.piece.channel, self.hook);
                tracing::warn!(piece, channel, hook, "request refused: {why}");
                Error::Refused(why)
            }
            SendFault::RateLimited(wait) => {
                // Rounded up: the same instant is still too early.
                let wait = millis(wait).saturating_add(1);
                Error::RateLimited(u32::try_from(wait).unwrap_or(u32::MAX))
            }
            SendFault::Unreachable => Error::Unreachable,
            SendFault::TooLate => Error::TooLate,
            SendFault::PerhapsSent(why) => Error::PerhapsSent(why),
        }
    }
}

impl Host for State {
    async fn send(&mut self, request: Request) -> wasmtime::Result<Result<Response, Error>> {
        match self.way() {
            Ok(way) => Ok(way.send(request).await),
            Err(refused) => Ok(Err(refused)),
        }
    }

    async fn send_all(&mut self, requests: Vec<Request>) -> wasmtime::Result<Vec<Result<Response, Error>>> {
        if requests.len() > BATCH_MAX && stands(Guard::Batch) {
            let misuse = Misuse(format!(
                "it sent {} requests at once, at most {BATCH_MAX} are allowed",
                requests.len()
            ));
            return Err(wasmtime::Error::new(misuse));
        }
        match self.way() {
            Ok(way) => Ok(join_all(requests.into_iter().map(|request| way.send(request))).await),
            Err(refused) => Ok(vec![Err(refused); requests.len()]),
        }
    }
}

fn ask(request: Request) -> Ask {
    let Request {
        slot,
        method,
        path,
        headers,
        body,
        rate_key,
        priority,
    } = request;
    Ask {
        slot,
        method,
        path,
        headers,
        body,
        rate_key,
        urgency: match priority {
            Priority::Closing => Urgency::Closing,
            Priority::Normal => Urgency::Normal,
            Priority::Notice => Urgency::Notice,
        },
    }
}

fn response(answer: Answer) -> Response {
    let Answer {
        status,
        headers,
        body,
    } = answer;
    Response {
        status,
        headers,
        body,
    }
}
