//! `Sketch`: a decaying score for every key of an endless stream, in constant memory.
//!
//! **Answers** what a key's score is: the sum of its deltas, each faded since its time. One mechanism, four readings:
//!
//! | reading | each record | decay | the score is |
//! |---|---|---|---|
//! | counter | +1 | [`Exponential`](crate::decay::Exponential) | about how many within 1.44 half-lives |
//! | latch | +1, clamped to 1 | any | near 1 while the key was seen lately |
//! | feedback | +5 for a failure, -1 for a success | [`Exponential`](crate::decay::Exponential) | suspicion |
//! | debt | + its cost, if [`Sketch::try_update`] allows | [`Linear`](crate::decay::Linear) | what is not yet paid back |
//!
//! **Guarantee.** While no delta is negative and the [aggregate](crate::aggregate) is the least (the default), a score is
//! **never under the truth**, whatever the order of records. It is over it only where each of the key's cells, one a
//! level, was touched by other keys that still matter. With n such keys, plain updates and M cells a level, L levels:
//! - P(over) = (1 - e^(-n/M))^L: at L = 4, M = 100,000 1 % of 38,000 keys, 16 % of 100,000;
//! - conservative updates (the default) are over by two to six times less at the same memory;
//! - [`Sketch::fill_at`] tells how full the cells are, and with that the share to expect.
//!
//! A sketch is either **monotone** (no negative deltas, the default) or **signed**
//! ([`SketchOptions::signed`]): conservative updates and negative deltas do not go together. A signed sketch updates plainly;
//! without clamps and under no or exponential decay it is not under the truth as long as no key's true score is negative;
//! beyond that errors go both ways, and [`MiddleMean`](crate::aggregate::MiddleMean) is worth a try.
//!
//! **Time.** Scores fade when they are looked at: an idle sketch does nothing. A key's cells are first brought to one
//! instant, the latest of the record's own, their times and the first instant of all; no cell's clock is ever turned back.
//! So a late record makes no score of another key fade twice, and its delta counts what the decay
//! says ([`Decay::late`]). Under exponential decay and plain update the order of records is of no consequence (to 10^-12).
//! Records before any time is known are [`UNDATED`]; they count as of the first real instant.
//!
//! **Memory.** 16 bytes a cell, L · M of them, handed out by the system as they are touched. **Cost.** L cache lines a
//! record, fetched ahead in batches ([`Sketch::update_and_query_batch`]); no allocation after the start.
//!
//! **How.** The count-min sketch (Cormode and Muthukrishnan, "An improved data stream summary", 2005) with scores that
//! fade on access in place of counts. A key's cell in a level is found by multiply-shift hashing of its one 64-bit hash
//! (Dietzfelbinger et al., "A reliable randomized algorithm for the closest-pair problem", 1997).
//!
//! ```
//! use grudge::decay::{AnyDecay, Exponential};
//! use grudge::aggregate::Min;
//! use grudge::hash::{Algorithm, HashKey, KeyHasher, Seed};
//! use grudge::sketch::{Sketch, SketchOptions};
//! use grudge::time::{Span, Timestamp};
//!
//! let hasher = KeyHasher::new(Algorithm::Xxh3, Seed::from_text(b"any text"));
//! let decay = Exponential::half_life(Span::from_seconds(60))?;
//! let mut scores = Sketch::new(&SketchOptions::new(), decay, Min)?;
//! let host = hasher.hash_key(b"192.0.2.1");
//! let at = |seconds| Timestamp::from_seconds(seconds, 0);
//! assert_eq!(scores.update_and_query(host, 4.0, at(0))?, 4.0);
//! assert_eq!(scores.query(host, at(60)), 2.0);
//! // A record of second 0 that comes late counts what it would by now, had it come in time.
//! assert_eq!(scores.update_and_query(host, 4.0, at(60))?, 6.0);
//! assert_eq!(scores.update_and_query(host, 4.0, at(0))?, 8.0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod batch;
mod cells;
mod options;
mod step;
mod sweep;

use crate::aggregate::{Aggregate, Min};
use crate::decay::{AnyDecay, Decay};
use crate::time::Timestamp;
use cells::{Cells, with_levels};

pub(crate) use batch::check_lengths;
pub use options::{SketchError, SketchOptions, Update};
pub use sweep::Fill;

/// The instant of records that come before any time is known: nothing fades until the first real instant, and that one
/// dates what was entered before it.
pub const UNDATED: Timestamp = Timestamp::MIN;

/// The decaying sketch. See the [module](self) for what it promises.
#[derive(Clone)]
pub struct Sketch<D: Decay = AnyDecay, A: Aggregate = Min> {
    cells: Cells,
    decay: D,
    aggregate: A,
    update: Update,
    signed: bool,
    lo: f64,
    hi: f64,
    /// The first real instant.
    first: Timestamp,
    /// The latest instant.
    last: Timestamp,
}

/// Why a delta is refused. Nothing is changed then.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum DeltaError {
    /// Endless, or not a number.
    NotFinite(f64),
    /// Negative, where the sketch was made for deltas that are not.
    Negative(f64),
}

impl std::fmt::Display for DeltaError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            DeltaError::NotFinite(delta) => write!(f, "a delta must be a finite number, not {delta}"),
            DeltaError::Negative(delta) => write!(f, "a delta must not be negative here, as {delta} is"),
        }
    }
}

impl std::error::Error for DeltaError {}

/// What became of a [`Sketch::try_update`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Attempt {
    /// Whether the delta was entered.
    pub entered: bool,
    /// The key's score now: with the delta if it was entered, else without.
    pub score: f64,
}

/// A score and the cells it comes from.
#[derive(Debug, Clone, PartialEq)]
pub struct Detail {
    /// The key's score.
    pub score: f64,
    /// The key's cell in each level.
    pub cells: Vec<CellDetail>,
}

/// One cell of a key.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CellDetail {
    /// The level, from 0.
    pub level: usize,
    /// Which cell of the level.
    pub index: usize,
    /// What the cell holds, faded to the time of the query.
    pub score: f64,
    /// When the cell was last written; [`UNDATED`] where never.
    pub time: Timestamp,
}

impl<D: Decay, A: Aggregate> Sketch<D, A> {
    /// An empty sketch. Its memory is reserved here and provided by the system as it is touched.
    pub fn new(options: &SketchOptions, decay: D, aggregate: A) -> Result<Sketch<D, A>, SketchError> {
        let update = options.check(&aggregate)?;
        let cells = Cells::reserve(options)?;
        let (lo, hi) = options::finite_clamp(options);
        let signed = options.signed;
        Ok(Sketch { cells, decay, aggregate, update, signed, lo, hi, first: UNDATED, last: UNDATED })
    }

    /// Whether a delta can be entered.
    #[inline(always)]
    pub(crate) fn check(&self, delta: f64) -> Result<(), DeltaError> {
        if !delta.is_finite() {
            return Err(DeltaError::NotFinite(delta));
        }
        if delta < 0.0 && !self.signed {
            return Err(DeltaError::Negative(delta));
        }
        Ok(())
    }

    /// Adds `delta` to the score of the key with this hash. O(L).
    pub fn update(&mut self, hash: u64, delta: f64, at: Timestamp) -> Result<(), DeltaError> {
        self.update_and_query(hash, delta, at).map(|_| ())
    }

    /// Adds `delta` to a key's score and tells what it is then. O(L).
    pub fn update_and_query(&mut self, hash: u64, delta: f64, at: Timestamp) -> Result<f64, DeltaError> {
        self.check(delta)?;
        Ok(with_levels!(self.cells, CAPACITY, levels => {
            let places = self.cells.find::<CAPACITY>(levels, hash);
            self.enter(&places, levels, delta, at)
        }))
    }

    /// A key's score at `at`, or at the latest time of its cells if that is later; changes nothing. O(L).
    pub fn query(&self, hash: u64, at: Timestamp) -> f64 {
        with_levels!(self.cells, CAPACITY, levels => {
            let places = self.cells.find::<CAPACITY>(levels, hash);
            self.read(&places, levels, at)
        })
    }

    /// Adds `delta` to a key's score if that leaves it at `limit` or under, else changes no score: all or nothing. O(L).
    ///
    /// With a limit of the burst and [`Linear`](crate::decay::Linear) decay this is a token bucket; a collision can only
    /// make it stricter. (For limits to the exact record use integers, as a limiter does.)
    pub fn try_update(&mut self, hash: u64, delta: f64, limit: f64, at: Timestamp) -> Result<Attempt, DeltaError> {
        self.check(delta)?;
        self.note(at);
        Ok(with_levels!(self.cells, CAPACITY, levels => {
            let places = self.cells.find::<CAPACITY>(levels, hash);
            let loaded = self.load(&places, levels, at);
            let score = self.aggregate.of(&loaded.scores[..levels]);
            let worth = self.worth(&loaded, delta);
            let raised = self.raised(&loaded, levels, worth);
            let after = self.aggregate.of(&raised[..levels]);
            // The sum without its clamp must keep the limit, and what is told afterwards, which may differ by a last bit.
            if score + worth <= limit && after <= limit {
                self.store(&places, levels, &raised, loaded.now);
                Attempt { entered: true, score: after }
            } else {
                Attempt { entered: false, score }
            }
        }))
    }

    /// [`Sketch::query`] with the cells that the score comes from. Allocates.
    pub fn query_detailed(&self, hash: u64, at: Timestamp) -> Detail {
        with_levels!(self.cells, CAPACITY, levels => {
            let places = self.cells.find::<CAPACITY>(levels, hash);
            let loaded = self.load(&places, levels, at);
            let cell = |level: usize| {
                CellDetail {
                    level,
                    index: places[level] - level * self.cells.a_level as usize,
                    score: loaded.scores[level],
                    time: self.cells.all[places[level]].time.timestamp(),
                }
            };
            Detail { score: self.aggregate.of(&loaded.scores[..levels]), cells: (0..levels).map(cell).collect() }
        })
    }

    /// The number of levels.
    pub fn levels(&self) -> u32 {
        self.cells.levels as u32
    }

    /// The number of cells in each level.
    pub fn cells(&self) -> u64 {
        u64::from(self.cells.a_level)
    }

    /// Bytes that the cells take once all have been touched.
    pub fn memory_bytes(&self) -> u64 {
        std::mem::size_of_val(self.cells.all.as_slice()) as u64
    }

    /// The decay.
    pub fn decay(&self) -> &D {
        &self.decay
    }

    /// How updates enter.
    pub fn update_rule(&self) -> Update {
        self.update
    }

    /// The latest instant of any record; [`UNDATED`] where none had one.
    pub fn last(&self) -> Timestamp {
        self.last
    }
}

impl<D: Decay, A: Aggregate> std::fmt::Debug for Sketch<D, A> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Sketch")
            .field("levels", &self.levels())
            .field("cells", &self.cells())
            .field("decay", &self.decay)
            .field("aggregate", &self.aggregate)
            .field("update", &self.update)
            .field("last", &self.last)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
