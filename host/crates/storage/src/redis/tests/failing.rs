//! What is told of a commit when the network or the server fails.

use std::time::Duration;

use ports::Documents as _;
use ports::documents::CommitFault;

use super::proxy::{Network, Proxy};
use super::{all, appends, eventually, get, here, keys, open, put, puts, unavailable, unknown};
use crate::RedisSettings;
use crate::servers::RedisServer;

#[tokio::test]
async fn an_answer_that_is_lost_leaves_a_commit_unknown_and_a_read_settles_it() {
    let server = RedisServer::start();
    let proxy = Proxy::before(server.address()).await;
    let documents = open(proxy.settings()).await;
    let batch = puts([put("a", "1")]);
    let id = batch.id;

    proxy.is_now(Network::CutsAnswers);
    unknown(documents.commit(&here(), batch).await);

    assert_eq!(get(&documents, "a").await.unwrap().commit, id, "it was applied");
    documents.commit(&here(), appends("list/")).await.unwrap();
    assert_eq!(keys(&documents).await, ["a", "list/00000000000000000001"]);
}

#[tokio::test]
async fn a_request_that_is_lost_leaves_a_commit_unknown_and_it_is_not_repeated() {
    let server = RedisServer::start();
    let proxy = Proxy::before(server.address()).await;
    let documents = open(proxy.settings()).await;

    proxy.is_now(Network::CutsRequests);
    unknown(documents.commit(&here(), appends("list/")).await);

    assert_eq!(keys(&documents).await, [""; 0], "nobody sent it again");
}

#[tokio::test]
async fn a_read_is_repeated_on_another_connection() {
    let server = RedisServer::start();
    let proxy = Proxy::before(server.address()).await;
    let documents = open(proxy.settings()).await;
    documents.commit(&here(), puts([put("a", "1")])).await.unwrap();

    for network in [Network::CutsRequests, Network::CutsAnswers] {
        proxy.is_now(network);
        assert_eq!(keys(&documents).await, ["a"], "{network:?}");
    }
}

#[tokio::test]
async fn an_answer_that_does_not_come_leaves_a_commit_unknown() {
    let server = RedisServer::start();
    let proxy = Proxy::before(server.address()).await;
    let documents = open(RedisSettings {
        answer_within: Duration::from_millis(200),
        connect_within: Duration::from_millis(200),
        ..proxy.settings()
    })
    .await;

    proxy.is_now(Network::SwallowsAnswers);
    let why = unknown(documents.commit(&here(), puts([put("a", "1")])).await);

    assert!(why.contains("within 200 ms"), "{why}");
    let why = unavailable(documents.commit(&here(), puts([put("b", "1")])).await);
    assert!(
        why.contains("cannot reach") && why.contains("within 200 ms"),
        "{why}"
    );
    proxy.is_now(Network::Passes);
    let keys = eventually("it connects again", async || {
        documents.read(&here(), vec![]).await.ok()?;
        Some(keys(&documents).await)
    });
    assert_eq!(keys.await, ["a"]);
}

#[tokio::test]
async fn a_server_that_is_gone_makes_commits_unavailable_until_it_is_back() {
    let mut server = RedisServer::start();
    let documents = open(server.settings()).await;
    server.kill();
    eventually("the end of the connection is seen", async || {
        documents.read(&here(), vec![]).await.err()
    })
    .await;

    for _ in 0..3 {
        let why = unavailable(documents.commit(&here(), puts([put("a", "1")])).await);
        assert!(why.contains("cannot reach 127.0.0.1"), "{why}");
    }
    assert!(documents.due(lifecycle::Millis(0), 10).await.is_err());

    server.restart();
    eventually("it connects again", async || {
        documents.commit(&here(), puts([put("b", "1")])).await.ok()
    })
    .await;
    assert_eq!(keys(&documents).await, ["b"]);
}

#[tokio::test]
async fn a_full_memory_is_unavailable_and_reads_go_on() {
    let server = RedisServer::start();
    let documents = open(server.settings()).await;
    documents.commit(&here(), puts([put("a", "1")])).await.unwrap();

    server.ask(&["CONFIG", "SET", "maxmemory", "1"]);
    let why = unavailable(documents.commit(&here(), puts([put("a", "2")])).await);

    assert!(why.contains("raise maxmemory"), "{why}");
    assert_eq!(get(&documents, "a").await.unwrap().value, "1");
    server.ask(&["CONFIG", "SET", "maxmemory", "0"]);
    documents.commit(&here(), puts([put("a", "2")])).await.unwrap();
}

#[tokio::test]
async fn a_server_that_became_a_replica_is_unavailable() {
    let (server, other) = (RedisServer::start(), RedisServer::start());
    let documents = open(server.settings()).await;

    server.ask(&["REPLICAOF", "127.0.0.1", &other.address().port.to_string()]);
    let why = unavailable(documents.commit(&here(), puts([put("a", "1")])).await);

    assert!(why.contains("is a replica of 127.0.0.1"), "{why}");
}

#[tokio::test]
async fn too_few_replicas_are_unavailable() {
    let server = RedisServer::start();
    let documents = open(server.settings()).await;

    server.ask(&["CONFIG", "SET", "min-replicas-to-write", "1"]);
    let why = unavailable(documents.commit(&here(), puts([put("a", "1")])).await);

    assert!(why.contains("NOREPLICAS"), "{why}");
    assert_eq!(keys(&documents).await, [""; 0]);
}

#[tokio::test]
async fn scripts_that_the_server_forgot_are_given_to_it_again() {
    let server = RedisServer::start();
    let documents = open(server.settings()).await;

    for round in ["1", "2"] {
        server.ask(&["SCRIPT", "FLUSH"]);
        documents.commit(&here(), puts([put("a", round)])).await.unwrap();
        server.ask(&["SCRIPT", "FLUSH"]);
        assert_eq!(all(&documents).await.len(), 1);
        server.ask(&["SCRIPT", "FLUSH"]);
        documents.due(lifecycle::Millis(0), 10).await.unwrap();
    }
}

#[tokio::test]
async fn keys_of_another_program_are_an_unknown_outcome_and_no_crash() {
    let server = RedisServer::start();
    let documents = open(server.settings()).await;
    let shard = documents
        .shards
        .names
        .shard(super::super::names::shard(&here(), documents.shards()));
    server.ask(&["SET", &format!("{shard}:k:here"), "theirs"]);

    let outcome = documents.commit(&here(), puts([put("a", "1")])).await;

    assert!(matches!(outcome, Err(CommitFault::Unknown(_))), "{outcome:?}");
    assert!(
        documents
            .read(
                &here(),
                vec![ports::documents::Select::Prefix {
                    prefix: String::new(),
                    order: ports::documents::Order::Ascending,
                    limit: 1,
                }]
            )
            .await
            .is_err()
    );
}
