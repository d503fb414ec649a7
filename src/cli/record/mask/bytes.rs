//! Bytes of a text, its digits and what bounds them.

/// Stands for the bytes before and behind a text.
const NOTHING: u8 = 0;

/// The byte at `at`.
#[inline(always)]
pub fn byte(text: &[u8], at: usize) -> u8 {
    text.get(at).copied().unwrap_or(NOTHING)
}

/// The byte before the one at `at`.
#[inline(always)]
pub fn byte_before(text: &[u8], at: usize) -> u8 {
    text.get(at.wrapping_sub(1)).copied().unwrap_or(NOTHING)
}

/// A letter or a digit: what would belong to the word that it stands beside.
#[inline(always)]
pub fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
}

/// A letter or a digit, or the beginning of the placeholder that stands where one was.
#[inline(always)]
pub fn was_word(byte: u8) -> bool {
    is_word(byte) || byte == b'<'
}

/// What is left from `at` on; nothing beyond the end.
#[inline(always)]
pub fn behind(text: &[u8], at: usize) -> &[u8] {
    text.get(at..).unwrap_or_default()
}

/// How many digits there are from `at` on.
#[inline(always)]
pub fn digits(text: &[u8], at: usize) -> usize {
    behind(text, at).iter().take_while(|byte| byte.is_ascii_digit()).count()
}

/// How many hex digits there are from `at` on.
#[inline(always)]
pub fn hex_digits(text: &[u8], at: usize) -> usize {
    behind(text, at).iter().take_while(|byte| byte.is_ascii_hexdigit()).count()
}

/// Whether the `:` before `at`, if it is one, does not join it to what may be another part of an address or of a time:
/// there is no `:` before it, no placeholder, and no short group of hex digits.
pub fn is_free_of_colon(text: &[u8], at: usize) -> bool {
    if byte_before(text, at) != b':' {
        return true;
    }
    let before = &text[..at - 1];
    let group = before.iter().rev().take(MAX_GROUP + 1).take_while(|byte| is_word(**byte)).count();
    let is_group = (1..=MAX_GROUP).contains(&group) && before[before.len() - group..].iter().all(u8::is_ascii_hexdigit);
    !is_group && !matches!(before.last(), Some(b':' | b'>'))
}

/// The most hex digits of a group of an IPv6 address.
pub const MAX_GROUP: usize = 4;

/// Bytes looked at together.
const STRIDE: usize = size_of::<u64>();
/// One in each byte of a word.
const ONES: u64 = u64::MAX / 0xff;
/// The upper bit of each byte of a word.
const UPPER: u64 = ONES << 7;

/// The upper bits of those bytes of `word` that are digits.
#[inline(always)]
fn digits_of(word: u64) -> u64 {
    let low = word & !UPPER;
    // Adding what is missing to 128 sets the upper bit of the bytes that are at least that; no sum leaves its byte.
    let at_least = |least: u8| low + ONES * (128 - u64::from(least));
    at_least(b'0') & !at_least(b'9' + 1) & !word & UPPER
}

/// The upper bits of those bytes of `word` that equal `wanted`.
#[inline(always)]
fn equal_of(word: u64, wanted: u8) -> u64 {
    let difference = word ^ (ONES * u64::from(wanted));
    !(((difference & !UPPER) + !UPPER) | difference) & UPPER
}

/// The first byte at `from` or later that `of_word` marks.
#[inline(always)]
fn next(text: &[u8], from: usize, of_word: impl Fn(u64) -> u64) -> Option<usize> {
    let mut at = from;
    loop {
        let rest = &text[at..];
        let (word, len) = match rest.first_chunk::<STRIDE>() {
            Some(chunk) => (u64::from_le_bytes(*chunk), STRIDE),
            None => {
                let mut chunk = [NOTHING; STRIDE];
                chunk[..rest.len()].copy_from_slice(rest);
                (u64::from_le_bytes(chunk), rest.len())
            }
        };
        let marks = of_word(word);
        if marks != 0 {
            return Some(at + (marks.trailing_zeros() / u8::BITS) as usize);
        }
        if len < STRIDE {
            return None;
        }
        at += STRIDE;
    }
}

/// The first digit at `from` or later.
#[inline(always)]
pub fn next_digit(text: &[u8], from: usize) -> Option<usize> {
    next(text, from, digits_of)
}

/// The first digit, quote or `?` at `from` or later.
#[inline(always)]
pub fn next_digit_or_mark(text: &[u8], from: usize) -> Option<usize> {
    next(text, from, |word| digits_of(word) | equal_of(word, b'"') | equal_of(word, b'\'') | equal_of(word, b'?'))
}
