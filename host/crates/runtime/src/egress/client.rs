//! The HTTP client: no redirects, no proxy of the environment, no cookies, no decompression, no retries; every wait and
//! every byte is bounded.

use std::error::Error;
use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;

use bytes::Bytes;
use http::HeaderMap;
use reqwest::redirect::Policy;
use reqwest::{Client, Method};
use rustls::ClientConfig;
use rustls::crypto::ring;
use rustls_platform_verifier::Verifier;
use url::Url;

use super::address::{AddressRefused, NamedOnly, PublicOnly};
use super::{Answer, Budget, SendFault};
use crate::engine::StartProblem;
use crate::guard::{Guard, stands};
use crate::limits;
use crate::moment::Deadline;

/// TLS as all clients use it: ring, and the roots of the system, where operators put their own authorities. A machine
/// without any (a bare container) gets Mozilla's.
pub(crate) fn tls() -> Result<ClientConfig, StartProblem> {
    let provider = Arc::new(ring::default_provider());
    let builder = ClientConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()
        .map_err(|error| StartProblem::Tls(error.to_string()))?;
    let mut config = match Verifier::new(provider) {
        Ok(verifier) => builder
            .dangerous()
            .with_custom_certificate_verifier(Arc::new(verifier))
            .with_no_client_auth(),
        Err(error) => {
            tracing::warn!(%error, "the system has no root certificates; using the built-in ones of Mozilla");
            let mut roots = rustls::RootCertStore::empty();
            roots.add_parsable_certificates(webpki_root_certs::TLS_SERVER_ROOT_CERTS.iter().cloned());
            builder.with_root_certificates(roots).with_no_client_auth()
        }
    };
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(config)
}

/// The clients of one piece: one for the public internet and one for the hosts that the operator named.
#[derive(Clone, Debug)]
pub(crate) struct Clients {
    pub(crate) public: Client,
    pub(crate) named: Client,
}

impl Clients {
    /// `named` are the private hosts the operator granted.
    pub(crate) fn new(tls: &ClientConfig, named: Vec<String>) -> Result<Self, reqwest::Error> {
        let builder = || {
            Client::builder()
                .tls_backend_preconfigured(tls.clone())
                .redirect(redirects())
                .retry(reqwest::retry::never())
                .no_proxy()
                .referer(false)
                .connect_timeout(limits::CONNECT_MAX)
                .pool_idle_timeout(limits::IDLE_MAX)
                .pool_max_idle_per_host(limits::IDLE_PER_HOST_MAX)
                .http1_max_headers(limits::HEADERS_MAX)
        };
        Ok(Self {
            public: builder().dns_resolver(Arc::new(PublicOnly)).build()?,
            named: builder().dns_resolver(Arc::new(NamedOnly(named))).build()?,
        })
    }
}

fn redirects() -> Policy {
    if stands(Guard::Redirect) {
        Policy::none()
    } else {
        Policy::default()
    }
}

/// A request as it goes out.
pub(crate) struct Outgoing {
    pub(crate) method: Method,
    pub(crate) url: Url,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

/// Sends, and reads the response, up to `bytes_max` and what the budget has left, all before the deadline.
pub(crate) async fn exchange(
    client: &Client,
    outgoing: Outgoing,
    bytes_max: usize,
    deadline: Deadline,
    budget: &Budget,
) -> Result<Answer, SendFault> {
    let request = client
        .request(outgoing.method, outgoing.url)
        .headers(outgoing.headers)
        .body(outgoing.body)
        .send();
    let exchange = async {
        let mut response = request.await.map_err(|error| not_answered(&error))?;
        let mut answer = Answer {
            status: response.status().as_u16(),
            headers: bounded(response.headers())?,
            body: Vec::new(),
        };
        while let Some(chunk) = response.chunk().await.map_err(|_| lost())? {
            if answer.body.len() + chunk.len() > bytes_max && stands(Guard::ResponseBytes) {
                return Err(too_large(bytes_max));
            }
            budget.take_response(chunk.len())?;
            answer.body.extend_from_slice(&chunk);
        }
        Ok(answer)
    };
    if !stands(Guard::ResponseTime) {
        return exchange.await;
    }
    let answered = before(deadline, exchange).await;
    answered.unwrap_or_else(|| Err(SendFault::PerhapsSent("no complete response in time".to_owned())))
}

/// Does what is to be done before the deadline, and not one step of it afterwards: a host that was stopped while it
/// connected must not send when it wakes up, because another host has taken over. That is why the clock is asked before each
/// step; the timer, which may fire late, only wakes.
async fn before<T>(deadline: Deadline, work: impl Future<Output = T>) -> Option<T> {
    let mut work = pin!(work);
    let mut timer = pin!(tokio::time::sleep_until(deadline.instant()));
    poll_fn(|context| {
        if deadline.passed() || timer.as_mut().poll(context).is_ready() {
            return Poll::Ready(None);
        }
        work.as_mut().poll(context).map(Some)
    })
    .await
}

fn lost() -> SendFault {
    SendFault::PerhapsSent("the connection broke during the response".to_owned())
}

fn too_large(bytes_max: usize) -> SendFault {
    SendFault::PerhapsSent(format!("the response has more than {bytes_max} bytes"))
}

fn bounded(headers: &HeaderMap) -> Result<Vec<(String, String)>, SendFault> {
    let bytes: usize = headers
        .iter()
        .map(|(name, value)| name.as_str().len() + value.len())
        .sum();
    if headers.len() > limits::HEADERS_MAX || bytes > limits::HEADER_BYTES_MAX {
        return Err(SendFault::PerhapsSent(
            "the response's headers are too large".to_owned(),
        ));
    }
    let text = |value: &http::HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
    Ok(headers
        .iter()
        .map(|(name, value)| (name.as_str().to_owned(), text(value)))
        .collect())
}

/// The error's own text would contain the URL, and the URL may contain a credential.
fn not_answered(error: &reqwest::Error) -> SendFault {
    if let Some(refused) = cause::<AddressRefused>(error) {
        return SendFault::Refused(refused.to_string());
    }
    if error.is_connect() {
        return SendFault::Unreachable;
    }
    if error.is_builder() {
        return SendFault::Refused("this is no request that HTTP can carry".to_owned());
    }
    SendFault::PerhapsSent("the connection broke before the response".to_owned())
}

fn cause<'a, E: Error + 'static>(error: &'a (dyn Error + 'static)) -> Option<&'a E> {
    let mut error = Some(error);
    while let Some(this) = error {
        if let Some(found) = this.downcast_ref::<E>() {
            return Some(found);
        }
        error = this.source();
    }
    None
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::time::Duration;

    use tokio::sync::oneshot;

    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[tokio::test(start_paused = true)]
    async fn a_host_that_was_stopped_while_it_connected_sends_nothing() {
        let (connected, connecting) = oneshot::channel::<()>();
        let sent = Cell::new(false);
        let mut exchange = pin!(before(Deadline::after(SECOND), async {
            connecting.await.expect("a connection");
            sent.set(true);
        }));
        let polled = poll_fn(|context| Poll::Ready(exchange.as_mut().poll(context)));
        assert!(polled.await.is_pending());
        // It wakes up after its deadline, and the connection is there.
        tokio::time::advance(2 * SECOND).await;
        connected.send(()).expect("still connecting");
        assert_eq!((exchange.await, sent.get()), (None, false));
    }

    #[tokio::test(start_paused = true)]
    async fn what_never_ends_is_given_up_at_its_deadline() {
        assert_eq!(
            before(Deadline::after(SECOND), std::future::pending::<()>()).await,
            None
        );
        assert_eq!(before(Deadline::after(SECOND), async { 1 }).await, Some(1));
    }
}
