//! Bytes to records: where each one ends, the hash of its key, and its stamp.
//!
//! Reading a block is pure and needs nothing but the block, so that it can be done beside the ordered stage, which takes
//! the records over one by one.

pub mod access_log;
pub mod fields;
pub mod key;
pub mod parts;
mod read;
pub mod sift;
pub mod time;

pub use read::{ReadOptions, Reader, content};

use super::timestamp::{Form, Stamp};
use std::ops::Range;

/// What was found in a block, in the order of its records.
///
/// Records that have a key have a hash; those that have none are listed apart, so that the many need no flag.
#[derive(Debug, Default)]
pub struct Records {
    /// Where each record ends in the block, its terminator included.
    pub ends: Vec<u32>,
    /// The hash of each record's key, those without a key left out.
    pub hashes: Vec<u64>,
    /// Each record's stamp; empty where no time is read.
    pub stamps: Vec<Stamp>,
    /// The records without a key, ascending.
    pub keyless: Vec<Keyless>,
    /// The form of the stamps, once one was read.
    pub form: Option<Form>,
    /// Whether an access-log line was found where one was looked for.
    pub is_access_log: bool,
    /// Where stamps stand in their records, ascending; only where that is wanted.
    pub stamp_places: Vec<StampPlace>,
}

/// A piece of a record's stamp.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StampPlace {
    /// The number of the record in its block.
    pub index: u32,
    /// Where in the record it stands.
    pub range: Range<usize>,
}

/// A record without a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Keyless {
    /// Its number in the block.
    pub index: u32,
    pub why: Why,
}

/// Why a record has no key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Why {
    /// It lacks a field, or the pattern does not match.
    Missing,
    /// It is broken: longer than the limit.
    TooLong,
    /// It is broken: its input could not be read to the record's end.
    Cut,
    /// It is broken: its stamp cannot be read.
    BadStamp,
    /// It is not to be judged: its key is exempt, or a pattern says so.
    Exempt,
    /// It is no record at all, but a line with which `tail -F a b` names its file.
    Banner,
}

impl Why {
    /// In words.
    pub fn describe(self) -> &'static str {
        match self {
            Why::Missing => "the record lacks the key",
            Why::TooLong => "the record is longer than --max-record",
            Why::Cut => "the record is cut short",
            Why::BadStamp => "the record's stamp cannot be read",
            Why::Exempt => "the record is exempt",
            Why::Banner => "the line names a file",
        }
    }
}

impl Records {
    pub fn clear(&mut self) {
        self.ends.clear();
        self.hashes.clear();
        self.stamps.clear();
        self.keyless.clear();
        self.stamp_places.clear();
        self.is_access_log = false;
    }

    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// The numbers of the lines that are no records, ascending.
    pub fn banners(&self) -> impl Iterator<Item = usize> {
        self.keyless.iter().filter(|record| record.why == Why::Banner).map(|record| record.index as usize)
    }

    /// Where the stamp of the `index`th record stands. `from` remembers how far a walk over ascending records has come.
    pub fn stamp_of(&self, index: usize, from: &mut usize) -> &[StampPlace] {
        let rest = &self.stamp_places[*from..];
        let before = rest.iter().take_while(|place| (place.index as usize) < index).count();
        let own = rest[before..].iter().take_while(|place| place.index as usize == index).count();
        *from += before + own;
        &rest[before..before + own]
    }

    /// Leaves the first `len` records.
    pub fn truncate(&mut self, len: usize) {
        self.ends.truncate(len);
        self.stamps.truncate(len);
        let keyless = self.keyless.partition_point(|record| (record.index as usize) < self.ends.len());
        self.keyless.truncate(keyless);
        self.hashes.truncate(self.ends.len() - keyless);
    }
}
