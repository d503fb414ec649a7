//! The sliding window: the count of this window, and the share of the last one's that a window of one period ending now
//! would still see if that had been used evenly.
//!
//! With `elapsed` of this window gone, a record is allowed while
//! previous · (period - elapsed) + (used + cost) · period <= full · period, in 128 bits, so that nothing is rounded.
//!
//! A cell is two numbers: the value of [`Windows`], and what was used in the window before that one.

use super::meter::{Back, Meter, Moment};
use super::options::LimitError;
use super::quota::{Quota, Units};
use super::windows::Windows;
use bytemuck::Zeroable;

/// One quota in sliding windows.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sliding(Windows);

/// The counts of a key, or of all that share a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Zeroable)]
#[repr(C)]
pub(super) struct Counts {
    /// The value of the last window the key was used in.
    value: u64,
    /// Units used in the window before that.
    previous: u64,
}

/// A key's counts in the window of a moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Used {
    /// Units used in this window; more than full where the key was used in a later one.
    now: u64,
    /// Units used in the window before.
    before: u64,
}

impl Sliding {
    /// The counts of a cell in the window that begins at the value `floor`, which is no earlier than the cell's own.
    #[inline(always)]
    fn rolled(&self, cell: &Counts, floor: u64) -> Used {
        match cell.value.checked_sub(floor) {
            Some(now) => Used { now, before: cell.previous },
            // One window on, what was used is what was used before; two on it is forgotten.
            None => Used { now: 0, before: (cell.value + self.0.step).saturating_sub(floor) },
        }
    }

    /// What is left of the last window's use, in units · nanoseconds.
    #[inline(always)]
    fn share(&self, moment: &Moment, used: Used) -> u128 {
        u128::from(used.before) * u128::from(self.0.period - moment.elapsed)
    }

    /// The first nanosecond of a window at which `before` leaves room for `free` units.
    fn room_at(&self, before: u64, free: u64) -> u64 {
        let period = self.0.period;
        // before · (period - elapsed) <= free · period
        match (u128::from(free) * u128::from(period)).checked_div(before.into()) {
            Some(left) => period - left.min(period.into()) as u64,
            None => 0,
        }
    }
}

impl Meter for Sliding {
    type Cell = Counts;
    type Standing = Used;

    fn new(quota: &Quota) -> Result<Self, LimitError> {
        Windows::new(quota).map(Sliding)
    }

    #[inline(always)]
    fn units(&self) -> &Units {
        &self.0.units
    }

    #[inline(always)]
    fn is_settled(&self, now: i64) -> bool {
        self.0.is_settled(now)
    }

    fn settle(&mut self, now: i64) -> u64 {
        self.0.settle(now)
    }

    #[inline(always)]
    fn moment(&self, now: i64) -> Moment {
        self.0.moment(now)
    }

    #[inline(always)]
    fn read(&self, moment: &Moment, cell: &Counts) -> Used {
        let used = self.rolled(cell, moment.floor);
        // The cell of a later window does not know the one before this.
        if used.now > self.0.units.full { Used { before: self.0.units.full, ..used } } else { used }
    }

    #[inline(always)]
    fn least(one: Used, other: Used) -> Used {
        // Each count on its own: each is at least the truth.
        Used { now: one.now.min(other.now), before: one.before.min(other.before) }
    }

    #[inline(always)]
    fn allows(&self, moment: &Moment, used: Used, cost: u64) -> bool {
        let full = self.0.units.full;
        if cost == 0 {
            return true;
        }
        if cost > full || used.now > full - cost {
            return false;
        }
        self.share(moment, used) <= u128::from(full - cost - used.now) * u128::from(self.0.period)
    }

    #[inline(always)]
    fn charge(&self, used: Used, cost: u64) -> Used {
        Used { now: used.now.max(used.now.saturating_add(cost).min(self.0.units.full)), ..used }
    }

    #[inline(always)]
    fn write(&self, moment: &Moment, cell: &mut Counts, used: Used) {
        let (rolled, full) = (self.rolled(cell, moment.floor), self.0.units.full);
        if rolled.now <= full {
            *cell = Counts { value: moment.floor + rolled.now.max(used.now), previous: rolled.before };
        } else if rolled.now - self.0.step <= full && used.now <= full {
            // The cell is one window ahead: this one is the one before it.
            cell.previous = cell.previous.max(used.now);
        }
    }

    fn shifted(&self, cell: &Counts, shift: u64) -> Counts {
        let rolled = self.rolled(cell, shift);
        Counts { value: rolled.now, previous: rolled.before }
    }

    fn step_back(&mut self, to: i64) -> Back {
        self.0.step_back(to)
    }

    fn set_back(&self, cell: &Counts, back: &Back) -> Counts {
        Counts { value: self.0.set_back(cell.value, back), ..*cell }
    }

    fn is_used(&self, moment: &Moment, cell: &Counts) -> bool {
        self.rolled(cell, moment.floor) != Used { now: 0, before: 0 }
    }

    fn left(&self, moment: &Moment, used: Used) -> u64 {
        let share = self.share(moment, used).div_ceil(self.0.period.into()) as u64;
        self.0.units.full.saturating_sub(used.now).saturating_sub(share) / self.0.units.token
    }

    fn wait(&self, moment: &Moment, used: Used, cost: u64) -> u64 {
        let full = self.0.units.full;
        let at = match (full - cost).checked_sub(used.now) {
            Some(free) => self.room_at(used.before, free),
            // Not in this window; in the next, this one is the one before.
            None => self.0.period + self.room_at(used.now, full - cost),
        };
        at.saturating_sub(moment.elapsed)
    }

    fn rest(&self, moment: &Moment, used: Used) -> u64 {
        match used {
            Used { now: 0, before: 0 } => 0,
            Used { now: 0, .. } => self.0.until(moment, 1),
            _ => self.0.until(moment, 2),
        }
    }

    fn later(&self, moment: &Moment, used: Used) -> Option<Moment> {
        self.0.later(moment, used.now)
    }
}
