//! When generations change.

use crate::sketch::UNDATED;
use crate::time::{Span, Timestamp};

/// The period that runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Periods {
    period: Span,
    /// Where it ends and the next begins; `None` before the first real instant.
    end: Option<Timestamp>,
}

impl Periods {
    pub(super) fn new(period: Span) -> Periods {
        Periods { period, end: None }
    }

    pub(super) fn period(&self) -> Span {
        self.period
    }

    /// How many periods have ended by `at`.
    #[inline]
    pub(super) fn ended_by(&self, at: Timestamp) -> u64 {
        match self.end {
            // A period that would end at the end of time does not end.
            Some(end) if at >= end && end < Timestamp::MAX => 1 + whole_periods(end, at, self.period),
            _ => 0,
        }
    }

    /// Whether something changes when the time is `at`: the first period begins, or one ends.
    #[inline]
    pub(super) fn change_at(&self, at: Timestamp) -> bool {
        self.ended_by(at) > 0 || self.end.is_none() && at != UNDATED
    }

    /// The time is `at`: how many periods have ended since it was last told. An earlier time ends none.
    #[inline]
    pub(super) fn advance(&mut self, at: Timestamp) -> u64 {
        if self.end.is_none() && at != UNDATED {
            self.end = Some(at.plus(self.period));
        }
        let ended = self.ended_by(at);
        if ended > 0 {
            self.shift(ended.into());
        }
        ended
    }

    /// Moves the period that runs back by whole periods until it has begun at `to`.
    pub(super) fn step_back(&mut self, to: Timestamp) {
        let Some(end) = self.end else { return };
        let start = end.minus(self.period);
        if to < start {
            let back = whole_periods(to, start.minus(Span::from_nanos(1)), self.period) + 1;
            self.shift(-i128::from(back));
        }
    }

    fn shift(&mut self, periods: i128) {
        if let Some(end) = self.end {
            let shifted = i128::from(end.nanos()) + periods * i128::from(self.period.nanos());
            let nanos = i64::try_from(shifted).unwrap_or(if shifted < 0 { i64::MIN } else { i64::MAX });
            self.end = Some(Timestamp::from_nanos(nanos));
        }
    }
}

/// Whole periods from one instant to a later one.
fn whole_periods(from: Timestamp, to: Timestamp, period: Span) -> u64 {
    let apart = i128::from(to.nanos()) - i128::from(from.nanos());
    u64::try_from(apart / i128::from(period.nanos())).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const fn at(nanos: i64) -> Timestamp {
        Timestamp::from_nanos(nanos)
    }

    proptest! {
        #[test]
        fn as_many_periods_end_as_the_integers_say(
            first in -1000i64..1000, period in 1i64..50, steps in prop::collection::vec(-50i64..200, 1..50),
        ) {
            let mut periods = Periods::new(Span::from_nanos(period));
            periods.advance(at(first));
            let (mut now, mut latest, mut ended) = (first, first, 0);
            for step in steps {
                now += step;
                let foreseen = periods.ended_by(at(now));
                prop_assert_eq!(periods.change_at(at(now)), foreseen > 0);
                prop_assert_eq!(periods.advance(at(now)), foreseen);
                ended += foreseen as i64;
                latest = latest.max(now);
                prop_assert_eq!(ended, (latest - first) / period);
            }
        }

        #[test]
        fn a_step_back_keeps_the_borders_where_they_would_have_been(first in -1000i64..1000, period in 1i64..50, back in 0i64..2000) {
            let mut periods = Periods::new(Span::from_nanos(period));
            periods.advance(at(first));
            periods.step_back(at(first - back));
            let end = periods.end.unwrap().nanos();
            prop_assert!(end > first - back && end - period <= first - back);
            prop_assert_eq!((end - first).rem_euclid(period), 0);
        }
    }

    #[test]
    fn the_ends_of_time_are_no_trouble() {
        let mut periods = Periods::new(Span::MAX);
        assert_eq!(periods.advance(UNDATED), 0);
        assert_eq!(periods.advance(at(5)), 0);
        assert_eq!(periods.advance(Timestamp::MAX), 0);
        periods.step_back(Timestamp::MIN);
        let mut periods = Periods::new(Span::from_nanos(1));
        periods.advance(at(i64::MIN + 1));
        assert_eq!(periods.advance(Timestamp::MAX), u64::MAX - 1);
        periods.step_back(Timestamp::MIN);
        assert_eq!(periods.advance(at(i64::MIN + 1)), 1);
    }
}
