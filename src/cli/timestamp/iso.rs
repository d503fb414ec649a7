//! RFC 3339 and its cousins: `2026-03-01T10:00:00.123Z`, `2026-03-01 10:00:00,123`, `2026/03/01 10:00:00 +0530`.

use super::civil::{Clock, local_seconds};
use super::scan::{Text, closes};
use super::zone::{self, Names, Zone, ZoneText};
use super::{Found, Stamp};

/// `YYYY-MM-DDTHH:MM:SS` and its parts.
const STAMP_BYTES: usize = 19;
const DATE_BYTES: usize = 10;
const MINUTES_BYTES: usize = 5;

/// Digits of a second's fraction that are kept: nanoseconds.
const NANO_DIGITS: usize = 9;

/// The stamp at `at`. The date and time of day stand at fixed positions and are read as three words of eight bytes.
#[inline(always)]
pub(super) fn read(text: &mut Text, at: usize, zone: &Zone) -> Option<Found> {
    let fixed = text.block::<STAMP_BYTES>(at).and_then(fixed_digits);
    let Some((year, [month, day, hour, minute, second])) = fixed else {
        return if text.whole { read_short(text, at, zone) } else { None };
    };
    let (nanos, end) = fraction(text, at + STAMP_BYTES);
    let (named, end) = zone::read(text, end, Names::Any);
    let local = Clock::new(hour, minute, second, nanos)
        .and_then(|clock| Some((local_seconds(year, month, day, clock)?, clock.nanos)));
    Some(Found { stamp: Stamp::from_local(local, named, zone), end })
}

/// What only a field that the user named may be: a date alone (its midnight), or a time without seconds.
#[cold]
fn read_short(text: &mut Text, at: usize, zone: &Zone) -> Option<Found> {
    let date = text.block::<DATE_BYTES>(at)?;
    let slash = date[4];
    let wanted_slash = matches!(slash, b'-' | b'/') && date[7] == slash;
    let (year, month, day) = (text.number::<4>(at)?, text.number::<2>(at + 5)?, text.number::<2>(at + 8)?);
    if !wanted_slash {
        return None;
    }
    let mut clock = Some(Clock::MIDNIGHT);
    let (mut named, mut end) = (ZoneText::Absent, at + DATE_BYTES);
    let time_at = end + 1;
    if text.byte(end).is_some_and(separates)
        && text.has(time_at + 2, b':')
        && let (Some(hour), Some(minute)) = (text.number::<2>(time_at), text.number::<2>(time_at + 3))
    {
        clock = Clock::new(hour, minute, 0, 0);
        (named, end) = zone::read(text, time_at + MINUTES_BYTES, Names::Any);
    }
    let local = clock.and_then(|clock| Some((local_seconds(year as i32, month, day, clock)?, clock.nanos)));
    Some(Found { stamp: Stamp::from_local(local, named, zone), end })
}

/// Between date and time.
fn separates(byte: u8) -> bool {
    matches!(byte, b'T' | b't' | b' ' | b'\t')
}

/// Year, and month, day, hour, minute and second, if digits and separators stand where they should.
///
/// Exclusive-or with the expected text leaves 0 at each separator and the digit's value at each digit, so one test for
/// each eight bytes finds anything else.
fn fixed_digits(block: &[u8; STAMP_BYTES]) -> Option<(i32, [u32; 5])> {
    const DASHED: u64 = u64::from_le_bytes(*b"0000-00-");
    const SLASHED: u64 = u64::from_le_bytes(*b"0000/00/");
    const TIME: u64 = u64::from_le_bytes(*b"00:00:00");
    const DATE_SEPARATORS: u64 = u64::from_le_bytes([0, 0, 0, 0, 0xff, 0, 0, 0xff]);
    const TIME_SEPARATORS: u64 = u64::from_le_bytes([0, 0, 0xff, 0, 0, 0xff, 0, 0]);

    let word = |from: usize| block[from..].first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes));
    let date = word(0) ^ if block[4] == b'/' { SLASHED } else { DASHED };
    let time = word(DATE_BYTES + 1) ^ TIME;
    let day = [block[8].wrapping_sub(b'0'), block[9].wrapping_sub(b'0')];
    let shaped = all_digits(date)
        && all_digits(time)
        && date & DATE_SEPARATORS == 0
        && time & TIME_SEPARATORS == 0
        && day[0] <= 9
        && day[1] <= 9
        && separates(block[DATE_BYTES]);
    if !shaped {
        return None;
    }
    let (date, time) = (date.to_le_bytes(), time.to_le_bytes());
    let pair = |tens: u8, ones: u8| u32::from(tens) * 10 + u32::from(ones);
    let year = pair(date[0], date[1]) * 100 + pair(date[2], date[3]);
    let rest = [
        pair(date[5], date[6]),
        pair(day[0], day[1]),
        pair(time[0], time[1]),
        pair(time[3], time[4]),
        pair(time[6], time[7]),
    ];
    Some((year as i32, rest))
}

/// Whether each of the eight bytes is at most nine. Adding six carries into the high half of a byte from ten on; a byte
/// that already has a high half fails by itself, so it does not matter what it carries into its neighbour.
fn all_digits(word: u64) -> bool {
    const SIXES: u64 = u64::from_le_bytes([6; 8]);
    const HIGH_HALVES: u64 = u64::from_le_bytes([0xf0; 8]);
    (word | word.wrapping_add(SIXES)) & HIGH_HALVES == 0
}

/// The fraction of a second at `at`, in nanoseconds, and where it ends (`at` if there is none). Digits beyond nine are
/// cut.
///
/// A dot without digits belongs to the stamp only if a zone follows (`10:00:00.Z`); otherwise it ends a sentence. A
/// comma is often a column's separator, so it belongs to the stamp only before 3, 6 or 9 digits that end as a fraction
/// would.
#[inline(always)]
pub(super) fn fraction(text: &mut Text, at: usize) -> (u32, usize) {
    match text.byte(at) {
        Some(b'.') => match text.digits(at + 1, usize::MAX) {
            0 if !zone::is_attached(text, at + 1) => (0, at),
            digits => (nanos(text, at + 1, digits), at + 1 + digits),
        },
        Some(b',') => comma_fraction(text, at),
        _ => (0, at),
    }
}

fn comma_fraction(text: &mut Text, at: usize) -> (u32, usize) {
    let digits = text.digits(at + 1, NANO_DIGITS + 1);
    let end = at + 1 + digits;
    let ended = match text.byte(end) {
        None | Some(b' ' | b'\t' | b'\r') => true,
        Some(byte) => closes(byte) || matches!(zone::read_attached(text, end).0, ZoneText::Offset(_)),
    };
    if matches!(digits, 3 | 6 | NANO_DIGITS) && ended { (nanos(text, at + 1, digits), end) } else { (0, at) }
}

/// The first nine of `digits` digits at `at` as nanoseconds.
#[inline(always)]
fn nanos(text: &mut Text, at: usize, digits: usize) -> u32 {
    /// What a fraction of so many digits counts.
    const UNITS: [u32; NANO_DIGITS + 1] =
        [1_000_000_000, 100_000_000, 10_000_000, 1_000_000, 100_000, 10_000, 1_000, 100, 10, 1];
    let kept = digits.min(NANO_DIGITS);
    (at..at + kept).fold(0, |value, digit_at| value * 10 + text.digit(digit_at).unwrap_or(0)) * UNITS[kept]
}
