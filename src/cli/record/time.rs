//! Which bytes of a record are its stamp.

use super::super::timestamp::{Stamp, StampReader};
use super::fields::{Fields, Separator};
use std::ops::Range;

/// Where the time stands in a record.
#[derive(Debug, Clone)]
pub enum TimeSource {
    /// At the start of the line.
    Leading,
    /// In fields, by number, joined by a blank where they are several.
    Fields { numbers: Vec<usize>, separator: Separator },
}

/// Reads the stamp of one record after the other.
#[derive(Clone)]
pub struct TimeReader {
    source: TimeSource,
    stamps: StampReader,
    /// The ranges of the last record's stamp, ascending.
    ranges: Vec<Range<usize>>,
    joined: Vec<u8>,
}

impl TimeReader {
    pub fn new(source: TimeSource, stamps: StampReader) -> TimeReader {
        TimeReader { source, stamps, ranges: Vec::new(), joined: Vec::new() }
    }

    /// The stamp of `record`.
    #[inline]
    pub fn read(&mut self, record: &[u8]) -> Stamp {
        self.ranges.clear();
        match &self.source {
            TimeSource::Leading => {
                let (stamp, range) = self.stamps.leading(record);
                if !range.is_empty() {
                    self.ranges.push(range);
                }
                stamp
            }
            TimeSource::Fields { numbers, separator } => {
                self.joined.clear();
                for number in numbers {
                    let Some(range) = Fields::new(record, *separator).nth(number - 1) else { continue };
                    if !self.joined.is_empty() {
                        self.joined.push(b' ');
                    }
                    self.joined.extend_from_slice(&record[range.clone()]);
                    self.ranges.push(range);
                }
                let complete = self.ranges.len() == numbers.len();
                self.ranges.sort_unstable_by_key(|range| range.start);
                self.ranges.dedup();
                if complete { self.stamps.field(&self.joined) } else { Stamp::None }
            }
        }
    }

    /// Where the last record's stamp stands.
    pub fn ranges(&self) -> &[Range<usize>] {
        &self.ranges
    }
}
