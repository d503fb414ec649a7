//! Instants as the program prints them, and as logs write them.

/// `2026-03-01 10:00:00`
pub fn iso(nanos: i64) -> String {
    let [year, month, day, hour, minute, second] = civil(nanos);
    format!("{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02}")
}

pub const NANOS_PER_SECOND: i64 = 1_000_000_000;

pub const SECONDS_PER_DAY: i64 = 86_400;

/// Days before a year began, counted from the first one.
pub fn days_before(year: i64) -> i64 {
    let past = year - 1;
    past * 365 + past / 4 - past / 100 + past / 400
}

pub fn days_of_months(year: i64) -> [i64; 12] {
    let february = if days_before(year + 1) - days_before(year) == 366 { 29 } else { 28 };
    [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
}

/// Year, month, day, hour, minute and second of an instant.
pub fn civil(nanos: i64) -> [i64; 6] {
    let seconds = nanos.div_euclid(NANOS_PER_SECOND);
    let mut day = seconds.div_euclid(SECONDS_PER_DAY) + days_before(1970);
    let year = (1..).find(|year| days_before(year + 1) > day).expect("years go on");
    day -= days_before(year);
    let mut month = 0;
    while day >= days_of_months(year)[month] {
        day -= days_of_months(year)[month];
        month += 1;
    }
    let of_day = seconds.rem_euclid(SECONDS_PER_DAY);
    [year, month as i64 + 1, day + 1, of_day / 3600, of_day / 60 % 60, of_day % 60]
}

/// The instant that the program prints as `2026-03-01T10:00:00.12Z`, or nothing for `-`.
pub fn own_time(text: &str) -> Option<i64> {
    if text == "-" {
        return None;
    }
    let parts: Vec<&str> = text.strip_suffix('Z').expect("times are in UTC").split(['-', 'T', ':', '.']).collect();
    let number = |index: usize| parts[index].parse::<i64>().expect("a number");
    let (year, month) = (number(0), number(1) as usize);
    let day =
        days_before(year) - days_before(1970) + days_of_months(year)[..month - 1].iter().sum::<i64>() + number(2) - 1;
    let seconds = day * SECONDS_PER_DAY + number(3) * 3600 + number(4) * 60 + number(5);
    let fraction = format!("{:0<9}", parts.get(6).unwrap_or(&""));
    Some(seconds * NANOS_PER_SECOND + fraction.parse::<i64>().expect("a fraction"))
}

/// What `--print time` has printed of each record.
pub fn own_times(printed: &[u8]) -> Vec<Option<i64>> {
    std::str::from_utf8(printed).expect("times are plain text").lines().map(own_time).collect()
}

#[test]
fn times_are_read_back_as_they_are_printed() {
    for (text, nanos) in [
        ("1970-01-01T00:00:00Z", 0),
        ("1969-12-31T23:59:59.9Z", -100_000_000),
        ("2000-02-29T00:00:00Z", 951_782_400 * NANOS_PER_SECOND),
        ("2026-03-01T10:00:00.012Z", 1_772_359_200_012_000_000),
    ] {
        assert_eq!(own_time(text), Some(nanos), "{text}");
        assert_eq!(iso(nanos).replace(' ', "T"), text[..19], "{text}");
    }
    assert_eq!(own_time("-"), None);
}
