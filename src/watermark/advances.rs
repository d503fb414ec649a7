//! The pace of a stream: how far its clock moves at a time, and how far it may be expected to move next.
//!
//! Only the last 512 to 1,023 advances count, so that a stream that slows down is soon known for a slow one. They are
//! kept as two blocks of sums, the one being filled and the one before it, and nothing is divided until it is asked for.

use crate::time::Span;

/// Advances a block holds: enough for a mean, and few enough that weekly records after a dense log show their pace within
/// the 32 that are taken on trust (32 weeks over 1,023 advances, 200 times: 43 days).
pub(super) const BLOCK: u32 = 512;

/// An advance is expected up to this many times the mean. In sixteen real logs the widest over a day was 181 times the
/// mean (the firewall of a small site), but for one of 281 times (the installations on a Windows system), which is
/// doubted. Where records come independently of each other it is hardly ever over ten.
pub(super) const MEANS: i128 = 200;

/// An advance is expected up to this many times the second largest, which holds a regular stream tighter than its mean
/// does: in hourly records a stamp two days ahead is doubted, in daily ones a month; daily ones may pause for three weeks.
/// Where the pace was known, the widest real advance over a day was 5 times the second largest.
pub(super) const SECONDS: i128 = 24;

/// The advances of a stream's clock.
#[derive(Debug, Clone, Default)]
pub(super) struct Advances {
    filling: Block,
    before: Block,
}

/// What is kept of some advances.
#[derive(Debug, Clone, Copy, Default)]
struct Block {
    count: u32,
    largest: Span,
    second_largest: Span,
    /// The sum of all but the largest; wide, because the clock may step back and advance anew.
    rest: i128,
}

impl Advances {
    /// Notes an advance, which is more than nothing.
    #[inline(always)]
    pub(super) fn add(&mut self, advance: Span) {
        self.filling.add(advance);
        if self.filling.count == BLOCK {
            self.before = std::mem::take(&mut self.filling);
        }
    }

    /// How far the clock may be expected to advance at once, as far as the pace tells; `None` where two advances are not
    /// known yet. The largest does not count: it may be false itself, or a pause.
    pub(super) fn expected(&self) -> Option<Span> {
        let all = self.before.and(self.filling);
        let others = all.count.checked_sub(1).filter(|others| *others > 0)?;
        let by_mean = all.rest * MEANS / i128::from(others);
        let by_second = i128::from(all.second_largest.nanos()) * SECONDS;
        Some(Span::from_nanos(i64::try_from(by_mean.min(by_second)).unwrap_or(i64::MAX)))
    }
}

impl Block {
    #[inline(always)]
    fn add(&mut self, advance: Span) {
        self.count += 1;
        if advance <= self.second_largest {
            self.rest += i128::from(advance.nanos());
            return;
        }
        let smaller = advance.min(self.largest);
        self.largest = advance.max(self.largest);
        self.second_largest = smaller;
        self.rest += i128::from(smaller.nanos());
    }

    /// Two blocks as one.
    fn and(self, other: Block) -> Block {
        let smaller = self.largest.min(other.largest);
        Block {
            count: self.count + other.count,
            largest: self.largest.max(other.largest),
            second_largest: self.second_largest.max(other.second_largest).max(smaller),
            rest: self.rest + other.rest + i128::from(smaller.nanos()),
        }
    }
}
