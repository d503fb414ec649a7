//! Values of JSON records: which parts of a record a path means, and whether the record is right at all.
//!
//! ```text
//! {"ts":"2026-03-01T10:00:00Z","user":{"id":"u1","tags":["a","b"]},"n":1}
//!                                     .user.id   .user.tags[-1]    .n      id.orig_h (a name with a dot, or a path)
//! ```
//!
//! A record is read in one pass, however many paths there are, and nothing is built from it: what is found is a range of
//! the record. The whole record is checked all the same, also behind what was wanted: half a record must not pass for
//! another one, and who reads the output expects JSON.
//!
//! - **Numbers are text.** `1.0` and `1` are two keys, and an id of thirty digits stays what it is: no double is made.
//! - **Strings** are compared without their quotes and escapes: `"\u0041"` is `A`. Where keys are typed, the quotes stay.
//!   Halves of surrogate pairs stand for no text, so a record with one is broken; bytes that are no UTF-8 are text.
//! - **null** is no key: it stands for what is not known. Objects and arrays are keys, blanks and needless escapes aside,
//!   in the order in which their members stand.
//! - **Of members with the same name the last one counts**, as nearly everywhere; what was found in one before it is
//!   forgotten.
//! - **Text in front** of the first `{` is skipped: containers' names, times. Behind the object there may be none. A
//!   record that is another value than an object has no parts, and is not broken.
//!
//! The extent of a part is what goes when it is cut out: its name and one comma, the one behind it or else the one before
//! it, so that what is left is right again. Where the last members are cut together, the comma before them stays.

mod masks;
mod path;
mod scan;
mod search;
mod stream;
mod text;
mod tree;
mod walk;

pub use path::Path;
pub use stream::{Cutter, find_value_ends};
pub use walk::walk;

use super::found::Found;
use memchr::memchr;
use scan::Scanner;
use search::{Buffers, Search};
use tree::Tree;

/// What is wrong with a record that should be JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Broken {
    /// Something that no JSON value has.
    NotJson,
    /// Text behind the value.
    Trailing,
    /// It ends inside the value.
    CutShort,
    /// Half of a surrogate pair, which is no character.
    LoneSurrogate,
    /// More containers inside each other than anyone means.
    TooDeep,
}

impl Broken {
    /// In a few words.
    pub fn describe(self) -> &'static str {
        match self {
            Broken::NotJson => "not JSON",
            Broken::Trailing => "text after the JSON value",
            Broken::CutShort => "JSON that ends too early",
            Broken::LoneSurrogate => "half of a surrogate pair in JSON",
            Broken::TooDeep => "JSON nested too deeply",
        }
    }
}

/// Finds the values of some paths in records.
#[derive(Debug, Clone)]
pub struct Selector {
    tree: Tree,
    parts: usize,
    typed: bool,
    buffers: Buffers,
}

impl Selector {
    /// With `typed`, a string's text keeps its quotes, so that "1" is another key than 1.
    pub fn new(paths: Vec<Path>, typed: bool) -> Selector {
        let tree = Tree::new(&paths);
        Selector { tree, parts: paths.len(), typed, buffers: Buffers::default() }
    }

    /// Fills in the part of each path, in their order, or says what is wrong with the record.
    #[inline]
    pub fn select(&mut self, record: &[u8], found: &mut Found) -> Result<(), Broken> {
        let result = match record.first() {
            Some(b'{') => self.select_at(record, 0, found),
            _ => self.select_behind(record, found),
        };
        if result.is_err() {
            found.restart(self.parts);
        }
        result
    }

    /// Selects from the object that begins at `start`.
    #[inline]
    fn select_at(&mut self, record: &[u8], start: usize, found: &mut Found) -> Result<(), Broken> {
        found.restart(self.tree.slots);
        self.buffers.seen.clear();
        self.buffers.seen.resize(self.tree.slots, false);
        let scan = Scanner::new(record, start);
        let mut search = Search { record, scan, typed: self.typed, found, buffers: &mut self.buffers };
        search.object(&self.tree.root, 0)?;
        search.scan.end()?;
        for (fallback, path) in (self.parts..).zip(&self.tree.fallbacks) {
            if !self.buffers.seen[*path] {
                found.places[*path] = found.places[fallback].take();
            }
        }
        found.places.truncate(self.parts);
        Ok(())
    }

    /// Selects from a record that does not begin with an object.
    fn select_behind(&mut self, record: &[u8], found: &mut Found) -> Result<(), Broken> {
        found.restart(self.parts);
        let mut scan = Scanner::new(record, 0);
        scan.skip_blanks();
        let Ok(first) = scan.byte() else { return Ok(()) };
        if first == b'[' && check_value(record).is_ok() {
            return Ok(());
        }
        let Some(start) = object_start(record) else { return check_value(record).map_err(without_object) };
        let result = self.select_at(record, start, found);
        if result.is_err() && first != b'{' && check_value(record).is_ok() {
            found.restart(self.parts);
            return Ok(());
        }
        result
    }
}

/// Whether a record is one value and nothing else but blanks.
fn check_value(record: &[u8]) -> Result<(), Broken> {
    let mut scan = Scanner::new(record, 0);
    scan.skip_blanks();
    scan.skip(0)?;
    scan.end()
}

/// Of text that has no object, a number at its start is no value with text behind it.
fn without_object(broken: Broken) -> Broken {
    if broken == Broken::Trailing { Broken::NotJson } else { broken }
}

/// Where the object of a record begins: behind any text in front of it.
#[inline]
pub fn object_start(record: &[u8]) -> Option<usize> {
    memchr(b'{', record)
}

/// Whether a record is one whole object and nothing else but blanks.
pub fn is_object(record: &[u8]) -> bool {
    record.trim_ascii_start().starts_with(b"{") && check_value(record).is_ok()
}

#[cfg(test)]
mod tests;
