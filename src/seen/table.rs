//! The bucket table of [`Seen`](super::Seen): where a key's slot is, and what a look at it decides.
//!
//! ```text
//!            63                         24 23          0
//! with a ttl  [        tag, 40 bits       | tick, 24   ]     ttl = 2^20 ticks, modulo 2^24
//! without     [            tag, 48 bits        | rank, 16 ]  order of arrival, modulo 2^16
//!                            <-- low bits: block
//! ```
//!
//! The tag is the hash's upper part. Its low bits say which block of buckets the key lives in, as many of them as there
//! have been doublings; which two buckets of the block are the key's own comes from a mix of the whole hash and never
//! changes. Word 0 is an empty slot.

use super::shape::Shape;
use super::ticks::TTL_TICKS_LOG2;
use super::{Verdict, growth::Work};
use crate::bucket::{Bucket, Buckets, SLOTS, occupied_word};
use crate::hash::{mix, range};
use crate::processor::prefetch;

/// Keys hashed and prefetched ahead of the one that is looked up. A core keeps some 10 to 16 cache lines in flight; two
/// lines a key and a batch of 64 keep them busy, and 64 hashes are one screenful of first-level cache.
const BATCH: usize = 64;

/// Bits of a word that hold the time: 16 times the ttl in ticks, so that past and future stay apart between sweeps; or
/// the rank.
const fn time_bits<const EXPIRES: bool>() -> u32 {
    if EXPIRES { TTL_TICKS_LOG2 + 4 } else { 16 }
}

/// Bits of a word that hold the tag.
pub(super) const fn tag_bits<const EXPIRES: bool>() -> u32 {
    u64::BITS - time_bits::<EXPIRES>()
}

/// The table: its buckets, and everything else.
#[derive(Debug)]
pub(super) struct Table<const EXPIRES: bool> {
    pub(super) buckets: Buckets,
    pub(super) state: State<EXPIRES>,
}

/// What is known of a table beside its buckets.
#[derive(Debug)]
pub(super) struct State<const EXPIRES: bool> {
    pub(super) shape: Shape,
    /// Blocks in use: from 2^j to 2^(j+1) while the j+1st doubling is under way.
    pub(super) blocks: u32,
    /// 2^j - 1.
    pub(super) level_mask: u32,
    /// Slots that are not empty.
    pub(super) occupied: u64,
    /// The current tick, or the current rank.
    pub(super) now: i64,
    /// The tick of each block's last sweep.
    pub(super) swept: Vec<i64>,
    /// The rank at the last sweep of all blocks.
    pub(super) swept_rank: i64,
    pub(super) work: Work,
    /// Records until the next step of `work`.
    pub(super) until_work: usize,
    refresh: bool,
    ranks: Ranks,
    pub(super) evictions: Evictions,
}

/// How arrivals become ranks.
#[derive(Debug)]
struct Ranks {
    /// New keys to one rank.
    unit: u64,
    /// New keys until the next rank.
    left: u64,
}

/// Where a key may be: two buckets of one block.
#[derive(Debug, Clone, Copy)]
struct Place {
    block: u32,
    first: usize,
    second: usize,
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

impl<const EXPIRES: bool> Table<EXPIRES> {
    pub(super) fn new(shape: Shape, refresh: bool) -> Option<Self> {
        let max_buckets = u64::from(shape.block_buckets) * u64::from(shape.max_blocks);
        let buckets = Buckets::reserve(usize::try_from(max_buckets).ok()?)?;
        let swept = if EXPIRES { vec![0; shape.max_blocks as usize] } else { Vec::new() };
        let ranks = Ranks::new(shape.block_slots() * u64::from(shape.max_blocks));
        let state = State {
            shape,
            blocks: 1,
            level_mask: 0,
            occupied: 0,
            now: 0,
            swept,
            swept_rank: 0,
            work: Work::default(),
            until_work: 0,
            refresh,
            ranks,
            evictions: Evictions::default(),
        };
        Some(Table { buckets, state })
    }

    /// Looks at each key in turn and remembers it; `tick_of` gives the tick of the i-th.
    pub(super) fn check_batch(
        &mut self,
        hashes: &[u64],
        verdicts: &mut [Verdict],
        mut tick_of: impl FnMut(usize) -> i64,
    ) {
        let mut start = 0;
        self.touch(hashes, 0);
        while start < hashes.len() {
            let end = hashes.len().min(start + BATCH);
            self.take_turn(end - start);
            self.touch(hashes, end);
            let slots = self.buckets.as_mut_slice();
            for (index, (hash, verdict)) in hashes[start..end].iter().zip(&mut verdicts[start..end]).enumerate() {
                if EXPIRES {
                    self.state.now = tick_of(start + index);
                }
                *verdict = self.state.check(slots, *hash);
            }
            start = end;
        }
    }

    /// Brings the buckets of the batch that begins at `start` near.
    #[inline(always)]
    fn touch(&self, hashes: &[u64], start: usize) {
        let slots = self.buckets.as_slice();
        for hash in hashes.iter().skip(start).take(BATCH) {
            let place = self.state.place(*hash);
            prefetch(slots, place.first);
            prefetch(slots, place.second);
        }
    }

    /// Lets growth or a sweep take its next step every [`BATCH`] records.
    #[inline(always)]
    fn take_turn(&mut self, records: usize) {
        if self.state.until_work >= records {
            self.state.until_work -= records;
            return;
        }
        self.state.until_work = BATCH;
        self.work();
    }

    pub(super) fn occupied(&self) -> u64 {
        self.state.occupied
    }

    pub(super) fn slots(&self) -> u64 {
        self.state.slots()
    }

    pub(super) fn memory_bytes(&self) -> u64 {
        self.state.shape.bytes(self.state.blocks)
    }

    pub(super) fn false_repeat_rate(&self) -> f64 {
        /// Slots compared for each key: two buckets.
        const COMPARED: f64 = 2.0 * SLOTS as f64;
        let load = self.occupied() as f64 / self.slots() as f64;
        let bits_left = tag_bits::<EXPIRES>() - self.state.level_mask.count_ones();
        COMPARED * load / 2f64.powi(bits_left as i32)
    }

    pub(super) fn memory_that_would_do(&self) -> Option<u64> {
        let evictions = &self.state.evictions;
        if evictions.total == 0 {
            return None;
        }
        // At the bound every slot was live; beside them lived those evicted since: in one ttl at most two windows' worth.
        let beside = if EXPIRES { 2 * evictions.peak.max(evictions.current) } else { evictions.total };
        let slots = (self.slots() + beside) as f64 / super::growth::GROW_ABOVE;
        Some((slots * size_of::<u64>() as f64) as u64)
    }
}

impl<const EXPIRES: bool> State<EXPIRES> {
    pub(super) const TIME_BITS: u32 = time_bits::<EXPIRES>();
    pub(super) const TIME_MASK: u64 = (1 << Self::TIME_BITS) - 1;

    pub(super) fn slots(&self) -> u64 {
        self.shape.block_slots() * u64::from(self.blocks)
    }

    /// The two buckets of a key. The second differs from the first whatever the hash, where there are two.
    #[inline(always)]
    fn place(&self, hash: u64) -> Place {
        let n = self.shape.block_buckets;
        let tag = (hash >> Self::TIME_BITS) as u32;
        let next_level = tag & (2 * self.level_mask + 1);
        let block = if next_level < self.blocks { next_level } else { tag & self.level_mask };
        let mixed = mix(hash);
        let first = range((mixed >> u32::BITS) as u32, n);
        let step = 1 + range(mixed as u32, n - 1);
        let second = if first + step < n { first + step } else { first + step - n };
        let base = block as usize * n as usize;
        Place { block, first: base + first as usize, second: base + second as usize }
    }

    #[inline(always)]
    fn check(&mut self, slots: &mut [Bucket], hash: u64) -> Verdict {
        let place = self.place(hash);
        if EXPIRES && self.is_stale(place.block) {
            self.sweep(slots, place.block);
        }
        let word = occupied_word(hash, !Self::TIME_MASK);
        let upper = (word >> u32::BITS) as u32;
        for bucket in [place.first, place.second] {
            let bucket = &mut slots[bucket];
            for slot in bucket.with_upper_half(upper) {
                let held = &mut bucket.0[slot];
                if *held & !Self::TIME_MASK == word {
                    return self.matched(held, word);
                }
            }
        }
        self.insert(slots, place, word);
        Verdict::New
    }

    /// The key is held: is it a repeat, and what is written?
    #[inline(always)]
    fn matched(&self, held: &mut u64, word: u64) -> Verdict {
        if EXPIRES && !self.is_live(*held) {
            *held = word | self.stored_now();
            return Verdict::New;
        }
        if self.refresh {
            *held = word | self.stored_now();
        }
        Verdict::Repeat
    }

    /// The key is not held: into the emptier of its buckets.
    #[inline(always)]
    fn insert(&mut self, slots: &mut [Bucket], place: Place, word: u64) {
        let (in_first, in_second) = (slots[place.first].empty_slots(), slots[place.second].empty_slots());
        let (bucket, empty) =
            if in_second.count() > in_first.count() { (place.second, in_second) } else { (place.first, in_first) };
        let word = word | self.stored_now();
        if empty.is_empty() {
            self.replace(slots, place, word);
        } else {
            slots[bucket].0[empty.first()] = word;
            self.occupied += 1;
        }
        if !EXPIRES {
            self.count_arrival();
        }
    }

    /// Both buckets are full: an expired key makes room, else the oldest of the sixteen goes.
    #[cold]
    fn replace(&mut self, slots: &mut [Bucket], place: Place, word: u64) {
        let candidates =
            [place.first, place.second].into_iter().flat_map(|bucket| (0..SLOTS).map(move |s| (bucket, s)));
        let age_of = |(bucket, slot): (usize, usize)| self.age(slots[bucket].0[slot]);
        let Some(oldest) = candidates.max_by_key(|candidate| age_of(*candidate)) else { return };
        if !EXPIRES || self.is_live(slots[oldest.0].0[oldest.1]) {
            self.evictions.count(self.now >> TTL_TICKS_LOG2);
        }
        slots[oldest.0].0[oldest.1] = word;
    }

    #[cold]
    fn next_rank(&mut self) {
        self.ranks.left = self.ranks.unit;
        self.now += 1;
    }

    #[inline(always)]
    fn count_arrival(&mut self) {
        self.ranks.left -= 1;
        if self.ranks.left == 0 {
            self.next_rank();
        }
    }

    #[inline(always)]
    fn stored_now(&self) -> u64 {
        self.now as u64 & Self::TIME_MASK
    }

    /// Ticks (or ranks) since a word was written, modulo 2^bits: one ahead of now is older than any live one.
    #[inline(always)]
    pub(super) fn age(&self, word: u64) -> u64 {
        (self.now as u64).wrapping_sub(word) & Self::TIME_MASK
    }

    /// Whether the key of an occupied word still counts; between sweeps 24 bits tell.
    #[inline(always)]
    pub(super) fn is_live(&self, word: u64) -> bool {
        !EXPIRES || self.age(word) < 1 << TTL_TICKS_LOG2
    }
}

impl Ranks {
    /// A table at its bound holds a quarter of all ranks, so the oldest key of a bucket is far from the point where ranks
    /// come round again (they are held back from it by the same sweeps).
    fn new(max_slots: u64) -> Ranks {
        const RANKS_A_TABLE_LOG2: u32 = time_bits::<false>() - 2;
        let unit = (max_slots >> RANKS_A_TABLE_LOG2).max(1);
        Ranks { unit, left: unit }
    }
}

impl Evictions {
    fn count(&mut self, window: i64) {
        if window != self.window {
            self.peak = self.peak.max(self.current);
            self.current = 0;
            self.window = window;
        }
        self.total += 1;
        self.current += 1;
    }

    pub(super) fn total(&self) -> u64 {
        self.total
    }
}
