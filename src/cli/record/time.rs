//! Which bytes of a record are its stamp.

use super::super::timestamp::{Form, Stamp, StampReader, looks_ambiguous};
use super::access_log::{self, AccessField};
use super::found::{Found, Place};
use super::json;
use super::locate::capture;
use super::names::Names;
use grudge::time::Timestamp;
use regex::bytes::{CaptureLocations, Regex};
use std::ops::Range;

/// Where the time is said to stand.
#[derive(Debug, Clone)]
pub enum TimeSource {
    /// Where the format has it.
    Own,
    /// In fields, joined by a blank where they are several.
    Fields(Names),
    /// What a pattern's groups match, joined by a blank, or the whole match of a pattern without groups.
    Pattern(Regex),
}

/// Where it stands in records of one format.
#[derive(Debug, Clone)]
pub enum TimePlace {
    /// At the start of the line.
    Leading,
    /// Between the brackets of an access-log line.
    Access,
    /// In the text in front of a JSON object.
    InFront,
    /// In these of the parts found of a record, all of them joined by a blank.
    Parts(Range<usize>),
    /// In the first two of these together, in one of the others, or in front of a JSON object; the first record that has a
    /// stamp decides.
    OneOf(Range<usize>),
    Pattern(Regex),
}

/// What a record decided of [`TimePlace::OneOf`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Chosen {
    /// The text in front.
    InFront,
    /// The date in one field, the time of day in another.
    Pair,
    /// The part of this number among those that might have it.
    Part(usize),
    /// None of the first records has a time.
    Nothing,
}

/// The names that fields with the time of a record have, the most telling ones first.
pub const TIME_NAMES: [&str; 12] = [
    "@timestamp",
    "timestamp",
    "time",
    "ts",
    "datetime",
    "eventTime",
    "event_time",
    "start_time",
    "date",
    "asctime",
    "t",
    "__REALTIME_TIMESTAMP",
];

/// The names of two fields that have the time together.
pub const DATE_AND_TIME: [&str; 2] = ["date", "time"];

/// Records within which a field with the time must show itself.
const CHOOSE_WITHIN: u32 = 1000;

/// The first number of seconds with nine digits, in 1973. A smaller one is a status, a size or a duration.
pub const LIKELY_EPOCH: Timestamp = Timestamp::from_seconds(100_000_000, 0);

/// Words that are shown of a date whose order is not known: the date, the time of day.
const SHOWN_WORDS: usize = 2;

/// Reads the stamp of one record after the other.
#[derive(Clone)]
pub struct TimeReader {
    place: TimePlace,
    stamps: StampReader,
    chosen: Option<Chosen>,
    /// Records that have not chosen.
    undecided: u32,
    /// The ranges of the last record's stamp, ascending, as they are left out of a key.
    ranges: Vec<Range<usize>>,
    places: Vec<Option<Place>>,
    captures: Option<CaptureLocations>,
    joined: Vec<u8>,
    /// What cannot be read is no stamp, instead of a broken one.
    lenient: bool,
    /// A date that may be read in more than one way, before any stamp was read.
    ambiguous: Option<Vec<u8>>,
}

impl TimeReader {
    /// `lenient`: whether a stamp that cannot be read is none at all, as where no clock needs it.
    pub fn new(place: TimePlace, stamps: StampReader, lenient: bool) -> TimeReader {
        let captures = match &place {
            TimePlace::Pattern(pattern) => Some(pattern.capture_locations()),
            _ => None,
        };
        TimeReader {
            place,
            stamps,
            chosen: None,
            undecided: 0,
            ranges: Vec::new(),
            places: Vec::new(),
            captures,
            joined: Vec::new(),
            lenient,
            ambiguous: None,
        }
    }

    /// A date of the records so far that may be read in more than one way, where no stamp came before it.
    pub fn ambiguous(&self) -> Option<&[u8]> {
        self.ambiguous.as_deref()
    }

    /// Whether the last stamp that was bad is so for its zone.
    pub fn is_zone_unknown(&self) -> bool {
        self.stamps.is_zone_unknown()
    }

    /// The form of the stamps, once one was read.
    pub fn form(&self) -> Option<Form> {
        self.stamps.form()
    }

    /// Finds stamps of this form only.
    pub fn lock(&mut self, form: Form) {
        self.stamps.lock(form);
    }

    /// Where the time stands.
    pub fn place(&self) -> &TimePlace {
        &self.place
    }

    /// What was chosen, once it was.
    pub fn chosen(&self) -> Option<Chosen> {
        self.chosen
    }

    /// The stamp of `record`, of which `found` are the parts.
    #[inline]
    pub fn read(&mut self, record: &[u8], found: &Found) -> Stamp {
        self.ranges.clear();
        match self.find(record, found) {
            Stamp::Bad if self.lenient => {
                self.ranges.clear();
                Stamp::None
            }
            Stamp::None if !self.lenient && self.stamps.form().is_none() => {
                self.doubt(record, found);
                Stamp::None
            }
            stamp => stamp,
        }
    }

    /// Notes a date where a stamp was looked for that may be read in more than one way.
    #[cold]
    fn doubt(&mut self, record: &[u8], found: &Found) {
        let parts = match &self.place {
            TimePlace::Leading | TimePlace::InFront => {
                self.note_doubt(record);
                return;
            }
            TimePlace::Access => return,
            TimePlace::Parts(parts) | TimePlace::OneOf(parts) => parts.clone(),
            TimePlace::Pattern(_) => {
                if let Some(range) = self.places.iter().flatten().next().map(|place| place.raw.clone()) {
                    self.note_doubt(&record[range]);
                }
                return;
            }
        };
        for part in parts {
            if let Some(text) = found.text(record, part) {
                self.note_doubt(text);
            }
        }
    }

    fn note_doubt(&mut self, text: &[u8]) {
        if self.ambiguous.is_none() && looks_ambiguous(text) {
            let words: Vec<&[u8]> = text.split(|byte| *byte == b' ').take(SHOWN_WORDS).collect();
            self.ambiguous = Some(words.join(&b' '));
        }
    }

    #[inline]
    fn find(&mut self, record: &[u8], found: &Found) -> Stamp {
        match &self.place {
            TimePlace::Leading => {
                let (stamp, range) = self.stamps.leading(record);
                if !range.is_empty() {
                    self.ranges.push(range);
                }
                stamp
            }
            TimePlace::Access => match access_log::field(record, AccessField::Time) {
                Some(range) => {
                    self.ranges.push(range.clone());
                    self.stamps.field(&record[range])
                }
                None => Stamp::None,
            },
            TimePlace::InFront => self.in_front(record),
            TimePlace::Parts(parts) => {
                let places = &found.places[parts.clone()];
                if places.iter().any(Option::is_none) {
                    return Stamp::None;
                }
                match places {
                    // The common case, without a copy.
                    [Some(place)] => {
                        let stamp = self.stamps.field(found.text(record, parts.start).unwrap_or_default());
                        if stamp != Stamp::None {
                            self.ranges.push(place.extent.clone());
                        }
                        stamp
                    }
                    _ => read_joined(
                        places,
                        record,
                        &found.scratch,
                        &mut self.stamps,
                        &mut self.joined,
                        &mut self.ranges,
                    ),
                }
            }
            TimePlace::OneOf(parts) => {
                let parts = parts.clone();
                let stamp = self.choose(record, found, parts.clone());
                // What was chosen holds for the next record already.
                let singles = parts.start + DATE_AND_TIME.len();
                match self.chosen {
                    None => {}
                    Some(Chosen::InFront) => self.place = TimePlace::InFront,
                    Some(Chosen::Pair) => self.place = TimePlace::Parts(parts.start..singles),
                    Some(Chosen::Part(part)) => self.place = TimePlace::Parts(singles + part..singles + part + 1),
                    Some(Chosen::Nothing) => self.place = TimePlace::Parts(singles..singles),
                }
                stamp
            }
            TimePlace::Pattern(pattern) => {
                capture(pattern, &mut self.captures, record, &mut self.places);
                read_joined(&self.places, record, &[], &mut self.stamps, &mut self.joined, &mut self.ranges)
            }
        }
    }

    /// The stamp in the text before a JSON object: at its start, or behind any blank in it.
    fn in_front(&mut self, record: &[u8]) -> Stamp {
        let text = &record[..json::object_start(record).unwrap_or_default()];
        let behind_blanks = memchr::memchr_iter(b' ', text).map(|blank| blank + 1);
        for start in std::iter::once(0).chain(behind_blanks).take_while(|start| *start < text.len()) {
            let (stamp, range) = self.stamps.leading(&text[start..]);
            if stamp != Stamp::None {
                self.ranges.push(start + range.start..start + range.end);
                return stamp;
            }
        }
        Stamp::None
    }

    /// The first field, of those that might have the time, in which there is one.
    fn choose(&mut self, record: &[u8], found: &Found, parts: Range<usize>) -> Stamp {
        let stamp = self.in_front(record);
        if stamp != Stamp::None {
            self.chosen = Some(Chosen::InFront);
            return stamp;
        }
        let (pair, singles) = found.places[parts.clone()].split_at(DATE_AND_TIME.len());
        if pair.iter().all(Option::is_some) {
            let mut trial = self.stamps.clone();
            let stamp = read_joined(pair, record, &found.scratch, &mut trial, &mut self.joined, &mut self.ranges);
            if is_time(stamp, &trial) {
                self.stamps = trial;
                self.chosen = Some(Chosen::Pair);
                return stamp;
            }
            self.ranges.clear();
        }
        let (first, mut bad) = (parts.start + DATE_AND_TIME.len(), false);
        for (part, place) in singles.iter().enumerate() {
            let (Some(place), Some(text)) = (place, found.text(record, first + part)) else { continue };
            let mut trial = self.stamps.clone();
            let stamp = trial.field(text);
            bad |= stamp == Stamp::Bad;
            if is_time(stamp, &trial) {
                self.stamps = trial;
                self.chosen = Some(Chosen::Part(part));
                self.ranges.push(place.extent.clone());
                return stamp;
            }
        }
        self.undecided += 1;
        if self.undecided >= CHOOSE_WITHIN {
            self.chosen = Some(Chosen::Nothing);
        }
        if bad { Stamp::Bad } else { Stamp::None }
    }

    /// Where the last record's stamp stands.
    pub fn ranges(&self) -> &[Range<usize>] {
        &self.ranges
    }
}

/// Whether what `stamps` has read is a time, and no small number.
fn is_time(stamp: Stamp, stamps: &StampReader) -> bool {
    match stamp {
        Stamp::At(time) => !matches!(stamps.form(), Some(Form::Epoch(None))) || time >= LIKELY_EPOCH,
        Stamp::NoYear(_) => true,
        Stamp::None | Stamp::Bad => false,
    }
}

/// Reads what stands at `places` as one stamp, and where it is.
fn read_joined(
    places: &[Option<Place>],
    record: &[u8],
    scratch: &[u8],
    stamps: &mut StampReader,
    joined: &mut Vec<u8>,
    extents: &mut Vec<Range<usize>>,
) -> Stamp {
    let text = |place: &Place| match &place.decoded {
        None => &record[place.raw.clone()],
        Some(range) => &scratch[range.clone()],
    };
    let mut places = places.iter().flatten().peekable();
    let Some(first) = places.next() else { return Stamp::None };
    let stamp = if places.peek().is_none() {
        extents.push(first.extent.clone());
        stamps.field(text(first))
    } else {
        joined.clear();
        for place in std::iter::once(first).chain(places) {
            if !joined.is_empty() {
                joined.push(b' ');
            }
            joined.extend_from_slice(text(place));
            extents.push(place.extent.clone());
        }
        stamps.field(joined)
    };
    if stamp == Stamp::None {
        // What is no time is part of the key like anything else.
        extents.clear();
    }
    extents.sort_unstable_by_key(|range| range.start);
    extents.dedup();
    stamp
}
