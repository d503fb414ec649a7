//! How each value is written in a column.

use super::{Column, ColumnOptions, Row, Said};
use grudge::limit::Decision;
use grudge::seen::{Sighting, Verdict};
use grudge::time::{NANOS_PER_SECOND, Span, Timestamp};
use std::io::Write;

/// What is known of a record beside its own text, `-` where nothing is.
#[inline]
pub fn push_value(line: &mut Vec<u8>, column: Column, row: &Row, options: &ColumnOptions) {
    match (column, row.said) {
        (Column::Time, _) => match row.time {
            Some(time) => push_time(line, time),
            None => line.push(b'-'),
        },
        (Column::Score, Some(Said::Score { score, .. })) => push_score(line, score, options.decimals),
        (Column::Delta, Some(Said::Score { delta, .. })) => push_score(line, delta, options.decimals),
        (_, Some(Said::Sighting(sighting))) => push_of_sighting(line, column, sighting, options.in_records),
        (_, Some(Said::Decision(decision))) => push_of_decision(line, column, &decision, options.in_records),
        _ => line.push(b'-'),
    }
}

fn push_of_sighting(line: &mut Vec<u8>, column: Column, sighting: Sighting, in_records: bool) {
    match (column, sighting.age) {
        (Column::Verdict, _) => line.extend_from_slice(match sighting.verdict {
            Verdict::New => b"new",
            Verdict::Repeat => b"repeat",
        }),
        (Column::Age, Some(age)) => push_span(line, age, in_records, Rounding::Nearest),
        (Column::Count, _) => push_count(line, sighting.repeats.into()),
        _ => line.push(b'-'),
    }
}

fn push_of_decision(line: &mut Vec<u8>, column: Column, decision: &Decision, in_records: bool) {
    match (column, decision.retry_after) {
        (Column::Allowed, _) => line.push(if decision.allowed { b'1' } else { b'0' }),
        (Column::Limit, _) => push_count(line, decision.limit),
        (Column::Remaining, _) => push_count(line, decision.remaining),
        // As redis-cell has it: nothing to wait for, or nothing that waiting helps.
        (Column::RetryAfter, None) => line.extend_from_slice(b"-1"),
        (Column::RetryAfter, Some(span)) => push_span(line, span, in_records, Rounding::Up),
        (Column::ResetAfter, _) => push_span(line, decision.reset_after, in_records, Rounding::Up),
        _ => line.push(b'-'),
    }
}

fn push_count(line: &mut Vec<u8>, count: u64) {
    // Writing to a vector cannot fail.
    let _ = write!(line, "{count}");
}

/// Most digits of a score behind the point: thousand-millionths.
pub const MOST_DECIMALS: u8 = 9;

/// Powers of ten for the digits behind a point.
const SCALES: [f64; MOST_DECIMALS as usize + 1] = [1.0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9];

/// A score with a fixed number of digits behind the point, at most nine: the same on every machine, as it takes one
/// multiplication and one rounding to the nearest (of two, the even one).
#[inline]
pub fn push_score(line: &mut Vec<u8>, score: f64, decimals: u8) {
    /// Below this a number and its point have at most as many bytes as a register.
    const SHORT: f64 = 1e15;
    /// Added to a number below it, it leaves no room for a fraction, and what is finer is rounded, of two to the even one:
    /// faster than asking for it where the processor has no instruction for that.
    const NO_FRACTION: f64 = (1u64 << (f64::MANTISSA_DIGITS - 1)) as f64;
    let decimals = usize::from(decimals).min(SCALES.len() - 1);
    let scaled = score.abs() * SCALES[decimals];
    if scaled >= SHORT {
        // Writing to a vector cannot fail.
        let _ = write!(line, "{score:.decimals$}");
        return;
    }
    let whole = (scaled + NO_FRACTION) - NO_FRACTION;
    if whole > 0.0 && score < 0.0 {
        line.push(b'-');
    }
    if decimals == 3 && whole < THOUSAND * THOUSAND * THOUSAND {
        return push_thousandths(line, whole as u32);
    }
    // The text grows from its end in a register, its first byte the lowest: bytes written one by one and read back
    // together would have to wait for each other.
    let (mut rest, mut text, mut len) = (whole as u64, 0u128, 0);
    let mut push = |byte: u8| {
        text = text << u8::BITS | u128::from(byte);
        len += 1;
    };
    for _ in 0..decimals {
        push(b'0' + (rest % 10) as u8);
        rest /= 10;
    }
    if decimals > 0 {
        push(b'.');
    }
    // One digit at least in front of the point.
    loop {
        push(b'0' + (rest % 10) as u8);
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    // All of the register is written and the rest cut off: a length that is known takes no call.
    let end = line.len() + len;
    line.extend_from_slice(&text.to_le_bytes());
    line.truncate(end);
}

const THOUSAND: f64 = 1e3;

/// The numbers below a thousand: three digits, the first one lowest, and in the fourth byte how many of them are no leading
/// zeros, one at least.
const THREE_DIGITS: [u32; 1000] = {
    let (mut numbers, mut number) = ([0; 1000], 0);
    while number < 1000 {
        let digits = [b'0' + (number / 100) as u8, b'0' + (number / 10 % 10) as u8, b'0' + (number % 10) as u8];
        let len = if number < 10 {
            1
        } else if number < 100 {
            2
        } else {
            3
        };
        numbers[number] = u32::from_le_bytes([digits[0], digits[1], digits[2], len]);
        number += 1;
    }
    numbers
};

/// Thousandths of a number below a million, without a loop over its digits: most scores are such, and such a loop takes as
/// long as looking them up in the sketch.
#[inline(always)]
fn push_thousandths(line: &mut Vec<u8>, thousandths: u32) {
    /// Bits of three digits, and those of an entry that hold them.
    const WIDTH: u32 = 3 * u8::BITS;
    const DIGITS: u32 = (1 << WIDTH) - 1;
    let (whole, fraction) = (thousandths / 1000, THREE_DIGITS[(thousandths % 1000) as usize] & DIGITS);
    let (high, low) = (whole / 1000, THREE_DIGITS[(whole % 1000) as usize]);
    // The first group without its leading zeros, then what stands behind it.
    let behind = u128::from(b'.') | u128::from(fraction) << u8::BITS;
    let (first, behind, behind_len) = match high {
        0 => (low, behind, 1 + 3),
        high => (THREE_DIGITS[high as usize % 1000], u128::from(low & DIGITS) | behind << WIDTH, 3 + 1 + 3),
    };
    let len = first >> WIDTH;
    let text = u128::from((first & DIGITS) >> (WIDTH - len * u8::BITS)) | behind << (len * u8::BITS);
    let end = line.len() + len as usize + behind_len;
    line.extend_from_slice(&text.to_le_bytes());
    line.truncate(end);
}

/// A value in which no byte ends its column, nor drives a terminal; an empty one is `-`.
pub fn push_escaped(line: &mut Vec<u8>, value: &[u8], for_terminal: bool) {
    if value.is_empty() {
        line.push(b'-');
    }
    for byte in value {
        match byte {
            b'\t' => line.extend_from_slice(b"\\t"),
            b'\n' => line.extend_from_slice(b"\\n"),
            b'\r' => line.extend_from_slice(b"\\r"),
            b'\\' => line.extend_from_slice(b"\\\\"),
            byte if for_terminal && byte.is_ascii_control() => drop(write!(line, "\\x{byte:02x}")),
            byte => line.push(*byte),
        }
    }
}

/// RFC 3339 in UTC, the fraction as short as it is exact.
pub fn push_time(line: &mut Vec<u8>, time: Timestamp) {
    // Writing to a vector cannot fail.
    let _ = match jiff::Timestamp::from_nanosecond(time.nanos().into()) {
        Ok(time) => write!(line, "{time}"),
        Err(_) => write!(line, "{}", time.nanos()),
    };
}

/// An instant as RFC 3339 in UTC.
pub fn show_time(time: Timestamp) -> String {
    let mut text = Vec::new();
    push_time(&mut text, time);
    String::from_utf8_lossy(&text).into_owned()
}

/// How a length of time is cut to what is shown of it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Rounding {
    Nearest,
    /// So that who waits that long has waited long enough.
    Up,
}

/// Seconds to the millisecond, or records.
fn push_span(line: &mut Vec<u8>, span: Span, in_records: bool, rounding: Rounding) {
    /// A millisecond is finer than the millionth of a ttl that is known, from a ttl of 17 minutes on.
    const NANOS_PER_MILLI: i64 = NANOS_PER_SECOND / 1000;
    // Writing to a vector cannot fail.
    let _ = if in_records {
        write!(line, "{}", span.nanos())
    } else {
        let more = if rounding == Rounding::Up { NANOS_PER_MILLI - 1 } else { NANOS_PER_MILLI / 2 };
        let millis = span.nanos().saturating_add(more) / NANOS_PER_MILLI;
        write!(line, "{}.{:03}", millis / 1000, millis % 1000)
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(push: impl FnOnce(&mut Vec<u8>)) -> String {
        let mut line = Vec::new();
        push(&mut line);
        String::from_utf8(line).unwrap()
    }

    #[test]
    fn values_stay_in_their_columns() {
        assert_eq!(text(|line| push_escaped(line, b"a\tb\nc\\d\r", false)), "a\\tb\\nc\\\\d\\r");
        assert_eq!(text(|line| push_escaped(line, b"\x1b[2J", true)), "\\x1b[2J");
        assert_eq!(text(|line| push_escaped(line, b"\x1b[2J", false)), "\x1b[2J");
        assert_eq!(text(|line| push_escaped(line, b"", false)), "-");
    }

    #[test]
    fn spans_and_times_are_short_and_exact() {
        let nearest = |nanos| text(|line| push_span(line, Span::from_nanos(nanos), false, Rounding::Nearest));
        assert_eq!(nearest(59_999_600_000), "60.000");
        assert_eq!(nearest(1_500_000), "0.002");
        assert_eq!(text(|line| push_span(line, Span::from_nanos(1), false, Rounding::Up)), "0.001");
        assert_eq!(text(|line| push_span(line, Span::from_nanos(17), true, Rounding::Up)), "17");
        assert_eq!(text(|line| push_time(line, Timestamp::from_seconds(0, 0))), "1970-01-01T00:00:00Z");
        assert_eq!(text(|line| push_time(line, Timestamp::from_seconds(0, 120_000_000))), "1970-01-01T00:00:00.12Z");
    }

    #[test]
    fn scores_have_as_many_digits_as_were_asked_for() {
        let score = |score, decimals| text(|line| push_score(line, score, decimals));
        let cases = [
            (0.0, 3, "0.000"),
            (-0.0, 3, "0.000"),
            (1.0, 3, "1.000"),
            (-2.5, 1, "-2.5"),
            (0.0004, 3, "0.000"),
            (-0.0004, 3, "0.000"),
            (1234.5678, 2, "1234.57"),
            (7.0, 0, "7"),
            (0.0, 0, "0"),
            (-12.0, 0, "-12"),
            (0.000_000_001, 9, "0.000000001"),
            (9_007_199_254.741, 6, "9007199254.740999"),
            (1e18, 3, "1000000000000000000.000"),
            (-1e15, 3, "-1000000000000000.000"),
        ];
        for (number, decimals, shown) in cases {
            assert_eq!(score(number, decimals), shown);
        }
    }

    #[test]
    fn scores_are_written_as_the_standard_library_rounds_them() {
        let mut bits = 1u64;
        for _ in 0..20_000 {
            bits = bits.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let number = (bits >> 33) as f64 / 7.0 - 1e8;
            assert_eq!(text(|line| push_score(line, number, 3)), format!("{number:.3}"));
        }
    }
}
