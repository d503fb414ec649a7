//! What the user says about stamps, and what is said about those that cannot be read.

use super::*;

#[test]
fn the_zone_option_holds_for_stamps_without_one() {
    let mut berlin_winter = with_options(None, Some("+01:00"));
    assert_eq!(berlin_winter.leading(b"2026-05-04 10:00:00 a").0, at("2026-05-04T09:00:00Z"));
    assert_eq!(berlin_winter.leading(b"2026-05-04 10:00:00Z a").0, at("2026-05-04T10:00:00Z"));
    let Stamp::NoYear(stamp) = with_options(None, Some("+01:00")).field(b"Jan  1 00:30:00") else { panic!() };
    let rule = berlin_winter.year_rule(Some(2026), None);
    assert_eq!(Stamp::At(rule.resolve(stamp, None)), at("2025-12-31T23:30:00Z"));
    let wrong = StampOptions { tz: Some("Mars/Olympus".to_owned()), time_format: None };
    assert!(StampReader::new(wrong).unwrap_err().starts_with("--tz \"Mars/Olympus\" is no time zone: give UTC"));
}

#[test]
fn a_stamp_is_known_to_be_bad_for_its_zone() {
    let unknown = |reader: &mut StampReader, line: &str| {
        assert_eq!(reader.leading(line.as_bytes()).0, Stamp::Bad, "{line:?}");
        let of_line = reader.is_zone_unknown();
        assert_eq!(reader.field(line.as_bytes()), Stamp::Bad, "{line:?}");
        assert_eq!(reader.is_zone_unknown(), of_line, "{line:?}");
        of_line
    };
    let mut all = reader();
    assert!(!all.is_zone_unknown());
    for (line, expected) in [
        ("2026-05-04 10:00:00 IST", true),
        ("2026-05-04 10:00:61", false),
        ("2026-05-04 10:00:00 GMT+0200", true),
        ("2026-05-04 10:00:00 PM", false),
        ("2026-05-04 10:00:00 CEST", true),
        ("2026-05-04 10:00:00+99:00", false),
        ("2026-05-04 10:00:00 AEST", true),
        ("2026-13-04 10:00:00", false),
        ("17/May/2015:10:05:03 BST", true),
    ] {
        assert_eq!(unknown(&mut all, line), expected, "{line:?}");
        assert_eq!(unknown(&mut all, line), expected, "{line:?} again");
    }
    for (text, expected) in [
        ("2026-05-04 10:00:00 XYZ", true),
        ("2026-05-04 10:00:00 Europe/Berlin", true),
        ("2026-05-04 10:00 XYZ", true),
        ("2026-05-04 10:00:00 and more", false),
        ("2026-05-04 10:00:00 a/b", false),
        ("2026-05-04 10:00:00 X", false),
        ("2026-13-04 10:00:00 XYZ", false),
        ("2026-05-04 10:00:00x", false),
    ] {
        assert_eq!(all.field(text.as_bytes()), Stamp::Bad, "{text:?}");
        assert_eq!(all.is_zone_unknown(), expected, "{text:?}");
    }
    // No memo answers for one whose reason is forgotten.
    all.lock(Form::Iso);
    let (of_zone, of_clock) = (b"2026-05-04 10:00:00 IST", b"2026-05-04 10:00:61");
    for _ in 0..2 {
        assert_eq!((all.leading(of_zone).0, all.is_zone_unknown()), (Stamp::Bad, true));
        assert_eq!((all.field(of_clock), all.is_zone_unknown()), (Stamp::Bad, false));
    }
    let mut own = with_options(Some("%d.%m.%Y %H:%M:%S %Z"), None);
    assert!(unknown(&mut own, "04.05.2026 10:00:00 IST"));
    assert!(unknown(&mut own, "04.05.2026 10:00:00 Nowhere"));
    assert_eq!(own.field(b"04.05.2026"), Stamp::Bad);
    assert!(!own.is_zone_unknown());
}

#[test]
fn a_format_of_the_users_own() {
    let cases = [
        ("%d.%m.%Y %H:%M:%S", "04.05.2026 10:00:00 a", "2026-05-04T10:00:00Z", 19),
        ("%d.%m.%Y %H:%M:%S%.f", "04.05.2026 10:00:00.25 a", "2026-05-04T10:00:00.25Z", 22),
        ("%d.%m.%Y %H:%M:%S,%f", "[04.05.2026 10:00:00,25]", "2026-05-04T10:00:00.25Z", 23),
        ("[%d/%b/%Y %H:%M:%S %z]", " [04/May/2026 12:00:00 +0200] x", "2026-05-04T10:00:00Z", 29),
        ("%b %d %Y %I:%M:%S %p", "May 04 2026 01:00:00 PM", "2026-05-04T13:00:00Z", 23),
        ("%Y-%m-%d %H:%M:%S %Z", "2026-05-04 02:00:00 PST a", "2026-05-04T10:00:00Z", 23),
        ("%y%m%d %H:%M:%S", "260504 10:00:00 a", "2026-05-04T10:00:00Z", 15),
        ("%Y-%m-%d", "2026-05-04 a", "2026-05-04T00:00:00Z", 10),
        ("%s", "1777888800 a", "2026-05-04T10:00:00Z", 10),
        ("%d.%m.%Y %H:%M:%S", "04.05.2016 10:20:60 a", "2016-05-04T10:20:59.999999999Z", 19),
        ("%Y-%m-%d %H:%M:%S%.f", "2060-06-06 06:06:59.60", "2060-06-06T06:06:59.6Z", 22),
    ];
    for (format, line, instant, end) in cases {
        let (stamp, range) = with_options(Some(format), None).leading(line.as_bytes());
        assert_eq!((stamp, range.end), (at(instant), end), "{format:?} on {line:?}");
    }
    let Stamp::NoYear(stamp) = with_options(Some("%m/%d %H:%M:%S"), None).field(b"05/04 10:00:60") else { panic!() };
    let dated = reader().year_rule(Some(2026), None).resolve(stamp, None);
    assert_eq!(Stamp::At(dated), at("2026-05-04T10:00:59.999999999Z"));

    let mut own = with_options(Some("%d.%m.%Y"), None);
    assert_eq!(own.form(), Some(Form::Custom));
    assert_eq!(own.field(b"\"04.05.2026\""), at("2026-05-04T00:00:00Z"));
    assert_eq!(own.leading(b"31.02.2026 a").0, Stamp::Bad);
    assert_eq!(own.leading(b"04.05.20261 a").0, Stamp::None);
    assert_eq!(own.leading(b"2026-05-04T10:00:00Z").0, Stamp::None);
    assert_eq!(own.field(b"04.05.2026 x"), Stamp::Bad);
    assert_eq!(own.field(b"n/a"), Stamp::None);
    let unknown = with_options(Some("%Y-%m-%d %H:%M:%S %Z"), None).leading(b"2026-05-04 02:00:00 IST a").0;
    assert_eq!(unknown, Stamp::Bad);

    for (format, says) in [
        ("iso", "has no %-directive"),
        ("%H:%M:%S", "names no date"),
        ("%Y", "names no date"),
        ("%Y-%m-%d %M", "names no date"),
        ("%c", "cannot be read with"),
        ("%!", "cannot be read with"),
        ("", "has no %-directive"),
    ] {
        let options = StampOptions { time_format: Some(format.to_owned()), tz: None };
        let message = StampReader::new(options).unwrap_err();
        assert!(message.starts_with(&format!("--time-format {format:?} {says}")), "{message}");
    }
}

#[test]
fn twelve_hour_clocks_are_read_where_the_format_says_so() {
    for (text, instant) in [
        ("03/04/2026 12:00:00 AM", "2026-03-04T00:00:00Z"),
        ("03/04/2026 01:02:03 AM", "2026-03-04T01:02:03Z"),
        ("03/04/2026 12:00:00 PM", "2026-03-04T12:00:00Z"),
        ("03/04/2026 11:59:59 PM", "2026-03-04T23:59:59Z"),
        ("03/04/2026 11:59:60 PM", "2026-03-04T23:59:59.999999999Z"),
        ("3/4/2026 1:02:03 pm", "2026-03-04T13:02:03Z"),
    ] {
        let mut own = with_options(Some("%m/%d/%Y %I:%M:%S %p"), None);
        assert_eq!(own.field(text.as_bytes()), at(instant), "{text:?}");
        let line = format!("[{text}] x");
        assert_eq!(own.leading(line.as_bytes()), (at(instant), 1..1 + text.len()), "{line:?}");
    }
    for wrong in ["03/04/2026 13:00:00 PM", "03/04/2026 00:00:00 AM", "03/04/2026 10:00:00", "13/04/2026 10:00:00 AM"] {
        assert_eq!(with_options(Some("%m/%d/%Y %I:%M:%S %p"), None).field(wrong.as_bytes()), Stamp::Bad, "{wrong:?}");
    }
}

#[test]
fn times_before_1970_are_read() {
    let before = at("1969-12-31T23:59:58.5Z");
    assert_eq!(field("-1.5"), before);
    assert_eq!(with_options(Some("s"), None).leading(b"-1.5 x"), (before, 0..4));
    assert_eq!(with_options(Some("ms"), None).leading(b"-1500 x"), (before, 0..5));
    assert_eq!(with_options(Some("%s"), None).leading(b"-1 x"), (at("1969-12-31T23:59:59Z"), 0..2));
    assert_eq!(with_options(Some("%m/%d/%Y"), None).field(b"12/31/1969"), at("1969-12-31T00:00:00Z"));
}
