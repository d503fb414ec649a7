//! klog's stamps, `I0301 10:00:00.123456`: a level's letter, month and day, a time of day with microseconds. glog since
//! 0.6 writes the year before the month. Neither writes a zone.

use super::months::{dated, read_time};
use super::scan::Text;
use super::year::NoYear;
use super::zone::{Zone, ZoneText};
use super::{Found, Stamp};

const YEAR_BYTES: usize = 4;
const DATE_BYTES: usize = 4;
const TIME_BYTES: usize = 8;
/// Both always write microseconds. Nothing else tells such a stamp from an id with a time behind it.
const FRACTION_DIGITS: usize = 6;

/// The stamp behind the letter at `at`. In a field of its own the letter may be missing, as where it is a field too.
#[inline(never)]
pub(super) fn read(text: &mut Text, at: usize, zone: &Zone) -> Option<Found> {
    let has_level = is_level(text.byte(at)?);
    if !has_level && !text.whole {
        return None;
    }
    let start = at + usize::from(has_level);
    let year = text.number::<YEAR_BYTES>(start).filter(|_| !text.has(start + DATE_BYTES, b' '));
    let date = start + year.map_or(0, |_| YEAR_BYTES);
    let (month, day) = (text.number::<2>(date)?, text.number::<2>(date + 2)?);
    let time_at = date + DATE_BYTES + 1;
    let fraction = time_at + TIME_BYTES;
    let shaped = text.has(time_at - 1, b' ')
        && text.has(fraction, b'.')
        && text.digits(fraction + 1, FRACTION_DIGITS + 1) == FRACTION_DIGITS;
    let (time, end) = read_time(text, time_at).filter(|_| shaped)?;
    let stamp = match year {
        Some(year) => dated(year, month, day, time, ZoneText::Absent, zone),
        None => time.and_then(|time| NoYear::new(month, day, time, None)).map_or(Stamp::Bad, Stamp::NoYear),
    };
    Some(Found { stamp, end })
}

fn is_level(byte: u8) -> bool {
    matches!(byte, b'I' | b'W' | b'E' | b'F')
}

/// How long the letter is that such a stamp stands behind and that is no part of it. A stamp of any other form that is
/// found without being asked for has none: no digit follows the letters of a month or a day of the week so soon.
pub(super) fn level_length(line: &[u8]) -> usize {
    usize::from(matches!(line, [letter, digit, ..] if is_level(*letter) && digit.is_ascii_digit()))
}
