//! `Rotator`: generations of sketches, so that no error lives for ever.
//!
//! **Answers** what a [`Sketch`] answers, a key's decaying score. Each update goes to all N generations, each reads the
//! key's hash in its own way, and queries read the oldest. Once a period the oldest is emptied and becomes the youngest;
//! the next oldest, which has been filled all along, takes its place.
//!
//! **Guarantee.** While no delta is negative and the aggregate is the least, a score is never under what the key has
//! earned within the last N - 1 periods (less what has faded of it). What came before may be forgotten, N periods ago
//! and earlier always is: an over-estimate, whatever caused it, lives at most N periods, because two keys that share cells
//! in one generation do not in the next. **Errors** otherwise as a sketch of one generation's size has them.
//!
//! **Time.** A period begins at the first real instant and a whole number of periods after it. Late records do not
//! rotate back; a jump of N periods or more empties all generations.
//!
//! **Memory.** N sketches. **Cost.** N updates a record and one query; emptying a generation writes as much of it as was
//! touched.
//!
//! **How.** As the rotating Bloom filters of packet caching do (Chang, Feng and Li, "Approximate caches for packet
//! classification", 2004), with scores in place of bits.
//!
//! ```
//! use grudge::{aggregate::Min, decay::NoDecay, rotate::Rotator, sketch::SketchOptions, time::{Span, Timestamp}};
//!
//! let day = Span::from_seconds(86_400);
//! let mut scores = Rotator::new(&SketchOptions::new(), 2, day, NoDecay, Min)?;
//! let at = |days: i64| Timestamp::from_seconds(0, 0).plus(day.times(days));
//! assert_eq!(scores.update_and_query(7, 1.0, at(0))?, 1.0);
//! assert_eq!(scores.update_and_query(7, 1.0, at(1))?, 2.0);
//! assert_eq!(scores.query(7, at(2)), 1.0);
//! assert_eq!(scores.query(7, at(3)), 0.0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod batch;
mod periods;

use crate::aggregate::{Aggregate, Min};
use crate::decay::{AnyDecay, Decay};
use crate::hash::mix;
use crate::sketch::{Attempt, DeltaError, Detail, Fill, Sketch, SketchError, SketchOptions};
use crate::time::{Span, Timestamp};
use periods::Periods;

/// The fewest generations that make sense: with one, each rotation would forget everything.
pub const MIN_GENERATIONS: u32 = 2;

/// Odd, so that each generation's number gives another word (2^64 / pi).
const NUMBER_SPREAD: u64 = 0x517C_C1B7_2722_0A95;

/// Generations of sketches. See the [module](self) for what it promises.
#[derive(Debug, Clone)]
pub struct Rotator<D: Decay = AnyDecay, A: Aggregate = Min> {
    generations: Vec<Generation<D, A>>,
    periods: Periods,
    /// Which of the generations is the oldest; after the last comes the first.
    oldest: usize,
}

/// A sketch and the number that makes its hashes its own.
#[derive(Debug, Clone)]
struct Generation<D: Decay, A: Aggregate> {
    sketch: Sketch<D, A>,
    number: u64,
}

/// Why a [`Rotator`] cannot be made.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum RotatorError {
    /// Fewer than two generations.
    TooFewGenerations(u32),
    /// The period is zero or negative.
    NoPeriod(Span),
    /// A generation cannot be made.
    Sketch(SketchError),
}

impl std::fmt::Display for RotatorError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            RotatorError::TooFewGenerations(generations) => {
                write!(f, "{generations} generations are too few; {MIN_GENERATIONS} are the least that works")
            }
            RotatorError::NoPeriod(_) => write!(f, "the period must be longer than nothing"),
            RotatorError::Sketch(error) => write!(f, "{error}"),
        }
    }
}

impl std::error::Error for RotatorError {}

impl From<SketchError> for RotatorError {
    fn from(error: SketchError) -> RotatorError {
        RotatorError::Sketch(error)
    }
}

impl<D: Decay, A: Aggregate> Generation<D, A> {
    /// A key's hash as this generation sees it: keys that share a cell in one generation do not in the next.
    #[inline(always)]
    fn hash(&self, hash: u64) -> u64 {
        mix(mix(hash ^ self.number.wrapping_mul(NUMBER_SPREAD)))
    }
}

impl<D: Decay, A: Aggregate> Rotator<D, A> {
    /// `generations` empty sketches, each made by `options`, the oldest of which is emptied every `period`.
    pub fn new(
        options: &SketchOptions,
        generations: u32,
        period: Span,
        decay: D,
        aggregate: A,
    ) -> Result<Rotator<D, A>, RotatorError> {
        if generations < MIN_GENERATIONS {
            return Err(RotatorError::TooFewGenerations(generations));
        }
        if period <= Span::ZERO {
            return Err(RotatorError::NoPeriod(period));
        }
        let generation = |number| {
            let sketch = Sketch::new(options, decay.clone(), aggregate.clone())?;
            Ok(Generation { sketch, number })
        };
        let generations = (0..u64::from(generations)).map(generation).collect::<Result<Vec<_>, RotatorError>>()?;
        Ok(Rotator { generations, periods: Periods::new(period), oldest: 0 })
    }

    /// [`Sketch::update`].
    pub fn update(&mut self, hash: u64, delta: f64, at: Timestamp) -> Result<(), DeltaError> {
        self.update_and_query(hash, delta, at).map(|_| ())
    }

    /// [`Sketch::update_and_query`]: enters the delta in all generations and tells the oldest one's score.
    pub fn update_and_query(&mut self, hash: u64, delta: f64, at: Timestamp) -> Result<f64, DeltaError> {
        self.generations[self.oldest].sketch.check(delta)?;
        self.rotate_to(at);
        let mut score = 0.0;
        for (index, generation) in self.generations.iter_mut().enumerate() {
            let own = generation.sketch.update_and_query(generation.hash(hash), delta, at)?;
            if index == self.oldest {
                score = own;
            }
        }
        Ok(score)
    }

    /// [`Sketch::query`]: the score in what will be the oldest generation at `at`; changes nothing.
    pub fn query(&self, hash: u64, at: Timestamp) -> f64 {
        let oldest = self.oldest_after(self.periods.ended_by(at));
        oldest.map_or(0.0, |oldest| oldest.sketch.query(oldest.hash(hash), at))
    }

    /// [`Sketch::try_update`]: the oldest generation decides, and the delta enters all of them or none.
    pub fn try_update(&mut self, hash: u64, delta: f64, limit: f64, at: Timestamp) -> Result<Attempt, DeltaError> {
        self.generations[self.oldest].sketch.check(delta)?;
        self.rotate_to(at);
        let oldest = &mut self.generations[self.oldest];
        let attempt = oldest.sketch.try_update(oldest.hash(hash), delta, limit, at)?;
        for (index, generation) in self.generations.iter_mut().enumerate() {
            if index == self.oldest {
                continue;
            }
            if attempt.entered {
                generation.sketch.update(generation.hash(hash), delta, at)?;
            } else {
                generation.sketch.note(at);
            }
        }
        Ok(attempt)
    }

    /// [`Sketch::query_detailed`] of the generation that [`Rotator::query`] reads; no cells where all will have been
    /// emptied by then. Allocates.
    pub fn query_detailed(&self, hash: u64, at: Timestamp) -> Detail {
        let oldest = self.oldest_after(self.periods.ended_by(at));
        let nothing = Detail { score: 0.0, cells: Vec::new() };
        oldest.map_or(nothing, |oldest| oldest.sketch.query_detailed(oldest.hash(hash), at))
    }

    /// Empties as many generations as periods have ended by `at`.
    #[inline]
    fn rotate_to(&mut self, at: Timestamp) {
        let ended = self.periods.advance(at);
        if ended > 0 {
            self.rotate(ended);
        }
    }

    #[cold]
    fn rotate(&mut self, periods: u64) {
        let count = self.generations.len() as u64;
        for _ in 0..periods.min(count) {
            let youngest = self.generations.iter().map(|generation| generation.number).max().unwrap_or(0);
            let oldest = &mut self.generations[self.oldest];
            oldest.sketch.clear_scores();
            oldest.number = youngest.wrapping_add(1);
            self.oldest = (self.oldest + 1) % self.generations.len();
        }
    }

    /// The generation that will be the oldest after so many periods, unless all will have been emptied.
    fn oldest_after(&self, ended: u64) -> Option<&Generation<D, A>> {
        let count = self.generations.len() as u64;
        (ended < count).then(|| &self.generations[(self.oldest + ended as usize) % self.generations.len()])
    }

    /// The stream's clock was set back to `to`: see [`Sketch::step_back`]. The period that runs begins as many whole
    /// periods earlier as it takes for `to` to lie in it.
    pub fn step_back(&mut self, to: Timestamp) {
        self.periods.step_back(to);
        self.generations.iter_mut().for_each(|generation| generation.sketch.step_back(to));
    }

    /// Forgets everything, the time too, as if newly made.
    pub fn clear(&mut self) {
        self.generations.iter_mut().zip(0..).for_each(|(generation, number)| {
            generation.sketch.clear();
            generation.number = number;
        });
        self.periods = Periods::new(self.periods.period());
        self.oldest = 0;
    }

    /// How full the oldest generation is: see [`Sketch::fill_at`].
    pub fn fill_at(&self, now: Timestamp, least: f64) -> Fill {
        self.generations[self.oldest].sketch.fill_at(now, least)
    }

    /// The number of generations.
    pub fn generations(&self) -> u32 {
        self.generations.len() as u32
    }

    /// The time between two rotations.
    pub fn period(&self) -> Span {
        self.periods.period()
    }

    /// The number of levels of each generation.
    pub fn levels(&self) -> u32 {
        self.generations[self.oldest].sketch.levels()
    }

    /// The number of cells in each level of each generation.
    pub fn cells(&self) -> u64 {
        self.generations[self.oldest].sketch.cells()
    }

    /// Bytes that the cells of all generations take once all have been touched.
    pub fn memory_bytes(&self) -> u64 {
        self.generations.iter().map(|generation| generation.sketch.memory_bytes()).sum()
    }

    /// The decay.
    pub fn decay(&self) -> &D {
        self.generations[self.oldest].sketch.decay()
    }

    /// The latest instant of any record; [`UNDATED`](crate::sketch::UNDATED) where none had one.
    pub fn last(&self) -> Timestamp {
        self.generations[self.oldest].sketch.last()
    }
}

#[cfg(test)]
mod tests;
