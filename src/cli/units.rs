//! `10m`, `64MiB`, `1000r`, `100/min`, `0.1%`: numbers with their units. A bare number is never guessed at.

mod rate;

pub use rate::{Amount, Bound, Rate};

use grudge::time::{NANOS_PER_SECOND, Span};

/// A length of time as typed: of the clock, or a number of records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Length {
    Time(Span),
    Records(i64),
}

/// Units of time and their nanoseconds. `m` is a minute; nobody limits logs by months.
const TIME_UNITS: [(&str, i64); 8] = [
    ("ns", 1),
    ("us", 1_000),
    ("ms", 1_000_000),
    ("s", NANOS_PER_SECOND),
    ("m", 60 * NANOS_PER_SECOND),
    ("h", 3_600 * NANOS_PER_SECOND),
    ("d", 86_400 * NANOS_PER_SECOND),
    ("w", 7 * 86_400 * NANOS_PER_SECOND),
];

/// The same in letters that others write.
const LONG_TIME_UNITS: [(&str, i64); 12] = [
    ("sec", NANOS_PER_SECOND),
    ("second", NANOS_PER_SECOND),
    ("seconds", NANOS_PER_SECOND),
    ("min", 60 * NANOS_PER_SECOND),
    ("minute", 60 * NANOS_PER_SECOND),
    ("minutes", 60 * NANOS_PER_SECOND),
    ("hr", 3_600 * NANOS_PER_SECOND),
    ("hour", 3_600 * NANOS_PER_SECOND),
    ("hours", 3_600 * NANOS_PER_SECOND),
    ("day", 86_400 * NANOS_PER_SECOND),
    ("days", 86_400 * NANOS_PER_SECOND),
    ("week", 7 * 86_400 * NANOS_PER_SECOND),
];

/// The nanoseconds of a unit of time.
fn unit_nanos(name: &str) -> Option<i64> {
    TIME_UNITS.iter().chain(&LONG_TIME_UNITS).find(|(unit, _)| *unit == name).map(|(_, nanos)| *nanos)
}

/// Units of memory and their bytes: `M` and `MiB` are binary, as for `sort -S`; `MB` is decimal.
const SIZE_UNITS: [(&str, u64); 13] = [
    ("b", 1),
    ("k", 1 << 10),
    ("kib", 1 << 10),
    ("kb", 1_000),
    ("m", 1 << 20),
    ("mib", 1 << 20),
    ("mb", 1_000_000),
    ("g", 1 << 30),
    ("gib", 1 << 30),
    ("gb", 1_000_000_000),
    ("t", 1 << 40),
    ("tib", 1 << 40),
    ("tb", 1_000_000_000_000),
];

/// `10m`, `1h30m`, `1.5s`, `1000r`.
pub fn length(text: &str) -> Result<Length, String> {
    let wanted = "a time such as 30s, 10m, 1h30m or 7d, or a number of records such as 1000r";
    if text.parse::<f64>().is_ok() {
        return Err(format!("`{text}` has no unit: did you mean {text}s, {text}m or {text}h? wanted is {wanted}"));
    }
    let bad = || format!("`{text}` is not {wanted}");
    if let Some(records) = text.strip_suffix('r') {
        let records = records.parse::<i64>().map_err(|_| bad())?;
        return if records > 0 { Ok(Length::Records(records)) } else { Err(not_positive(text)) };
    }
    let mut nanos = 0i64;
    let mut rest = text;
    while !rest.is_empty() {
        let number_end = rest.find(|c: char| !c.is_ascii_digit() && c != '.').ok_or_else(bad)?;
        let (number, tail) = rest.split_at(number_end);
        let unit_end = tail.find(|c: char| c.is_ascii_digit()).unwrap_or(tail.len());
        let (unit, tail) = tail.split_at(unit_end);
        let size = unit_nanos(unit).ok_or_else(bad)?;
        nanos = nanos.saturating_add(scaled(number, size as u64).ok_or_else(bad)?.try_into().unwrap_or(i64::MAX));
        rest = tail;
    }
    if nanos > 0 { Ok(Length::Time(Span::from_nanos(nanos))) } else { Err(not_positive(text)) }
}

fn not_positive(text: &str) -> String {
    format!("`{text}` is no time at all; wanted is more than nothing")
}

/// `64MiB`, `1.5G`, `500kB`.
pub fn size(text: &str) -> Result<u64, String> {
    let wanted = "a size such as 64KiB, 256MiB or 2GiB";
    if text.parse::<f64>().is_ok() {
        return Err(format!("`{text}` has no unit: did you mean {text}MiB? wanted is {wanted}"));
    }
    let bad = || format!("`{text}` is not {wanted}");
    let number_end = text.find(|c: char| !c.is_ascii_digit() && c != '.').ok_or_else(bad)?;
    let (number, unit) = text.split_at(number_end);
    let unit = unit.to_ascii_lowercase();
    let (_, bytes) = SIZE_UNITS.iter().find(|(name, _)| *name == unit).ok_or_else(bad)?;
    match scaled(number, *bytes) {
        Some(0) => Err(format!("`{text}` is no memory at all; wanted is {wanted}")),
        Some(bytes) => Ok(bytes),
        None => Err(bad()),
    }
}

/// A decimal number times a unit, exactly, saturating; what is finer than one is cut.
fn scaled(number: &str, unit: u64) -> Option<u64> {
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    if whole.is_empty() && fraction.is_empty() {
        return None;
    }
    let digits = |text: &str| text.bytes().all(|b| b.is_ascii_digit()).then_some(());
    digits(whole).and_then(|()| digits(fraction))?;
    let mut total = if whole.is_empty() { 0 } else { whole.parse::<u64>().unwrap_or(u64::MAX) }.saturating_mul(unit);
    let mut place = u128::from(unit);
    for digit in fraction.bytes() {
        total = total.saturating_add((place * u128::from(digit - b'0') / 10) as u64);
        place /= 10;
    }
    Some(total)
}

/// Letters behind a count, and what they stand for.
const COUNT_UNITS: [(&str, u64); 3] = [("k", 1_000), ("m", 1_000_000), ("g", 1_000_000_000)];

/// `100000`, `100k`, `5M`: a whole number.
pub fn count(text: &str) -> Result<u64, String> {
    let bad = || format!("`{text}` is not a whole number such as 100000, 100k or 5M");
    let lower = text.to_ascii_lowercase();
    let unit = COUNT_UNITS.iter().find(|(name, _)| lower.ends_with(name));
    let (digits, unit) = unit.map_or((text, 1), |(name, unit)| (&text[..text.len() - name.len()], *unit));
    let is_whole = unit > 1 || !digits.contains('.');
    scaled(digits, unit).filter(|_| is_whole).ok_or_else(bad)
}

/// `0.1%`, `0.001`: a share of the whole, above none and below all.
pub fn share(text: &str) -> Result<f64, String> {
    let wanted = "a share above 0 and below all, such as 0.1% or 0.001";
    let (digits, unit) = text.strip_suffix('%').map_or((text, 1.0), |digits| (digits, 100.0));
    let share = number(digits).map_err(|_| format!("`{text}` is not {wanted}"))? / unit;
    if share > 0.0 && share < 1.0 { Ok(share) } else { Err(format!("`{text}` is not {wanted}")) }
}

/// `5`, `-0.5`, `1e-5`: any number that is one.
pub fn number(text: &str) -> Result<f64, String> {
    let number = text.parse::<f64>().ok().filter(|number| number.is_finite());
    number.ok_or_else(|| format!("`{text}` is not a number"))
}

/// A number of bytes as one would type it: the largest unit that leaves a whole number.
pub fn show_size(bytes: u64) -> String {
    const UNITS: [(&str, u32); 4] = [("TiB", 40), ("GiB", 30), ("MiB", 20), ("KiB", 10)];
    for (name, log2) in UNITS {
        if bytes >> log2 > 0 && bytes.trailing_zeros() >= log2 {
            return format!("{}{name}", bytes >> log2);
        }
    }
    format!("{bytes}B")
}

/// A size that is enough and pleasant to type: whole mebibytes, or kibibytes where it is less than one.
pub fn show_size_up(bytes: u64) -> String {
    const KIB: u64 = 1 << 10;
    const MIB: u64 = 1 << 20;
    let unit = if bytes >= MIB { MIB } else { KIB };
    show_size(bytes.div_ceil(unit).saturating_mul(unit))
}

/// A length of time as one would type it: `10m`, `1h30m`, `1500ms`.
pub fn show_span(span: Span) -> String {
    let mut rest = span.nanos();
    let mut text = String::new();
    for (name, size) in TIME_UNITS.iter().rev() {
        let count = rest / size;
        // A week is seldom what anybody thinks in.
        if count > 0 && *name != "w" {
            text += &format!("{count}{name}");
            rest %= size;
        }
    }
    if text.is_empty() { "0s".to_owned() } else { text }
}

/// The next size up that is pleasant to type: a power of two of at least a mebibyte.
pub fn round_up_size(bytes: u64) -> u64 {
    const LEAST: u64 = 1 << 20;
    bytes.max(LEAST).checked_next_power_of_two().unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seconds(seconds: i64) -> Result<Length, String> {
        Ok(Length::Time(Span::from_seconds(seconds)))
    }

    #[test]
    fn lengths_are_read_with_their_units() {
        assert_eq!(length("60s"), seconds(60));
        assert_eq!(length("10m"), seconds(600));
        assert_eq!(length("1h30m"), seconds(5400));
        assert_eq!(length("7d"), seconds(7 * 86400));
        assert_eq!(length("1.5s"), Ok(Length::Time(Span::from_nanos(1_500_000_000))));
        assert_eq!(length("0.000000001s"), Ok(Length::Time(Span::from_nanos(1))));
        assert_eq!(length("1000r"), Ok(Length::Records(1000)));
        assert_eq!(length("99999999999w"), Ok(Length::Time(Span::MAX)));
    }

    #[test]
    fn sizes_are_read_with_their_units() {
        assert_eq!(size("64MiB"), Ok(64 << 20));
        assert_eq!(size("64M"), Ok(64 << 20));
        assert_eq!(size("64mb"), Ok(64_000_000));
        assert_eq!(size("1.5GiB"), Ok(3 << 29));
        assert_eq!(size("100B"), Ok(100));
    }

    #[test]
    fn what_is_no_length_or_size_is_refused_with_a_way_out() {
        assert!(length("60").unwrap_err().contains("did you mean 60s, 60m or 60h"));
        assert!(size("64").unwrap_err().contains("did you mean 64MiB"));
        for text in ["", "s", "10x", "m10", "-5s", "5s5", "1..5s", "1h 30m", ".s", "1.5r", "0s", "0r", "-3r"] {
            assert!(length(text).is_err(), "{text}");
        }
        for text in ["", "MiB", "10x", "-5M", "1..5M", "0M", "5 M"] {
            assert!(size(text).is_err(), "{text}");
        }
    }

    #[test]
    fn spans_are_shown_as_they_are_typed() {
        for text in ["10m", "1h30m", "7d", "1s500ms", "1ns"] {
            let Ok(Length::Time(span)) = length(text) else { panic!("{text}") };
            assert_eq!(show_span(span), text);
        }
        assert_eq!(show_span(Span::ZERO), "0s");
    }

    #[test]
    fn counts_and_shares_are_read() {
        assert_eq!((count("100"), count("100k"), count("1.5M")), (Ok(100), Ok(100_000), Ok(1_500_000)));
        assert_eq!((share("0.1%"), share("0.5"), share("1e-6")), (Ok(0.001), Ok(0.5), Ok(1e-6)));
        for broken in ["", "1.5", "-1", "x", "k"] {
            assert!(count(broken).is_err(), "{broken}");
        }
        for broken in ["", "0", "1", "100%", "-1%", "nan", "x"] {
            assert!(share(broken).is_err(), "{broken}");
        }
    }

    #[test]
    fn sizes_are_shown_as_they_are_typed() {
        for text in ["64MiB", "3KiB", "2GiB", "1TiB", "1000B"] {
            assert_eq!(show_size(size(text).unwrap()), text);
        }
        assert_eq!(show_size(round_up_size(5 << 20)), "8MiB");
    }
}
