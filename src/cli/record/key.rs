//! Which bytes of a record are its key, and their hash.
//!
//! A key of one part is hashed where it stands. One of several parts is framed, each part after its length, so that
//! `a` and `bc` are another key than `ab` and `c`.

use super::access_log::{self, AccessField};
use super::csv;
use super::fields::{Separator, field};
use super::found::Found;
use super::locate::capture;
use super::mask::Masks;
use super::names::Names;
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
    Fields(Names),
    /// What a pattern's groups match, or the whole match of a pattern without groups.
    Pattern(Regex),
}

/// The options of a key.
#[derive(Debug, Clone)]
pub struct KeySpec {
    pub source: KeySource,
    /// Fields that are left out of a key that is the whole record.
    pub ignore: Names,
    pub ignore_case: bool,
    /// A part that is not there counts as an empty one.
    pub missing_is_empty: bool,
    /// The stamp is part of a key that is the whole record.
    pub keep_time: bool,
    /// What is replaced by placeholders.
    pub masks: Masks,
    /// A JSON string is another key than a number of the same digits.
    pub typed: bool,
}

impl KeySpec {
    /// A key of this source without further options.
    pub fn new(source: KeySource) -> KeySpec {
        KeySpec {
            source,
            ignore: Names::none("--ignore"),
            ignore_case: false,
            missing_is_empty: false,
            keep_time: false,
            masks: Masks::default(),
            typed: false,
        }
    }

    /// Whether the key's bytes are taken as they stand.
    pub fn is_verbatim(&self) -> bool {
        !self.ignore_case && !self.missing_is_empty && self.masks.is_empty() && self.ignore.names.is_empty()
    }

    /// Parts of the key; of a pattern, those that may be there.
    pub fn parts(&self) -> usize {
        match &self.source {
            KeySource::Whole => 1,
            KeySource::Fields(names) => names.names.len(),
            KeySource::Pattern(pattern) => (pattern.captures_len() - 1).max(1),
        }
    }
}

/// A record and what was found of it.
#[derive(Clone, Copy)]
pub struct Look<'a> {
    pub record: &'a [u8],
    /// Its parts, those of the key first.
    pub found: &'a Found,
    /// What is no part of a key that is the whole record: its stamp, fields to be ignored. Ascending and apart.
    pub cuts: &'a [Range<usize>],
}

/// Finds the key of one record after the other.
pub trait KeyOf {
    /// The hash of the record's key; `None` where it has none.
    fn hash<H: HashKey>(&mut self, hasher: &H, look: Look<'_>) -> Option<u64>;
}

/// The whole record as it is.
#[derive(Clone)]
pub struct WholeRecord;

/// One field as it is, by its number.
#[derive(Clone)]
pub struct OneNumber {
    pub number: usize,
    pub separator: Separator,
}

/// One field of an access log as it is.
#[derive(Clone)]
pub struct OneAccessField(pub AccessField);

/// One column of a table as it is.
#[derive(Clone)]
pub struct OneColumn {
    pub delimiter: u8,
    /// Counted from 0.
    pub column: usize,
    pub scratch: Vec<u8>,
}

/// The first part that was found, as it is.
#[derive(Clone)]
pub struct OnePart;

/// Everything else.
#[derive(Clone)]
pub struct AnyKey {
    spec: KeySpec,
    /// The key as it is hashed, where it is not a piece of the record.
    scratch: Vec<u8>,
    folded: Vec<u8>,
    masked: Vec<u8>,
    /// What a pattern found.
    captured: Found,
    captures: Option<CaptureLocations>,
}

impl KeyOf for WholeRecord {
    #[inline(always)]
    fn hash<H: HashKey>(&mut self, hasher: &H, look: Look<'_>) -> Option<u64> {
        Some(hasher.hash_key(look.record))
    }
}

impl KeyOf for OneAccessField {
    #[inline(always)]
    fn hash<H: HashKey>(&mut self, hasher: &H, look: Look<'_>) -> Option<u64> {
        access_log::field(look.record, self.0).map(|range| hasher.hash_key(&look.record[range]))
    }
}

impl KeyOf for OneNumber {
    #[inline(always)]
    fn hash<H: HashKey>(&mut self, hasher: &H, look: Look<'_>) -> Option<u64> {
        field(look.record, self.number, self.separator).map(|range| hasher.hash_key(&look.record[range]))
    }
}

impl KeyOf for OneColumn {
    #[inline(always)]
    fn hash<H: HashKey>(&mut self, hasher: &H, look: Look<'_>) -> Option<u64> {
        let place = csv::column(look.record, self.delimiter, self.column, &mut self.scratch)?;
        Some(hasher.hash_key(match place.decoded {
            None => &look.record[place.raw],
            Some(range) => &self.scratch[range],
        }))
    }
}

impl KeyOf for OnePart {
    #[inline(always)]
    fn hash<H: HashKey>(&mut self, hasher: &H, look: Look<'_>) -> Option<u64> {
        look.found.text(look.record, 0).map(|text| hasher.hash_key(text))
    }
}

impl KeyOf for AnyKey {
    fn hash<H: HashKey>(&mut self, hasher: &H, look: Look<'_>) -> Option<u64> {
        self.key(look).map(|key| hasher.hash_key(key))
    }
}

impl AnyKey {
    pub fn new(spec: KeySpec) -> AnyKey {
        let captures = match &spec.source {
            KeySource::Pattern(pattern) => Some(pattern.capture_locations()),
            _ => None,
        };
        AnyKey {
            spec,
            scratch: Vec::new(),
            folded: Vec::new(),
            masked: Vec::new(),
            captured: Found::default(),
            captures,
        }
    }

    /// The hash of a key that is given by its parts instead of standing in a record, as [`KeyOf::hash`] would have it.
    pub fn hash_of_parts<H: HashKey>(&mut self, hasher: &H, parts: &[&[u8]]) -> u64 {
        let buffers = Buffers { scratch: &mut self.scratch, folded: &mut self.folded, masked: &mut self.masked };
        hasher.hash_key(frame(parts.len(), |part| Some(parts[part]), &self.spec, buffers).unwrap_or_default())
    }

    /// Gives the parts of a record's key as they stand in it, but for masks, to `each`, one after the other: as many as
    /// there are in every key, empty where the record has none.
    pub fn texts(&mut self, look: Look<'_>, mut each: impl FnMut(&[u8])) {
        self.capture(look.record);
        let AnyKey { spec, scratch, masked, captured, .. } = self;
        let found = if let KeySource::Pattern(_) = spec.source { &*captured } else { look.found };
        let mut show = |text: &[u8]| {
            if spec.masks.is_empty() {
                return each(text);
            }
            masked.clear();
            spec.masks.apply(text, masked);
            each(masked);
        };
        match &spec.source {
            KeySource::Whole => show(without(look.record, look.cuts, scratch)),
            KeySource::Fields(names) => {
                let count = names.names.len();
                let is_whole = spec.missing_is_empty || found.places.iter().take(count).flatten().count() == count;
                let text = |part| found.text(look.record, part).filter(|_| is_whole).unwrap_or_default();
                (0..count).for_each(|part| show(text(part)));
            }
            KeySource::Pattern(_) if found.places.is_empty() => show(b""),
            KeySource::Pattern(_) => {
                (0..found.places.len()).for_each(|part| show(found.text(look.record, part).unwrap_or_default()));
            }
        }
    }

    /// Finds what the pattern matches.
    fn capture(&mut self, record: &[u8]) {
        if let KeySource::Pattern(pattern) = &self.spec.source {
            capture(pattern, &mut self.captures, record, &mut self.captured.places);
        }
    }

    /// The bytes that are hashed for a record's key.
    pub fn key<'a>(&'a mut self, look: Look<'a>) -> Option<&'a [u8]> {
        self.capture(look.record);
        let AnyKey { spec, scratch, folded, masked, captured, .. } = self;
        let record = look.record;
        match &spec.source {
            KeySource::Whole => {
                let rest = without(record, look.cuts, scratch);
                Some(fold(mask(rest, &spec.masks, masked), spec.ignore_case, folded))
            }
            KeySource::Fields(names) => frame(
                names.names.len(),
                |part| look.found.text(record, part),
                spec,
                Buffers { scratch, folded, masked },
            ),
            KeySource::Pattern(_) => {
                if captured.places.is_empty() {
                    captured.places.push(None);
                }
                let captured = &*captured;
                frame(
                    captured.places.len(),
                    |part| captured.text(record, part),
                    spec,
                    Buffers { scratch, folded, masked },
                )
            }
        }
    }
}

/// The key with placeholders in place of what is masked.
fn mask<'a>(key: &'a [u8], masks: &Masks, masked: &'a mut Vec<u8>) -> &'a [u8] {
    if masks.is_empty() {
        return key;
    }
    masked.clear();
    masks.apply(key, masked);
    masked
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

/// Room to work a key out in.
struct Buffers<'a> {
    scratch: &'a mut Vec<u8>,
    folded: &'a mut Vec<u8>,
    masked: &'a mut Vec<u8>,
}

/// One part as it is, or several each after its length. `None` when one is missing and must not be.
fn frame<'a>(
    parts: usize,
    text: impl Fn(usize) -> Option<&'a [u8]>,
    spec: &KeySpec,
    buffers: Buffers<'a>,
) -> Option<&'a [u8]> {
    let Buffers { scratch, folded, masked } = buffers;
    let text = |part| text(part).or(spec.missing_is_empty.then_some(&[][..]));
    if parts == 1 {
        return text(0).map(|text| fold(mask(text, &spec.masks, masked), spec.ignore_case, folded));
    }
    scratch.clear();
    for part in 0..parts {
        // In lower case a letter may have another length.
        let text = fold(mask(text(part)?, &spec.masks, masked), spec.ignore_case, folded);
        scratch.extend_from_slice(&(text.len() as u64).to_le_bytes());
        scratch.extend_from_slice(text);
    }
    Some(scratch)
}

/// The record without `cuts`, the ranges that are no part of its key, ascending and apart; all of it when nothing else is left.
fn without<'a>(record: &'a [u8], cuts: &[Range<usize>], scratch: &'a mut Vec<u8>) -> &'a [u8] {
    let around = || {
        let starts = std::iter::once(0).chain(cuts.iter().map(|range| range.end));
        let ends = cuts.iter().map(|range| range.start).chain([record.len()]);
        starts.zip(ends).map(|(start, end)| &record[start..end])
    };
    if around().all(|text| text.iter().all(|byte| b" \t\0[]()\"'".contains(byte))) {
        return record;
    }
    match cuts {
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
mod tests;
