//! A view of one text that remembers how far it was looked at.
//!
//! Every reader of this folder takes its bytes through [`Text`], so the position behind the last byte that had a say in
//! the answer (`seen`) is known by construction. Two texts that agree up to there must get the same answer, and that is
//! what lets the memo skip a parse.

/// The bytes of a line or of a field, and how far they were examined.
///
/// The methods are always inlined, so that on the common way `seen` never leaves its register.
pub(super) struct Text<'a> {
    bytes: &'a [u8],
    seen: usize,
    /// The whole text must be the stamp (a field the user named), not only its start.
    pub(super) whole: bool,
    /// A zone's name was met that cannot be read.
    zone_is_unknown: bool,
}

impl<'a> Text<'a> {
    #[inline(always)]
    pub(super) fn new(bytes: &'a [u8], whole: bool) -> Text<'a> {
        Text { bytes, seen: 0, whole, zone_is_unknown: false }
    }

    #[inline(always)]
    pub(super) fn len(&self) -> usize {
        self.bytes.len()
    }

    /// The position behind the last byte examined; more than [`Text::len`] once the end itself had a say.
    #[inline(always)]
    pub(super) fn seen(&self) -> usize {
        self.seen
    }

    /// A zone's name stands here that cannot be read, so that there is no stamp.
    #[inline(always)]
    pub(super) fn miss_zone(&mut self) {
        self.zone_is_unknown = true;
    }

    /// Whether one was met.
    pub(super) fn zone_is_unknown(&self) -> bool {
        self.zone_is_unknown
    }

    /// The byte at `at`, or nothing behind the end.
    #[inline(always)]
    pub(super) fn byte(&mut self, at: usize) -> Option<u8> {
        self.seen = self.seen.max(at + 1);
        self.bytes.get(at).copied()
    }

    /// The `N` bytes from `at`, if there are so many.
    #[inline(always)]
    pub(super) fn block<const N: usize>(&mut self, at: usize) -> Option<&'a [u8; N]> {
        self.seen = self.seen.max(at + N);
        self.bytes.get(at..)?.first_chunk()
    }

    /// Everything from `at` to the end: all of it, and where it ends, counts as seen.
    pub(super) fn rest(&mut self, at: usize) -> &'a [u8] {
        self.seen = self.bytes.len() + 1;
        self.bytes.get(at..).unwrap_or_default()
    }

    /// Whether `wanted` stands at `at`.
    #[inline(always)]
    pub(super) fn has(&mut self, at: usize, wanted: u8) -> bool {
        self.byte(at) == Some(wanted)
    }

    /// The digit at `at`, as a number.
    #[inline(always)]
    pub(super) fn digit(&mut self, at: usize) -> Option<u32> {
        let value = self.byte(at)?.wrapping_sub(b'0');
        (value <= 9).then_some(u32::from(value))
    }

    /// The number that the `N` digits at `at` write.
    #[inline(always)]
    pub(super) fn number<const N: usize>(&mut self, at: usize) -> Option<u32> {
        let mut value = 0;
        for &byte in self.block::<N>(at)? {
            let digit = byte.wrapping_sub(b'0');
            if digit > 9 {
                return None;
            }
            value = value * 10 + u32::from(digit);
        }
        Some(value)
    }

    /// How many digits stand in a row from `at`, counted up to `most`.
    #[inline(always)]
    pub(super) fn digits(&mut self, at: usize, most: usize) -> usize {
        let from = self.bytes.get(at..).unwrap_or_default();
        let count = from.iter().take(most).take_while(|byte| byte.is_ascii_digit()).count();
        // The byte that ended the digits was looked at too.
        self.seen = self.seen.max(at + count + usize::from(count < most));
        count
    }

    /// Whether a word may end before `at`: the end of the text, or a byte that cannot go on with a word or number.
    #[inline(always)]
    pub(super) fn breaks(&mut self, at: usize) -> bool {
        self.byte(at).is_none_or(|byte| !byte.is_ascii_alphanumeric() && byte != b'_')
    }
}

/// Blanks that may stand around a stamp. NUL is one of them: a log cut by copytruncate starts with a run of NULs, which
/// must not hide the time behind it.
pub(super) fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n' | 0)
}

/// What may open a bracketed or quoted stamp.
pub(super) fn opens(byte: u8) -> bool {
    matches!(byte, b'[' | b'(' | b'"' | b'\'')
}

/// What may close one.
pub(super) fn closes(byte: u8) -> bool {
    matches!(byte, b']' | b')' | b'"' | b'\'')
}

/// A field without the blanks, brackets and quotes around it, nor the punctuation that follows a stamp in a line that
/// was cut at blanks (`2016-12-16T14:31:29.123+0000:`).
pub(super) fn trim_field(text: &[u8]) -> &[u8] {
    let start = text.iter().position(|&byte| !is_blank(byte) && !opens(byte)).unwrap_or(text.len());
    let inner = &text[start..];
    let trailing = |byte: u8| is_blank(byte) || closes(byte) || matches!(byte, b':' | b',' | b';');
    let end = inner.iter().rposition(|&byte| !trailing(byte)).map_or(0, |last| last + 1);
    &inner[..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_seen_covers_every_byte_that_was_asked_for() {
        let mut text = Text::new(b"12:34", false);
        assert_eq!((text.number::<2>(0), text.seen()), (Some(12), 2));
        assert_eq!((text.byte(2), text.seen()), (Some(b':'), 3));
        assert_eq!((text.digits(3, 9), text.seen()), (2, 6), "the end of the text ended the digits, so it was seen");
        assert_eq!(text.block::<9>(0), None);
        assert_eq!(text.seen(), 9);
        assert!(text.breaks(5) && !text.breaks(4));
    }

    #[test]
    fn a_field_is_bared_of_what_stands_around_it() {
        let cases: [(&[u8], &[u8]); 8] = [
            (b"", b""),
            (b" \t\0", b""),
            (b"[\"", b""),
            (b"[17/May/2015:10:05:03", b"17/May/2015:10:05:03"),
            (b"\"-5\"\r", b"-5"),
            (b"('x y')", b"x y"),
            (b"29.123+0000:", b"29.123+0000"),
            (b"]", b""),
        ];
        for (field, bare) in cases {
            assert_eq!(trim_field(field), bare, "{}", field.escape_ascii());
        }
    }
}
