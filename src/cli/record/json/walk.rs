//! The members of a record, as paths to choose from.

use super::path::Step;
use super::scan::{MAX_DEPTH, Scanner};
use super::text::unescape;
use super::{Broken, object_start};
use std::fmt::Write;

/// Calls `each` with the path of a member, as typed after -k, and with its text: depth first, values without members and
/// elements only, at most `limit` of them. Ends where the record is no more JSON.
pub fn walk(record: &[u8], limit: usize, each: &mut dyn FnMut(&str, &[u8])) {
    let Some(start) = object_start(record) else { return };
    let mut walk = Walk { record, scan: Scanner::new(record, start), path: String::new(), left: limit, each };
    // What was told before the record went wrong is right.
    let _ = walk.value(0);
}

struct Walk<'a, 'e> {
    record: &'a [u8],
    scan: Scanner<'a>,
    /// Where the walk is.
    path: String,
    /// How many members may still be told.
    left: usize,
    each: &'e mut dyn FnMut(&str, &[u8]),
}

impl Walk<'_, '_> {
    /// Tells the value that begins here, `depth` containers deep. Calls itself no deeper than containers may be.
    fn value(&mut self, depth: u32) -> Result<(), Broken> {
        if depth > MAX_DEPTH {
            return Err(Broken::TooDeep);
        }
        let (start, first) = (self.scan.at, self.scan.byte()?);
        let closing = match first {
            b'{' => b'}',
            b'[' => b']',
            b'"' => {
                let string = self.scan.string()?;
                let raw = &self.record[string.range];
                let mut text = Vec::new();
                if string.has_escapes {
                    unescape(raw, &mut text);
                }
                self.tell(if string.has_escapes { &text } else { raw });
                return Ok(());
            }
            byte => {
                self.scan.skip_scalar(byte)?;
                self.tell(&self.record[start..self.scan.at]);
                return Ok(());
            }
        };
        self.scan.at += 1;
        if self.scan.peek()? == closing {
            self.scan.at += 1;
            self.tell(if first == b'{' { b"{}" } else { b"[]" });
            return Ok(());
        }
        self.inside(closing, depth + 1)
    }

    /// Tells what is in the container that is open here, up to what closes it.
    fn inside(&mut self, closing: u8, depth: u32) -> Result<(), Broken> {
        let outer = self.path.len();
        let mut index = 0;
        while self.left > 0 {
            if closing == b'}' {
                let name = self.scan.name()?;
                let mut text = Vec::new();
                unescape(&self.record[name.range], &mut text);
                self.enter(&Step::Member(String::from_utf8_lossy(&text).into_owned()));
            } else {
                self.enter(&Step::Element(index));
                index += 1;
            }
            self.value(depth)?;
            self.path.truncate(outer);
            let byte = self.scan.peek()?;
            self.scan.at += 1;
            if byte == closing {
                break;
            }
            if byte != b',' {
                return Err(Broken::NotJson);
            }
            self.scan.peek()?;
        }
        Ok(())
    }

    fn enter(&mut self, step: &Step) {
        // Writing to a string does not fail.
        let _ = write!(self.path, "{step}");
    }

    fn tell(&mut self, text: &[u8]) {
        if self.left > 0 && !self.path.is_empty() {
            self.left -= 1;
            (self.each)(&self.path, text);
        }
    }
}
