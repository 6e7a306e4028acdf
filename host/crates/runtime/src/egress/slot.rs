//! A slot that the operator granted: where it leads, what may be asked there, and how the host authenticates.

use frogbot_manifest::{Auth, Slot};
use url::{Host, Url};

use super::address;
use crate::guard::{Guard, stands};
use crate::setup::SlotGrant;

/// A slot, ready for requests.
#[derive(Clone, Debug)]
pub(crate) struct OpenSlot {
    pub(crate) base: Url,
    pub(crate) methods: Vec<String>,
    pub(crate) paths: Vec<String>,
    pub(crate) auth: Auth,
    pub(crate) request_bytes_max: usize,
    pub(crate) response_bytes_max: usize,
    pub(crate) timeout: std::time::Duration,
    /// Whether the operator named its host as a private one: it is reached whatever its address, and may lack TLS.
    pub(crate) private: bool,
}

/// Why a slot cannot be opened, and what to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SlotProblem {
    pub(crate) reason: String,
    pub(crate) remedy: String,
}

impl OpenSlot {
    /// Opens a slot of the manifest as the operator granted it.
    pub(crate) fn open(id: &str, slot: &Slot, grant: &SlotGrant) -> Result<Self, SlotProblem> {
        let base = base(id, slot, grant)?;
        let private = grant.allow_private.iter().any(|named| names(named, &base));
        if !private {
            refuse_what_is_not_public(id, &base)?;
        }
        Ok(Self {
            base,
            methods: slot.methods.clone(),
            paths: slot.paths.clone(),
            auth: slot.auth.clone(),
            request_bytes_max: slot.request_bytes_max.min(frogbot_manifest::REQUEST_BYTES_MAX),
            response_bytes_max: slot.response_bytes_max.min(frogbot_manifest::RESPONSE_BYTES_MAX),
            timeout: std::time::Duration::from_millis(slot.timeout_ms.min(frogbot_manifest::TIMEOUT_MS_MAX)),
            private,
        })
    }

    /// The header the host authenticates with, which the guest cannot set.
    pub(crate) fn own_header(&self) -> Option<&str> {
        match &self.auth {
            Auth::Header { name, .. } => Some(name),
            Auth::None | Auth::Bearer { .. } | Auth::Path { .. } => None,
        }
    }

    /// The name of the secret it authenticates with.
    pub(crate) fn secret(&self) -> Option<&str> {
        match &self.auth {
            Auth::None => None,
            Auth::Bearer { secret } | Auth::Header { secret, .. } | Auth::Path { secret, .. } => Some(secret),
        }
    }
}

fn base(id: &str, slot: &Slot, grant: &SlotGrant) -> Result<Url, SlotProblem> {
    let remedy = format!("set the base URL of slot `{id}` to `https://host[:port][/path]`");
    let base = match &grant.base {
        Some(base) => base.clone(),
        None if slot.base.is_empty() => {
            let reason = format!("slot `{id}` has no base URL of its own");
            return Err(SlotProblem { reason, remedy });
        }
        None => Url::parse(&slot.base).map_err(|error| SlotProblem {
            reason: format!("the base URL of slot `{id}` cannot be read: {error}"),
            remedy: remedy.clone(),
        })?,
    };
    let bare = base.username().is_empty()
        && base.password().is_none()
        && base.query().is_none()
        && base.fragment().is_none()
        && base.has_host();
    if bare && matches!(base.scheme(), "http" | "https") {
        Ok(base)
    } else {
        let reason = format!("the base URL of slot `{id}` has a user, a query, a fragment or an odd scheme");
        Err(SlotProblem { reason, remedy })
    }
}

fn refuse_what_is_not_public(id: &str, base: &Url) -> Result<(), SlotProblem> {
    let host = base.host_str().unwrap_or_default();
    let remedy = format!("if the piece shall reach it, add `{host}` to `allow_private` of slot `{id}`");
    if let Some(why) = address::refusal_of_literal(base).filter(|_| stands(Guard::LiteralAddress)) {
        let reason = format!("slot `{id}` leads to {host}, a {why} address");
        return Err(SlotProblem { reason, remedy });
    }
    if base.scheme() == "http" && stands(Guard::Tls) {
        let reason = format!("slot `{id}` leads to {host} without TLS");
        return Err(SlotProblem { reason, remedy });
    }
    Ok(())
}

/// Whether the operator's `host` or `host:port` names the base's host. It is read as the base was: as the host of a URL.
fn names(named: &str, base: &Url) -> bool {
    let Ok(named_url) = Url::parse(&format!("{}://{named}/", base.scheme())) else {
        return false;
    };
    let without_port = match named_url.host() {
        Some(Host::Ipv6(_)) => named.ends_with(']'),
        Some(Host::Domain(_) | Host::Ipv4(_)) => !named.contains(':'),
        None => return false,
    };
    named_url.path() == "/"
        && named_url.username().is_empty()
        && named_url.host() == base.host()
        && (without_port || named_url.port_or_known_default() == base.port_or_known_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slot(base: &str) -> Slot {
        serde_json::from_value(serde_json::json!({
            "base": base, "purpose": "test", "methods": ["GET"], "paths": ["/**"],
        }))
        .expect("a slot")
    }

    fn check(base: &str, allow_private: &[&str]) -> Result<OpenSlot, SlotProblem> {
        let grant = SlotGrant {
            base: None,
            allow_private: allow_private.iter().map(ToString::to_string).collect(),
        };
        OpenSlot::open("api", &slot(base), &grant)
    }

    #[test]
    fn bases_that_lead_inside_are_refused_unless_the_operator_named_them() {
        for base in [
            "http://forge.example",
            "https://127.0.0.1",
            "https://0x7f.1",
            "https://[::1]:8443",
            "https://[::ffff:10.0.0.1]",
            "https://169.254.169.254/latest",
        ] {
            assert!(check(base, &["other.example"]).is_err(), "{base}");
        }
        assert!(
            check("https://127.0.0.1:8443", &["127.0.0.1:8444"]).is_err(),
            "another port"
        );
        assert!(
            check("https://127.0.0.1:8443", &["user@127.0.0.1"]).is_err(),
            "not a host"
        );
        for (base, named) in [
            ("http://forge.internal:3000", "forge.internal"),
            ("http://forge.internal:3000", "FORGE.internal:3000"),
            ("https://[::1]:8443", "[::1]"),
            ("https://[::1]:8443", "[::1]:8443"),
            ("https://127.0.0.1", "127.0.0.1:443"),
        ] {
            assert!(
                check(base, &[named]).expect("granted").private,
                "{base} by {named}"
            );
        }
    }

    #[test]
    fn bases_that_carry_more_than_a_place_are_refused() {
        for base in [
            "https://u:p@forge.example",
            "https://forge.example?x=1",
            "https://forge.example#x",
            "ftp://forge.example",
            "",
        ] {
            assert!(check(base, &[]).is_err(), "{base}");
        }
        assert!(!check("https://forge.example/api", &[]).expect("public").private);
    }
}
