//! A cluster of three.

use lifecycle::Millis;
use ports::Documents as _;
use ports::contract::documents::Fixture;
use ports::documents::Partition;

use super::super::names::{Names, shard};
use super::{apart, get, here, open, put, puts, unavailable};
use crate::servers::{RedisCluster, RedisServer};
use crate::{RedisDocuments, RedisFault, RedisOpenFault, RedisSettings};

/// A store of its own on one cluster.
struct OnCluster(RedisDocuments);

impl Fixture for OnCluster {
    type Store = RedisDocuments;

    fn store(&self) -> &RedisDocuments {
        &self.0
    }

    fn advance(&self, length: Millis) {
        self.0.advance(length);
    }
}

ports::documents_contract!(together on RedisCluster::start() => async |cluster: &RedisCluster| {
    OnCluster(open(apart(cluster.settings())).await)
});

/// The node that has a slot.
fn owner(slot: u16) -> usize {
    usize::from(slot / 5_461).min(2)
}

#[tokio::test]
async fn a_shard_that_moves_is_out_of_reach_until_it_has_arrived_and_nothing_of_it_is_lost() {
    let cluster = RedisCluster::start();
    let documents = open(cluster.settings()).await;
    let names: Vec<String> = (0..20).map(|n| n.to_string()).collect();
    documents
        .commit(&here(), puts(names.iter().map(|name| put(name, "1"))))
        .await
        .unwrap();
    let slot = Names::slot(shard(&here(), documents.shards()));
    let from = owner(slot);
    let to = (from + 1) % 3;
    let (from, to) = (&cluster.nodes[from], &cluster.nodes[to]);
    let [from_id, to_id] = [from, to].map(|node| text(node, &["CLUSTER", "MYID"]));
    let number = slot.to_string();

    to.ask(&["CLUSTER", "SETSLOT", &number, "IMPORTING", &from_id]);
    from.ask(&["CLUSTER", "SETSLOT", &number, "MIGRATING", &to_id]);
    let keys: Vec<String> =
        redis::from_redis_value(from.ask(&["CLUSTER", "GETKEYSINSLOT", &number, "1000"])).unwrap();
    for key in keys {
        // At every moment some of it is there and some here; neither half is taken for the whole.
        match documents.read(&here(), vec![everything()]).await {
            Ok(snapshot) => assert_eq!(snapshot.selected[0].len(), 20),
            Err(_) => {
                unavailable(documents.commit(&here(), puts([put("new", "1")])).await);
            }
        }
        let port = to.address().port.to_string();
        from.ask(&["MIGRATE", "127.0.0.1", &port, &key, "0", "5000"]);
    }
    unavailable(documents.commit(&here(), puts([put("new", "1")])).await);
    for node in [to, from] {
        node.ask(&["CLUSTER", "SETSLOT", &number, "NODE", &to_id]);
    }

    let found = documents.read(&here(), vec![everything()]).await.unwrap();
    assert_eq!(found.selected[0].len(), 20);
    documents.commit(&here(), puts([put("new", "1")])).await.unwrap();
    assert!(get(&documents, "new").await.is_some());
    assert!(documents.due(Millis(0), 10).await.is_ok());
}

#[tokio::test]
async fn while_a_node_is_down_the_shards_of_the_others_go_on() {
    let mut cluster = RedisCluster::start();
    for node in &cluster.nodes {
        node.ask(&["CONFIG", "SET", "cluster-require-full-coverage", "no"]);
    }
    let documents = open(cluster.settings()).await;
    let place = |n: usize| Partition(n.to_string());
    for n in 0..30 {
        let put = ports::documents::Put {
            wake: Some(lifecycle::Timestamp(1)),
            ..put("a", "1")
        };
        documents.commit(&place(n), puts([put])).await.unwrap();
    }
    assert_eq!(documents.due(Millis(0), 100).await.unwrap().awake.len(), 30);

    cluster.nodes[0].kill();

    let lost = (0..30).filter(|n| owner(Names::slot(shard(&place(*n), documents.shards()))) == 0);
    let lost: Vec<usize> = lost.collect();
    assert!(!lost.is_empty() && lost.len() < 30);
    let due = documents.due(Millis(0), 100).await.unwrap();
    assert_eq!(due.awake.len(), 30 - lost.len());
    assert!(
        due.next.is_some_and(|next| next <= due.now + Millis::seconds(1)),
        "it looks again soon"
    );
    for n in 0..30 {
        let outcome = documents.commit(&place(n), puts([put("b", "1")])).await;
        assert_eq!(outcome.is_ok(), !lost.contains(&n), "{n}: {outcome:?}");
    }
}

#[tokio::test]
async fn a_wake_time_on_any_node_nudges() {
    let cluster = RedisCluster::start();
    let (sleeper, writer) = (open(cluster.settings()).await, open(cluster.settings()).await);
    for node in 0..3 {
        let on_it = |place: &Partition| owner(Names::slot(shard(place, writer.shards()))) == node;
        let places = (0..1_000).map(|n| Partition(n.to_string()));
        let place = places.into_iter().find(on_it).unwrap();
        let now = sleeper.due(Millis(0), 10).await.unwrap().now;
        let put = ports::documents::Put {
            wake: Some(now),
            ..put("a", "1")
        };
        writer.commit(&place, puts([put])).await.unwrap();
        let nudged = tokio::time::timeout(std::time::Duration::from_secs(20), sleeper.nudged());
        assert!(nudged.await.is_ok(), "node {node}");
        assert_eq!(sleeper.due(Millis(0), 10).await.unwrap().awake.len(), node + 1);
    }
}

#[tokio::test]
async fn a_cluster_has_one_database() {
    let server = RedisServer::start_with(&["--cluster-enabled", "yes", "--cluster-port", RedisServer::PORT]);
    let refused = RedisDocuments::open(RedisSettings {
        database: 2,
        ..server.settings()
    })
    .await;
    assert!(
        matches!(refused, Err(RedisOpenFault::Server(RedisFault::Database { .. }))),
        "{refused:?}"
    );
    let empty = RedisDocuments::open(server.settings()).await;
    assert!(matches!(empty, Err(RedisOpenFault::Server(_))), "{empty:?}");
}

fn everything() -> ports::documents::Select {
    ports::documents::Select::Prefix {
        prefix: String::new(),
        order: ports::documents::Order::Ascending,
        limit: usize::MAX,
    }
}

fn text(node: &RedisServer, command: &[&str]) -> String {
    redis::from_redis_value(node.ask(command)).unwrap()
}
