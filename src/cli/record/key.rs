//! Which bytes of a record are its key, and their hash.
//!
//! A key of one part is hashed where it stands. One of several parts is framed, each part after its length, so that
//! `a` and `bc` are another key than `ab` and `c`.

use super::access_log::{self, AccessField};
use super::fields::{Separator, field};
use super::parts::{Parts, capture};
use bstr::ByteSlice;
use grudge::hash::HashKey;
use regex::bytes::{CaptureLocations, Regex};
use std::ops::Range;

/// Where the key stands in a record.
#[derive(Debug, Clone)]
pub enum KeySource {
    /// The whole record, or all of it but its stamp where one was read.
    Whole,
    /// Fields, by number or name.
    Parts(Parts),
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
    /// The stamp is part of a key that is the whole record.
    pub keep_time: bool,
}

/// Finds the key of one record after the other.
pub trait KeyOf {
    /// The hash of the record's key; `None` where it has none. `stamp` are the ranges of the record's stamp.
    fn hash<H: HashKey>(&mut self, hasher: &H, record: &[u8], stamp: &[Range<usize>]) -> Option<u64>;
}

/// The whole record as it is.
pub struct WholeRecord;

/// One field as it is, by its number.
pub struct OneNumber {
    pub number: usize,
    pub separator: Separator,
}

/// One field of an access log as it is.
pub struct OneAccessField(pub AccessField);

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

impl KeyOf for OneAccessField {
    #[inline(always)]
    fn hash<H: HashKey>(&mut self, hasher: &H, record: &[u8], _stamp: &[Range<usize>]) -> Option<u64> {
        access_log::field(record, self.0).map(|range| hasher.hash_key(&record[range]))
    }
}

impl KeyOf for OneNumber {
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
    /// The hash of a key that is given by its parts instead of standing in a record, as [`KeyOf::hash`] would have it.
    pub fn hash_of_parts<H: HashKey>(&mut self, hasher: &H, parts: &[&[u8]]) -> u64 {
        let mut record = Vec::new();
        let ranges: Vec<_> = parts
            .iter()
            .map(|part| {
                record.extend_from_slice(part);
                Some(record.len() - part.len()..record.len())
            })
            .collect();
        let key = frame(&record, &ranges, &self.spec, &mut self.scratch, &mut self.folded);
        hasher.hash_key(key.unwrap_or_default())
    }

    /// Parts of the key: of a pattern, those that are always there.
    fn part_count(&self) -> usize {
        match &self.spec.source {
            KeySource::Parts(parts) => parts.as_slice().len(),
            KeySource::Whole | KeySource::Pattern(_) => 1,
        }
    }

    /// Gives the parts of a record's key as they stand in it to `each`, one after the other: as many as there are in
    /// every key, empty where the record has none.
    pub fn texts(&mut self, record: &[u8], stamp: &[Range<usize>], mut each: impl FnMut(&[u8])) {
        match &self.spec.source {
            KeySource::Whole if self.spec.keep_time => each(record),
            KeySource::Whole => each(without(record, stamp, &mut self.scratch)),
            KeySource::Parts(_) | KeySource::Pattern(_) => {
                if self.key(record, stamp).is_none() {
                    return (0..self.part_count()).for_each(|_| each(b""));
                }
                self.parts.iter().for_each(|part| each(part.clone().map_or(&[][..], |range| &record[range])));
            }
        }
    }

    pub fn new(spec: KeySpec) -> AnyKey {
        let captures = match &spec.source {
            KeySource::Pattern(pattern) => Some(pattern.capture_locations()),
            _ => None,
        };
        AnyKey { spec, scratch: Vec::new(), folded: Vec::new(), parts: Vec::new(), captures }
    }

    /// The bytes that are hashed for a record's key.
    pub fn key<'a>(&'a mut self, record: &'a [u8], stamp: &[Range<usize>]) -> Option<&'a [u8]> {
        match &self.spec.source {
            KeySource::Whole => {
                let rest = if self.spec.keep_time { record } else { without(record, stamp, &mut self.scratch) };
                return Some(fold(rest, self.spec.ignore_case, &mut self.folded));
            }
            KeySource::Parts(parts) => parts.locate(record, &mut self.parts),
            KeySource::Pattern(pattern) => {
                capture(pattern, &mut self.captures, record, &mut self.parts);
                if self.parts.is_empty() {
                    self.parts.push(None);
                }
            }
        }
        frame(record, &self.parts, &self.spec, &mut self.scratch, &mut self.folded)
    }
}

/// The key in lower case where case is to be ignored. Bytes that are no text stay as they are.
fn fold<'a>(key: &'a [u8], ignore_case: bool, folded: &'a mut Vec<u8>) -> &'a [u8] {
    if !ignore_case {
        return key;
    }
    folded.clear();
    if key.is_ascii() {
        folded.extend(key.iter().map(u8::to_ascii_lowercase));
    } else {
        key.to_lowercase_into(folded);
    }
    folded
}

/// One part as it stands, or in lower case; several each after its length. `None` when one is missing and must not be.
fn frame<'a>(
    record: &'a [u8],
    parts: &[Option<Range<usize>>],
    spec: &KeySpec,
    scratch: &'a mut Vec<u8>,
    folded: &'a mut Vec<u8>,
) -> Option<&'a [u8]> {
    let text = |part: &Option<Range<usize>>| match part {
        Some(range) => Some(&record[range.clone()]),
        None => spec.missing_is_empty.then_some(&[][..]),
    };
    if let [part] = parts {
        return text(part).map(|text| fold(text, spec.ignore_case, folded));
    }
    scratch.clear();
    for part in parts {
        // In lower case a letter may have another length.
        let text = fold(text(part)?, spec.ignore_case, folded);
        scratch.extend_from_slice(&(text.len() as u64).to_le_bytes());
        scratch.extend_from_slice(text);
    }
    Some(scratch)
}

/// The record without the ranges of its stamp; all of it when nothing else is left.
fn without<'a>(record: &'a [u8], stamp: &[Range<usize>], scratch: &'a mut Vec<u8>) -> &'a [u8] {
    let around = || {
        let starts = std::iter::once(0).chain(stamp.iter().map(|range| range.end));
        let ends = stamp.iter().map(|range| range.start).chain([record.len()]);
        starts.zip(ends).map(|(start, end)| &record[start..end])
    };
    if around().all(|text| text.iter().all(|byte| b" \t\0[]()\"'".contains(byte))) {
        return record;
    }
    match stamp {
        [] => record,
        [only] if only.start == 0 => &record[only.end..],
        _ => {
            scratch.clear();
            around().for_each(|text| scratch.extend_from_slice(text));
            scratch
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::parts::Part;
    use super::*;

    fn key(source: KeySource, record: &[u8]) -> Option<Vec<u8>> {
        let spec = KeySpec { source, ignore_case: false, missing_is_empty: false, keep_time: false };
        AnyKey::new(spec).key(record, &[]).map(<[u8]>::to_vec)
    }

    fn fields(numbers: &[usize]) -> KeySource {
        KeySource::Parts(Parts::new(numbers.iter().map(|number| Part::Number(*number)).collect(), Separator::Blanks))
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
    fn a_key_given_by_its_parts_is_the_one_found_in_a_record() {
        let hasher = grudge::hash::KeyHasher::new(Default::default(), Default::default());
        for (numbers, parts) in [(&[2][..], &[&b"B"[..]][..]), (&[2, 1], &[b"B", b"a"])] {
            for ignore_case in [false, true] {
                let spec = KeySpec { source: fields(numbers), ignore_case, missing_is_empty: false, keep_time: false };
                let mut any = AnyKey::new(spec);
                let given = any.hash_of_parts(&hasher, parts);
                assert_eq!(any.hash(&hasher, b"a B c", &[]), Some(given));
                let mut texts = Vec::new();
                any.texts(b"a B c", &[], |text| texts.push(text.to_vec()));
                assert_eq!(texts, parts);
            }
        }
    }

    #[test]
    fn a_missing_part_may_count_as_empty() {
        let spec = KeySpec { source: fields(&[1, 3]), ignore_case: false, missing_is_empty: true, keep_time: false };
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
            let spec =
                KeySpec { source: KeySource::Whole, ignore_case: true, missing_is_empty: false, keep_time: false };
            AnyKey::new(spec).key(record, &[]).map(<[u8]>::to_vec)
        };
        assert_eq!(fold("ÄB".as_bytes()), fold("äb".as_bytes()));
        assert_eq!(fold(b"AB"), fold(b"ab"));
        assert_ne!(fold(b"A\xE9"), fold(b"a\xE8"));
        assert_eq!(fold(b"A\xE9"), fold(b"a\xE9"));
    }

    #[test]
    fn a_stamp_is_left_out_unless_it_is_all_there_is() {
        let rest = |record: &str, stamp: &[(usize, usize)]| {
            let stamp: Vec<Range<usize>> = stamp.iter().map(|(start, end)| *start..*end).collect();
            String::from_utf8(without(record.as_bytes(), &stamp, &mut Vec::new()).to_vec()).unwrap()
        };
        assert_eq!(rest("12:00 x", &[(0, 5)]), " x");
        assert_eq!(rest("[12:00] x", &[(1, 6)]), "[] x");
        assert_eq!(rest("a 12 b 34 c", &[(2, 4), (7, 9)]), "a  b  c");
        assert_eq!(rest("[12:00] ", &[(1, 6)]), "[12:00] ");
        assert_eq!(rest("12:00", &[(0, 5)]), "12:00");
        assert_eq!(rest("12 \t34", &[(0, 2), (4, 6)]), "12 \t34");
        assert_eq!(rest("no stamp", &[]), "no stamp");
    }
}
