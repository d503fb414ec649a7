//! Growing in place, and forgetting what time has passed by.
//!
//! The table is a row of blocks. When more than [`GROW_ABOVE`] of its slots hold a key it doubles: block after block is
//! split by one more bit of the tag, its keys with that bit set moving to the same bucket and slot of a new block at the
//! end of the row. One block is split every few dozen records, so that no record waits long and the unsplit blocks do not
//! fill up meanwhile. Both candidate buckets of a key are told apart within a block, so a split moves them alike, and a
//! new bucket can never overflow.
//!
//! Times are stored modulo 2^bits. A block is swept before its times could be misread: with a ttl at the first touch a
//! quarter of the range after (or before) its last sweep; without one, block after block each time the ranks have gone
//! through a quarter of their range.

use super::slots::Slots;
use super::table::{State, Table, Work};
use super::ticks::TTL_TICKS_LOG2;
use crate::bucket::{Bucket, SLOTS};

/// The load at which the table doubles. No key is lost up to 0.8, but from here on more and more homes are full, each of
/// which costs a second fetch; while a doubling runs the load still rises by less than 0.01.
pub(super) const GROW_ABOVE: f64 = 0.6;

/// A table is not doubled when dropping its expired keys brings the load below this: then it would soon be swept again
/// only if the live keys themselves grow.
const SWEEP_TO: f64 = 0.45;

/// What a sweep does with expired keys whose repeats have been counted and not yet told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Counts {
    /// There is room for them.
    Keep,
    /// Room is what the sweep is for.
    Drop,
}

/// Which quarter of its range a stored time must not leave between two sweeps, as a share of the range.
const SWEEPS_A_RANGE_LOG2: u32 = 2;

impl<const EXPIRES: bool> Table<EXPIRES> {
    /// One step: at most one block is read and written.
    pub(super) fn work(&mut self) {
        let mut slots = self.memory.slots();
        self.state.work = match self.state.work {
            Work::Idle => self.state.plan(slots.buckets),
            Work::Sweeping { next } => {
                self.state.sweep(&mut slots, next, Counts::Drop);
                if next + 1 < self.state.blocks { Work::Sweeping { next: next + 1 } } else { Work::Idle }
            }
            Work::Splitting => {
                self.state.split_next(&mut slots);
                if self.state.blocks.is_power_of_two() { Work::Idle } else { Work::Splitting }
            }
        };
        self.state.counts_lost += slots.lost;
    }

    /// Keys that still count. The blocks not yet swept are read as a sweep would.
    pub(super) fn live(&self) -> u64 {
        if !EXPIRES {
            return self.state.occupied;
        }
        let slots = self.memory.buckets();
        (0..self.state.blocks).map(|block| self.state.live_in(slots, block)).sum()
    }
}

impl<const EXPIRES: bool> State<EXPIRES> {
    /// Ticks or ranks after which stored times must be looked at, lest they come round.
    const SWEEP_AFTER: i64 = ((Self::TIME_MASK + 1) >> SWEEPS_A_RANGE_LOG2) as i64;

    /// What is to be done next, if anything.
    fn plan(&mut self, slots: &[Bucket]) -> Work {
        if !EXPIRES && self.now - self.swept_rank >= Self::SWEEP_AFTER {
            self.swept_rank = self.now;
            return Work::Sweeping { next: 0 };
        }
        let load = self.occupied as f64 / self.slots() as f64;
        if load <= GROW_ABOVE || self.blocks == self.shape.max_blocks {
            return Work::Idle;
        }
        if EXPIRES {
            // Blocks are a random partition of the keys, so one of them tells the share of live keys in all.
            let live = self.live_in(slots, 0) as f64 / self.shape.block_slots() as f64;
            if live < SWEEP_TO {
                return Work::Sweeping { next: 0 };
            }
        }
        Work::Splitting
    }

    fn buckets_of(&self, block: u32) -> std::ops::Range<usize> {
        let n = self.shape.block_buckets as usize;
        block as usize * n..(block as usize + 1) * n
    }

    /// Whether times stored in `block` may be misread at the current tick.
    #[inline(always)]
    pub(super) fn is_stale(&self, block: u32) -> bool {
        let since = self.now.wrapping_sub(self.swept[block as usize]);
        since.wrapping_add(Self::SWEEP_AFTER) as u64 >= 2 * Self::SWEEP_AFTER as u64
    }

    /// Whether a word of a block swept at `swept` still counts, however long ago that was. Its full tick is the one
    /// within half a range of `swept` that it stands for.
    fn is_live_since(&self, word: u64, swept: i64) -> bool {
        let ahead = (word.wrapping_sub(swept as u64)) & Self::TIME_MASK;
        let half = Self::TIME_MASK.div_ceil(2);
        let ahead = ahead as i64 - if ahead >= half { 2 * half as i64 } else { 0 };
        let age = self.now.wrapping_sub(swept.wrapping_add(ahead));
        (0..1 << TTL_TICKS_LOG2).contains(&age)
    }

    fn live_in(&self, slots: &[Bucket], block: u32) -> u64 {
        let swept = self.swept[block as usize];
        let words = slots[self.buckets_of(block)].iter().flat_map(|bucket| bucket.0);
        words.filter(|word| *word != 0 && self.is_live_since(*word, swept)).count() as u64
    }

    /// With a ttl: empties the slots that no longer count. Without: holds ranks back that are about to come round.
    #[cold]
    pub(super) fn sweep(&mut self, slots: &mut Slots<'_>, block: u32, counts: Counts) {
        let slots_of = |block| self.buckets_of(block).flat_map(|bucket| (0..SLOTS).map(move |slot| (bucket, slot)));
        if !EXPIRES {
            let oldest = Self::TIME_MASK.div_ceil(2);
            let held_back = (self.now as u64).wrapping_sub(oldest) & Self::TIME_MASK;
            for at in slots_of(block) {
                let word = slots.word(at);
                if word != 0 && self.age(word) > oldest {
                    slots.set(at, (word & !Self::TIME_MASK) | held_back);
                }
            }
            return;
        }
        let swept = self.swept[block as usize];
        let mut emptied = 0;
        for at in slots_of(block) {
            let word = slots.word(at);
            if word == 0 || self.is_live_since(word, swept) {
                continue;
            }
            if counts == Counts::Keep && slots.count(at).is_some_and(|count| *count > 0) {
                // Still expired at the next sweep, however late that is.
                let expired = (self.now as u64).wrapping_sub(2 << TTL_TICKS_LOG2) & Self::TIME_MASK;
                slots.set(at, (word & !Self::TIME_MASK) | expired);
            } else {
                slots.replace(at, 0);
                emptied += 1;
            }
        }
        self.occupied -= emptied;
        self.swept[block as usize] = self.now;
        let mut away = std::mem::take(&mut self.away);
        let is_away = |bucket: &usize| slots.buckets[*bucket].0.iter().any(|word| word & Self::AWAY != 0);
        away.extend(self.buckets_of(block).filter(is_away).map(|bucket| (block, bucket)));
        self.bring_home(slots, away);
    }

    /// Splits the block at the split pointer: its keys whose next tag bit is set move to the new block at the end.
    fn split_next(&mut self, slots: &mut Slots<'_>) {
        let new = self.blocks;
        let old = new & self.level_mask;
        if EXPIRES {
            self.sweep(slots, old, Counts::Keep);
            self.swept[new as usize] = self.swept[old as usize];
        }
        let bit = Self::TAG_SHIFT + self.level_mask.count_ones();
        let (source_start, target_start) = (self.buckets_of(old).start, self.buckets_of(new).start);
        let (head, tail) = slots.buckets.split_at_mut(target_start);
        let mut away = std::mem::take(&mut self.away);
        for (index, (source, target)) in head[self.buckets_of(old)].iter_mut().zip(tail).enumerate() {
            let mut any = 0;
            for slot in 0..SLOTS {
                let word = source.0[slot];
                any |= word;
                let moves = ((word >> bit) & 1).wrapping_neg();
                target.0[slot] = word & moves;
                source.0[slot] = word & !moves;
            }
            if any & Self::AWAY != 0 {
                away.extend([(old, source_start + index), (new, target_start + index)]);
            }
        }
        slots.move_counts(self.buckets_of(old), target_start);
        self.bring_home(slots, away);
        self.blocks += 1;
        if self.blocks.is_power_of_two() {
            self.level_mask = self.blocks - 1;
        }
    }

    /// Slots have become empty: brings the keys that live away in the buckets of `away` home where there is room now, so
    /// that again none is away whose home has any. A key that leaves makes room for another, so this is done over until
    /// none moves.
    fn bring_home(&mut self, slots: &mut Slots<'_>, mut away: Vec<(u32, usize)>) {
        let mut moved = true;
        while std::mem::take(&mut moved) {
            away.retain(|(block, bucket)| {
                let mut left = false;
                for at in (0..SLOTS).map(|slot| (*bucket, slot)) {
                    let word = slots.word(at);
                    if word & Self::AWAY == 0 {
                        continue;
                    }
                    match slots.vacancy(self.other(*block, *bucket, word)) {
                        Some(vacancy) => {
                            slots.move_to(at, vacancy, word ^ Self::AWAY);
                            moved = true;
                        }
                        None => left = true,
                    }
                }
                left
            });
        }
        away.clear();
        self.away = away;
    }
}
