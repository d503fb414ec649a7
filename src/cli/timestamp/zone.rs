//! Zones: what a stamp says after its time of day, and what holds for a stamp that says nothing.

use super::civil::{SECONDS_PER_DAY, SECONDS_PER_HOUR, SECONDS_PER_MINUTE};
use super::scan::Text;
use grudge::time::Timestamp;
use jiff::tz::{Offset, TimeZone};

/// The zone of stamps that name none.
#[derive(Debug, Clone)]
pub(super) enum Zone {
    /// Seconds east of Greenwich, all year round. The common case, and the fast one.
    Fixed(i32),
    /// A place whose clocks change.
    Named(TimeZone),
}

/// What stands where a zone may stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ZoneText {
    Absent,
    /// Seconds east of Greenwich.
    Offset(i32),
    /// A zone without doubt, but not one that can be read.
    Unknown,
}

impl ZoneText {
    /// The offset that the stamp names, if any; nothing if it names one that cannot be read.
    #[inline]
    pub(super) fn offset(self) -> Option<Option<i32>> {
        match self {
            ZoneText::Absent => Some(None),
            ZoneText::Offset(seconds) => Some(Some(seconds)),
            ZoneText::Unknown => None,
        }
    }
}

/// Which words behind a stamp may be zones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Names {
    /// Any that is known as one.
    Any,
    /// Only before a colon (`Mar  1 10:00:00 UTC: %LINK-3-…`). In a syslog line the next word is the host's name.
    BeforeColon,
}

/// The longest word that is looked at as a zone's name.
const LONGEST_NAME: usize = 5;

/// Zone names with more than one meaning, or outside the few that everybody writes alike. Each would change the time by
/// hours. They are not guessed, and a stamp with one is not read as if it were not there. Other words in capitals (INFO,
/// WARN, GET) are no part of a stamp.
#[rustfmt::skip]
fn is_not_guessed(name: &[u8]) -> bool {
    matches!(
        name,
          b"ADT" | b"AST" | b"BRT" | b"BST" | b"CET" | b"CLT" | b"EET" | b"HKT" | b"HST" | b"ICT" | b"IDT"
        | b"IST" | b"JST" | b"KST" | b"MSK" | b"NDT" | b"NST" | b"PKT" | b"SGT" | b"WET" | b"WIB"
        | b"ACDT" | b"ACST" | b"AEDT" | b"AEST" | b"AKDT" | b"AKST" | b"AWST" | b"CEST" | b"EEST" | b"MEST" | b"NZDT"
        | b"NZST" | b"SAST" | b"WEST"
    )
}

/// The halves of a twelve-hour day are no zones, but they change the time just so.
fn is_half_of_day(name: &[u8]) -> bool {
    matches!(name, b"AM" | b"PM")
}

/// Whether a field that goes on with `rest` behind its time of day names a zone there that nobody here knows: a word in
/// capitals behind a blank, or a place (`Europe/Berlin`).
#[cold]
pub(super) fn is_strange_name(rest: &[u8]) -> bool {
    /// Shorter words are letters, not names.
    const SHORTEST_NAME: usize = 2;

    let Some(name) = rest.strip_prefix(b" ") else { return false };
    let is_capitals = (SHORTEST_NAME..=LONGEST_NAME).contains(&name.len()) && name.iter().all(u8::is_ascii_uppercase);
    let of_place = |byte: &u8| byte.is_ascii_alphabetic() || matches!(byte, b'/' | b'_');
    let is_place =
        name.contains(&b'/') && name.first().is_some_and(u8::is_ascii_uppercase) && name.iter().all(of_place);
    is_capitals || is_place
}

/// The offset of a zone's name, for the names that are read: those of RFC 2822, which mean one thing each.
fn named_offset(name: &[u8]) -> Option<i32> {
    let hours = match name {
        b"UTC" | b"GMT" | b"Z" => 0,
        b"EDT" => -4,
        b"EST" | b"CDT" => -5,
        b"CST" | b"MDT" => -6,
        b"MST" | b"PDT" => -7,
        b"PST" => -8,
        _ => return None,
    };
    Some(hours * SECONDS_PER_HOUR as i32)
}

/// The zone at `at`, right behind a time of day or one blank away, and where it ends (`at` if there is none).
#[inline(always)]
pub(super) fn read(text: &mut Text, at: usize, names: Names) -> (ZoneText, usize) {
    match text.byte(at) {
        Some(b' ') => match text.byte(at + 1) {
            Some(b'+' | b'-' | b'A'..=b'Z') => read_apart(text, at + 1, names).unwrap_or((ZoneText::Absent, at)),
            _ => (ZoneText::Absent, at),
        },
        _ => read_attached(text, at),
    }
}

/// The zone right at `at`: `Z`, `z`, `±HH:MM`, `±HHMM` or `±HH`.
#[inline(always)]
pub(super) fn read_attached(text: &mut Text, at: usize) -> (ZoneText, usize) {
    match text.byte(at) {
        Some(b'Z' | b'z') if text.breaks(at + 1) => (ZoneText::Offset(0), at + 1),
        Some(b'+' | b'-') => match offset(text, at, true) {
            Some((Some(seconds), end)) => (ZoneText::Offset(seconds), end),
            // It has the form of an offset, but no clock is 45 hours away.
            Some((None, end)) => (ZoneText::Unknown, end),
            None => (ZoneText::Absent, at),
        },
        _ => (ZoneText::Absent, at),
    }
}

/// Whether there is a zone right at `at`.
#[cold]
pub(super) fn is_attached(text: &mut Text, at: usize) -> bool {
    read_attached(text, at).0 != ZoneText::Absent
}

/// The zone behind a blank: an offset with minutes (a bare `-5` or `-10` is more likely a number of the message), or a
/// name.
fn read_apart(text: &mut Text, at: usize, names: Names) -> Option<(ZoneText, usize)> {
    match text.byte(at)? {
        b'+' | b'-' => {
            let (seconds, end) = offset(text, at, false)?;
            Some((ZoneText::Offset(seconds?), end))
        }
        b'A'..=b'Z' => {
            let mut word = [0; LONGEST_NAME];
            let mut length = 0;
            while let Some(byte) = text.byte(at + length).filter(u8::is_ascii_uppercase) {
                *word.get_mut(length)? = byte;
                length += 1;
            }
            let (word, end) = (&word[..length], at + length);
            if !text.breaks(end) || names == Names::BeforeColon && !text.whole && !text.has(end, b':') {
                return None;
            }
            match named_offset(word) {
                // GMT+0200 is a zone of its own, and the world does not agree on its sign.
                Some(_) if matches!(text.byte(end), Some(b'+' | b'-')) && text.digit(end + 1).is_some() => {
                    text.miss_zone();
                    Some((ZoneText::Unknown, end))
                }
                Some(seconds) => Some((ZoneText::Offset(seconds), end)),
                None if is_not_guessed(word) => {
                    text.miss_zone();
                    Some((ZoneText::Unknown, end))
                }
                None if is_half_of_day(word) => Some((ZoneText::Unknown, end)),
                None => None,
            }
        }
        _ => None,
    }
}

/// The offset whose sign stands at `at`, and where it ends; no seconds if it is out of range.
fn offset(text: &mut Text, at: usize, hours_alone: bool) -> Option<(Option<i32>, usize)> {
    let hours = text.number::<2>(at + 1)?;
    let minutes_at = at + 3 + usize::from(text.has(at + 3, b':'));
    let (minutes, end) = match text.number::<2>(minutes_at) {
        Some(minutes) if text.breaks(minutes_at + 2) => (minutes, minutes_at + 2),
        _ if hours_alone && text.breaks(at + 3) => (0, at + 3),
        _ => return None,
    };
    let seconds = hours * SECONDS_PER_HOUR as u32 + minutes * SECONDS_PER_MINUTE as u32;
    let seconds = (minutes < 60 && seconds < SECONDS_PER_DAY as u32).then_some(seconds as i32);
    let sign = if text.has(at, b'-') { -1 } else { 1 };
    Some((seconds.map(|seconds| sign * seconds), end))
}

impl Zone {
    pub(super) const UTC: Zone = Zone::Fixed(0);

    /// The zone that `--tz` names. A name is looked up once, here; afterwards the zone needs no file.
    pub(super) fn from_option(name: &str) -> Result<Zone, String> {
        if let Some(seconds) = named_offset(name.as_bytes()) {
            return Ok(Zone::Fixed(seconds));
        }
        let mut text = Text::new(name.as_bytes(), true);
        match read_attached(&mut text, 0) {
            (ZoneText::Offset(seconds), end) if end == name.len() => return Ok(Zone::Fixed(seconds)),
            _ => {}
        }
        let unknown = || {
            format!(
                "--tz {name:?} is no time zone: give UTC, an offset from -23:59 to +23:59 such as +02:00, or a name of \
                 the time zone database such as Europe/Berlin"
            )
        };
        let zone = TimeZone::get(name).map_err(|_| unknown())?;
        if zone.is_unknown() {
            return Err(unknown());
        }
        Ok(match zone.to_fixed_offset() {
            Ok(offset) => Zone::Fixed(offset.seconds()),
            Err(_) => Zone::Named(zone),
        })
    }

    /// The instant at which this zone's clocks show a time, given as seconds since 1970 on them.
    ///
    /// Where clocks go back, an hour's times come twice, and each is read as the **earlier** of the two. So no stamp is
    /// ever read as later than it was: all through the second such hour a running maximum holds the end of the first
    /// one, and then makes up for the hour in one step. To read any of them as the later one would need a guess, and a
    /// wrong one would put the time an hour ahead, where records that come in order look late.
    ///
    /// Where clocks go forward, an hour's times never come, and the stamps on both sides follow each other as the
    /// instants do. What a clock shows that was not put forward is read as **the time that would have been**, by the
    /// offset from before: it goes on at its own pace, with no step longer than what its stamps say.
    #[inline]
    pub(super) fn instant(&self, local: i64, nanos: u32) -> Timestamp {
        let offset = match self {
            Zone::Fixed(offset) => *offset,
            Zone::Named(zone) => named_zone_offset(zone, local),
        };
        Timestamp::from_seconds(local.saturating_sub(i64::from(offset)), nanos)
    }

    /// The instant of a stamp that may have brought its own offset.
    #[inline]
    pub(super) fn instant_at(&self, local: i64, nanos: u32, offset: Option<i32>) -> Timestamp {
        match offset {
            Some(offset) => Zone::Fixed(offset).instant(local, nanos),
            None => self.instant(local, nanos),
        }
    }

    /// Seconds since 1970 on this zone's clocks at an instant.
    pub(super) fn local(&self, seconds: i64) -> i64 {
        let offset = match self {
            Zone::Fixed(offset) => *offset,
            Zone::Named(zone) => {
                jiff::Timestamp::from_second(seconds).map_or(0, |instant| zone.to_offset(instant).seconds())
            }
        };
        seconds + i64::from(offset)
    }
}

/// Which offset a place's clocks have when they show `local`. Years that the zone's own reckoning does not reach lie
/// beyond what a [`Timestamp`] can hold, where an offset makes no difference.
fn named_zone_offset(zone: &TimeZone, local: i64) -> i32 {
    let Ok(wall) = jiff::Timestamp::from_second(local) else { return 0 };
    let wall = Offset::UTC.to_datetime(wall);
    zone.to_timestamp(wall).map_or(0, |instant| (local - instant.as_second()) as i32)
}

#[cfg(test)]
mod tests;
