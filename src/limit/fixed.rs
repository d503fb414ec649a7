//! The fixed window: a cell is the value of [`Windows`], one number.

use super::meter::{Back, Meter, Moment};
use super::options::LimitError;
use super::quota::{Quota, Units};
use super::windows::Windows;

/// One quota in fixed windows.
#[derive(Debug, Clone, Copy)]
pub(super) struct Fixed(Windows);

impl Meter for Fixed {
    type Cell = u64;
    /// Units used in this window; more than full where the key was used in a later one.
    type Standing = u64;

    fn new(quota: &Quota) -> Result<Self, LimitError> {
        Windows::new(quota).map(Fixed)
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
    fn read(&self, moment: &Moment, cell: &u64) -> u64 {
        cell.saturating_sub(moment.floor)
    }

    #[inline(always)]
    fn least(one: u64, other: u64) -> u64 {
        one.min(other)
    }

    #[inline(always)]
    fn allows(&self, _moment: &Moment, used: u64, cost: u64) -> bool {
        let full = self.0.units.full;
        cost == 0 || (cost <= full && used <= full - cost)
    }

    #[inline(always)]
    fn charge(&self, used: u64, cost: u64) -> u64 {
        used.max(used.saturating_add(cost).min(self.0.units.full))
    }

    #[inline(always)]
    fn write(&self, moment: &Moment, cell: &mut u64, used: u64) {
        *cell = (*cell).max(moment.floor + used);
    }

    fn shifted(&self, cell: &u64, shift: u64) -> u64 {
        cell.saturating_sub(shift)
    }

    fn step_back(&mut self, to: i64) -> Back {
        self.0.step_back(to)
    }

    fn set_back(&self, cell: &u64, back: &Back) -> u64 {
        self.0.set_back(*cell, back)
    }

    fn is_used(&self, moment: &Moment, cell: &u64) -> bool {
        self.read(moment, cell) > 0
    }

    fn left(&self, _moment: &Moment, used: u64) -> u64 {
        self.0.units.full.saturating_sub(used) / self.0.units.token
    }

    fn wait(&self, moment: &Moment, used: u64, cost: u64) -> u64 {
        if self.allows(moment, used, cost) { 0 } else { self.0.until(moment, 1) }
    }

    fn rest(&self, moment: &Moment, used: u64) -> u64 {
        if used == 0 { 0 } else { self.0.until(moment, 1) }
    }

    fn later(&self, moment: &Moment, used: u64) -> Option<Moment> {
        self.0.later(moment, used)
    }
}
