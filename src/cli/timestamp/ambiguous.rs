//! Dates of digits whose order nothing tells: `03/04/2026 10:00` is in March or in April, by where it was written.
//!
//! They are never read, for a guess may be wrong by months and look right. But to say that a text has one is worth it:
//! whoever wrote it knows the format, and `--time-format` takes it.

use super::scan::{Text, closes, is_blank, opens};
use super::skip_prefix;

/// Digits of a number of such a date, and of its year.
const MOST_DIGITS: usize = 2;
const SHORT_YEAR: usize = 2;
const LONG_YEAR: usize = 4;

/// Whether a field, or a line's start, has the form of a date whose order nothing tells: two numbers of one or two digits
/// and a year of two or four (or a year of two before them), with `/`, `-` or `.` between, and a time of day behind them
/// or nothing at all. What may stand before a stamp may stand before it.
///
/// A date that cannot be one, whatever the order, is none (`10.0.20`), nor is one that words follow: versions and numbers
/// of chapters look alike. A year of four digits in front leaves no doubt, and its dates are read.
pub fn looks_ambiguous(text: &[u8]) -> bool {
    let mut text = Text::new(text, false);
    let start = skip_prefix(&mut text);
    let start = start + usize::from(text.byte(start).is_some_and(opens));
    date_end(&mut text, start).is_some_and(|end| time_or_nothing_follows(&mut text, end))
}

/// Where the date ends that begins at `at`.
fn date_end(text: &mut Text, at: usize) -> Option<usize> {
    let (first, at) = number(text, at, MOST_DIGITS)?;
    let separator = text.byte(at).filter(|byte| matches!(byte, b'/' | b'-' | b'.'))?;
    let (second, at) = number(text, at + 1, MOST_DIGITS)?;
    if !text.has(at, separator) {
        return None;
    }
    let (third, end) = number(text, at + 1, LONG_YEAR)?;
    let is_date = |month: u32, day: u32| (1..=12).contains(&month) && (1..=31).contains(&day);
    let year_last = is_date(first, second) || is_date(second, first);
    let possible = match end - (at + 1) {
        LONG_YEAR => year_last,
        SHORT_YEAR => year_last || is_date(second, third),
        _ => false,
    };
    possible.then_some(end)
}

/// The number at `at`, and where it ends; none if it has no digits, or more than `most`.
fn number(text: &mut Text, at: usize, most: usize) -> Option<(u32, usize)> {
    let digits = text.digits(at, most + 1);
    let value = (at..at + digits).try_fold(0, |value, at| Some(value * 10 + text.digit(at)?))?;
    (1..=most).contains(&digits).then_some((value, at + digits))
}

/// Whether a time of day (`9:05` at least) or the end follows a date that ends at `at`, behind nothing but what may stand
/// between or around.
fn time_or_nothing_follows(text: &mut Text, at: usize) -> bool {
    let joins = |byte: u8| is_blank(byte) || matches!(byte, b'T' | b't' | b',' | b':' | b'-' | b'_');
    let ends = |byte: u8| is_blank(byte) || closes(byte);
    let behind = |text: &mut Text, of: &dyn Fn(u8) -> bool| (at..).find(|at| !text.byte(*at).is_some_and(of));
    if behind(text, &ends).is_none_or(|end| end >= text.len()) {
        return true;
    }
    let Some(start) = behind(text, &joins) else { return false };
    let digits = text.digits(start, MOST_DIGITS + 1);
    (1..=MOST_DIGITS).contains(&digits)
        && text.has(start + digits, b':')
        && text.number::<2>(start + digits + 1).is_some()
}

#[cfg(test)]
mod tests {
    use super::super::{Stamp, StampOptions, StampReader};
    use super::*;
    use proptest::prelude::*;

    const AMBIGUOUS: [&str; 21] = [
        "17/06/09 20:10:40 INFO x",
        "03/04/2026 10:00:00",
        "03-04-2026 10:00",
        "3.4.2026 10:00 x",
        "[03/04/2026 10:00:00] x",
        "  (3/4/26 9:05 PM) x",
        "<34>03/04/2026 10:00:00 x",
        "\x003/4/2026 10:00",
        "03/04/2026",
        "03/04/2026\r",
        "[03.04.26]",
        "03/04/2026:10:00:00 x",
        "03/04/2026, 10:00:00 AM",
        "03/04/2026T10:00:00Z",
        "03-04-2026-10:00",
        "31/12/2026 10:00",
        "12/31/2026 10:00",
        "99/12/31 10:00",
        "31.12.99 10:00",
        "3-4-26 1:00",
        "03.04.2026_10:00",
    ];

    const OTHERS: [&str; 26] = [
        "",
        "2026/03/04 10:00:00",
        "2026-03-04 10:00:00",
        "17/May/2015:10:05:03 +0000",
        "10.0.0.1 - - [x]",
        "10.1.20.30 10:00",
        "1.2.10 released",
        "10.0.20 10:00",
        "3/4 10:00",
        "03/04-2026 10:00",
        "03/04/026 10:00",
        "03/04/20261 10:00",
        "103/04/2026 10:00",
        "13/13/2026 10:00",
        "00/04/2026 10:00",
        "32/01/2026 10:00",
        "03/04/2026 words",
        "03/04/2026 10 words",
        "03/04/202610:00",
        "03/04/2026x",
        "03/04/2026 100:00",
        "03/04/2026 10:0",
        "x 03/04/2026 10:00",
        "[[03/04/2026 10:00",
        "03//2026 10:00",
        "1777888800",
    ];

    #[test]
    fn dates_of_digits_look_ambiguous_and_others_do_not() {
        for text in AMBIGUOUS {
            assert!(looks_ambiguous(text.as_bytes()), "{text:?}");
        }
        for text in OTHERS {
            assert!(!looks_ambiguous(text.as_bytes()), "{text:?}");
        }
    }

    #[test]
    fn what_looks_ambiguous_is_never_read() {
        for text in AMBIGUOUS {
            let mut reader = StampReader::new(StampOptions::default()).unwrap();
            assert_eq!(reader.leading(text.as_bytes()).0, Stamp::None, "{text:?}");
            assert_eq!(reader.field(text.as_bytes()), Stamp::None, "{text:?}");
            assert_eq!(reader.form(), None);
        }
    }

    proptest! {
        #[test]
        fn nothing_is_both_ambiguous_and_a_stamp(
            text in "[\\[ ]{0,1}[0-9]{1,4}[-/.][0-9]{1,3}[-/.][0-9]{1,4}[ T:,]{0,2}[0-9]{1,2}:[0-9]{2}(:[0-9]{2})?",
        ) {
            let mut reader = StampReader::new(StampOptions::default()).unwrap();
            let stamps = [reader.leading(text.as_bytes()).0, reader.field(text.as_bytes())];
            prop_assert!(!looks_ambiguous(text.as_bytes()) || stamps == [Stamp::None; 2], "{}", text);
        }

        #[test]
        fn any_bytes_can_be_asked_about(bytes in prop::collection::vec(any::<u8>(), 0..40)) {
            let _ = looks_ambiguous(&bytes);
        }
    }
}
