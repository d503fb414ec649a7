//! From a memory bound to a table: how many buckets a block has, and how often they may double.

use super::SeenError;
use super::layout::tag_bits;
use crate::bucket::{BUCKET_BYTES, SLOTS};

/// A full-sized block has from 2^11 to 2^12 buckets, 128 to 256 KiB: small enough to stay in the second-level cache
/// while it is split (well under a millisecond), large enough that the blocks' own bookkeeping is nothing beside them.
const MIN_BLOCK_BUCKETS_LOG2: u32 = 11;

/// Tag bits that doublings must leave: with 16 of them one new key in ten thousand is taken for a repeat, which no table
/// that could still be of use passes (40-bit tags: at 2 TiB).
const MIN_TAG_BITS: u32 = 16;

/// Fewer buckets than the two candidates of a key make no table.
const MIN_BUCKETS: u64 = 2;

/// Bytes kept beside each block: the tick of its last sweep.
const BYTES_BESIDE_BLOCK: u64 = size_of::<i64>() as u64;

/// The dimensions of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Shape {
    /// Buckets in a block (n0).
    pub(super) block_buckets: u32,
    /// Blocks at the bound, a power of two.
    pub(super) max_blocks: u32,
    /// Whether there is a count beside each slot.
    pub(super) counted: bool,
}

impl Shape {
    /// The largest table within `memory` bytes, for the layout with or without a ttl.
    pub(super) fn fit<const EXPIRES: bool>(memory: u64, counted: bool) -> Result<Shape, SeenError> {
        let bucket_bytes = bucket_bytes(counted);
        // One bucket more than used lets the first one start on a cache line.
        let buckets = (memory / bucket_bytes).saturating_sub(1);
        let doublings = (buckets.max(1).ilog2()).saturating_sub(MIN_BLOCK_BUCKETS_LOG2);
        let beside = BYTES_BESIDE_BLOCK << doublings;
        let buckets = (memory.saturating_sub(beside) / bucket_bytes).saturating_sub(1);
        if buckets < MIN_BUCKETS {
            return Err(SeenError::TooSmall { memory, least: (MIN_BUCKETS + 2) * bucket_bytes });
        }
        if doublings + MIN_TAG_BITS > tag_bits::<EXPIRES>() {
            return Err(SeenError::TooLarge { memory });
        }
        let block_buckets = u32::try_from(buckets >> doublings).map_err(|_| SeenError::TooLarge { memory })?;
        Ok(Shape { block_buckets, max_blocks: 1 << doublings, counted })
    }

    /// Slots of one block.
    pub(super) fn block_slots(self) -> u64 {
        u64::from(self.block_buckets) * SLOTS as u64
    }

    /// Bytes of a slot and of the count beside it.
    pub(super) fn slot_bytes(self) -> f64 {
        bucket_bytes(self.counted) as f64 / SLOTS as f64
    }

    /// Bytes in use with `blocks` blocks.
    pub(super) fn bytes(self, blocks: u32) -> u64 {
        let buckets = u64::from(blocks) * u64::from(self.block_buckets) + 1;
        buckets * bucket_bytes(self.counted) + u64::from(self.max_blocks) * BYTES_BESIDE_BLOCK
    }
}

/// Bytes of a bucket and of what is counted beside its slots.
const fn bucket_bytes(counted: bool) -> u64 {
    let counts = if counted { SLOTS * size_of::<u32>() } else { 0 };
    (BUCKET_BYTES + counts) as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn any_bound_is_kept_and_used(memory in 384u64..1 << 41, counted in any::<bool>()) {
            let shape = Shape::fit::<true>(memory, counted).unwrap();
            let bytes = shape.bytes(shape.max_blocks);
            prop_assert!(bytes <= memory);
            // What is left over is less than one more bucket a block, or a thirty-second part of a small table.
            let rest = u64::from(shape.max_blocks + 2) * bucket_bytes(counted);
            prop_assert!(memory - bytes < rest.max(memory / 32), "{bytes} of {memory}");
            prop_assert!(shape.max_blocks == 1 || (2047..4096).contains(&shape.block_buckets), "{shape:?}");
        }
    }

    #[test]
    fn the_ends_are_refused() {
        assert!(matches!(Shape::fit::<true>(0, false), Err(SeenError::TooSmall { least: 256, .. })));
        assert!(matches!(Shape::fit::<true>(191, false), Err(SeenError::TooSmall { .. })));
        assert!(Shape::fit::<true>(256, false).is_ok());
        assert!(matches!(Shape::fit::<true>(u64::MAX, false), Err(SeenError::TooLarge { .. })));
        assert!(matches!(Shape::fit::<true>(1 << 43, false), Err(SeenError::TooLarge { .. })));
        assert!(Shape::fit::<false>(1 << 43, false).is_ok());
    }
}
