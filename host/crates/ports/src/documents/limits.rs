//! The bounds that every store keeps, in one place, so that no batch passes on one store and is refused by another.

use std::collections::HashSet;

use lifecycle::Timestamp;

use super::{
    Append, BATCH_MAX, Batch, Key, NAME_BYTES_MAX, Partition, SELECTIONS_MAX, Select, TIME_MAX,
    VALUE_BYTES_MAX,
};

/// The digits of an append's number in its key.
const NUMBER_DIGITS: usize = 20;

/// A request that no store carries out: a mistake of the caller. The texts name keys by their length only.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OutOfBounds {
    /// A partition, key, or prefix is too long.
    #[error("a name has {found} bytes, at most {NAME_BYTES_MAX} are allowed")]
    Name {
        /// Its length, an append's number included.
        found: usize,
    },
    /// A value is too large.
    #[error("a value has {found} bytes, at most {VALUE_BYTES_MAX} are allowed")]
    Value {
        /// Its length.
        found: usize,
    },
    /// Too many writes and checks.
    #[error("a batch has {found} writes and checks, at most {BATCH_MAX} are allowed")]
    Batch {
        /// How many.
        found: usize,
    },
    /// Too many selections.
    #[error("a read has {found} selections, at most {SELECTIONS_MAX} are allowed")]
    Selections {
        /// How many.
        found: usize,
    },
    /// A key occurs twice, so that it is not said which of the two holds.
    #[error("a key occurs twice in one batch; put its check on the write itself")]
    Twice,
    /// An expiry or wake time that a store cannot hold exactly.
    #[error("a time of {found} ms is later than {} ms; leave it out where it means never", TIME_MAX.0)]
    Time {
        /// The time, in milliseconds since 1970.
        found: u64,
    },
}

impl Batch {
    /// Whether a store carries this batch out at all.
    ///
    /// # Errors
    /// The first bound that it breaks.
    pub fn within_bounds(&self, partition: &Partition) -> Result<(), OutOfBounds> {
        let found = self.checks.len() + self.puts.len() + self.deletes.len() + self.appends.len();
        if found > BATCH_MAX {
            return Err(OutOfBounds::Batch { found });
        }
        name(partition.0.len())?;
        let mut seen = HashSet::with_capacity(found);
        for key in self.named() {
            name(key.0.len())?;
            if !seen.insert(key) {
                return Err(OutOfBounds::Twice);
            }
        }
        for put in &self.puts {
            content(put.value.len(), [put.expires, put.wake])?;
        }
        for Append {
            prefix,
            value,
            expires,
            wake,
        } in &self.appends
        {
            name(prefix.len() + NUMBER_DIGITS)?;
            content(value.len(), [*expires, *wake])?;
        }
        Ok(())
    }

    /// Every key that the batch names: what it checks, writes and deletes, without what it appends.
    pub fn named(&self) -> impl Iterator<Item = &Key> {
        let unwritten = self.checks.iter().chain(&self.deletes).map(|(key, _)| key);
        unwritten.chain(self.puts.iter().map(|put| &put.key))
    }
}

impl Append {
    /// The key of the document that gets `number`.
    pub fn key(&self, number: u64) -> Key {
        Key(format!("{}{number:0NUMBER_DIGITS$}", self.prefix))
    }
}

impl Select {
    /// Whether a store carries these selections out at all.
    ///
    /// # Errors
    /// The first bound that they break.
    pub fn within_bounds(partition: &Partition, select: &[Self]) -> Result<(), OutOfBounds> {
        if select.len() > SELECTIONS_MAX {
            return Err(OutOfBounds::Selections { found: select.len() });
        }
        name(partition.0.len())?;
        select.iter().try_for_each(|one| match one {
            Self::Key(key) => name(key.0.len()),
            Self::Prefix { prefix, .. } => name(prefix.len()),
        })
    }
}

fn name(found: usize) -> Result<(), OutOfBounds> {
    if found > NAME_BYTES_MAX {
        Err(OutOfBounds::Name { found })
    } else {
        Ok(())
    }
}

fn content(found: usize, times: [Option<Timestamp>; 2]) -> Result<(), OutOfBounds> {
    if found > VALUE_BYTES_MAX {
        return Err(OutOfBounds::Value { found });
    }
    match times.into_iter().flatten().max() {
        Some(time) if time > TIME_MAX => Err(OutOfBounds::Time { found: time.0 }),
        Some(_) | None => Ok(()),
    }
}
