//! What belongs to the installation, all hosts of a store and all their restarts: its secret.
//!
//! It is made once, by whichever host comes first, and is never shown. Nothing uses it as it is: every purpose has a key of
//! its own, derived from it, so that what is signed for one is worth nothing for another.

use std::fmt;

use hmac::{Hmac, KeyInit, Mac};
use ports::documents::{Batch, CommitFault, CommitId, Expect, Key, Partition, Put, Select};
use ports::{Documents, Entropy};
use serde::{Deserialize, Serialize};
use sha2::Sha256;

use crate::stored::{Mirror, Undecodable, decode, encode};

/// The partition of the installation.
const PARTITION: &str = "installation";
/// The document of the secret.
const SECRET: &str = "secret";
/// How long the secret is: the output of the hash that it is used with.
const BYTES: usize = 32;
/// How often the secret is looked for and, where there is none, made: once, once more when another host was faster or
/// the outcome of the write is not known, and once for a store that is slow to agree with itself.
const TRIES_MAX: u32 = 3;

/// The secret of the installation.
#[derive(Clone, PartialEq, Eq)]
pub struct InstallationSecret([u8; BYTES]);

/// What a key is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// Authenticating the locators of forms.
    ModalLocator,
    /// Authenticating compiled code that is kept in files.
    CompiledCode,
}

/// Why there is no secret. The host cannot begin.
#[derive(Debug, thiserror::Error)]
pub enum InstallationFault {
    /// The store.
    #[error("{0}")]
    Store(String),
    /// It is there and cannot be read.
    #[error(
        "the installation's secret in the store cannot be read ({0}); restore it from a backup, or start the host that wrote it"
    )]
    Unreadable(String),
}

impl InstallationSecret {
    /// Reads the secret; makes it when there is none yet. Hosts that start at the same time on one store get the same one.
    ///
    /// # Errors
    /// The store fails, or holds what is no secret.
    pub async fn load(documents: &impl Documents, entropy: &impl Entropy) -> Result<Self, InstallationFault> {
        let mut last = "it was neither found nor made".to_owned();
        for _ in 0..TRIES_MAX {
            if let Some(found) = read(documents).await? {
                return Ok(found);
            }
            match make(documents, entropy).await? {
                Ok(made) => return Ok(made),
                Err(reason) => last = reason,
            }
        }
        Err(InstallationFault::Store(last))
    }

    /// One that ends with this process, for what touches no store.
    pub fn passing(entropy: &impl Entropy) -> Self {
        let mut bytes = [0; BYTES];
        let halves = bytes.chunks_exact_mut(BYTES / 2);
        halves.for_each(|half| half.copy_from_slice(&entropy.bytes()));
        Self(bytes)
    }

    /// The key for one purpose.
    pub fn key(&self, purpose: Purpose) -> [u8; BYTES] {
        let name: &[u8] = match purpose {
            Purpose::ModalLocator => b"frogbot modal-locator",
            Purpose::CompiledCode => b"frogbot compiled-code",
        };
        let mut block = hmac::digest::Key::<Hmac<Sha256>>::default();
        block.iter_mut().zip(self.0).for_each(|(to, from)| *to = from);
        let mut mac = Hmac::<Sha256>::new(&block);
        mac.update(name);
        mac.finalize().into_bytes().into()
    }
}

impl fmt::Debug for InstallationSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("InstallationSecret([secret])")
    }
}

async fn read(documents: &impl Documents) -> Result<Option<InstallationSecret>, InstallationFault> {
    let select = vec![Select::Key(Key(SECRET.to_owned()))];
    let snapshot = documents
        .read(&Partition(PARTITION.to_owned()), select)
        .await
        .map_err(|fault| InstallationFault::Store(fault.to_string()))?;
    let document = snapshot.selected.into_iter().flatten().next();
    let unreadable = |error: Undecodable| InstallationFault::Unreadable(error.to_string());
    document
        .map(|document| {
            let text = decode::<String, StoredSecret>(SECRET, &document.value).map_err(unreadable)?;
            let mut bytes = [0; BYTES];
            hex::decode_to_slice(text, &mut bytes).map_err(|_| {
                InstallationFault::Unreadable(format!("expected {BYTES} bytes in hexadecimal"))
            })?;
            Ok(InstallationSecret(bytes))
        })
        .transpose()
}

/// Makes the secret. The inner error is why it has to be read again: somebody may have been faster, or nobody knows.
async fn make(
    documents: &impl Documents,
    entropy: &impl Entropy,
) -> Result<Result<InstallationSecret, String>, InstallationFault> {
    let secret = InstallationSecret::passing(entropy);
    let value = encode::<String, StoredSecret>(SECRET, &hex::encode(secret.0))
        .map_err(|error| InstallationFault::Unreadable(error.to_string()))?;
    let put = Put {
        key: Key(SECRET.to_owned()),
        expect: Expect::Absent,
        value,
        expires: None,
        wake: None,
    };
    let batch = Batch {
        id: CommitId(u128::from_be_bytes(entropy.bytes())),
        checks: Vec::new(),
        puts: vec![put],
        deletes: Vec::new(),
        appends: Vec::new(),
    };
    match documents.commit(&Partition(PARTITION.to_owned()), batch).await {
        Ok(_) => Ok(Ok(secret)),
        Err(CommitFault::Conflict(_)) => Ok(Err("another host made it".to_owned())),
        // Whether this one is there or another: the next look says so.
        Err(CommitFault::Unknown(reason)) => Ok(Err(reason)),
        Err(CommitFault::Unavailable(reason)) => Err(InstallationFault::Store(reason)),
    }
}

/// The secret in hexadecimal.
#[derive(Serialize, Deserialize)]
struct StoredSecret {
    secret: String,
}

impl Mirror<String> for StoredSecret {
    fn of(domain: &String) -> Self {
        Self {
            secret: domain.clone(),
        }
    }

    fn into_domain(self) -> String {
        self.secret
    }
}
