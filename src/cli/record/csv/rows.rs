//! Where the rows of a block end, and how many fields each has.

use super::masks::{Outside, STRIDE, Scan, lowest};
use super::{CARRIAGE_RETURN, NEWLINE};

/// Adds the end (the position after the newline) of every row of `block` to `ends`, and how many fields each has to
/// `widths`, 0 for a blank line. O(block), no allocation beyond the two.
///
/// The block begins with a row and ends with the end of one. If it does not, because a quote is never closed, what is
/// left is a row as well, so that each byte belongs to one.
///
/// # Panics
/// If `block` is longer than a `u32` can say.
pub fn find_rows(block: &[u8], delimiter: u8, ends: &mut Vec<u32>, widths: &mut Vec<u32>) {
    assert!(u32::try_from(block.len()).is_ok(), "a block of {} bytes", block.len());
    let mut scan = Scan::new(delimiter);
    let mut rows = Rows { block, ends, widths, start: 0, delimiters: 0, delimiters_before: 0 };
    let (chunks, rest) = block.as_chunks::<STRIDE>();
    let mut base = 0;
    for chunk in chunks {
        rows.add(base, scan.read(chunk));
        base += STRIDE as u32;
    }
    rows.add(base, scan.read_short(rest));
    if rows.start < block.len() as u32 {
        rows.push(block.len() as u32, rows.delimiters);
    }
}

/// The rows found so far.
struct Rows<'a> {
    block: &'a [u8],
    ends: &'a mut Vec<u32>,
    widths: &'a mut Vec<u32>,
    /// Where the row begins that has not ended yet.
    start: u32,
    /// All delimiters so far.
    delimiters: u32,
    /// Those before the row that has not ended yet.
    delimiters_before: u32,
}

impl Rows<'_> {
    /// Takes in the chunk at `base`.
    #[inline(always)]
    fn add(&mut self, base: u32, outside: Outside) {
        let mut newlines = outside.newlines;
        while newlines != 0 {
            let before = outside.delimiters & (lowest(newlines) - 1);
            self.push(base + newlines.trailing_zeros() + 1, self.delimiters + before.count_ones());
            newlines &= newlines - 1;
        }
        self.delimiters += outside.delimiters.count_ones();
    }

    /// Adds the row that ends at `end` and has `delimiters` before its end.
    #[inline(always)]
    fn push(&mut self, end: u32, delimiters: u32) {
        let mut width = delimiters - self.delimiters_before + 1;
        if width == 1 && is_blank(&self.block[self.start as usize..end as usize]) {
            width = 0;
        }
        self.ends.push(end);
        self.widths.push(width);
        self.start = end;
        self.delimiters_before = delimiters;
    }
}

/// Whether a row is nothing but its ending.
#[inline(always)]
fn is_blank(row: &[u8]) -> bool {
    matches!(row, [NEWLINE] | [CARRIAGE_RETURN, NEWLINE])
}
