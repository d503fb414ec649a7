//! Stamps that write the month as a word: the access log's `17/May/2015:10:05:03 +0000`, syslog's `May 17 10:05:03` and
//! the C library's `Sun May 17 10:05:03 2015`.

use super::civil::{Clock, is_weekday, local_seconds, month_named};
use super::iso::fraction;
use super::scan::Text;
use super::year::NoYear;
use super::zone::{self, Names, Zone, ZoneText};
use super::{Found, Stamp};

/// `17/May/2015:10:05:03`.
const ACCESS_LOG_BYTES: usize = 20;
/// `Sun `, `May `, `2015`, `10:05:03`.
const WEEKDAY_BYTES: usize = 4;
const MONTH_BYTES: usize = 4;
const YEAR_BYTES: usize = 4;
const TIME_BYTES: usize = 8;

/// `17/May/2015:10:05:03`, with an offset or without.
pub(super) fn read_access_log(text: &mut Text, at: usize, zone: &Zone) -> Option<Found> {
    let block = text.block::<ACCESS_LOG_BYTES>(at)?;
    let shaped = block[2] == b'/' && block[6] == b'/' && block[11] == b':';
    let month = month_named([block[3], block[4], block[5]]).filter(|_| shaped)?;
    let (day, year) = (text.number::<2>(at)?, text.number::<4>(at + 7)?);
    let (time, end) = read_time(text, at + 12)?;
    let (named, end) = zone::read(text, end, Names::Any);
    Some(Found { stamp: dated(year, month, day, time, named, zone), end })
}

/// `May 17 10:05:03`, also with the year before the time.
pub(super) fn read_syslog(text: &mut Text, at: usize, zone: &Zone) -> Option<Found> {
    let (month, day, at) = read_month_and_day(text, at)?;
    let dated_at = text.number::<YEAR_BYTES>(at).filter(|_| text.has(at + YEAR_BYTES, b' '));
    let (time, end) = read_time(text, at + dated_at.map_or(0, |_| YEAR_BYTES + 1))?;
    let (named, end) = zone::read(text, end, Names::BeforeColon);
    if let Some(year) = dated_at {
        return Some(Found { stamp: dated(year, month, day, time, named, zone), end });
    }
    let no_year = named.offset().and_then(|offset| NoYear::new(month, day, time?, offset));
    Some(Found { stamp: no_year.map_or(Stamp::Bad, Stamp::NoYear), end })
}

/// `Sun May 17 10:05:03 2015`; `date` prints a zone before the year.
pub(super) fn read_ctime(text: &mut Text, at: usize, zone: &Zone) -> Option<Found> {
    let &[first, second, third, blank] = text.block::<WEEKDAY_BYTES>(at)?;
    if blank != b' ' || !is_weekday([first, second, third]) {
        return None;
    }
    let (month, day, at) = read_month_and_day(text, at + WEEKDAY_BYTES)?;
    let (time, end) = read_time(text, at)?;
    let (named, end) = zone::read(text, end, Names::Any);
    let year = text.number::<YEAR_BYTES>(end + 1).filter(|_| text.has(end, b' '))?;
    Some(Found { stamp: dated(year, month, day, time, named, zone), end: end + 1 + YEAR_BYTES })
}

pub(super) fn dated(year: u32, month: u32, day: u32, time: Option<Clock>, named: ZoneText, zone: &Zone) -> Stamp {
    let local = time.and_then(|clock| Some((local_seconds(year as i32, month, day, clock)?, clock.nanos)));
    Stamp::from_local(local, named, zone)
}

/// `May 17 `, `May  7 `, `May 07 ` or `May 7 `: month, day, and where the next word starts.
fn read_month_and_day(text: &mut Text, at: usize) -> Option<(u32, u32, usize)> {
    let &[first, second, third, blank] = text.block::<MONTH_BYTES>(at)?;
    let month = month_named([first, second, third]).filter(|_| blank == b' ')?;
    let at = at + MONTH_BYTES;
    let (day, end) = match text.number::<2>(at) {
        Some(day) => (day, at + 2),
        None => {
            let day_at = at + usize::from(text.has(at, b' '));
            (text.digit(day_at)?, day_at + 1)
        }
    };
    text.has(end, b' ').then_some((month, day, end + 1))
}

/// `10:05:03` with a fraction or without, and where it ends; no clock if the digits are no time of day.
pub(super) fn read_time(text: &mut Text, at: usize) -> Option<(Option<Clock>, usize)> {
    let block = text.block::<TIME_BYTES>(at)?;
    let (hour, minute, second) = (text.number::<2>(at)?, text.number::<2>(at + 3)?, text.number::<2>(at + 6)?);
    if block[2] != b':' || block[5] != b':' {
        return None;
    }
    let (nanos, end) = fraction(text, at + TIME_BYTES);
    Some((Clock::new(hour, minute, second, nanos), end))
}
