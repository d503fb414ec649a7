//! The token bucket, which is the leaky bucket: the generic cell rate algorithm in whole numbers.
//!
//! A cell holds the instant at which its key will be at rest (the theoretical arrival time of ATM's GCRA, ITU-T I.371),
//! counted from a base in units of 1/k ns. With count/period in lowest terms, k is the count and a token is as many
//! units as the period has nanoseconds, so nothing is ever rounded: 7 a second is a token of 10^9 units of 1/7 ns.
//!
//! Where a full burst would pass 2^61 of these units, k is the greatest that makes it fit and the token is rounded
//! **up** to the next unit. A full burst then is at least 2^60 units, so that the rate is kept too strictly by less
//! than one part in 2^60 / burst: 10^-9 for a burst of a thousand million. Worse than 10^-5 is refused.

use super::meter::{Back, Meter, Moment, TOP, UNDATED, lead};
use super::options::LimitError;
use super::quota::{Quota, Units};

/// The most units of a full burst. As units are never coarser than a nanosecond, a full burst is back in at most 73
/// years.
const MOST_UNITS: u64 = 1 << 61;

/// A token that has to be rounded up must be at least so many times the part that is added.
const LEAST_PRECISION: u128 = 100_000;

/// One quota as a bucket.
#[derive(Debug, Clone, Copy)]
pub(super) struct Tokens {
    units: Units,
    /// Units of a nanosecond: k.
    per_nano: u64,
    /// Nanoseconds that can be told from the base on.
    range: i64,
    /// The instant from which values are counted; [`UNDATED`] until one is known.
    base: i64,
    /// The last instant that can be told; [`UNDATED`] until one is known.
    horizon: i64,
}

/// Units of a nanosecond and of a token.
fn fit(quota: &Quota) -> Option<(u64, u64)> {
    let (count, period, burst) = (quota.count, quota.per.nanos().unsigned_abs(), quota.most_at_once());
    let common = gcd(count, period);
    let most = MOST_UNITS / burst;
    if period / common <= most {
        return Some((count / common, period / common));
    }
    let [count, period] = [count / common, period / common].map(u128::from);
    // ceil(period · k / count) <= most, exactly where period · k <= most · count.
    let per_nano = u128::from(most) * count / period;
    let token = (period * per_nano).div_ceil(count);
    let added = token * count - period * per_nano;
    let precise = added == 0 || period * per_nano / added >= LEAST_PRECISION;
    (per_nano > 0 && precise).then_some((per_nano as u64, token as u64))
}

fn gcd(mut one: u64, mut other: u64) -> u64 {
    while other != 0 {
        (one, other) = (other, one % other);
    }
    one
}

impl Tokens {
    fn start_at(&mut self, base: i64) {
        self.base = base;
        self.horizon = base.saturating_add(self.range);
    }
}

impl Meter for Tokens {
    type Cell = u64;
    /// The debt: units until the key is at rest.
    type Standing = u64;

    fn new(quota: &Quota) -> Result<Self, LimitError> {
        let burst = quota.most_at_once();
        if burst == 0 {
            return Err(LimitError::NoBurst);
        }
        let (per_nano, token) = fit(quota).ok_or(LimitError::TooMany { tokens: burst })?;
        let range = (TOP / per_nano) as i64;
        Ok(Tokens { units: Units::new(token, burst), per_nano, range, base: UNDATED, horizon: UNDATED })
    }

    #[inline(always)]
    fn units(&self) -> &Units {
        &self.units
    }

    #[inline(always)]
    fn is_settled(&self, now: i64) -> bool {
        now <= self.horizon
    }

    fn settle(&mut self, now: i64) -> u64 {
        if self.is_settled(now) {
            return 0;
        }
        if self.base == UNDATED {
            self.start_at(now);
            return 0;
        }
        // Half of the range stays behind, at least a full burst: what is no further back is judged as it is given.
        let base = now - self.range / 2;
        let passed = base.wrapping_sub(self.base) as u64;
        self.start_at(base);
        passed.saturating_mul(self.per_nano)
    }

    #[inline(always)]
    fn moment(&self, now: i64) -> Moment {
        let instant = now.max(self.base);
        let floor = (instant.wrapping_sub(self.base) as u64).wrapping_mul(self.per_nano);
        Moment { floor, elapsed: 0, lead: lead(now, instant) }
    }

    #[inline(always)]
    fn read(&self, moment: &Moment, cell: &u64) -> u64 {
        cell.saturating_sub(moment.floor)
    }

    #[inline(always)]
    fn least(one: u64, other: u64) -> u64 {
        one.min(other)
    }

    #[inline(always)]
    fn allows(&self, _moment: &Moment, debt: u64, cost: u64) -> bool {
        cost == 0 || (cost <= self.units.full && debt <= self.units.full - cost)
    }

    #[inline(always)]
    fn charge(&self, debt: u64, cost: u64) -> u64 {
        debt.max(debt.saturating_add(cost).min(self.units.full))
    }

    #[inline(always)]
    fn write(&self, moment: &Moment, cell: &mut u64, debt: u64) {
        *cell = (*cell).max(moment.floor + debt);
    }

    fn shifted(&self, cell: &u64, shift: u64) -> u64 {
        cell.saturating_sub(shift)
    }

    fn step_back(&mut self, to: i64) -> Back {
        let before = u64::try_from(i128::from(self.base) - i128::from(to)).unwrap_or(0);
        if before > 0 {
            self.start_at(to);
        }
        Back { rise: before.saturating_mul(self.per_nano), floor: self.moment(to).floor }
    }

    fn set_back(&self, cell: &u64, back: &Back) -> u64 {
        if *cell == 0 { 0 } else { cell.saturating_add(back.rise).min(back.floor + self.units.full) }
    }

    fn is_used(&self, moment: &Moment, cell: &u64) -> bool {
        self.read(moment, cell) > 0
    }

    fn left(&self, _moment: &Moment, debt: u64) -> u64 {
        self.units.full.saturating_sub(debt) / self.units.token
    }

    fn wait(&self, _moment: &Moment, debt: u64, cost: u64) -> u64 {
        (debt + cost).saturating_sub(self.units.full).div_ceil(self.per_nano)
    }

    fn rest(&self, _moment: &Moment, debt: u64) -> u64 {
        debt.div_ceil(self.per_nano)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::Span;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_token_is_never_less_than_it_should_be_and_hardly_more(
            (count_bits, period_bits, burst_bits) in (0u32..64, 0u32..63, 0u32..62),
            (count, period, burst) in any::<(u64, u64, u64)>(),
        ) {
            let (count, burst) = ((count >> count_bits).max(1), (burst >> burst_bits).max(1));
            let period = ((period >> 1 >> period_bits) as i64).max(1);
            let quota = Quota::new(count, Span::from_nanos(period)).unwrap().burst(burst);
            let [count, period, burst] = [count.into(), period as u128, u128::from(burst)];
            let Some((per_nano, token)) = fit(&quota) else {
                // A full burst of more than 73 years (give or take a nanosecond a token), or too many tokens.
                let long = (period.div_ceil(count)) * burst > MOST_UNITS.into();
                prop_assert!(long || burst > u128::from(MOST_UNITS) / (2 * LEAST_PRECISION));
                return Ok(());
            };
            let [per_nano, token] = [per_nano, token].map(u128::from);
            prop_assert!(burst * token <= MOST_UNITS.into());
            let exact = period * per_nano;
            let added = (token * count).checked_sub(exact).unwrap();
            // Less than one part in 2^60 / burst, and not the least where units are exact.
            prop_assert!(added == 0 || added.saturating_mul((1 << 60) / burst) < exact);
        }
    }

    #[test]
    fn usual_rates_are_exact_and_odd_ones_too() {
        let units = |count, seconds| fit(&Quota::new(count, Span::from_seconds(seconds)).unwrap());
        assert_eq!(units(100, 60), Some((1, 600_000_000)));
        assert_eq!(units(7, 1), Some((7, 1_000_000_000)));
        assert_eq!(units(999_983, 1), Some((999_983, 1_000_000_000)));
        assert_eq!(units(1, 604_800), Some((1, 604_800_000_000_000)));
        assert_eq!(units(10_000_000, 60), Some((1, 6_000)));
        // A prime number of tokens: rounded, and 10 TiB a week more coarsely, as there are so many.
        let precision = |count: u64| {
            let (per_nano, token) = units(count, 604_800)?;
            let exact = 604_800e9 / count as f64;
            Some(token as f64 / per_nano as f64 / exact - 1.0)
        };
        assert!(precision(1_000_000_007).unwrap() < 1e-9);
        assert!(precision(10 << 40).unwrap() < 1e-5);
        assert_eq!(precision((1 << 60) + 1), None);
    }
}
