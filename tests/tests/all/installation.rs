//! The secret of the installation: made once, the same for every host of a store, never replaced.

#![expect(clippy::unwrap_used, reason = "this is test code")]

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use engine::{InstallationFault, InstallationSecret, Purpose};
use lifecycle::{Millis, Timestamp};
use ports::documents::{
    Batch, CommitFault, CommitId, Committed, Due, Expect, Key, Partition, Put, ReadFault, Select, Snapshot,
};
use ports::{Documents, Entropy};
use serde_json::Value;
use storage::{ManualClock, MemoryDocuments, WallClock};
use tests::stage;

/// Bytes that count up.
#[derive(Default)]
struct Counting(AtomicU64);

impl Entropy for Counting {
    fn bytes(&self) -> [u8; 16] {
        u128::from(self.0.fetch_add(1, Ordering::Relaxed)).to_be_bytes()
    }
}

/// What happens to the next commit.
enum Disturbance {
    /// Another host makes its secret first.
    Overtaken,
    /// It is applied, and nobody hears of it.
    UnknownApplied,
    /// It is not applied, and nobody knows.
    UnknownLost,
    /// It is surely not written.
    Unavailable,
}

/// A store in memory whose next commits are disturbed.
struct Store {
    memory: MemoryDocuments,
    next: Mutex<Vec<Disturbance>>,
}

impl Store {
    fn new(next: impl IntoIterator<Item = Disturbance>) -> Self {
        let clock = WallClock::Manual(ManualClock::new(Timestamp(1)));
        Self {
            memory: MemoryDocuments::new(clock),
            next: Mutex::new(next.into_iter().collect()),
        }
    }

    async fn key(&self, entropy: &Counting) -> Result<[u8; 32], InstallationFault> {
        let secret = InstallationSecret::load(self, entropy).await?;
        Ok(secret.key(Purpose::ModalLocator))
    }

    async fn document(&self) -> Value {
        let select = vec![Select::Key(Key("secret".to_owned()))];
        let snapshot = self.memory.read(&partition(), select).await.unwrap();
        let document = snapshot.selected.into_iter().flatten().next().unwrap();
        assert_eq!(
            (document.expires, document.wake),
            (None, None),
            "it stays for ever"
        );
        serde_json::from_slice(&document.value).unwrap()
    }

    async fn put(&self, value: &str) {
        let put = Put {
            key: Key("secret".to_owned()),
            expect: Expect::Anything,
            value: value.to_owned().into(),
            expires: None,
            wake: None,
        };
        let batch = Batch {
            id: CommitId(7),
            checks: Vec::new(),
            puts: vec![put],
            deletes: Vec::new(),
            appends: Vec::new(),
        };
        self.memory.commit(&partition(), batch).await.unwrap();
    }
}

fn partition() -> Partition {
    Partition("installation".to_owned())
}

impl Documents for Store {
    async fn read(&self, partition: &Partition, select: Vec<Select>) -> Result<Snapshot, ReadFault> {
        self.memory.read(partition, select).await
    }

    async fn commit(&self, partition: &Partition, batch: Batch) -> Result<Committed, CommitFault> {
        let disturbance = self.next.lock().unwrap().pop();
        let why = || "the test says so".to_owned();
        match disturbance {
            None => self.memory.commit(partition, batch).await,
            Some(Disturbance::Overtaken) => {
                let other = Counting(AtomicU64::new(1_000));
                Box::pin(InstallationSecret::load(&self.memory, &other))
                    .await
                    .unwrap();
                self.memory.commit(partition, batch).await
            }
            Some(Disturbance::UnknownApplied) => {
                self.memory.commit(partition, batch).await?;
                Err(CommitFault::Unknown(why()))
            }
            Some(Disturbance::UnknownLost) => Err(CommitFault::Unknown(why())),
            Some(Disturbance::Unavailable) => Err(CommitFault::Unavailable(why())),
        }
    }

    async fn due(&self, ahead: Millis, max: usize) -> Result<Due, ReadFault> {
        self.memory.due(ahead, max).await
    }
}

#[tokio::test]
async fn every_host_of_a_store_gets_the_same_key_and_another_store_another() {
    let (store, entropy) = (Store::new([]), Counting::default());
    let first = store.key(&entropy).await.unwrap();
    assert_eq!(store.key(&entropy).await.unwrap(), first);
    assert_ne!(Store::new([]).key(&entropy).await.unwrap(), first);
}

#[tokio::test]
async fn a_host_that_was_overtaken_takes_what_is_there() {
    let (store, entropy) = (Store::new([Disturbance::Overtaken]), Counting::default());
    let key = store.key(&entropy).await.unwrap();
    assert_eq!(store.key(&Counting::default()).await.unwrap(), key);
    let other = Store::new([])
        .key(&Counting(AtomicU64::new(1_000)))
        .await
        .unwrap();
    assert_eq!(key, other, "the one of who was first");
}

#[tokio::test]
async fn a_write_whose_outcome_is_unknown_is_looked_for() {
    for disturbance in [Disturbance::UnknownApplied, Disturbance::UnknownLost] {
        let (store, entropy) = (Store::new([disturbance]), Counting::default());
        let key = store.key(&entropy).await.unwrap();
        assert_eq!(store.key(&entropy).await.unwrap(), key);
    }
}

#[tokio::test]
async fn a_store_that_does_not_write_or_never_says_so_is_no_installation() {
    let entropy = Counting::default();
    let fault = Store::new([Disturbance::Unavailable])
        .key(&entropy)
        .await
        .unwrap_err();
    assert!(matches!(fault, InstallationFault::Store(_)), "{fault}");
    let lost = || Disturbance::UnknownLost;
    let fault = Store::new([lost(), lost(), lost()])
        .key(&entropy)
        .await
        .unwrap_err();
    assert!(matches!(fault, InstallationFault::Store(_)), "{fault}");
}

#[tokio::test]
async fn a_secret_that_cannot_be_read_is_neither_used_nor_replaced() {
    for value in [
        r#"{"v":2,"d":{"key":"aa"}}"#,
        r#"{"v":1,"d":{"secret":"aa"}}"#,
        r#"{"v":1,"d":{"secret":"not in hexadecimal"}}"#,
        "garbage",
    ] {
        let store = Store::new([]);
        store.put(value).await;
        let fault = store.key(&Counting::default()).await.unwrap_err();
        assert!(
            matches!(fault, InstallationFault::Unreadable(_)),
            "{value}: {fault}"
        );
        assert!(
            !fault.to_string().contains("not in"),
            "it quotes the secret: {fault}"
        );
    }
}

#[tokio::test]
async fn the_secret_is_stored_as_before_and_never_shown() {
    let (store, entropy) = (Store::new([]), Counting::default());
    let secret = InstallationSecret::load(&store, &entropy).await.unwrap();
    assert_eq!(format!("{secret:?}"), "InstallationSecret([secret])");
    let path = stage::folder("golden").join("installation-secret.json");
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    stage::compare(&path, &expected, &format!("{:#}\n", store.document().await));
    // What locators were signed with before must be what they are verified with now.
    let key: String = secret
        .key(Purpose::ModalLocator)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    assert_eq!(key, KEY);
}

/// HMAC-SHA-256 of `frogbot modal-locator` under that secret, as others compute it.
const KEY: &str = "eec10314de7321914f6244ed4f347d3bf9cc8e8af7b4d5775f54639f621dd477";
