//! Sixty-four bytes at once: which of them are inside strings.

use super::text::FIRST_PRINTABLE;
use grudge::lines::equal_bytes;

/// Bytes looked at together: one bit each of a word.
pub const STRIDE: usize = u64::BITS as usize;

/// Every other bit, the lowest among them.
const EVEN: u64 = u64::MAX / 3;

/// What a stride has, one bit a byte, the first byte's lowest.
#[derive(Debug)]
pub struct Masks {
    pub quotes: u64,
    pub backslashes: u64,
    pub controls: u64,
}

impl Masks {
    #[inline(always)]
    pub fn new(stride: &[u8; STRIDE]) -> Masks {
        // Nothing is left of a control character, and of nothing else.
        let above = stride.map(|byte| byte.saturating_sub(FIRST_PRINTABLE - 1));
        Masks {
            quotes: equal_bytes(stride, b'"'),
            backslashes: equal_bytes(stride, b'\\'),
            controls: equal_bytes(&above, 0),
        }
    }

    /// Those of the last `len` bytes of `text`, which are less than a stride.
    #[inline]
    pub fn of_tail(text: &[u8], len: usize) -> Masks {
        let beyond = STRIDE - len;
        if let Some(stride) = text.last_chunk() {
            let Masks { quotes, backslashes, controls } = Masks::new(stride);
            return Masks {
                quotes: quotes >> beyond,
                backslashes: backslashes >> beyond,
                controls: controls >> beyond,
            };
        }
        let mut stride = [b' '; STRIDE];
        stride[..len].copy_from_slice(&text[text.len() - len..]);
        Masks::new(&stride)
    }
}

/// What goes on from one stride to the next.
#[derive(Debug, Clone, Copy, Default)]
pub struct Strings {
    /// Whether the next byte is escaped: 0 or 1.
    pub escaped: u64,
    /// Whether the next byte is inside a string: no bit or all of them.
    pub inside: u64,
}

impl Strings {
    /// The quotes of the next stride that open or close a string, and which bytes are inside one (the opening quotes
    /// among them, the closing ones not).
    #[inline(always)]
    pub fn read(&mut self, masks: &Masks) -> (u64, u64) {
        let quotes = masks.quotes & !self.read_escapes(masks.backslashes);
        let inside = up_to_each(quotes) ^ self.inside;
        self.inside = 0u64.wrapping_sub(inside >> (u64::BITS - 1));
        (quotes, inside)
    }

    /// Which bytes of the next stride are escaped: those behind an odd number of backslashes.
    #[inline(always)]
    fn read_escapes(&mut self, backslashes: u64) -> u64 {
        if backslashes == 0 {
            return std::mem::take(&mut self.escaped);
        }
        // A backslash that is itself escaped begins nothing.
        let backslashes = backslashes & !self.escaped;
        let behind = backslashes << 1 | self.escaped;
        // Adding a run's first bit to it leaves a bit behind its end. For runs that begin at an odd place, it is the even
        // bits behind them that tell an odd length.
        let odd_starts = backslashes & !EVEN & !behind;
        let (behind_odd, overflows) = odd_starts.overflowing_add(backslashes);
        self.escaped = u64::from(overflows);
        (EVEN ^ behind_odd << 1) & behind
    }
}

/// For each bit, whether an odd number of bits is set up to it.
#[inline(always)]
fn up_to_each(mut bits: u64) -> u64 {
    bits ^= bits << 1;
    bits ^= bits << 2;
    bits ^= bits << 4;
    bits ^= bits << 8;
    bits ^= bits << 16;
    bits ^ bits << 32
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use proptest::sample::select;

    proptest! {
        #[test]
        fn strings_are_those_that_a_look_at_each_byte_finds(
            text in prop::collection::vec(prop_oneof![select(b"\"\\\\x\n\x1f ".to_vec()), any::<u8>()], 1..300),
        ) {
            let (mut inside, mut escaped, mut expected) = (false, false, Vec::new());
            for byte in &text {
                let is_quote = *byte == b'"' && !escaped;
                inside ^= is_quote;
                escaped = *byte == b'\\' && !escaped;
                expected.push((is_quote, inside, *byte < b' '));
            }
            let (mut strings, mut actual) = (Strings::default(), Vec::new());
            for piece in text.chunks(STRIDE) {
                let at = actual.len() + piece.len();
                let masks = piece.try_into().map_or_else(|_| Masks::of_tail(&text[..at], piece.len()), Masks::new);
                let (quotes, inside) = strings.read(&masks);
                let is_set = |mask: u64, index: usize| mask >> index & 1 == 1;
                actual.extend((0..piece.len()).map(|index| {
                    (is_set(quotes, index), is_set(inside, index), is_set(masks.controls, index))
                }));
            }
            prop_assert_eq!(actual, expected);
        }
    }
}
