//! Cuts a stream into whole rows, whatever the pieces are in which it arrives.

use super::masks::{STRIDE, Scan};
use super::{NEWLINE, QUOTE};
use memchr::{memchr, memrchr};

/// Finds where the last whole row ends of what has arrived so far, looking at each byte once.
///
/// One thread does this before the blocks are handed to many, so it looks for as little as it can: where no quote is,
/// for the last newline alone.
#[derive(Debug, Clone)]
pub struct Cutter {
    scan: Scan,
    /// How many bytes have been looked at.
    looked: usize,
    /// The end of the last whole row, 0 for none.
    end: usize,
}

impl Cutter {
    /// For a stream that begins at a row's start.
    pub fn new(delimiter: u8) -> Cutter {
        Cutter { scan: Scan::new(delimiter), looked: 0, end: 0 }
    }

    /// Forgets what was looked at: what is held next begins at a row's start.
    ///
    /// To be called when whole rows were taken away. What was behind them is looked at once more: less than a row.
    pub fn restart(&mut self) {
        self.scan.restart();
        (self.looked, self.end) = (0, 0);
    }

    /// The end of the last whole row of `held`, if any. `held` begins at a row's start and has grown at its end since
    /// the last call.
    pub fn whole(&mut self, held: &[u8]) -> Option<usize> {
        if held.len() < self.looked {
            self.restart();
        }
        if let Some(end) = self.last_end(&held[self.looked..]) {
            self.end = self.looked + end;
        }
        self.looked = held.len();
        (self.end > 0).then_some(self.end)
    }

    /// The end of the first whole row of `held`, which begins at its start. A blank line is one.
    pub fn first(held: &[u8], delimiter: u8) -> Option<usize> {
        Cutter::new(delimiter).rest_of_row(held)
    }

    /// Where in `more`, which follows the bytes looked at, the row ends that they end in: for a row too long to be held.
    /// May be called again with what follows `more`, until the end is found; then comes [`Cutter::restart`].
    pub fn rest_of_row(&mut self, more: &[u8]) -> Option<usize> {
        let (chunks, rest) = more.as_chunks::<STRIDE>();
        let first = |newlines: u64, base| (newlines != 0).then(|| base + newlines.trailing_zeros() as usize + 1);
        for (index, chunk) in chunks.iter().enumerate() {
            let end = first(self.scan.read(chunk).newlines, index * STRIDE);
            if end.is_some() {
                return end;
            }
        }
        first(self.scan.read_short(rest).newlines, more.len() - rest.len())
    }

    /// Whether the bytes looked at so far end inside a quoted field.
    pub fn is_inside_quotes(&self) -> bool {
        self.scan.is_inside()
    }

    /// The end of the last whole row in bytes that have not been looked at.
    fn last_end(&mut self, fresh: &[u8]) -> Option<usize> {
        let plain_len = if self.scan.is_inside() { 0 } else { memchr(QUOTE, fresh).unwrap_or(fresh.len()) };
        let (plain, quoted) = fresh.split_at(plain_len);
        self.scan.pass(plain);
        let end = self.last_end_among_quotes(quoted).map(|end| plain_len + end);
        end.or_else(|| memrchr(NEWLINE, plain).map(|newline| newline + 1))
    }

    fn last_end_among_quotes(&mut self, fresh: &[u8]) -> Option<usize> {
        let (chunks, rest) = fresh.as_chunks::<STRIDE>();
        // The last chunk with a newline outside quotes, and its newlines.
        let mut found = (0, 0);
        for (index, chunk) in chunks.iter().enumerate() {
            let newlines = self.scan.read(chunk).newlines;
            if newlines != 0 {
                found = (index, newlines);
            }
        }
        let newlines = self.scan.read_short(rest).newlines;
        if newlines != 0 {
            found = (chunks.len(), newlines);
        }
        let (index, newlines) = found;
        newlines.checked_ilog2().map(|last| index * STRIDE + last as usize + 1)
    }
}
