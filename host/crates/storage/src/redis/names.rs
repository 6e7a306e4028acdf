//! How things are called on the server, and in which slot they lie.
//!
//! The hash tag is the shard's number: all of a shard lies in one slot, on one node, whatever the partition is called. The
//! number of shards is part of every partition's place and never changes.

use ports::documents::Partition;

use super::settings::RedisAddress;

/// How many slots a cluster has.
const SLOTS: u16 = 16_384;

/// The names of a store.
#[derive(Clone, Debug)]
pub(super) struct Names {
    namespace: String,
}

impl Names {
    pub(super) fn new(namespace: &str) -> Self {
        Self {
            namespace: namespace.to_owned(),
        }
    }

    /// The beginning of every key of a shard, and the key of its last version.
    pub(super) fn shard(&self, shard: u16) -> String {
        format!("{}:{{{shard}}}", self.namespace)
    }

    /// What the store keeps about itself: in the first shard.
    pub(super) fn store(&self) -> String {
        format!("{}:store", self.shard(0))
    }

    /// Where wake times are announced.
    pub(super) fn channel(&self) -> String {
        format!("{}:wake", self.namespace)
    }

    /// The slot of a shard.
    pub(super) fn slot(shard: u16) -> u16 {
        slot(shard.to_string().as_bytes())
    }
}

/// The shard of a partition, among `shards`. Never changes: it is where the documents are.
pub(super) fn shard(partition: &Partition, shards: u16) -> u16 {
    // FNV-1a: short, known, and even over names that differ in their last digit.
    let hash = partition.0.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    u16::try_from((hash ^ (hash >> 32)) % u64::from(shards.max(1))).unwrap_or(0)
}

/// The slot of a hash tag: CRC-16/XMODEM modulo the number of slots.
fn slot(tag: &[u8]) -> u16 {
    let crc = tag.iter().fold(0_u16, |crc, byte| {
        (0..8).fold(crc ^ (u16::from(*byte) << 8), |crc, _| {
            let shifted = crc << 1;
            if crc & 0x8000 == 0 {
                shifted
            } else {
                shifted ^ 0x1021
            }
        })
    });
    crc % SLOTS
}

/// A range of slots and the node that has them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SlotRange {
    pub(super) first: u16,
    pub(super) last: u16,
    pub(super) master: RedisAddress,
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn slots_are_those_of_the_cluster_specification() {
        // Its example: CRC16("123456789") is 0x31c3.
        assert_eq!(slot(b"123456789"), 0x31c3);
        assert_eq!(slot(b"foo"), 12182);
    }

    #[test]
    fn a_partition_never_changes_its_shard() {
        let partition = Partition("channel/account/room/thread".to_owned());
        assert_eq!(
            [64, 16, 1].map(|shards| shard(&partition, shards)),
            [PINNED, PINNED % 16, 0]
        );
    }

    /// What the first release gave; another number would lose every document.
    const PINNED: u16 = 63;

    #[test]
    fn partitions_spread_over_the_shards() {
        let mut counts = BTreeMap::<u16, usize>::new();
        for room in 0..6_400 {
            *counts
                .entry(shard(&Partition(format!("c/a/room/{room:07}")), 64))
                .or_default() += 1;
        }
        assert_eq!(counts.len(), 64);
        assert!(
            counts.values().all(|count| (50..200).contains(count)),
            "{counts:?}"
        );
    }
}
