//! What belongs to a number besides its digits.

use super::bytes::{byte, byte_before, digits, is_word};

/// Where the number begins whose first digit is at `digit`: at its sign, if it has one at `from` or later.
#[inline(always)]
pub fn start(text: &[u8], from: usize, digit: usize) -> usize {
    let signed =
        digit > from && matches!(text[digit - 1], b'-' | b'+') && may_precede_sign(byte_before(text, digit - 1));
    digit - usize::from(signed)
}

/// Whether a `-` behind this byte is a sign, and not a hyphen, a minus or an arrow.
fn may_precede_sign(byte: u8) -> bool {
    !is_word(byte) && byte.is_ascii() && !matches!(byte, b'-' | b'+' | b'.' | b')' | b']' | b'}' | b'>' | b'%')
}

/// Where the number ends whose digits end at `end`: behind its exponent, if it has one and the word ends with it.
#[inline(always)]
pub fn exponent_end(text: &[u8], end: usize) -> usize {
    if !matches!(byte(text, end), b'e' | b'E') {
        return end;
    }
    let first = end + 1 + usize::from(matches!(byte(text, end + 1), b'-' | b'+'));
    if !byte(text, first).is_ascii_digit() {
        return end;
    }
    let exponent_end = first + digits(text, first);
    if is_word(byte(text, exponent_end)) { end } else { exponent_end }
}
