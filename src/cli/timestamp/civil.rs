//! The calendar and the clock on the wall: days since 1970, months, leap years and leap seconds.

use grudge::time::NANOS_PER_SECOND;

pub(super) const SECONDS_PER_MINUTE: i64 = 60;
pub(super) const SECONDS_PER_HOUR: i64 = 60 * SECONDS_PER_MINUTE;
pub(super) const SECONDS_PER_DAY: i64 = 24 * SECONDS_PER_HOUR;

/// The Gregorian calendar repeats after this many years, and this many days.
const YEARS_PER_ERA: i64 = 400;
const DAYS_PER_ERA: i64 = 146_097;
/// Days from 0000-03-01, where the reckoning below starts, to 1970-01-01.
const DAYS_BEFORE_1970: i64 = 719_468;
const DAYS_PER_YEAR: i64 = 365;
const FEBRUARY: u32 = 2;
/// The last year of four digits.
const LAST_YEAR: i32 = 9999;

/// A leap second has no place of its own in the count of seconds since 1970. It lands on the last nanosecond of its
/// minute: after everything before it, and before the next minute.
const LEAP_SECOND: u32 = 60;
pub(super) const LAST_NANOSECOND: u32 = (NANOS_PER_SECOND - 1) as u32;

/// A time of day, checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Clock {
    /// Seconds since midnight.
    pub(super) seconds: u32,
    pub(super) nanos: u32,
}

impl Clock {
    pub(super) const MIDNIGHT: Clock = Clock { seconds: 0, nanos: 0 };

    /// The time of day, or nothing if no clock shows it. A second of 60 is taken in any minute; 61 never was one.
    pub(super) fn new(hour: u32, minute: u32, second: u32, nanos: u32) -> Option<Clock> {
        let (second, nanos) = if second == LEAP_SECOND { (LEAP_SECOND - 1, LAST_NANOSECOND) } else { (second, nanos) };
        (hour < 24 && minute < 60 && second < LEAP_SECOND).then_some(Clock {
            seconds: hour * SECONDS_PER_HOUR as u32 + minute * SECONDS_PER_MINUTE as u32 + second,
            nanos,
        })
    }
}

/// Seconds from 1970-01-01T00:00:00 to this date and time on the same wall clock, or nothing if the calendar has no
/// such day.
pub(super) fn local_seconds(year: i32, month: u32, day: u32, clock: Clock) -> Option<i64> {
    let days = days_from_civil(year, month, day)?;
    Some(days * SECONDS_PER_DAY + i64::from(clock.seconds))
}

/// Days from 1970-01-01 to a date, after Howard Hinnant: the year starts in March, so that the leap day is its last and
/// the lengths of the months before any date follow one straight line (153 days in 5 months).
#[inline]
fn days_from_civil(year: i32, month: u32, day: u32) -> Option<i64> {
    if day == 0 || day > days_in_month(year, month) {
        return None;
    }
    let after_february = month > FEBRUARY;
    // One era on, so that the March before the year 0 is no negative number. Years outside four digits are far beyond
    // what an instant can hold; the nearest of four digits saturates just like them.
    let year = (year.clamp(0, LAST_YEAR) + YEARS_PER_ERA as i32) as u32 - u32::from(!after_february);
    let month_from_march = if after_february { month - 3 } else { month + 9 };
    let centuries = year / 100;
    let days = year * DAYS_PER_YEAR as u32 + year / 4 - centuries + centuries / 4;
    let day_of_year = (153 * month_from_march + 2) / 5 + day - 1;
    Some(i64::from(days + day_of_year) - DAYS_PER_ERA - DAYS_BEFORE_1970)
}

/// The year in which a second since 1970 lies (on the same wall clock): the way back of [`days_from_civil`].
pub(super) fn year_of(seconds: i64) -> i32 {
    let days = seconds.div_euclid(SECONDS_PER_DAY) + DAYS_BEFORE_1970;
    let era = days.div_euclid(DAYS_PER_ERA);
    let day_of_era = days.rem_euclid(DAYS_PER_ERA);
    // Take out the leap days: one after 4 years (1,461 days), none after 100 (36,524), one after 400.
    let year_of_era =
        (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / (DAYS_PER_ERA - 1)) / DAYS_PER_YEAR;
    let day_of_year = day_of_era - (DAYS_PER_YEAR * year_of_era + year_of_era / 4 - year_of_era / 100);
    // The tenth month from March is January: day 306 of a year that starts in March.
    let after_new_year = i64::from(day_of_year >= 306);
    (era * YEARS_PER_ERA + year_of_era + after_new_year) as i32
}

/// How many days a month has; none if there is no such month.
pub(super) fn days_in_month(year: i32, month: u32) -> u32 {
    match month {
        FEBRUARY => 28 + u32::from(is_leap(year)),
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => 0,
    }
}

pub(super) fn is_leap(year: i32) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

/// The number of the month that three letters name, in any case.
pub(super) fn month_named(name: [u8; 3]) -> Option<u32> {
    Some(match &name.map(|byte| byte.to_ascii_lowercase()) {
        b"jan" => 1,
        b"feb" => 2,
        b"mar" => 3,
        b"apr" => 4,
        b"may" => 5,
        b"jun" => 6,
        b"jul" => 7,
        b"aug" => 8,
        b"sep" => 9,
        b"oct" => 10,
        b"nov" => 11,
        b"dec" => 12,
        _ => return None,
    })
}

/// Whether three letters name a day of the week. Which one is not held against the date.
pub(super) fn is_weekday(name: [u8; 3]) -> bool {
    let name = name.map(|byte| byte.to_ascii_lowercase());
    matches!(&name, b"mon" | b"tue" | b"wed" | b"thu" | b"fri" | b"sat" | b"sun")
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::civil::date;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn days_and_years_agree_with_jiff(year in 0_i16..=9999, month in 0_i8..=13, day in 0_i8..=32) {
            let twin = jiff::civil::Date::new(year, month, day).ok().map(|day| {
                (day - date(1970, 1, 1)).get_days()
            });
            let ours = days_from_civil(i32::from(year), month as u32, day as u32);
            prop_assert_eq!(ours, twin.map(i64::from));
            if let Some(days) = ours {
                prop_assert_eq!(year_of(days * SECONDS_PER_DAY), i32::from(year));
                prop_assert_eq!(year_of(days * SECONDS_PER_DAY + SECONDS_PER_DAY - 1), i32::from(year));
            }
        }
    }

    #[test]
    fn a_leap_second_is_the_last_nanosecond_of_its_minute() {
        assert_eq!(Clock::new(23, 59, 60, 0), Some(Clock { seconds: 86_399, nanos: 999_999_999 }));
        assert_eq!(Clock::new(23, 59, 60, 500_000_000), Clock::new(23, 59, 60, 0));
        assert_eq!(Clock::new(23, 59, 61, 0), None);
        assert_eq!(Clock::new(24, 0, 0, 0), None);
        assert_eq!(Clock::new(0, 60, 0, 0), None);
    }

    #[test]
    fn names_are_read_in_any_case() {
        assert_eq!(month_named(*b"Jan"), Some(1));
        assert_eq!(month_named(*b"DEC"), Some(12));
        assert_eq!(month_named(*b"Foo"), None);
        assert!(is_weekday(*b"Sun") && !is_weekday(*b"Jan"));
    }
}
