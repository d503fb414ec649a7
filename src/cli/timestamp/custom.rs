//! A stamp in the user's own format (`--time-format`), read by jiff's `strptime`.
//!
//! This is the slow way (a tenth of a microsecond a stamp, and an allocation for each text that does not fit), for the
//! stamps that nobody foresaw.

use super::civil::Clock;
use super::scan::Text;
use super::year::NoYear;
use super::zone::{self, Names, Zone, ZoneText};
use super::{Found, Stamp};
use grudge::time::{Span, Timestamp};
use jiff::civil::DateTime;
use jiff::fmt::strtime::{self, BrokenDownTime};
use jiff::tz::{Offset, TimeZone};

/// A format that is known to name an instant, or one without a year.
#[derive(Debug, Clone)]
pub(super) struct Pattern {
    format: String,
    /// The format ended in `%Z`, which `strptime` does not read: the name is read here, like that of any other stamp.
    ends_in_zone: bool,
}

/// A text longer than this is not looked at again for a leap second; no stamp is.
const LEAP_TEXT_BYTES: usize = 64;

impl Pattern {
    /// Checks a format by writing and reading a sample with it.
    pub(super) fn new(option: &str) -> Result<Pattern, String> {
        let (format, ends_in_zone) = match option.strip_suffix("%Z") {
            // `%%Z` is a percent sign and a Z.
            Some(rest) if !rest.ends_with('%') => (rest.trim_end(), true),
            _ => (option, false),
        };
        if !format.contains('%') {
            return Err(format!(
                "--time-format {option:?} has no %-directive: give a pattern such as '%d.%m.%Y %H:%M:%S', or the unit \
                 of an epoch: s, ms, us or ns"
            ));
        }
        let sample = jiff::civil::date(2024, 3, 5).at(10, 11, 12, 123_456_789);
        let sample = sample.to_zoned_datetime(TimeZone::UTC).map_err(|error| error.to_string())?;
        let unreadable = |error| format!("--time-format {option:?} cannot be read with: {error}; try other directives");
        let written = strtime::format(format, &sample).map_err(unreadable)?;
        let read = strtime::parse(format, &written).map_err(unreadable)?;
        match stamp_of(&read, ZoneText::Absent, &Zone::UTC) {
            Stamp::At(_) | Stamp::NoYear(_) => Ok(Pattern { format: format.to_owned(), ends_in_zone }),
            Stamp::None | Stamp::Bad => Err(format!(
                "--time-format {option:?} names no date: a stamp needs at least month and day, such as %m-%d or %b %d, \
                 better with a year (%Y), and the time after it without gaps (%H:%M:%S)"
            )),
        }
    }

    /// The stamp at `at`. What follows it may be anything, except more digits of its last number.
    pub(super) fn read(&self, text: &mut Text, at: usize, zone: &Zone) -> Option<Found> {
        let whole = text.whole;
        let bytes = text.rest(at);
        let Ok((read, length)) = BrokenDownTime::parse_prefix(&self.format, bytes) else {
            // Nothing says how far it was right. A field with a digit in it was meant as a time.
            let meant = whole && bytes.iter().any(u8::is_ascii_digit);
            return meant.then_some(Found { stamp: Stamp::Bad, end: text.len() });
        };
        let mut end = at + length;
        let mut named = ZoneText::Absent;
        if self.ends_in_zone {
            (named, end) = zone::read(text, end, Names::Any);
            if named == ZoneText::Absent {
                text.miss_zone();
                named = ZoneText::Unknown;
            }
        }
        let cut_number = length > 0 && bytes[length - 1].is_ascii_digit() && text.digit(at + length).is_some();
        if length == 0 || cut_number {
            return None;
        }
        let mut stamp = stamp_of(&read, named, zone);
        if read.second() == Some(59) && self.is_leap_second(&bytes[..length], &read) {
            stamp = stamp.at_last_nanosecond();
        }
        Some(Found { stamp, end })
    }

    /// Whether the seconds were written as 60. `strptime` reads that as 59, and does not tell; so the digits are
    /// replaced wherever they stand: they were the seconds if with 59 in their place everything is read as before.
    fn is_leap_second(&self, bytes: &[u8], read: &BrokenDownTime) -> bool {
        let mut copy = [0; LEAP_TEXT_BYTES];
        let Some(copy) = copy.get_mut(..bytes.len()) else { return false };
        copy.copy_from_slice(bytes);
        (0..copy.len().saturating_sub(1)).any(|at| {
            if &copy[at..at + 2] != b"60" {
                return false;
            }
            copy[at..at + 2].copy_from_slice(b"59");
            let same = BrokenDownTime::parse(&self.format, &*copy).is_ok_and(|again| {
                let clock = |time: &BrokenDownTime| (time.hour(), time.minute(), time.second());
                let date = |time: &BrokenDownTime| (time.to_date().ok(), time.month(), time.day());
                let rest = |time: &BrokenDownTime| (time.subsec_nanosecond(), time.offset(), time.timestamp());
                clock(&again) == clock(read) && date(&again) == date(read) && rest(&again) == rest(read)
            });
            copy[at..at + 2].copy_from_slice(b"60");
            same
        })
    }
}

/// What the parts read say: an instant, a time without a year, or nothing that exists.
fn stamp_of(read: &BrokenDownTime, named: ZoneText, zone: &Zone) -> Stamp {
    let Some(named) = named.offset() else { return Stamp::Bad };
    let offset = named.or_else(|| read.offset().map(Offset::seconds));
    if let Some(instant) = read.timestamp() {
        let nanos = read.subsec_nanosecond().unwrap_or(0);
        return Stamp::At(saturated(instant).plus(Span::from_nanos(i64::from(nanos))));
    }
    if read.iana_time_zone().is_some() {
        return match read.to_zoned_datetime() {
            Ok(zoned) => Stamp::At(saturated(zoned.timestamp())),
            Err(_) => Stamp::Bad,
        };
    }
    if let Ok(wall) = read.to_datetime() {
        return Stamp::At(zone.instant_at(local_seconds(wall), wall.subsec_nanosecond() as u32, offset));
    }
    no_year_of(read, offset).map_or(Stamp::Bad, Stamp::NoYear)
}

fn no_year_of(read: &BrokenDownTime, offset: Option<i32>) -> Option<NoYear> {
    if read.year().is_some() {
        return None;
    }
    let time = read.to_time().ok()?;
    let nanos = time.subsec_nanosecond() as u32;
    let clock = Clock::new(time.hour() as u32, time.minute() as u32, time.second() as u32, nanos)?;
    NoYear::new(read.month()? as u32, read.day()? as u32, clock, offset)
}

fn local_seconds(wall: DateTime) -> i64 {
    // Only the last hours of the year 9999 are out of jiff's range, and far out of ours.
    Offset::UTC.to_timestamp(wall).map_or(i64::MAX, |instant| instant.as_second())
}

fn saturated(instant: jiff::Timestamp) -> Timestamp {
    let nanos = instant.as_nanosecond().clamp(i128::from(i64::MIN), i128::from(i64::MAX));
    Timestamp::from_nanos(nanos as i64)
}
