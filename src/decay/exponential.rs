//! Proportional forgiveness.

use super::exp2::{LEAST, exp2};
use super::{Decay, DecayError};
use crate::time::{NANOS_PER_SECOND, Span};

/// Lanes that are computed together: two vector registers of 128 bits, which every x86-64 and AArch64 processor has.
const LANES: usize = 4;

/// A score loses the same share in the same time: half of it each half-life. See the [module](super).
///
/// It never quite reaches zero until 1,022 half-lives have passed, where the smallest float is taken for nothing.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Exponential {
    /// Half-lives in one nanosecond, at most 1.
    rate: f64,
    /// Nanoseconds after which nothing is left.
    longest: i64,
}

impl Exponential {
    /// The decay that halves a score each `half_life`.
    pub fn half_life(half_life: Span) -> Result<Exponential, DecayError> {
        if half_life <= Span::ZERO {
            return Err(DecayError::NoHalfLife(half_life));
        }
        Ok(Exponential::of_rate(1.0 / half_life.nanos() as f64))
    }

    /// The decay that leaves e^(-lambda · t) of a score after `t` seconds; its half-life must be a nanosecond or longer.
    pub fn lambda(per_second: f64) -> Result<Exponential, DecayError> {
        let rate = per_second / (std::f64::consts::LN_2 * NANOS_PER_SECOND as f64);
        // A rate of less than a normal float has lost bits, or all: it would be another decay than was asked for.
        if !(rate > 0.0 && rate <= 1.0 && rate.is_normal()) {
            return Err(DecayError::BadLambda(per_second));
        }
        Ok(Exponential::of_rate(rate))
    }

    /// The first whole number of nanoseconds after which the power is 0: less than one half-life more than [`LEAST`], as
    /// [`exp2`] wants it.
    fn of_rate(rate: f64) -> Exponential {
        // Converting saturates.
        Exponential { rate, longest: ((-LEAST / rate) as i64).saturating_add(1) }
    }

    /// The power of two that so much time is, as [`exp2`] wants it. Whole numbers are kept within bounds, not floats:
    /// choices between floats hinder vector code.
    #[inline(always)]
    fn power(&self, elapsed: Span) -> f64 {
        -(elapsed.nanos().max(0).min(self.longest) as f64) * self.rate
    }
}

/// Two to each of four powers. Not inlined, the powers in registers and the answers in consecutive stores: so the compiler
/// sees that it can all be done two lanes at a time, and no load has to wait for two stores to be put together.
#[inline(never)]
fn exp2_group(a: f64, b: f64, c: f64, d: f64) -> [f64; LANES] {
    exp2([a, b, c, d])
}

impl Decay for Exponential {
    #[inline]
    fn apply(&self, score: f64, elapsed: Span) -> f64 {
        let [left] = exp2([self.power(elapsed)]);
        score * left
    }

    #[inline(always)]
    fn apply_each(&self, scores: &mut [f64], elapsed: &[Span]) {
        let len = scores.len().min(elapsed.len());
        let (groups, rest) = scores[..len].as_chunks_mut::<LANES>();
        let (spans, rest_of_spans) = elapsed[..len].as_chunks::<LANES>();
        for (group, spans) in groups.iter_mut().zip(spans) {
            let [a, b, c, d] = spans.map(|span| self.power(span));
            let left = exp2_group(a, b, c, d);
            for lane in 0..LANES {
                group[lane] *= left[lane];
            }
        }
        for (score, span) in rest.iter_mut().zip(rest_of_spans) {
            *score = self.apply(*score, *span);
        }
    }

    /// As if it had come in time: a sum of exponentials does not know the order of its parts.
    #[inline]
    fn late(&self, delta: f64, lateness: Span) -> f64 {
        if lateness == Span::ZERO { delta } else { self.apply(delta, lateness) }
    }
}
