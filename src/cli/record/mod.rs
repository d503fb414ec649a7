//! Bytes to records: where each one ends, the hash of its key, and its stamp.
//!
//! Reading a block is pure and needs nothing but the block, so that it can be done beside the ordered stage, which takes
//! the records over one by one.

pub mod access_log;
mod cri;
pub mod csv;
pub mod fields;
pub mod format;
pub mod found;
pub mod framing;
pub mod json;
pub mod key;
mod klog;
mod listing;
pub mod locate;
mod logfmt;
pub mod mask;
mod named;
pub mod names;
pub mod plan;
pub mod preview;
mod read;
pub mod sift;
mod syslog;
pub mod time;
pub mod value;
mod w3c;

pub use listing::list;
pub use read::{Multiline, ReadOptions, Reader, content, is_banner};

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
    /// The number that each record with a key gives; empty where that is 1 for all.
    pub values: Vec<f64>,
    /// Records that give nothing, as they lack the field that is to be looked up.
    pub unfound: u64,
    /// Each record's stamp; empty where no time is read.
    pub stamps: Vec<Stamp>,
    /// The records without a key, ascending.
    pub keyless: Vec<Keyless>,
    /// The form of the stamps, once one was read.
    pub form: Option<Form>,
    /// What is cut out of the keys of records, ascending; only where that is wanted.
    pub cuts: Vec<Cut>,
    /// Fields of each row of a table.
    pub widths: Vec<u32>,
    /// Fields of the header of the rows; 0 without one.
    pub columns: u32,
    /// Lines of the block.
    pub lines: u64,
    /// Why the run ends behind the records of the block.
    pub trouble: Option<String>,
}

/// A piece of a record that is no part of its key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cut {
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
    /// It lacks the field whose number is wanted.
    NoValue,
    /// It is broken: its value is no number.
    BadValue,
    /// It is broken: its value is below 0, and must not be.
    NegativeValue,
    /// It is broken: longer than the limit.
    TooLong,
    /// It is broken: its input could not be read to the record's end.
    Cut,
    /// It is broken: its stamp cannot be read.
    BadStamp,
    /// It is broken: its stamp names a zone that is not known, or means more than one.
    UnknownZone,
    /// It is broken: a quote opens in it that nothing closes.
    OpenQuote,
    /// It is broken: no JSON.
    Json(json::Broken),
    /// It is not to be judged: its key is exempt, or a pattern says so.
    Exempt,
    /// It is no record at all, but a line with which `tail -F a b` names its file.
    Banner,
    /// It is no record at all, but says how the records behind it are laid out.
    Heading,
    /// It is no record at all, but a line with nothing in it between rows or objects.
    Blank,
    /// It is no record of its own: the record before it goes on.
    GoesOn,
}

impl Why {
    /// In words.
    pub fn describe(self) -> &'static str {
        match self {
            Why::Missing => "the record lacks the key",
            Why::NoValue => "the record lacks the field with its value",
            Why::BadValue => "the record's value is not a number",
            Why::NegativeValue => "the record's value is negative",
            Why::TooLong => "the record is longer than --max-record",
            Why::Cut => "the record is cut short",
            Why::BadStamp => "the record's stamp cannot be read",
            Why::UnknownZone => "the zone of the record's stamp is not known",
            Why::OpenQuote => "a quote is opened and never closed",
            Why::Json(broken) => broken.describe(),
            Why::Exempt => "the record is exempt",
            Why::Banner => "the line names a file",
            Why::Heading => "the line is a heading",
            Why::Blank => "the line is blank",
            Why::GoesOn => "the line goes on with the record before it",
        }
    }

    /// Whether it is a record.
    pub fn is_record(self) -> bool {
        !matches!(self, Why::Banner | Why::Heading | Why::Blank | Why::GoesOn)
    }

    /// Whether it is a whole record, of which only what it is to be judged by cannot be read.
    pub fn is_unjudged(self) -> bool {
        matches!(self, Why::BadStamp | Why::UnknownZone | Why::BadValue | Why::NegativeValue)
    }

    /// Whether it lacks what it is to be judged by.
    pub fn is_missing(self) -> bool {
        matches!(self, Why::Missing | Why::NoValue)
    }

    /// Whether it is a broken one.
    pub fn is_broken(self) -> bool {
        matches!(self, Why::TooLong | Why::Cut | Why::OpenQuote | Why::Json(_)) || self.is_unjudged()
    }
}

impl From<json::Broken> for Why {
    fn from(broken: json::Broken) -> Why {
        Why::Json(broken)
    }
}

impl Records {
    pub fn clear(&mut self) {
        self.ends.clear();
        self.hashes.clear();
        self.values.clear();
        self.unfound = 0;
        self.stamps.clear();
        self.keyless.clear();
        self.cuts.clear();
        self.widths.clear();
        self.columns = 0;
        self.lines = 0;
        self.trouble = None;
    }

    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Where the `index`th record begins in the block.
    pub fn start(&self, index: usize) -> usize {
        if index == 0 { 0 } else { self.ends[index - 1] as usize }
    }

    /// The numbers of what are no records, ascending.
    pub fn no_records(&self) -> impl Iterator<Item = usize> {
        self.keyless.iter().filter(|record| !record.why.is_record()).map(|record| record.index as usize)
    }

    /// What is cut out of the key of the `index`th record. `from` remembers how far a walk over ascending records has come.
    #[inline]
    pub fn cuts_of(&self, index: usize, from: &mut usize) -> &[Cut] {
        if self.cuts.is_empty() {
            return &[];
        }
        let rest = &self.cuts[*from..];
        let before = rest.iter().take_while(|cut| (cut.index as usize) < index).count();
        let own = rest[before..].iter().take_while(|cut| cut.index as usize == index).count();
        *from += before + own;
        &rest[before..before + own]
    }

    /// Rows with more or fewer fields than the header.
    pub fn ragged(&self) -> u64 {
        let is_ragged = |width: &&u32| self.columns > 0 && **width != self.columns && **width != 0;
        self.widths.iter().filter(is_ragged).count() as u64
    }

    /// Leaves the first `len` records.
    pub fn truncate(&mut self, len: usize) {
        self.ends.truncate(len);
        self.widths.truncate(len);
        self.stamps.truncate(len);
        let keyless = self.keyless.partition_point(|record| (record.index as usize) < self.ends.len());
        self.keyless.truncate(keyless);
        self.hashes.truncate(self.ends.len() - keyless);
        self.values.truncate(self.ends.len() - keyless);
    }
}
