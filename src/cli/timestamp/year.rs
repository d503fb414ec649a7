//! Stamps without a year, and the rule that adds one.

use super::civil::{Clock, LAST_NANOSECOND, SECONDS_PER_DAY, days_in_month, local_seconds, year_of};
use super::zone::Zone;
use grudge::time::{NANOS_PER_SECOND, Span, Timestamp};

/// The year of a first record about which nothing is known. A leap year, so that every date exists; the same in every
/// run, so that a result never depends on the day it was made.
const UNKNOWN_YEAR: i32 = 2000;

/// The longest way from any year to one with a February 29: 1897 to 1904, as 1900 had none.
const YEARS_TO_A_LEAP_DAY: i32 = 8;

/// A date this near the previous record needs no look at the years beside it: they are at least 365 - 182 days away.
const SURELY_NEAREST: Span = Span::from_seconds(182 * SECONDS_PER_DAY);

/// A month, a day and a time of day, as syslog writes them. The day exists in some year.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NoYear {
    month: u8,
    day: u8,
    clock: Clock,
    /// The offset that the stamp itself named.
    offset: Option<i32>,
}

impl NoYear {
    /// Nothing if no year has the day.
    pub(super) fn new(month: u32, day: u32, clock: Clock, offset: Option<i32>) -> Option<NoYear> {
        let exists = day != 0 && day <= days_in_month(UNKNOWN_YEAR, month);
        exists.then_some(NoYear { month: month as u8, day: day as u8, clock, offset })
    }

    /// The same, at the last nanosecond of its second.
    pub(super) fn at_last_nanosecond(mut self) -> NoYear {
        self.clock.nanos = LAST_NANOSECOND;
        self
    }

    /// The instant in a given year, if the year has the day.
    fn in_year(self, year: i32, zone: &Zone) -> Option<Timestamp> {
        let local = local_seconds(year, u32::from(self.month), u32::from(self.day), self.clock)?;
        Some(zone.instant_at(local, self.clock.nanos, self.offset))
    }
}

/// Which year a stamp without one belongs to: the year nearest the previous record. The first record has none before
/// it; it takes the year given, else the latest year in which it does not lie after a given instant, else 2000.
#[derive(Debug, Clone)]
pub struct YearRule {
    pub(super) zone: Zone,
    pub(super) first_year: Option<i32>,
    pub(super) latest: Option<Timestamp>,
}

impl YearRule {
    /// The stamp's instant. A February 29 goes to the nearest (or latest) year that has one.
    #[must_use]
    pub fn resolve(&self, stamp: NoYear, previous: Option<Timestamp>) -> Timestamp {
        let dated = match (previous, self.first_year, self.latest) {
            (Some(previous), _, _) => self.nearest_to(stamp, previous),
            (None, Some(year), _) => self.first_in(stamp, nearest_years(year)),
            (None, None, Some(latest)) => self.latest_until(stamp, latest),
            (None, None, None) => None,
        };
        // Every day exists in the leap year 2000, and an instant that cannot be held saturates.
        dated.or_else(|| stamp.in_year(UNKNOWN_YEAR, &self.zone)).unwrap_or_default()
    }

    fn nearest_to(&self, stamp: NoYear, previous: Timestamp) -> Option<Timestamp> {
        let distance = |instant: Timestamp| instant.max(previous).since(instant.min(previous));
        let year = self.year_at(previous);
        let same_year = stamp.in_year(year, &self.zone);
        if same_year.is_some_and(|instant| distance(instant) < SURELY_NEAREST) {
            return same_year;
        }
        (year - YEARS_TO_A_LEAP_DAY..=year + YEARS_TO_A_LEAP_DAY)
            .filter_map(|year| stamp.in_year(year, &self.zone))
            .min_by_key(|&instant| distance(instant))
    }

    fn latest_until(&self, stamp: NoYear, latest: Timestamp) -> Option<Timestamp> {
        let year = self.year_at(latest);
        // An offset in the stamp may put it into the year after on its own clock.
        let years = (year - YEARS_TO_A_LEAP_DAY..=year + 1).rev();
        years.filter_map(|year| stamp.in_year(year, &self.zone)).find(|&instant| instant <= latest)
    }

    fn first_in(&self, stamp: NoYear, mut years: impl Iterator<Item = i32>) -> Option<Timestamp> {
        years.find_map(|year| stamp.in_year(year, &self.zone))
    }

    fn year_at(&self, instant: Timestamp) -> i32 {
        year_of(self.zone.local(instant.nanos().div_euclid(NANOS_PER_SECOND)))
    }
}

/// A year and its neighbours, nearest first, the earlier of two equally near before the later.
fn nearest_years(year: i32) -> impl Iterator<Item = i32> {
    (0..=YEARS_TO_A_LEAP_DAY).flat_map(move |away| [year.saturating_sub(away), year.saturating_add(away)])
}

#[cfg(test)]
mod tests {
    use super::super::{Stamp, StampOptions, StampReader};
    use super::*;

    fn rule(first_year: Option<i32>, latest: Option<&str>) -> YearRule {
        YearRule { zone: Zone::UTC, first_year, latest: latest.map(instant) }
    }

    fn instant(text: &str) -> Timestamp {
        Timestamp::from_nanos(text.parse::<jiff::Timestamp>().unwrap().as_nanosecond() as i64)
    }

    fn no_year(text: &str) -> NoYear {
        match StampReader::new(StampOptions::default()).unwrap().leading(text.as_bytes()).0 {
            Stamp::NoYear(stamp) => stamp,
            other => panic!("{text:?} was read as {other:?}"),
        }
    }

    #[test]
    fn new_year_is_one_step_forward_and_a_late_line_one_step_back() {
        let rule = rule(Some(2025), None);
        let mut previous = None;
        let lines = [
            ("Dec 31 23:59:58 host", "2025-12-31T23:59:58Z"),
            ("Dec 31 23:59:59 host", "2025-12-31T23:59:59Z"),
            ("Jan  1 00:00:00 host", "2026-01-01T00:00:00Z"),
            ("Dec 31 23:59:59 other", "2025-12-31T23:59:59Z"),
            ("Jan  1 00:01:00 host", "2026-01-01T00:01:00Z"),
            ("Jun 30 00:00:00 host", "2026-06-30T00:00:00Z"),
            ("Nov 11 00:00:00 host", "2026-11-11T00:00:00Z"),
            ("Feb  2 00:00:00 host", "2027-02-02T00:00:00Z"),
        ];
        for (line, expected) in lines {
            let got = rule.resolve(no_year(line), previous);
            assert_eq!(got, instant(expected), "{line}");
            previous = Some(got);
        }
    }

    #[test]
    fn the_first_year_comes_from_what_is_known() {
        let cases = [
            ("Mar  1 10:00:00", rule(None, None), "2000-03-01T10:00:00Z"),
            ("Feb 29 10:00:00", rule(None, None), "2000-02-29T10:00:00Z"),
            ("Mar  1 10:00:00", rule(Some(2025), None), "2025-03-01T10:00:00Z"),
            ("Mar  1 10:00:00", rule(Some(2025), Some("2020-01-01T00:00:00Z")), "2025-03-01T10:00:00Z"),
            ("Mar  1 10:00:00", rule(None, Some("2024-03-02T00:00:00Z")), "2024-03-01T10:00:00Z"),
            ("Mar  1 10:00:00", rule(None, Some("2024-03-01T10:00:00Z")), "2024-03-01T10:00:00Z"),
            ("Mar  1 10:00:00", rule(None, Some("2024-03-01T09:59:59Z")), "2023-03-01T10:00:00Z"),
            ("Feb 29 10:00:00", rule(None, Some("2026-01-01T00:00:00Z")), "2024-02-29T10:00:00Z"),
            ("Feb 29 10:00:00", rule(None, Some("1903-01-01T00:00:00Z")), "1896-02-29T10:00:00Z"),
            ("Feb 29 10:00:00", rule(Some(2025), None), "2024-02-29T10:00:00Z"),
            ("Feb 29 10:00:00", rule(Some(2027), None), "2028-02-29T10:00:00Z"),
        ];
        for (line, rule, expected) in cases {
            assert_eq!(rule.resolve(no_year(line), None), instant(expected), "{line} by {rule:?}");
        }
    }

    #[test]
    fn a_leap_day_goes_to_the_nearest_year_that_has_one() {
        let rule = rule(None, None);
        let cases = [
            ("2024-02-28T10:00:00Z", "2024-02-29T10:00:00Z"),
            ("2024-03-01T10:00:00Z", "2024-02-29T10:00:00Z"),
            ("2025-12-31T10:00:00Z", "2024-02-29T10:00:00Z"),
            ("2026-03-02T10:00:00Z", "2028-02-29T10:00:00Z"),
            ("1899-06-01T10:00:00Z", "1896-02-29T10:00:00Z"),
        ];
        for (previous, expected) in cases {
            let got = rule.resolve(no_year("Feb 29 10:00:00"), Some(instant(previous)));
            assert_eq!(got, instant(expected), "after {previous}");
        }
    }

    #[test]
    fn extremes_do_not_overflow() {
        for stamp in [no_year("Jan  1 00:00:00"), no_year("Feb 29 10:00:00"), no_year("Dec 31 23:59:60")] {
            for previous in [Timestamp::MIN, Timestamp::MAX] {
                let _ = rule(None, None).resolve(stamp, Some(previous));
                let latest = YearRule { zone: Zone::UTC, first_year: None, latest: Some(previous) };
                let _ = latest.resolve(stamp, None);
            }
            assert_eq!(rule(Some(9999), None).resolve(stamp, None), Timestamp::MAX);
            let _ = rule(Some(i32::MAX), None).resolve(stamp, None);
            let _ = rule(Some(i32::MIN), None).resolve(stamp, None);
        }
    }
}
