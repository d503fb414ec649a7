//! Aggregates: one score from the scores of a key's cells, one a level.
//!
//! **Answers** which of the levels to believe. Collisions add what other keys have earned to a cell, so for deltas of one
//! sign the least is nearest the truth; where deltas of both signs meet, errors go both ways and the middle is better.
//!
//! | aggregate | error direction | for |
//! |---|---|---|
//! | [`Min`] | never under the truth while no delta is negative | counts, debts, latches: the default |
//! | [`Max`] | never under it either, and farther over it | the worst suspicion |
//! | [`Mean`] | never under it either, farther over than the least | smoothing |
//! | [`MiddleMean`] | both ways | scores with deltas of both signs |
//!
//! The idea of the least is the count-min sketch's (Cormode and Muthukrishnan, "An improved data stream summary", 2005),
//! that of the middle the count sketch's (Charikar, Chen and Farach-Colton, "Finding frequent items in data streams",
//! 2002). **Cost.** A few instructions a level; no memory.
//!
//! ```
//! use grudge::aggregate::{Aggregate, Mean, MiddleMean, Min};
//!
//! let scores = [7.0, 3.0, 100.0, 5.0];
//! assert_eq!(Min.of(&scores), 3.0);
//! assert_eq!(Mean.of(&scores), 28.75);
//! assert_eq!(MiddleMean.of(&scores), 6.0);
//! ```

use crate::levels::MAX_LEVELS;
use std::fmt::Debug;

/// A way to make one score of several.
pub trait Aggregate: Clone + Debug {
    /// The score that `scores` stand for, one a level, at least one and at most sixteen.
    fn of(&self, scores: &[f64]) -> f64;

    /// Whether this is the least of the scores: only then is conservative update right.
    fn is_min(&self) -> bool {
        false
    }
}

/// The least: the cell that has collided least.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Min;

/// The greatest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Max;

/// The arithmetic mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Mean;

/// The median: the middle one of an odd number, the mean of the middle two of an even number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct MiddleMean;

/// One of the four aggregates, chosen at run time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum AnyAggregate {
    /// See [`Min`](struct@Min).
    Min,
    /// See [`Max`](struct@Max).
    Max,
    /// See [`Mean`](struct@Mean).
    Mean,
    /// See [`MiddleMean`](struct@MiddleMean).
    MiddleMean,
}

impl Aggregate for Min {
    #[inline(always)]
    fn of(&self, scores: &[f64]) -> f64 {
        scores.iter().fold(f64::INFINITY, |least, score| if *score < least { *score } else { least })
    }

    #[inline(always)]
    fn is_min(&self) -> bool {
        true
    }
}

impl Aggregate for Max {
    #[inline(always)]
    fn of(&self, scores: &[f64]) -> f64 {
        scores.iter().fold(f64::NEG_INFINITY, |most, score| if *score > most { *score } else { most })
    }
}

impl Aggregate for Mean {
    #[inline]
    fn of(&self, scores: &[f64]) -> f64 {
        let count = scores.len() as f64;
        let sum: f64 = scores.iter().sum();
        // Scores near the end of the range of floats have a mean though they have no sum.
        if sum.is_finite() { sum / count } else { scores.iter().map(|score| score / count).sum() }
    }
}

impl Aggregate for MiddleMean {
    #[inline]
    fn of(&self, scores: &[f64]) -> f64 {
        let mut sorted = [0.0; MAX_LEVELS];
        let count = scores.len().min(MAX_LEVELS);
        let sorted = &mut sorted[..count];
        sorted.copy_from_slice(&scores[..count]);
        sorted.sort_unstable_by(f64::total_cmp);
        match count {
            0 => 0.0,
            _ if count % 2 == 1 => sorted[count / 2],
            // Halved first: the sum of two may be beyond the range of floats, the halves are exact.
            _ => sorted[count / 2 - 1] / 2.0 + sorted[count / 2] / 2.0,
        }
    }
}

impl Aggregate for AnyAggregate {
    #[inline]
    fn of(&self, scores: &[f64]) -> f64 {
        match self {
            AnyAggregate::Min => Min.of(scores),
            AnyAggregate::Max => Max.of(scores),
            AnyAggregate::Mean => Mean.of(scores),
            AnyAggregate::MiddleMean => MiddleMean.of(scores),
        }
    }

    #[inline]
    fn is_min(&self) -> bool {
        *self == AnyAggregate::Min
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_aggregate_lies_between_the_least_and_the_greatest_and_is_free_of_order(
            scores in prop::collection::vec(-1e6f64..1e6, 1..=MAX_LEVELS), turn in 0usize..16,
        ) {
            let mut turned = scores.clone();
            turned.rotate_left(turn % scores.len());
            let (least, most) = (Min.of(&scores), Max.of(&scores));
            prop_assert!(scores.iter().all(|score| least <= *score && *score <= most));
            for aggregate in [AnyAggregate::Min, AnyAggregate::Max, AnyAggregate::Mean, AnyAggregate::MiddleMean] {
                let one = aggregate.of(&scores);
                let slack = 1e-15 * scores.len() as f64 * 1e6;
                prop_assert!(least - slack <= one && one <= most + slack, "{:?} {}", aggregate, one);
                prop_assert!((one - aggregate.of(&turned)).abs() <= slack);
                let same = aggregate.of(&vec![scores[0]; scores.len()]);
                prop_assert!((same - scores[0]).abs() <= 1e-14 * scores[0].abs(), "{:?} {}", aggregate, same);
            }
        }

        #[test]
        fn as_many_scores_lie_under_the_middle_as_over_it(scores in prop::collection::vec(-1e6f64..1e6, 1..=MAX_LEVELS)) {
            let middle = MiddleMean.of(&scores);
            let under = scores.iter().filter(|score| **score < middle).count();
            let over = scores.iter().filter(|score| **score > middle).count();
            prop_assert_eq!(under, over);
        }
    }

    #[test]
    fn the_greatest_floats_have_a_mean_and_a_middle() {
        let scores = [f64::MAX; 4];
        assert_eq!(Mean.of(&scores), f64::MAX);
        assert_eq!(MiddleMean.of(&scores), f64::MAX);
    }

    #[test]
    fn only_the_least_says_it_is_the_least() {
        assert!(Min.is_min() && AnyAggregate::Min.is_min());
        assert!(!Max.is_min() && !Mean.is_min() && !MiddleMean.is_min() && !AnyAggregate::Mean.is_min());
    }
}
