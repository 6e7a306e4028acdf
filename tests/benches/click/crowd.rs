//! Many open questions in the store: the documents of one asked conversation, copied to as many others.

use futures_util::future::join_all;
use ports::Documents;
use ports::documents::{Batch, CommitId, Document, Expect, Order, Partition, Put, Select};

use crate::at_once::{Bench, address};

/// How many conversations are written at once; the store commits them in groups.
const AT_ONCE: u64 = 500;

/// Opens `count` questions, each in a conversation of its own.
pub(crate) async fn open_questions(bench: &Bench, count: u64) {
    bench.ask("template").await;
    let template = documents(bench).await;
    let mut next = 0;
    while next < count {
        let until = (next + AT_ONCE).min(count);
        let commits = (next..until).map(|number| {
            let puts = template.iter().map(|document| Put {
                key: document.key.clone(),
                expect: Expect::Absent,
                value: document.value.clone(),
                expires: document.expires,
                wake: None,
            });
            let batch = Batch {
                id: CommitId(u128::from(number) << 64),
                checks: Vec::new(),
                puts: puts.collect(),
                deletes: Vec::new(),
                appends: Vec::new(),
            };
            let partition = Partition(format!(
                "conversation/forum/{:032x}",
                u128::from(number).wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835)
            ));
            async move {
                bench
                    .documents
                    .sqlite
                    .commit(&partition, batch)
                    .await
                    .expect("written")
            }
        });
        join_all(commits).await;
        next = until;
    }
}

async fn documents(bench: &Bench) -> Vec<Document> {
    let due = Select::Prefix {
        prefix: String::new(),
        order: Order::Ascending,
        limit: 100,
    };
    let partition = address("template").partition();
    let snapshot = bench
        .documents
        .sqlite
        .read(&partition, vec![due])
        .await
        .expect("a snapshot");
    snapshot.selected.into_iter().flatten().collect()
}
