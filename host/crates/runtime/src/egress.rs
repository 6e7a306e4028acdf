//! The only way out: requests through the slots that the manifest declares and the operator granted.
//!
//! A guest names a slot and a path. The host checks both, builds the URL, adds the credential of the call's account and
//! sends; the guest never sees a credential, not even when the platform repeats it.

pub(crate) mod address;
pub(crate) mod client;
pub(crate) mod credentials;
mod header;
mod path;
pub(crate) mod rate;
mod redact;
pub(crate) mod slot;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, UNIX_EPOCH};

use bytes::Bytes;
use frogbot_manifest::{Auth, Manifest};
use http::{HeaderMap, HeaderValue, StatusCode};
use reqwest::Method;
use rustls::ClientConfig;
use tokio::time::Instant;
use url::Url;

use self::client::{Clients, Outgoing};
use self::credentials::Credentials;
use self::path::RequestPath;
use self::rate::{RateKey, Urgency, Waits};
pub(crate) use self::redact::Redactor;
use self::slot::{OpenSlot, SlotProblem};
use crate::guard::{Guard, stands};
use crate::limits;
use crate::moment::{Deadline, millis, wall_clock};
use crate::secret::Secret;
use crate::setup::{ChannelSetup, SlotGrant};

const RETRY_AFTER: &str = "retry-after";

/// A request of a guest.
#[derive(Clone, Debug)]
pub(crate) struct Ask {
    pub(crate) slot: String,
    pub(crate) method: String,
    pub(crate) path: String,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
    pub(crate) rate_key: Option<String>,
    pub(crate) urgency: Urgency,
}

/// What a platform answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

/// Why there is no answer; as in the contract.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum SendFault {
    Refused(String),
    RateLimited(Duration),
    Unreachable,
    TooLate,
    PerhapsSent(String),
}

/// What one hook call may still use.
#[derive(Debug)]
pub(crate) struct Budget {
    pub(crate) account: String,
    pub(crate) deadline: Deadline,
    requests: AtomicUsize,
    sent_bytes: AtomicUsize,
    response_bytes: AtomicUsize,
}

impl Budget {
    pub(crate) fn new(account: String, deadline: Deadline) -> Self {
        Self {
            account,
            deadline,
            requests: AtomicUsize::new(limits::REQUESTS_PER_CALL_MAX),
            sent_bytes: AtomicUsize::new(0),
            response_bytes: AtomicUsize::new(limits::RESPONSE_BYTES_PER_CALL_MAX),
        }
    }

    /// What was used of it.
    pub(crate) fn used(&self) -> Used {
        let left = |left: &AtomicUsize| left.load(Ordering::Relaxed);
        Used {
            requests: limits::REQUESTS_PER_CALL_MAX.saturating_sub(left(&self.requests)),
            sent_bytes: self.sent_bytes.load(Ordering::Relaxed),
            received_bytes: limits::RESPONSE_BYTES_PER_CALL_MAX.saturating_sub(left(&self.response_bytes)),
        }
    }

    fn take_request(&self) -> Result<(), SendFault> {
        if !stands(Guard::RequestsOfHook) {
            return Ok(());
        }
        taken(&self.requests, 1).ok_or_else(|| {
            SendFault::Refused(format!(
                "the hook has sent {} requests, which is the most",
                limits::REQUESTS_PER_CALL_MAX
            ))
        })
    }

    pub(crate) fn take_response(&self, bytes: usize) -> Result<(), SendFault> {
        if !stands(Guard::ResponsesOfHook) {
            return Ok(());
        }
        taken(&self.response_bytes, bytes).ok_or_else(|| {
            SendFault::PerhapsSent("the responses of this hook are too large together".to_owned())
        })
    }
}

/// What a hook call has sent and received.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Used {
    pub(crate) requests: usize,
    pub(crate) sent_bytes: usize,
    pub(crate) received_bytes: usize,
}

fn taken(left: &AtomicUsize, amount: usize) -> Option<()> {
    left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| {
        left.checked_sub(amount)
    })
    .ok()
    .map(drop)
}

/// The way out of one piece.
pub(crate) struct Egress {
    slots: BTreeMap<String, OpenSlot>,
    credentials: Credentials,
    clients: Clients,
    waits: Waits,
}

impl Egress {
    /// Opens the slots that the operator granted. Every slot of the manifest must be among them.
    pub(crate) fn open(
        manifest: &Manifest,
        setup: &ChannelSetup,
        tls: &ClientConfig,
    ) -> Result<Self, SlotProblem> {
        let mut slots = BTreeMap::new();
        for (id, slot) in &manifest.slots {
            let ungranted = (!stands(Guard::GrantedSlot)).then(SlotGrant::default);
            let Some(grant) = setup.grants.get(id).or(ungranted.as_ref()) else {
                return Err(SlotProblem {
                    reason: format!(
                        "the piece asks for slot `{id}` ({}), which is not granted",
                        slot.purpose
                    ),
                    remedy: format!(
                        "grant slot `{id}` to channel `{}`, or use another piece",
                        setup.channel
                    ),
                });
            };
            slots.insert(id.clone(), OpenSlot::open(id, slot, grant)?);
        }
        let hosts = |slot: &OpenSlot| slot.base.host_str().map(str::to_owned);
        let named = slots
            .values()
            .filter(|slot| slot.private)
            .filter_map(hosts)
            .collect();
        let clients = Clients::new(tls, named).map_err(|_| SlotProblem {
            reason: "the HTTP client cannot be built".to_owned(),
            remedy: "see the host's log; this is no fault of the piece".to_owned(),
        })?;
        Ok(Self {
            slots,
            credentials: Credentials::of(setup),
            clients,
            waits: Waits::default(),
        })
    }

    /// What takes our secrets out of a text.
    pub(crate) fn redactor(&self) -> Redactor {
        Redactor::new(&self.credentials.all())
    }

    /// Sends one request, with the credential of the budget's account, unless something is against it.
    pub(crate) async fn send(&self, budget: &Budget, ask: Ask) -> Result<Answer, SendFault> {
        // Before anything else: requests that are refused are told to the operator, so they are counted too.
        budget.take_request()?;
        let any = (!stands(Guard::DeclaredSlot))
            .then(|| self.slots.values().next())
            .flatten();
        let slot = self.slots.get(&ask.slot).or(any).ok_or_else(|| {
            SendFault::Refused(format!("the manifest declares no slot `{}`", shown(&ask.slot)))
        })?;
        let secret = self.credential(slot, &budget.account)?;
        let url = url(slot, secret.as_ref(), &ask)?;
        let headers = headers(slot, secret.as_ref(), &ask)?;
        let method = method(slot, &ask)?;
        body_fits(slot, &ask)?;
        budget.sent_bytes.fetch_add(ask.body.len(), Ordering::Relaxed);
        let key = rate_key(&budget.account, &ask)?;
        self.waits
            .admit(&key, ask.urgency, Instant::now())
            .map_err(SendFault::RateLimited)?;
        // The last thing before sending: a host that was stopped meanwhile wakes up mute.
        if budget.deadline.passed() && stands(Guard::Mute) {
            return Err(SendFault::TooLate);
        }
        let outgoing = Outgoing {
            method,
            url,
            headers,
            body: Bytes::from(ask.body),
        };
        let client = if slot.private {
            &self.clients.named
        } else {
            &self.clients.public
        };
        let deadline = budget.deadline.or_after(slot.timeout);
        let mut answer =
            client::exchange(client, outgoing, slot.response_bytes_max, deadline, budget).await?;
        self.remember_rate(key, ask.urgency, &mut answer);
        Ok(self.without_secrets(answer, secret))
    }

    fn credential(&self, slot: &OpenSlot, account: &str) -> Result<Option<Secret>, SendFault> {
        slot.secret()
            .map(|name| {
                self.credentials
                    .of_account(account, name)
                    .map_err(SendFault::Refused)
            })
            .transpose()
    }

    /// A `429` goes to the guest with the wait that the host keeps, in whole seconds, whatever form the platform chose.
    fn remember_rate(&self, key: RateKey, urgency: Urgency, answer: &mut Answer) {
        if answer.status != StatusCode::TOO_MANY_REQUESTS.as_u16() {
            return self.waits.accepted(&key, Instant::now());
        }
        let now = UNIX_EPOCH + Duration::from_millis(wall_clock().0);
        let asked = rate::retry_after(header_of(answer, RETRY_AFTER), now);
        let wait = self.waits.refused(key, urgency, asked, Instant::now());
        answer.headers.retain(|(name, _)| name != RETRY_AFTER);
        let seconds = millis(wait).div_ceil(1_000);
        answer.headers.push((RETRY_AFTER.to_owned(), seconds.to_string()));
    }

    /// The value that was sent may have been rotated since, so it is looked for beside the current ones.
    fn without_secrets(&self, answer: Answer, sent: Option<Secret>) -> Answer {
        if !stands(Guard::Redaction) {
            return answer;
        }
        let mut secrets = self.credentials.all();
        secrets.extend(sent);
        let redactor = Redactor::new(&secrets);
        let clean = |(name, value): (String, String)| (name, redactor.text(&value).into_owned());
        Answer {
            status: answer.status,
            headers: answer.headers.into_iter().map(clean).collect(),
            body: redactor.bytes(answer.body),
        }
    }
}

fn header_of<'a>(answer: &'a Answer, name: &str) -> Option<&'a str> {
    let mut headers = answer.headers.iter();
    headers
        .find(|(found, _)| found == name)
        .map(|(_, value)| value.as_str())
}

/// The credential in the URL, and only below the slot's base.
fn url(slot: &OpenSlot, secret: Option<&Secret>, ask: &Ask) -> Result<Url, SendFault> {
    let path = RequestPath::read(&ask.path).map_err(SendFault::Refused)?;
    if stands(Guard::PathPattern) && !slot.paths.iter().any(|pattern| path::matches(pattern, &path)) {
        return Err(SendFault::Refused(format!(
            "no path pattern of slot `{}` matches",
            ask.slot
        )));
    }
    let segment = match (&slot.auth, secret) {
        (Auth::Path { prefix, .. }, Some(secret)) => Some(format!("{prefix}{}", secret.expose())),
        (Auth::Path { .. } | Auth::None | Auth::Bearer { .. } | Auth::Header { .. }, _) => None,
    };
    if segment
        .as_deref()
        .is_some_and(|segment| !path::fits_in_a_path(segment))
    {
        return Err(SendFault::Refused(format!(
            "the secret of slot `{}` cannot stand in a path",
            ask.slot
        )));
    }
    let url = path::below(&slot.base, segment.as_deref(), &path).map_err(SendFault::Refused)?;
    match address::refusal_of_literal(&url) {
        Some(why) if !slot.private && stands(Guard::LiteralAddress) => {
            Err(SendFault::Refused(format!("the slot leads to a {why} address")))
        }
        Some(_) | None => Ok(url),
    }
}

fn headers(slot: &OpenSlot, secret: Option<&Secret>, ask: &Ask) -> Result<HeaderMap, SendFault> {
    let mut headers = header::checked(&ask.headers, slot.own_header()).map_err(SendFault::Refused)?;
    let credential = match (&slot.auth, secret) {
        (Auth::Bearer { .. }, Some(secret)) => Some(("authorization", format!("Bearer {}", secret.expose()))),
        (Auth::Header { name, prefix, .. }, Some(secret)) => {
            Some((name.as_str(), format!("{prefix}{}", secret.expose())))
        }
        (Auth::Path { .. } | Auth::None | Auth::Bearer { .. } | Auth::Header { .. }, _) => None,
    };
    if let Some((name, value)) = credential {
        let unfit = || {
            SendFault::Refused(format!(
                "the secret of slot `{}` cannot stand in a header",
                ask.slot
            ))
        };
        let name = http::HeaderName::from_bytes(name.as_bytes()).map_err(|_| unfit())?;
        let mut value = HeaderValue::from_str(&value).map_err(|_| unfit())?;
        value.set_sensitive(true);
        headers.insert(name, value);
    }
    Ok(headers)
}

fn method(slot: &OpenSlot, ask: &Ask) -> Result<Method, SendFault> {
    let refused = || {
        SendFault::Refused(format!(
            "slot `{}` does not allow the method {}",
            ask.slot,
            shown(&ask.method)
        ))
    };
    let any = (!stands(Guard::Method)).then_some(&ask.method);
    let allowed = slot
        .methods
        .iter()
        .find(|method| **method == ask.method)
        .or(any)
        .ok_or_else(refused)?;
    match Method::from_bytes(allowed.as_bytes()) {
        Ok(Method::CONNECT | Method::TRACE) | Err(_) => Err(refused()),
        Ok(method) => Ok(method),
    }
}

fn body_fits(slot: &OpenSlot, ask: &Ask) -> Result<(), SendFault> {
    if ask.body.len() <= slot.request_bytes_max || !stands(Guard::RequestBytes) {
        return Ok(());
    }
    Err(SendFault::Refused(format!(
        "the body has {} bytes, slot `{}` allows {}",
        ask.body.len(),
        ask.slot,
        slot.request_bytes_max
    )))
}

fn rate_key(account: &str, ask: &Ask) -> Result<RateKey, SendFault> {
    if ask
        .rate_key
        .as_ref()
        .is_some_and(|key| key.len() > limits::RATE_KEY_BYTES_MAX)
    {
        return Err(SendFault::Refused(format!(
            "the rate key has more than {} bytes",
            limits::RATE_KEY_BYTES_MAX
        )));
    }
    Ok(RateKey {
        slot: ask.slot.clone(),
        account: account.to_owned(),
        key: ask.rate_key.clone(),
    })
}

/// A name a guest made up, short enough for a message.
fn shown(name: &str) -> String {
    name.chars().filter(|c| !c.is_control()).take(40).collect()
}
