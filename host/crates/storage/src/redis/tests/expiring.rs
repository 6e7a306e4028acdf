//! Expiry by the server and by rule.

use lifecycle::{Millis, Timestamp};
use ports::Documents as _;
use ports::documents::{CommitFault, Expect, Put};

use super::super::names::shard;
use super::{eventually, get, here, keys, open, put, puts};
use crate::RedisDocuments;
use crate::servers::RedisServer;

async fn now(documents: &RedisDocuments) -> Timestamp {
    documents.read(&here(), vec![]).await.unwrap().now
}

fn ending(name: &str, expires: Timestamp) -> Put {
    Put {
        expires: Some(expires),
        wake: Some(expires),
        ..put(name, "1")
    }
}

/// How many keys the server has.
fn count(server: &RedisServer) -> u64 {
    redis::from_redis_value(server.ask(&["DBSIZE"])).unwrap()
}

#[tokio::test]
async fn the_server_removes_what_has_lapsed_and_a_look_removes_its_names() {
    let server = RedisServer::start();
    let documents = open(server.settings()).await;
    documents
        .commit(&here(), puts([put("stays", "1")]))
        .await
        .unwrap();
    let before = count(&server);
    let end = now(&documents).await + Millis(30);
    documents
        .commit(&here(), puts([ending("a", end), ending("b", end)]))
        .await
        .unwrap();
    assert!(count(&server) > before);

    eventually("a look purges", async || {
        documents.due(Millis(0), 10).await.unwrap();
        (count(&server) == before).then_some(())
    })
    .await;

    assert_eq!(keys(&documents).await, ["stays"]);
}

#[tokio::test]
async fn the_server_knows_when_a_document_ends() {
    let server = RedisServer::start();
    let documents = open(server.settings()).await;
    let end = now(&documents).await + Millis::days(3);
    documents
        .commit(&here(), puts([ending("a", end), put("b", "1")]))
        .await
        .unwrap();
    let shard = documents.shards.names.shard(shard(&here(), documents.shards()));
    let ends = |name: &str| {
        let key = format!("{shard}:d:4:here{name}");
        redis::from_redis_value::<i64>(server.ask(&["PEXPIRETIME", &key])).unwrap()
    };
    assert_eq!(u64::try_from(ends("a")), Ok(end.0));
    assert_eq!(ends("b"), -1, "without an end");
    documents.commit(&here(), puts([put("a", "2")])).await.unwrap();
    assert_eq!(ends("a"), -1, "a rewrite replaces it");
}

#[tokio::test]
async fn commits_purge_what_has_lapsed() {
    let server = RedisServer::start();
    let documents = open(server.settings()).await;
    documents
        .commit(&here(), puts([put("stays", "0")]))
        .await
        .unwrap();
    let before = count(&server);
    let end = now(&documents).await + Millis(30);
    let lapsing = (0..30).map(|n| ending(&n.to_string(), end));
    documents.commit(&here(), puts(lapsing)).await.unwrap();

    eventually("commits purge", async || {
        documents
            .commit(&here(), puts([put("stays", "1")]))
            .await
            .unwrap();
        (count(&server) == before).then_some(())
    })
    .await;
}

#[tokio::test]
async fn what_the_server_removed_can_be_made_again_and_is_another() {
    let server = RedisServer::start();
    let documents = open(server.settings()).await;
    let end = now(&documents).await + Millis(30);
    let first = documents
        .commit(&here(), puts([ending("a", end)]))
        .await
        .unwrap()
        .versions[0];
    eventually("it lapses", async || {
        get(&documents, "a").await.is_none().then_some(())
    })
    .await;

    let again = Put {
        expect: Expect::Absent,
        ..put("a", "2")
    };
    let second = documents.commit(&here(), puts([again])).await.unwrap().versions[0];

    assert!(second > first, "{second:?} {first:?}");
    let stale = Put {
        expect: Expect::Version(first),
        ..put("a", "3")
    };
    let outcome = documents.commit(&here(), puts([stale])).await;
    assert!(matches!(outcome, Err(CommitFault::Conflict(_))), "{outcome:?}");
    // Nothing of the first one's end is left that could take the second with it.
    documents.advance(Millis::days(1));
    documents.due(Millis(0), 10).await.unwrap();
    assert_eq!(get(&documents, "a").await.unwrap().value, "2");
}

#[tokio::test]
async fn a_document_that_ends_before_it_is_written_is_not_there() {
    let server = RedisServer::start();
    let documents = open(server.settings()).await;
    documents.commit(&here(), puts([put("a", "1")])).await.unwrap();
    let past = Timestamp(now(&documents).await.0 - 1);
    let ended = [ending("a", past), ending("b", past), ending("c", Timestamp(0))];
    documents.commit(&here(), puts(ended)).await.unwrap();
    assert_eq!(keys(&documents).await, [""; 0]);
}

#[tokio::test]
async fn time_does_not_go_back_behind_what_was_read_or_written() {
    let server = RedisServer::start();
    let (one, other) = (open(server.settings()).await, open(server.settings()).await);
    // A server that was a minute ahead: what ended by its clock has ended.
    let end = now(&one).await + Millis::seconds(30);
    one.commit(&here(), puts([ending("a", end)])).await.unwrap();
    one.advance(Millis::minutes(1));
    let written = one.commit(&here(), puts([put("b", "1")])).await.unwrap();

    let read = other.read(&here(), vec![]).await.unwrap();

    assert!(read.now >= written.now, "{read:?} {written:?}");
    assert_eq!(keys(&other).await, ["b"]);
    let later = other.commit(&here(), puts([put("b", "2")])).await.unwrap();
    assert!(later.versions[0] > written.versions[0]);
}

#[tokio::test]
async fn a_clock_that_was_far_ahead_does_not_stop_the_time() {
    let server = RedisServer::start();
    let (one, other) = (open(server.settings()).await, open(server.settings()).await);
    one.advance(Millis::days(365));
    let ahead = one.commit(&here(), puts([put("a", "1")])).await.unwrap();

    let now = now(&other).await;
    let written = other.commit(&here(), puts([put("a", "2")])).await.unwrap();

    assert!(now + Millis::days(300) < ahead.now, "{now:?} {ahead:?}");
    assert!(
        written.versions[0] > ahead.versions[0],
        "versions rise all the same"
    );
}
