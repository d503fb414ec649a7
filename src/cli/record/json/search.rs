//! The walk over a record that writes down what is wanted.

use super::super::found::{Found, Place};
use super::Broken;
use super::scan::{MAX_DEPTH, Scanner, Text};
use super::text::{canonical, canonical_string, unescape};
use super::tree::Node;
use std::ops::Range;

/// Buffers that are used again for each record.
#[derive(Debug, Clone, Default)]
pub struct Buffers {
    /// A name or a text without its escapes.
    pub text: Vec<u8>,
    /// Of each value that is looked for, whether it was there, null or not.
    pub seen: Vec<bool>,
}

/// A walk over one record.
pub struct Search<'a> {
    pub record: &'a [u8],
    pub scan: Scanner<'a>,
    pub typed: bool,
    pub found: &'a mut Found,
    pub buffers: &'a mut Buffers,
}

impl Search<'_> {
    /// Reads the object that begins here, `depth` containers deep.
    ///
    /// It and [`Search::array`] call themselves as deep as the paths go, and no deeper than containers may be.
    pub fn object(&mut self, node: &Node, depth: u32) -> Result<(), Broken> {
        let depth = deeper(depth)?;
        self.scan.at += 1;
        let mut separator = None;
        if self.scan.peek()? == b'}' {
            self.scan.at += 1;
            return Ok(());
        }
        loop {
            let name = self.scan.name()?;
            match self.member(node, &name) {
                None => {
                    self.scan.skip(depth)?;
                    if self.scan.peek()? == b',' {
                        separator = Some(self.scan.at);
                    }
                }
                Some(member) => {
                    self.value(member, depth)?;
                    separator = self.extend(member, name.range.start - 1, separator)?;
                }
            }
            match self.scan.byte()? {
                b',' => self.scan.at += 1,
                b'}' => break,
                _ => return Err(Broken::NotJson),
            }
            self.scan.peek()?;
        }
        self.scan.at += 1;
        Ok(())
    }

    /// What is wanted of the member of this name.
    #[inline(always)]
    fn member<'n>(&mut self, node: &'n Node, name: &Text) -> Option<&'n Node> {
        let mut text = &self.record[name.range.clone()];
        if name.has_escapes {
            self.buffers.text.clear();
            unescape(text, &mut self.buffers.text);
            text = &self.buffers.text;
        }
        node.members.iter().find(|(other, _)| other == text).map(|(_, member)| member)
    }

    /// Reads the array that begins here, `depth` containers deep.
    fn array(&mut self, node: &Node, depth: u32) -> Result<(), Broken> {
        let depth = deeper(depth)?;
        let mut len = 0;
        if node.counts_from_end() {
            let start = self.scan;
            len = self.elements(None, depth, 0)?;
            self.scan = start;
        }
        self.elements(Some(node), depth, len).map(drop)
    }

    /// Reads the elements of the array that begins here, and says how many they are. What `node` wants of them is
    /// written down; if it counts from the end, `len` is their number.
    fn elements(&mut self, node: Option<&Node>, depth: u32, len: i64) -> Result<i64, Broken> {
        self.scan.at += 1;
        let (mut index, mut separator) = (0, None);
        if self.scan.peek()? == b']' {
            self.scan.at += 1;
            return Ok(0);
        }
        loop {
            let start = self.scan;
            let wanted = node.into_iter().flat_map(|node| &node.elements);
            let is_here = |other: i64| other == index || other < 0 && other.checked_add(len) == Some(index);
            let mut wanted = wanted.filter(|(other, _)| is_here(*other)).map(|(_, element)| element).peekable();
            if wanted.peek().is_none() {
                self.scan.skip(depth)?;
            }
            let before = separator;
            for element in wanted {
                // One element may be wanted twice: from the start and from the end.
                self.scan = start;
                self.value(element, depth)?;
                self.extend(element, start.at, before)?;
            }
            match self.scan.peek()? {
                b',' => separator = Some(self.scan.at),
                b']' => break,
                _ => return Err(Broken::NotJson),
            }
            self.scan.at += 1;
            self.scan.peek()?;
            index += 1;
        }
        self.scan.at += 1;
        Ok(index + 1)
    }

    /// Reads a wanted value that begins here, `depth` containers deep. What was found by the same path is forgotten.
    fn value(&mut self, node: &Node, depth: u32) -> Result<(), Broken> {
        for slot in &node.all_slots {
            self.found.places[*slot] = None;
        }
        let start = self.scan.at;
        let first = self.scan.byte()?;
        let mut has_escapes = false;
        match first {
            b'{' if !node.members.is_empty() => self.object(node, depth)?,
            b'[' if !node.elements.is_empty() => self.array(node, depth)?,
            b'"' => has_escapes = self.scan.string()?.has_escapes,
            _ => self.scan.skip(depth)?,
        }
        for slot in &node.slots {
            self.buffers.seen[*slot] = true;
            self.found.places[*slot] = self.place(start..self.scan.at, first, has_escapes);
        }
        Ok(())
    }

    /// The place of the value in `range`, which begins with `first`; `None` for null.
    #[inline(always)]
    fn place(&mut self, range: Range<usize>, first: u8, has_escapes: bool) -> Option<Place> {
        let inside = range.start + 1..range.end - 1;
        let from = self.found.scratch.len();
        let extent = range.clone();
        let raw = if first == b'"' && !self.typed { inside.clone() } else { range };
        let scratch = &mut self.found.scratch;
        match first {
            b'n' => return None,
            b'"' if !has_escapes => {}
            b'"' if self.typed => canonical_string(&self.record[inside], &mut self.buffers.text, scratch),
            b'"' => unescape(&self.record[inside], scratch),
            b'{' | b'[' => {
                canonical(&self.record[raw.clone()], &mut self.buffers.text, scratch);
                if scratch[from..] == self.record[raw.clone()] {
                    scratch.truncate(from);
                    return Some(Place { raw, decoded: None, extent });
                }
                return Some(Place { raw, decoded: Some(from..scratch.len()), extent });
            }
            _ => {}
        }
        let decoded = has_escapes.then_some(from..scratch.len());
        Some(Place { raw, decoded, extent })
    }

    /// Writes down what goes with a value that begins at `start` and ends here: its separator behind it, or else the one
    /// before it. Leaves blanks behind and says where the next separator is.
    #[inline(always)]
    fn extend(&mut self, node: &Node, start: usize, before: Option<usize>) -> Result<Option<usize>, Broken> {
        let end = self.scan.at;
        let separator = (self.scan.peek()? == b',').then_some(self.scan.at);
        let extent = match separator {
            Some(separator) => start..separator + 1,
            None => before.unwrap_or(start)..end,
        };
        for slot in &node.slots {
            if let Some(place) = &mut self.found.places[*slot] {
                place.extent = extent.clone();
            }
        }
        Ok(separator)
    }
}

/// The depth inside a container that is `depth` containers deep.
#[inline(always)]
fn deeper(depth: u32) -> Result<u32, Broken> {
    if depth < MAX_DEPTH { Ok(depth + 1) } else { Err(Broken::TooDeep) }
}
