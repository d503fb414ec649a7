//! What one key's cells go through: brought to one time, then raised.

use super::cells::{Cell, Instant};
use super::{Sketch, UNDATED, Update};
use crate::aggregate::{Aggregate, Min};
use crate::decay::Decay;
use crate::time::{Span, Timestamp};

/// The scores of a key's cells, all brought to one instant.
pub(super) struct Loaded<const CAPACITY: usize> {
    pub(super) scores: [f64; CAPACITY],
    pub(super) now: Instant,
    /// How long before `now` the record's own instant lies.
    lateness: Span,
}

impl<D: Decay, A: Aggregate> Sketch<D, A> {
    /// Takes note of the time. The first real instant is that of everything before it.
    #[inline(always)]
    pub(crate) fn note(&mut self, at: Timestamp) {
        if self.first == UNDATED {
            self.first = at;
        }
        self.last = self.last.max(at);
    }

    /// Reads a key's cells and brings them to the latest of `at` and their own times: no cell's clock is turned back.
    #[inline(always)]
    pub(super) fn load<const CAPACITY: usize>(
        &self,
        places: &[usize; CAPACITY],
        levels: usize,
        at: Timestamp,
    ) -> Loaded<CAPACITY> {
        let first = if self.first == UNDATED { at } else { self.first };
        let at = if at == UNDATED { first } else { at };
        let first = Instant::from(first);
        let mut now = first.max(at.into());
        let mut times = [first; CAPACITY];
        let mut scores = [0.0; CAPACITY];
        for level in 0..levels {
            let cell = self.cells.all[places[level]];
            scores[level] = cell.score;
            times[level] = first.max(cell.time);
            now = now.max(times[level]);
        }
        let elapsed = times.map(|time| now.since(time));
        self.decay.apply_each(&mut scores[..levels], &elapsed[..levels]);
        Loaded { scores, now, lateness: now.since(at.into()) }
    }

    /// What the cells hold once `delta` has entered.
    #[inline(always)]
    pub(super) fn raised<const CAPACITY: usize>(
        &self,
        loaded: &Loaded<CAPACITY>,
        levels: usize,
        delta: f64,
    ) -> [f64; CAPACITY] {
        match self.update {
            Update::Conservative => {
                let target = self.clamped(Min.of(&loaded.scores[..levels]) + delta);
                loaded.scores.map(|score| score.max(target))
            }
            Update::Plain => loaded.scores.map(|score| self.clamped(score + delta)),
        }
    }

    /// What a delta counts in cells that have been brought to their time.
    #[inline(always)]
    pub(super) fn worth<const CAPACITY: usize>(&self, loaded: &Loaded<CAPACITY>, delta: f64) -> f64 {
        self.decay.late(delta, loaded.lateness)
    }

    #[inline(always)]
    pub(super) fn store<const CAPACITY: usize>(
        &mut self,
        places: &[usize; CAPACITY],
        levels: usize,
        scores: &[f64; CAPACITY],
        now: Instant,
    ) {
        for level in 0..levels {
            self.cells.all[places[level]] = Cell { score: scores[level], time: now };
        }
    }

    #[inline(always)]
    fn clamped(&self, score: f64) -> f64 {
        greater(if score < self.hi { score } else { self.hi }, self.lo)
    }

    /// Reads a key's score.
    #[inline(always)]
    pub(super) fn read<const CAPACITY: usize>(&self, places: &[usize; CAPACITY], levels: usize, at: Timestamp) -> f64 {
        self.aggregate.of(&self.load(places, levels, at).scores[..levels])
    }

    /// Enters a delta that is known to be good; the score after it.
    #[inline(always)]
    pub(super) fn enter<const CAPACITY: usize>(
        &mut self,
        places: &[usize; CAPACITY],
        levels: usize,
        delta: f64,
        at: Timestamp,
    ) -> f64 {
        self.note(at);
        let loaded = self.load(places, levels, at);
        let scores = self.raised(&loaded, levels, self.worth(&loaded, delta));
        self.store(places, levels, &scores, loaded.now);
        self.aggregate.of(&scores[..levels])
    }
}

/// The greater of two numbers, in one instruction: neither is ever not a number.
#[inline(always)]
fn greater(one: f64, other: f64) -> f64 {
    if one > other { one } else { other }
}
