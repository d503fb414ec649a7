//! Which newlines and delimiters are outside quotes, 64 bytes at a time.
//!
//! A chunk becomes three masks of 64 bits: its newlines, its delimiters, its quotes. If every quote opened or closed a
//! field, a byte would be inside quotes exactly when the number of quotes up to it is odd, which six shifts tell for
//! all 64 at once. A doubled quote closes and opens again, so it needs no care. And what is wrong with a quote shows at
//! once:
//!
//! ```text
//! bytes       a,"b,c",d"e,f
//! inside        ____   ____   odd number of quotes so far
//! openings      "      "      the first follows a delimiter, the second does not: it is text
//! ```
//!
//! An opening quote must follow a delimiter, a newline or a closing quote. The first one that does not is in an
//! unquoted part of a field, so it is text, as are all quotes from there to the field's end: they are taken from the
//! mask, and the rest is reckoned again. That is exact for any input, and each round takes away at least one quote of
//! 64, so the time is linear.

use super::{NEWLINE, QUOTE};
use grudge::lines::equal_bytes;

/// Bytes looked at together: one bit each of a word.
pub const STRIDE: usize = u64::BITS as usize;

/// The number of a word's last bit.
const LAST_BIT: u32 = u64::BITS - 1;

/// What of a chunk stands outside quotes: one bit a byte, the first byte's lowest.
#[derive(Debug, Clone, Copy)]
pub struct Outside {
    pub newlines: u64,
    pub delimiters: u64,
}

/// Goes over text chunk by chunk and keeps whether it is inside quotes.
#[derive(Debug, Clone)]
pub struct Scan {
    delimiter: u8,
    /// All ones inside quotes, else zero.
    inside: u64,
    /// 1 where a quote would be an opening one if it came next, else 0. Means nothing inside quotes.
    may_open: u64,
}

impl Scan {
    /// A scan that begins at the start of a row.
    pub fn new(delimiter: u8) -> Scan {
        Scan { delimiter, inside: 0, may_open: 1 }
    }

    pub fn restart(&mut self) {
        *self = Scan::new(self.delimiter);
    }

    pub fn is_inside(&self) -> bool {
        self.inside != 0
    }

    /// Reads the next chunk.
    #[inline(always)]
    pub fn read(&mut self, chunk: &[u8; STRIDE]) -> Outside {
        self.read_masks(chunk, u64::MAX, LAST_BIT)
    }

    /// Reads what is left behind the last whole chunk, which may be nothing.
    pub fn read_short(&mut self, rest: &[u8]) -> Outside {
        let Some(last) = rest.len().checked_sub(1) else { return Outside { newlines: 0, delimiters: 0 } };
        let mut chunk = [0; STRIDE];
        chunk[..rest.len()].copy_from_slice(rest);
        self.read_masks(&chunk, (1 << rest.len()) - 1, last as u32)
    }

    /// Passes over text without quotes, outside of quotes.
    pub fn pass(&mut self, text: &[u8]) {
        if let Some(last) = text.last() {
            self.may_open = u64::from(*last == NEWLINE || *last == self.delimiter);
        }
    }

    /// Reads the bytes of `chunk` that are `valid`, up to the one with the number `last`.
    #[inline(always)]
    fn read_masks(&mut self, chunk: &[u8; STRIDE], valid: u64, last: u32) -> Outside {
        let [newlines, delimiters, quotes] =
            [NEWLINE, self.delimiter, QUOTE].map(|byte| equal_bytes(chunk, byte) & valid);
        let separators = newlines | delimiters;
        if quotes == 0 && self.inside == 0 {
            self.may_open = separators >> last & 1;
            return Outside { newlines, delimiters };
        }
        let inside = self.read_quotes(separators, quotes, last);
        Outside { newlines: newlines & !inside, delimiters: delimiters & !inside }
    }

    /// Which bytes are inside quotes, an opening quote included and a closing one not.
    #[inline(always)]
    fn read_quotes(&mut self, separators: u64, mut quotes: u64, last: u32) -> u64 {
        loop {
            let inside = up_to_each(quotes) ^ self.inside;
            let may_open = (separators | quotes) << 1 | self.may_open;
            let wrong = quotes & inside & !may_open;
            if wrong == 0 {
                self.inside = (inside >> last & 1).wrapping_neg();
                self.may_open = (separators | quotes) >> last & 1;
                return inside;
            }
            quotes = without_text(separators, quotes, wrong);
        }
    }
}

/// The quotes without the first `wrong` one and those behind it in the same field.
#[cold]
fn without_text(separators: u64, quotes: u64, wrong: u64) -> u64 {
    let before = lowest(wrong) - 1;
    let end = lowest(separators & !before & !lowest(wrong));
    // Where the field does not end here, this is all that follows.
    let before_end = end.wrapping_sub(1);
    quotes & (before | !before_end)
}

/// The lowest bit that is set, if there is one.
#[inline(always)]
pub fn lowest(mask: u64) -> u64 {
    mask & mask.wrapping_neg()
}

/// Each bit tells whether the number of bits set in `mask` up to it, itself included, is odd.
#[inline(always)]
fn up_to_each(mask: u64) -> u64 {
    let mut odd = mask;
    let mut reach = 1;
    while reach < u64::BITS {
        odd ^= odd << reach;
        reach *= 2;
    }
    odd
}
