//! Uuids and other hex digits. All of it begins where no letter or digit precedes and ends before none.

use super::bytes::{byte, hex_digits, is_word};

/// The hex digits of the five groups of a uuid.
const UUID_GROUPS: [usize; 5] = [8, 4, 4, 4, 12];
/// The length of a uuid: its groups and the hyphens between them.
const UUID_LEN: usize = 36;
/// The fewest hex digits that are masked without `0x` before them: the short hashes of git have so many.
const MIN_DIGITS: usize = 7;
/// The fewest pairs of hex digits that are masked: a MAC address has so many.
const MIN_PAIRS: usize = 6;
/// Two hex digits and what joins them to the next two.
const PAIR: usize = 3;

/// Where the uuid at `at` ends.
#[inline(always)]
pub fn uuid(text: &[u8], at: usize) -> Option<usize> {
    // Cheap first: nearly nothing has a hyphen there.
    if byte(text, at + UUID_GROUPS[0]) != b'-' {
        return None;
    }
    whole_uuid(text, at)
}

fn whole_uuid(text: &[u8], at: usize) -> Option<usize> {
    let uuid = text.get(at..at + UUID_LEN)?;
    let is_of_groups = uuid.split(|byte| *byte == b'-').map(<[u8]>::len).eq(UUID_GROUPS);
    let is_of_digits = uuid.iter().all(|byte| byte.is_ascii_hexdigit() || *byte == b'-');
    let is_bounded = !is_word(byte(text, at + UUID_LEN));
    (is_of_groups && is_of_digits && is_bounded && has_digit(uuid)).then_some(at + UUID_LEN)
}

/// Where the hex digits at `at` end.
#[inline(always)]
pub fn hex(text: &[u8], at: usize) -> Option<usize> {
    if text[at] == b'0' && matches!(byte(text, at + 1), b'x' | b'X') {
        let end = at + 2 + hex_digits(text, at + 2);
        return (end > at + 2 && !is_word(byte(text, end))).then_some(end);
    }
    word(text, at).or_else(|| pairs(text, at))
}

/// Where the word of hex digits at `at` ends.
fn word(text: &[u8], at: usize) -> Option<usize> {
    let len = hex_digits(text, at);
    let word = &text[at..at + len];
    let (_, all_but_last) = word.split_last()?;
    let is_bounded = len >= MIN_DIGITS && !is_word(byte(text, at + len));
    // A single letter at the end is the unit of a number.
    (is_bounded && has_digit(word) && all_but_last.iter().any(u8::is_ascii_alphabetic)).then_some(at + len)
}

/// Where the pairs of hex digits at `at` end.
fn pairs(text: &[u8], at: usize) -> Option<usize> {
    let joint = byte(text, at + PAIR - 1);
    if !matches!(joint, b':' | b'-') {
        return None;
    }
    let is_joined =
        |pair: &&[u8]| matches!(pair, [a, b, c] if [a, b].iter().all(|x| x.is_ascii_hexdigit()) && *c == joint);
    let joined = text[at..].chunks_exact(PAIR).take_while(is_joined).count();
    let last = at + PAIR * joined;
    // What follows the last joint may be a pair as well, the last one, or the joint is none.
    let ends_with_pair = hex_digits(text, last) == PAIR - 1 && !is_word(byte(text, last + PAIR - 1));
    let count = joined + usize::from(ends_with_pair);
    if count < MIN_PAIRS || !has_digit(&text[at..at + PAIR * MIN_PAIRS - 1]) {
        return None;
    }
    Some(if ends_with_pair { last + PAIR - 1 } else { last - 1 })
}

fn has_digit(text: &[u8]) -> bool {
    text.iter().any(u8::is_ascii_digit)
}
