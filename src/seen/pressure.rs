//! The age of keys that never expire, and the count of those that had to go.

use super::layout::time_bits;

/// How arrivals become ranks.
#[derive(Debug)]
pub(super) struct Ranks {
    /// New keys to one rank.
    unit: u64,
    /// New keys until the next rank.
    left: u64,
}

impl Ranks {
    /// A table at its bound holds a quarter of all ranks, so the oldest key of a bucket is far from the point where ranks
    /// come round again (they are held back from it by the same sweeps).
    pub(super) fn new(max_slots: u64) -> Ranks {
        const RANKS_A_TABLE_LOG2: u32 = time_bits::<false>() - 2;
        let unit = (max_slots >> RANKS_A_TABLE_LOG2).max(1);
        Ranks { unit, left: unit }
    }

    /// Counts a new key; whether the next rank begins with it.
    #[inline(always)]
    pub(super) fn count(&mut self) -> bool {
        self.left -= 1;
        let next = self.left == 0;
        if next {
            self.left = self.unit;
        }
        next
    }
}

/// Live keys that lost their slot.
#[derive(Debug, Default)]
pub(super) struct Evictions {
    total: u64,
    /// Those of the ttl that runs, and the most in any one ttl.
    current: u64,
    peak: u64,
    window: i64,
}

impl Evictions {
    pub(super) fn count(&mut self, window: i64) {
        if window != self.window {
            self.peak = self.peak.max(self.current);
            self.current = 0;
            self.window = window;
        }
        self.total += 1;
        self.current += 1;
    }

    /// The most in any span as long as a ttl: one that lies over the border of two windows.
    pub(super) fn in_one_ttl(&self) -> u64 {
        2 * self.peak.max(self.current)
    }

    pub(super) fn total(&self) -> u64 {
        self.total
    }
}
