//! The fields of a plain line, as awk counts them or between single delimiters.

use std::ops::Range;

/// What stands between fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Separator {
    /// Any run of blanks, tabs and newlines; such a run before the first field is skipped (awk's default).
    Blanks,
    /// Every single one of this byte.
    Byte(u8),
}

const fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n')
}

/// Walks over the fields of `line` from left to right.
pub struct Fields<'a> {
    line: &'a [u8],
    separator: Separator,
    /// Where the next field may begin; beyond the end when there is none.
    next: usize,
}

impl<'a> Fields<'a> {
    #[inline(always)]
    pub fn new(line: &'a [u8], separator: Separator) -> Fields<'a> {
        Fields { line, separator, next: 0 }
    }
}

impl Iterator for Fields<'_> {
    type Item = Range<usize>;

    #[inline(always)]
    fn next(&mut self) -> Option<Range<usize>> {
        let rest = self.line.get(self.next..)?;
        match self.separator {
            Separator::Blanks => {
                let start = self.next + rest.iter().position(|byte| !is_blank(*byte))?;
                let len = memchr::memchr3(b' ', b'\t', b'\n', &self.line[start..]);
                let end = len.map_or(self.line.len(), |len| start + len);
                self.next = end;
                Some(start..end)
            }
            Separator::Byte(delimiter) => {
                let start = self.next;
                let end = memchr::memchr(delimiter, rest).map_or(self.line.len(), |len| start + len);
                self.next = end + 1;
                // As for awk and cut, an empty line has no fields.
                (!self.line.is_empty()).then_some(start..end)
            }
        }
    }
}

/// The `number`th field of `line`, counted from 1.
#[inline(always)]
pub fn field(line: &[u8], number: usize, separator: Separator) -> Option<Range<usize>> {
    Fields::new(line, separator).nth(number - 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn texts(line: &[u8], separator: Separator) -> Vec<&[u8]> {
        Fields::new(line, separator).map(|range| &line[range]).collect()
    }

    #[test]
    fn blanks_separate_as_in_awk() {
        assert_eq!(texts(b"  a \t b c  ", Separator::Blanks), [b"a", b"b", b"c"]);
        assert!(texts(b"", Separator::Blanks).is_empty());
        assert!(texts(b" \t ", Separator::Blanks).is_empty());
        assert_eq!(field(b"a bb", 2, Separator::Blanks), Some(2..4));
        assert_eq!(field(b"a bb", 3, Separator::Blanks), None);
    }

    #[test]
    fn every_delimiter_separates() {
        assert_eq!(texts(b"a,,b,", Separator::Byte(b',')), [&b"a"[..], b"", b"b", b""]);
        assert_eq!(texts(b"a b", Separator::Byte(b',')), [b"a b"]);
        assert!(texts(b"", Separator::Byte(b',')).is_empty());
    }

    proptest! {
        #[test]
        fn a_delimiter_splits_as_the_standard_library_does(line in prop::collection::vec(prop::sample::select(b"a, \t".to_vec()), 1..30)) {
            let expected: Vec<&[u8]> = line.split(|b| *b == b',').collect();
            prop_assert_eq!(texts(&line, Separator::Byte(b',')), expected);
            let expected: Vec<&[u8]> = line.split(|b| is_blank(*b)).filter(|f| !f.is_empty()).collect();
            prop_assert_eq!(texts(&line, Separator::Blanks), expected);
        }
    }
}
