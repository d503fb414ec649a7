//! The fields of an access log's line, in the *common* format and in the *combined* one, which adds two:
//!
//! ```text
//! 192.0.2.1 - frank [21/May/2026:08:30:20 +0000] "GET /a?b=c HTTP/1.1" 200 8073 "https://example.com/" "curl/8.5.0"
//! ip ident  user     time                         method path protocol status bytes referer              agent
//! ```
//!
//! Such a line has no grammar that holds: user names have blanks, request lines are whatever a client sent, agents have
//! quotes in them, and a full disk cuts lines anywhere. Who counts blanks or splits at quotes gets shifted fields, and
//! then a wrong key without a word. Here a line is read **from the front**, and each field is found by what must stand
//! around it:
//!
//! - *ip* is the first token, whatever it is: IPv4, IPv6, a name, `unix:`. Blanks and one quote before it are dropped;
//!   when a quote also ends the line, the whole line was wrapped in quotes and that one goes too. In Apache's
//!   `vhost_combined` the host stands in front, so there `ip` is the host and its port, and `ident` the address.
//! - *ident* is the second token; *user* is what stands between it and the time, blanks inside it and all.
//! - *time* is in the brackets after a blank that begin with a day, `/`, a month's three letters, `/`: a bracket in a
//!   user name is none. Brackets with a quoted request behind them go before others, so that a user name written like a
//!   time does not take its place: servers escape quotes in it.
//! - The *request* stands in quotes right after the time and ends at the first quote that a status follows: a blank,
//!   three digits, and a blank or the line's end. Where the whole line has none, a quote will do before any number or
//!   `-` (some servers write it for none) or before what may be a status that was cut. *method* is the request's first
//!   word, *protocol* its last one if that begins with `HTTP/`, *path* all between, blanks as well. Without a protocol
//!   (HTTP/0.9) the path must begin with `/`. A request that is not HTTP (`-`, nothing, the bytes of a TLS handshake)
//!   has neither method nor protocol and is the *path* as a whole: so whoever counts paths counts every line, and such
//!   requests show up by what they sent.
//! - *status* and *bytes* are the next two tokens, digits or `-`.
//! - *referer* is in quotes right after them, up to a quote followed by ` "`. The *agent* follows it, up to the first
//!   quote that is followed by ` "` or by a number (nginx and Traefik append fields), else up to the last quote of the
//!   line that a blank or the line's end follows: so quotes inside it stay. In the common format both are missing.
//!
//! A quote after an odd number of backslashes is escaped and never ends anything.
//!
//! **A field is there only when its end is.** `198.51.100.2` may be the beginning of a line that went on with `34`, and
//! half an address must not be blocked for what the other half did. So what a cut line has, it has whole: an `ip` if a
//! blank follows it, and of a request that does not end no method and no path. Only the number of bytes may end with
//! the line, as it does in the common format; where a line was cut in it, nothing tells. Nor does anything where a line
//! was cut behind a quote that was inside a field and not escaped.
//!
//! [`field`] and [`fields`] take any line and find what is there, so nearly every line has an `ip`.
//! [`is_access_line`] is strict: it decides what a file of unknown format is.

use memchr::{memchr, memchr_iter, memchr2, memchr3, memrchr};
use std::ops::Range;

/// A field of an access log's line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AccessField {
    Ip,
    Ident,
    User,
    Time,
    Method,
    Path,
    Protocol,
    Status,
    Bytes,
    Referer,
    Agent,
}

impl AccessField {
    /// All of them, in the order in which they stand in a line.
    pub const ALL: [AccessField; 11] = {
        use AccessField::*;
        [Ip, Ident, User, Time, Method, Path, Protocol, Status, Bytes, Referer, Agent]
    };

    const NAMES: [&str; 11] =
        ["ip", "ident", "user", "time", "method", "path", "protocol", "status", "bytes", "referer", "agent"];

    /// The field of this name.
    pub fn from_name(name: &str) -> Option<AccessField> {
        AccessField::ALL.into_iter().find(|field| field.name() == name)
    }

    /// Its name, as one types it.
    pub fn name(self) -> &'static str {
        AccessField::NAMES[self as usize]
    }

    /// How much of a line must be read to find it.
    const fn depth(self) -> Depth {
        use AccessField::*;
        match self {
            Ip | Ident => Depth::Front,
            User | Time => Depth::Time,
            Method | Path | Protocol | Status | Bytes => Depth::Request,
            Referer | Agent => Depth::Referer,
        }
    }
}

/// The range of one field of `line`, which comes without its terminator; `None` where the line lacks it.
#[inline]
pub fn field(line: &[u8], field: AccessField) -> Option<Range<usize>> {
    match field {
        AccessField::Ip => address(line),
        AccessField::Time => time(unwrapped(line)),
        _ => Outline::read(line, field.depth()).range(field),
    }
}

/// Several fields of `line` in one pass: fills `parts` with the ranges of `fields`, in their order.
#[inline]
pub fn fields(line: &[u8], fields: &[AccessField], parts: &mut Vec<Option<Range<usize>>>) {
    let depth = fields.iter().map(|field| field.depth()).max().unwrap_or(Depth::Front);
    let outline = Outline::read(line, depth);
    parts.clear();
    parts.extend(fields.iter().map(|field| outline.range(*field)));
}

/// Whether `line` is an access log's line, so strictly that no other log is taken for one.
///
/// It needs an address or a host's name, ident, user, a whole time with its zone, a request in quotes and a status. A
/// user name of several words has no `-` among them: ` - ` tells that something stands in front of the address (a
/// container's name, syslog's header), and then the first token is no address.
pub fn is_access_line(line: &[u8]) -> bool {
    let outline = Outline::read(line, Depth::Request);
    let text = |field| outline.range(field).map(|range| &outline.line[range]);
    let status_follows = outline.request.as_ref().is_some_and(|request| is_status(&outline.line[request.end + 1..]));
    status_follows
        && text(AccessField::Ip).is_some_and(is_address)
        && text(AccessField::User).is_some_and(is_user)
        && text(AccessField::Time).is_some_and(is_time)
}

/// How much of a line is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Depth {
    Front,
    Time,
    Request,
    Referer,
}

/// What the fields hang on: once these are known, each field is found with a look around them.
struct Outline<'a> {
    /// The line without the quote that wraps it at its end. What is before the first token is still there.
    line: &'a [u8],
    /// Inside the brackets.
    time: Option<Range<usize>>,
    /// Inside the quotes.
    request: Option<Range<usize>>,
    /// Inside the quotes.
    referer: Option<Range<usize>>,
}

impl<'a> Outline<'a> {
    fn read(line: &'a [u8], depth: Depth) -> Outline<'a> {
        let mut outline = Outline { line: unwrapped(line), time: None, request: None, referer: None };
        if depth >= Depth::Time {
            outline.time = time(outline.line);
        }
        if depth >= Depth::Request {
            outline.request = outline.time.as_ref().and_then(|time| request(outline.line, time.end));
        }
        if depth >= Depth::Referer {
            outline.referer = outline.bytes().and_then(|bytes| referer(outline.line, bytes.end));
        }
        outline
    }

    /// A field that was read deep enough for.
    fn range(&self, field: AccessField) -> Option<Range<usize>> {
        match field {
            AccessField::Ip => address(self.line),
            AccessField::Ident => ident(self.line),
            AccessField::User => self.user(),
            AccessField::Time => self.time.clone(),
            AccessField::Method => self.request_line()?.method,
            AccessField::Path => Some(self.request_line()?.path),
            AccessField::Protocol => self.request_line()?.protocol,
            AccessField::Status => self.status(),
            AccessField::Bytes => self.bytes(),
            AccessField::Referer => self.referer.clone(),
            AccessField::Agent => agent(self.line, self.referer.as_ref()?.end),
        }
    }

    fn user(&self) -> Option<Range<usize>> {
        let bracket = self.time.as_ref()?.start - 1;
        let start = ident(self.line)?.end;
        let end = trim_end(self.line, start..bracket.max(start));
        let blanks = self.line[start..end].iter().position(|byte| !is_blank(*byte))?;
        Some(start + blanks..end)
    }

    #[inline(always)]
    fn request_line(&self) -> Option<RequestLine> {
        self.request.as_ref().map(|request| RequestLine::read(self.line, request.clone()))
    }

    fn status(&self) -> Option<Range<usize>> {
        let status = number(self.line, self.request.as_ref()?.end + 1)?;
        (status.len() == STATUS_DIGITS || status.end < self.line.len()).then_some(status)
    }

    fn bytes(&self) -> Option<Range<usize>> {
        number(self.line, self.status()?.end)
    }
}

const STATUS_DIGITS: usize = 3;

const fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

/// Where the text of `range` ends when blanks at its end are left out.
#[inline(always)]
fn trim_end(line: &[u8], range: Range<usize>) -> usize {
    range.start + line[range].iter().rposition(|byte| !is_blank(*byte)).map_or(0, |last| last + 1)
}

/// Where the first token begins, and whether a quote was dropped before it.
#[inline(always)]
fn front(line: &[u8]) -> (usize, bool) {
    // No address begins with a byte this low, so one look is enough for nearly every line.
    if line.first().is_some_and(|byte| *byte > b'"') { (0, false) } else { behind_quote(line) }
}

#[cold]
fn behind_quote(line: &[u8]) -> (usize, bool) {
    let skip = |from: usize| from + line[from..].iter().take_while(|byte| is_blank(**byte)).count();
    let start = skip(0);
    if line.get(start) == Some(&b'"') { (skip(start + 1), true) } else { (start, false) }
}

/// The line without the quote at its end if another one stands in front of it.
#[inline(always)]
fn unwrapped(line: &[u8]) -> &[u8] {
    match front(line) {
        (start, true) if line.len() > start => line.strip_suffix(b"\"").unwrap_or(line),
        _ => line,
    }
}

/// The token that begins at `start`, if it is not empty and a blank ends it.
#[inline(always)]
fn token(line: &[u8], start: usize) -> Option<Range<usize>> {
    let len = memchr2(b' ', b'\t', line.get(start..)?)?;
    (len > 0).then_some(start..start + len)
}

#[inline(always)]
fn address(line: &[u8]) -> Option<Range<usize>> {
    token(line, front(line).0)
}

fn ident(line: &[u8]) -> Option<Range<usize>> {
    let end = address(line)?.end;
    let start = end + line[end..].iter().position(|byte| !is_blank(*byte))?;
    let ident = token(line, start)?;
    // A line may lack ident and user, but their place is not the time's.
    bracketed_time(line, start).is_none().then_some(ident)
}

/// The longest text in brackets that is taken for a time.
const MAX_TIME: usize = 48;

/// The length of `21/May/2026:08:30:20 +0000`.
const USUAL_TIME: usize = 26;

/// Inside the brackets of the time.
#[inline(always)]
fn time(line: &[u8]) -> Option<Range<usize>> {
    let open = memchr(b'[', line)?;
    if line[open..].first_chunk().is_some_and(is_usual) && follows_token(line, open) {
        return Some(open + 1..open + 1 + USUAL_TIME);
    }
    time_from(line, open)
}

/// Whether `text` is a time of the usual length in brackets, with a request behind it.
#[inline(always)]
fn is_usual(text: &[u8; USUAL_TIME + 4]) -> bool {
    let [b'[', a, b, b'/', c, d, e, b'/', rest @ ..] = text else { return false };
    matches!(rest, [_, _, _, _, b':', _, _, b':', _, _, b':', _, _, b' ', _, _, _, _, _, b']', b' ', b'"'])
        && [a, b].into_iter().all(u8::is_ascii_digit)
        && [c, d, e].into_iter().all(u8::is_ascii_alphabetic)
}

/// Whether a token and a blank stand before `open`.
#[inline(always)]
fn follows_token(line: &[u8], open: usize) -> bool {
    open > front(line).0 && is_blank(line[open - 1])
}

/// The first time in brackets at `from` or later that a request may follow, or else the first one.
#[cold]
fn time_from(line: &[u8], from: usize) -> Option<Range<usize>> {
    let mut other = None;
    for open in memchr_iter(b'[', &line[from..]) {
        match bracketed_time(line, from + open) {
            Some(time) if request_may_follow(line, time.end) => return Some(time),
            time => other = other.or(time),
        }
    }
    other
}

/// Inside the brackets that open at `open`, if a token and a blank stand before them and they begin as a time does.
fn bracketed_time(line: &[u8], open: usize) -> Option<Range<usize>> {
    let text = &line[open..];
    let date = match text {
        [b'[', a, b'/', date @ ..] if a.is_ascii_digit() => date,
        [b'[', a, b, b'/', date @ ..] if a.is_ascii_digit() && b.is_ascii_digit() => date,
        _ => return None,
    };
    let [a, b, c, b'/', ..] = date else { return None };
    if !follows_token(line, open) || ![a, b, c].into_iter().all(u8::is_ascii_alphabetic) {
        return None;
    }
    // Another bracket or a quote before the end: the line was cut here and another one follows.
    let len = memchr3(b']', b'[', b'"', &text[1..text.len().min(1 + MAX_TIME)])?;
    (text[1 + len] == b']').then_some(open + 1..open + 1 + len)
}

/// Whether what is behind the bracket at `close` is a quoted request, or the line was cut before one.
#[inline(always)]
fn request_may_follow(line: &[u8], close: usize) -> bool {
    matches!(line[close + 1..], [] | [b' '] | [b' ', b'"', ..])
}

/// Inside the quotes that open behind the bracket at `close`.
#[inline(always)]
fn request(line: &[u8], close: usize) -> Option<Range<usize>> {
    let start = quoted(line, close + 1)?;
    let first = start + memchr(b'"', &line[start..])?;
    let ends = line[first - 1] != b'\\' && is_status(&line[first + 1..]);
    if ends { Some(start..first) } else { request_with_quotes(line, start) }
}

/// The request that begins at `start`, whatever quotes it has.
#[cold]
fn request_with_quotes(line: &[u8], start: usize) -> Option<Range<usize>> {
    let mut other = None;
    for quote in quotes(line, start) {
        let rest = &line[quote + 1..];
        if is_status(rest) {
            return Some(start..quote);
        }
        if other.is_none() && (b" ".starts_with(rest) || number(line, quote + 1).is_some()) {
            other = Some(start..quote);
        }
    }
    other
}

/// Where the text of the quotes begins that open after a blank at `at`.
#[inline(always)]
fn quoted(line: &[u8], at: usize) -> Option<usize> {
    line.get(at..)?.starts_with(b" \"").then_some(at + 2)
}

/// The quotes from `start` on that are not escaped.
#[inline(always)]
fn quotes(line: &[u8], start: usize) -> impl Iterator<Item = usize> {
    let text = &line[start..];
    let escaped = |quote: usize| text[..quote].iter().rev().take_while(|byte| **byte == b'\\').count() % 2 == 1;
    memchr_iter(b'"', text).filter(move |quote| !escaped(*quote)).map(move |quote| start + quote)
}

/// Whether `rest` begins with a blank, three digits and a blank or the end.
#[inline(always)]
fn is_status(rest: &[u8]) -> bool {
    matches!(rest, [b' ', a, b, c] | [b' ', a, b, c, b' ', ..]
        if a.is_ascii_digit() && b.is_ascii_digit() && c.is_ascii_digit())
}

/// The token of digits and minus signs behind the blank at `at`, up to a blank or the end of the line.
#[inline(always)]
fn number(line: &[u8], at: usize) -> Option<Range<usize>> {
    let text = line.get(at..)?.strip_prefix(b" ")?;
    let len = text.iter().take_while(|byte| byte.is_ascii_digit() || **byte == b'-').count();
    (len > 0 && text.get(len).is_none_or(|byte| is_blank(*byte))).then_some(at + 1..at + 1 + len)
}

/// The words of a request.
struct RequestLine {
    method: Option<Range<usize>>,
    path: Range<usize>,
    protocol: Option<Range<usize>>,
}

impl RequestLine {
    #[inline(always)]
    fn read(line: &[u8], request: Range<usize>) -> RequestLine {
        let text = &line[request.clone()];
        let method = memchr(b' ', text).filter(|len| *len > 0 && text[..*len].iter().all(|byte| is_of_method(*byte)));
        if let Some(len) = method {
            let method = Some(request.start..request.start + len);
            let target = request.start + len + 1..trim_end(line, request.start + len + 1..request.end);
            let text = &line[target.clone()];
            let last = memrchr(b' ', text).map(|blank| target.start + blank);
            if let Some(blank) = last.filter(|blank| line[blank + 1..target.end].starts_with(b"HTTP/")) {
                return RequestLine { method, path: target.start..blank, protocol: Some(blank + 1..target.end) };
            }
            if text.starts_with(b"/") {
                return RequestLine { method, path: target, protocol: None };
            }
        }
        RequestLine { method: None, path: request, protocol: None }
    }
}

/// Letters, and what joins them: `M-SEARCH`, `CCM_POST`.
const fn is_of_method(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || matches!(byte, b'-' | b'_')
}

/// Inside the quotes behind the number of bytes, which ends at `bytes_end`.
fn referer(line: &[u8], bytes_end: usize) -> Option<Range<usize>> {
    quoted_text(line, bytes_end, |rest| rest.starts_with(b" \""))
}

/// Inside the quotes behind the referer's, the last of which is at `quote`.
fn agent(line: &[u8], quote: usize) -> Option<Range<usize>> {
    quoted_text(line, quote + 1, |rest| rest.starts_with(b" \"") || begins_with_number(rest))
}

/// The text of the quotes that open after a blank at `at`: up to the first one for whose rest of the line `ends` holds,
/// else up to the last one before a blank or the end.
#[inline(always)]
fn quoted_text(line: &[u8], at: usize, ends: impl Fn(&[u8]) -> bool) -> Option<Range<usize>> {
    let start = quoted(line, at)?;
    let mut last = None;
    for quote in quotes(line, start) {
        let rest = &line[quote + 1..];
        if ends(rest) {
            return Some(start..quote);
        }
        if rest.first().is_none_or(|byte| is_blank(*byte)) {
            last = Some(start..quote);
        }
    }
    last
}

/// Whether `rest` begins with a blank and a number, such as the time a request took, up to a blank or the end.
fn begins_with_number(rest: &[u8]) -> bool {
    let [b' ', text @ ..] = rest else { return false };
    let len = text.iter().take_while(|byte| byte.is_ascii_digit() || **byte == b'.').count();
    text.first().is_some_and(u8::is_ascii_digit) && text.get(len).is_none_or(|byte| is_blank(*byte))
}

/// A host's name, an IPv4 or IPv6 address with a port or a zone, or nginx's `unix:`.
fn is_address(text: &[u8]) -> bool {
    let is_name = |text: &[u8]| text.iter().all(|byte| byte.is_ascii_alphanumeric() || b".-_".contains(byte));
    let is_number = |text: &[u8]| text.iter().all(|byte| byte.is_ascii_hexdigit() || b".:".contains(byte));
    match memchr(b'%', text) {
        Some(zone) => is_number(&text[..zone]) && is_name(&text[zone + 1..]),
        None => is_name(text) || is_number(text) || text == b"unix:",
    }
}

/// A dash for none, or words that are not dashes.
fn is_user(text: &[u8]) -> bool {
    text == b"-" || text.split(|byte| is_blank(*byte)).all(|word| word != b"-")
}

const MONTHS: [&[u8; 3]; 12] =
    [b"Jan", b"Feb", b"Mar", b"Apr", b"May", b"Jun", b"Jul", b"Aug", b"Sep", b"Oct", b"Nov", b"Dec"];
/// A time's date and clock: `d` stands for a digit, `M` for a letter, everything else for itself.
const DATE_AND_CLOCK: &[u8; 20] = b"dd/MMM/dddd:dd:dd:dd";
/// Where the month stands in it.
const MONTH: Range<usize> = 3..6;
/// An offset from UTC: `d` stands for a digit.
const ZONE_DIGITS: usize = 4;

/// `21/May/2026:08:30:20 +0000`, perhaps with a fraction of a second.
fn is_time(text: &[u8]) -> bool {
    let Some((date_and_clock, rest)) = text.split_at_checked(DATE_AND_CLOCK.len()) else { return false };
    let fits = date_and_clock.iter().zip(DATE_AND_CLOCK).all(|(byte, pattern)| match pattern {
        b'd' => byte.is_ascii_digit(),
        b'M' => byte.is_ascii_alphabetic(),
        _ => byte == pattern,
    });
    let fraction = match rest {
        [b'.', digits @ ..] => 1 + digits.iter().take_while(|byte| byte.is_ascii_digit()).count(),
        _ => 0,
    };
    let zone = matches!(&rest[fraction..], [b' ', b'+' | b'-', digits @ ..]
        if digits.len() == ZONE_DIGITS && digits.iter().all(u8::is_ascii_digit));
    fits && zone && MONTHS.iter().any(|month| date_and_clock[MONTH] == month[..])
}

#[cfg(test)]
mod tests {
    use super::AccessField::*;
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashSet;
    use std::fs;
    use std::path::{Path as FilePath, PathBuf};

    fn get(line: &[u8], name: AccessField) -> Option<&[u8]> {
        field(line, name).map(|range| &line[range])
    }

    #[track_caller]
    fn check(line: &str, expected: &[(AccessField, Option<&str>)]) {
        for (name, text) in expected {
            let found = get(line.as_bytes(), *name).map(|text| String::from_utf8_lossy(text).into_owned());
            assert_eq!(found.as_deref(), *text, "{} of {line}", name.name());
        }
    }

    /// A line with this request and what follows it.
    fn with_request(rest: &str) -> String {
        format!("192.0.2.9 - - [21/May/2026:08:30:20 +0000] {rest}")
    }

    #[track_caller]
    fn check_request(
        rest: &str,
        method: Option<&str>,
        path: Option<&str>,
        protocol: Option<&str>,
        status: Option<&str>,
    ) {
        check(&with_request(rest), &[(Method, method), (Path, path), (Protocol, protocol), (Status, status)]);
    }

    #[test]
    fn names_are_found_again() {
        for name in AccessField::ALL {
            assert_eq!(AccessField::from_name(name.name()), Some(name));
        }
        assert_eq!(AccessField::from_name("path"), Some(Path));
        assert_eq!(AccessField::from_name("IP"), None);
        assert_eq!(AccessField::from_name(""), None);
    }

    #[test]
    fn a_combined_line_has_all_fields() {
        let line = concat!(
            r#"192.0.2.1 ann frank [21/May/2026:08:30:20 +0000] "GET /a?b=c HTTP/1.1" 200 8073 "#,
            r#""https://example.com/" "Mozilla/5.0 (X11; Linux) [en]""#
        );
        let texts = AccessField::ALL.map(|name| get(line.as_bytes(), name).map(|text| str::from_utf8(text).unwrap()));
        let front =
            ["192.0.2.1", "ann", "frank", "21/May/2026:08:30:20 +0000", "GET", "/a?b=c", "HTTP/1.1", "200", "8073"];
        assert_eq!(texts[..9], front.map(Some));
        assert_eq!(texts[9..], ["https://example.com/", "Mozilla/5.0 (X11; Linux) [en]"].map(Some));
        check_every_subset(line.as_bytes());
        assert!(is_access_line(line.as_bytes()));
    }

    #[test]
    fn a_common_line_has_no_referer_and_no_agent() {
        let line = with_request(r#""GET / HTTP/1.0" 304 -"#);
        check(&line, &[(Status, Some("304")), (Bytes, Some("-")), (Referer, None), (Agent, None)]);
        assert!(is_access_line(line.as_bytes()));
    }

    #[test]
    fn the_address_is_the_first_token_of_any_kind() {
        let fronts =
            "192.0.2.1 2001:db8::7 ::ffff:192.0.2.1 fe80::1%eth0 192.0.2.1:5000 a-b.example.com unix:".split(' ');
        for front in fronts {
            let line = with_request(r#""GET / HTTP/1.1" 200 1"#).replace("192.0.2.9", front);
            check(&line, &[(Ip, Some(front)), (Ident, Some("-")), (User, Some("-")), (Status, Some("200"))]);
            assert!(is_access_line(line.as_bytes()), "{line}");
        }
        check("  192.0.2.1\t- x", &[(Ip, Some("192.0.2.1")), (Ident, Some("-"))]);
        check(" [1/Jan/2026:00:00:00 +0000] x", &[(Ip, Some("[1/Jan/2026:00:00:00")), (Time, None)]);
        check("any other line", &[(Ip, Some("any")), (Ident, Some("other")), (User, None), (Time, None), (Path, None)]);
        for line in ["", " ", "\"", "\"\"", "\" \"", "192.0.2", "\"192.0.2.1\"", "[", " [", " [1/Jan/", "[1/Jan/]"] {
            check(line, &AccessField::ALL.map(|name| (name, None)));
        }
    }

    #[test]
    fn a_line_wrapped_in_quotes_is_the_line_inside() {
        let line = with_request(r#""GET / HTTP/1.1" 200 1 "-" "x""#);
        let wrapped = [format!("\"{line}\""), format!(" \"{line}\"")];
        for wrapped in wrapped {
            for name in AccessField::ALL {
                assert_eq!(get(wrapped.as_bytes(), name), get(line.as_bytes(), name), "{} of {wrapped}", name.name());
            }
            assert!(is_access_line(wrapped.as_bytes()));
        }
        check(
            &format!("\"{}\"", with_request(r#""GET / HTTP/1.1" 200 1"#)),
            &[(Ip, Some("192.0.2.9")), (Bytes, Some("1"))],
        );
    }

    #[test]
    fn the_user_is_all_between_ident_and_time() {
        let end = r#"[21/May/2026:08:30:20 +0000] "GET / HTTP/1.1" 200 1"#;
        let time = Some("21/May/2026:08:30:20 +0000");
        for user in ["-", "a user", "\"\"", "a [b] c", "x [12] y", "[1/2", "DOM\\ann"] {
            check(&format!("192.0.2.1 - {user} {end}"), &[(Ident, Some("-")), (User, Some(user)), (Time, time)]);
        }
        check(&format!("192.0.2.1  -  ann  {end}"), &[(Ident, Some("-")), (User, Some("ann")), (Time, time)]);
        check(&format!("192.0.2.1 - {end}"), &[(Ident, Some("-")), (User, None), (Time, time), (Path, Some("/"))]);
        check(&format!("192.0.2.1 -  {end}"), &[(Ident, Some("-")), (User, None), (Time, time)]);
        check(&format!("192.0.2.1 {end}"), &[(Ident, None), (User, None), (Time, time), (Status, Some("200"))]);
    }

    #[test]
    fn the_time_is_in_brackets_before_the_request() {
        // What a client calls itself is no time, were it written like one.
        let line = r#"192.0.2.1 - a [01/Jan/2030:00:00:00 +0000] [21/May/2026:08:30:20 +0000] "GET / HTTP/1.1" 401 1"#;
        check(line, &[(Time, Some("21/May/2026:08:30:20 +0000")), (User, Some("a [01/Jan/2030:00:00:00 +0000]"))]);
        check("h - - [1/May/2026 08:30:20] \"GET / HTTP/1.1\" 200 -", &[(Time, Some("1/May/2026 08:30:20"))]);
        check(
            "h - - [21/May/2026:08:30:20 +0000] GET / 200",
            &[(Time, Some("21/May/2026:08:30:20 +0000")), (Path, None)],
        );
        check("h - - [21/May/2026:08:30:20 +0000]", &[(Time, Some("21/May/2026:08:30:20 +0000")), (Path, None)]);
        check("h - -[21/May/2026:08:30:20 +0000] \"GET / HTTP/1.1\" 200 1", &[(Time, None), (Status, None)]);
        check("h - - [2026-05-21 08:30:20] \"GET / HTTP/1.1\" 200 1", &[(Time, None), (Status, None)]);
        // A line that was cut, and the next one in its wake.
        check(
            r#"192.0.2.1 - - [21/May/20192.0.2.2 - - [22/May/2026:08:30:20 +0000] "GET /b HTTP/1.1" 200 1"#,
            &[(Ip, Some("192.0.2.1")), (Time, Some("22/May/2026:08:30:20 +0000")), (Path, Some("/b"))],
        );
    }

    #[test]
    fn a_request_ends_where_a_status_follows() {
        let get = Some("GET");
        let http = Some("HTTP/1.1");
        let ok = Some("200");
        check_request(r#""GET /a HTTP/1.1" 200 1"#, get, Some("/a"), http, ok);
        check_request(r#""GET /a HTTP/1.1" 200"#, get, Some("/a"), http, ok);
        check_request(r#""GET /a"b" c HTTP/1.1" 200 1"#, get, Some(r#"/a"b" c"#), http, ok);
        check_request(r#""GET /a\" 404 1 HTTP/1.1" 200 1"#, get, Some(r#"/a\" 404 1"#), http, ok);
        check_request(r#""GET /a\\" 200 1 "x" 404 1"#, get, Some(r"/a\\"), None, ok);
        check_request(r#""GET /a" - b HTTP/1.1" 200 1 "-" "x""#, get, Some("/a\" - b"), http, ok);
        check_request(r#""GET /a HTTP/1.1" - 0 "-" "x""#, get, Some("/a"), http, Some("-"));
        check_request(r#""GET /a HTTP/1.1" -1 0 "-" "x""#, get, Some("/a"), http, Some("-1"));
        // Cut lines: nothing of a request whose end is not there.
        check_request(r#""GET /a HTTP/1.1" 20"#, get, Some("/a"), http, None);
        check_request(r#""GET /a HTTP/1.1" "#, get, Some("/a"), http, None);
        check_request(r#""GET /a HTTP/1.1""#, get, Some("/a"), http, None);
        check_request(r#""GET /a HTTP/1.1"#, None, None, None, None);
        check_request(r#""GET /a"b HT"#, None, None, None, None);
        check_request(r#""GET /a\""#, None, None, None, None);
        check_request(r#"""#, None, None, None, None);
    }

    #[test]
    fn a_request_has_words_only_if_it_is_http() {
        let check = |request: &str, words: [Option<&str>; 3]| {
            check_request(&format!("\"{request}\" 400 1 \"-\" \"-\""), words[0], words[1], words[2], Some("400"));
        };
        check("OPTIONS * HTTP/1.0", [Some("OPTIONS"), Some("*"), Some("HTTP/1.0")]);
        check("M-SEARCH /a HTTP/1.1", [Some("M-SEARCH"), Some("/a"), Some("HTTP/1.1")]);
        check("GET /a b  c HTTP/1.1", [Some("GET"), Some("/a b  c"), Some("HTTP/1.1")]);
        check("GET /a HTTP/1.1 ", [Some("GET"), Some("/a"), Some("HTTP/1.1")]);
        check("GET  HTTP/1.1", [Some("GET"), Some(""), Some("HTTP/1.1")]);
        check("GET /", [Some("GET"), Some("/"), None]);
        check("GET /a b", [Some("GET"), Some("/a b"), None]);
        for other in
            ["", "-", " ", "GET", "GET ", "GET HTTP/1.1", "EHLO x.com", r"\x16\x03", "\u{16}", "\u{1} / HTTP/1.1"]
        {
            check(other, [None, Some(other), None]);
        }
    }

    #[test]
    fn referer_and_agent_keep_their_quotes() {
        let check = |rest: &str, referer: Option<&str>, agent: Option<&str>| {
            check(&with_request(&format!("\"GET / HTTP/1.1\" 200 1{rest}")), &[(Referer, referer), (Agent, agent)]);
        };
        check(r#" "" """#, Some(""), Some(""));
        check(r#" "-" "say "hi" now""#, Some("-"), Some(r#"say "hi" now"#));
        check(r#" "-" "Tablet 8\" wide""#, Some("-"), Some(r#"Tablet 8\" wide"#));
        check(r#" "a\" "b" "c""#, Some(r#"a\" "b"#), Some("c"));
        check(r#" "a"b" "c" "#, Some(r#"a"b"#), Some("c"));
        check(r#" "-" "x" "192.0.2.4, 192.0.2.5""#, Some("-"), Some("x"));
        check(r#" "-" "x" 0.005 0.004 "up:80""#, Some("-"), Some("x"));
        check(r#" "-" "x" 17 "router@file" "http://192.0.2.5:80" 5ms"#, Some("-"), Some("x"));
        check(r#" "-" "x "8" 4k" rt=0.1"#, Some("-"), Some(r#"x "8" 4k"#));
        check(r#" "-" "x"#, Some("-"), None);
        check(r#" "-" "#, Some("-"), None);
        check(r#" "-""#, Some("-"), None);
        check(r#" "-"#, None, None);
        check(r#" 0.005 "-" "x""#, None, None);
    }

    #[test]
    fn lines_of_every_oddity_keep_their_fields() {
        // The kinds of lines of the shared case 41, with other bytes.
        let lines = r#"
203.0.113.1 - - [02/Jun/2026:10:00:00 +0000] "PUT /p HTTP/1.1" 201 9 "-" "Screen 5\" tall"
203.0.113.1 - - [02/Jun/2026:10:00:01 +0000] "GET /q HTTP/1.1" 200 9 "-" "the "best" one"
203.0.113.2 - - [02/Jun/2026:10:00:02 +0000] "\x16\x03\x03\x00" 400 0 "-" "-"
2001:db8::9 - - [02/Jun/2026:10:00:03 +0000] "-" 408 - "-" "-"
bot.example.net - - [02/Jun/2026:10:00:04 -0130] "GET /[y] HTTP/2.0" 302 - "-" "[2] [01/Jan/2020:"
203.0.113.1 - Jo Doe [02/Jun/2026:10:00:05 +0000] "GET / HTTP/1.1" 200 9 "-" "y"
"203.0.113.3 - - [02/Jun/2026:10:00:06 +0000] "GET / HTTP/1.1" 200 9 "-" "y""
203.0.113.1 - - [02/Jun/2026:10:00:07 +0000] "GET /é HTTP/1.1" 404 9 "-" ""
203.0.113.2 - - [02/Ju
"#;
        let expected = r"
203.0.113.1 02/Jun/2026:10:00:00 +0000 /p 201
203.0.113.1 02/Jun/2026:10:00:01 +0000 /q 200
203.0.113.2 02/Jun/2026:10:00:02 +0000 \x16\x03\x03\x00 400
2001:db8::9 02/Jun/2026:10:00:03 +0000 - 408
bot.example.net 02/Jun/2026:10:00:04 -0130 /[y] 302
203.0.113.1 02/Jun/2026:10:00:05 +0000 / 200
203.0.113.3 02/Jun/2026:10:00:06 +0000 / 200
203.0.113.1 02/Jun/2026:10:00:07 +0000 /é 404
203.0.113.2
";
        for (line, expected) in lines.lines().zip(expected.lines()) {
            let found = [Ip, Time, Path, Status].iter().filter_map(|name| get(line.as_bytes(), *name));
            assert_eq!(found.collect::<Vec<_>>().join(&b' '), expected.as_bytes(), "{line}");
            assert_eq!(is_access_line(line.as_bytes()), expected.contains(' '));
        }
    }

    #[test]
    fn bytes_that_are_no_text_are_kept() {
        let line = b"192.0.2.1 - \xff\xfe [21/May/2026:08:30:27 +0000] \"GET /\xff\x00 HTTP/1.1\" 404 1 \"-\" \"\xfe\"";
        assert_eq!(
            [User, Path, Agent].map(|name| get(line, name)),
            [Some(&b"\xff\xfe"[..]), Some(b"/\xff\x00"), Some(b"\xfe")]
        );
        assert!(is_access_line(line));
    }

    #[test]
    fn only_access_lines_are_taken_for_them() {
        let line = with_request(r#""GET / HTTP/1.1" 200 1 "-" "x""#);
        let good = ["21/May/2026:08:30:20.123 +0000", "21/Dec/2026:08:30:20 -0700"];
        for time in good {
            assert!(is_access_line(line.replace("21/May/2026:08:30:20 +0000", time).as_bytes()), "{time}");
        }
        let bad = [
            "21/Foo/2026:08:30:20 +0000",
            "21/May/2026:08:30:20",
            "21/May/2026 08:30:20 +0000",
            "1/May/2026:08:30:20 +0000",
            "21/May/2026:08:30:20 +00:00",
        ];
        for time in bad {
            assert!(!is_access_line(line.replace("21/May/2026:08:30:20 +0000", time).as_bytes()), "{time}");
        }
        // Something stands in front of the address.
        for front in [
            "2026-05-21T08:30:20Z stdout F ",
            "web-1  | ",
            "May 21 08:30:20 host nginx: ",
            "example.com ",
            "example.com:80 ",
            "192.0.2.7, ",
        ] {
            let line = format!("{front}{line}");
            assert!(!is_access_line(line.as_bytes()), "{line}");
            assert!(field(line.as_bytes(), Time).is_some());
        }
        let others = [
            format!("{{\"log\":\"{}\"}}", line.replace('"', "\\\"")),
            line.replace(" 200 ", " - "),
            line.replace(" 200 ", " 2000 "),
            line.replace("] \"GET", "] GET"),
            line.replace("- - ", "- "),
            line.replace("192.0.2.9", "[core]"),
        ];
        for line in others {
            assert!(!is_access_line(line.as_bytes()), "{line}");
        }
    }

    /// The files of a folder beside the project, which is not there everywhere.
    fn shared(name: &str) -> Option<PathBuf> {
        let folder = FilePath::new(env!("CARGO_MANIFEST_DIR")).join("../shared").join(name);
        if !folder.is_dir() {
            eprintln!("skipped: no ../shared/{name}");
            return None;
        }
        Some(folder)
    }

    fn lines(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
        let lines = bytes.strip_suffix(b"\n").unwrap_or(bytes).split(|byte| *byte == b'\n');
        lines.map(|line| line.strip_suffix(b"\r").unwrap_or(line))
    }

    fn json(file: PathBuf) -> serde_json::Value {
        serde_json::from_slice(&fs::read(file).unwrap()).unwrap()
    }

    #[test]
    fn the_shared_case_has_its_keys_and_times() {
        let Some(folder) = shared("cases/41-access-log-quotes") else { return };
        let bytes = fs::read(folder.join("access.log")).unwrap();
        let expected = json(folder.join("expect.json"));
        let times: Vec<bool> = lines(&bytes).map(|line| field(line, Time).is_some()).collect();
        let wanted: Vec<bool> = expected["time_ns"].as_array().unwrap().iter().map(|time| !time.is_null()).collect();
        assert_eq!(times, wanted);
        assert_eq!(lines(&bytes).map(is_access_line).collect::<Vec<bool>>(), wanted);
        for client in expected["top_client"].as_array().unwrap() {
            let ip = client[0].as_str().unwrap().as_bytes();
            let count = lines(&bytes).filter(|line| get(line, Ip) == Some(ip)).count();
            assert_eq!(count as u64, client[1].as_u64().unwrap());
        }
        assert_eq!(lines(&bytes).filter(|line| field(line, Ip).is_some()).count(), 9);
    }

    #[test]
    fn real_lines_all_have_their_fields() {
        let Some(folder) = shared("data/apache-combined") else { return };
        let bytes = fs::read(folder.join("access.log")).unwrap();
        let facts = json(folder.join("facts.json"));
        let mut addresses = HashSet::new();
        for line in lines(&bytes) {
            assert!(is_access_line(line), "{}", String::from_utf8_lossy(line));
            for name in [Time, Path, Status, Bytes] {
                assert!(field(line, name).is_some());
            }
            assert_eq!(field(line, Time).unwrap().len(), 26);
            addresses.insert(get(line, Ip).unwrap());
        }
        assert_eq!(addresses.len() as u64, facts["distinct_keys"].as_u64().unwrap());
    }

    #[test]
    fn no_line_of_another_log_is_taken_for_one() {
        let Some(folder) = shared("data") else { return };
        let folders = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        for folder in folders.filter(|folder| folder.is_dir() && !folder.ends_with("apache-combined")) {
            for file in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
                let bytes = fs::read(&file).unwrap();
                assert_eq!(lines(&bytes).find(|line| is_access_line(line)), None, "{}", file.display());
            }
        }
    }

    /// Pieces joined, up to so many.
    fn text(pieces: &'static [&'static str], least: usize, most: usize) -> impl Strategy<Value = String> {
        prop::collection::vec(prop::sample::select(pieces), least..=most).prop_map(|pieces| pieces.concat())
    }

    const USER: &[&str] = &["a", "Z", " ", "-", "[", "]", "/", "\"", "\u{e9}"];
    const TARGET: &[&str] = &["/", "a", "?", " ", "[", "]", "\"", "\\\"", "\\\\", "\u{e9}", "=", "\" 20 ", " HTTP"];
    const SOUP: &[&str] = &[
        "h", " ", " ", "\"", "\\", "[", "]", " [1/Jun/", "GET /", " HTTP/1", "\" 200 ", "-", "7", "\" \"", "\t", USUAL,
    ];
    const USUAL: &str = " [21/May/2026:08:30:20 +0000] \"";
    const QUOTED: &[&str] = &["a", "/", "5", " ", "[", "\"", "\\\"", "\\\\", "(", ";", "\u{e9}", "\" b"];

    /// Text without a quote that ends it, the one behind it not counted.
    fn unended(text: &str) -> bool {
        let quoted = format!("{text}\"");
        let ends = |rest: &str| rest.starts_with(" \"") || rest.starts_with(" 5");
        quotes(text.as_bytes(), 0).all(|quote| !ends(&quoted[quote + 1..]))
    }

    fn request() -> impl Strategy<Value = [Option<String>; 3]> {
        let method =
            || prop::sample::select(vec!["GET", "POST", "M-SEARCH"]).prop_map(|method| Some(method.to_owned()));
        let http = (method(), text(TARGET, 0, 8), prop::sample::select(vec!["HTTP/1.0", "HTTP/1.1", "HTTP/2.0"]))
            .prop_map(|(method, target, protocol)| [method, Some(format!("/{target}")), Some(protocol.to_owned())]);
        let old = (method(), text(TARGET, 0, 8))
            .prop_map(|(method, target)| [method, Some(format!("/{target}").trim_end().to_owned()), None]);
        let is_old = |words: &[Option<String>; 3]| words[1].as_ref().is_some_and(|path| !path.contains(" HTTP/"));
        let old = old.prop_filter("has no protocol", is_old);
        let other = text(&["-", "\\x16", "\\x03", "\u{1}", " ", "\""], 0, 5).prop_map(|text| [None, Some(text), None]);
        prop_oneof![4 => http, 1 => old, 1 => other]
    }

    /// The fields of a line, in their order, and what follows them.
    fn well_formed() -> impl Strategy<Value = ([Option<String>; 11], String)> {
        let ip = prop_oneof![
            any::<[u8; 4]>().prop_map(|[a, b, c, d]| format!("{a}.{b}.{c}.{d}")),
            any::<u32>().prop_map(|part| format!("2001:db8::{part:x}")),
            "[a-z][a-z0-9.-]{0,12}",
            Just("unix:".to_owned()),
        ];
        let user = text(USER, 1, 6).prop_filter("trimmed", |user| !user.trim().is_empty() && user.trim() == user);
        let time = (1..=31u8, prop::sample::select(&MONTHS[..]), 1970..2100u16, 0..24u8, 0..60u8, 0..14u8).prop_map(
            |(day, month, year, hour, minute, zone)| {
                let month = str::from_utf8(month).unwrap();
                format!("{day:02}/{month}/{year}:{hour:02}:{minute:02}:07 +{zone:02}00")
            },
        );
        let quoted = || text(QUOTED, 0, 8).prop_filter("has an end of its own", |text| unended(text));
        let bytes = prop_oneof![any::<u32>().prop_map(|bytes| bytes.to_string()), Just("-".to_owned())];
        let rest = prop::sample::select(vec!["", "", " \"192.0.2.1, 192.0.2.2\"", " 0.005", " 12 \"a\" \"b\" 5ms"]);
        let tail = prop::option::of((quoted(), quoted(), rest));
        (ip, "[a-z-]{1,6}", user, time, request(), 100..600u16, bytes, tail).prop_map(
            |(ip, ident, user, time, [method, path, protocol], status, bytes, tail)| {
                let (referer, agent, rest) = tail.map_or((None, None, ""), |(r, a, rest)| (Some(r), Some(a), rest));
                let [ip, ident, user, time, bytes] = [ip, ident, user, time, bytes].map(Some);
                let status = Some(status.to_string());
                let fields = [ip, ident, user, time, method, path, protocol, status, bytes, referer, agent];
                (fields, rest.to_owned())
            },
        )
    }

    fn join((fields, rest): &([Option<String>; 11], String)) -> String {
        let [ip, ident, user, time, method, path, protocol, status, bytes, referer, agent] =
            fields.each_ref().map(|field| field.as_deref().unwrap_or_default());
        let request =
            [method, path, protocol].into_iter().filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ");
        let line = format!("{ip} {ident} {user} [{time}] \"{request}\" {status} {bytes}");
        if fields[9].is_some() { format!("{line} \"{referer}\" \"{agent}\"{rest}") } else { line }
    }

    /// A line of no or some form.
    fn any_line() -> impl Strategy<Value = Vec<u8>> {
        let changes = prop::collection::vec((any::<prop::sample::Index>(), any::<Option<u8>>()), 0..6);
        let changed = (well_formed(), changes, any::<prop::sample::Index>()).prop_map(|(line, changes, cut)| {
            let mut line = join(&line).into_bytes();
            for (at, byte) in changes {
                let at = at.index(line.len());
                match byte {
                    Some(byte) if byte % 2 == 0 => line[at] = byte,
                    Some(byte) => line.insert(at, byte),
                    None => drop(line.remove(at)),
                }
            }
            line.truncate(line.len() - cut.index(line.len()) / 2);
            line
        });
        prop_oneof![prop::collection::vec(any::<u8>(), 0..80), text(SOUP, 0, 20).prop_map(String::into_bytes), changed,]
    }

    fn check_subset(line: &[u8], names: &[AccessField]) {
        let mut parts = vec![Some(1..2); 3];
        fields(line, names, &mut parts);
        let single: Vec<Option<Range<usize>>> = names.iter().map(|name| field(line, *name)).collect();
        assert_eq!(parts, single, "{names:?} of {}", String::from_utf8_lossy(line));
    }

    fn check_every_subset(line: &[u8]) {
        for subset in 0..1 << AccessField::ALL.len() {
            let chosen = |name: &AccessField| subset >> (*name as usize) & 1 == 1;
            let mut names: Vec<AccessField> = AccessField::ALL.into_iter().filter(chosen).collect();
            check_subset(line, &names);
            names.reverse();
            check_subset(line, &names);
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn fields_joined_come_back(parts in well_formed()) {
            let line = join(&parts);
            for (name, expected) in AccessField::ALL.into_iter().zip(&parts.0) {
                let found = get(line.as_bytes(), name).map(|text| str::from_utf8(text).unwrap());
                prop_assert_eq!(found, expected.as_deref(), "{} of {}", name.name(), line);
            }
            let wrapped = format!("\"{line}\"");
            for name in AccessField::ALL {
                let inside = get(line.as_bytes(), name);
                prop_assert_eq!(get(wrapped.as_bytes(), name), inside, "{} of {}", name.name(), wrapped);
            }
        }

        #[test]
        fn what_a_cut_line_has_is_whole(parts in well_formed(), cut in any::<prop::sample::Index>()) {
            let line = join(&parts).into_bytes();
            let cut = &line[..cut.index(line.len())];
            // A quote that is not escaped may look like a field's end where the line is cut.
            let raw = parts.0[4..].iter().flatten().any(|text| quotes(text.as_bytes(), 0).next().is_some());
            for name in AccessField::ALL.into_iter().filter(|name| *name != Bytes && !raw) {
                prop_assert!(field(cut, name).is_none_or(|_| get(cut, name) == get(&line, name)), "{}", name.name());
            }
            prop_assert!(field(cut, Bytes).is_none_or(|range| range.start == field(&line, Bytes).unwrap().start));
        }

        #[test]
        fn every_range_is_in_its_line(line in any_line()) {
            let ranges = AccessField::ALL.map(|name| field(&line, name));
            for range in ranges.iter().flatten() {
                prop_assert!(range.start <= range.end && range.end <= line.len());
            }
            let found: Vec<&Range<usize>> = ranges.iter().flatten().collect();
            prop_assert!(found.windows(2).all(|pair| pair[0].end < pair[1].start), "in order, something between");
            is_access_line(&line);
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 16, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn many_fields_are_the_single_ones(line in any_line()) {
            check_every_subset(&line);
        }
    }
}
