//! Dates, times of day and both.

use super::bytes::{byte, byte_before, digits, is_free_of_colon, is_word, was_word};
use std::ops::{Range, RangeInclusive};

const MONTHS: [&[u8; 3]; 12] =
    [b"Jan", b"Feb", b"Mar", b"Apr", b"May", b"Jun", b"Jul", b"Aug", b"Sep", b"Oct", b"Nov", b"Dec"];
const WEEKDAYS: [&[u8; 3]; 7] = [b"Mon", b"Tue", b"Wed", b"Thu", b"Fri", b"Sat", b"Sun"];
/// Letters of their names.
const NAME: usize = 3;

/// Digits of a year, and of the other numbers when they are whole.
const YEAR: usize = 4;
const TWO: usize = 2;
/// Digits of a date without anything between its numbers, and of such a time of day.
const BASIC_DATE: usize = 8;
const BASIC_CLOCK: usize = 6;

const MONTH_NUMBERS: RangeInclusive<u8> = 1..=12;
const DAYS: RangeInclusive<u8> = 1..=31;
const HOURS: RangeInclusive<u8> = 0..=23;
const MINUTES: RangeInclusive<u8> = 0..=59;
/// With a leap second.
const SECONDS: RangeInclusive<u8> = 0..=60;
/// Hours of the offsets that there are.
const OFFSET_HOURS: RangeInclusive<u8> = 0..=14;
/// What a year begins with, where a number that is none may stand.
const CENTURIES: RangeInclusive<u8> = 19..=20;
/// The most digits of a fraction of a second.
const FRACTION: usize = 9;
/// Its digits behind a colon, where others would be another number.
const FRACTION_BEHIND_COLON: usize = 3;
/// Letters of a zone's name between the time of day and the year.
const ZONE_NAME: RangeInclusive<usize> = 3..=4;

/// Where the time ends that begins with the `run` of digits at `at`, which no letter or digit precedes.
#[inline(always)]
pub fn time(text: &[u8], at: usize, run: usize) -> Option<usize> {
    if byte_before(text, at) == b'.' {
        return None;
    }
    match (run, byte(text, at + run)) {
        (1..=TWO, b':') if is_free_of_colon(text, at) => clock(text, at, true),
        (1..=TWO, b'/' | b'-' | b' ') => day_first(text, at, run),
        (YEAR, b'/' | b'-') => year_first(text, at),
        (BASIC_DATE, b'T') => basic(text, at),
        _ => None,
    }
}

/// The time whose day is at `digit` and that begins at `from` or later with a name: `Sun Dec 04`, `Mar  1`, `Sun, 04`.
#[inline(always)]
pub fn named(text: &[u8], from: usize, digit: usize) -> Option<Range<usize>> {
    // Cheap first: a name's last letter, or the comma behind it.
    match &text[from..digit] {
        [.., b',', b' '] => weekday_and_day(text, from, digit),
        [.., letter, b' '] | [.., letter, b' ', b' '] if letter.is_ascii_lowercase() => {
            month_and_day(text, from, digit)
        }
        _ => None,
    }
}

/// `Sun, 04 Dec 2005 04:47:44 GMT`
fn weekday_and_day(text: &[u8], from: usize, digit: usize) -> Option<Range<usize>> {
    let start = name_before(text, from, digit - b", ".len(), &WEEKDAYS)?;
    let run = digits(text, digit);
    let has_day = run <= TWO && byte(text, digit + run) == b' ' && !is_word(byte_before(text, start));
    if has_day { day_first(text, digit, run).map(|end| start..end) } else { None }
}

/// `Mar  1 10:00:00`, `Sun Dec 04 04:47:44 2005`, `Mar 1, 2026 9:05:03 AM`
fn month_and_day(text: &[u8], from: usize, digit: usize) -> Option<Range<usize>> {
    let blanks = 1 + usize::from(text[..digit].ends_with(b"  "));
    let month = name_before(text, from, digit - blanks, &MONTHS)?;
    let day_end = number(text, digit, 1..=TWO, DAYS)?;
    let clock_at = year(text, day_end).unwrap_or(day_end) + 1;
    if byte(text, clock_at - 1) != b' ' {
        return None;
    }
    let end = clock(text, clock_at, true)?;
    let weekday = match byte_before(text, month) {
        b' ' => name_before(text, from, month - 1, &WEEKDAYS).filter(|start| !is_word(byte_before(text, *start))),
        _ => None,
    };
    match weekday {
        Some(start) => Some(start..year_behind_clock(text, end).unwrap_or(end)),
        None => (!is_word(byte_before(text, month))).then_some(month..end),
    }
}

/// Where the year behind the day that ends at `day_end` ends: ` 2026`, `, 2026`.
fn year(text: &[u8], day_end: usize) -> Option<usize> {
    let comma = usize::from(byte(text, day_end) == b',');
    if byte(text, day_end + comma) == b' ' { whole_year(text, day_end + comma + 1) } else { None }
}

/// Where the year behind the time of day that ends at `end` ends: ` 2005`, ` CEST 2005`.
fn year_behind_clock(text: &[u8], end: usize) -> Option<usize> {
    let mut at = end;
    if byte(text, at) == b' ' {
        let letters =
            text[at + 1..].iter().take_while(|byte| byte.is_ascii_uppercase()).take(*ZONE_NAME.end() + 1).count();
        at += if ZONE_NAME.contains(&letters) { 1 + letters } else { 0 };
    }
    if byte(text, at) != b' ' {
        return None;
    }
    whole_year(text, at + 1).filter(|end| !is_word(byte(text, *end)))
}

/// Where the year at `at` ends.
fn whole_year(text: &[u8], at: usize) -> Option<usize> {
    let is_year = digits(text, at) == YEAR && CENTURIES.contains(&two_digits(text, at)?);
    is_year.then_some(at + YEAR)
}

/// `2026-03-01`, `2026/03/01`, and what follows them.
fn year_first(text: &[u8], at: usize) -> Option<usize> {
    let joint = byte(text, at + YEAR);
    let month_end = number(text, at + YEAR + 1, TWO..=TWO, MONTH_NUMBERS)?;
    if byte(text, month_end) != joint {
        return None;
    }
    date_end(text, number(text, month_end + 1, TWO..=TWO, DAYS)?)
}

/// `20260301T100000Z`
fn basic(text: &[u8], at: usize) -> Option<usize> {
    let at_clock = at + BASIC_DATE + 1;
    let end = at_clock + BASIC_CLOCK;
    (digits(text, at_clock) == BASIC_CLOCK).then(|| clock_end(text, end)).flatten()
}

/// `17/May/2015`, `01-Mar-2026`, `03/01/2026`, `26/03/01 10:00:00`, `04 Dec 2005`, `04 Dec 04:47:44`, and what follows.
fn day_first(text: &[u8], at: usize, run: usize) -> Option<usize> {
    let month_at = number(text, at, 1..=TWO, DAYS)? + 1;
    let joint = byte(text, month_at - 1);
    if is_name(text, month_at, &MONTHS) {
        let month_end = month_at + NAME;
        return match joint {
            b' ' if byte(text, month_end) == b' ' => match whole_year(text, month_end + 1) {
                Some(end) => date_end(text, end),
                None => clock(text, month_end + 1, true),
            },
            b'/' | b'-' if byte(text, month_end) == joint && digits(text, month_end + 1) == YEAR => {
                date_end(text, month_end + 1 + YEAR)
            }
            _ => None,
        };
    }
    let month_end = number(text, month_at, TWO..=TWO, DAYS)?;
    if joint == b' ' || byte(text, month_end) != joint {
        return None;
    }
    match digits(text, month_end + 1) {
        YEAR => date_end(text, month_end + 1 + YEAR),
        // The year may be first and the day here. Without a time of day such numbers may be anything.
        TWO if run == TWO && byte(text, month_end + 1 + TWO) == b' ' => clock(text, month_end + 2 + TWO, true),
        _ => None,
    }
}

/// Where a time ends whose date ends at `date_end`: with the time of day, if there is one.
fn date_end(text: &[u8], date_end: usize) -> Option<usize> {
    let joint = match (byte(text, date_end), byte(text, date_end + 1)) {
        (b',', b' ') => 2,
        (b'T' | b't' | b' ' | b':' | b'_' | b'-', _) => 1,
        _ => 0,
    };
    let clock = if joint > 0 { clock(text, date_end + joint, false) } else { None };
    clock.or_else(|| (!is_word(byte(text, date_end))).then_some(date_end))
}

/// Where the time of day at `at` ends, with all that belongs to it.
fn clock(text: &[u8], at: usize, needs_seconds: bool) -> Option<usize> {
    let hour_end = number(text, at, 1..=TWO, HOURS)?;
    let minute_end = after_colon(text, hour_end, MINUTES)?;
    match after_colon(text, minute_end, SECONDS) {
        Some(end) => clock_end(text, end),
        None if needs_seconds => None,
        None => zone_end(text, minute_end),
    }
}

/// Where the colon at `at` and the number of two digits behind it end.
fn after_colon(text: &[u8], at: usize, numbers: RangeInclusive<u8>) -> Option<usize> {
    if byte(text, at) == b':' { number(text, at + 1, TWO..=TWO, numbers) } else { None }
}

/// Where the time of day ends whose seconds end at `end`.
fn clock_end(text: &[u8], end: usize) -> Option<usize> {
    fraction_end(text, end).and_then(|end| zone_end(text, end)).or_else(|| zone_end(text, end))
}

/// Where the fraction of a second at `at` ends.
fn fraction_end(text: &[u8], at: usize) -> Option<usize> {
    let mark = byte(text, at);
    if !matches!(mark, b'.' | b',' | b':') {
        return None;
    }
    let len = digits(text, at + 1);
    let fits = if mark == b':' { len == FRACTION_BEHIND_COLON } else { (1..=FRACTION).contains(&len) };
    fits.then_some(at + 1 + len)
}

/// Where the time of day ends whose numbers end at `end`: with its zone or AM or PM, if it has one. `None` if it does
/// not end there: a word or another number behind a colon follows.
fn zone_end(text: &[u8], end: usize) -> Option<usize> {
    let blank = usize::from(byte(text, end) == b' ');
    let zone = match text.get(end + blank..) {
        Some([b'Z' | b'z', ..]) if blank == 0 => Some(end + 1),
        Some([b'+' | b'-', ..]) => offset_end(text, end + blank, blank > 0),
        Some([b'A' | b'a' | b'P' | b'p', b'M' | b'm', ..]) => Some(end + blank + b"AM".len()),
        Some([b'U', b'T', b'C', ..] | [b'G', b'M', b'T', ..]) if blank > 0 => Some(end + blank + b"UTC".len()),
        _ => None,
    };
    zone.filter(|end| ends(text, *end)).or_else(|| ends(text, end).then_some(end))
}

/// Where the offset from UTC at `at` ends: `+0000`, `+00:00`, and without a blank before it `+00`.
fn offset_end(text: &[u8], at: usize, needs_minutes: bool) -> Option<usize> {
    if !OFFSET_HOURS.contains(&two_digits(text, at + 1)?) {
        return None;
    }
    let hour_end = at + 1 + TWO;
    let minutes = hour_end + usize::from(byte(text, hour_end) == b':');
    let with_minutes = number(text, minutes, TWO..=TWO, MINUTES).filter(|end| ends(text, *end));
    with_minutes.or_else(|| (!needs_minutes).then_some(hour_end))
}

/// Whether a time of day may end at `end`.
fn ends(text: &[u8], end: usize) -> bool {
    match byte(text, end) {
        b':' => !was_word(byte(text, end + 1)) && byte(text, end + 1) != b':',
        next => !is_word(next),
    }
}

/// Where the number at `at` ends, if it has as many digits and is one of `numbers`.
#[inline(always)]
fn number(text: &[u8], at: usize, lens: RangeInclusive<usize>, numbers: RangeInclusive<u8>) -> Option<usize> {
    let digit = |at: usize| byte(text, at).is_ascii_digit().then(|| byte(text, at) - b'0');
    let first = digit(at)?;
    let (number, len) = match digit(at + 1) {
        None => (first, 1),
        Some(second) if digit(at + TWO).is_none() => (first * 10 + second, TWO),
        Some(_) => return None,
    };
    (lens.contains(&len) && numbers.contains(&number)).then_some(at + len)
}

/// The number that the two digits at `at` are, whatever follows.
fn two_digits(text: &[u8], at: usize) -> Option<u8> {
    match text.get(at..)? {
        [tens, ones, ..] if tens.is_ascii_digit() && ones.is_ascii_digit() => Some((tens - b'0') * 10 + (ones - b'0')),
        _ => None,
    }
}

/// Whether one of these names is at `at`.
fn is_name(text: &[u8], at: usize, names: &[&[u8; NAME]]) -> bool {
    text.get(at..at + NAME).is_some_and(|name| names.iter().any(|month| name == *month))
}

/// Where one of these names begins that ends at `end`, at `from` or later.
fn name_before(text: &[u8], from: usize, end: usize, names: &[&[u8; NAME]]) -> Option<usize> {
    let start = end.checked_sub(NAME).filter(|start| *start >= from)?;
    is_name(text, start, names).then_some(start)
}
