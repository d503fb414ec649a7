//! Instants to ticks: the time to live cut into 2^20 parts, counted from the first instant.

use super::Seen;
use crate::time::{Span, Timestamp};

/// A ttl is 2^20 ticks, so a key is forgotten less than a millionth of the ttl early.
pub(super) const TTL_TICKS_LOG2: u32 = 20;

/// Instants as ticks: floor((t - origin) · 2^20 / ttl).
///
/// For two instants a ttl or more apart the ticks differ by at least 2^20 whatever the origin, so no key is remembered
/// too long; for two less than a ttl apart by at most 2^20, so it is forgotten at most one tick early.
#[derive(Debug, Clone)]
pub(super) struct Ticks {
    ttl: Span,
    /// The first instant, which is tick 0; keys entered before it carry tick 0 too.
    origin: Option<Timestamp>,
    /// The last answer: successive records mostly carry the same instant, and the division is the dear part.
    last: (Timestamp, i64),
}

impl Ticks {
    pub(super) fn new(ttl: Span) -> Ticks {
        Ticks { ttl, origin: None, last: (Seen::UNDATED, 0) }
    }

    pub(super) fn ttl(&self) -> Span {
        self.ttl
    }

    #[inline(always)]
    pub(super) fn at(&mut self, now: Timestamp) -> i64 {
        if now == self.last.0 {
            return self.last.1;
        }
        self.compute(now)
    }

    fn compute(&mut self, now: Timestamp) -> i64 {
        if now == Seen::UNDATED {
            return 0;
        }
        let origin = *self.origin.get_or_insert(now);
        let tick = ticks_in(now.since(origin), self.ttl);
        self.last = (now, tick);
        tick
    }
}

/// The span that so many ticks last, to the nearest.
pub(super) fn span_of(ticks: u64, ttl: Span) -> Span {
    let doubled = (i128::from(ticks) * i128::from(ttl.nanos())) >> (TTL_TICKS_LOG2 - 1);
    Span::from_nanos(i64::try_from((doubled + 1) >> 1).unwrap_or(i64::MAX))
}

/// floor(span · 2^20 / ttl), modulo 2^64: only differences of ticks count, and those far smaller.
fn ticks_in(span: Span, ttl: Span) -> i64 {
    /// Below this both shifted numbers fit 64 bits, whose division is several times as fast (17,592 s in nanoseconds).
    const NARROW: i64 = 1 << (i64::BITS - 1 - TTL_TICKS_LOG2);
    let (span, ttl) = (span.nanos(), ttl.nanos());
    if (0..NARROW).contains(&span) {
        return (span << TTL_TICKS_LOG2) / ttl;
    }
    let wide = (i128::from(span) << TTL_TICKS_LOG2).div_euclid(i128::from(ttl));
    wide as i64
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const TTL: i64 = 1 << TTL_TICKS_LOG2;

    proptest! {
        #[test]
        fn a_ttl_apart_is_always_told_and_less_is_at_most_a_tick_early(
            origin in any::<i32>(), start in any::<i32>(), ttl in 1i64..1 << 40, gap in 0i64..1 << 41,
        ) {
            let mut ticks = Ticks::new(Span::from_nanos(ttl));
            ticks.at(Timestamp::from_nanos(origin.into()));
            let start = i64::from(start) << 8;
            let apart = ticks.at(Timestamp::from_nanos(start + gap)) - ticks.at(Timestamp::from_nanos(start));
            if gap >= ttl {
                prop_assert!(apart >= TTL);
            } else {
                prop_assert!(apart <= TTL);
                // Forgotten early only within the last tick.
                let early = apart == TTL;
                prop_assert!(!early || (ttl - gap) as i128 * (TTL as i128) < ttl as i128);
            }
        }

        #[test]
        fn whole_seconds_are_exact_up_to_twelve_days(seconds in 1i64..1 << 20, less in 1i64..1 << 20, start in any::<u32>()) {
            let mut ticks = Ticks::new(Span::from_seconds(seconds));
            let at = |seconds: i64| Timestamp::from_seconds(seconds, 0);
            ticks.at(at(0));
            let start = i64::from(start);
            let before = start + (seconds - less).max(0);
            prop_assert!(ticks.at(at(before)) - ticks.at(at(start)) < TTL);
            prop_assert!(ticks.at(at(start + seconds)) - ticks.at(at(start)) >= TTL);
        }
    }

    #[test]
    fn undated_is_the_first_instant_and_ticks_come_round() {
        let mut ticks = Ticks::new(Span::from_nanos(1));
        assert_eq!(ticks.at(Seen::UNDATED), 0);
        assert_eq!(ticks.at(Timestamp::from_nanos(-7)), 0);
        assert_eq!(ticks.at(Timestamp::from_nanos(-6)), TTL);
        let at = |ticks: &mut Ticks, nanos: i64| ticks.at(Timestamp::from_nanos(nanos));
        assert_eq!(at(&mut ticks, 1 << 50).wrapping_sub(at(&mut ticks, (1 << 50) - 1)), TTL);
        assert_eq!(ticks.at(Timestamp::from_nanos(-8)), -TTL);
        assert_eq!(ticks.at(Seen::UNDATED), 0);
    }
}
