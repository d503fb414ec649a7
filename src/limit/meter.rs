//! What the algorithms have in common: a meter reads and raises the cells of one quota.

use super::options::LimitError;
use super::quota::{Quota, Units};
use crate::time::{Span, Timestamp};
use bytemuck::Zeroable;

/// The instant of records that come before any time is known.
pub(super) const UNDATED: i64 = Timestamp::MIN.nanos();

/// The highest value of a key at rest. Above it lie at most two full bursts, so that no sum passes 2^63.
pub(super) const TOP: u64 = 1 << 62;

/// What the cells of a quota are held against at one instant.
#[derive(Debug, Clone, Copy)]
pub(super) struct Moment {
    /// The value of a key at rest.
    pub(super) floor: u64,
    /// Nanoseconds since the window began (windows only).
    pub(super) elapsed: u64,
    /// Nanoseconds from the instant that was given to the one that is judged by.
    pub(super) lead: u64,
}

/// One quota under one algorithm.
///
/// The values of cells grow with time and with use, so that of two the greater is the stricter: a cell shared by several
/// keys holds the greatest of theirs, and the least of a key's cells is never under the truth.
pub(super) trait Meter: Copy {
    /// The state of a key. Zeroed memory is at rest.
    type Cell: Copy + Zeroable;
    /// A key's state as seen at one moment, at least its true one.
    type Standing: Copy;

    /// The meter of a quota, at rest.
    fn new(quota: &Quota) -> Result<Self, LimitError>;

    /// Tokens in its unit.
    fn units(&self) -> &Units;

    /// Whether `now` can be judged without [`Meter::settle`].
    fn is_settled(&self, now: i64) -> bool;

    /// Makes ready for `now`. Returns by how much all cells must be shifted down before they are read again.
    fn settle(&mut self, now: i64) -> u64;

    /// What cells are held against at `now`, which must be settled.
    fn moment(&self, now: i64) -> Moment;

    /// A cell as seen at a moment.
    fn read(&self, moment: &Moment, cell: &Self::Cell) -> Self::Standing;

    /// What two cells of a key tell of it together.
    fn least(one: Self::Standing, other: Self::Standing) -> Self::Standing;

    /// Whether a record of `cost` units is allowed.
    fn allows(&self, moment: &Moment, standing: Self::Standing, cost: u64) -> bool;

    /// The state after a record of `cost` units; never above full, unless it was.
    fn charge(&self, standing: Self::Standing, cost: u64) -> Self::Standing;

    /// Raises a cell so that it shows at least `standing`.
    fn write(&self, moment: &Moment, cell: &mut Self::Cell, standing: Self::Standing);

    /// A cell shifted down.
    fn shifted(&self, cell: &Self::Cell, shift: u64) -> Self::Cell;

    /// Prepares to judge from `to` on again, which lies back. Returns what [`Meter::set_back`] needs to know.
    fn step_back(&mut self, to: i64) -> Back;

    /// A cell after the clock was set back.
    fn set_back(&self, cell: &Self::Cell, back: &Back) -> Self::Cell;

    /// Whether a cell shows any use at a moment.
    fn is_used(&self, moment: &Moment, cell: &Self::Cell) -> bool;

    /// Whole tokens left.
    fn left(&self, moment: &Moment, standing: Self::Standing) -> u64;

    /// Nanoseconds until a record of `cost` units, which is no more than full, is allowed.
    fn wait(&self, moment: &Moment, standing: Self::Standing, cost: u64) -> u64;

    /// Nanoseconds until the key is at rest.
    fn rest(&self, moment: &Moment, standing: Self::Standing) -> u64;

    /// The moment a key's state belongs to, where that lies after this one: its cells must be read anew there to tell
    /// how long it waits.
    fn later(&self, _moment: &Moment, _standing: Self::Standing) -> Option<Moment> {
        None
    }
}

/// The clock set back, in the values of one quota.
#[derive(Debug, Clone, Copy)]
pub(super) struct Back {
    /// By how much all cells rise because values are counted from an earlier instant.
    pub(super) rise: u64,
    /// The value of a key at rest at the instant that was set back to.
    pub(super) floor: u64,
}

/// Nanoseconds as a span; saturates.
pub(super) fn span(nanos: u64) -> Span {
    Span::from_nanos(i64::try_from(nanos).unwrap_or(i64::MAX))
}

/// Nanoseconds from `now` to the later `instant` by which it is judged; none where no instant was given.
#[inline(always)]
pub(super) fn lead(now: i64, instant: i64) -> u64 {
    if now == UNDATED { 0 } else { instant.wrapping_sub(now) as u64 }
}
