use super::*;

const HOUR: i32 = SECONDS_PER_HOUR as i32;

#[test]
fn zones_behind_a_time() {
    use ZoneText::{Absent, Offset, Unknown};
    let half = HOUR / 2;
    let cases: [(&str, ZoneText, usize); 37] = [
        ("", Absent, 0),
        ("Z", Offset(0), 1),
        ("z rest", Offset(0), 1),
        ("Zone", Absent, 0),
        ("+05:30", Offset(5 * HOUR + half), 6),
        ("-0800", Offset(-8 * HOUR), 5),
        ("+02", Offset(2 * HOUR), 3),
        ("+0000: 1.5", Offset(0), 5),
        ("+02: x", Offset(2 * HOUR), 3),
        ("-00:00", Offset(0), 6),
        ("-2", Absent, 0),
        ("-123", Absent, 0),
        ("-12345", Absent, 0),
        ("-20abcdef", Absent, 0),
        ("-x", Absent, 0),
        ("+24:00", Unknown, 6),
        ("+0060", Unknown, 5),
        (" +0530 x", Offset(5 * HOUR + half), 6),
        (" +05:30", Offset(5 * HOUR + half), 7),
        (" +05", Absent, 0),
        (" -9999", Absent, 0),
        ("  +0530", Absent, 0),
        (" UTC", Offset(0), 4),
        (" GMT]", Offset(0), 4),
        (" Z", Offset(0), 2),
        (" EST", Offset(-5 * HOUR), 4),
        (" EDT", Offset(-4 * HOUR), 4),
        (" CST", Offset(-6 * HOUR), 4),
        (" CDT", Offset(-5 * HOUR), 4),
        (" MST", Offset(-7 * HOUR), 4),
        (" MDT", Offset(-6 * HOUR), 4),
        (" PST", Offset(-8 * HOUR), 4),
        (" PDT", Offset(-7 * HOUR), 4),
        (" IST", Unknown, 4),
        (" PM", Unknown, 3),
        (" GMT+0200", Unknown, 4),
        (" INFO", Absent, 0),
    ];
    for (bytes, zone, end) in cases {
        assert_eq!(read(&mut Text::new(bytes.as_bytes(), false), 0, Names::Any), (zone, end), "{bytes:?}");
    }
    let before_colon = |bytes: &str| read(&mut Text::new(bytes.as_bytes(), false), 0, Names::BeforeColon).0;
    assert_eq!(before_colon(" UTC: %SYS"), Offset(0));
    assert_eq!(before_colon(" IST: %SYS"), Unknown);
    assert_eq!(before_colon(" IST sshd"), Absent, "a host may have such a name");
}

#[test]
fn the_zone_option() {
    let fixed = |name| match Zone::from_option(name) {
        Ok(Zone::Fixed(seconds)) => Some(seconds),
        _ => None,
    };
    assert_eq!(fixed("UTC"), Some(0));
    assert_eq!(fixed("+02:00"), Some(2 * HOUR));
    assert_eq!(fixed("-0330"), Some(-7 * HOUR / 2));
    assert_eq!(fixed("+02"), Some(2 * HOUR));
    assert_eq!(fixed("PST"), Some(-8 * HOUR));
    for wrong in ["", "+25:00", "+02:00x", "Nowhere/At_All", "--", "Etc/Unknown"] {
        let message = Zone::from_option(wrong).unwrap_err();
        assert!(message.starts_with(&format!("--tz {wrong:?} is no time zone: give")), "{message}");
    }
}

/// New York's rule, written out so that the tests need no database.
fn new_york() -> Zone {
    Zone::Named(TimeZone::posix("EST5EDT,M3.2.0,M11.1.0").unwrap())
}

fn second(instant: &str) -> i64 {
    instant.parse::<jiff::Timestamp>().unwrap().as_second()
}

/// How far the time has come at each of some wall clock times: the latest of all that were read.
fn running(zone: &Zone, walls: impl Iterator<Item = i64>) -> Vec<i64> {
    let read = walls.map(|wall| zone.instant(wall, 0).nanos() / 1_000_000_000);
    read.scan(i64::MIN, |latest, instant| {
        *latest = instant.max(*latest);
        Some(*latest)
    })
    .collect()
}

/// The longest step between two neighbours.
fn longest_step(times: &[i64]) -> i64 {
    times.windows(2).map(|pair| pair[1] - pair[0]).max().unwrap()
}

const STEP: i64 = 10 * SECONDS_PER_MINUTE;

#[test]
fn time_goes_on_without_a_jump_where_clocks_go_forward() {
    let zone = new_york();
    let instants: Vec<_> = (second("2026-03-08T05:00:00Z")..second("2026-03-08T10:00:00Z")).step_by(600).collect();
    assert_eq!(running(&zone, instants.iter().map(|instant| zone.local(*instant))), instants);
}

#[test]
fn a_clock_that_was_not_put_forward_at_once_makes_no_jump_either() {
    let zone = new_york();
    let walls = (second("2026-03-08T00:00:00Z")..second("2026-03-08T06:00:00Z")).step_by(600);
    let times = running(&zone, walls);
    assert_eq!(longest_step(&times), STEP);
    assert_eq!(times.last(), Some(&second("2026-03-08T09:50:00Z")), "05:50 on a clock that is right again");
}

#[test]
fn time_holds_through_the_hour_that_comes_twice_and_then_makes_up_for_it() {
    let zone = new_york();
    let instants: Vec<_> = (second("2026-11-01T04:00:00Z")..second("2026-11-01T10:00:00Z")).step_by(600).collect();
    let times = running(&zone, instants.iter().map(|instant| zone.local(*instant)));
    let again = second("2026-11-01T06:00:00Z")..second("2026-11-01T07:00:00Z");
    for (instant, time) in instants.iter().zip(&times) {
        let expected = if again.contains(instant) { again.start - STEP } else { *instant };
        assert_eq!(*time, expected, "{}", jiff::Timestamp::from_second(*instant).unwrap());
    }
    assert_eq!(longest_step(&times), STEP + SECONDS_PER_HOUR);
}

#[test]
fn clocks_that_change_are_read_compatibly() {
    let zone = new_york();
    let at = |wall: &str| {
        let wall: jiff::civil::DateTime = wall.parse().unwrap();
        let local = Offset::UTC.to_timestamp(wall).unwrap().as_second();
        jiff::Timestamp::from_second(zone.instant(local, 0).nanos() / 1_000_000_000).unwrap().to_string()
    };
    assert_eq!(at("2026-01-15T12:00:00"), "2026-01-15T17:00:00Z");
    assert_eq!(at("2026-07-15T12:00:00"), "2026-07-15T16:00:00Z");
    assert_eq!(at("2026-03-08T02:30:00"), "2026-03-08T07:30:00Z", "a time that was skipped");
    assert_eq!(at("2026-11-01T01:30:00"), "2026-11-01T05:30:00Z", "a time that came twice");
}
