//! Several hosts on one store.

use lifecycle::Millis;
use ports::Documents as _;
use ports::documents::{CommitFault, Expect, LOOK_AGAIN, Partition, Put};

use super::{eventually, get, here, open, put, puts};
use crate::RedisSettings;
use crate::servers::RedisServer;

#[tokio::test]
async fn an_earlier_wake_time_of_another_host_nudges() {
    let server = RedisServer::start();
    let (sleeper, writer) = (open(server.settings()).await, open(server.settings()).await);
    let now = sleeper.due(Millis(0), 10).await.unwrap().now;
    let place = Partition("elsewhere".to_owned());
    let waking = |name, seconds| {
        puts([Put {
            wake: Some(now + Millis::seconds(seconds)),
            ..put(name, "1")
        }])
    };

    writer.commit(&place, waking("a", 5)).await.unwrap();
    tokio::time::timeout(std::time::Duration::from_secs(20), sleeper.nudged())
        .await
        .unwrap();

    let due = sleeper.due(Millis(0), 10).await.unwrap();
    assert_eq!(due.next, Some(now + Millis::seconds(5)));
    writer.commit(&place, waking("b", 7)).await.unwrap();
    writer.commit(&place, waking("c", 3)).await.unwrap();
    tokio::time::timeout(std::time::Duration::from_secs(20), sleeper.nudged())
        .await
        .unwrap();
    let due = sleeper.due(Millis(0), 10).await.unwrap();
    assert_eq!(due.next, Some(now + Millis::seconds(3)));
}

#[tokio::test]
async fn a_host_that_was_not_listening_is_nudged_when_it_listens_again() {
    let server = RedisServer::start();
    let sleeper = open(server.settings()).await;
    sleeper.due(Millis(0), 10).await.unwrap();

    server.ask(&["CLIENT", "KILL", "TYPE", "pubsub"]);

    tokio::time::timeout(std::time::Duration::from_secs(20), sleeper.nudged())
        .await
        .unwrap();
}

#[tokio::test]
async fn a_host_that_may_not_listen_looks_all_the_same() {
    let server = RedisServer::start();
    server.ask(&[
        "ACL",
        "SETUSER",
        "deaf",
        "on",
        ">pass",
        "~*",
        "resetchannels",
        "+@all",
    ]);
    let sleeper = open(RedisSettings {
        login: super::source(crate::Login {
            username: Some("deaf".to_owned()),
            password: Some("pass".to_owned()),
        }),
        ..server.settings()
    })
    .await;
    let writer = open(server.settings()).await;
    let now = sleeper.due(Millis(0), 10).await.unwrap().now;
    let waking = |name| {
        puts([Put {
            wake: Some(now),
            ..put(name, "1")
        }])
    };
    writer.commit(&here(), waking("a")).await.unwrap();
    sleeper.commit(&here(), waking("b")).await.unwrap();

    assert_eq!(sleeper.due(Millis(0), 10).await.unwrap().awake.len(), 2);
}

#[tokio::test]
async fn hosts_that_create_a_store_together_agree_on_its_shards() {
    let server = RedisServer::start();
    let with = |shards| RedisSettings {
        shards,
        ..server.settings()
    };
    let (one, other, third) = tokio::join!(open(with(7)), open(with(13)), open(with(64)));
    assert_eq!(one.shards(), other.shards());
    assert_eq!(one.shards(), third.shards());
    one.commit(&here(), puts([put("a", "1")])).await.unwrap();
    assert!(get(&other, "a").await.is_some());

    let later = open(with(99)).await;
    assert_eq!(later.shards(), one.shards(), "the number never changes");
}

#[tokio::test]
async fn one_of_two_hosts_wins() {
    let server = RedisServer::start();
    let (one, other) = (open(server.settings()).await, open(server.settings()).await);
    let place = here();
    for round in 0..20 {
        let name = round.to_string();
        let absent = || {
            puts([Put {
                expect: Expect::Absent,
                ..put(&name, "1")
            }])
        };
        let outcomes = tokio::join!(one.commit(&place, absent()), other.commit(&place, absent()));
        let outcomes = [outcomes.0, outcomes.1];
        assert_eq!(outcomes.iter().filter(|outcome| outcome.is_ok()).count(), 1);
        assert!(
            outcomes
                .iter()
                .any(|outcome| matches!(outcome, Err(CommitFault::Conflict(_))))
        );
    }
}

#[tokio::test]
async fn a_burst_of_one_host_nudges_another_once() {
    let server = RedisServer::start();
    let (sleeper, writer) = (open(server.settings()).await, open(server.settings()).await);
    let now = sleeper.due(Millis(0), 10).await.unwrap().now;
    let before = published(&server);
    for round in 0..20 {
        let wake = Some(now + Millis::seconds(5) + Millis(round));
        let put = Put {
            wake,
            ..put(&round.to_string(), "1")
        };
        writer.commit(&here(), puts([put])).await.unwrap();
    }
    eventually("it is nudged", async || {
        tokio::time::timeout(std::time::Duration::from_millis(1), sleeper.nudged())
            .await
            .ok()
    })
    .await;
    assert_eq!(
        published(&server),
        before + 1,
        "what is later than the earliest is not told"
    );
}

#[tokio::test]
async fn a_wake_time_beyond_the_next_look_is_not_told() {
    let server = RedisServer::start();
    let documents = open(server.settings()).await;
    let now = documents.due(Millis(0), 10).await.unwrap().now;
    let far = Put {
        wake: Some(now + LOOK_AGAIN + Millis::minutes(1)),
        ..put("a", "1")
    };
    documents.commit(&here(), puts([far])).await.unwrap();
    assert_eq!(published(&server), 0);
}

fn published(server: &RedisServer) -> u64 {
    let told = server.ask(&["INFO", "commandstats"]);
    let text: String = redis::from_redis_value(told).unwrap();
    let line = text
        .lines()
        .find_map(|line| line.strip_prefix("cmdstat_publish:calls="));
    line.map_or(0, |line| line.split(',').next().unwrap().parse().unwrap())
}
