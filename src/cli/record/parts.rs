//! The parts of a record that a key or a time is made of, and where they stand.

use super::access_log::{self, AccessField};
use super::fields::{Fields, Separator};
use regex::bytes::{CaptureLocations, Regex};
use std::ops::Range;

/// One part of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// A field by its number, counted from 1 as awk does, whatever the format.
    Number(usize),
    /// A field of an access log by its name.
    Access(AccessField),
}

/// Several parts, found together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parts {
    parts: Vec<Part>,
    /// All of them, where all are named.
    access: Vec<AccessField>,
    separator: Separator,
}

impl Parts {
    pub fn new(parts: Vec<Part>, separator: Separator) -> Parts {
        let named = parts.iter().map(|part| match part {
            Part::Access(field) => Some(*field),
            Part::Number(_) => None,
        });
        let access = named.collect::<Option<_>>().unwrap_or_default();
        Parts { parts, access, separator }
    }

    pub fn as_slice(&self) -> &[Part] {
        &self.parts
    }

    pub fn separator(&self) -> Separator {
        self.separator
    }

    /// The only part, where there is one.
    pub fn single(&self) -> Option<Part> {
        match self.parts.as_slice() {
            [part] => Some(*part),
            _ => None,
        }
    }

    /// Where each part stands in `record`; `None` where it does not.
    pub fn locate(&self, record: &[u8], places: &mut Vec<Option<Range<usize>>>) {
        if !self.access.is_empty() {
            access_log::fields(record, &self.access, places);
            return;
        }
        places.clear();
        let numbers = self.parts.iter().filter_map(|part| match part {
            Part::Number(number) => Some(*number),
            Part::Access(_) => None,
        });
        places.extend(self.parts.iter().map(|part| match part {
            Part::Number(_) => None,
            Part::Access(field) => access_log::field(record, *field),
        }));
        // All numbered fields in one pass over the record.
        let last = numbers.max().unwrap_or_default();
        for (index, range) in Fields::new(record, self.separator).take(last).enumerate() {
            for (place, part) in places.iter_mut().zip(&self.parts) {
                if *part == Part::Number(index + 1) {
                    *place = Some(range.clone());
                }
            }
        }
    }
}

/// Where a pattern's groups match in `record`, or the whole match of a pattern without groups; nothing where it does not
/// match. A group that took no part says nothing: `a(x)|b(y)` has one part whichever side matched.
pub fn capture(
    pattern: &Regex,
    captures: &mut Option<CaptureLocations>,
    record: &[u8],
    places: &mut Vec<Option<Range<usize>>>,
) {
    places.clear();
    match captures {
        Some(captures) if captures.len() > 1 => {
            if pattern.captures_read(captures, record).is_some() {
                let groups = (1..captures.len()).filter_map(|group| captures.get(group));
                places.extend(groups.map(|(start, end)| Some(start..end)));
            }
        }
        _ => places.extend(pattern.find(record).map(|found| Some(found.range()))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RECORD: &[u8] = b"192.0.2.1 - - [21/May/2026:08:30:20 +0000] \"GET /a HTTP/1.1\" 200 1 \"-\" \"x\"";

    fn located(parts: &[Part]) -> Vec<Option<&'static [u8]>> {
        let mut places = Vec::new();
        Parts::new(parts.to_vec(), Separator::Blanks).locate(RECORD, &mut places);
        places.into_iter().map(|place| place.map(|range| &RECORD[range])).collect()
    }

    #[test]
    fn parts_are_found_together_as_they_are_alone() {
        let (path, ip) = (Part::Access(AccessField::Path), Part::Access(AccessField::Ip));
        let mixed = [Part::Number(9), path, Part::Number(1), Part::Number(99), Part::Number(1), ip];
        assert_eq!(
            located(&mixed),
            [Some(&b"200"[..]), Some(b"/a"), Some(b"192.0.2.1"), None, Some(b"192.0.2.1"), Some(b"192.0.2.1")]
        );
        for parts in [&mixed[..], &[path, ip], &[ip], &[Part::Number(3), Part::Number(1)]] {
            let alone: Vec<_> = parts.iter().flat_map(|part| located(&[*part])).collect();
            assert_eq!(located(parts), alone);
        }
    }
}
