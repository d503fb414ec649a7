//! Where the bytes stand that mean something to logfmt: found 64 at a time, for its names and values are so short that
//! a search for each of their ends would take longer than the comparing.

use grudge::lines::equal_bytes;

/// Bytes looked at together: one bit each of a word.
const STRIDE: usize = u64::BITS as usize;

/// The marks of one record, asked for from left to right.
pub(super) struct Marks<'a> {
    record: &'a [u8],
    /// Where the bytes begin that the masks tell of.
    base: usize,
    blanks: u64,
    equals: u64,
    /// Quotes and backslashes.
    quotes: u64,
}

impl<'a> Marks<'a> {
    #[inline(always)]
    pub(super) fn new(record: &'a [u8]) -> Marks<'a> {
        let mut marks = Marks { record, base: 0, blanks: 0, equals: 0, quotes: 0 };
        marks.look_at(0);
        marks
    }

    #[inline(always)]
    pub(super) fn record(&self) -> &'a [u8] {
        self.record
    }

    /// The first blank or `=` at `from` or later; the record's end if there is none.
    #[inline(always)]
    pub(super) fn name_end(&mut self, from: usize) -> usize {
        self.find(from, |marks| marks.blanks | marks.equals)
    }

    /// The first blank at `from` or later; the record's end if there is none.
    #[inline(always)]
    pub(super) fn blank(&mut self, from: usize) -> usize {
        self.find(from, |marks| marks.blanks)
    }

    /// The first quote or backslash at `from` or later; the record's end if there is none.
    #[inline(always)]
    pub(super) fn quote_or_backslash(&mut self, from: usize) -> usize {
        self.find(from, |marks| marks.quotes)
    }

    /// The first byte at `from` or later that `mask` has, where `from` is never before the stride looked at last.
    #[inline(always)]
    fn find(&mut self, from: usize, mask: impl Fn(&Self) -> u64) -> usize {
        let mut from = from;
        while from < self.record.len() {
            if from - self.base >= STRIDE {
                self.look_at(from - from % STRIDE);
            }
            let offset = from - self.base;
            let rest = mask(self) >> offset;
            if rest != 0 {
                return from + rest.trailing_zeros() as usize;
            }
            from = self.base + STRIDE;
        }
        self.record.len()
    }

    /// Takes the masks of the stride at `base`. Behind the record's end is nothing that has a mark.
    #[inline(always)]
    fn look_at(&mut self, base: usize) {
        let rest = self.record.get(base..).unwrap_or_default();
        let mut copy = [0; STRIDE];
        let stride = rest.first_chunk().unwrap_or_else(|| {
            copy[..rest.len()].copy_from_slice(rest);
            &copy
        });
        let is = |byte| equal_bytes(stride, byte);
        self.base = base;
        self.blanks = is(b' ') | is(b'\t') | is(b'\n') | is(b'\r');
        self.equals = is(b'=');
        self.quotes = is(b'"') | is(b'\\');
    }
}
