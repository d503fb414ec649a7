//! Forgiveness at a constant rate.

use super::{Decay, DecayError};
use crate::time::Span;

/// A score drains by the same amount in the same time, down to zero and not beyond. See the [module](super).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Linear {
    amount: f64,
    /// Nanoseconds in which the amount drains. Kept apart from it: multiplied first and divided then, whole amounts in
    /// whole spans stay exact.
    per: f64,
}

impl Linear {
    /// The decay that drains `amount` in each `per`.
    pub fn rate(amount: f64, per: Span) -> Result<Linear, DecayError> {
        if !(amount > 0.0 && amount.is_normal()) {
            return Err(DecayError::BadAmount(amount));
        }
        if per <= Span::ZERO {
            return Err(DecayError::NoPeriod(per));
        }
        Ok(Linear { amount, per: per.nanos() as f64 })
    }
}

impl Decay for Linear {
    #[inline(always)]
    fn apply(&self, score: f64, elapsed: Span) -> f64 {
        let left = score.abs() - elapsed.nanos().max(0) as f64 * self.amount / self.per;
        (if left > 0.0 { left } else { 0.0 }).copysign(score)
    }
}
