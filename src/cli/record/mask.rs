//! Masks: what changes from line to line becomes a placeholder, so that lines become the templates they were made of.
//!
//! ```text
//! 2026-03-01 10:00:00,123 WARN Receiving blk_-1608999687919862906 src: /192.0.2.1:54106 took 12ms
//! <time> WARN Receiving blk_<num> src: /<ip>:<num> took <num>ms
//! ```
//!
//! A text is read from left to right. Where several masks fit at one place, the first of this list is taken, as long as
//! it can be, and reading goes on behind it; parts side by side each become a placeholder of their own.
//!
//! - *quoted*, by name only: from `"` or `'` to the next one of its kind, escapes respected. A quote behind a backslash
//!   opens nothing, neither does an apostrophe behind a letter (`dogs'`), and one between letters (`don't`) ends
//!   nothing. Without its end it is a byte as any other.
//! - *query*, by name only: what follows a `?` up to a blank, a quote, `#`, `\`, `<` or `>`; the `?` stays.
//! - *time*: a date, a time of day, or both, with fraction, zone and AM or PM: `2026-03-01T10:00:00.123Z`,
//!   `2026/03/01 10:00`, `20260301T100000Z`, `17/May/2015:10:05:03 +0000`, `01-Mar-2026 10:00:00.123`, `03/01/2026`,
//!   `26/03/01 10:00:00`, `Mar  1 10:00:00`, `Sun Dec 04 04:47:44 2005`, `Mar 1, 2026 9:05:03 AM`,
//!   `Sun, 04 Dec 2005 04:47:44 GMT`, `10:00:00,123`. Hours and minutes (`10:00`) are a time only behind a date.
//! - *uuid*: 8-4-4-4-12 hex digits.
//! - *ip*: IPv4 of four numbers up to 255 without leading zeros (`1.2.3` and `10.04.1.5` are versions), or IPv6 with
//!   `::`, a tail in IPv4 and a zone (`fe80::1%eth0`). A port or a prefix length behind it is a number: `<ip>:<num>`.
//! - *hex*: `0x` and hex digits; words of at least 7 hex digits (the short hashes of git) that hold a letter and a
//!   digit, unless the only letter is the last one (`1048576b` is a number with its unit); and at least six pairs of
//!   hex digits joined by `:` or by `-` (`00:1a:2b:3c:4d:5e`).
//! - *num*: every run of digits wherever it stands (`worker-12`, `user42`, `12ms`, `utf8`: no template suffers from
//!   it), with `.` and `,` between digits (`1.5`, `1,234`, lists), an exponent (`1e-9`) and its sign. No sign follows a
//!   letter, a digit, a closing bracket or another sign: `3-4` is two numbers, `blk_-5` one. Neither a sign nor a `.`
//!   or `,` belongs to the number where something else of this list begins behind it: `7,192.0.2.1` is `<num>,<ip>`.
//!
//! All but numbers, quotes and queries end at letters and digits: `v1.2.3.4` and `x10:00:00` are numbers in words. `_`
//! and bytes beyond ASCII are neither. And **each holds a digit**: `facade`, `deadbeef`, `std::fmt` stay, and so do
//! addresses and uuids of letters only, which are made up and the same in each line (`ff:ff:ff:ff:ff:ff`). So digits
//! are all that has to be looked for, eight bytes at once; what stands before the first one is found by looking back.
//!
//! Masking what is masked changes nothing: what stands beside a placeholder is judged as it was before.

mod address;
mod bytes;
mod date;
mod hex;
mod number;
mod quotes;

use bytes::{byte, byte_before, digits, is_word};
use std::fmt;
use std::ops::Range;

/// A kind of variable part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mask {
    Num,
    Hex,
    Uuid,
    Ip,
    Time,
    Quoted,
    Query,
}

impl Mask {
    /// All of them.
    const EACH: [Mask; 7] = [Mask::Num, Mask::Hex, Mask::Uuid, Mask::Ip, Mask::Time, Mask::Quoted, Mask::Query];
    /// What `all` stands for: whoever looks for templates wants these. Quotes and queries are often what matters.
    const USUAL: [Mask; 5] = [Mask::Num, Mask::Hex, Mask::Uuid, Mask::Ip, Mask::Time];

    /// Its name, as one types it.
    const fn name(self) -> &'static str {
        let placeholder = self.placeholder();
        placeholder.split_at(placeholder.len() - 1).0.split_at(1).1
    }

    const fn placeholder(self) -> &'static str {
        match self {
            Mask::Num => "<num>",
            Mask::Hex => "<hex>",
            Mask::Uuid => "<uuid>",
            Mask::Ip => "<ip>",
            Mask::Time => "<time>",
            Mask::Quoted => "<quoted>",
            Mask::Query => "<query>",
        }
    }

    /// Its bit in a set.
    const fn bit(self) -> u8 {
        1 << self as u8
    }
}

/// A set of masks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Masks(u8);

/// The names as [`Masks::parse`] takes them, each once.
impl fmt::Display for Masks {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut comma = "";
        for mask in Mask::EACH.into_iter().filter(|mask| self.contains(*mask)) {
            write!(formatter, "{comma}{}", mask.name())?;
            comma = ",";
        }
        Ok(())
    }
}

/// A part of a text and what it is.
struct Part {
    range: Range<usize>,
    mask: Mask,
}

impl Masks {
    /// `num,ip`, `all`, `all,query`; the error says what was found and what there is.
    pub fn parse(text: &str) -> Result<Masks, String> {
        let mut masks = Masks::default();
        for name in text.split(',') {
            match Mask::EACH.into_iter().find(|mask| mask.name() == name) {
                Some(mask) => masks.add(mask),
                None if name == "all" => Mask::USUAL.into_iter().for_each(|mask| masks.add(mask)),
                None => return Err(unknown(name)),
            }
        }
        Ok(masks)
    }

    fn add(&mut self, mask: Mask) {
        self.0 |= mask.bit();
    }

    pub fn is_empty(&self) -> bool {
        self.0 == 0
    }

    #[inline(always)]
    pub fn contains(&self, mask: Mask) -> bool {
        self.0 & mask.bit() != 0
    }

    /// Appends `text` to `masked` with the parts replaced by placeholders. O(text), no allocation beyond `masked`.
    pub fn apply(&self, text: &[u8], masked: &mut Vec<u8>) {
        if self.contains(Mask::Quoted) || self.contains(Mask::Query) {
            self.apply_looking_for(text, masked, |from| bytes::next_digit_or_mark(text, from));
        } else {
            self.apply_looking_for(text, masked, |from| bytes::next_digit(text, from));
        }
    }

    /// As [`Masks::apply`], where `next` finds the first byte at or behind a place that a part may be found by.
    #[inline(always)]
    fn apply_looking_for(&self, text: &[u8], masked: &mut Vec<u8>, next: impl Fn(usize) -> Option<usize>) {
        let mut copied = 0;
        let mut from = 0;
        while let Some(found) = next(from) {
            let Some(Part { range, mask }) = self.part(text, from, found) else {
                from = behind(text, found);
                continue;
            };
            masked.extend_from_slice(&text[copied..range.start]);
            masked.extend_from_slice(mask.placeholder().as_bytes());
            copied = range.end;
            from = range.end;
        }
        masked.extend_from_slice(&text[copied..]);
    }

    /// The part that is found by the byte at `found`, beginning at `from` or later.
    #[inline(always)]
    fn part(&self, text: &[u8], from: usize, found: usize) -> Option<Part> {
        match text[found] {
            b'?' => self.contains(Mask::Query).then(|| quotes::query(text, found)).flatten(),
            b'"' | b'\'' => self.contains(Mask::Quoted).then(|| quotes::quoted(text, found)).flatten(),
            _ => self.part_with_digit(text, from, found),
        }
    }

    /// The part whose first digit is at `digit`.
    #[inline(always)]
    fn part_with_digit(&self, text: &[u8], from: usize, digit: usize) -> Option<Part> {
        let before = byte_before(text, digit);
        let led = match before {
            b' ' => self.part_led_by_name(text, from, digit),
            b'a'..=b'f' | b'A'..=b'F' | b':' | b'-' => self.part_led_by_letters(text, from, digit),
            _ => None,
        };
        if led.is_some() {
            return led;
        }
        let run = digits(text, digit);
        let other = if is_word(before) { None } else { self.other(text, digit, run) };
        match other {
            None if self.contains(Mask::Num) => Some(self.number(text, from, digit, run)),
            other => other,
        }
    }

    /// A time that begins with the name of a day or a month before the digit.
    #[inline(always)]
    fn part_led_by_name(&self, text: &[u8], from: usize, digit: usize) -> Option<Part> {
        if !self.contains(Mask::Time) {
            return None;
        }
        date::named(text, from, digit).map(|range| Part { range, mask: Mask::Time })
    }

    /// A uuid, an address or hex digits that begin with letters, before their first digit.
    fn part_led_by_letters(&self, text: &[u8], from: usize, digit: usize) -> Option<Part> {
        let joined = |byte: &u8| matches!(byte, b'a'..=b'f' | b'A'..=b'F' | b':' | b'-');
        let near = from.max(digit.saturating_sub(MAX_LETTERS));
        let start = digit - text[near..digit].iter().rev().take_while(|byte| joined(byte)).count();
        let begins =
            |at: usize| !is_word(byte_before(text, at)) && matches!(text[at], b':' | b'a'..=b'f' | b'A'..=b'F');
        if let Some(part) = (start..digit).filter(|at| begins(*at)).find_map(|at| self.hexadecimal(text, at)) {
            return Some(part);
        }
        // A long word of hex digits may begin farther away.
        let letters = text[from..digit].iter().rev().take_while(|byte| byte.is_ascii_hexdigit()).count();
        let far = letters > MAX_LETTERS && !is_word(byte_before(text, digit - letters));
        if far { self.hexadecimal(text, digit - letters) } else { None }
    }

    /// What is no number and begins with the `run` of digits at `at`, which no letter or digit precedes.
    #[inline(always)]
    fn other(&self, text: &[u8], at: usize, run: usize) -> Option<Part> {
        match byte(text, at + run) {
            b':' | b'-' | b'/' | b'.' | b'T' | b'x' | b'X' | b'a'..=b'f' | b'A'..=b'F' => (),
            b' ' if byte(text, at + run + 1).is_ascii_uppercase() => (),
            _ => return None,
        }
        let time = if self.contains(Mask::Time) { date::time(text, at, run) } else { None };
        match time {
            Some(end) => Some(Part { range: at..end, mask: Mask::Time }),
            None => self.hexadecimal(text, at),
        }
    }

    /// A uuid, an address or hex digits at `at`, which no letter or digit precedes.
    #[inline(always)]
    fn hexadecimal(&self, text: &[u8], at: usize) -> Option<Part> {
        type Find = fn(&[u8], usize) -> Option<usize>;
        let kinds: [(Mask, Find); 3] = [(Mask::Uuid, hex::uuid), (Mask::Ip, address::ip), (Mask::Hex, hex::hex)];
        kinds.into_iter().find_map(|(mask, find)| {
            let end = if self.contains(mask) { find(text, at)? } else { return None };
            Some(Part { range: at..end, mask })
        })
    }

    /// The number of the `run` of digits at `digit`, with all that belongs to it; its sign is at `from` or later.
    #[inline(always)]
    fn number(&self, text: &[u8], from: usize, digit: usize, run: usize) -> Part {
        let mut end = digit + run;
        while matches!(byte(text, end), b'.' | b',') && byte(text, end + 1).is_ascii_digit() {
            let run = digits(text, end + 1);
            if self.other(text, end + 1, run).is_some() {
                break;
            }
            end += 1 + run;
        }
        let start = number::start(text, from, digit);
        Part { range: start..number::exponent_end(text, end), mask: Mask::Num }
    }
}

/// The most letters, `:` and `-` that may stand before the first digit of an address or a uuid: an IPv6 address has
/// seven groups and three letters of the last one.
const MAX_LETTERS: usize = 38;

/// Where reading goes on behind the byte at `found`, when it is in no part.
fn behind(text: &[u8], found: usize) -> usize {
    // Inside a word nothing but a number begins, and numbers were not wanted: no quote or `?` is in a word.
    let word = text[found..].iter().take_while(|byte| is_word(**byte)).count();
    found + word.max(1)
}

/// What there is, when `name` is none of it.
#[cold]
fn unknown(name: &str) -> String {
    let names = |masks: &[Mask]| masks.iter().map(|mask| mask.name()).collect::<Vec<_>>().join(", ");
    format!("`{name}` is no mask: there are {} and `all` for {}", names(&Mask::EACH), names(&Mask::USUAL))
}

#[cfg(test)]
mod tests;
