//! Where the wanted parts of a record stand, in each format.

use super::access_log::{self, AccessField};
use super::cri::{self, CriField};
use super::csv;
use super::fields::{Fields, Separator};
use super::format::Format;
use super::found::{Found, Place};
use super::json::{self, Selector};
use super::klog::{self, KlogField};
use super::logfmt;
use super::names::Part;
use super::syslog::{self, SyslogField};
use regex::bytes::{CaptureLocations, Regex};
use std::ops::Range;

/// Finds the wanted parts of one record after the other, all in one pass.
#[derive(Debug, Clone)]
pub struct Locator {
    named: Named,
    /// How many parts are wanted.
    wanted: usize,
    /// Numbered fields: the number, and which of the parts it is. Empty where all parts are named.
    numbers: Vec<(usize, usize)>,
    /// Which of the parts each named one is.
    order: Vec<usize>,
    /// Whether all parts are named.
    all_named: bool,
    separator: Separator,
    /// A value that says that there is none.
    unset: Option<Vec<u8>>,
    named_found: Found,
}

/// The parts that have a name in their format.
#[derive(Debug, Clone)]
enum Named {
    None,
    Access(Vec<AccessField>, Vec<Option<Range<usize>>>),
    Json(Box<Selector>),
    Csv(u8, Vec<usize>),
    Logfmt(Vec<Vec<u8>>),
    Syslog(Vec<SyslogField>),
    Cri(Vec<CriField>),
    /// Paths in the message of a container's line.
    CriJson(Box<Selector>),
    Klog(Vec<KlogField>),
}

impl Locator {
    /// A finder of `parts` in records of `format`; `typed` as [`Selector::new`] has it. The message says why there is none.
    pub fn new(parts: &[Part], format: &Format, separator: Separator, typed: bool) -> Result<Locator, String> {
        let is_named = |part: &Part| !matches!(part, Part::Number(_) | Part::Absent);
        let order: Vec<usize> = (0..parts.len()).filter(|index| is_named(&parts[*index])).collect();
        let numbers = parts.iter().enumerate().filter_map(|(index, part)| match part {
            Part::Number(number) => Some((*number, index)),
            _ => None,
        });
        let mut numbers: Vec<(usize, usize)> = numbers.collect();
        numbers.sort_unstable();
        let (separator, unset) = match format {
            Format::W3c(schema) => (schema.separator, schema.unset.clone()),
            _ => (separator, None),
        };
        Ok(Locator {
            named: Named::new(parts, format, typed)?,
            wanted: parts.len(),
            numbers,
            all_named: order.len() == parts.len(),
            order,
            separator,
            unset,
            named_found: Found::default(),
        })
    }

    /// Finds them in `record`; an error where it is not what its format says.
    #[inline]
    pub fn locate(&mut self, record: &[u8], found: &mut Found) -> Result<(), json::Broken> {
        if self.all_named {
            return self.named.locate(record, self.wanted, found);
        }
        self.locate_mixed(record, found)
    }

    fn locate_mixed(&mut self, record: &[u8], found: &mut Found) -> Result<(), json::Broken> {
        found.restart(self.wanted);
        // JSON records are looked through in any case: broken ones are told apart.
        if !self.order.is_empty() || matches!(self.named, Named::Json(_)) {
            self.named.locate(record, self.order.len(), &mut self.named_found)?;
            found.scratch.extend_from_slice(&self.named_found.scratch);
            for (place, part) in self.named_found.places.iter_mut().zip(&self.order) {
                found.places[*part] = place.take();
            }
        }
        let mut numbers = self.numbers.iter().peekable();
        let last = self.numbers.last().map_or(0, |(number, _)| *number);
        for (index, range) in Fields::new(record, self.separator).take(last).enumerate() {
            while let Some((_, part)) = numbers.next_if(|(number, _)| *number == index + 1) {
                if self.unset.as_ref().is_none_or(|unset| record[range.clone()] != **unset) {
                    found.places[*part] = Some(Place::plain(range.clone()));
                }
            }
        }
        Ok(())
    }
}

impl Named {
    fn new(parts: &[Part], format: &Format, typed: bool) -> Result<Named, String> {
        /// The parts of one kind.
        macro_rules! of_kind {
            ($kind:path) => {
                parts.iter().filter_map(|part| if let $kind(part) = part { Some(part.clone()) } else { None }).collect()
            };
        }
        Ok(match format {
            Format::Json | Format::JsonStream => Named::Json(Box::new(Selector::new(of_kind!(Part::Json), typed))),
            Format::Access => Named::Access(of_kind!(Part::Access), Vec::new()),
            Format::Csv(table) => Named::Csv(table.delimiter, of_kind!(Part::Column)),
            Format::Logfmt => Named::Logfmt(of_kind!(Part::Logfmt)),
            Format::Syslog => Named::Syslog(of_kind!(Part::Syslog)),
            Format::Cri if parts.iter().any(|part| matches!(part, Part::Json(_))) => {
                if parts.iter().any(|part| matches!(part, Part::Cri(_))) {
                    return Err(
                        "fields of a container log and of the JSON in its messages make no key together".to_owned()
                    );
                }
                Named::CriJson(Box::new(Selector::new(of_kind!(Part::Json), typed)))
            }
            Format::Cri => Named::Cri(of_kind!(Part::Cri)),
            Format::Klog => Named::Klog(of_kind!(Part::Klog)),
            Format::Lines | Format::W3c(_) => Named::None,
        })
    }

    #[inline]
    fn locate(&mut self, record: &[u8], wanted: usize, found: &mut Found) -> Result<(), json::Broken> {
        match self {
            Named::Json(selector) => return selector.select(record, found),
            Named::Csv(delimiter, columns) => csv::columns(record, *delimiter, columns, found),
            Named::Access(fields, places) => {
                access_log::fields(record, fields, places);
                found.restart(0);
                found.places.extend(places.iter_mut().map(|place| place.take().map(Place::plain)));
            }
            Named::Logfmt(names) => logfmt::fields(record, names, found),
            Named::Syslog(fields) => syslog::fields(record, fields, found),
            Named::Cri(fields) => cri::fields(record, fields, found),
            Named::Klog(fields) => klog::fields(record, fields, found),
            Named::CriJson(selector) if memchr::memchr(b'\n', record).is_some() => {
                // Its pieces are joined for the look, and what is found in them is kept.
                let (mut message, mut inner) = (Vec::new(), Found::default());
                cri::join_messages(record, &mut message);
                selector.select(&message, &mut inner)?;
                found.restart(wanted);
                for (part, place) in found.places.iter_mut().enumerate() {
                    if let Some(text) = inner.text(&message, part) {
                        let start = found.scratch.len();
                        found.scratch.extend_from_slice(text);
                        *place = Some(Place { decoded: Some(start..found.scratch.len()), ..Place::default() });
                    }
                }
            }
            Named::CriJson(selector) => {
                let Some(start) = cri::message_start(record) else {
                    found.restart(wanted);
                    return Ok(());
                };
                selector.select(&record[start..], found)?;
                for place in found.places.iter_mut().flatten() {
                    for range in [&mut place.raw, &mut place.extent] {
                        *range = range.start + start..range.end + start;
                    }
                }
            }
            Named::None => found.restart(wanted),
        }
        Ok(())
    }
}

/// Where a pattern's groups match in `record`, or the whole match of a pattern without groups; nothing where it does not
/// match. A group that took no part says nothing: `a(x)|b(y)` has one part whichever side matched.
pub fn capture(
    pattern: &Regex,
    captures: &mut Option<CaptureLocations>,
    record: &[u8],
    places: &mut Vec<Option<Place>>,
) {
    places.clear();
    match captures {
        Some(captures) if captures.len() > 1 => {
            if pattern.captures_read(captures, record).is_some() {
                let groups = (1..captures.len()).filter_map(|group| captures.get(group));
                places.extend(groups.map(|(start, end)| Some(Place::plain(start..end))));
            }
        }
        _ => places.extend(pattern.find(record).map(|found| Some(Place::plain(found.range())))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RECORD: &[u8] = b"192.0.2.1 - - [21/May/2026:08:30:20 +0000] \"GET /a HTTP/1.1\" 200 1 \"-\" \"x\"";

    fn located(parts: &[Part]) -> Vec<Option<&'static [u8]>> {
        let mut found = Found::default();
        let mut locator = Locator::new(parts, &Format::Access, Separator::Blanks, false).unwrap();
        locator.locate(RECORD, &mut found).unwrap();
        found.places.into_iter().map(|place| place.map(|place| &RECORD[place.raw])).collect()
    }

    #[test]
    fn parts_are_found_together_as_they_are_alone() {
        let (path, ip) = (Part::Access(AccessField::Path), Part::Access(AccessField::Ip));
        let mixed = [
            Part::Number(9),
            path.clone(),
            Part::Number(1),
            Part::Number(99),
            Part::Absent,
            Part::Number(1),
            ip.clone(),
        ];
        assert_eq!(
            located(&mixed),
            [Some(&b"200"[..]), Some(b"/a"), Some(b"192.0.2.1"), None, None, Some(b"192.0.2.1"), Some(b"192.0.2.1")]
        );
        for parts in [&mixed[..], &[path, ip.clone()], &[ip], &[Part::Number(3), Part::Number(1)]] {
            let alone: Vec<_> = parts.iter().flat_map(|part| located(std::slice::from_ref(part))).collect();
            assert_eq!(located(parts), alone);
        }
    }
}
