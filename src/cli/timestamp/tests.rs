//! The reader as its callers see it: tables of stamps by form, jiff as the slow twin, and the memo against a reader
//! that has none.

use super::*;
use proptest::prelude::*;
use proptest::sample::select;

mod logs;
mod options;

fn reader() -> StampReader {
    StampReader::new(StampOptions::default()).unwrap()
}

fn with_options(time_format: Option<&str>, tz: Option<&str>) -> StampReader {
    StampReader::new(StampOptions { time_format: time_format.map(str::to_owned), tz: tz.map(str::to_owned) }).unwrap()
}

fn at(instant: &str) -> Stamp {
    Stamp::At(Timestamp::from_nanos(instant.parse::<jiff::Timestamp>().unwrap().as_nanosecond() as i64))
}

/// What a line says, and the text of its stamp.
fn leading(line: &str) -> (Stamp, String) {
    let (stamp, range) = reader().leading(line.as_bytes());
    (stamp, line[range].to_owned())
}

fn field(text: &str) -> Stamp {
    reader().field(text.as_bytes())
}

/// Lines that start with a stamp: the line, the stamp's text, the instant.
fn check_leading(cases: &[(&str, &str, &str)]) {
    for &(line, text, instant) in cases {
        assert_eq!(leading(line), (at(instant), text.to_owned()), "{line:?}");
    }
}

fn check_all(lines: &[&str], expected: Stamp) {
    for &line in lines {
        assert_eq!(leading(line).0, expected, "{line:?}");
    }
}

#[test]
fn iso_stamps_and_their_zones() {
    let ten = "2026-05-04T10:00:00Z";
    check_leading(&[
        ("2026-05-04T10:00:00Z a", "2026-05-04T10:00:00Z", ten),
        ("2026-05-04t10:00:00z a", "2026-05-04t10:00:00z", ten),
        ("2026-05-04 10:00:00 a", "2026-05-04 10:00:00", ten),
        ("2026-05-04\t10:00:00\ta", "2026-05-04\t10:00:00", ten),
        ("2026/05/04 10:00:00 a", "2026/05/04 10:00:00", ten),
        ("2026-05-04 15:30:00+05:30 a", "2026-05-04 15:30:00+05:30", ten),
        ("2026-05-04 15:30:00 +0530 a", "2026-05-04 15:30:00 +0530", ten),
        ("2026-05-04T02:00:00-08:00", "2026-05-04T02:00:00-08:00", ten),
        ("2026-05-04T10:00:00-00:00 a", "2026-05-04T10:00:00-00:00", ten),
        ("2026-05-04T12:00:00+02 a", "2026-05-04T12:00:00+02", ten),
        ("2026-05-04 02:00:00 PST a", "2026-05-04 02:00:00 PST", ten),
        ("2026-05-04 10:00:00 UTC a", "2026-05-04 10:00:00 UTC", ten),
        ("2026-05-04 10:00:00 INFO a", "2026-05-04 10:00:00", ten),
        ("2026-05-04 10:00:00 -5 a", "2026-05-04 10:00:00", ten),
        ("2026-05-04 10:00:00-b a", "2026-05-04 10:00:00", ten),
        ("2026-05-04T10:00:00Z[UTC] a", "2026-05-04T10:00:00Z", ten),
        ("2026-05-04T10:00:00.123+0000: 1.5", "2026-05-04T10:00:00.123+0000", "2026-05-04T10:00:00.123Z"),
    ]);
    check_all(
        &[
            "2026-05-04 15:30:00 IST a",
            "2026-05-04 10:00:00 PM a",
            "2026-05-04 10:00:00 GMT+0200",
            "2026-05-04T10:00:00+99:00 a",
            "2026-13-04T10:00:00Z",
            "2026-02-29T10:00:00Z",
            "2026-04-31T10:00:00Z",
            "0000-00-00 00:00:00",
            "2026-05-04T24:00:00Z",
            "2026-05-04T10:60:00Z",
        ],
        Stamp::Bad,
    );
    check_all(
        &[
            "",
            "2026-05-04",
            "2026-05-04 a",
            "2026-05-04T10:00Z a",
            "2026-05-04T10:00:001",
            "2026-05-04T10:00:00abc",
            "2026-05/04 10:00:00",
            "2026-05-04_10:00:00",
            "2026-5-4 10:00:00 a",
            "a 2026-05-04T10:00:00Z",
            "1777888800 a",
            "\u{0}\u{0}",
        ],
        Stamp::None,
    );
}

#[test]
fn fractions_are_exact() {
    check_leading(&[
        ("2026-05-04T10:00:00.1Z a", "2026-05-04T10:00:00.1Z", "2026-05-04T10:00:00.1Z"),
        ("2026-05-04T10:00:00.1234Z", "2026-05-04T10:00:00.1234Z", "2026-05-04T10:00:00.1234Z"),
        ("2026-05-04T10:00:00.123456789Z", "2026-05-04T10:00:00.123456789Z", "2026-05-04T10:00:00.123456789Z"),
        ("2026-05-04T10:00:00.1234567899Z", "2026-05-04T10:00:00.1234567899Z", "2026-05-04T10:00:00.123456789Z"),
        ("2026-05-04T10:00:00.000000001", "2026-05-04T10:00:00.000000001", "2026-05-04T10:00:00.000000001Z"),
        ("2026-05-04T10:00:00.012345678", "2026-05-04T10:00:00.012345678", "2026-05-04T10:00:00.012345678Z"),
        ("2026-05-04T10:00:00.Z a", "2026-05-04T10:00:00.Z", "2026-05-04T10:00:00Z"),
        ("2026-05-04T10:00:00. Then", "2026-05-04T10:00:00", "2026-05-04T10:00:00Z"),
        ("2026-05-04 10:00:00,123 a", "2026-05-04 10:00:00,123", "2026-05-04T10:00:00.123Z"),
        ("[2026-05-04 10:00:00,123456] a", "2026-05-04 10:00:00,123456", "2026-05-04T10:00:00.123456Z"),
        ("2026-05-04 10:00:00,123456789", "2026-05-04 10:00:00,123456789", "2026-05-04T10:00:00.123456789Z"),
        ("2026-05-04 10:00:00,123Z a", "2026-05-04 10:00:00,123Z", "2026-05-04T10:00:00.123Z"),
        ("2026-05-04 12:00:00,123 +0200", "2026-05-04 12:00:00,123 +0200", "2026-05-04T10:00:00.123Z"),
        // A comma between columns.
        ("2026-05-04 10:00:00,12 a", "2026-05-04 10:00:00", "2026-05-04T10:00:00Z"),
        ("2026-05-04 10:00:00,1234567890", "2026-05-04 10:00:00", "2026-05-04T10:00:00Z"),
        ("2026-05-04 10:00:00,123,a", "2026-05-04 10:00:00", "2026-05-04T10:00:00Z"),
        ("2026-05-04 10:00:00,123-45", "2026-05-04 10:00:00", "2026-05-04T10:00:00Z"),
        ("2026-05-04 10:00:00,a", "2026-05-04 10:00:00", "2026-05-04T10:00:00Z"),
    ]);
    assert_eq!(field("2026-05-04T10:00:00."), Stamp::Bad);
}

#[test]
fn leap_seconds_land_before_the_next_minute() {
    check_leading(&[
        ("2016-12-31T23:59:60Z b", "2016-12-31T23:59:60Z", "2016-12-31T23:59:59.999999999Z"),
        ("2016-12-31T23:59:60.25Z", "2016-12-31T23:59:60.25Z", "2016-12-31T23:59:59.999999999Z"),
        ("2016-12-31T15:59:60-08:00 e", "2016-12-31T15:59:60-08:00", "2016-12-31T23:59:59.999999999Z"),
        ("2024-05-04T10:20:60Z", "2024-05-04T10:20:60Z", "2024-05-04T10:20:59.999999999Z"),
        ("31/Dec/2016:23:59:60 +0000", "31/Dec/2016:23:59:60 +0000", "2016-12-31T23:59:59.999999999Z"),
        ("Sat Dec 31 23:59:60 2016", "Sat Dec 31 23:59:60 2016", "2016-12-31T23:59:59.999999999Z"),
    ]);
    check_all(&["2016-12-31T23:59:61Z", "31/Dec/2016:23:59:61 +0000", "Dec 31 23:59:61 h"], Stamp::Bad);
}

#[test]
fn access_log_stamps() {
    check_leading(&[
        ("17/May/2015:10:05:03 +0000] \"GET", "17/May/2015:10:05:03 +0000", "2015-05-17T10:05:03Z"),
        ("[17/may/2015:10:05:03 -0700] x", "17/may/2015:10:05:03 -0700", "2015-05-17T17:05:03Z"),
        ("17/May/2015:10:05:03 x", "17/May/2015:10:05:03", "2015-05-17T10:05:03Z"),
        ("17/May/2015:10:05:03.250 +0000", "17/May/2015:10:05:03.250 +0000", "2015-05-17T10:05:03.25Z"),
    ]);
    assert_eq!(field("[17/May/2015:10:05:03"), at("2015-05-17T10:05:03Z"));
    check_all(&["31/Apr/2015:10:05:03 +0000", "00/May/2015:10:05:03"], Stamp::Bad);
    check_all(&["17/Foo/2015:10:05:03", "17-May-2015:10:05:03", "17/May/2015 10:05:03"], Stamp::None);
}

#[test]
fn syslog_and_ctime_stamps() {
    check_leading(&[
        ("May 17 2015 10:05:03 host", "May 17 2015 10:05:03", "2015-05-17T10:05:03Z"),
        ("Mar  1 2026 10:00:00.5: %X", "Mar  1 2026 10:00:00.5", "2026-03-01T10:00:00.5Z"),
        ("Sun Dec 04 04:47:44 2005 x", "Sun Dec 04 04:47:44 2005", "2005-12-04T04:47:44Z"),
        ("[Sun Dec  4 04:47:44.123456 2005] [e]", "Sun Dec  4 04:47:44.123456 2005", "2005-12-04T04:47:44.123456Z"),
        ("Sun Dec  4 04:47:44 PST 2005", "Sun Dec  4 04:47:44 PST 2005", "2005-12-04T12:47:44Z"),
        ("<34>1 2003-10-11T22:14:15.003Z host", "2003-10-11T22:14:15.003Z", "2003-10-11T22:14:15.003Z"),
    ]);
    let year_added = |line: &str| match leading(line) {
        (Stamp::NoYear(stamp), text) => (Stamp::At(reader().year_rule(Some(2025), None).resolve(stamp, None)), text),
        other => other,
    };
    for (line, text, instant) in [
        ("Dec 31 23:59:58 host app[1]: x", "Dec 31 23:59:58", "2025-12-31T23:59:58Z"),
        ("Jan  1 00:00:00 host", "Jan  1 00:00:00", "2025-01-01T00:00:00Z"),
        ("Jan 01 00:00:00.25 host", "Jan 01 00:00:00.25", "2025-01-01T00:00:00.25Z"),
        ("Jan 1 00:00:00 IST sshd", "Jan 1 00:00:00", "2025-01-01T00:00:00Z"),
        ("<13>Jan  1 00:00:00 host", "Jan  1 00:00:00", "2025-01-01T00:00:00Z"),
        ("Mar  1 10:00:00 EST: %X", "Mar  1 10:00:00 EST", "2025-03-01T15:00:00Z"),
    ] {
        assert_eq!(year_added(line), (at(instant), text.to_owned()), "{line:?}");
    }
    check_all(
        &["Feb 30 00:00:00 host", "Jan  0 00:00:00", "Mar  1 10:00:00 IST: x", "Sun Feb 30 00:00:00 2005"],
        Stamp::Bad,
    );
    check_all(&["Foo  1 00:00:00", "Jan  1", "Sun Dec 04 04:47:44 host", "<1234>Jan  1 00:00:00", "<>"], Stamp::None);
}

#[test]
fn what_stands_before_a_stamp_is_skipped_and_not_counted() {
    let nuls = "\0".repeat(2_000);
    for before in ["", " ", "\t ", "[", "(", "\"", "'", " [", nuls.as_str()] {
        let line = format!("{before}2026-05-04T10:00:00Z] a");
        let (stamp, range) = reader().leading(line.as_bytes());
        assert_eq!((stamp, range), (at("2026-05-04T10:00:00Z"), before.len()..before.len() + 20));
    }
    check_all(&["[[2026-05-04T10:00:00Z", "{2026-05-04T10:00:00Z"], Stamp::None);
}

#[test]
fn a_named_field_may_say_less() {
    for (text, instant) in [
        ("2026-05-04", "2026-05-04T00:00:00Z"),
        ("2026/05/04", "2026-05-04T00:00:00Z"),
        ("2026-05-04T10:00", "2026-05-04T10:00:00Z"),
        ("2026-05-04 10:00+02:00", "2026-05-04T08:00:00Z"),
        ("2026-05-04 10:00:00 +02:00", "2026-05-04T08:00:00Z"),
        (" \"2026-05-04T10:00:00Z\" ", "2026-05-04T10:00:00Z"),
        ("2026-05-04T10:00:00.123+0000:", "2026-05-04T10:00:00.123Z"),
        ("Sun Dec 04 04:47:44 2005", "2005-12-04T04:47:44Z"),
        ("1777888800", "2026-05-04T10:00:00Z"),
        ("1777888800123", "2026-05-04T10:00:00.123Z"),
        ("[-1.5]", "1969-12-31T23:59:58.5Z"),
    ] {
        assert_eq!(field(text), at(instant), "{text:?}");
    }
    for text in [
        "2026-13-04",
        "2026-05-04x",
        "2026-05-04 noon",
        "2026-05-04 10:00:00 IST",
        "2026-05-04 10:00:00 XYZ",
        "2026-05-04T10:00:61Z",
        "2026-05-04T10:00:00Z and more",
    ] {
        assert_eq!(field(text), Stamp::Bad, "{text:?}");
    }
    for text in ["", "-", "n/a", "\0", "10.0.0.1", "12ab", "200 OK"] {
        assert_eq!(field(text), Stamp::None, "{text:?}");
    }
}

#[test]
fn the_first_stamp_read_locks_its_form() {
    let mut reader = reader();
    assert_eq!(reader.leading(b"2026-13-04T10:00:00Z").0, Stamp::Bad);
    assert_eq!(reader.form(), None, "a stamp that cannot be read locks nothing");
    assert_ne!(reader.leading(b"May  4 10:00:00 h").0, Stamp::None);
    assert_eq!(reader.form(), Some(Form::Syslog));
    assert_eq!(reader.leading(b"2026-05-04T10:00:00Z"), (Stamp::None, 0..0));
    assert_eq!(reader.field(b"1777888800"), Stamp::None);
    let mut clone = reader.clone();
    clone.lock(Form::Iso);
    assert_eq!(clone.leading(b"2026-05-04T10:00:00Z").0, at("2026-05-04T10:00:00Z"));
    assert_eq!(clone.leading(b"May  4 10:00:00 h").0, Stamp::None, "the memo went with the lock");
    assert_eq!(reader.form(), Some(Form::Syslog));
}

#[test]
fn a_unit_given_makes_leading_numbers_stamps() {
    let mut seconds = with_options(Some("s"), None);
    assert_eq!(seconds.form(), Some(Form::Epoch(Some(EpochUnit::Seconds))));
    assert_eq!(seconds.leading(b"1777888800.250    12 10.0.0.1"), (at("2026-05-04T10:00:00.25Z"), 0..14));
    assert_eq!(seconds.leading(b"10.0.0.1 x").0, Stamp::None);
    assert_eq!(with_options(Some("ns"), None).field(b"1500000000"), at("1970-01-01T00:00:01.5Z"));
    let mut found = reader();
    assert_eq!(found.field(b"1777888800"), at("2026-05-04T10:00:00Z"));
    assert_eq!(found.leading(b"1777888800 x").0, Stamp::None, "without a unit given it may be an id");
}

#[test]
fn instants_out_of_range_saturate() {
    assert_eq!(field("9999-12-31T23:59:59.999999999Z"), Stamp::At(Timestamp::MAX));
    let Stamp::At(earliest) = field("0001-01-01 00:00:00") else { panic!() };
    assert!(earliest <= at_nanos(i64::MIN + NANOS_PER_SECOND));
    assert_eq!(with_options(Some("%Y-%m-%d"), Some("-10:00")).field(b"9999-12-31"), Stamp::At(Timestamp::MAX));
}

fn at_nanos(nanos: i64) -> Timestamp {
    Timestamp::from_nanos(nanos)
}

/// A moment with the parts that tests vary: seconds of the years 1678 to 2261, a fraction, minutes of offset.
fn moments() -> impl Strategy<Value = (jiff::civil::DateTime, String, i32)> {
    let seconds = -9_214_560_000_i64..=9_214_560_000;
    (seconds, "[0-9]{0,12}", -1_439_i32..=1_439).prop_map(|(seconds, fraction, minutes)| {
        let wall = jiff::tz::Offset::UTC.to_datetime(jiff::Timestamp::from_second(seconds).unwrap());
        (wall, fraction, minutes)
    })
}

/// The twin's reading: jiff's own types do the calendar, the offset and the fraction.
fn twin(wall: jiff::civil::DateTime, fraction: &str, minutes: i32) -> Stamp {
    let nanos = format!("{fraction:0<9}")[..9].parse().unwrap();
    let wall = wall.with().subsec_nanosecond(nanos).build().unwrap();
    let offset = jiff::tz::Offset::from_seconds(minutes * 60).unwrap();
    Stamp::At(at_nanos(offset.to_timestamp(wall).unwrap().as_nanosecond() as i64))
}

fn offset_text(minutes: i32, colon: &str) -> String {
    let sign = if minutes < 0 { '-' } else { '+' };
    format!("{sign}{:02}{colon}{:02}", minutes.abs() / 60, minutes.abs() % 60)
}

/// Texts that are alike enough to fool a memo.
const ALIKE: [&str; 37] = [
    "2026-05-04 10:00:00",
    "2026-05-04 10:00:00 ",
    "2026-05-04 10:00:00.5",
    "2026-05-04 10:00:00.",
    "2026-05-04 10:00:00.Z",
    "2026-05-04 10:00:00Z",
    "2026-05-04 10:00:00Zx",
    "2026-05-04 10:00:00 +0100",
    "2026-05-04 10:00:00 +01000",
    "2026-05-04 10:00:00 +01",
    "2026-05-04 10:00:00+01",
    "2026-05-04 10:00:00,123",
    "2026-05-04 10:00:00,123 PST",
    "2026-05-04 10:00:00,1234",
    "2026-05-04 10:00:00 PST",
    "2026-05-04 10:00:00 PSTX",
    "2026-05-04 10:00:00 INFO",
    "2026-05-04 10:00:00 IST",
    "2026-05-04 10:00:000",
    "2026-05-04 10:00:01 a",
    "[2026-05-04 10:00:00] a",
    "2026-05-04",
    "2026-05-04 10:00",
    "2026-05-04 10:00 a",
    "May  4 10:00:00",
    "May  4 10:00:00.5",
    "May  4 10:00:00 UTC: a",
    "<1>May  4 10:00:00 UTC a",
    "1777888800",
    "1777888800.5",
    "I0504 10:00:00.123456",
    "I0504 10:00:00.123456    1 a.go:7] m",
    "E0504 10:00:00.123456",
    "I0504 10:00:00.1234567",
    "I0504 10:00:00",
    "0504 10:00:00.123456",
    "I20260504 10:00:00.123456 1 a.go:7] m",
];

const FORMS: [Form; 7] = [
    Form::Iso,
    Form::AccessLog,
    Form::Syslog,
    Form::Ctime,
    Form::Epoch(None),
    Form::Epoch(Some(EpochUnit::Millis)),
    Form::Klog,
];

proptest! {
    #[test]
    fn iso_agrees_with_jiff(
        (wall, fraction, minutes) in moments(),
        between in select(&["T", "t", " "]),
        apart in select(&["", " "]),
        colon in select(&["", ":"]),
        after in select(&["", " a", "]", ": 1", "\" b"]),
    ) {
        let dot = if fraction.is_empty() { "" } else { "." };
        let time = wall.strftime("%H:%M:%S");
        let stamp = format!("{}{between}{time}{dot}{fraction}{apart}{}", wall.date(), offset_text(minutes, colon));
        let line = format!("{stamp}{after}");
        let expected = twin(wall, &fraction, minutes);
        prop_assert_eq!(reader().leading(line.as_bytes()), (expected, 0..stamp.len()), "{}", line);
        prop_assert_eq!(reader().field(stamp.as_bytes()), expected);
    }

    #[test]
    fn access_log_and_ctime_agree_with_jiff((wall, fraction, minutes) in moments()) {
        let stamp = format!("{} {}", wall.strftime("%d/%b/%Y:%H:%M:%S"), offset_text(minutes, ""));
        let line = format!("[{stamp}] \"GET / HTTP/1.1\"");
        prop_assert_eq!(reader().leading(line.as_bytes()), (twin(wall, "", minutes), 1..1 + stamp.len()));
        let dot = if fraction.is_empty() { "" } else { "." };
        let stamp = format!("{}{dot}{fraction} {}", wall.strftime("%a %b %e %H:%M:%S"), wall.strftime("%Y"));
        let line = format!("{stamp} a");
        prop_assert_eq!(reader().leading(line.as_bytes()), (twin(wall, &fraction, 0), 0..stamp.len()));
    }

    #[test]
    fn the_memo_never_changes_an_answer(
        form in select(&FORMS),
        texts in prop::collection::vec((select(&ALIKE), select(&["", "", " a", ",b", "Z"])), 1..40),
    ) {
        let mut remembering = reader();
        remembering.lock(form);
        for (text, after) in texts {
            let line = format!("{text}{after}");
            let mut fresh = reader();
            fresh.lock(form);
            prop_assert_eq!(remembering.leading(line.as_bytes()), fresh.leading(line.as_bytes()), "{}", line);
            let mut fresh = reader();
            fresh.lock(form);
            prop_assert_eq!(remembering.field(line.as_bytes()), fresh.field(line.as_bytes()), "{}", line);
        }
    }

    #[test]
    fn an_answer_depends_only_on_the_bytes_it_has_seen(
        form in select(&FORMS),
        text in select(&ALIKE),
        tails in prop::array::uniform2("[ -~]{0,12}"),
    ) {
        let mut first = reader();
        first.lock(form);
        // The memo of the first line answers for the second only where a parser would say the same.
        first.leading(format!("{text}{}", tails[0]).as_bytes());
        let second = format!("{text}{}", tails[1]);
        let mut fresh = reader();
        fresh.lock(form);
        prop_assert_eq!(first.leading(second.as_bytes()), fresh.leading(second.as_bytes()));
    }

    #[test]
    fn nothing_panics_and_ranges_lie_inside(bytes in prop::collection::vec(any::<u8>(), 0..60)) {
        check_any(&bytes)?;
    }

    #[test]
    fn damaged_stamps_do_not_panic(
        text in select(&ALIKE),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..4),
        cut in any::<prop::sample::Index>(),
    ) {
        let mut bytes = text.as_bytes().to_vec();
        for (index, byte) in changes {
            let position = index.index(bytes.len());
            bytes[position] = byte;
        }
        check_any(&bytes)?;
        check_any(&bytes[..cut.index(bytes.len())])?;
    }
}

fn check_any(bytes: &[u8]) -> Result<(), TestCaseError> {
    let custom = with_options(Some("%d.%m.%Y %H:%M:%S %Z"), None);
    let locked = FORMS.map(|form| {
        let mut reader = reader();
        reader.lock(form);
        reader
    });
    for mut reader in [reader(), custom].into_iter().chain(locked) {
        let (stamp, range) = reader.leading(bytes);
        prop_assert!(range.start <= range.end && range.end <= bytes.len());
        prop_assert_eq!(stamp == Stamp::None, range.is_empty());
        let _ = reader.field(bytes);
    }
    Ok(())
}
