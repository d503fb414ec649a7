//! Which bytes of a record are its key, and their hash.
//!
//! A key of one part is hashed where it stands. One of several parts is framed, each part after its length, so that
//! `a` and `bc` are another key than `ab` and `c`.

use super::fields::{Fields, Separator, field};
use bstr::ByteSlice;
use grudge::hash::HashKey;
use regex::bytes::{CaptureLocations, Regex};
use std::ops::Range;

/// Where the key stands in a record.
#[derive(Debug, Clone)]
pub enum KeySource {
    /// The whole record, or all of it but its stamp where one was read.
    Whole,
    /// Fields, by number.
    Fields { numbers: Vec<usize>, separator: Separator },
    /// What a pattern's groups match, or the whole match of a pattern without groups.
    Pattern(Regex),
}

/// The options of a key.
#[derive(Debug, Clone)]
pub struct KeySpec {
    pub source: KeySource,
    pub ignore_case: bool,
    /// A part that is not there counts as an empty one.
    pub missing_is_empty: bool,
}

/// Finds the key of one record after the other.
pub trait KeyOf {
    /// The hash of the record's key; `None` where it has none. `stamp` are the ranges of the record's stamp.
    fn hash<H: HashKey>(&mut self, hasher: &H, record: &[u8], stamp: &[Range<usize>]) -> Option<u64>;
}

/// The whole record as it is.
pub struct WholeRecord;

/// One field as it is.
pub struct OneField {
    pub number: usize,
    pub separator: Separator,
}

/// Everything else.
pub struct AnyKey {
    spec: KeySpec,
    /// The key as it is hashed, where it is not a piece of the record.
    scratch: Vec<u8>,
    folded: Vec<u8>,
    parts: Vec<Option<Range<usize>>>,
    captures: Option<CaptureLocations>,
}

impl KeyOf for WholeRecord {
    #[inline(always)]
    fn hash<H: HashKey>(&mut self, hasher: &H, record: &[u8], _stamp: &[Range<usize>]) -> Option<u64> {
        Some(hasher.hash_key(record))
    }
}

impl KeyOf for OneField {
    #[inline(always)]
    fn hash<H: HashKey>(&mut self, hasher: &H, record: &[u8], _stamp: &[Range<usize>]) -> Option<u64> {
        field(record, self.number, self.separator).map(|range| hasher.hash_key(&record[range]))
    }
}

impl KeyOf for AnyKey {
    fn hash<H: HashKey>(&mut self, hasher: &H, record: &[u8], stamp: &[Range<usize>]) -> Option<u64> {
        self.key(record, stamp).map(|key| hasher.hash_key(key))
    }
}

impl AnyKey {
    pub fn new(spec: KeySpec) -> AnyKey {
        let captures = match &spec.source {
            KeySource::Pattern(pattern) => Some(pattern.capture_locations()),
            _ => None,
        };
        AnyKey { spec, scratch: Vec::new(), folded: Vec::new(), parts: Vec::new(), captures }
    }

    /// The bytes that are hashed for a record's key.
    pub fn key<'a>(&'a mut self, record: &'a [u8], stamp: &[Range<usize>]) -> Option<&'a [u8]> {
        let key = match &self.spec.source {
            KeySource::Whole => without(record, stamp, &mut self.scratch),
            KeySource::Fields { numbers, separator } => {
                pick(&mut self.parts, record, numbers, *separator);
                frame(record, &self.parts, self.spec.missing_is_empty, &mut self.scratch)?
            }
            KeySource::Pattern(pattern) => {
                self.parts.clear();
                match &mut self.captures {
                    Some(captures) if captures.len() > 1 => {
                        if pattern.captures_read(captures, record).is_some() {
                            // A group that took no part says nothing: `a(x)|b(y)` has one part whichever side matched.
                            let groups = (1..captures.len()).filter_map(|group| captures.get(group));
                            self.parts.extend(groups.map(|(start, end)| Some(start..end)));
                        }
                    }
                    _ => self.parts.extend(pattern.find(record).map(|found| Some(found.range()))),
                }
                if self.parts.is_empty() {
                    self.parts.push(None);
                }
                frame(record, &self.parts, self.spec.missing_is_empty, &mut self.scratch)?
            }
        };
        if !self.spec.ignore_case {
            return Some(key);
        }
        self.folded.clear();
        if key.is_ascii() {
            self.folded.extend(key.iter().map(u8::to_ascii_lowercase));
        } else {
            key.to_lowercase_into(&mut self.folded);
        }
        Some(&self.folded)
    }
}

/// The fields `numbers` of a record, in one pass over it.
fn pick(parts: &mut Vec<Option<Range<usize>>>, record: &[u8], numbers: &[usize], separator: Separator) {
    parts.clear();
    parts.resize(numbers.len(), None);
    let last = numbers.iter().copied().max().unwrap_or_default();
    for (index, range) in Fields::new(record, separator).take(last).enumerate() {
        for (part, number) in parts.iter_mut().zip(numbers) {
            if *number == index + 1 {
                *part = Some(range.clone());
            }
        }
    }
}

/// One part as it stands; several each after its length. `None` when one is missing and must not be.
fn frame<'a>(
    record: &'a [u8],
    parts: &[Option<Range<usize>>],
    missing_is_empty: bool,
    scratch: &'a mut Vec<u8>,
) -> Option<&'a [u8]> {
    let text = |part: &Option<Range<usize>>| match part {
        Some(range) => Some(&record[range.clone()]),
        None => missing_is_empty.then_some(&[][..]),
    };
    if let [part] = parts {
        return text(part);
    }
    scratch.clear();
    for part in parts {
        let text = text(part)?;
        scratch.extend_from_slice(&(text.len() as u64).to_le_bytes());
        scratch.extend_from_slice(text);
    }
    Some(scratch)
}

/// The record without the ranges of its stamp; all of it when nothing else is left.
fn without<'a>(record: &'a [u8], stamp: &[Range<usize>], scratch: &'a mut Vec<u8>) -> &'a [u8] {
    let (Some(first), Some(last)) = (stamp.first(), stamp.last()) else { return record };
    let around = record[..first.start].iter().chain(&record[last.end..]);
    let only_a_stamp = stamp.len() == 1 && around.clone().all(|byte| b" \t\0[]()\"'".contains(byte));
    if only_a_stamp {
        return record;
    }
    if stamp.len() == 1 && first.start == 0 {
        return &record[first.end..];
    }
    scratch.clear();
    let mut from = 0;
    for range in stamp {
        scratch.extend_from_slice(&record[from..range.start]);
        from = range.end;
    }
    scratch.extend_from_slice(&record[from..]);
    scratch
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(source: KeySource, record: &[u8]) -> Option<Vec<u8>> {
        let spec = KeySpec { source, ignore_case: false, missing_is_empty: false };
        AnyKey::new(spec).key(record, &[]).map(<[u8]>::to_vec)
    }

    fn fields(numbers: &[usize]) -> KeySource {
        KeySource::Fields { numbers: numbers.to_vec(), separator: Separator::Blanks }
    }

    fn pattern(pattern: &str) -> KeySource {
        KeySource::Pattern(Regex::new(pattern).unwrap())
    }

    #[test]
    fn parts_are_framed() {
        assert_ne!(key(fields(&[1, 2]), b"a bc"), key(fields(&[1, 2]), b"ab c"));
        assert_ne!(key(fields(&[1, 2]), b"a b"), key(fields(&[2, 1]), b"a b"));
        assert_eq!(key(fields(&[2, 1]), b"a b"), key(fields(&[1, 2]), b"b a x"));
        assert_eq!(key(fields(&[2]), b"a b"), Some(b"b".to_vec()));
        assert_eq!(key(fields(&[1, 3]), b"a b"), None);
    }

    #[test]
    fn a_missing_part_may_count_as_empty() {
        let spec = KeySpec { source: fields(&[1, 3]), ignore_case: false, missing_is_empty: true };
        let mut any = AnyKey::new(spec);
        let missing = any.key(b"a b", &[]).map(<[u8]>::to_vec);
        assert!(missing.is_some());
        assert_ne!(missing.as_deref(), any.key(b"a b c", &[]));
    }

    #[test]
    fn a_pattern_gives_its_groups_or_its_match() {
        assert_eq!(key(pattern("host=[a-z]+"), b"x host=ab y"), Some(b"host=ab".to_vec()));
        assert_eq!(key(pattern("host=([a-z]+)"), b"x host=ab y"), Some(b"ab".to_vec()));
        assert_eq!(key(pattern("a(x)|b(y)"), b"by"), Some(b"y".to_vec()));
        assert_eq!(key(pattern("host=([a-z]+)"), b"nothing"), None);
        assert_ne!(key(pattern("(a+)(b*)"), b"aab"), key(pattern("(a+)(b*)"), b"aabb"));
    }

    #[test]
    fn case_is_ignored_in_any_alphabet_and_bad_bytes_stay() {
        let fold = |record: &[u8]| {
            let spec = KeySpec { source: KeySource::Whole, ignore_case: true, missing_is_empty: false };
            AnyKey::new(spec).key(record, &[]).map(<[u8]>::to_vec)
        };
        assert_eq!(fold("ÄB".as_bytes()), fold("äb".as_bytes()));
        assert_eq!(fold(b"AB"), fold(b"ab"));
        assert_ne!(fold(b"A\xE9"), fold(b"a\xE8"));
        assert_eq!(fold(b"A\xE9"), fold(b"a\xE9"));
    }

    #[test]
    fn a_stamp_is_left_out_unless_it_is_all_there_is() {
        let mut scratch = Vec::new();
        assert_eq!(without(b"12:00 x", &[0..5], &mut scratch), b" x");
        assert_eq!(without(b"[12:00] x", &[1..6], &mut scratch), b"[] x");
        assert_eq!(without(b"a 12 b 34 c", &[2..4, 7..9], &mut scratch), b"a  b  c");
        assert_eq!(without(b"[12:00] ", &[1..6], &mut scratch), b"[12:00] ");
        assert_eq!(without(b"12:00", &[0..5], &mut scratch), b"12:00");
        assert_eq!(without(b"no stamp", &[], &mut scratch), b"no stamp");
    }
}
