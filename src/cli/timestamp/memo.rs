//! The last stamp read, so that the same bytes are not parsed twice.
//!
//! Many records share one second. The memo keeps the bytes that decided the last answer and compares them with the next
//! text, which is faster than reading digits.
//!
//! Why it cannot give another answer than the parser: the parser is a function of the form (a change of form empties
//! the memo) and of bytes it takes through [`Text`](super::scan::Text), which notes the last position it was asked for.
//! At a line's start the memo keeps *all* bytes up to there: not only the stamp, but also the byte or the word behind
//! it that showed that the stamp ends. `10:00:00 a` is kept with the blank and the `a`, so a line that goes on with
//! `.5`, `Z`, ` +0100` or `,123` differs inside the kept bytes and is parsed. If the end of the line had a say, the
//! answer is not kept. For a field the memo asks for the very same bytes, no more and no fewer.

use super::Stamp;
use std::ops::Range;

/// Bytes kept, in words. The longest common stamp (`2026-03-01T10:00:00.123456789+05:30`) has 35, and to see that no
/// zone name follows takes up to seven more; only stamps with nanoseconds and a word in capitals miss the memo.
const MEMO_WORDS: usize = 5;
const WORD_BYTES: usize = size_of::<u64>();

/// The bytes that decided the last answer, and the answer.
///
/// The bytes are kept as words, for a call to compare so few of them would take longer than comparing them.
#[derive(Debug, Clone)]
pub(super) struct Memo {
    /// The whole words from the start.
    words: [u64; MEMO_WORDS],
    /// The last eight bytes, which overlap the whole words. They differ first when time moves on.
    last: u64,
    /// How many bytes count; 0 if nothing is kept.
    length: usize,
    stamp: Stamp,
    range: Range<usize>,
}

impl Memo {
    pub(super) const EMPTY: Memo = Memo { words: [0; MEMO_WORDS], last: 0, length: 0, stamp: Stamp::None, range: 0..0 };

    /// Keeps an answer that depends on exactly the first `length` bytes of a text, if they fit. Otherwise, and if the
    /// text is shorter (its end had a say), nothing is kept.
    #[inline]
    pub(super) fn keep(&mut self, text: &[u8], length: usize, stamp: Stamp, range: Range<usize>) {
        self.length = 0;
        let Some(last) = text.get(..length).and_then(<[u8]>::last_chunk) else { return };
        if length > MEMO_WORDS * WORD_BYTES {
            return;
        }
        // Words behind `length` are never compared. Copying all of them, where there are so many, takes a few moves; a
        // copy of just so many bytes takes a call.
        match text.first_chunk::<{ MEMO_WORDS * WORD_BYTES }>() {
            Some(all) => self.words = std::array::from_fn(|index| word(&all[index * WORD_BYTES..])),
            None => self.words.iter_mut().zip(words(&text[..length])).for_each(|(kept, word)| *kept = word),
        }
        self.last = u64::from_le_bytes(*last);
        self.length = length;
        self.stamp = stamp;
        self.range = range;
    }

    /// The answer for a text that starts with the bytes kept.
    #[inline]
    pub(super) fn of_start(&self, line: &[u8]) -> Option<(Stamp, Range<usize>)> {
        self.equals(line.get(..self.length)?).then(|| (self.stamp, self.range.clone()))
    }

    /// The answer for a text that is the bytes kept.
    #[inline]
    pub(super) fn of_whole(&self, text: &[u8]) -> Option<Stamp> {
        (text.len() == self.length && self.equals(text)).then_some(self.stamp)
    }

    /// Whether `bytes`, as many as are kept, are the same. Nothing shorter than a word is ever kept.
    #[inline]
    fn equals(&self, bytes: &[u8]) -> bool {
        bytes.last_chunk().is_some_and(|last| u64::from_le_bytes(*last) == self.last)
            && words(bytes).zip(&self.words).all(|(word, kept)| word == *kept)
    }
}

/// The whole words of some bytes.
#[inline]
fn words(bytes: &[u8]) -> impl Iterator<Item = u64> {
    bytes.chunks_exact(WORD_BYTES).map(word)
}

/// The first word of some bytes.
#[inline]
fn word(bytes: &[u8]) -> u64 {
    bytes.first_chunk().map_or(0, |word| u64::from_le_bytes(*word))
}
