//! The text of strings: their escapes read and written, and values written in the one way that is compared.

use super::Broken;
use memchr::{memchr, memchr2};
use std::ops::RangeInclusive;

/// The lowest byte that may stand in a string as it is.
pub const FIRST_PRINTABLE: u8 = 0x20;

/// The halves that `\u` escapes write characters beyond 16 bits with: one of the first, then one of the second.
const HIGH_HALVES: RangeInclusive<u32> = 0xD800..=0xDBFF;
const LOW_HALVES: RangeInclusive<u32> = 0xDC00..=0xDFFF;
/// The first character that is written in two halves, and the bits of it that the second half has.
const FIRST_IN_HALVES: u32 = 0x1_0000;
const LOW_HALF_BITS: u32 = 10;
/// `\u`, and the digits behind it.
const UNICODE_ESCAPE: &[u8] = b"\\u";
const HEX_DIGITS: usize = 4;
const HEX: u32 = 16;

/// Whether the escapes of a string are right; `raw` is what stands between its quotes.
pub fn check_escapes(raw: &[u8]) -> Result<(), Broken> {
    let mut at = 0;
    while let Some(len) = memchr(b'\\', &raw[at..]) {
        at += len;
        at += read_escape(&raw[at..])?.1;
    }
    Ok(())
}

/// Bytes of the longest character in UTF-8.
const LONGEST_CHAR: usize = 4;

/// Adds the text of a string whose escapes have been checked.
pub fn unescape(raw: &[u8], text: &mut Vec<u8>) {
    let mut at = 0;
    while let Some(len) = memchr(b'\\', &raw[at..]) {
        text.extend_from_slice(&raw[at..at + len]);
        at += len;
        let Ok((char, len)) = read_escape(&raw[at..]) else { break };
        text.extend_from_slice(char.encode_utf8(&mut [0; LONGEST_CHAR]).as_bytes());
        at += len;
    }
    text.extend_from_slice(&raw[at..]);
}

/// The text of a string that may have wrong escapes.
pub fn unescape_checked(raw: &[u8]) -> Option<Vec<u8>> {
    check_escapes(raw).ok()?;
    let mut text = Vec::new();
    unescape(raw, &mut text);
    Some(text)
}

/// The character that the escape at the start of `text` stands for, and the length of the escape.
fn read_escape(text: &[u8]) -> Result<(char, usize), Broken> {
    let char = match text.get(1).ok_or(Broken::CutShort)? {
        b'"' => '"',
        b'\\' => '\\',
        b'/' => '/',
        b'b' => '\u{8}',
        b'f' => '\u{c}',
        b'n' => '\n',
        b'r' => '\r',
        b't' => '\t',
        b'u' => return read_unicode(text),
        _ => return Err(Broken::NotJson),
    };
    Ok((char, 2))
}

fn read_unicode(text: &[u8]) -> Result<(char, usize), Broken> {
    let (code, len) = (hex(text)?, UNICODE_ESCAPE.len() + HEX_DIGITS);
    if let Some(char) = char::from_u32(code) {
        return Ok((char, len));
    }
    let second = &text[len..];
    if !HIGH_HALVES.contains(&code) || !second.starts_with(UNICODE_ESCAPE) {
        return Err(Broken::LoneSurrogate);
    }
    let low = hex(second)?;
    if !LOW_HALVES.contains(&low) {
        return Err(Broken::LoneSurrogate);
    }
    let high_bits = (code - HIGH_HALVES.start()) << LOW_HALF_BITS;
    let char = char::from_u32(FIRST_IN_HALVES + high_bits + (low - LOW_HALVES.start())).ok_or(Broken::LoneSurrogate)?;
    Ok((char, 2 * len))
}

/// The number in the `\u` escape at the start of `text`.
fn hex(text: &[u8]) -> Result<u32, Broken> {
    let digits = text.get(UNICODE_ESCAPE.len()..UNICODE_ESCAPE.len() + HEX_DIGITS).ok_or(Broken::NotJson)?;
    let add = |code: u32, digit: &u8| Some(code * HEX + char::from(*digit).to_digit(HEX)?);
    digits.iter().try_fold(0, add).ok_or(Broken::NotJson)
}

/// Adds `text` as a string in quotes, with no more escapes than it needs.
pub fn escape(text: &[u8], out: &mut Vec<u8>) {
    out.push(b'"');
    for byte in text {
        match byte {
            b'"' => out.extend_from_slice(b"\\\""),
            b'\\' => out.extend_from_slice(b"\\\\"),
            b'\n' => out.extend_from_slice(b"\\n"),
            b'\r' => out.extend_from_slice(b"\\r"),
            b'\t' => out.extend_from_slice(b"\\t"),
            0x08 => out.extend_from_slice(b"\\b"),
            0x0c => out.extend_from_slice(b"\\f"),
            0..FIRST_PRINTABLE => out.extend_from_slice(format!("\\u{byte:04x}").as_bytes()),
            _ => out.push(*byte),
        }
    }
    out.push(b'"');
}

/// Adds a value that has been checked without blanks between its parts and without needless escapes.
///
/// `buffer` is for what is in between; it is emptied.
pub fn canonical(value: &[u8], buffer: &mut Vec<u8>, out: &mut Vec<u8>) {
    let mut at = 0;
    while let Some(byte) = value.get(at) {
        at += 1;
        match byte {
            b' ' | b'\t' | b'\n' | b'\r' => {}
            b'"' => {
                let close = at + string_len(&value[at..]);
                canonical_string(&value[at..close], buffer, out);
                at = (close + 1).min(value.len());
            }
            byte => out.push(*byte),
        }
    }
}

/// Adds a string in quotes without needless escapes; `raw` is what stands between its quotes.
pub fn canonical_string(raw: &[u8], buffer: &mut Vec<u8>, out: &mut Vec<u8>) {
    if memchr(b'\\', raw).is_none() {
        out.push(b'"');
        out.extend_from_slice(raw);
        out.push(b'"');
        return;
    }
    buffer.clear();
    unescape(raw, buffer);
    escape(buffer, out);
}

/// The length of the string whose opening quote stands just before `text`.
fn string_len(text: &[u8]) -> usize {
    let mut at = 0;
    while let Some(len) = memchr2(b'"', b'\\', text.get(at..).unwrap_or_default()) {
        at += len;
        if text[at] == b'"' {
            return at;
        }
        at += 2;
    }
    text.len()
}
