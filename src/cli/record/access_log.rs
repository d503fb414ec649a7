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
//! - *ip* is the first token, IPv4 or IPv6, or whatever it is (a name, `unix:`) where the line has a *time*. Blanks and one quote before it are dropped;
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

use super::named::named_fields;
use grudge::lines::equal_bytes;
use memchr::{memchr, memchr_iter, memchr2, memchr3, memrchr};
use std::ops::Range;

named_fields! {
    /// A field of an access log's line.
    AccessField {
        Ip: "ip",
        Ident: "ident",
        User: "user",
        Time: "time",
        Method: "method",
        Path: "path",
        Protocol: "protocol",
        Status: "status",
        Bytes: "bytes",
        Referer: "referer",
        Agent: "agent",
    }
}

impl AccessField {
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
        AccessField::Ip => ip(line),
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
            AccessField::Ip => ip(self.line),
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

/// The first token, if it is an address in digits or the line has a time: the first word of a line of another kind that
/// stands between (a server's own errors, a trace) is none.
#[inline(always)]
fn ip(line: &[u8]) -> Option<Range<usize>> {
    let token = address(line)?;
    let is_one =
        is_usual_address(line, &token) || is_numeric_address(&line[token.clone()]) || time(unwrapped(line)).is_some();
    is_one.then_some(token)
}

/// Lengths of an IPv4 address: `0.0.0.0` to `255.255.255.255`.
const IPV4_BYTES: std::ops::RangeInclusive<usize> = 7..=15;
/// Its dots.
const IPV4_DOTS: u32 = 3;

/// Whether a token is as long as an IPv4 address, has as many dots, and a digit at either end: no more is asked, so that
/// nearly all lines are told by three comparisons.
#[inline(always)]
fn is_usual_address(line: &[u8], token: &Range<usize>) -> bool {
    let Some(chunk) = line[token.start..].first_chunk() else { return false };
    let inside = (1_u64 << token.len().min(*IPV4_BYTES.end())) - 1;
    let dots = (equal_bytes(chunk, b'.') & inside).count_ones();
    is_ipv4(&line[token.clone()], dots)
}

#[inline(always)]
fn is_ipv4(token: &[u8], dots: u32) -> bool {
    IPV4_BYTES.contains(&token.len())
        && dots == IPV4_DOTS
        && token.first().is_some_and(u8::is_ascii_digit)
        && token.last().is_some_and(u8::is_ascii_digit)
}

/// Whether a token has the form of an IPv4 or IPv6 address.
#[cold]
fn is_numeric_address(token: &[u8]) -> bool {
    /// Colons that a whole IPv6 address has at least; `10:00:00` has none beside the other.
    const COLONS: usize = 4;
    let count = |wanted: u8| token.iter().filter(|byte| **byte == wanted).count();
    let is_v6 = token.iter().all(|byte| byte.is_ascii_hexdigit() || b".:".contains(byte));
    is_ipv4(token, count(b'.') as u32)
        || is_v6 && token.len() > 2 && (memchr::memmem::find(token, b"::").is_some() || count(b':') >= COLONS)
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
    bracketed_time(line, start, front(line).0).is_none().then_some(ident)
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
    // A bracket or a quote inside would not be of this time.
    let is_inside = |byte: &u8| !matches!(byte, b'[' | b']' | b'"');
    matches!(rest, [_, _, _, _, b':', _, _, b':', _, _, b':', _, _, b' ', _, _, _, _, _, b']', b' ', b'"'])
        && rest[..rest.len() - 3].iter().all(is_inside)
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
    // Once a line: what stands in front may be long, and so may the brackets be many.
    let front = front(line).0;
    for open in memchr_iter(b'[', &line[from..]) {
        match bracketed_time(line, from + open, front) {
            Some(time) if request_may_follow(line, time.end) => return Some(time),
            time => other = other.or(time),
        }
    }
    other
}

/// Inside the brackets that open at `open`, if a token (after `front`) and a blank stand before them and they begin as a
/// time does.
fn bracketed_time(line: &[u8], open: usize, front: usize) -> Option<Range<usize>> {
    let text = &line[open..];
    let date = match text {
        [b'[', a, b'/', date @ ..] if a.is_ascii_digit() => date,
        [b'[', a, b, b'/', date @ ..] if a.is_ascii_digit() && b.is_ascii_digit() => date,
        _ => return None,
    };
    let [a, b, c, b'/', ..] = date else { return None };
    let follows_token = open > front && is_blank(line[open - 1]);
    if !follows_token || ![a, b, c].into_iter().all(u8::is_ascii_alphabetic) {
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
mod tests;
