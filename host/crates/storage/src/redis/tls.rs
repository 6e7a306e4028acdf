//! TLS to the servers: ring, and the authorities that the operator names or the system has.

use std::sync::Arc;

use redis::RedisError;
use rustls::crypto::{CryptoProvider, ring};
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, RootCertStore};
use rustls_platform_verifier::Verifier;
use tokio_rustls::TlsConnector;

use super::faults::RedisFault;
use super::link::{Stream, tcp};
use super::settings::{RedisAddress, RedisTls};

/// Why no encrypted connection can be made from here.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("TLS to the store cannot begin: {0}")]
pub struct RedisTlsFault(String);

/// How the bytes go.
pub(super) enum Encryption {
    Off,
    On(TlsConnector),
}

impl Encryption {
    pub(super) fn new(tls: &RedisTls) -> Result<Self, RedisTlsFault> {
        match tls {
            RedisTls::Off => Ok(Self::Off),
            RedisTls::On(authorities) => {
                let config = config(authorities.as_deref()).map_err(RedisTlsFault)?;
                Ok(Self::On(TlsConnector::from(Arc::new(config))))
            }
        }
    }

    /// Opens a connection.
    pub(super) async fn connect(&self, address: &RedisAddress) -> Result<Box<dyn Stream>, RedisFault> {
        let cannot = |error: std::io::Error| RedisFault::of_setup(address, &RedisError::from(error));
        let plain = tcp(address).await.map_err(cannot)?;
        match self {
            Self::Off => Ok(Box::new(plain)),
            Self::On(connector) => {
                let name =
                    ServerName::try_from(address.host.clone()).map_err(|error| RedisFault::Unreachable {
                        address: address.clone(),
                        why: error.to_string(),
                    })?;
                let encrypted = connector.connect(name, plain).await.map_err(cannot)?;
                Ok(Box::new(encrypted))
            }
        }
    }
}

fn config(authorities: Option<&[u8]>) -> Result<ClientConfig, String> {
    let provider = Arc::new(ring::default_provider());
    let builder = ClientConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()
        .map_err(|error| error.to_string())?;
    Ok(match authorities {
        Some(pem) => builder.with_root_certificates(roots(pem)?).with_no_client_auth(),
        None => builder
            .dangerous()
            .with_custom_certificate_verifier(Arc::new(system(provider)?))
            .with_no_client_auth(),
    })
}

fn system(provider: Arc<CryptoProvider>) -> Result<Verifier, String> {
    Verifier::new(provider)
        .map_err(|error| format!("the system has no root certificates ({error}); set `store.ca`"))
}

fn roots(pem: &[u8]) -> Result<RootCertStore, String> {
    let wrong = |error: &dyn std::fmt::Display| format!("`store.ca` holds no certificates in PEM: {error}");
    let mut roots = RootCertStore::empty();
    for certificate in CertificateDer::pem_slice_iter(pem) {
        let certificate = certificate.map_err(|error| wrong(&error))?;
        roots.add(certificate).map_err(|error| wrong(&error))?;
    }
    if roots.is_empty() {
        return Err(wrong(&"it is empty"));
    }
    Ok(roots)
}
