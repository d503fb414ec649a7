//! Seconds since 1970 and their thousandths, as plain numbers.

use super::{Found, Stamp, scan::Text};
use grudge::time::{NANOS_PER_SECOND, Timestamp};

/// What a plain number counts since 1970.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EpochUnit {
    /// Seconds (`s`).
    Seconds,
    /// Milliseconds (`ms`).
    Millis,
    /// Microseconds (`us`).
    Micros,
    /// Nanoseconds (`ns`).
    Nanos,
}

/// Magnitudes from which a number counts the next smaller unit. Seconds reach to the year 5138; each of the smaller
/// units starts in March 1973.
const MILLIS_FROM: u64 = 100_000_000_000;
const MICROS_FROM: u64 = MILLIS_FROM * 1_000;
const NANOS_FROM: u64 = MICROS_FROM * 1_000;

impl EpochUnit {
    /// The unit that `--time-format` names.
    pub(super) fn from_option(name: &str) -> Option<EpochUnit> {
        Some(match name {
            "s" => EpochUnit::Seconds,
            "ms" => EpochUnit::Millis,
            "us" => EpochUnit::Micros,
            "ns" => EpochUnit::Nanos,
            _ => return None,
        })
    }

    /// The unit of a whole number by its size. Each number is judged alone: a file may mix units.
    fn of_magnitude(value: u64) -> EpochUnit {
        match value {
            0..MILLIS_FROM => EpochUnit::Seconds,
            MILLIS_FROM..MICROS_FROM => EpochUnit::Millis,
            MICROS_FROM..NANOS_FROM => EpochUnit::Micros,
            NANOS_FROM.. => EpochUnit::Nanos,
        }
    }

    fn nanos(self) -> i64 {
        match self {
            EpochUnit::Seconds => NANOS_PER_SECOND,
            EpochUnit::Millis => 1_000_000,
            EpochUnit::Micros => 1_000,
            EpochUnit::Nanos => 1,
        }
    }
}

/// The number at `at`: an optional minus, digits, and a fraction. Read digit by digit, for a double holds no 19 digits.
/// A number with something else behind it (an address, a version, a word) is no time at all.
pub(super) fn read(text: &mut Text, at: usize, unit: Option<EpochUnit>) -> Option<Found> {
    let negative = text.has(at, b'-');
    let digits_at = at + usize::from(negative);
    let digits = text.digits(digits_at, usize::MAX);
    if digits == 0 {
        return None;
    }
    let mut end = digits_at + digits;
    let mut fraction = None;
    if text.has(end, b'.') {
        let length = text.digits(end + 1, usize::MAX);
        if length > 0 {
            fraction = Some((end + 1, length));
            end += 1 + length;
        }
    }
    let mantissa_end = end;
    if text.whole && (text.has(end, b'e') || text.has(end, b'E')) {
        let sign = usize::from(text.has(end + 1, b'-') || text.has(end + 1, b'+'));
        let length = text.digits(end + 1 + sign, MOST_EXPONENT_DIGITS + 1);
        end += if length > 0 { 1 + sign + length } else { 0 };
    }
    let apart = if text.whole { end == text.len() } else { text.breaks(end) && !text.has(end, b'.') };
    if !apart {
        return None;
    }
    if end > mantissa_end {
        let stamp = scientific(text, digits_at, mantissa_end, end, unit).map_or(Stamp::Bad, |nanos| {
            Stamp::At(Timestamp::from_nanos(if negative { nanos.saturating_neg() } else { nanos }))
        });
        return Some(Found { stamp, end });
    }
    let Some(value) = whole_number(text, digits_at, digits) else {
        return Some(Found { stamp: Stamp::Bad, end });
    };
    let unit = unit.unwrap_or(match fraction {
        Some(_) => EpochUnit::Seconds,
        None => EpochUnit::of_magnitude(value),
    });
    let mut nanos = i64::try_from(value).unwrap_or(i64::MAX).saturating_mul(unit.nanos());
    if let Some((from, length)) = fraction {
        // Digits beyond a nanosecond find a step of 0: they are cut, not rounded.
        let mut step = unit.nanos();
        for digit_at in from..from + length {
            step /= 10;
            nanos = nanos.saturating_add(i64::from(text.digit(digit_at).unwrap_or(0)) * step);
        }
    }
    let nanos = if negative { -nanos } else { nanos };
    Some(Found { stamp: Stamp::At(Timestamp::from_nanos(nanos)), end })
}

/// Nobody writes a time with a larger exponent.
const MOST_EXPONENT_DIGITS: usize = 2;

/// The nanoseconds of a number with an exponent, as some programs write large numbers: `1.7673e9`. Exact, and none if the
/// number is out of all reason.
fn scientific(text: &mut Text, from: usize, mantissa_end: usize, end: usize, unit: Option<EpochUnit>) -> Option<i64> {
    let (mut mantissa, mut scale, mut in_fraction) = (0_i128, 0_i32, false);
    for at in from..mantissa_end {
        match text.digit(at) {
            Some(digit) => {
                mantissa = mantissa.checked_mul(10)?.checked_add(i128::from(digit))?;
                scale -= i32::from(in_fraction);
            }
            None => in_fraction = true,
        }
    }
    let sign = mantissa_end + 1;
    let digits = sign + usize::from(text.digit(sign).is_none());
    let exponent = whole_number(text, digits, end - digits)? as i32;
    scale += if text.has(sign, b'-') { -exponent } else { exponent };
    let scaled = |scale: i32| match u32::try_from(scale) {
        Ok(up) => mantissa.checked_mul(10_i128.checked_pow(up)?),
        Err(_) => Some(mantissa / 10_i128.checked_pow(scale.unsigned_abs())?),
    };
    let unit = match unit {
        Some(unit) => unit,
        None => EpochUnit::of_magnitude(u64::try_from(scaled(scale)?).ok()?),
    };
    let nanos = scaled(scale + unit.nanos().ilog10() as i32)?;
    Some(nanos.try_into().unwrap_or(i64::MAX))
}

/// The digits as a number; none if it has no 64 bits: more than any unit of time needs.
fn whole_number(text: &mut Text, at: usize, digits: usize) -> Option<u64> {
    (at..at + digits)
        .try_fold(0_u64, |value, digit_at| value.checked_mul(10)?.checked_add(u64::from(text.digit(digit_at)?)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn field(bytes: &str, unit: Option<EpochUnit>) -> Stamp {
        read(&mut Text::new(bytes.as_bytes(), true), 0, unit).map_or(Stamp::None, |found| found.stamp)
    }

    #[test]
    fn the_unit_follows_from_the_magnitude_of_each_value() {
        let cases = [
            ("1767323045", 1_767_323_045_000_000_000),
            ("1767323045000", 1_767_323_045_000_000_000),
            ("1767323045000000", 1_767_323_045_000_000_000),
            ("1767323045000000000", 1_767_323_045_000_000_000),
            ("1767323045.123456", 1_767_323_045_123_456_000),
            ("999999999", 999_999_999_000_000_000),
            ("1.767323045e9", 1_767_323_045_000_000_000),
            ("1.767323045123E+12", 1_767_323_045_123_000_000),
            ("17673230451234e-4", 1_767_323_045_123_400_000),
            ("-1e0", -1_000_000_000),
            ("1767323045123456789", 1_767_323_045_123_456_789),
            ("0", 0),
            ("-0", 0),
            ("-1", -1_000_000_000),
            ("-1.5", -1_500_000_000),
            ("0.0000000019", 1),
            ("0001767323045", 1_767_323_045_000_000_000),
            ("99999999999", i64::MAX),
            ("100000000000", 100_000_000_000_000_000),
            ("99999999999999", i64::MAX),
            ("100000000000000", 100_000_000_000_000_000),
            ("100000000000000000", 100_000_000_000_000_000),
            ("-1767323045000", -1_767_323_045_000_000_000),
            ("18446744073709551615", i64::MAX),
        ];
        for (text, nanos) in cases {
            assert_eq!(field(text, None), Stamp::At(Timestamp::from_nanos(nanos)), "{text}");
        }
    }

    #[test]
    fn a_unit_given_rules_all_values() {
        let at = |nanos| Stamp::At(Timestamp::from_nanos(nanos));
        assert_eq!(field("5", Some(EpochUnit::Millis)), at(5_000_000));
        assert_eq!(field("5.25", Some(EpochUnit::Millis)), at(5_250_000));
        assert_eq!(field("5.0005", Some(EpochUnit::Micros)), at(5_000));
        assert_eq!(field("5.9", Some(EpochUnit::Nanos)), at(5));
        assert_eq!(field("1767323045000", Some(EpochUnit::Nanos)), at(1_767_323_045_000));
        assert_eq!(field("1767323045000", Some(EpochUnit::Seconds)), at(i64::MAX));
    }

    #[test]
    fn what_is_no_plain_number_is_no_epoch() {
        for text in ["", "-", "12a", "10.0.0.1", "1.", ".5", "+1", "1 2"] {
            assert_eq!(field(text, None), Stamp::None, "{text:?}");
        }
        assert_eq!(field("99999999999999999999999", None), Stamp::Bad, "a number too long for any unit");
    }
}
