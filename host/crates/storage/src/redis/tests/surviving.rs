//! Restarts and failovers.

use ports::Documents as _;
use ports::documents::CommitFault;

use super::{all, appends, eventually, get, here, keys, open, put, puts};
use crate::servers::{RedisSentinel, RedisServer, until};

#[tokio::test]
async fn what_was_confirmed_survives_a_kill_of_a_server_that_syncs_always() {
    let mut server = RedisServer::start_with(&["--appendonly", "yes", "--appendfsync", "always"]);
    let documents = open(server.settings()).await;
    let mut versions = Vec::new();
    for round in 0..50 {
        let name = format!("{round:02}");
        versions.extend(
            documents
                .commit(&here(), puts([put(&name, "1")]))
                .await
                .unwrap()
                .versions,
        );
    }
    documents.commit(&here(), appends("list/")).await.unwrap();
    let before = all(&documents).await;

    server.restart();

    let after = eventually("it connects again", async || {
        documents.read(&here(), vec![]).await.ok()?;
        Some(all(&documents).await)
    })
    .await;
    assert_eq!(after, before);
    assert_eq!(
        documents.commit(&here(), appends("list/")).await.unwrap().numbers,
        [2]
    );
    let next = documents
        .commit(&here(), puts([put("00", "2")]))
        .await
        .unwrap()
        .versions[0];
    assert!(versions.iter().all(|version| *version < next));
}

#[tokio::test]
async fn a_failover_by_sentinel_is_followed() {
    let mut servers = RedisSentinel::start();
    let documents = open(servers.settings()).await;
    documents
        .commit(&here(), puts([put("before", "1")]))
        .await
        .unwrap();
    until("the replica has it", || {
        servers.replica.info("master_repl_offset") == servers.master.info("master_repl_offset")
    });

    servers.master.kill();

    eventually("the replica is the master", async || {
        match documents.commit(&here(), puts([put("after", "1")])).await {
            Ok(committed) => Some(committed),
            Err(CommitFault::Unavailable(_) | CommitFault::Unknown(_)) => None,
            Err(fault @ CommitFault::Conflict(_)) => panic!("{fault}"),
        }
    })
    .await;
    assert_eq!(keys(&documents).await, ["after", "before"]);
    assert!(get(&documents, "before").await.is_some());
    // Whoever comes later finds the new master at once.
    assert_eq!(keys(&open(servers.settings()).await).await, ["after", "before"]);
}
