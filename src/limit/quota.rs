//! What a key may do: so many in so much time, and what one record costs of it.

use crate::time::Span;

/// Parts of a token in which costs are told.
pub(super) const MILLION: u64 = 1_000_000;

/// So many in so much time: a rate, and for a bucket how many at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Quota {
    pub(super) count: u64,
    pub(super) per: Span,
    pub(super) burst: Option<u64>,
}

/// Why there is no such [`Quota`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum QuotaError {
    /// The count is zero: nothing would ever be allowed.
    NoCount,
    /// The time is zero or negative.
    NoPeriod(Span),
}

impl std::fmt::Display for QuotaError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            QuotaError::NoCount => write!(f, "a rate of none allows nothing; the least is 1"),
            QuotaError::NoPeriod(_) => write!(f, "the time of a rate must be longer than nothing"),
        }
    }
}

impl std::error::Error for QuotaError {}

impl Quota {
    /// `count` in each `per`, and as many at once.
    pub fn new(count: u64, per: Span) -> Result<Quota, QuotaError> {
        match (count, per) {
            (0, _) => Err(QuotaError::NoCount),
            (_, per) if per <= Span::ZERO => Err(QuotaError::NoPeriod(per)),
            _ => Ok(Quota { count, per, burst: None }),
        }
    }

    /// How many at once from rest, instead of as many as the rate names. For buckets only: windows have no burst.
    #[must_use]
    pub fn burst(self, burst: u64) -> Quota {
        Quota { burst: Some(burst), ..self }
    }

    /// How many in each [`Quota::per`].
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The time in which [`Quota::count`] are allowed.
    pub fn per(&self) -> Span {
        self.per
    }

    /// How many are allowed at once from rest.
    pub fn most_at_once(&self) -> u64 {
        self.burst.unwrap_or(self.count)
    }
}

/// What a record costs, in tokens and millionths of one.
///
/// A limiter counts in a unit of its own, mostly far finer than a millionth of a token (see the [module](super)); what
/// lies between two units counts as the greater, so that a fraction is never taken for less.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Cost {
    whole: u64,
    millionths: u32,
}

impl Cost {
    /// Nothing: such a record is always allowed and changes nothing.
    pub const ZERO: Cost = Cost::whole(0);
    /// One token, the cost of a record where nothing else is said.
    pub const ONE: Cost = Cost::whole(1);

    /// So many tokens.
    pub const fn whole(tokens: u64) -> Cost {
        Cost { whole: tokens, millionths: 0 }
    }

    /// So many millionths of a token.
    pub const fn from_millionths(millionths: u64) -> Cost {
        Cost { whole: millionths / MILLION, millionths: (millionths % MILLION) as u32 }
    }
}

/// Tokens in the unit of one quota.
#[derive(Debug, Clone, Copy)]
pub(super) struct Units {
    /// Units of a token.
    pub(super) token: u64,
    /// Tokens that are allowed at once.
    pub(super) at_once: u64,
    /// Units of as many.
    pub(super) full: u64,
}

impl Units {
    /// `at_once` tokens of so many units, which fit 64 bits.
    pub(super) fn new(token: u64, at_once: u64) -> Units {
        Units { token, at_once, full: token * at_once }
    }

    /// What `cost` is in units, rounded up; saturates, and then is more than a full burst.
    #[inline(always)]
    pub(super) fn of(&self, cost: Cost) -> u64 {
        let whole = cost.whole.saturating_mul(self.token);
        if cost.millionths == 0 {
            return whole;
        }
        // By parts, so that nothing overflows; the divisor is a constant, so that nothing is divided.
        let (millionths, token) = (u64::from(cost.millionths), self.token);
        let fraction = millionths * (token / MILLION) + (millionths * (token % MILLION)).div_ceil(MILLION);
        whole.saturating_add(fraction)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_cost_in_units_is_the_exact_one_rounded_up(
            whole in 0u64..1 << 20, millionths in 0u64..MILLION, token in 1u64..1 << 61,
        ) {
            let cost = Cost::from_millionths(whole * MILLION + millionths);
            let exact = u128::from(whole * MILLION + millionths) * u128::from(token);
            let units = Units::new(token, 1).of(cost);
            prop_assert_eq!(u128::from(units), exact.div_ceil(u128::from(MILLION)).min(u64::MAX.into()));
        }
    }

    #[test]
    fn a_quota_needs_a_count_and_a_time() {
        assert_eq!(Quota::new(0, Span::from_nanos(1)), Err(QuotaError::NoCount));
        assert_eq!(Quota::new(1, Span::ZERO), Err(QuotaError::NoPeriod(Span::ZERO)));
        let quota = Quota::new(3, Span::from_seconds(1)).unwrap();
        assert_eq!((quota.count(), quota.per(), quota.most_at_once()), (3, Span::from_seconds(1), 3));
        assert_eq!(quota.burst(9).most_at_once(), 9);
        for error in [QuotaError::NoCount, QuotaError::NoPeriod(Span::ZERO)] {
            assert!(!error.to_string().is_empty());
        }
    }

    #[test]
    fn costs_saturate_instead_of_wrapping() {
        let units = Units::new(1 << 61, 1);
        assert_eq!(units.of(Cost::whole(u64::MAX)), u64::MAX);
        assert_eq!(units.of(Cost::from_millionths(u64::MAX)), u64::MAX);
        assert_eq!(units.of(Cost::ZERO), 0);
    }
}
