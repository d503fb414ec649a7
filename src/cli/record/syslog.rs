//! The fields of a syslog line, as files really have it:
//!
//! ```text
//! <34>Oct 11 22:14:15 host app[123]: message                                RFC 3164, with a priority or without
//! 2026-03-01T10:00:00+00:00 host app[1]: message                            rsyslog, systemd
//! <34>1 2003-10-11T22:14:15.003Z host app pid msgid [id a="b"] message      RFC 5424
//! ```
//!
//! - *priority* is the number up to 191 between `<` and `>`; *facility* and *severity* are worked out from it, in words.
//! - In RFC 5424, the *version* (and a date, or `-` for none) tells which of the two it is. Fields follow each behind one
//!   blank; a `-` is a field that is missing. *data* is all of the structured data, in its brackets. Senders that leave
//!   it out have the message in its place. The *message* goes without the byte order mark that may stand before it.
//! - Else the *time* is a month, a day and a time of day, perhaps with a year before or a fraction behind it, or an ISO
//!   stamp. The *host* is the next word, and what follows may name the *app*: up to a colon that ends its word, or to a
//!   *pid* in brackets, which a colon or (if it is a number) a blank follows. A line without one of these has neither,
//!   and is all *message*: `last message repeated 3 times`. Where the word in the host's place names an app so, or is
//!   macOS's `---`, there is no host.
//! - A line that has a priority but no time is all message behind it, as RFC 3164 has it. A line that has neither is no
//!   syslog line and has none of the fields.
//!
//! As everywhere, a field is there only when its end is, so a line that was cut does not give half a host. The message
//! ends with the line.
//!
//! Without a *pid* its brackets go as well, and without the *priority*, or what is worked out from it, its own.

use super::found::{Found, Place};
use super::named::named_fields;
use memchr::{memchr, memchr2};
use std::ops::Range;

mod read;

named_fields! {
    /// A field of a syslog line.
    SyslogField {
        Priority: "priority",
        Facility: "facility",
        Severity: "severity",
        Version: "version",
        Time: "time",
        Host: "host",
        App: "app",
        Pid: "pid",
        MsgId: "msgid",
        Data: "data",
        Message: "message",
    }
}

/// What a priority is made of: eight severities for each facility.
const SEVERITIES: [&str; 8] = ["emerg", "alert", "crit", "err", "warning", "notice", "info", "debug"];
#[rustfmt::skip]
const FACILITIES: [&str; 24] = [
    "kern", "user", "mail", "daemon", "auth", "syslog", "lpr", "news", "uucp", "cron", "authpriv", "ftp", "ntp",
    "audit", "alert", "clock", "local0", "local1", "local2", "local3", "local4", "local5", "local6", "local7",
];
/// The highest priority and one more.
const PRIORITIES: usize = SEVERITIES.len() * FACILITIES.len();

/// Finds these fields of a line that comes without its terminator.
pub fn fields(record: &[u8], fields: &[SyslogField], found: &mut Found) {
    found.restart(fields.len());
    let outline = read::Outline::read(record);
    let Found { places, scratch } = found;
    for (field, place) in fields.iter().zip(places) {
        *place = place_of(&outline, *field, scratch);
    }
}

fn place_of(outline: &read::Outline, field: SyslogField, scratch: &mut Vec<u8>) -> Option<Place> {
    use SyslogField::*;
    let priority = |text: Option<fn(usize) -> &'static str>, scratch: &mut Vec<u8>| {
        let (raw, value) = outline.priority.clone()?;
        let decoded = text.map(|text| {
            let start = scratch.len();
            scratch.extend_from_slice(text(value).as_bytes());
            start..scratch.len()
        });
        Some(Place { extent: with_brackets(&raw), raw, decoded })
    };
    let plain = match field {
        Priority => return priority(None, scratch),
        Facility => return priority(Some(|value| FACILITIES[value / SEVERITIES.len()]), scratch),
        Severity => return priority(Some(|value| SEVERITIES[value % SEVERITIES.len()]), scratch),
        Pid if outline.pid_is_bracketed => {
            let raw = outline.pid.clone()?;
            return Some(Place { extent: with_brackets(&raw), raw, decoded: None });
        }
        Version => &outline.version,
        Time => &outline.time,
        Host => &outline.host,
        App => &outline.app,
        Pid => &outline.pid,
        MsgId => &outline.msg_id,
        Data => &outline.data,
        Message => &outline.message,
    };
    plain.clone().map(Place::plain)
}

/// What stands in brackets, with them.
fn with_brackets(inside: &Range<usize>) -> Range<usize> {
    inside.start - 1..inside.end + 1
}

/// Blanks between fields.
const fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

/// Where the blanks end that begin at `at`.
#[inline(always)]
fn skip_blanks(record: &[u8], at: usize) -> usize {
    at + record.get(at..).unwrap_or_default().iter().take_while(|byte| is_blank(**byte)).count()
}

/// The word that begins at `at`, if it is not empty and a blank follows.
#[inline(always)]
fn word(record: &[u8], at: usize) -> Option<Range<usize>> {
    let length = memchr2(b' ', b'\t', record.get(at..)?)?;
    (length > 0).then_some(at..at + length)
}

/// Whether `text` begins as `pattern` does, where `d` stands for a digit, `D` for a digit or a blank, `A` for a letter,
/// and everything else for itself.
#[inline(always)]
fn fits(text: &[u8], pattern: &[u8]) -> bool {
    text.len() >= pattern.len()
        && text.iter().zip(pattern).all(|(byte, pattern)| match pattern {
            b'd' => byte.is_ascii_digit(),
            b'D' => byte.is_ascii_digit() || *byte == b' ',
            b'A' => byte.is_ascii_alphabetic(),
            _ => byte == pattern,
        })
}

/// Where the first `wanted` at `from` or later is.
fn find(record: &[u8], from: usize, wanted: u8) -> Option<usize> {
    memchr(wanted, record.get(from..)?).map(|length| from + length)
}

#[cfg(test)]
mod tests;
