//! Where the fields of a syslog line are: one pass from the front.

use super::{PRIORITIES, find, fits, is_blank, skip_blanks, word};
use std::ops::Range;

/// The range of each field that a line has.
#[derive(Debug, Default)]
pub(super) struct Outline {
    /// Its digits, and what they say.
    pub(super) priority: Option<(Range<usize>, usize)>,
    pub(super) version: Option<Range<usize>>,
    pub(super) time: Option<Range<usize>>,
    pub(super) host: Option<Range<usize>>,
    pub(super) app: Option<Range<usize>>,
    pub(super) pid: Option<Range<usize>>,
    /// Whether the pid stands in brackets.
    pub(super) pid_is_bracketed: bool,
    pub(super) msg_id: Option<Range<usize>>,
    pub(super) data: Option<Range<usize>>,
    pub(super) message: Option<Range<usize>>,
}

/// Priorities go to 191, versions to 999.
const PRIORITY_DIGITS: usize = 3;
const VERSION_DIGITS: usize = 3;

const ISO_DATE: &[u8] = b"dddd-dd-dd";
const CLOCK: &[u8] = b"dd:dd:dd";
const MONTH: &[u8] = b"AAA ";
const YEAR: &[u8] = b"dddd ";

/// What may stand before a message in UTF-8.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";
/// What stands where the host should, in lines that are about other lines.
const NO_HOST: [&[u8]; 2] = [b"--- ", b"last message repeated "];

impl Outline {
    /// What there is.
    pub(super) fn read(record: &[u8]) -> Outline {
        let mut outline = Outline::default();
        let mut at = skip_blanks(record, 0);
        if let Some((digits, value)) = priority(record, at) {
            at = digits.end + 1;
            outline.priority = Some((digits, value));
        }
        if let Some(version) = version(record, at, outline.priority.is_some()) {
            let at = version.end + 1;
            outline.version = Some(version);
            outline.read_rfc5424(record, at);
            return outline;
        }
        let start = skip_blanks(record, at);
        if let Some(end) = time_end(record, start) {
            outline.time = Some(start..end);
            outline.read_rfc3164(record, end);
        } else if outline.priority.is_some() {
            outline.message = Some(at..record.len());
        }
        outline
    }

    /// The fields behind the version.
    fn read_rfc5424(&mut self, record: &[u8], mut at: usize) {
        for field in [&mut self.time, &mut self.host, &mut self.app, &mut self.pid, &mut self.msg_id] {
            let Some(word) = word(record, at) else { return };
            at = word.end + 1;
            *field = Some(word.clone()).filter(|word| record[word.clone()] != *b"-");
        }
        let end = match record.get(at) {
            Some(b'[') => match data_end(record, at) {
                Some(end) => {
                    self.data = Some(at..end);
                    end
                }
                // The line was cut in it.
                None => return,
            },
            Some(b'-') if record.get(at + 1).is_none_or(|byte| is_blank(*byte)) => at + 1,
            // It was left out.
            Some(_) => at - 1,
            None => return,
        };
        if end < record.len() {
            let start = end + usize::from(is_blank(record[end]));
            let mark = if record[start..].starts_with(BYTE_ORDER_MARK) { BYTE_ORDER_MARK.len() } else { 0 };
            self.message = Some(start + mark..record.len());
        }
    }

    /// The fields behind the time, which ends at `at`.
    fn read_rfc3164(&mut self, record: &[u8], at: usize) {
        // As some routers have it: no host and no app, but a colon.
        if record.get(at) == Some(&b':') {
            let start = at + 1;
            self.message = Some(start + usize::from(record.get(start) == Some(&b' '))..record.len());
            return;
        }
        let mut at = skip_blanks(record, at);
        let mut tag = Tag::read(record, at);
        if tag.is_none() && !NO_HOST.iter().any(|text| record[at..].starts_with(text)) {
            let Some(host) = word(record, at) else { return };
            at = skip_blanks(record, host.end);
            self.host = Some(host);
            tag = Tag::read(record, at);
        }
        if let Some(Tag { app, pid, end }) = tag {
            self.app = Some(app);
            self.pid_is_bracketed = pid.is_some();
            self.pid = pid;
            at = end + usize::from(record.get(end).is_some_and(|byte| is_blank(*byte)));
        }
        self.message = Some(at..record.len());
    }
}

/// The digits between `<` and `>` at `at`, and their value.
fn priority(record: &[u8], at: usize) -> Option<(Range<usize>, usize)> {
    let digits = record.get(at..)?.strip_prefix(b"<")?;
    let length = digits.iter().take_while(|byte| byte.is_ascii_digit()).count();
    if !(1..=PRIORITY_DIGITS).contains(&length) || digits.get(length) != Some(&b'>') {
        return None;
    }
    let value = digits[..length].iter().fold(0, |value, digit| value * 10 + usize::from(digit - b'0'));
    (value < PRIORITIES).then_some((at + 1..at + 1 + length, value))
}

/// The version at `at`, if a date follows it, or (behind a priority) a dash for none.
fn version(record: &[u8], at: usize, has_priority: bool) -> Option<Range<usize>> {
    let text = record.get(at..)?;
    let length = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    if !(1..=VERSION_DIGITS).contains(&length) || text[0] == b'0' || text.get(length) != Some(&b' ') {
        return None;
    }
    let rest = &text[length + 1..];
    let is_followed = fits(rest, ISO_DATE) || has_priority && rest.starts_with(b"- ");
    is_followed.then_some(at..at + length)
}

/// Where the time ends that begins at `at`, if something follows it: the end of a line may be a cut.
fn time_end(record: &[u8], at: usize) -> Option<usize> {
    let text = record.get(at..)?;
    if fits(text, ISO_DATE) {
        let clock = at + ISO_DATE.len() + 1;
        let joined = matches!(text.get(ISO_DATE.len())?, b'T' | b't' | b' ');
        if !joined || !fits(&record[clock..], CLOCK) {
            return None;
        }
        // Whatever fraction and zone it has.
        return word(record, clock).map(|word| word.end);
    }
    if !fits(text, MONTH) || !is_month([text[0], text[1], text[2]]) {
        return None;
    }
    let day = at + MONTH.len();
    let day = day + usize::from(record.get(day) == Some(&b' '));
    let digits = record.get(day..)?.iter().take_while(|byte| byte.is_ascii_digit()).count();
    if !(1..=2).contains(&digits) || record.get(day + digits) != Some(&b' ') {
        return None;
    }
    let mut clock = day + digits + 1;
    if fits(&record[clock..], YEAR) {
        clock += YEAR.len();
    }
    if !fits(&record[clock..], CLOCK) {
        return None;
    }
    let mut end = clock + CLOCK.len();
    if matches!(record.get(end), Some(b'.' | b',')) {
        let digits = record[end + 1..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        end += if digits > 0 { 1 + digits } else { 0 };
    }
    record.get(end).is_some_and(|byte| is_blank(*byte) || *byte == b':').then_some(end)
}

/// Whether three letters name a month, in any case.
#[rustfmt::skip]
fn is_month(name: [u8; 3]) -> bool {
    matches!(
        &name.map(|byte| byte.to_ascii_lowercase()),
        b"jan" | b"feb" | b"mar" | b"apr" | b"may" | b"jun" | b"jul" | b"aug" | b"sep" | b"oct" | b"nov" | b"dec"
    )
}

/// Where the structured data ends that begins with the bracket at `at`.
fn data_end(record: &[u8], at: usize) -> Option<usize> {
    let mut at = at;
    while record.get(at) == Some(&b'[') {
        let mut quoted = false;
        loop {
            at += 1;
            match record.get(at)? {
                b'"' => quoted = !quoted,
                b'\\' if quoted => at += 1,
                b']' if !quoted => break,
                _ => {}
            }
        }
        at += 1;
    }
    Some(at)
}

/// What names an app: `app:`, `app[123]:`, `app[123]`.
struct Tag {
    app: Range<usize>,
    pid: Option<Range<usize>>,
    end: usize,
}

impl Tag {
    #[inline(always)]
    fn read(record: &[u8], at: usize) -> Option<Tag> {
        // An app's name does not begin with a bracket; `[1]:` is a message's.
        let rest = record.get(at..).filter(|rest| !rest.starts_with(b"["))?;
        let end = at + rest.iter().position(|byte| is_blank(*byte)).unwrap_or(rest.len());
        if let Some(open) = find(&record[..end], at + 1, b'[')
            && let Some(close) = find(&record[..end], open + 1, b']')
        {
            let pid = open + 1..close;
            let has_colon = record.get(close + 1) == Some(&b':');
            let is_number = !pid.is_empty() && record[pid.clone()].iter().all(u8::is_ascii_digit);
            // A number right before the line's end may be of a line that was cut behind it.
            if has_colon || is_number && close + 1 == end && end < record.len() {
                let pid = (!pid.is_empty()).then_some(pid);
                return Some(Tag { app: at..open, pid, end: close + 1 + usize::from(has_colon) });
            }
        }
        // Two colons end an address.
        match &record[at..end] {
            [.., b':', b':'] | [b':'] => None,
            [.., b':'] => Some(Tag { app: at..end - 1, pid: None, end }),
            _ => None,
        }
    }
}
