//! Decay: how a score fades while nothing happens.
//!
//! **Answers** what is left of a score after a span of time ([`Decay::apply`]), what a delta is worth that comes late
//! ([`Decay::late`]), and how long a score takes to fade to a given one ([`Decay::time_to`]).
//!
//! **Guarantee.** Every decay obeys four laws, which the lazy evaluation of a [`Sketch`](crate::sketch::Sketch) rests on:
//! - after no time at all the score is exactly what it was;
//! - it moves toward zero and never across it;
//! - of two scores the greater stays the greater (or they meet), and a longer time leaves no more of either, both up to
//!   the last bits of a float;
//! - `apply(apply(s, a), b)` equals `apply(s, a + b)` to within 10^-12 of `s`, so that it does not matter when it is looked
//!   at.
//!
//! The bits are the same on every machine: only IEEE additions, multiplications and divisions are used, none of the
//! platform's mathematics.
//!
//! **Cost.** A few nanoseconds for the levels of a key at once ([`Decay::apply_each`]). **Memory.** None beside its
//! parameters.
//!
//! | decay | forgives | after `t` a score `s > 0` is | a late delta counts |
//! |---|---|---|---|
//! | [`Exponential`] | in proportion: the half each half-life | s · 2^(-t / half-life) | decayed, as if it had come in time |
//! | [`Linear`] | at a constant rate, as a bucket drains | max(0, s - rate · t) | in full: never under the truth |
//! | [`NoDecay`] | never | s | in full |
//!
//! ```
//! use grudge::decay::{Decay, Exponential, Linear};
//! use grudge::time::Span;
//!
//! let hour = Span::from_seconds(3600);
//! let exponential = Exponential::half_life(hour)?;
//! assert_eq!(exponential.apply(8.0, hour.times(3)), 1.0);
//! assert_eq!(exponential.time_to(8.0, 1.0), Some(hour.times(3)));
//!
//! let linear = Linear::rate(100.0, hour)?;
//! assert_eq!(linear.apply(150.0, hour), 50.0);
//! assert_eq!(linear.apply(-150.0, hour.times(2)), 0.0);
//! # Ok::<(), grudge::decay::DecayError>(())
//! ```

mod exp2;
mod exponential;
mod linear;

use crate::time::Span;
use std::fmt::Debug;

pub use exponential::Exponential;
pub use linear::Linear;

/// A way for scores to fade. See the [module](self) for the laws; your own decay must obey them too.
pub trait Decay: Clone + Debug {
    /// What is left of `score` after `elapsed`; a negative span counts as none.
    fn apply(&self, score: f64, elapsed: Span) -> f64;

    /// [`Decay::apply`] for the levels of a key at once, each after its own span: the same bits, less time.
    ///
    /// Where the lengths differ, what is beyond the shorter is left alone.
    #[inline]
    fn apply_each(&self, scores: &mut [f64], elapsed: &[Span]) {
        for (score, elapsed) in scores.iter_mut().zip(elapsed) {
            *score = self.apply(*score, *elapsed);
        }
    }

    /// What a delta counts that comes `lateness` after its time, in a score that has already faded for that long.
    ///
    /// In full unless said otherwise, which can only be over the truth, not under it.
    #[inline]
    fn late(&self, delta: f64, lateness: Span) -> f64 {
        let _ = lateness;
        delta
    }

    /// How long until `score` has faded to `target` if nothing more comes: the least span after which it is no farther
    /// from zero on its side than `target`. No time at all where it already is; `None` where it never will be, as on the
    /// other side of zero, or in 292 years.
    ///
    /// Where one unit of time fades the score by less than a float can tell, it is one of the spans around that point.
    fn time_to(&self, score: f64, target: f64) -> Option<Span> {
        let faded = |elapsed: i64| {
            let left = self.apply(score, Span::from_nanos(elapsed));
            if score < 0.0 { left >= target } else { left <= target }
        };
        if faded(0) {
            return Some(Span::ZERO);
        }
        if !faded(i64::MAX) {
            return None;
        }
        let (mut not_yet, mut already) = (0, i64::MAX);
        while already - not_yet > 1 {
            let middle = not_yet + (already - not_yet) / 2;
            if faded(middle) {
                already = middle;
            } else {
                not_yet = middle;
            }
        }
        Some(Span::from_nanos(already))
    }
}

/// No decay: a grudge that is held for ever.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct NoDecay;

impl Decay for NoDecay {
    #[inline(always)]
    fn apply(&self, score: f64, _elapsed: Span) -> f64 {
        score
    }

    #[inline(always)]
    fn apply_each(&self, _scores: &mut [f64], _elapsed: &[Span]) {}
}

/// One of the three decays, chosen at run time.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum AnyDecay {
    /// See [`Exponential`].
    Exponential(Exponential),
    /// See [`Linear`].
    Linear(Linear),
    /// See [`NoDecay`].
    None(NoDecay),
}

impl From<Exponential> for AnyDecay {
    fn from(decay: Exponential) -> AnyDecay {
        AnyDecay::Exponential(decay)
    }
}

impl From<Linear> for AnyDecay {
    fn from(decay: Linear) -> AnyDecay {
        AnyDecay::Linear(decay)
    }
}

impl From<NoDecay> for AnyDecay {
    fn from(decay: NoDecay) -> AnyDecay {
        AnyDecay::None(decay)
    }
}

impl Decay for AnyDecay {
    #[inline]
    fn apply(&self, score: f64, elapsed: Span) -> f64 {
        match self {
            AnyDecay::Exponential(decay) => decay.apply(score, elapsed),
            AnyDecay::Linear(decay) => decay.apply(score, elapsed),
            AnyDecay::None(decay) => decay.apply(score, elapsed),
        }
    }

    #[inline(always)]
    fn apply_each(&self, scores: &mut [f64], elapsed: &[Span]) {
        match self {
            AnyDecay::Exponential(decay) => decay.apply_each(scores, elapsed),
            AnyDecay::Linear(decay) => decay.apply_each(scores, elapsed),
            AnyDecay::None(decay) => decay.apply_each(scores, elapsed),
        }
    }

    #[inline(always)]
    fn late(&self, delta: f64, lateness: Span) -> f64 {
        match self {
            AnyDecay::Exponential(decay) => decay.late(delta, lateness),
            AnyDecay::Linear(decay) => decay.late(delta, lateness),
            AnyDecay::None(decay) => decay.late(delta, lateness),
        }
    }
}

/// Why a decay cannot be made.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum DecayError {
    /// The half-life is zero or negative.
    NoHalfLife(Span),
    /// Lambda is not a number that is positive and neither endless nor next to nothing.
    BadLambda(f64),
    /// The amount to drain is not a number that is positive and neither endless nor next to nothing.
    BadAmount(f64),
    /// The time in which the amount drains is zero or negative.
    NoPeriod(Span),
}

impl std::fmt::Display for DecayError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            DecayError::NoHalfLife(_) => write!(f, "the half-life must be longer than nothing"),
            DecayError::BadLambda(lambda) => write!(f, "lambda must be a positive number, not {lambda}"),
            DecayError::BadAmount(amount) => write!(f, "the amount to drain must be a positive number, not {amount}"),
            DecayError::NoPeriod(_) => write!(f, "the time to drain in must be longer than nothing"),
        }
    }
}

impl std::error::Error for DecayError {}

#[cfg(test)]
mod tests;
