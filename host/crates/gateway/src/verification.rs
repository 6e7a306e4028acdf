//! The recipes: how a platform proves that a request is its own. Over the raw bytes, in constant time, closed on failure.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ed25519_dalek::{Signature, VerifyingKey};
use frogbot_manifest::{Encoding, Replay, Signed, Verification};
use hmac::{Hmac, KeyInit, Mac};
use http::HeaderMap;
use sha2::Sha256;
use subtle::ConstantTimeEq;

/// Why a request is not let in. For the log: it names headers, never values; the sender is told nothing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Refusal {
    #[error("expected one header `{header}`, found {found}")]
    HeaderCount { header: String, found: usize },
    #[error("the header `{0}` is no plain text")]
    HeaderText(String),
    #[error("the header `{0}` is not written as the recipe says")]
    Form(String),
    #[error(
        "signed {seconds_off} s from now, at most {window_s} s are taken; if that is every request, set this machine's clock"
    )]
    Replay { seconds_off: u64, window_s: u64 },
    #[error("the signature does not match; if that is every request, compare the secret with the platform's")]
    Mismatch,
    /// The operator's: the channel is down.
    #[error("the secret is no Ed25519 public key in hex; copy it from the platform again")]
    Key,
}

/// A request as it is verified.
pub(crate) struct Evidence<'a> {
    pub(crate) headers: &'a HeaderMap,
    pub(crate) body: &'a [u8],
    /// Whole seconds since 1970.
    pub(crate) now_s: u64,
}

impl Evidence<'_> {
    /// Whether the request passes `recipe` with `secret`.
    pub(crate) fn passes(&self, recipe: &Verification, secret: &str) -> Result<(), Refusal> {
        match recipe {
            Verification::HmacSha256 {
                header,
                prefix,
                encoding,
                signed,
                replay,
                secret: _,
            } => {
                let signature = self.decoded(header, prefix, *encoding)?;
                self.within(replay.as_ref())?;
                // HMAC takes keys of every length.
                let mut mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).map_err(|_| Refusal::Key)?;
                self.each_signed(signed, |bytes| mac.update(bytes))?;
                mac.verify_slice(&signature).map_err(|_| Refusal::Mismatch)
            }
            Verification::Ed25519 {
                header,
                signed,
                replay,
                key: _,
            } => {
                let signature = self.decoded(header, "", Encoding::Hex)?;
                let signature =
                    Signature::from_slice(&signature).map_err(|_| Refusal::Form(header.clone()))?;
                self.within(replay.as_ref())?;
                let mut message = Vec::new();
                self.each_signed(signed, |bytes| message.extend_from_slice(bytes))?;
                // Strict: a key of small order would take one signature for every message.
                key(secret)?
                    .verify_strict(&message, &signature)
                    .map_err(|_| Refusal::Mismatch)
            }
            Verification::SharedSecret {
                header,
                prefix,
                secret: _,
            } => {
                let given = self.stripped(header, prefix)?;
                if bool::from(given.as_bytes().ct_eq(secret.as_bytes())) {
                    Ok(())
                } else {
                    Err(Refusal::Mismatch)
                }
            }
        }
    }

    /// The value of a header that must be there once: two could be read differently by whoever signed and by us.
    fn only(&self, header: &str) -> Result<&str, Refusal> {
        let mut values = self.headers.get_all(header).iter();
        let (Some(value), None) = (values.next(), values.next()) else {
            let found = self.headers.get_all(header).iter().count();
            return Err(Refusal::HeaderCount {
                header: header.to_owned(),
                found,
            });
        };
        value.to_str().map_err(|_| Refusal::HeaderText(header.to_owned()))
    }

    fn stripped(&self, header: &str, prefix: &str) -> Result<&str, Refusal> {
        self.only(header)?
            .strip_prefix(prefix)
            .ok_or_else(|| Refusal::Form(header.to_owned()))
    }

    fn decoded(&self, header: &str, prefix: &str, encoding: Encoding) -> Result<Vec<u8>, Refusal> {
        let text = self.stripped(header, prefix)?;
        let form = || Refusal::Form(header.to_owned());
        match encoding {
            Encoding::Hex => hex::decode(text).map_err(|_| form()),
            Encoding::Base64 => STANDARD.decode(text).map_err(|_| form()),
        }
    }

    fn within(&self, replay: Option<&Replay>) -> Result<(), Refusal> {
        let Some(Replay { header, window_s }) = replay else {
            return Ok(());
        };
        let text = self.only(header)?;
        // `parse` takes a leading `+`, which no platform writes.
        if !text.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(Refusal::Form(header.clone()));
        }
        let signed_s: u64 = text.parse().map_err(|_| Refusal::Form(header.clone()))?;
        let seconds_off = signed_s.abs_diff(self.now_s);
        if seconds_off > *window_s {
            return Err(Refusal::Replay {
                seconds_off,
                window_s: *window_s,
            });
        }
        Ok(())
    }

    fn each_signed(&self, signed: &[Signed], mut take: impl FnMut(&[u8])) -> Result<(), Refusal> {
        for piece in signed {
            match piece {
                Signed::Text(text) => take(text.as_bytes()),
                Signed::Header(header) => take(self.only(header)?.as_bytes()),
                Signed::Body => take(self.body),
            }
        }
        Ok(())
    }
}

fn key(secret: &str) -> Result<VerifyingKey, Refusal> {
    let mut bytes = [0; 32];
    hex::decode_to_slice(secret, &mut bytes).map_err(|_| Refusal::Key)?;
    VerifyingKey::from_bytes(&bytes).map_err(|_| Refusal::Key)
}

#[cfg(test)]
mod tests;
