//! The host's log, line by line, as it is written.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde_json::Value;
use tokio::io::{AsyncBufReadExt, AsyncRead, BufReader};
use tokio::sync::watch;
use tokio::task::JoinHandle;

/// How many lines are kept; a test that writes more has other troubles.
const LINES_MAX: usize = 200_000;

/// One line.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// As written.
    pub text: String,
    /// As JSON; null when it is none.
    pub json: Value,
}

impl Line {
    /// What the line says happened: its `message`, at the top or among its `fields`.
    pub fn message(&self) -> &str {
        self.field("message").and_then(Value::as_str).unwrap_or_default()
    }

    /// Whether it says that this happened with a field of this value.
    pub fn is(&self, message: &str, field: &str, value: impl Into<Value>) -> bool {
        self.message() == message && self.field(field) == Some(&value.into())
    }

    /// A field, at the top or among `fields`.
    pub fn field(&self, name: &str) -> Option<&Value> {
        self.json
            .get("fields")
            .and_then(|fields| fields.get(name))
            .or_else(|| self.json.get(name))
    }
}

/// The lines so far. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Log(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    lines: Mutex<Vec<Line>>,
    changed: watch::Sender<()>,
}

impl Log {
    pub(crate) fn new() -> Self {
        Self(Arc::new(Shared {
            lines: Mutex::default(),
            changed: watch::Sender::new(()),
        }))
    }

    /// Collects what is written to `stream` until it is closed.
    pub(crate) fn collect(&self, stream: impl AsyncRead + Send + Unpin + 'static) -> JoinHandle<()> {
        let log = self.clone();
        #[expect(
            clippy::disallowed_methods,
            reason = "ends with the process whose output it reads"
        )]
        tokio::spawn(async move {
            let mut lines = BufReader::new(stream).lines();
            while let Ok(Some(text)) = lines.next_line().await {
                log.push(text);
            }
        })
    }

    fn push(&self, text: String) {
        let json = serde_json::from_str(&text).unwrap_or_default();
        let mut lines = self.guard();
        if lines.len() < LINES_MAX {
            lines.push(Line { text, json });
        }
        drop(lines);
        self.0.changed.send_replace(());
    }

    fn guard(&self) -> MutexGuard<'_, Vec<Line>> {
        self.0.lines.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// All lines so far.
    pub fn lines(&self) -> Vec<Line> {
        self.guard().clone()
    }

    /// All lines so far as they were written, for a test that failed.
    pub fn text(&self) -> String {
        let lines = self.guard();
        lines
            .iter()
            .map(|line| line.text.as_str())
            .collect::<Vec<_>>()
            .join("\n")
    }

    /// Waits for a line of which `look` makes something.
    ///
    /// # Errors
    /// None came within `limit`: the whole log.
    pub async fn wait_for<T>(
        &self,
        what: &str,
        limit: Duration,
        look: impl Fn(&Line) -> Option<T>,
    ) -> Result<T, String> {
        self.wait_for_all(what, limit, |lines| lines.iter().find_map(&look))
            .await
    }

    /// Waits until so many cards are on record: posted, and written down as posted. A control that is pressed between the
    /// two is told that the question is still posting.
    ///
    /// # Errors
    /// They were not within `limit`: the whole log.
    pub async fn wait_for_cards(&self, cards: usize, limit: Duration) -> Result<(), String> {
        let on_record = |line: &&Line| {
            let posted = line.is("questions rendered", "posted", true);
            posted || line.is("question advanced", "redrawn", true)
        };
        let enough = |lines: &[Line]| (lines.iter().filter(on_record).count() >= cards).then_some(());
        self.wait_for_all("the cards on record", limit, enough).await
    }

    /// Waits until `look` makes something of the lines so far.
    async fn wait_for_all<T>(
        &self,
        what: &str,
        limit: Duration,
        look: impl Fn(&[Line]) -> Option<T>,
    ) -> Result<T, String> {
        let mut changes = self.0.changed.subscribe();
        let found = async {
            loop {
                changes.borrow_and_update();
                if let Some(found) = look(&self.guard()) {
                    return found;
                }
                if changes.changed().await.is_err() {
                    std::future::pending::<()>().await;
                }
            }
        };
        let found = tokio::time::timeout(limit, found).await;
        found.map_err(|_| format!("waited {limit:?} for {what}; the host wrote:\n{}", self.text()))
    }
}
