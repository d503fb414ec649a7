//! Eight 64-bit slots on one cache line, and a lazily filled array of such buckets.
//!
//! A slot is one word: a tag in the high bits, and below it what the structure wants to remember (a time, a count). Word
//! 0 is an empty slot. To tell slots apart fast, only the **upper 32 bits** of all eight words are compared at once; for
//! that an occupied slot's upper half is never zero ([`occupied_word`]). One bucket is one memory fetch however many of
//! its slots are looked at (heavy-hitters specification, section 4.2).

use crate::memory::zeroed;
use crate::processor::with_upper_half;
use bytemuck::{Pod, Zeroable};

/// Slots in a bucket: 64 bytes of cache line over 8 bytes of word.
pub(crate) const SLOTS: usize = 8;

/// Bytes of a bucket: one cache line.
pub(crate) const BUCKET_BYTES: usize = SLOTS * size_of::<u64>();

/// Eight slots on one cache line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Pod, Zeroable)]
#[repr(C, align(64))]
pub(crate) struct Bucket(pub(crate) [u64; SLOTS]);

/// A set of slots of one bucket, one bit a slot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SlotMask(u32);

impl SlotMask {
    #[inline(always)]
    pub(crate) fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The lowest slot of the set, which must not be empty.
    #[inline(always)]
    pub(crate) fn first(self) -> usize {
        debug_assert!(self.0 != 0);
        self.0.trailing_zeros() as usize % SLOTS
    }
}

impl Iterator for SlotMask {
    type Item = usize;

    #[inline(always)]
    fn next(&mut self) -> Option<usize> {
        if self.0 == 0 {
            return None;
        }
        let slot = self.first();
        self.0 &= self.0 - 1;
        Some(slot)
    }
}

/// The bits of `word` that `keep` leaves, with an upper half that is never zero, so that no occupied slot reads as empty
/// or is missed by [`Bucket::with_upper_half`]. The bit that is set instead is the topmost, which no structure uses to
/// address a bucket; the two tags that become one are 2 in 2^32.
#[inline(always)]
pub(crate) fn occupied_word(word: u64, keep: u64) -> u64 {
    const TOP: u64 = 1 << (u64::BITS - 1);
    let kept = word & keep;
    if kept >> u32::BITS == 0 { kept | TOP } else { kept }
}

impl Bucket {
    /// The slots whose word has `upper` as its upper 32 bits: candidates, to be compared in full.
    #[inline(always)]
    pub(crate) fn with_upper_half(&self, upper: u32) -> SlotMask {
        SlotMask(with_upper_half(&self.0, upper))
    }

    /// The slots that hold nothing.
    #[inline(always)]
    pub(crate) fn empty_slots(&self) -> SlotMask {
        self.with_upper_half(0)
    }
}

/// A fixed array of zeroed buckets whose memory the system provides as it is first touched.
///
/// It is a plain vector of words, one bucket longer than needed so that the first bucket can start on a cache line: asking
/// for over-aligned zeroed memory would make the allocator write all of it.
#[derive(Debug)]
pub(crate) struct Buckets {
    words: Vec<u64>,
    start: usize,
    len: usize,
}

impl Buckets {
    /// `len` empty buckets, or `None` when the system refuses the address space.
    pub(crate) fn reserve(len: usize) -> Option<Buckets> {
        let words = len.checked_add(1)?.checked_mul(SLOTS)?;
        let words = zeroed::<u64>(words)?;
        // `align_offset` may give up (it says so by usize::MAX); then the buckets could not be cast, and nothing works.
        let start = words.as_ptr().align_offset(BUCKET_BYTES);
        (start <= SLOTS).then_some(Buckets { words, start, len })
    }

    #[inline(always)]
    pub(crate) fn as_slice(&self) -> &[Bucket] {
        bytemuck::cast_slice(&self.words[self.start..][..self.len * SLOTS])
    }

    #[inline(always)]
    pub(crate) fn as_mut_slice(&mut self) -> &mut [Bucket] {
        bytemuck::cast_slice_mut(&mut self.words[self.start..][..self.len * SLOTS])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn an_occupied_word_never_looks_empty(word in prop_oneof![any::<u64>(), any::<u32>().prop_map(u64::from)]) {
            let keep = !0u64 << 24;
            let occupied = occupied_word(word, keep);
            prop_assert!(occupied >> 32 != 0);
            prop_assert_eq!(occupied & !keep, 0);
            prop_assert_eq!(occupied << 1, (word & keep) << 1);
        }
    }

    #[test]
    fn a_mask_lists_its_slots_in_order() {
        let bucket = Bucket([0, 1 << 40, 0, 0, 1 << 40, 1, 0, 1 << 40]);
        assert_eq!(bucket.with_upper_half(1 << 8).collect::<Vec<_>>(), [1, 4, 7]);
        assert_eq!(bucket.empty_slots().collect::<Vec<_>>(), [0, 2, 3, 5, 6]);
    }

    #[test]
    fn buckets_start_on_a_cache_line_and_are_empty() {
        let mut buckets = Buckets::reserve(100).unwrap();
        assert_eq!(buckets.as_slice().len(), 100);
        assert_eq!(buckets.as_slice().as_ptr() as usize % BUCKET_BYTES, 0);
        assert!(buckets.as_slice().iter().all(|bucket| bucket.0 == [0; SLOTS]));
        buckets.as_mut_slice()[99].0[7] = 1;
        assert!(Buckets::reserve(usize::MAX).is_none());
        assert!(Buckets::reserve(usize::MAX / 128).is_none());
    }
}
