//! A checked walk over a JSON text: what is left is whole and right by the grammar.
//!
//! Sixty-four bytes at once are searched for quotes, backslashes and control characters, so that a string costs the same
//! however long it is: two bits of a word. The walk goes from token to token and looks at no byte inside a string.

use super::Broken;
use super::masks::{Masks, STRIDE, Strings};
use super::text::check_escapes;
use memchr::memchr;
use std::ops::Range;

/// The most containers inside each other.
pub const MAX_DEPTH: u32 = 128;

/// A string, checked.
pub struct Text {
    /// What is between its quotes.
    pub range: Range<usize>,
    pub has_escapes: bool,
}

/// Where a walk is. Copied, it can be gone again from there.
#[derive(Debug, Clone, Copy)]
pub struct Scanner<'a> {
    text: &'a [u8],
    /// The next byte to be looked at; never one inside a string.
    pub at: usize,
    /// The quotes from `at` on that close a string and are in the stride which begins at `base`.
    closing: u64,
    base: usize,
    /// Where the next stride begins.
    next: usize,
    strings: Strings,
    /// The place behind the last backslash in the strides so far.
    behind_backslash: usize,
    /// Whether a string so far has a raw control character in it.
    has_control: bool,
}

impl<'a> Scanner<'a> {
    #[inline(always)]
    pub fn new(text: &'a [u8], at: usize) -> Scanner<'a> {
        Scanner {
            text,
            at,
            closing: 0,
            base: at,
            next: at,
            strings: Strings::default(),
            behind_backslash: 0,
            has_control: false,
        }
    }

    /// The byte here.
    #[inline(always)]
    pub fn byte(&self) -> Result<u8, Broken> {
        self.text.get(self.at).copied().ok_or(Broken::CutShort)
    }

    /// The next byte that is not a blank; it is here then.
    #[inline(always)]
    pub fn peek(&mut self) -> Result<u8, Broken> {
        let mut byte = self.byte()?;
        if byte == b' ' {
            self.at += 1;
            byte = self.byte()?;
        }
        if byte <= b' ' { self.peek_far() } else { Ok(byte) }
    }

    #[cold]
    fn peek_far(&mut self) -> Result<u8, Broken> {
        self.skip_blanks();
        self.byte()
    }

    pub fn skip_blanks(&mut self) {
        let rest = self.text.get(self.at..).unwrap_or_default();
        self.at += rest.iter().take_while(|byte| is_blank(**byte)).count();
    }

    /// That nothing but blanks is left, and no string was wrong.
    #[inline(always)]
    pub fn end(&mut self) -> Result<(), Broken> {
        if self.at < self.text.len() {
            self.skip_blanks();
        }
        if self.has_control {
            return Err(Broken::NotJson);
        }
        if self.at < self.text.len() { Err(Broken::Trailing) } else { Ok(()) }
    }

    /// The place of the quote that closes the next string.
    #[inline(always)]
    fn closing_quote(&mut self) -> Result<usize, Broken> {
        while self.closing == 0 {
            self.load()?;
        }
        let quote = self.base + self.closing.trailing_zeros() as usize;
        self.closing &= self.closing - 1;
        Ok(quote)
    }

    /// Searches the next stride.
    #[inline]
    fn load(&mut self) -> Result<(), Broken> {
        let rest = self.text.get(self.next..).filter(|rest| !rest.is_empty()).ok_or(Broken::CutShort)?;
        let masks = match rest.first_chunk() {
            Some(stride) => Masks::new(stride),
            None => Masks::of_tail(self.text, rest.len()),
        };
        let (quotes, inside) = self.strings.read(&masks);
        self.closing = quotes & !inside;
        self.base = self.next;
        self.next += STRIDE;
        self.has_control |= masks.controls & inside != 0;
        if masks.backslashes != 0 {
            self.behind_backslash = self.base + STRIDE - masks.backslashes.leading_zeros() as usize;
        }
        Ok(())
    }

    /// The string that opens here, left behind.
    #[inline(always)]
    pub fn string(&mut self) -> Result<Text, Broken> {
        let start = self.at + 1;
        let end = self.closing_quote()?;
        self.at = end + 1;
        let has_escapes = self.behind_backslash > start && self.check_escapes(start..end)?;
        Ok(Text { range: start..end, has_escapes })
    }

    /// Whether the string has escapes, all of them right.
    #[cold]
    fn check_escapes(&self, range: Range<usize>) -> Result<bool, Broken> {
        let text = &self.text[range];
        let Some(first) = memchr(b'\\', text) else { return Ok(false) };
        check_escapes(&text[first..])?;
        Ok(true)
    }

    /// The name of a member and the colon behind it, left behind with the blanks around it.
    #[inline(always)]
    pub fn name(&mut self) -> Result<Text, Broken> {
        if self.byte()? != b'"' {
            return Err(Broken::NotJson);
        }
        let name = self.string()?;
        if self.peek()? != b':' {
            return Err(Broken::NotJson);
        }
        self.at += 1;
        self.peek()?;
        Ok(name)
    }

    /// Leaves behind the value that begins here, `depth` containers deep.
    #[inline(always)]
    pub fn skip(&mut self, depth: u32) -> Result<(), Broken> {
        match self.byte()? {
            b'"' => self.string().map(drop),
            b'{' | b'[' => self.skip_container(depth),
            byte => self.skip_scalar(byte),
        }
    }

    /// Leaves behind the number or word that begins here with `byte`.
    #[inline(always)]
    pub fn skip_scalar(&mut self, byte: u8) -> Result<(), Broken> {
        match byte {
            b'-' | b'0'..=b'9' => self.skip_number(),
            b't' => self.skip_word(b"true"),
            b'f' => self.skip_word(b"false"),
            b'n' => self.skip_word(b"null"),
            _ => Err(Broken::NotJson),
        }
    }

    #[inline(always)]
    fn skip_word<const LEN: usize>(&mut self, word: &[u8; LEN]) -> Result<(), Broken> {
        let rest = &self.text[self.at..];
        if rest.first_chunk() == Some(word) {
            self.at += LEN;
            return Ok(());
        }
        Err(if word.starts_with(rest) { Broken::CutShort } else { Broken::NotJson })
    }

    #[inline(always)]
    fn skip_number(&mut self) -> Result<(), Broken> {
        if self.byte()? == b'-' {
            self.at += 1;
        }
        if self.byte()? == b'0' {
            self.at += 1;
        } else {
            self.skip_digits()?;
        }
        let mut next = self.text.get(self.at).copied().unwrap_or_default();
        if next == b'.' {
            self.at += 1;
            self.skip_digits()?;
            next = self.text.get(self.at).copied().unwrap_or_default();
        }
        if next | 0x20 == b'e' {
            self.at += 1;
            if matches!(self.byte()?, b'+' | b'-') {
                self.at += 1;
            }
            self.skip_digits()?;
        }
        Ok(())
    }

    /// One digit or more.
    #[inline(always)]
    fn skip_digits(&mut self) -> Result<(), Broken> {
        if !self.byte()?.is_ascii_digit() {
            return Err(Broken::NotJson);
        }
        while let Some(eight) = self.text.get(self.at..).and_then(<[u8]>::first_chunk) {
            let digits = digits_at_start(*eight);
            self.at += digits;
            if digits < eight.len() {
                return Ok(());
            }
        }
        while self.text.get(self.at).is_some_and(u8::is_ascii_digit) {
            self.at += 1;
        }
        Ok(())
    }

    /// Leaves behind the container that begins here, `depth` containers deep, and all that is in it.
    #[inline(always)]
    pub fn skip_container(&mut self, depth: u32) -> Result<(), Broken> {
        let mut open = Open::new(depth);
        loop {
            // A value begins here.
            let byte = self.byte()?;
            let mut closes = false;
            match byte {
                b'"' => {
                    self.string()?;
                }
                b'{' => {
                    open.push(true)?;
                    self.at += 1;
                    closes = self.peek()? == b'}';
                    if !closes {
                        self.name()?;
                        continue;
                    }
                }
                b'[' => {
                    open.push(false)?;
                    self.at += 1;
                    closes = self.peek()? == b']';
                    if !closes {
                        continue;
                    }
                }
                byte => self.skip_scalar(byte)?,
            }
            // It has ended, or an empty container is about to.
            loop {
                if closes {
                    self.at += 1;
                    open.pop();
                    if open.is_empty() {
                        return Ok(());
                    }
                }
                let byte = self.peek()?;
                if byte == b',' {
                    break;
                }
                closes = byte == open.closing();
                if !closes {
                    return Err(Broken::NotJson);
                }
            }
            self.at += 1;
            self.peek()?;
            if open.is_object() {
                self.name()?;
            }
        }
    }
}

/// The containers that are open.
struct Open {
    /// How many are open around them, and in all.
    outer: u32,
    depth: u32,
    /// One bit each, the innermost lowest: set for an object.
    objects: u128,
}

impl Open {
    #[inline(always)]
    fn new(outer: u32) -> Open {
        Open { outer, depth: outer, objects: 0 }
    }

    #[inline(always)]
    fn push(&mut self, is_object: bool) -> Result<(), Broken> {
        if self.depth >= MAX_DEPTH {
            return Err(Broken::TooDeep);
        }
        self.depth += 1;
        self.objects = self.objects << 1 | u128::from(is_object);
        Ok(())
    }

    #[inline(always)]
    fn pop(&mut self) {
        self.depth -= 1;
        self.objects >>= 1;
    }

    #[inline(always)]
    fn is_empty(&self) -> bool {
        self.depth == self.outer
    }

    #[inline(always)]
    fn is_object(&self) -> bool {
        self.objects & 1 == 1
    }

    /// What closes the innermost.
    #[inline(always)]
    fn closing(&self) -> u8 {
        if self.is_object() { b'}' } else { b']' }
    }
}

/// Bytes of a number looked at together: a word.
const WORD: usize = size_of::<u64>();

/// How many digits the bytes begin with, without a branch: the lengths of numbers are hard to foresee.
#[inline(always)]
fn digits_at_start(bytes: [u8; WORD]) -> usize {
    /// One in each byte.
    const EACH: u64 = u64::MAX / u8::MAX as u64;
    const HIGHEST_BIT: u64 = 0x80;
    const DIGITS: u64 = 10;
    // Digits become 0 to 9, and only more than that reaches the highest bit. What is carried into other bytes goes
    // towards the end, behind the first that is no digit.
    let values = u64::from_le_bytes(bytes) ^ (EACH * b'0' as u64);
    let others = (values.wrapping_add(EACH * (HIGHEST_BIT - DIGITS)) | values) & (EACH * HIGHEST_BIT);
    (others.trailing_zeros() / u8::BITS) as usize
}

pub const fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}
