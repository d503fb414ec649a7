//! The fields of a logfmt line:
//!
//! ```text
//! web-1  | time="2024-01-01T00:00:00Z" level=info msg="say \"hi\"" url=/a?b=c user= dry-run
//! words    time                        level      msg              url        user  a flag
//! ```
//!
//! Nobody has written down what logfmt is, so here is what is taken for it. A line is read from the front:
//!
//! - Blanks (also tabs and line ends) separate. What is up to the next blank or `=` is a *name*, whatever bytes it has;
//!   a name without a `=` is a *word*. So what a container runtime or a person puts in front of the fields is words,
//!   and does no harm. A `=` without a name before it is a word too, up to the next blank.
//! - A value that begins with a quote goes to the next quote that no backslash escapes, and a new name may begin right
//!   behind it. If there is none, the line was cut, and the value goes to its end. Any other value goes to the next
//!   blank, quotes, backslashes, more `=` and all; it may be empty.
//! - Between quotes `\"`, `\\`, `\/`, `\n`, `\t`, `\r` and `\uXXXX` (also a pair of surrogates) are decoded. Other
//!   escapes stay as they are: half of the writers use their own language's, and to guess would merge different values.
//! - **Of two fields of the same name the last one counts**, as for most readers.
//! - **A word is a flag**, a field with an empty value, where its name is asked for and no field of the line has that
//!   name. So `error` in the words of a message never hides `error="disk full"`, wherever the two stand.
//!
//! What goes with a field is its name, the `=`, its quotes and the one blank behind it, so that the line without it
//! looks as if it had never been written.

use super::found::{Found, Place};
use std::ops::Range;

mod escapes;
mod marks;

use marks::Marks;

/// Finds the fields of these names. What is found stands in the order of `names`.
pub fn fields(record: &[u8], names: &[Vec<u8>], found: &mut Found) {
    found.restart(names.len());
    let mut scan = Scan::new(record);
    while let Some(piece) = scan.next() {
        let name = &record[piece.name.clone()];
        for (wanted, place) in names.iter().zip(&mut found.places) {
            if wanted == name && (piece.value.is_some() || place.is_none()) {
                *place = Some(piece.place(record));
            }
        }
    }
    // Only what counts in the end is decoded.
    for place in found.places.iter_mut().flatten().filter(|place| place.decoded.is_some()) {
        let start = found.scratch.len();
        escapes::decode(&record[place.raw.clone()], &mut found.scratch);
        place.decoded = Some(start..found.scratch.len());
    }
}

/// Calls `each` with the name and the decoded value of every field, in order. Words are none, for nobody asked for them.
pub fn walk(record: &[u8], each: &mut dyn FnMut(&[u8], &[u8])) {
    let mut scan = Scan::new(record);
    let mut decoded = Vec::new();
    while let Some(Piece { name, value }) = scan.next() {
        let Some(value) = value else { continue };
        let text = &record[value.text.clone()];
        if value.has_escapes {
            decoded.clear();
            escapes::decode(text, &mut decoded);
            each(&record[name], &decoded);
        } else {
            each(&record[name], text);
        }
    }
}

/// A field, or a word.
struct Piece {
    name: Range<usize>,
    /// A word has none.
    value: Option<Value>,
}

struct Value {
    /// Between the quotes, if it has some.
    text: Range<usize>,
    /// Behind the closing quote, if there is one.
    end: usize,
    has_escapes: bool,
}

impl Piece {
    /// Where it is in the record. Text that is still to be decoded has an empty range in the scratch.
    fn place(&self, record: &[u8]) -> Place {
        let (raw, end, has_escapes) = match &self.value {
            Some(value) => (value.text.clone(), value.end, value.has_escapes),
            None => (self.name.end..self.name.end, self.name.end, false),
        };
        // One of the blanks around it goes as well: the one behind it, or else the one in front.
        let start = self.name.start;
        let extent = if record.get(end).is_some_and(|byte| is_blank(*byte)) {
            start..end + 1
        } else {
            start - usize::from(start > 0 && is_blank(record[start - 1]))..end
        };
        Place { raw, decoded: has_escapes.then_some(0..0), extent }
    }
}

/// What stands between fields.
const fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

/// Goes over the pieces of a record, from left to right.
struct Scan<'a> {
    marks: Marks<'a>,
    at: usize,
}

impl<'a> Scan<'a> {
    #[inline(always)]
    fn new(record: &'a [u8]) -> Scan<'a> {
        Scan { marks: Marks::new(record), at: 0 }
    }

    #[inline(always)]
    fn next(&mut self) -> Option<Piece> {
        let record = self.marks.record();
        loop {
            while record.get(self.at).is_some_and(|byte| is_blank(*byte)) {
                self.at += 1;
            }
            let start = self.at;
            if start >= record.len() {
                return None;
            }
            let end = self.marks.name_end(start);
            let name = start..end;
            if record.get(end) != Some(&b'=') {
                self.at = end;
                return Some(Piece { name, value: None });
            }
            if name.is_empty() {
                self.at = self.marks.blank(end);
                continue;
            }
            let value = self.value(end + 1);
            self.at = value.end;
            return Some(Piece { name, value: Some(value) });
        }
    }

    /// The value that begins at `start`, behind a `=`.
    #[inline(always)]
    fn value(&mut self, start: usize) -> Value {
        let record = self.marks.record();
        if record.get(start) != Some(&b'"') {
            let end = self.marks.blank(start);
            return Value { text: start..end, end, has_escapes: false };
        }
        let start = start + 1;
        let (mut at, mut has_escapes) = (start, false);
        loop {
            let mark = self.marks.quote_or_backslash(at);
            match record.get(mark) {
                Some(b'"') => return Value { text: start..mark, end: mark + 1, has_escapes },
                // Whatever it escapes, it is no closing quote.
                Some(_) => (at, has_escapes) = (mark + 2, true),
                None => return Value { text: start..record.len(), end: record.len(), has_escapes },
            }
        }
    }
}

#[cfg(test)]
mod tests;
