//! Stamps: what was remembered is what is read anew, RFC 3339 as jiff reads it, and the years that are added.
#![no_main]

use grudge::time::{NANOS_PER_SECOND, Timestamp};
use grudge_fuzz::check_range;
use grudge_fuzz::knobs::Knobs;
use grudge_fuzz::timestamp::{Form, NoYear, Stamp, StampOptions, StampReader, looks_ambiguous};
use libfuzzer_sys::fuzz_target;

const ZONES: [Option<&str>; 6] =
    [None, Some("+02:00"), Some("-23:59"), Some("EST"), Some("America/New_York"), Some("Australia/Lord_Howe")];

const FORMATS: [Option<&str>; 8] = [
    None,
    Some("s"),
    Some("ms"),
    Some("%d/%m/%Y %H:%M:%S"),
    Some("%y/%m/%d %H:%M:%S%.f"),
    Some("[%b %d %I:%M:%S %p]"),
    Some("%s"),
    Some("%A, %d-%b-%y %T %z"),
];

const NANOS_PER_DAY: i128 = 24 * 60 * 60 * NANOS_PER_SECOND as i128;

fuzz_target!(|input: &[u8]| {
    let (mut knobs, text) = Knobs::split(input);
    let owned = |option: Option<&str>| option.map(str::to_owned);
    let mut options = StampOptions { tz: owned(knobs.pick(&ZONES)), time_format: owned(knobs.pick(&FORMATS)) };
    let mut lines = text.split(|byte| *byte == b'\n');
    // The format may also be the first line of the text.
    if knobs.number() % 8 == 7 {
        options.time_format = lines.next().map(|line| String::from_utf8_lossy(line).into_owned());
    }
    let Ok(mut reader) = StampReader::new(options.clone()) else { return };
    let locks = knobs.flag();
    let mut previous = None;
    for line in lines {
        check_leading(&mut reader, &options, line);
        check_field(&mut reader, &options, line);
        if let Stamp::NoYear(stamp) = reader.leading(line).0 {
            previous = Some(check_year(&reader, stamp, previous, &mut knobs));
        }
        if !locks {
            reader.unlock();
        }
        check_ambiguous(line);
        check_rfc3339(line);
    }
    check_rfc3339(made_up(&mut knobs).as_bytes());
});

/// A reader that remembers nothing.
fn fresh(options: &StampOptions, form: Option<Form>) -> StampReader {
    let mut reader = StampReader::new(options.clone()).expect("options that were taken before");
    if let Some(form) = form {
        reader.lock(form);
    }
    reader
}

fn check_leading(reader: &mut StampReader, options: &StampOptions, line: &[u8]) {
    let mut other = fresh(options, reader.form());
    // Twice: the second time it may be remembered.
    for _ in 0..2 {
        let (stamp, range) = reader.leading(line);
        check_range(line, &range);
        assert_eq!(other.leading(line), (stamp, range.clone()), "{}", line.escape_ascii());
        if stamp == Stamp::Bad {
            assert_eq!(reader.is_zone_unknown(), other.is_zone_unknown());
        }
        assert_eq!(reader.form(), other.form());
        assert!(stamp != Stamp::None || range.is_empty());
        if matches!(stamp, Stamp::At(_) | Stamp::NoYear(_)) {
            // Its bytes alone are the same stamp.
            assert!(!range.is_empty());
            let alone = fresh(options, reader.form()).field(&line[range.clone()]);
            let is_custom = reader.form() == Some(Form::Custom);
            assert!(is_custom || alone == stamp, "{alone:?} {stamp:?} {range:?} {}", line.escape_ascii());
        }
        other = fresh(options, reader.form());
    }
}

fn check_field(reader: &mut StampReader, options: &StampOptions, text: &[u8]) {
    let mut other = fresh(options, reader.form());
    for _ in 0..2 {
        let stamp = reader.field(text);
        assert_eq!(other.field(text), stamp, "{}", text.escape_ascii());
        if stamp == Stamp::Bad {
            assert_eq!(reader.is_zone_unknown(), other.is_zone_unknown());
        }
        assert_eq!(reader.form(), other.form());
        other = fresh(options, reader.form());
    }
}

/// What may be read in more than one way is not read.
fn check_ambiguous(text: &[u8]) {
    if looks_ambiguous(text) {
        let mut reader = fresh(&StampOptions::default(), None);
        assert_eq!(reader.leading(text).0, Stamp::None, "{}", text.escape_ascii());
        assert_eq!(reader.field(text), Stamp::None, "{}", text.escape_ascii());
    }
}

/// Checks the year that is added, and gives the instant.
fn check_year(reader: &StampReader, stamp: NoYear, previous: Option<Timestamp>, knobs: &mut Knobs) -> Timestamp {
    let year = i32::from_le_bytes(std::array::from_fn(|_| knobs.number() as u8));
    for (first, latest) in [(None, previous), (Some(year), previous), (None, None)] {
        let rule = reader.year_rule(first, latest);
        let dated = rule.resolve(stamp, None);
        if let (None, Some(latest)) = (first, latest) {
            assert!(dated <= latest || latest < Timestamp::from_nanos(i64::MIN / 2), "{dated:?} after {latest:?}");
        }
        let _ = rule.resolve(stamp, Some(Timestamp::MIN));
        let _ = rule.resolve(stamp, Some(Timestamp::MAX));
    }
    // Some year between 1900 and 2155.
    let first = 1900 + (knobs.number() % 256) as i32;
    let previous = previous.unwrap_or_else(|| reader.year_rule(Some(first), None).resolve(stamp, None));
    let rule = reader.year_rule(None, None);
    let dated = rule.resolve(stamp, Some(previous));
    assert_eq!(rule.resolve(stamp, Some(dated)), dated, "not the nearest to itself");
    let away = i128::from(dated.nanos()).abs_diff(i128::from(previous.nanos()));
    // Half a year, and a day for each of: leap years, zones. A leap day may be up to eight years away, as one of them may
    // look like the day before or after it in another zone.
    let noon = jiff::Timestamp::from_nanosecond(i128::from(dated.nanos())).expect("an instant that jiff can hold");
    let date = jiff::tz::Offset::UTC.to_datetime(noon).date();
    let may_be_leap_day = matches!((date.month(), date.day()), (2, 28 | 29) | (3, 1));
    let days = if may_be_leap_day { 8 * 366 } else { 183 + 2 };
    assert!(away <= (days * NANOS_PER_DAY) as u128, "{dated:?} is not the nearest to {previous:?}");
    dated
}

/// An RFC 3339 stamp, often a right one.
fn made_up(knobs: &mut Knobs) -> String {
    let mut number = |most: usize| (knobs.number() * 256 + knobs.number()) % (most + 1);
    let date = format!("{:04}-{:02}-{:02}", number(9999), number(13), number(32));
    let time = format!("{:02}:{:02}:{:02}", number(24), number(60), number(61));
    let fraction = match number(3) {
        0 => String::new(),
        digits => format!(".{:0width$}", number(999), width = digits * 3),
    };
    let zone = match number(3) {
        0 => "Z".to_owned(),
        sign => format!("{}{:02}:{:02}", if sign == 1 { '+' } else { '-' }, number(25), number(60)),
    };
    format!("{date}T{time}{fraction}{zone}")
}

/// A stamp of RFC 3339 is read as jiff reads it, but for this: a leap second is the last nanosecond of its minute, no
/// clock is a day or more away, digits of a second beyond nine are cut, and what cannot be held saturates.
fn check_rfc3339(text: &[u8]) {
    let Some(parts) = Parts::of(text) else { return };
    let expected = parts.expected();
    let mut reader = fresh(&StampOptions::default(), None);
    let shown = text.escape_ascii();
    assert_eq!(reader.leading(text), (expected, 0..text.len()), "{shown}");
    assert_eq!(fresh(&StampOptions::default(), None).field(text), expected, "{shown}");
    let line = [b"[", text, b"] x"].concat();
    assert_eq!(reader.leading(&line), (expected, 1..text.len() + 1), "{shown}");
}

/// The parts of an RFC 3339 stamp: `2026-03-01T10:00:0` `0` `.123` `+05:30`.
struct Parts<'a> {
    date_time: &'a str,
    is_leap_second: bool,
    fraction: &'a str,
    zone: &'a str,
}

impl<'a> Parts<'a> {
    fn of(text: &'a [u8]) -> Option<Parts<'a>> {
        const SHAPE: &[u8] = b"dddd-dd-ddTdd:dd:dd";
        let text = std::str::from_utf8(text).ok().filter(|text| text.is_ascii())?;
        let (date_time, rest) = text.split_at_checked(SHAPE.len())?;
        if !fits(date_time, SHAPE) {
            return None;
        }
        let digits = rest.strip_prefix('.').map_or(0, |rest| rest.bytes().take_while(u8::is_ascii_digit).count());
        let (fraction, zone) = rest.split_at(if digits > 0 { digits + 1 } else { 0 });
        let is_zone = matches!(zone, "Z" | "z") || fits(zone, b"+dd:dd") || fits(zone, b"-dd:dd");
        is_zone.then_some(Parts { date_time, is_leap_second: date_time.ends_with("60"), fraction, zone })
    }

    fn expected(&self) -> Stamp {
        /// A dot and nine digits.
        const MOST_FRACTION: usize = 10;
        let Parts { date_time, is_leap_second, zone, .. } = self;
        let (date_time, fraction) = match is_leap_second {
            true => (format!("{}59", &date_time[..date_time.len() - 2]), ".999999999"),
            false => ((*date_time).to_owned(), &self.fraction[..self.fraction.len().min(MOST_FRACTION)]),
        };
        let is_a_day_away = zone.get(1..3).is_some_and(|hours| hours >= "24");
        match format!("{date_time}{fraction}{zone}").parse::<jiff::Timestamp>() {
            Ok(instant) if !is_a_day_away => {
                let nanos = instant.as_nanosecond().clamp(i64::MIN.into(), i64::MAX.into());
                Stamp::At(Timestamp::from_nanos(nanos as i64))
            }
            // jiff holds no instant behind the last one of the year 9999 in its own zone.
            Err(_) if !is_a_day_away && date_time.starts_with("9999-12-3") => match self.in_utc() {
                Some(_) => Stamp::At(Timestamp::MAX),
                None => Stamp::Bad,
            },
            _ => Stamp::Bad,
        }
    }

    /// The same a day before, to see whether date, time and zone are right.
    fn in_utc(&self) -> Option<jiff::Timestamp> {
        let date_time =
            self.date_time.replacen("9999", "9998", 1).replacen(":60", ":59", usize::from(self.is_leap_second));
        format!("{date_time}{}", self.zone).parse().ok()
    }
}

/// Whether a text has a digit where the shape has a `d`, and else what the shape has; a `T` may be small.
fn fits(text: &str, shape: &[u8]) -> bool {
    let fits = |(byte, wanted): (u8, &u8)| match wanted {
        b'd' => byte.is_ascii_digit(),
        b'T' => matches!(byte, b'T' | b't' | b' '),
        wanted => byte == *wanted,
    };
    text.len() == shape.len() && text.bytes().zip(shape).all(fits)
}
