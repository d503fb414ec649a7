//! The same masks, slowly: every mask is tried at every place, by regular expressions and the standard library's
//! parsers.

use super::super::{Mask, Masks};
use regex::bytes::Regex;
use std::net::{Ipv4Addr, Ipv6Addr};
use std::sync::LazyLock;

/// What may follow a word, and what may follow a time of day.
const BOUND: &str = "(?:$|[^A-Za-z0-9])";
const CLOCK_BOUND: &str = "(?:$|[^A-Za-z0-9:]|:(?:$|[^A-Za-z0-9:<]))";

/// A pattern at a place, its body in a group; capitals in angle brackets stand for other patterns.
fn pattern(body: &str, bound: &str) -> Regex {
    let parts = [
        ("<ANY>", "(?:<FULL>|<H>:<M><ZONE>?)"),
        ("<FULL>", "<H>:<M>:<S><FRACTION>?<ZONE>?"),
        ("<FRACTION>", "(?:[.,][0-9]{1,9}|:[0-9]{3})"),
        ("<ZONE>", "(?:[Zz]|[+-]<OH>:?<M>|[+-]<OH>| [+-]<OH>:?<M>| ?[AaPp][Mm]| (?:UTC|GMT))"),
        ("<OH>", "(?:0[0-9]|1[0-4])"),
        ("<JOINT>", "(?:, |[Tt :_-])"),
        ("<H>", "(?:[01]?[0-9]|2[0-3])"),
        ("<M>", "[0-5][0-9]"),
        ("<S>", "(?:[0-5][0-9]|60)"),
        ("<DAY>", "(?:0?[1-9]|[12][0-9]|3[01])"),
        ("<DAY2>", "(?:0[1-9]|[12][0-9]|3[01])"),
        ("<MONTH2>", "(?:0[1-9]|1[0-2])"),
        ("<MON>", "(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)"),
        ("<WEEKDAY>", "(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)"),
        ("<YEAR>", "(?:19|20)[0-9]{2}"),
    ];
    let text = parts.iter().fold(format!("(?s-u)^({body}){bound}"), |text, (name, part)| text.replace(name, part));
    Regex::new(&text).unwrap()
}

/// Times that begin with a digit.
static DATES: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    let dates = [
        "[0-9]{4}-<MONTH2>-<DAY2>",
        "[0-9]{4}/<MONTH2>/<DAY2>",
        "<DAY>/<MON>/[0-9]{4}",
        "<DAY>-<MON>-[0-9]{4}",
        "<DAY> <MON> <YEAR>",
        "<DAY>/<DAY2>/[0-9]{4}",
        "<DAY>-<DAY2>-[0-9]{4}",
    ];
    let with_clock = dates.map(|date| pattern(&format!("{date}<JOINT><ANY>"), CLOCK_BOUND));
    let alone = dates.map(|date| pattern(date, BOUND));
    let others = [
        "[0-9]{8}T[0-9]{6}<FRACTION>?<ZONE>?",
        "<DAY> <MON> <FULL>",
        "<DAY2>/<DAY2>/[0-9]{2} <FULL>",
        "<DAY2>-<DAY2>-[0-9]{2} <FULL>",
    ];
    with_clock.into_iter().chain(alone).chain(others.map(|other| pattern(other, CLOCK_BOUND))).collect()
});
static CLOCK: LazyLock<Regex> = LazyLock::new(|| pattern("<FULL>", CLOCK_BOUND));
static NAMED: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    vec![
        pattern("<WEEKDAY> <MON> {1,2}<DAY>(?:,? <YEAR>)? <FULL>(?: [A-Z]{3,4})? <YEAR>", BOUND),
        pattern("<WEEKDAY> <MON> {1,2}<DAY>(?:,? <YEAR>)? <FULL>", CLOCK_BOUND),
        pattern("<MON> {1,2}<DAY>(?:,? <YEAR>)? <FULL>", CLOCK_BOUND),
        pattern("<WEEKDAY>, <DAY> <MON> <YEAR><JOINT><ANY>", CLOCK_BOUND),
        pattern("<WEEKDAY>, <DAY> <MON> <YEAR>", BOUND),
        pattern("<WEEKDAY>, <DAY> <MON> <FULL>", CLOCK_BOUND),
    ]
});
static UUID: LazyLock<Regex> =
    LazyLock::new(|| pattern("[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}", BOUND));
static PREFIXED: LazyLock<Regex> = LazyLock::new(|| pattern("0[xX][0-9a-fA-F]+", BOUND));
static WORD: LazyLock<Regex> = LazyLock::new(|| pattern("[0-9a-fA-F]{7,}", BOUND));
static PAIRS: LazyLock<[Regex; 2]> = LazyLock::new(|| {
    [":", "-"].map(|joint| pattern(&format!("[0-9a-fA-F]{{2}}(?:{joint}[0-9a-fA-F]{{2}}){{5,}}"), BOUND))
});

fn matched<'a>(regex: &Regex, rest: &'a [u8]) -> Option<&'a [u8]> {
    regex.captures(rest).map(|captures| captures.get(1).unwrap().as_bytes())
}

fn has_digit(text: &[u8]) -> bool {
    text.iter().any(u8::is_ascii_digit)
}

fn is_word(byte: Option<&u8>) -> bool {
    byte.is_some_and(u8::is_ascii_alphanumeric)
}

fn before(text: &[u8], at: usize) -> Option<&u8> {
    text[..at].last()
}

pub fn apply(masks: &Masks, text: &[u8]) -> Vec<u8> {
    let mut masked = Vec::new();
    let mut at = 0;
    while at < text.len() {
        match part(masks, text, at) {
            Some((end, mask)) => {
                masked.extend_from_slice(mask.placeholder().as_bytes());
                at = end;
            }
            None => {
                masked.push(text[at]);
                at += 1;
            }
        }
    }
    masked
}

fn part(masks: &Masks, text: &[u8], at: usize) -> Option<(usize, Mask)> {
    let quoted = masks.contains(Mask::Quoted).then(|| quoted(text, at)).flatten().map(|len| (at + len, Mask::Quoted));
    let query = masks.contains(Mask::Query).then(|| query(text, at)).flatten().map(|len| (at + len, Mask::Query));
    let number = || masks.contains(Mask::Num).then(|| number(masks, text, at)).flatten();
    quoted.or(query).or_else(|| other(masks, text, at)).or_else(|| number().map(|len| (at + len, Mask::Num)))
}

fn other(masks: &Masks, text: &[u8], at: usize) -> Option<(usize, Mask)> {
    if is_word(before(text, at)) {
        return None;
    }
    type Find = fn(&[u8], usize) -> Option<usize>;
    let kinds: [(Mask, Find); 4] = [(Mask::Time, time), (Mask::Uuid, uuid), (Mask::Ip, ip), (Mask::Hex, hex)];
    let wanted = kinds.into_iter().filter(|(mask, _)| masks.contains(*mask));
    wanted.filter_map(|(mask, find)| Some((at + find(text, at)?, mask))).next()
}

fn quoted(text: &[u8], at: usize) -> Option<usize> {
    let quote = text[at];
    let ends_word = |at: usize| is_word(before(text, at)) || before(text, at) == Some(&b'>');
    let begins_word = |at: usize| is_word(text.get(at)) || text.get(at) == Some(&b'<');
    let is_apostrophe = quote == b'\'';
    if !matches!(quote, b'"' | b'\'') || before(text, at) == Some(&b'\\') || (is_apostrophe && ends_word(at)) {
        return None;
    }
    let is_end = |end: usize| !(is_apostrophe && ends_word(end) && begins_word(end + 1));
    let mut end = at + 1;
    while end < text.len() {
        match text[end] {
            b'\\' => end += 1,
            byte if byte == quote && is_end(end) => return Some(end + 1 - at),
            _ => (),
        }
        end += 1;
    }
    None
}

fn query(text: &[u8], at: usize) -> Option<usize> {
    static QUERY: LazyLock<Regex> = LazyLock::new(|| Regex::new(r#"(?s-u)^[^\x00-\x20"'#\\<>]+"#).unwrap());
    if before(text, at) == Some(&b'?') { QUERY.find(&text[at..]).map(|found| found.len()) } else { None }
}

/// Whether a `:` before `at` may join it to a part of an address or of a time.
fn is_joined(text: &[u8], at: usize) -> bool {
    static JOINED: LazyLock<Regex> =
        LazyLock::new(|| Regex::new("(?s-u)(?:[:>]|(?:^|[^A-Za-z0-9])[0-9A-Fa-f]{1,4}):$").unwrap());
    JOINED.is_match(&text[..at])
}

fn time(text: &[u8], at: usize) -> Option<usize> {
    let rest = &text[at..];
    let follows_dot = before(text, at) == Some(&b'.');
    let named = NAMED.iter().find_map(|pattern| matched(pattern, rest));
    let date = || DATES.iter().filter(|_| !follows_dot).find_map(|pattern| matched(pattern, rest));
    let clock = || if follows_dot || is_joined(text, at) { None } else { matched(&CLOCK, rest) };
    named.or_else(date).or_else(clock).map(<[u8]>::len)
}

fn uuid(text: &[u8], at: usize) -> Option<usize> {
    matched(&UUID, &text[at..]).filter(|uuid| has_digit(uuid)).map(<[u8]>::len)
}

fn hex(text: &[u8], at: usize) -> Option<usize> {
    let rest = &text[at..];
    let is_wanted = |word: &&[u8]| has_digit(word) && word[..word.len() - 1].iter().any(u8::is_ascii_alphabetic);
    let pairs = || PAIRS.iter().find_map(|pattern| matched(pattern, rest)).filter(|pairs| has_digit(&pairs[..17]));
    matched(&PREFIXED, rest).or_else(|| matched(&WORD, rest).filter(is_wanted)).or_else(pairs).map(<[u8]>::len)
}

fn ip(text: &[u8], at: usize) -> Option<usize> {
    if before(text, at) == Some(&b'.') {
        return None;
    }
    const LONGEST: usize = "ffff:ffff:ffff:ffff:ffff:ffff:255.255.255.255".len();
    let longest = LONGEST.min(text.len() - at);
    let len = (1..=longest).rev().find(|len| is_address(text, at, *len))?;
    let has_zone = text[at..at + len].contains(&b':');
    Some(len + if has_zone { zone(&text[at + len..]) } else { 0 })
}

fn is_address(text: &[u8], at: usize, len: usize) -> bool {
    static GOES_ON: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"(?s-u)^(?:[A-Za-z0-9]|\.[A-Za-z0-9<])").unwrap());
    let (address, rest) = text[at..].split_at(len);
    let Ok(address) = str::from_utf8(address) else { return false };
    let ends = !GOES_ON.is_match(rest);
    if address.parse::<Ipv4Addr>().is_ok() {
        return ends;
    }
    let goes_on = match rest {
        [b':', next, ..] => !address.contains('.') && (is_word(Some(next)) || b":<".contains(next)),
        [b'<', ..] => address.ends_with(':'),
        _ => false,
    };
    let follows_part = address.starts_with(':') && before(text, at) == Some(&b'>');
    address.parse::<Ipv6Addr>().is_ok()
        && has_digit(address.as_bytes())
        && !follows_part
        && !is_joined(text, at)
        && ends
        && !goes_on
}

fn zone(rest: &[u8]) -> usize {
    static ZONE: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"(?s-u)^(%[A-Za-z0-9_-]+)?").unwrap());
    if rest.is_empty() || rest[0] != b'%' { 0 } else { ZONE.find(rest).unwrap().len() }
}

fn number(masks: &Masks, text: &[u8], at: usize) -> Option<usize> {
    static START: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"^[+-]?[0-9]+").unwrap());
    static MORE: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"(?-u)^[.,][0-9]+").unwrap());
    static EXPONENT: LazyLock<Regex> = LazyLock::new(|| pattern("[eE][+-]?[0-9]+", BOUND));
    let mut len = START.find(&text[at..])?.len();
    if text[at].is_ascii_punctuation() {
        let may_precede = |byte: &u8| byte.is_ascii() && !is_word(Some(byte)) && !b"-+.)]}>%".contains(byte);
        if !before(text, at).is_none_or(may_precede) || other(masks, text, at + 1).is_some() {
            return None;
        }
    }
    while let Some(more) = MORE.find(&text[at + len..]) {
        if other(masks, text, at + len + 1).is_some() {
            break;
        }
        len += more.len();
    }
    Some(len + matched(&EXPONENT, &text[at + len..]).map_or(0, <[u8]>::len))
}
