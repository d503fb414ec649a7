//! Windows counted from 1970, as both window algorithms see them.
//!
//! A value is (window · (full + 1) + used): it grows with use and with each window, so that the greater of two is the
//! later window or the fuller one. Windows are counted from a base, which is moved before values pass 2^62.

use super::meter::{Back, Moment, TOP, UNDATED, lead};
use super::options::LimitError;
use super::quota::{MILLION, Quota, Units};

/// The most units of a window: four windows at least can be told apart below [`TOP`].
const MOST_UNITS: u64 = TOP >> 2;

/// Costs are counted in millionths while a window holds at most so many of them, which leaves room for 2^20 windows; in
/// thousandths while it holds so many of those; else in whole tokens.
const MOST_FINE_UNITS: u64 = TOP >> 20;

/// The parts a token can be counted in, the finest first.
const GRAINS: [u64; 2] = [MILLION, 1_000];

/// The windows of one quota.
#[derive(Debug, Clone, Copy)]
pub(super) struct Windows {
    pub(super) units: Units,
    /// Between the values of two windows: one more than a full one.
    pub(super) step: u64,
    /// Nanoseconds of a window.
    pub(super) period: u64,
    /// Instants before this one are judged as this one; [`UNDATED`] until one is known.
    base: i64,
    /// The number of the window that values are counted from.
    base_window: i64,
    /// The last window that was asked for: the instant at which it begins, which may lie before all that can be told and
    /// then has wrapped, and the value of a key at rest in it.
    begin: i64,
    floor: u64,
}

impl Windows {
    pub(super) fn new(quota: &Quota) -> Result<Windows, LimitError> {
        let count = quota.count;
        if quota.burst.is_some() {
            return Err(LimitError::BurstOfWindow);
        }
        if count > MOST_UNITS {
            return Err(LimitError::TooMany { tokens: count });
        }
        let grain = GRAINS.into_iter().find(|grain| count <= MOST_FINE_UNITS / grain).unwrap_or(1);
        let units = Units::new(grain, count);
        let period = quota.per.nanos().unsigned_abs();
        let step = units.full + 1;
        Ok(Windows { units, step, period, base: UNDATED, base_window: 0, begin: UNDATED, floor: 0 })
    }

    #[inline(always)]
    pub(super) fn is_settled(&self, now: i64) -> bool {
        (now.max(self.base).wrapping_sub(self.begin) as u64) < self.period && (now == UNDATED || self.base != UNDATED)
    }

    pub(super) fn settle(&mut self, now: i64) -> u64 {
        if self.is_settled(now) {
            return 0;
        }
        if self.base == UNDATED {
            (self.base, self.base_window) = (now, now.div_euclid(self.period as i64));
        }
        self.go_to(now.max(self.base))
    }

    /// Makes the window of `instant` the current one, and moves the base if it is too far back.
    fn go_to(&mut self, instant: i64) -> u64 {
        let period = self.period as i64;
        let window = instant.div_euclid(period);
        self.begin = instant.wrapping_sub(instant.rem_euclid(period));
        let (most, mut shift) = (TOP / self.step, 0);
        if window.wrapping_sub(self.base_window) as u64 > most {
            // Half of the range stays behind: what is no further back is judged as it is given.
            let base_window = window - (most / 2) as i64;
            shift = (base_window.wrapping_sub(self.base_window) as u64).saturating_mul(self.step);
            (self.base, self.base_window) = (base_window * period, base_window);
        }
        self.floor = window.wrapping_sub(self.base_window) as u64 * self.step;
        shift
    }

    #[inline(always)]
    pub(super) fn moment(&self, now: i64) -> Moment {
        let instant = now.max(self.base);
        Moment { floor: self.floor, elapsed: instant.wrapping_sub(self.begin) as u64, lead: lead(now, instant) }
    }

    /// The values of the clock set back.
    pub(super) fn step_back(&mut self, to: i64) -> Back {
        let mut rise = 0;
        if to < self.base {
            let window = to.div_euclid(self.period as i64);
            rise = (self.base_window.wrapping_sub(window) as u64).saturating_mul(self.step);
            (self.base, self.base_window) = (to, window);
        }
        self.go_to(to);
        Back { rise, floor: self.floor }
    }

    /// The value of a cell after the clock was set back: if it was used in a later window, that is taken for the one that
    /// was set back to.
    pub(super) fn set_back(&self, value: u64, back: &Back) -> u64 {
        let later = value.saturating_add(back.rise) > back.floor + self.units.full;
        if value == 0 {
            0
        } else if later {
            back.floor + value % self.step
        } else {
            value + back.rise
        }
    }

    /// How far the window of a value that is `ahead` of the floor lies after this one: none where it is the same.
    pub(super) fn later(&self, moment: &Moment, ahead: u64) -> Option<Moment> {
        let windows = ahead / self.step;
        (windows > 0).then(|| Moment {
            floor: moment.floor + windows * self.step,
            elapsed: 0,
            lead: moment.lead.saturating_add(self.until(moment, windows)),
        })
    }

    /// Nanoseconds until the window begins that comes so many after this one; saturates.
    pub(super) fn until(&self, moment: &Moment, windows: u64) -> u64 {
        windows.saturating_mul(self.period).saturating_sub(moment.elapsed)
    }
}
