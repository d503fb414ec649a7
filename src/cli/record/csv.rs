//! Rows of delimited text, CSV and TSV, and their columns, as RFC 4180 has them:
//!
//! ```text
//! id,city,note
//! 1,"Paris, Texas","says ""hi""
//! on two lines"
//! 2,Oslo,plain
//! ```
//!
//! - A quote opens a quoted field only as the first byte of a field; in the middle of one it is a byte like any other.
//! - Inside quotes a doubled quote stands for one, delimiters and newlines are text. What follows the closing quote up
//!   to the delimiter is added as it stands, quotes and all: `"a"b` is `ab`.
//! - A row ends at a newline outside quotes. A carriage return right before that newline belongs to the ending; any
//!   other is text.
//! - A blank line is a row without fields; `""` is one with an empty field.
//! - A quote that is never closed takes all that follows.
//!
//! No input is an error: each has exactly one reading, the one most readers give it.
//!
//! Rows are found first, a whole block at a time and 64 bytes to a step ([`find_rows`]); a column is looked for only in
//! the rows where it is wanted. What takes time is to know which newlines are inside quotes; see [`masks`] for that.

mod columns;
mod cutter;
mod masks;
mod rows;

pub use columns::*;
pub use cutter::Cutter;
pub use rows::find_rows;

const QUOTE: u8 = b'"';
const NEWLINE: u8 = b'\n';
const CARRIAGE_RETURN: u8 = b'\r';

/// Adds `value` to `line` as a field, in quotes if it cannot do without.
///
/// An empty value stays empty: alone in a row it would read as a blank line, which only the caller can see.
pub fn push_field(line: &mut Vec<u8>, value: &[u8], delimiter: u8) {
    let needs_quotes = |byte: &u8| matches!(*byte, QUOTE | NEWLINE | CARRIAGE_RETURN) || *byte == delimiter;
    if !value.iter().any(needs_quotes) {
        line.extend_from_slice(value);
        return;
    }
    line.push(QUOTE);
    let mut rest = value;
    while let Some(quote) = memchr::memchr(QUOTE, rest) {
        line.extend_from_slice(&rest[..=quote]);
        line.push(QUOTE);
        rest = &rest[quote + 1..];
    }
    line.extend_from_slice(rest);
    line.push(QUOTE);
}

#[cfg(test)]
mod tests;
