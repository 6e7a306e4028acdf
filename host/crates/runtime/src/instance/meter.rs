//! How much memory an instance uses: the sum over all its memories and tables, because a limit on each is no limit.

use wasmtime::ResourceLimiter;

use crate::guard::{Guard, stands};
use crate::limits;

/// What one element of a table takes.
const ELEMENT_BYTES: usize = size_of::<usize>();

/// Counts, and refuses what goes beyond the limit.
#[derive(Debug)]
pub(crate) struct MemoryMeter {
    bytes: usize,
    bytes_max: usize,
    refused: bool,
}

impl MemoryMeter {
    pub(crate) fn new(bytes_max: usize) -> Self {
        Self {
            bytes: 0,
            bytes_max,
            refused: false,
        }
    }

    /// Whether the guest wanted more than it may have.
    pub(crate) fn refused(&self) -> bool {
        self.refused
    }

    /// What it has, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    /// What it may have, in bytes.
    pub(crate) fn bytes_max(&self) -> usize {
        self.bytes_max
    }

    fn grow(&mut self, more: usize) -> bool {
        if !stands(Guard::Memory) {
            return true;
        }
        match self.bytes.checked_add(more) {
            Some(bytes) if bytes <= self.bytes_max => {
                self.bytes = bytes;
                true
            }
            Some(_) | None => {
                self.refused = true;
                false
            }
        }
    }
}

impl ResourceLimiter for MemoryMeter {
    fn memory_growing(
        &mut self,
        current: usize,
        desired: usize,
        _maximum: Option<usize>,
    ) -> wasmtime::Result<bool> {
        Ok(self.grow(desired.saturating_sub(current)))
    }

    /// The pool's slot or the system had less than we allow. What was counted stays counted: the call is over soon.
    fn memory_grow_failed(&mut self, _error: wasmtime::Error) -> wasmtime::Result<()> {
        self.refused = true;
        Ok(())
    }

    fn table_growing(
        &mut self,
        current: usize,
        desired: usize,
        _maximum: Option<usize>,
    ) -> wasmtime::Result<bool> {
        let elements = desired.saturating_sub(current);
        Ok((desired <= limits::TABLE_ELEMENTS_MAX || !stands(Guard::Memory))
            && self.grow(elements.saturating_mul(ELEMENT_BYTES)))
    }

    fn instances(&self) -> usize {
        limit(limits::CORE_INSTANCES_MAX)
    }

    fn tables(&self) -> usize {
        if stands(Guard::InstanceParts) {
            limit(limits::TABLES_MAX)
        } else {
            usize::MAX
        }
    }

    fn memories(&self) -> usize {
        limit(limits::MEMORIES_MAX)
    }
}

fn limit(count: u32) -> usize {
    usize::try_from(count).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memories_and_tables_are_counted_together() {
        let mut meter = MemoryMeter::new(1000);
        assert!(meter.memory_growing(0, 400, None).expect("counted"));
        assert!(meter.memory_growing(0, 400, None).expect("counted"));
        assert!(meter.table_growing(0, 25, None).expect("counted"));
        assert!(!meter.refused());
        assert!(!meter.memory_growing(400, 401, None).expect("counted"));
        assert!(meter.refused());
    }
}
