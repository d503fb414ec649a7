//! Quoted text and the queries of URLs.

use super::bytes::{byte, byte_before, is_word};
use super::{Mask, Part};
use memchr::memchr2;

/// What is between the quote at `open` and the next one, both included.
///
/// Of each kind of quote at most one opens without an end, so a text is searched in vain no more than twice.
pub fn quoted(text: &[u8], open: usize) -> Option<Part> {
    let quote = text[open];
    let before = byte_before(text, open);
    if before == b'\\' || (quote == b'\'' && ends_word(before)) {
        return None;
    }
    let mut at = open + 1;
    loop {
        let found = at + memchr2(quote, b'\\', text.get(at..)?)?;
        if text[found] == b'\\' {
            at = found + 2;
        } else if quote == b'\'' && ends_word(text[found - 1]) && begins_word(byte(text, found + 1)) {
            at = found + 1;
        } else {
            return Some(Part { range: open..found + 1, mask: Mask::Quoted });
        }
    }
}

/// A letter or a digit, or the end of a placeholder that stands where one was.
fn ends_word(byte: u8) -> bool {
    is_word(byte) || byte == b'>'
}

/// A letter or a digit, or the beginning of a placeholder that stands where one was.
fn begins_word(byte: u8) -> bool {
    is_word(byte) || byte == b'<'
}

/// What follows the `?` at `mark`.
pub fn query(text: &[u8], mark: usize) -> Option<Part> {
    let len = text[mark + 1..].iter().take_while(|byte| is_of_query(**byte)).count();
    (len > 0).then(|| Part { range: mark + 1..mark + 1 + len, mask: Mask::Query })
}

fn is_of_query(byte: u8) -> bool {
    byte > b' ' && !matches!(byte, b'"' | b'\'' | b'#' | b'\\' | b'<' | b'>')
}
