//! Event time: an instant and a length of it, both plain integers, both saturating.
//!
//! The library never asks for the time. Whoever calls it says what time it is, in any unit that is used throughout:
//! nanoseconds since 1970 for clocks, or a count of records.

/// An instant: nanoseconds since 1970-01-01T00:00:00Z (1677 to 2262), or a record's number under a count clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Timestamp(i64);

/// A length of time in the unit of [`Timestamp`]: nanoseconds, or records.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Span(i64);

/// Nanoseconds in a second.
pub const NANOS_PER_SECOND: i64 = 1_000_000_000;

impl Timestamp {
    /// The earliest instant that can be held.
    pub const MIN: Timestamp = Timestamp(i64::MIN);
    /// The latest instant that can be held.
    pub const MAX: Timestamp = Timestamp(i64::MAX);

    /// An instant from nanoseconds since 1970 (or a record's number).
    pub const fn from_nanos(nanos: i64) -> Timestamp {
        Timestamp(nanos)
    }

    /// An instant from whole seconds since 1970 and nanoseconds within the second; beyond the range it saturates.
    pub const fn from_seconds(seconds: i64, nanos: u32) -> Timestamp {
        let exact = seconds as i128 * NANOS_PER_SECOND as i128 + nanos as i128;
        Timestamp(if exact > i64::MAX as i128 {
            i64::MAX
        } else if exact < i64::MIN as i128 {
            i64::MIN
        } else {
            exact as i64
        })
    }

    /// Nanoseconds since 1970 (or the record's number).
    pub const fn nanos(self) -> i64 {
        self.0
    }

    /// The instant `span` later; saturates.
    #[must_use]
    pub const fn plus(self, span: Span) -> Timestamp {
        Timestamp(self.0.saturating_add(span.0))
    }

    /// The instant `span` earlier; saturates.
    #[must_use]
    pub const fn minus(self, span: Span) -> Timestamp {
        Timestamp(self.0.saturating_sub(span.0))
    }

    /// How far this instant lies after `earlier` (negative when it lies before it); saturates.
    pub const fn since(self, earlier: Timestamp) -> Span {
        Span(self.0.saturating_sub(earlier.0))
    }
}

impl Span {
    /// No time at all.
    pub const ZERO: Span = Span(0);
    /// The longest span that can be held (292 years of nanoseconds).
    pub const MAX: Span = Span(i64::MAX);

    /// A span from nanoseconds (or records).
    pub const fn from_nanos(nanos: i64) -> Span {
        Span(nanos)
    }

    /// A span from whole seconds; saturates.
    pub const fn from_seconds(seconds: i64) -> Span {
        Span(seconds.saturating_mul(NANOS_PER_SECOND))
    }

    /// Nanoseconds (or records).
    pub const fn nanos(self) -> i64 {
        self.0
    }

    /// This span `times` over; saturates.
    #[must_use]
    pub const fn times(self, times: i64) -> Span {
        Span(self.0.saturating_mul(times))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arithmetic_saturates_instead_of_wrapping() {
        assert_eq!(Timestamp::MAX.plus(Span::from_nanos(1)), Timestamp::MAX);
        assert_eq!(Timestamp::MIN.minus(Span::from_nanos(1)), Timestamp::MIN);
        assert_eq!(Timestamp::MAX.since(Timestamp::MIN), Span::MAX);
        assert_eq!(Timestamp::from_seconds(i64::MAX, 0), Timestamp::MAX);
        assert_eq!(Span::from_seconds(i64::MAX), Span::MAX);
        assert_eq!(Span::from_seconds(2).times(i64::MAX), Span::MAX);
    }

    #[test]
    fn seconds_and_nanos_make_one_instant_on_both_sides_of_1970() {
        assert_eq!(Timestamp::from_seconds(1, 5).nanos(), 1_000_000_005);
        assert_eq!(Timestamp::from_seconds(-1, 5).nanos(), -999_999_995);
    }
}
