//! How an input says what is to be done with its text.

/// The bytes of an input's first line, one after the other and then again from the first; zeros if it is empty. What
/// follows the line is the text.
///
/// Digits stand for themselves, so that an input can be written by hand.
#[derive(Debug, Clone)]
pub struct Knobs<'a> {
    bytes: &'a [u8],
    next: usize,
}

impl<'a> Knobs<'a> {
    /// The knobs of an input, and its text.
    pub fn split(input: &'a [u8]) -> (Knobs<'a>, &'a [u8]) {
        let end = memchr::memchr(b'\n', input).unwrap_or(input.len());
        let text = input.get(end + 1..).unwrap_or_default();
        (Knobs { bytes: &input[..end], next: 0 }, text)
    }

    pub fn number(&mut self) -> usize {
        let Some(index) = self.next.checked_rem(self.bytes.len()) else { return 0 };
        self.next = index + 1;
        usize::from(self.bytes[index].wrapping_sub(b'0'))
    }

    pub fn flag(&mut self) -> bool {
        self.number() % 2 == 1
    }

    pub fn pick<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.number() % choices.len()]
    }

    /// How many bytes come with the next read.
    pub fn read_bytes(&mut self) -> usize {
        self.number() + 1
    }
}
