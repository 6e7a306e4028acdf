//! The way to a shard, and the rules for trying again.
//!
//! What surely was not done is asked again at once, some times: after a slot moved, a script was unknown, a connection was
//! found broken. What may have been done is asked again only if it changes nothing. The client of the `redis` crate for
//! clusters and its connection manager repeat what may have been done, which a commit must not be; so the way is kept here.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use redis::{Cmd, Pipeline};
use tokio::sync::Mutex;
use tokio::time::Instant;

use super::answer::Answer;
use super::faults::{Failure, Meaning, RedisFault, Refusal};
use super::finding::Finder;
use super::names::{Names, SlotRange};
use super::node::{Node, Place, Ready};
use super::scripts::{Question, load};
use super::settings::RedisAddress;

/// How often one request is tried: a failover shows itself by a broken connection, a replica's refusal and a moved slot.
const TRIES_MAX: usize = 5;
/// How often a cluster is asked for its map at most: while a master is down, every request to it asks.
const LEARN_EVERY: Duration = Duration::from_millis(100);

/// What a request came to that was not answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Unanswered {
    /// Surely nothing was done.
    NotDone(String),
    /// Perhaps it was done.
    Unknown(String),
}

impl Unanswered {
    pub(super) fn into_text(self) -> String {
        match self {
            Self::NotDone(text) | Self::Unknown(text) => text,
        }
    }
}

/// All servers of a store.
#[derive(Debug)]
pub(super) struct Shards {
    pub(super) finder: Arc<Finder>,
    pub(super) names: Names,
    shape: Shape,
}

#[derive(Debug)]
enum Shape {
    One(Arc<Node>),
    Cluster(Cluster),
}

#[derive(Debug, Default)]
struct Cluster {
    map: RwLock<Map>,
    /// One asks for the map at a time. When that was last.
    learning: Mutex<Option<Instant>>,
}

#[derive(Debug, Default)]
struct Map {
    /// By their first slot.
    ranges: BTreeMap<u16, SlotRange>,
    /// Slots that moved since.
    moved: HashMap<u16, RedisAddress>,
    nodes: HashMap<RedisAddress, Arc<Node>>,
    /// How often it was learnt.
    learnt: u64,
}

/// What to do after an attempt.
enum Next {
    Again(String),
    /// It may have been done, and is asked again.
    Repeat(String),
    End(Unanswered),
}

impl Shards {
    /// The servers of a store: those of a cluster, or one.
    pub(super) async fn find(finder: Arc<Finder>, names: Names, clustered: bool) -> Result<Self, RedisFault> {
        let shape = if clustered {
            let cluster = Cluster::default();
            cluster.learn(&finder, 0).await?;
            Shape::Cluster(cluster)
        } else if finder.by_sentinel() {
            Shape::One(Arc::new(Node::new(Place::Sentinel)))
        } else {
            Shape::One(Arc::new(Node::new(Place::Fixed(finder.master().await?))))
        };
        Ok(Self { finder, names, shape })
    }

    /// Asks one shard.
    pub(super) async fn ask(&self, question: Question<'_>) -> Result<Answer, Unanswered> {
        let command = |ready: &Ready| question.command(&ready.digests, &self.names);
        self.carry(question.shard, question.is_repeatable(), command)
            .await
    }

    /// Has a command carried out where a shard is. `repeatable` says whether it may be carried out twice.
    pub(super) async fn carry(
        &self,
        shard: u16,
        repeatable: bool,
        command: impl Fn(&Ready) -> Cmd,
    ) -> Result<Answer, Unanswered> {
        let (mut why, mut repeatable) = (String::new(), repeatable);
        for _ in 0..TRIES_MAX {
            let Some(node) = self.node(shard) else {
                why = self.lost_way(shard).await?;
                continue;
            };
            let ready = match node.ready(&self.finder).await {
                Ok(ready) => ready,
                Err(fault) => {
                    self.found_elsewhere(&fault).await?;
                    why = fault.to_string();
                    continue;
                }
            };
            match ready.link.ask(&command(&ready)).await {
                Ok(value) => return Ok(value),
                Err(failure) => match self.after(failure, &node, &ready, repeatable).await {
                    Next::Again(text) => why = text,
                    // Once: whoever asks has waited for an answer already.
                    Next::Repeat(text) => (why, repeatable) = (text, false),
                    Next::End(unanswered) => return Err(unanswered),
                },
            }
        }
        Err(Unanswered::NotDone(why))
    }

    async fn after(&self, failure: Failure, node: &Node, ready: &Ready, repeatable: bool) -> Next {
        match failure {
            Failure::Unsent(why) => Next::Again(why),
            Failure::Full => Next::End(Unanswered::NotDone(format!(
                "{} has as many requests waiting as may",
                ready.link.address
            ))),
            Failure::Lost(why) if repeatable => Next::Repeat(why),
            Failure::Lost(why) => Next::End(Unanswered::Unknown(why)),
            Failure::Refused(refusal) => self.refused(&refusal, node, ready).await,
        }
    }

    async fn refused(&self, refusal: &Refusal, node: &Node, ready: &Ready) -> Next {
        let said = format!("{}: {}", ready.link.address, refusal.said());
        match refusal.meaning(&ready.link.address) {
            Meaning::NoScript => match load(&ready.link).await {
                Ok(_) => Next::Again(said),
                Err(_) => Next::End(Unanswered::NotDone(said)),
            },
            Meaning::Moved(slot, address) => {
                if let Shape::Cluster(cluster) = &self.shape {
                    cluster.moved(slot, address);
                }
                Next::Again(said)
            }
            Meaning::NoMaster => {
                node.retire();
                Next::Again(said)
            }
            Meaning::NotDone => Next::End(Unanswered::NotDone(said)),
            Meaning::Unclear => Next::End(Unanswered::Unknown(said)),
        }
    }

    /// Asks several shards, in one trip to each node. One whose node cannot be reached, or that moved, is asked by itself.
    pub(super) async fn ask_each(&self, questions: &[Question<'_>]) -> Vec<Result<Answer, Unanswered>> {
        let mut by_node = Vec::<(Option<Arc<Node>>, Vec<usize>)>::new();
        for (index, question) in questions.iter().enumerate() {
            let node = self.node(question.shard);
            let known = by_node.iter_mut().find(|(other, _)| match (other, &node) {
                (Some(other), Some(node)) => Arc::ptr_eq(other, node),
                (None, None) => true,
                (Some(_), None) | (None, Some(_)) => false,
            });
            match known {
                Some((_, indices)) => indices.push(index),
                None => by_node.push((node, vec![index])),
            }
        }
        let trips = by_node
            .into_iter()
            .map(|(node, indices)| self.trip(node, indices, questions));
        let mut answers: Vec<_> = futures_util::future::join_all(trips)
            .await
            .into_iter()
            .flatten()
            .collect();
        answers.sort_by_key(|(index, _)| *index);
        answers.into_iter().map(|(_, answer)| answer).collect()
    }

    async fn trip(
        &self,
        node: Option<Arc<Node>>,
        indices: Vec<usize>,
        questions: &[Question<'_>],
    ) -> Vec<(usize, Result<Answer, Unanswered>)> {
        let together = match node {
            Some(node) => self.together(&node, &indices, questions).await,
            None => Vec::new(),
        };
        let mut together = together.into_iter();
        let mut answers = Vec::with_capacity(indices.len());
        let mut failed = None;
        for index in indices {
            let answer = match (together.next().map(Answer::accepted), &failed) {
                (Some(Ok(answer)), _) => Ok(answer),
                (Some(Err(_)) | None, None) => self.ask(questions[index]).await,
                // Its neighbour, on the same node, was tried as often as may be.
                (Some(Err(_)) | None, Some(unanswered)) => Err(Unanswered::clone(unanswered)),
            };
            if let Err(unanswered) = &answer {
                failed = Some(unanswered.clone());
            }
            answers.push((index, answer));
        }
        answers
    }

    /// The answers of one node, or none if it cannot be asked.
    async fn together(&self, node: &Node, indices: &[usize], questions: &[Question<'_>]) -> Vec<Answer> {
        let Ok(ready) = node.ready(&self.finder).await else {
            return Vec::new();
        };
        let mut all = Pipeline::with_capacity(indices.len());
        for index in indices {
            all.add_command(questions[*index].command(&ready.digests, &self.names));
        }
        ready.link.ask_all(&all, indices.len()).await.unwrap_or_default()
    }

    fn node(&self, shard: u16) -> Option<Arc<Node>> {
        match &self.shape {
            Shape::One(node) => Some(Arc::clone(node)),
            Shape::Cluster(cluster) => cluster.node(Names::slot(shard)),
        }
    }

    /// A slot that no node has: the cluster is asked again, and if nobody knows, that is the end.
    async fn lost_way(&self, shard: u16) -> Result<String, Unanswered> {
        let why = format!("no node has slot {}", Names::slot(shard));
        match &self.shape {
            Shape::One(_) => Err(Unanswered::NotDone(why)),
            Shape::Cluster(cluster) => match cluster.learn(&self.finder, cluster.learnt()).await {
                Ok(true) => Ok(why),
                Ok(false) => Err(Unanswered::NotDone(why)),
                Err(fault) => Err(Unanswered::NotDone(fault.to_string())),
            },
        }
    }

    /// After a node could not be reached: goes on if the cluster says now that others have its slots.
    async fn found_elsewhere(&self, fault: &RedisFault) -> Result<(), Unanswered> {
        let learnt = match &self.shape {
            Shape::One(_) => false,
            Shape::Cluster(cluster) => cluster
                .learn(&self.finder, cluster.learnt())
                .await
                .unwrap_or(false),
        };
        if learnt {
            Ok(())
        } else {
            Err(Unanswered::NotDone(fault.to_string()))
        }
    }

    /// Where somebody listens who wants to hear of everything: a cluster tells all its nodes.
    pub(super) async fn any_master(&self) -> Result<RedisAddress, RedisFault> {
        match &self.shape {
            Shape::One(_) => self.finder.master().await,
            Shape::Cluster(cluster) => {
                let slots = self.finder.slots(cluster.masters()).await?;
                let first = slots.into_iter().next();
                first.map_or_else(
                    || {
                        Err(RedisFault::NoMaster {
                            master: "of a cluster".to_owned(),
                            why: "it has no slots".to_owned(),
                        })
                    },
                    |range| Ok(range.master),
                )
            }
        }
    }
}

impl Cluster {
    /// Learns the map, unless somebody has since `seen`; says whether it changed.
    async fn learn(&self, finder: &Finder, seen: u64) -> Result<bool, RedisFault> {
        let mut last = self.learning.lock().await;
        if self.learnt() != seen {
            return Ok(true);
        }
        if last.is_some_and(|last| last.elapsed() < LEARN_EVERY) {
            return Ok(false);
        }
        *last = Some(Instant::now());
        let slots = finder.slots(self.masters()).await?;
        let ranges: BTreeMap<_, _> = slots.into_iter().map(|range| (range.first, range)).collect();
        let mut map = self.map.write().unwrap_or_else(PoisonError::into_inner);
        let changed = map.ranges != ranges || !map.moved.is_empty();
        if changed {
            map.learnt += 1;
            map.moved.clear();
            // A node that has no slot any more is forgotten, with its connection.
            let masters: Vec<_> = ranges.values().map(|range| range.master.clone()).collect();
            map.nodes.retain(|address, _| masters.contains(address));
            map.ranges = ranges;
        }
        Ok(changed)
    }

    fn learnt(&self) -> u64 {
        self.map.read().unwrap_or_else(PoisonError::into_inner).learnt
    }

    fn masters(&self) -> Vec<RedisAddress> {
        let map = self.map.read().unwrap_or_else(PoisonError::into_inner);
        map.nodes.keys().cloned().collect()
    }

    fn moved(&self, slot: u16, address: RedisAddress) {
        let mut map = self.map.write().unwrap_or_else(PoisonError::into_inner);
        map.moved.insert(slot, address);
    }

    fn node(&self, slot: u16) -> Option<Arc<Node>> {
        let address = {
            let map = self.map.read().unwrap_or_else(PoisonError::into_inner);
            let moved = map.moved.get(&slot);
            let range = map.ranges.range(..=slot).next_back();
            let range = range.map(|(_, range)| range).filter(|range| slot <= range.last);
            let address = moved.or(range.map(|range| &range.master))?;
            if let Some(node) = map.nodes.get(address) {
                return Some(Arc::clone(node));
            }
            address.clone()
        };
        Some(self.at(&address))
    }

    fn at(&self, address: &RedisAddress) -> Arc<Node> {
        let mut map = self.map.write().unwrap_or_else(PoisonError::into_inner);
        let node = map
            .nodes
            .entry(address.clone())
            .or_insert_with(|| Arc::new(Node::new(Place::Fixed(address.clone()))));
        Arc::clone(node)
    }
}
