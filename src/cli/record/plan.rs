//! What is wanted of each record, and how it is found in records of one format.

use super::super::timestamp::StampReader;
use super::cri;
use super::fields::Separator;
use super::format::{Format, Layout};
use super::found::Found;
use super::key::{AnyKey, KeySource, KeySpec, OneAccessField, OneColumn, OneNumber, OnePart, WholeRecord};
use super::locate::Locator;
use super::mask::Mask;
use super::names::{Names, Part};
use super::time::{Chosen, DATE_AND_TIME, TIME_NAMES, TimePlace, TimeReader, TimeSource};
use super::value::ValueSpec;
use std::ops::Range;

/// How the time of records is read.
#[derive(Debug, Clone)]
pub struct TimeSpec {
    pub source: TimeSource,
    pub stamps: StampReader,
    /// No clock goes by the stamps; they are only left out of the key.
    pub lenient: bool,
}

/// What is wanted of each record.
#[derive(Debug, Clone)]
pub struct Wanted {
    pub key: KeySpec,
    pub time: Option<TimeSpec>,
    /// The number that each record gives.
    pub value: ValueSpec,
    pub separator: Separator,
}

/// How it is found in records of one format.
#[derive(Clone)]
pub struct Plan {
    pub key: Key,
    pub locator: Option<Locator>,
    pub time: Option<TimeReader>,
    pub found: Found,
    pub cuts: Cuts,
    /// Which of the parts found holds the value.
    pub value: usize,
}

/// What is no part of a key that is the whole record.
#[derive(Debug, Clone)]
pub struct Cuts {
    /// Which of the parts found.
    ignored: Range<usize>,
    /// Whether its stamp.
    time: bool,
    /// Whether it is an object, which must not end in a comma.
    is_json: bool,
    /// Whether it may have come in pieces, each with a time.
    is_container: bool,
    ranges: Vec<Range<usize>>,
}

/// The kinds of key that have a loop of their own.
#[derive(Clone)]
pub enum Key {
    Whole(WholeRecord),
    OneNumber(OneNumber),
    OneAccessField(OneAccessField),
    OneColumn(OneColumn),
    OnePart(OnePart),
    Any(Box<AnyKey>),
}

impl Plan {
    /// The plan for records of a layout, or why there is none. `chosen` is what records before decided about the time.
    pub fn new(wanted: &Wanted, layout: &Layout, chosen: Option<Chosen>) -> Result<Plan, String> {
        let Wanted { key: spec, time, value, separator } = wanted;
        let format = &layout.format;
        let none = Names::none("-k");
        let names = if let KeySource::Fields(names) = &spec.source { names } else { &none };
        let mut parts = parts_of(names, layout)?;
        let key_parts = parts.len();
        let time = match time {
            None => None,
            Some(time) => {
                let place = place(time, layout, chosen, &mut parts)?;
                Some(TimeReader::new(place, time.stamps.clone(), time.lenient))
            }
        };
        let first_ignored = parts.len();
        parts.extend(parts_of(&spec.ignore, layout)?);
        let ignored = first_ignored..parts.len();
        if let Some(names) = value.names() {
            parts.extend(parts_of(names, layout)?);
        }
        let is_whole = matches!(spec.source, KeySource::Whole);
        if is_whole
            && spec.masks.contains(Mask::Quoted)
            && matches!(format, Format::Json | Format::JsonStream | Format::Logfmt)
        {
            return Err(format!(
                "--mask quoted: in {} it would hide all there is; name the field to be masked with -k",
                format.describe()
            ));
        }
        let key = kind(spec, &parts[..key_parts], time.is_some(), *separator, format);
        let is_alone =
            parts.len() == 1 && matches!(key, Key::OneNumber(_) | Key::OneAccessField(_) | Key::OneColumn(_));
        // JSON records are looked through in any case: broken ones are told apart.
        let is_json = matches!(format, Format::Json | Format::JsonStream);
        let locator = if (is_alone || parts.is_empty()) && !is_json {
            None
        } else {
            Some(Locator::new(&parts, format, *separator, spec.typed)?)
        };
        Ok(Plan {
            key,
            locator,
            time,
            found: Found::default(),
            cuts: Cuts {
                ignored: ignored.clone(),
                time: is_whole && !spec.keep_time,
                is_json,
                is_container: *format == Format::Cri,
                ranges: Vec::new(),
            },
            value: ignored.end,
        })
    }
}

/// Finds the parts of the key of one record, for those who want to show them.
pub struct KeyFinder(Option<Locator>);

impl KeyFinder {
    pub fn new(wanted: &Wanted, layout: &Layout) -> KeyFinder {
        let KeySource::Fields(names) = &wanted.key.source else { return KeyFinder(None) };
        // Where there is no finder the records have been refused before.
        let parts = parts_of(names, layout);
        KeyFinder(parts.and_then(|parts| Locator::new(&parts, &layout.format, wanted.separator, wanted.key.typed)).ok())
    }

    /// Fills `found` with the parts of `record`'s key; with none where it is broken.
    pub fn find(&mut self, record: &[u8], found: &mut Found) {
        if let KeyFinder(Some(locator)) = self
            && locator.locate(record, found).is_err()
        {
            found.places.fill(None);
        }
    }
}

impl Cuts {
    /// What is to be cut out of a record's key, ascending and apart, given the ranges of its stamp and its parts.
    #[inline]
    pub fn of(&mut self, record: &[u8], stamp: &[Range<usize>], found: &Found) -> &[Range<usize>] {
        self.ranges.clear();
        if self.time {
            self.ranges.extend_from_slice(stamp);
            if self.is_container {
                cri::joints(record, &mut self.ranges);
            }
        }
        if !self.ignored.is_empty() {
            let ignored = found.places[self.ignored.clone()].iter().flatten();
            self.ranges.extend(ignored.map(|place| place.extent.clone()));
        }
        // They may overlap: the same field twice, a comma or a blank that would go with either of two.
        if self.ranges.len() > 1 {
            self.ranges.sort_unstable_by_key(|range| range.start);
            let mut end = 0;
            for cut in &mut self.ranges {
                cut.start = cut.start.max(end);
                cut.end = cut.end.max(cut.start);
                end = cut.end;
            }
            if self.is_json {
                self.cut_last_comma(record);
            }
        }
        &self.ranges
    }

    /// Where the last members of an object go, the comma in front of the first of them goes as well.
    fn cut_last_comma(&mut self, record: &[u8]) {
        for index in (0..self.ranges.len()).rev() {
            let behind = record[self.ranges[index].end..].trim_ascii_start();
            if !behind.starts_with(b"}") && !behind.starts_with(b"]") {
                continue;
            }
            // Back over what is cut as well.
            let mut first = index;
            loop {
                let before = record[..self.ranges[first].start].trim_ascii_end();
                if first > 0 && self.ranges[first - 1].end >= before.len() {
                    first -= 1;
                } else {
                    if before.ends_with(b",") {
                        self.ranges[first].start = before.len() - 1;
                    }
                    break;
                }
            }
        }
    }
}

/// The kind of a key.
fn kind(spec: &KeySpec, parts: &[Part], timed: bool, separator: Separator, format: &Format) -> Key {
    let plain_numbers = !matches!(format, Format::W3c(_));
    match (&spec.source, parts) {
        (KeySource::Whole, _) if spec.is_verbatim() && (!timed || spec.keep_time) => Key::Whole(WholeRecord),
        (KeySource::Fields(_), [Part::Number(number)]) if spec.is_verbatim() && plain_numbers => {
            Key::OneNumber(OneNumber { number: *number, separator })
        }
        (KeySource::Fields(_), [Part::Access(field)]) if spec.is_verbatim() => {
            Key::OneAccessField(OneAccessField(*field))
        }
        (KeySource::Fields(_), [Part::Column(column)]) if spec.is_verbatim() => match format {
            Format::Csv(table) => {
                Key::OneColumn(OneColumn { delimiter: table.delimiter, column: *column, scratch: Vec::new() })
            }
            _ => Key::OnePart(OnePart),
        },
        (KeySource::Fields(_), [_]) if spec.is_verbatim() => Key::OnePart(OnePart),
        _ => Key::Any(Box::new(AnyKey::new(spec.clone()))),
    }
}

/// What names mean in records of a layout.
fn parts_of(names: &Names, layout: &Layout) -> Result<Vec<Part>, String> {
    // Before the format is known a name that plain lines do not have may still be one of its fields.
    if layout.is_provisional {
        return Ok(names.parts(&layout.format).unwrap_or_else(|_| vec![Part::Absent; names.names.len()]));
    }
    names.parts_after(&layout.format, layout.is_first)
}

/// Where the time stands in records of a layout: the parts that are to be found for it are added to `parts`.
fn place(time: &TimeSpec, layout: &Layout, chosen: Option<Chosen>, parts: &mut Vec<Part>) -> Result<TimePlace, String> {
    let first = parts.len();
    match &time.source {
        TimeSource::Pattern(pattern) => return Ok(TimePlace::Pattern(pattern.clone())),
        TimeSource::Fields(names) => {
            parts.extend(parts_of(names, layout)?);
            return Ok(TimePlace::Parts(first..parts.len()));
        }
        TimeSource::Own => {}
    }
    let candidates = match &layout.format {
        Format::Lines | Format::Syslog | Format::Cri | Format::Klog => return Ok(TimePlace::Leading),
        Format::Access => return Ok(TimePlace::Access),
        format => candidates(format),
    };
    Ok(match chosen {
        None => {
            parts.extend(candidates);
            TimePlace::OneOf(first..parts.len())
        }
        Some(Chosen::InFront) => TimePlace::InFront,
        Some(Chosen::Pair) => {
            parts.extend(candidates.into_iter().take(DATE_AND_TIME.len()));
            TimePlace::Parts(first..parts.len())
        }
        Some(Chosen::Part(part)) => {
            parts.extend(candidates.into_iter().nth(DATE_AND_TIME.len() + part));
            TimePlace::Parts(first..parts.len())
        }
        // Of nothing no stamp is read, but each record has its place.
        Some(Chosen::Nothing) => TimePlace::Parts(first..first),
    })
}

/// The fields of a format that may have the time, by their names: those of [`DATE_AND_TIME`], then those of [`TIME_NAMES`].
fn candidates(format: &Format) -> Vec<Part> {
    let part = |name: &str| {
        let single = Names { flag: "-t", names: vec![name.to_owned()] };
        match format {
            // Tables are made by people, who write Date as well as date.
            Format::Csv(table) => {
                let same = |column: &Vec<u8>| column.eq_ignore_ascii_case(name.as_bytes());
                table.names.iter().position(same).map_or(Part::Absent, Part::Column)
            }
            _ => single.parts(format).ok().and_then(|parts| parts.into_iter().next()).unwrap_or(Part::Absent),
        }
    };
    DATE_AND_TIME.iter().chain(&TIME_NAMES).map(|name| part(name)).collect()
}
