//! The bucket table of [`Seen`](super::Seen): where a key's slot is, and what a look at it decides.
//!
//! The tag is the hash's upper part. Its low bits say which block of buckets the key lives in, as many of them as there
//! have been doublings. Within the block a key has two buckets, whatever the number of blocks: its **home**, from a mix of
//! the whole hash, and its **second**, a step from there that the tag alone tells, so that either can be found from the
//! other. Word 0 is an empty slot.
//!
//! **A key lives at home while there is room, and away only while its home is full** (`away` is set). So a look at the
//! home decides nearly every query, with one memory fetch instead of two. When both buckets are full, a key of either
//! moves over to its own other bucket if that has room; only when none of the sixteen can is the oldest evicted.

use super::Verdict;
use super::growth::Counts;
use super::layout::{tag_bits, time_bits};
use super::pressure::{Evictions, Ranks};
use super::shape::Shape;
use super::slots::{At, Memory, Slots};
use super::ticks::TTL_TICKS_LOG2;
use crate::bucket::{Bucket, SLOTS, occupied_word};
use crate::hash::{mix, range};
use crate::processor::prefetch;

/// Keys hashed and prefetched ahead of the one that is looked up. A core keeps some 10 to 16 cache lines in flight; two
/// lines a key and a batch of 64 keep them busy, and 64 hashes are one screenful of first-level cache.
const BATCH: usize = 64;

/// Load above which the second bucket of a key is touched ahead too: below it, fewer than one home in twenty is full.
const TOUCH_BOTH_ABOVE: f64 = 0.5;

/// Load up to which next to no live key is forgotten: 2 of 6.7 million at 0.8, 26 of 7.1 million at 0.85.
pub(super) const SAFE_LOAD: f64 = 0.8;

/// What is done to the table bit by bit between records.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) enum Work {
    #[default]
    Idle,
    /// Block `next` and all after it are to be swept.
    Sweeping { next: u32 },
    /// The block at the split pointer and all after it of this level are to be split.
    Splitting,
}

/// The table: its buckets, and everything else.
#[derive(Debug)]
pub(super) struct Table<const EXPIRES: bool> {
    pub(super) memory: Memory,
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
    /// Buckets in which keys live away from home, while they are brought back: kept so that no memory is asked for.
    pub(super) away: Vec<(u32, usize)>,
    /// Records until the next step of `work`.
    pub(super) until_work: usize,
    refresh: bool,
    ranks: Ranks,
    pub(super) evictions: Evictions,
    /// Counts of repeats that went with the keys that were forgotten.
    pub(super) counts_lost: u64,
}

/// What a look at a key found.
#[derive(Debug, Clone, Copy)]
pub(super) struct Found {
    pub(super) verdict: Verdict,
    /// Ticks since the key was last new (or seen, with refresh), of a repeat.
    pub(super) age: u64,
    /// Repeats since the key was last new, this one included.
    pub(super) repeats: u32,
}

impl<const EXPIRES: bool> Table<EXPIRES> {
    pub(super) fn new(shape: Shape, refresh: bool) -> Option<Self> {
        let max_buckets = u64::from(shape.block_buckets) * u64::from(shape.max_blocks);
        let memory = Memory::reserve(usize::try_from(max_buckets).ok()?, shape.counted)?;
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
            away: Vec::new(),
            until_work: 0,
            refresh,
            ranks,
            evictions: Evictions::default(),
            counts_lost: 0,
        };
        Some(Table { memory, state })
    }

    /// Looks at each key in turn and remembers it; `tick_of` gives the tick of the i-th, `tell` is told what was found.
    pub(super) fn check_batch<const DETAIL: bool>(
        &mut self,
        hashes: &[u64],
        mut tick_of: impl FnMut(usize) -> i64,
        mut tell: impl FnMut(usize, Found),
    ) {
        let mut start = 0;
        self.touch(hashes, 0);
        while start < hashes.len() {
            // By the number of records, not of calls: the same stream gives the same table however it is cut.
            if self.state.until_work == 0 {
                self.work();
                self.state.until_work = BATCH;
            }
            let end = hashes.len().min(start + self.state.until_work);
            self.state.until_work -= end - start;
            self.touch(hashes, end);
            let mut slots = self.memory.slots();
            for (index, hash) in hashes[start..end].iter().enumerate() {
                if EXPIRES {
                    self.state.now = tick_of(start + index);
                }
                let found = self.state.check::<DETAIL>(&mut slots, *hash);
                tell(start + index, found);
            }
            self.state.counts_lost += slots.lost;
            start = end;
        }
    }

    /// Brings the buckets of the batch that begins at `start` near.
    #[inline(always)]
    fn touch(&self, hashes: &[u64], start: usize) {
        let state = &self.state;
        let slots = self.memory.buckets();
        let batch = hashes.iter().skip(start).take(BATCH);
        if state.occupied as f64 <= TOUCH_BOTH_ABOVE * state.slots() as f64 {
            for hash in batch {
                prefetch(slots, state.home(*hash).1);
            }
        } else {
            for hash in batch {
                let (block, home) = state.home(*hash);
                prefetch(slots, home);
                prefetch(slots, state.second(block, home, State::<EXPIRES>::word(*hash)));
            }
        }
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

    pub(super) fn max_slots(&self) -> u64 {
        self.state.shape.block_slots() * u64::from(self.state.shape.max_blocks)
    }

    pub(super) fn false_repeat_rate(&self) -> f64 {
        Self::rate(self.occupied() as f64 / self.slots() as f64, self.state.level_mask.count_ones())
    }

    pub(super) fn worst_false_repeat_rate(&self) -> f64 {
        Self::rate(1.0, self.state.shape.max_blocks.trailing_zeros())
    }

    /// The probability that one of the keys that are compared has the same tag.
    fn rate(load: f64, doublings: u32) -> f64 {
        /// Slots compared for nearly every key: those of its home.
        const COMPARED: f64 = SLOTS as f64;
        COMPARED * load / 2f64.powi((tag_bits::<EXPIRES>() - doublings) as i32)
    }

    pub(super) fn memory_that_would_do(&self) -> Option<u64> {
        let evictions = &self.state.evictions;
        if evictions.total() == 0 {
            return None;
        }
        // At the bound every slot was live; beside them lived those evicted since.
        let beside = if EXPIRES { evictions.in_one_ttl() } else { evictions.total() };
        let slots = (self.slots() + beside) as f64 / SAFE_LOAD;
        Some((slots * self.state.shape.slot_bytes()) as u64)
    }
}

impl<const EXPIRES: bool> State<EXPIRES> {
    pub(super) const TIME_MASK: u64 = (1 << time_bits::<EXPIRES>()) - 1;
    /// Set in the word of a key that lives in its second bucket.
    pub(super) const AWAY: u64 = Self::TIME_MASK + 1;
    const TAG_MASK: u64 = !(Self::TIME_MASK | Self::AWAY);
    pub(super) const TAG_SHIFT: u32 = time_bits::<EXPIRES>() + 1;

    pub(super) fn slots(&self) -> u64 {
        self.shape.block_slots() * u64::from(self.blocks)
    }

    /// The tag of a key, where it stands in a word.
    #[inline(always)]
    fn word(hash: u64) -> u64 {
        occupied_word(hash, Self::TAG_MASK)
    }

    /// The block a key lives in, and its home bucket.
    #[inline(always)]
    fn home(&self, hash: u64) -> (u32, usize) {
        let n = self.shape.block_buckets;
        let tag = (hash >> Self::TAG_SHIFT) as u32;
        let next_level = tag & (2 * self.level_mask + 1);
        let block = if next_level < self.blocks { next_level } else { tag & self.level_mask };
        let low = range((mix(hash) >> u32::BITS) as u32, n);
        (block, block as usize * n as usize + low as usize)
    }

    /// Buckets between a key's home and its second bucket: always less than a block and more than none.
    #[inline(always)]
    fn step(&self, word: u64) -> usize {
        let mixed = mix(word & Self::TAG_MASK);
        1 + range((mixed >> u32::BITS) as u32, self.shape.block_buckets - 1) as usize
    }

    /// The second bucket of a key.
    #[inline(always)]
    fn second(&self, block: u32, home: usize, word: u64) -> usize {
        let n = self.shape.block_buckets as usize;
        let end = (block as usize + 1) * n;
        let second = home + self.step(word);
        if second < end { second } else { second - n }
    }

    /// The bucket that a key found in `bucket` has beside this one.
    pub(super) fn other(&self, block: u32, bucket: usize, word: u64) -> usize {
        if word & Self::AWAY == 0 {
            return self.second(block, bucket, word);
        }
        let n = self.shape.block_buckets as usize;
        let start = block as usize * n;
        let step = self.step(word);
        if bucket >= start + step { bucket - step } else { bucket + n - step }
    }

    #[inline(always)]
    fn check<const DETAIL: bool>(&mut self, slots: &mut Slots<'_>, hash: u64) -> Found {
        let (block, home) = self.home(hash);
        if EXPIRES && self.is_stale(block) {
            self.sweep(slots, block, Counts::Keep);
        }
        let word = Self::word(hash);
        if let Some(found) = self.look::<DETAIL>(slots, home, word) {
            return found;
        }
        let Some(vacancy) = slots.vacancy(home) else {
            return self.check_away::<DETAIL>(slots, block, home, word);
        };
        slots.set(vacancy, word | self.stored_now());
        self.occupied += 1;
        self.count_arrival();
        Found::UNKNOWN
    }

    /// Looks for a word (with or without `AWAY`) in a bucket; `None` if it is not there.
    #[inline(always)]
    fn look<const DETAIL: bool>(&self, slots: &mut Slots<'_>, bucket: usize, word: u64) -> Option<Found> {
        for slot in slots.buckets[bucket].with_upper_half((word >> u32::BITS) as u32) {
            let held = slots.word((bucket, slot));
            if held & !Self::TIME_MASK != word {
                continue;
            }
            let live = self.is_live(held);
            if !live || self.refresh {
                slots.set((bucket, slot), word | self.stored_now());
            }
            let verdict = if live { Verdict::Repeat } else { Verdict::New };
            if !DETAIL {
                return Some(Found { verdict, ..Found::UNKNOWN });
            }
            let repeats = match slots.count((bucket, slot)) {
                None => 0,
                Some(count) if live => {
                    *count = count.saturating_add(1);
                    *count
                }
                Some(count) => std::mem::take(count),
            };
            return Some(Found { verdict, age: self.age(held), repeats });
        }
        None
    }

    /// The home is full and does not hold the key: it is away, or new.
    #[inline(never)]
    fn check_away<const DETAIL: bool>(&mut self, slots: &mut Slots<'_>, block: u32, home: usize, word: u64) -> Found {
        let second = self.second(block, home, word);
        let away = word | Self::AWAY;
        if let Some(found) = self.look::<DETAIL>(slots, second, away) {
            return found;
        }
        let now = self.stored_now();
        self.occupied += 1;
        if let Some(slot) = self.expired_slot(&slots.buckets[home]) {
            self.occupied -= 1;
            slots.replace((home, slot), word | now);
        } else if let Some(vacancy) = slots.vacancy(second) {
            slots.set(vacancy, away | now);
        } else if let Some(slot) = self.expired_slot(&slots.buckets[second]) {
            self.occupied -= 1;
            slots.replace((second, slot), away | now);
        } else if let Some(freed) = self.make_way(slots, block, home) {
            slots.set(freed, word | now);
        } else if let Some(freed) = self.make_way(slots, block, second) {
            slots.set(freed, away | now);
        } else {
            self.occupied -= 1;
            self.evictions.count(self.now >> TTL_TICKS_LOG2);
            let (at_home, there) = (self.oldest_slot(&slots.buckets[home]), self.oldest_slot(&slots.buckets[second]));
            if at_home.0 >= there.0 {
                slots.replace((home, at_home.1), word | now);
            } else {
                slots.replace((second, there.1), away | now);
            }
        }
        self.count_arrival();
        Found::UNKNOWN
    }

    fn expired_slot(&self, bucket: &Bucket) -> Option<usize> {
        (0..SLOTS).find(|slot| !self.is_live(bucket.0[*slot]))
    }

    /// The age of the oldest key of a full bucket, and its slot.
    fn oldest_slot(&self, bucket: &Bucket) -> (u64, usize) {
        (0..SLOTS).map(|slot| (self.age(bucket.0[slot]), slot)).max().unwrap_or_default()
    }

    /// Moves one key of a full bucket to its own other bucket, if one has room there; the slot that is free then.
    fn make_way(&self, slots: &mut Slots<'_>, block: u32, bucket: usize) -> Option<At> {
        (0..SLOTS).map(|slot| (bucket, slot)).find(|at| {
            let word = slots.word(*at);
            let vacancy = slots.vacancy(self.other(block, bucket, word));
            if let Some(vacancy) = vacancy {
                slots.move_to(*at, vacancy, word ^ Self::AWAY);
            }
            vacancy.is_some()
        })
    }

    #[inline(always)]
    fn count_arrival(&mut self) {
        if !EXPIRES && self.ranks.count() {
            self.now += 1;
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

impl Found {
    /// Nothing is known of the key.
    const UNKNOWN: Found = Found { verdict: Verdict::New, age: 0, repeats: 0 };
}
