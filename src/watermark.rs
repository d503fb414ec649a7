//! The event-time clock: the largest stamp so far.
//!
//! **Answers** what time it is in a stream whose records carry their own stamps, not quite in order. A record that comes
//! late is judged at the watermark, never at an earlier time, so that no age is ever negative. O(1) memory and cost.

use crate::time::{Span, Timestamp};

/// The clock of a stream.
#[derive(Debug, Clone, Default)]
pub struct Watermark {
    now: Option<Timestamp>,
    late: u64,
    greatest_lag: Span,
}

impl Watermark {
    /// A clock that has seen no stamp.
    pub fn new() -> Watermark {
        Watermark::default()
    }

    /// Takes a record's stamp and gives the time at which it is to be judged.
    #[inline(always)]
    pub fn advance(&mut self, stamp: Timestamp) -> Timestamp {
        match self.now {
            Some(now) if stamp < now => {
                self.late += 1;
                self.greatest_lag = self.greatest_lag.max(now.since(stamp));
                now
            }
            _ => {
                self.now = Some(stamp);
                stamp
            }
        }
    }

    /// The largest stamp so far; `None` before the first.
    pub fn now(&self) -> Option<Timestamp> {
        self.now
    }

    /// Records whose stamp was before the watermark.
    pub fn late(&self) -> u64 {
        self.late
    }

    /// How far the latest of them was behind.
    pub fn greatest_lag(&self) -> Span {
        self.greatest_lag
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn it_is_the_running_maximum(stamps in prop::collection::vec(-50i64..50, 0..200)) {
            let mut watermark = Watermark::new();
            let mut largest = i64::MIN;
            let (mut late, mut lag) = (0, 0);
            for stamp in stamps {
                late += u64::from(stamp < largest);
                largest = largest.max(stamp);
                lag = lag.max(largest - stamp);
                prop_assert_eq!(watermark.advance(Timestamp::from_nanos(stamp)).nanos(), largest);
            }
            prop_assert_eq!((watermark.late(), watermark.greatest_lag().nanos()), (late, lag));
        }
    }
}
