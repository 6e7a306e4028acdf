//! The store: documents in memory that a story makes fail, each operation a millisecond long, so that hosts interleave.

use std::sync::{Arc, Weak};
use std::time::Duration;

use lifecycle::Millis;
use ports::Documents;
use ports::documents::{Batch, CommitFault, Committed, Due, Partition, ReadFault, Select, Snapshot};
use storage::MemoryDocuments;

use super::faults::{CommitFails, Moment};
use super::host::{Surroundings, pass};

/// How long an operation takes.
const LATENCY: Duration = Duration::from_millis(1);
/// How long one takes that is slow.
const SLOW: Duration = Duration::from_secs(6);

/// The store as one host sees it.
#[derive(Debug)]
pub(super) struct StageDocuments {
    pub(super) memory: Arc<MemoryDocuments>,
    pub(super) stage: Weak<Surroundings>,
    /// Which host it is that dies at a commit.
    pub(super) host: usize,
}

impl StageDocuments {
    async fn takes_time(&self) -> Option<Arc<Surroundings>> {
        pass(LATENCY).await;
        let stage = self.stage.upgrade()?;
        stage.set_store_clock();
        Some(stage)
    }
}

fn unavailable() -> ReadFault {
    ReadFault("the story says so".to_owned())
}

fn keys(batch: &Batch) -> impl Iterator<Item = &str> + Clone {
    let puts = batch.puts.iter().map(|put| put.key.0.as_str());
    puts.chain(batch.appends.iter().map(|append| append.prefix.as_str()))
}

impl Documents for StageDocuments {
    async fn read(&self, partition: &Partition, select: Vec<Select>) -> Result<Snapshot, ReadFault> {
        let stage = self.takes_time().await.ok_or_else(unavailable)?;
        if stage.faults.next_read() {
            stage.transcript.note("the store cannot be read");
            return Err(unavailable());
        }
        self.memory.read(partition, select).await
    }

    async fn commit(&self, partition: &Partition, batch: Batch) -> Result<Committed, CommitFault> {
        let away = || CommitFault::Unavailable("the story says so".to_owned());
        let stage = self.takes_time().await.ok_or_else(away)?;
        if stage.faults.dies_at_commit(Moment::Before, keys(&batch)) {
            stage
                .die(self.host, &format!("before it writes {}", named(&batch)))
                .await;
        }
        let dies_after = stage.faults.dies_at_commit(Moment::After, keys(&batch));
        let what = named(&batch);
        match stage.faults.next_commit(keys(&batch)) {
            Some(CommitFails::Unavailable) => {
                stage.transcript.note(format!("the store does not write {what}"));
                return Err(away());
            }
            Some(CommitFails::UnknownLost) => {
                stage
                    .transcript
                    .note(format!("the store loses {what}, and nobody knows"));
                return Err(CommitFault::Unknown("the story says so".to_owned()));
            }
            Some(CommitFails::UnknownApplied) => {
                stage
                    .transcript
                    .note(format!("the store writes {what}, and nobody knows"));
                stage.seen.partition(partition);
                self.memory.commit(partition, batch).await?;
                return Err(CommitFault::Unknown("the story says so".to_owned()));
            }
            Some(CommitFails::Slow) => {
                stage
                    .transcript
                    .note(format!("the store takes long to write {what}"));
                pass(SLOW).await;
                stage.set_store_clock();
            }
            None => {}
        }
        stage.seen.partition(partition);
        let committed = self.memory.commit(partition, batch).await;
        if dies_after {
            stage.die(self.host, &format!("after it wrote {what}")).await;
        }
        committed
    }

    async fn due(&self, ahead: Millis, max: usize) -> Result<Due, ReadFault> {
        if let Some(stage) = self.stage.upgrade() {
            stage.set_store_clock();
        }
        self.memory.due(ahead, max).await
    }
}

/// What a batch writes, as a story names it.
fn named(batch: &Batch) -> String {
    let mut kinds: Vec<&str> = keys(batch)
        .map(|key| key.split('/').next().unwrap_or(key))
        .collect();
    kinds.sort_unstable();
    kinds.dedup();
    kinds.join(", ")
}
