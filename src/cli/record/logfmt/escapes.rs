//! What stands between quotes, without its escapes.

use memchr::memchr;

/// `\uXXXX`: the backslash, the letter and the digits.
const UNICODE_BYTES: usize = 6;
/// Its backslash and letter.
const UNICODE_PREFIX: &[u8] = b"\\u";
const HEX: u32 = 16;

/// The units of UTF-16 that begin a pair, those that end one, and what the pairs count from.
const FIRST_OF_PAIR: std::ops::Range<u32> = 0xd800..0xdc00;
const SECOND_OF_PAIR: std::ops::Range<u32> = 0xdc00..0xe000;
const PAIRS_FROM: u32 = 0x1_0000;
/// Bits that each half of a pair carries.
const HALF_BITS: u32 = 10;

/// Adds `text` to `out`, decoded. Never longer than the text.
pub(super) fn decode(text: &[u8], out: &mut Vec<u8>) {
    let mut rest = text;
    while let Some(plain) = memchr(b'\\', rest) {
        out.extend_from_slice(&rest[..plain]);
        rest = &rest[plain..];
        rest = &rest[decode_one(rest, out)..];
    }
    out.extend_from_slice(rest);
}

/// Adds what the backslash at the start of `rest` and the bytes behind it stand for; how many bytes that were.
fn decode_one(rest: &[u8], out: &mut Vec<u8>) -> usize {
    let byte = match rest.get(1) {
        Some(b'u') => {
            let Some((char, length)) = unicode(rest) else {
                out.extend_from_slice(UNICODE_PREFIX);
                return UNICODE_PREFIX.len();
            };
            out.extend_from_slice(char.encode_utf8(&mut [0; 4]).as_bytes());
            return length;
        }
        Some(b'n') => b'\n',
        Some(b't') => b'\t',
        Some(b'r') => b'\r',
        Some(byte @ (b'"' | b'\\' | b'/')) => *byte,
        _ => {
            out.push(b'\\');
            return 1;
        }
    };
    out.push(byte);
    2
}

/// The character that `\uXXXX`, or two of them as a pair of surrogates, write at the start of `text`, and their length.
fn unicode(text: &[u8]) -> Option<(char, usize)> {
    let first = unit(text)?;
    if !FIRST_OF_PAIR.contains(&first) {
        return Some((char::from_u32(first)?, UNICODE_BYTES));
    }
    let second = unit(&text[UNICODE_BYTES..]).filter(|unit| SECOND_OF_PAIR.contains(unit))?;
    let both = (first - FIRST_OF_PAIR.start) << HALF_BITS | (second - SECOND_OF_PAIR.start);
    Some((char::from_u32(PAIRS_FROM + both)?, 2 * UNICODE_BYTES))
}

/// The number that `\uXXXX` writes at the start of `text`.
fn unit(text: &[u8]) -> Option<u32> {
    let digits = text.get(..UNICODE_BYTES)?.strip_prefix(UNICODE_PREFIX)?;
    digits.iter().try_fold(0, |value, digit| Some(value * HEX + char::from(*digit).to_digit(HEX)?))
}
