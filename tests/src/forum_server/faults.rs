//! What goes wrong on purpose, and how many requests there were.

use std::collections::{BTreeMap, VecDeque};

use tokio::sync::oneshot;

/// A kind of request of the bot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum RequestKind {
    /// `GET /me`.
    Me,
    /// `GET /users/{id}`.
    User,
    /// `GET /threads/{thread}/posts`.
    Posts,
    /// `POST /threads/{thread}/posts`.
    CreatePost,
    /// `PATCH /posts/{id}`.
    EditPost,
}

/// What happens to one request.
pub(super) enum Fault {
    /// Refused with this status.
    Status { status: u16, retry_after: Option<u32> },
    /// Carried out only after the hold is over.
    Held {
        arrived: oneshot::Sender<()>,
        released: oneshot::Receiver<()>,
    },
    /// Carried out, and the response breaks off.
    ReplyLost,
}

/// A request that waits, or will.
pub struct Hold {
    arrived: oneshot::Receiver<()>,
    release: oneshot::Sender<()>,
}

impl Hold {
    /// Waits until the request is there.
    pub async fn arrived(&mut self) {
        // An error means that the forum is gone, and then nobody will come.
        (&mut self.arrived).await.ok();
    }

    /// Lets the request go on; dropping does the same.
    pub fn release(self) {
        self.release.send(()).ok();
    }
}

pub(super) fn hold() -> (Hold, Fault) {
    let (arrived_sender, arrived) = oneshot::channel();
    let (release, released) = oneshot::channel();
    (
        Hold { arrived, release },
        Fault::Held {
            arrived: arrived_sender,
            released,
        },
    )
}

/// The faults to come, and the requests that came.
#[derive(Default)]
pub(super) struct Faults {
    waiting: BTreeMap<RequestKind, VecDeque<Fault>>,
    counts: BTreeMap<RequestKind, usize>,
}

impl Faults {
    pub(super) fn push(&mut self, kind: RequestKind, fault: Fault) {
        self.waiting.entry(kind).or_default().push_back(fault);
    }

    /// Counts a request and takes the fault that is meant for it.
    pub(super) fn meet(&mut self, kind: RequestKind) -> Option<Fault> {
        *self.counts.entry(kind).or_default() += 1;
        self.waiting.get_mut(&kind)?.pop_front()
    }

    pub(super) fn count(&self, kind: RequestKind) -> usize {
        self.counts.get(&kind).copied().unwrap_or(0)
    }
}
