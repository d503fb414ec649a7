//! The columns of one row.

use super::super::found::{Found, Place};
use super::QUOTE;
use super::masks::STRIDE;
use grudge::lines::equal_bytes;
use memchr::memchr;

/// Finds the columns at `wanted` (counted from 0, in any order, some perhaps twice) of `row`, which comes without its
/// ending: `found.places` are in the order of `wanted`.
#[inline]
pub fn columns(row: &[u8], delimiter: u8, wanted: &[usize], found: &mut Found) {
    found.restart(wanted.len());
    let mut fields = Fields::new(row, delimiter);
    // Ascending columns, the usual case, are gone over once, however many they are.
    let ascending = wanted.is_sorted();
    let (mut first_open, mut passed) = (0, 0);
    let mut next = wanted.iter().min().copied();
    while let Some(index) = next {
        let Some(field) = fields.skip_to(index - passed) else { return };
        let place = field.place(row, &mut found.scratch);
        passed = index + 1;
        next = None;
        for (slot, other) in wanted.iter().copied().enumerate().skip(first_open) {
            if other == index {
                found.places[slot] = Some(place.clone());
                first_open += usize::from(ascending);
            } else if other > index {
                next = Some(next.map_or(other, |next| next.min(other)));
                if ascending {
                    break;
                }
            }
        }
    }
}

/// One column, counted from 0, of `row`, which comes without its ending; looks no further than where it ends. Its text,
/// if it is decoded, is in `scratch`, which is cleared before.
#[inline]
pub fn column(row: &[u8], delimiter: u8, index: usize, scratch: &mut Vec<u8>) -> Option<Place> {
    scratch.clear();
    let field = Fields::new(row, delimiter).skip_to(index)?;
    Some(field.place(row, scratch))
}

/// The names in a header row, which comes without its ending.
pub fn header(row: &[u8], delimiter: u8) -> Vec<Vec<u8>> {
    let mut scratch = Vec::new();
    let name = |field: Field| {
        scratch.clear();
        let place = field.place(row, &mut scratch);
        place.decoded.map_or(&row[place.raw], |range| &scratch[range]).to_vec()
    };
    Fields::new(row, delimiter).map(name).collect()
}

/// A field, not decoded yet.
#[derive(Clone, Copy)]
struct Field {
    start: usize,
    end: usize,
    /// Whether it begins with a quote; if not, what follows means nothing.
    quoted: bool,
    /// Where the closing quote is, or the field's end if there is none.
    close: usize,
    /// Whether there are doubled quotes before it.
    doubled: bool,
}

impl Field {
    /// Where the text is; where none of the row's own bytes are the text, it is added to `scratch`.
    #[inline(always)]
    fn place(self, row: &[u8], scratch: &mut Vec<u8>) -> Place {
        let Field { start, end, quoted, close, doubled } = self;
        let extent = start..end;
        if !quoted {
            return Place::plain(extent);
        }
        let is_last = close + 1 >= end;
        let raw = if is_last { start + 1..close } else { extent.clone() };
        let decoded = (doubled || !is_last).then(|| {
            let from = scratch.len();
            push_undoubled(&row[start + 1..close], scratch);
            scratch.extend_from_slice(row.get(close + 1..end).unwrap_or_default());
            from..scratch.len()
        });
        Place { raw, decoded, extent }
    }
}

/// Adds `text`, in which all quotes are doubled, with single ones.
fn push_undoubled(text: &[u8], scratch: &mut Vec<u8>) {
    let mut rest = text;
    while let Some(quote) = memchr(QUOTE, rest) {
        scratch.extend_from_slice(&rest[..=quote]);
        rest = rest.get(quote + 2..).unwrap_or_default();
    }
    scratch.extend_from_slice(rest);
}

/// Walks over the fields of a row from left to right.
struct Fields<'a> {
    row: &'a [u8],
    delimiters: Marks,
    quotes: Marks,
    /// Where the next field begins; beyond the end when there is none.
    next: usize,
}

impl<'a> Fields<'a> {
    #[inline(always)]
    fn new(row: &'a [u8], delimiter: u8) -> Fields<'a> {
        // A blank line has no field, not even an empty one.
        let next = usize::from(row.is_empty());
        Fields { row, delimiters: Marks::new(delimiter), quotes: Marks::new(QUOTE), next }
    }

    /// The field with this number, counted from the next one on.
    #[inline(always)]
    fn skip_to(&mut self, number: usize) -> Option<Field> {
        for _ in 0..number {
            self.next()?;
        }
        self.next()
    }

    /// The field that begins with a quote at `start`.
    #[inline(always)]
    fn quoted(&mut self, start: usize) -> Field {
        let mut doubled = false;
        let mut from = start + 1;
        loop {
            let Some(close) = self.quotes.next(self.row, from) else {
                let end = self.row.len();
                return Field { start, end, quoted: true, close: end, doubled };
            };
            if self.row.get(close + 1) == Some(&QUOTE) {
                doubled = true;
                from = close + 2;
                continue;
            }
            let end = match self.row.get(close + 1) {
                Some(byte) if *byte == self.delimiters.byte => close + 1,
                _ => self.end(close + 1),
            };
            return Field { start, end, quoted: true, close, doubled };
        }
    }

    /// The first delimiter from `from` on, or the row's end.
    #[inline(always)]
    fn end(&mut self, from: usize) -> usize {
        self.delimiters.next(self.row, from).unwrap_or(self.row.len())
    }
}

impl Iterator for Fields<'_> {
    type Item = Field;

    #[inline(always)]
    fn next(&mut self) -> Option<Field> {
        let start = self.next;
        let field = match self.row.get(start) {
            Some(&QUOTE) => self.quoted(start),
            Some(_) => Field { start, end: self.end(start), quoted: false, close: 0, doubled: false },
            // Empty, behind the last delimiter.
            None if start == self.row.len() => Field { start, end: start, quoted: false, close: 0, doubled: false },
            None => return None,
        };
        self.next = field.end + 1;
        Some(field)
    }
}

/// Where a byte stands in a row: 64 bytes are compared at once, since fields are often shorter than it takes to begin a
/// search anew.
struct Marks {
    byte: u8,
    /// Which bytes of the row are known, and one bit for each.
    start: usize,
    end: usize,
    bits: u64,
}

impl Marks {
    #[inline(always)]
    fn new(byte: u8) -> Marks {
        Marks { byte, start: 0, end: 0, bits: 0 }
    }

    /// The first one at or behind `from`, which is never less than in a call before.
    #[inline(always)]
    fn next(&mut self, row: &[u8], mut from: usize) -> Option<usize> {
        while from < row.len() {
            if from >= self.end {
                let Some(last) = row.last_chunk::<STRIDE>() else {
                    return memchr(self.byte, &row[from..]).map(|len| from + len);
                };
                // Near the row's end the chunk begins before `from`.
                let chunk = row[from..].first_chunk::<STRIDE>();
                self.start = if chunk.is_some() { from } else { row.len() - STRIDE };
                self.end = self.start + STRIDE;
                self.bits = equal_bytes(chunk.unwrap_or(last), self.byte);
            }
            let bits = self.bits >> (from - self.start);
            if bits != 0 {
                return Some(from + bits.trailing_zeros() as usize);
            }
            from = self.end;
        }
        None
    }
}
