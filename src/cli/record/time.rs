//! Which bytes of a record are its stamp.

use super::super::timestamp::{Form, Stamp, StampReader};
use super::access_log::{self, AccessField};
use super::parts::{Parts, capture};
use regex::bytes::{CaptureLocations, Regex};
use std::ops::Range;

/// Records among which one must be an access-log line for all to be taken for such.
pub const DECIDE_WITHIN: u32 = 100;

/// Where the time stands in a record.
#[derive(Debug, Clone)]
pub enum TimeSource {
    /// At the start of the line.
    Leading,
    /// Between the brackets of an access-log line.
    Access,
    /// Of the two above, the one that the first records decide.
    Auto,
    /// In fields, joined by a blank where they are several.
    Parts(Parts),
    /// What a pattern's groups match, joined by a blank, or the whole match of a pattern without groups.
    Pattern(Regex),
}

/// Reads the stamp of one record after the other.
#[derive(Clone)]
pub struct TimeReader {
    source: TimeSource,
    stamps: StampReader,
    /// Records that may still decide what [`TimeSource::Auto`] is.
    undecided: u32,
    /// The ranges of the last record's stamp, ascending.
    ranges: Vec<Range<usize>>,
    places: Vec<Option<Range<usize>>>,
    captures: Option<CaptureLocations>,
    joined: Vec<u8>,
    /// What cannot be read is no stamp, instead of a broken one.
    lenient: bool,
}

impl TimeReader {
    /// `lenient`: whether a stamp that cannot be read is none at all, as where no clock needs it.
    pub fn new(source: TimeSource, stamps: StampReader, lenient: bool) -> TimeReader {
        let captures = match &source {
            TimeSource::Pattern(pattern) => Some(pattern.capture_locations()),
            _ => None,
        };
        TimeReader {
            source,
            stamps,
            undecided: DECIDE_WITHIN,
            ranges: Vec::new(),
            places: Vec::new(),
            captures,
            joined: Vec::new(),
            lenient,
        }
    }

    /// The form of the stamps, once one was read.
    pub fn form(&self) -> Option<Form> {
        self.stamps.form()
    }

    /// Where the time stands, once that is decided.
    pub fn source(&self) -> &TimeSource {
        &self.source
    }

    /// The stamp of `record`.
    #[inline]
    pub fn read(&mut self, record: &[u8]) -> Stamp {
        self.ranges.clear();
        match self.find(record) {
            Stamp::Bad if self.lenient => {
                self.ranges.clear();
                Stamp::None
            }
            stamp => stamp,
        }
    }

    #[inline]
    fn find(&mut self, record: &[u8]) -> Stamp {
        if matches!(self.source, TimeSource::Auto) {
            self.decide(record);
        }
        match &self.source {
            TimeSource::Leading | TimeSource::Auto => {
                let (stamp, range) = self.stamps.leading(record);
                if !range.is_empty() {
                    self.ranges.push(range);
                }
                stamp
            }
            TimeSource::Access => match access_log::field(record, AccessField::Time) {
                Some(range) => {
                    self.ranges.push(range.clone());
                    self.stamps.field(&record[range])
                }
                None => Stamp::None,
            },
            TimeSource::Parts(parts) => {
                parts.locate(record, &mut self.places);
                if self.places.iter().any(Option::is_none) {
                    return Stamp::None;
                }
                self.read_places(record)
            }
            TimeSource::Pattern(pattern) => {
                capture(pattern, &mut self.captures, record, &mut self.places);
                self.read_places(record)
            }
        }
    }

    /// Reads what stands at `self.places` as one stamp.
    fn read_places(&mut self, record: &[u8]) -> Stamp {
        let ranges = self.places.iter().flatten();
        self.ranges.extend(ranges.clone().cloned());
        let stamp = match self.ranges.as_slice() {
            [] => return Stamp::None,
            [range] => self.stamps.field(&record[range.clone()]),
            ranges => {
                self.joined.clear();
                for range in ranges {
                    if !self.joined.is_empty() {
                        self.joined.push(b' ');
                    }
                    self.joined.extend_from_slice(&record[range.clone()]);
                }
                self.stamps.field(&self.joined)
            }
        };
        if stamp == Stamp::None {
            // What is no time is part of the key like anything else.
            self.ranges.clear();
        }
        self.ranges.sort_unstable_by_key(|range| range.start);
        self.ranges.dedup();
        stamp
    }

    /// The first access-log line among the first records makes it an access log; those before it, and all where there is
    /// none, are plain lines.
    fn decide(&mut self, record: &[u8]) {
        if self.undecided == 0 {
            self.source = TimeSource::Leading;
            return;
        }
        self.undecided -= 1;
        if access_log::is_access_line(record) {
            self.source = TimeSource::Access;
            // A line before may have had a stamp of another form.
            self.stamps.unlock();
        }
    }

    /// Where the last record's stamp stands.
    pub fn ranges(&self) -> &[Range<usize>] {
        &self.ranges
    }
}
