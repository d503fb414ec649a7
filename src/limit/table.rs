//! The cells of all quotas, and the two loops over them.
//!
//! A key has one place on each level; there the cells of all quotas lie side by side, so that another quota is another
//! word of the same cache line and not another line.

use super::decision::Decision;
use super::meter::{Meter, Moment, UNDATED, span};
use super::options::{LimitError, LimiterOptions};
use super::quota::{Cost, Quota};
use crate::levels::{MAX_LEVELS, place};
use crate::memory::zeroed;
use crate::processor::prefetch;
use crate::time::Span;

/// Keys whose cells are brought near ahead of the one that is judged. A core keeps some 10 to 16 cache lines in flight;
/// with four levels these are 64 lines, enough to keep them busy through the longest of misses.
const AHEAD: usize = 16;

/// Quotas of one algorithm and their cells.
#[derive(Debug)]
pub(super) struct Table<M: Meter> {
    meters: Vec<M>,
    cells: Vec<M::Cell>,
    levels: usize,
    /// Places of a level.
    places: u32,
    strict: bool,
    /// The latest instant that was given.
    last: i64,
    /// Where the cells of the next keys are, a row of levels each: the n-th key's is row n % [`AHEAD`]. Kept so that no
    /// memory is asked for.
    ahead: Vec<usize>,
}

impl<M: Meter> Table<M> {
    pub(super) fn new(quotas: &[Quota], options: &LimiterOptions) -> Result<Self, LimitError> {
        let meters: Vec<M> = quotas.iter().map(M::new).collect::<Result<_, _>>()?;
        if meters.is_empty() {
            return Err(LimitError::NoQuotas);
        }
        let levels = options.levels as usize;
        if levels == 0 || levels > MAX_LEVELS {
            return Err(LimitError::Levels(options.levels));
        }
        let places = match u32::try_from(options.cells) {
            Ok(places) if places > 0 => places,
            _ => return Err(LimitError::Cells(options.cells)),
        };
        let cells = u64::from(places).saturating_mul((levels * meters.len()) as u64);
        let too_large = LimitError::TooLarge { memory: cells.saturating_mul(size_of::<M::Cell>() as u64) };
        let length = usize::try_from(cells).map_err(|_| too_large)?;
        let cells = zeroed(length).ok_or(too_large)?;
        Ok(Table {
            meters,
            cells,
            levels,
            places,
            strict: options.strict,
            last: UNDATED,
            ahead: vec![0; AHEAD * levels],
        })
    }

    /// Says of each key in turn whether it is allowed; `rest` gives the cost and the instant of the i-th.
    pub(super) fn allow_batch(&mut self, hashes: &[u64], rest: impl Fn(usize) -> (Cost, i64), allowed: &mut [bool]) {
        self.each(hashes, |table, index, at| {
            let (cost, now) = rest(index);
            table.prepare(now);
            allowed[index] = table.allow(at, cost, now);
        });
    }

    /// Decides on each key in turn.
    pub(super) fn limit_batch(
        &mut self,
        hashes: &[u64],
        rest: impl Fn(usize) -> (Cost, i64),
        decisions: &mut [Decision],
    ) {
        self.each(hashes, |table, index, at| {
            let (cost, now) = rest(index);
            table.prepare(now);
            decisions[index] = table.limit(at, cost, now);
        });
    }

    /// Hands each key's number and places to `judge`, with the cells of the next ones on their way.
    #[inline(always)]
    fn each(&mut self, hashes: &[u64], mut judge: impl FnMut(&mut Self, usize, &[usize])) {
        let mut ahead = std::mem::take(&mut self.ahead);
        let levels = self.levels;
        for (row, hash) in ahead.chunks_exact_mut(levels).zip(hashes) {
            self.fetch(*hash, row);
        }
        let rows = (0..AHEAD).cycle().map(|row| row * levels..(row + 1) * levels);
        for (index, row) in (0..hashes.len()).zip(rows) {
            let row = &mut ahead[row];
            judge(self, index, row);
            if let Some(next) = hashes.get(index + AHEAD) {
                self.fetch(*next, row);
            }
        }
        self.ahead = ahead;
    }

    /// Notes where the cells of a key are, and brings them near.
    #[inline(always)]
    fn fetch(&self, hash: u64, row: &mut [usize]) {
        for (level, at) in row.iter_mut().enumerate() {
            *at = self.first_cell(hash, level);
            prefetch(&self.cells, *at);
            if self.meters.len() > 1 {
                prefetch(&self.cells, *at + self.meters.len() - 1);
            }
        }
    }

    /// Where the cells of a key on a level begin: that of the first quota.
    #[inline(always)]
    fn first_cell(&self, hash: u64, level: usize) -> usize {
        (level * self.places as usize + place(hash, level, self.places)) * self.meters.len()
    }

    /// Makes all quotas ready for `now`.
    #[inline(always)]
    fn prepare(&mut self, now: i64) {
        self.last = self.last.max(now);
        if !self.meters.iter().all(|meter| meter.is_settled(now)) {
            self.settle(now);
        }
    }

    #[cold]
    #[inline(never)]
    fn settle(&mut self, now: i64) {
        let quotas = self.meters.len();
        for (quota, meter) in self.meters.iter_mut().enumerate() {
            let shift = meter.settle(now);
            if shift > 0 {
                for cell in self.cells.iter_mut().skip(quota).step_by(quotas) {
                    *cell = meter.shifted(cell, shift);
                }
            }
        }
    }

    /// What a key's cells, which begin at `at`, tell of it at a moment.
    #[inline(always)]
    fn look(&self, quota: usize, moment: &Moment, at: &[usize]) -> M::Standing {
        let meter = &self.meters[quota];
        let read = |first: usize| meter.read(moment, &self.cells[first + quota]);
        at[1..].iter().fold(read(at[0]), |standing, first| M::least(standing, read(*first)))
    }

    /// Raises a key's cells.
    #[inline(always)]
    fn commit(&mut self, quota: usize, moment: &Moment, at: &[usize], standing: M::Standing) {
        let meter = self.meters[quota];
        for first in at {
            meter.write(moment, &mut self.cells[first + quota], standing);
        }
    }

    /// Whether a record is allowed; what it costs is charged.
    #[inline(always)]
    fn allow(&mut self, at: &[usize], cost: Cost, now: i64) -> bool {
        if let [meter] = self.meters.as_slice() {
            let (meter, moment) = (*meter, meter.moment(now));
            let units = meter.units().of(cost);
            let standing = self.look(0, &moment, at);
            let allowed = meter.allows(&moment, standing, units);
            if (allowed || self.strict) && units > 0 {
                self.commit(0, &moment, at, meter.charge(standing, units));
            }
            return allowed;
        }
        let allowed = self.all_allow(at, cost, now);
        if (allowed || self.strict) && cost != Cost::ZERO {
            for quota in 0..self.meters.len() {
                let meter = self.meters[quota];
                let moment = meter.moment(now);
                let standing = self.look(quota, &moment, at);
                self.commit(quota, &moment, at, meter.charge(standing, meter.units().of(cost)));
            }
        }
        allowed
    }

    #[inline(always)]
    fn all_allow(&self, at: &[usize], cost: Cost, now: i64) -> bool {
        self.meters.iter().enumerate().all(|(quota, meter)| {
            let moment = meter.moment(now);
            meter.allows(&moment, self.look(quota, &moment, at), meter.units().of(cost))
        })
    }

    /// Decides on a record for which all quotas are ready; what it costs is charged.
    #[inline(always)]
    fn limit(&mut self, at: &[usize], cost: Cost, now: i64) -> Decision {
        if self.meters.len() == 1 {
            return self.limit_one(0, at, cost, now, true);
        }
        let allowed = self.all_allow(at, cost, now);
        let parts = (0..self.meters.len()).map(|quota| self.limit_one(quota, at, cost, now, allowed));
        parts.fold(Decision::FREE, Decision::and)
    }

    /// The part of one quota in a decision, where the others allow the record or do not; what it costs is charged.
    #[inline(always)]
    fn limit_one(&mut self, quota: usize, at: &[usize], cost: Cost, now: i64, others_allow: bool) -> Decision {
        let meter = self.meters[quota];
        let (moment, units) = (meter.moment(now), meter.units().of(cost));
        let before = self.look(quota, &moment, at);
        let allowed = others_allow && meter.allows(&moment, before, units);
        let charged = (allowed || self.strict) && units > 0;
        let after = if charged { meter.charge(before, units) } else { before };
        let part = explain(&meter, &moment, after, |then| self.look(quota, then, at), units, allowed);
        if charged {
            self.commit(quota, &moment, at, after);
        }
        part
    }

    /// What [`Table::limit`] would decide.
    pub(super) fn peek(&self, hash: u64, cost: Cost, now: i64) -> Decision {
        // As the table would be then: its quotas ready, and the key's cells shifted.
        let ready = |(quota, meter): (usize, &M)| {
            let mut meter = *meter;
            let shift = meter.settle(now);
            let look = move |moment: &Moment| {
                let read = |level| {
                    let cell = &self.cells[self.first_cell(hash, level) + quota];
                    if shift == 0 { meter.read(moment, cell) } else { meter.read(moment, &meter.shifted(cell, shift)) }
                };
                (1..self.levels).fold(read(0), |standing, level| M::least(standing, read(level)))
            };
            (meter, meter.moment(now), meter.units().of(cost), look)
        };
        let quotas = || self.meters.iter().enumerate().map(ready);
        let allowed = quotas().all(|(meter, moment, units, look)| meter.allows(&moment, look(&moment), units));
        let parts = quotas().map(|(meter, moment, units, look)| {
            let before = look(&moment);
            let charged = (allowed || self.strict) && units > 0;
            let after = if charged { meter.charge(before, units) } else { before };
            explain(&meter, &moment, after, look, units, allowed)
        });
        parts.fold(Decision::FREE, Decision::and)
    }

    /// The clock was set back: no cell may hold more than a full debt at `to`.
    pub(super) fn step_back(&mut self, to: i64) {
        if to >= self.last || to == UNDATED {
            return;
        }
        let quotas = self.meters.len();
        for (quota, meter) in self.meters.iter_mut().enumerate() {
            let back = meter.step_back(to);
            for cell in self.cells.iter_mut().skip(quota).step_by(quotas) {
                *cell = meter.set_back(cell, &back);
            }
        }
        self.last = to;
    }

    /// Of each level the share of cells that show use at `now`; of several quotas the greatest.
    pub(super) fn fill_at(&self, now: i64) -> Vec<f64> {
        let quotas = self.meters.len();
        let level_cells = self.places as usize * quotas;
        let share = |level: &[M::Cell], quota: usize| {
            let mut meter = self.meters[quota];
            let shift = meter.settle(now);
            let moment = meter.moment(now);
            let cells = level.iter().skip(quota).step_by(quotas);
            cells.filter(|cell| meter.is_used(&moment, &meter.shifted(cell, shift))).count() as f64
                / f64::from(self.places)
        };
        let greatest = |level| (0..quotas).map(|quota| share(level, quota)).fold(0.0, f64::max);
        self.cells.chunks(level_cells).map(greatest).collect()
    }

    pub(super) fn memory_bytes(&self) -> u64 {
        size_of_val(self.cells.as_slice()) as u64
    }

    pub(super) fn levels(&self) -> u32 {
        self.levels as u32
    }

    pub(super) fn cells(&self) -> u64 {
        self.places.into()
    }

    pub(super) fn quotas(&self) -> usize {
        self.meters.len()
    }

    pub(super) fn last(&self) -> Option<i64> {
        (self.last != UNDATED).then_some(self.last)
    }
}

/// The part of one quota in a decision: what it has to say of a key that stands at `after`, the record having been
/// charged or not. `look` tells what is known of the key at another moment.
#[inline(always)]
fn explain<M: Meter>(
    meter: &M,
    moment: &Moment,
    after: M::Standing,
    look: impl Fn(&Moment) -> M::Standing,
    cost: u64,
    allowed: bool,
) -> Decision {
    let units = meter.units();
    // Where the key was used later than now, it waits from there on; nothing is charged to a window that has passed.
    let (then, standing) = match meter.later(moment, after) {
        Some(then) => (then, look(&then)),
        None => (*moment, after),
    };
    let never = cost > units.full;
    let wait = || match meter.allows(moment, after, cost) {
        true => Span::ZERO,
        false => span(then.lead.saturating_add(meter.wait(&then, standing, cost))),
    };
    let rest = meter.rest(&then, standing);
    Decision {
        allowed,
        limit: units.at_once,
        remaining: meter.left(moment, after),
        retry_after: (!allowed && !never).then(wait),
        never,
        reset_after: if rest == 0 { Span::ZERO } else { span(then.lead.saturating_add(rest)) },
    }
}
