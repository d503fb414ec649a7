//! The buckets, and beside them, where it was asked for, a count for each slot that goes wherever the slot's key goes.

use crate::bucket::{Bucket, Buckets, SLOTS};

/// The memory of a table.
#[derive(Debug)]
pub(super) struct Memory {
    buckets: Buckets,
    /// Repeats of each slot's key since it was last new; empty where nobody counts.
    counts: Vec<u32>,
}

/// A slot: its bucket, and its number there.
pub(super) type At = (usize, usize);

/// The memory of a table while it is worked on.
pub(super) struct Slots<'a> {
    pub(super) buckets: &'a mut [Bucket],
    counts: &'a mut [u32],
    /// Counts that went with keys that were forgotten.
    pub(super) lost: u64,
}

impl Memory {
    pub(super) fn reserve(buckets: usize, counted: bool) -> Option<Memory> {
        let counts = if counted { buckets * SLOTS } else { 0 };
        let counts = bytemuck::allocation::try_zeroed_vec(counts).ok()?;
        Some(Memory { buckets: Buckets::reserve(buckets)?, counts })
    }

    pub(super) fn counts(&self) -> bool {
        !self.counts.is_empty()
    }

    #[inline(always)]
    pub(super) fn buckets(&self) -> &[Bucket] {
        self.buckets.as_slice()
    }

    #[inline(always)]
    pub(super) fn slots(&mut self) -> Slots<'_> {
        Slots { buckets: self.buckets.as_mut_slice(), counts: &mut self.counts, lost: 0 }
    }
}

impl Slots<'_> {
    /// The count of a slot, where there are counts.
    #[inline(always)]
    pub(super) fn count(&mut self, (bucket, slot): At) -> Option<&mut u32> {
        self.counts.get_mut(bucket * SLOTS + slot)
    }

    #[inline(always)]
    pub(super) fn word(&self, (bucket, slot): At) -> u64 {
        self.buckets[bucket].0[slot]
    }

    #[inline(always)]
    pub(super) fn set(&mut self, (bucket, slot): At, word: u64) {
        self.buckets[bucket].0[slot] = word;
    }

    /// Writes another key into a slot, or none (0): the count of the key that was there is lost.
    pub(super) fn replace(&mut self, at: At, word: u64) {
        self.set(at, word);
        if let Some(count) = self.count(at) {
            let lost = std::mem::take(count);
            self.lost += u64::from(lost);
        }
    }

    /// Moves a key to an empty slot, as `word`.
    pub(super) fn move_to(&mut self, from: At, to: At, word: u64) {
        self.set(to, word);
        self.set(from, 0);
        if let Some(count) = self.count(from) {
            let moved = std::mem::take(count);
            if let Some(count) = self.count(to) {
                *count = moved;
            }
        }
    }

    /// After a split: the counts of the slots that moved from `sources` to the same place in the buckets from `target` on.
    pub(super) fn move_counts(&mut self, sources: std::ops::Range<usize>, target: usize) {
        if self.counts.is_empty() {
            return;
        }
        for (index, bucket) in sources.enumerate() {
            for slot in 0..SLOTS {
                if self.word((target + index, slot)) != 0 {
                    self.counts.swap(bucket * SLOTS + slot, (target + index) * SLOTS + slot);
                }
            }
        }
    }

    /// An empty slot of a bucket.
    #[inline(always)]
    pub(super) fn vacancy(&self, bucket: usize) -> Option<At> {
        let empty = self.buckets[bucket].empty_slots();
        (!empty.is_empty()).then(|| (bucket, empty.first()))
    }
}
