//! The first records of a run, kept to say where the key or the time might be when none is found.

use super::likely::likely_times;
use super::nearest::nearest_first;
use super::pipeline::Batch;
use super::record::fields::Separator;
use super::record::format::{Format, Layout, Table};
use super::record::found::Found;
use super::record::locate::Locator;
use super::record::names::Names;
use super::record::{csv, list};
use super::timestamp::StampReader;
use std::sync::Arc;

/// Bytes of the first records that are kept.
const KEPT_BYTES: usize = 64 << 10;

/// Records of those that are kept which are looked at. The first may be a heading.
const LOOKED_AT: usize = 10;

/// Fields that a message names: more would hide the ones that matter.
const NAMED: usize = 8;

/// Keeps the first records, and says what is in them.
pub struct Sampler {
    terminator: u8,
    separator: Separator,
    sample: Option<Sample>,
}

/// The first records and how they are laid out.
struct Sample {
    bytes: Vec<u8>,
    layout: Arc<Layout>,
}

impl Sampler {
    pub fn new(terminator: u8, separator: Separator) -> Sampler {
        Sampler { terminator, separator, sample: None }
    }

    /// Keeps the first records; those of a format that is known rather than those before.
    pub fn take(&mut self, batch: &Batch<'_>) {
        let is_better = match &self.sample {
            None => true,
            Some(Sample { layout, .. }) => {
                let tells_more = layout.format != batch.layout.format || layout.is_shown != batch.layout.is_shown;
                layout.is_provisional && tells_more
            }
        };
        if is_better && batch.records.no_records().count() < batch.records.len() {
            let bytes = batch.bytes.iter().copied().take(KEPT_BYTES).collect();
            self.sample = Some(Sample { bytes, layout: Arc::clone(batch.layout) });
        }
    }

    /// Whether the records were read as an access log though none of the first looks like one.
    pub fn is_guessed_access_log(&self) -> bool {
        let layout = self.sample.as_ref().map(|sample| &sample.layout);
        layout.is_some_and(|layout| layout.format == Format::Access && !layout.is_shown)
    }

    /// What the records are, and the names of their fields, those that look like the first of `names` in front.
    pub fn describe_fields(&self, names: &Names) -> String {
        let Some(sample) = &self.sample else { return String::new() };
        let format = &sample.layout.format;
        let name = match names.first_name() {
            Some(name) => name,
            // Numbers of columns stand for names as well.
            None if matches!(format, Format::Csv(_)) && !names.names.is_empty() => "",
            None => return String::new(),
        };
        if matches!(format, Format::Lines | Format::Access)
            && !sample.layout.is_shown
            && let Some((flag, format)) = self.other_format(names)
        {
            return format!("the records look like {}: {flag}; ", format.describe());
        }
        if matches!(format, Format::W3c(schema) if !schema.is_known()) {
            return "no #Fields line has named the fields; ".to_owned();
        }
        if *format == Format::Lines {
            return "the records were read as plain lines, whose fields have numbers and no names (see -i); "
                .to_owned();
        }
        let fields = self.first_said(|format, record| {
            let mut fields = Vec::new();
            list(format, self.separator, record, |name, _| fields.push(name.to_owned()));
            fields.retain(|name| name.parse::<usize>().is_err());
            fields
        });
        let fields: Vec<&str> = fields.iter().map(String::as_str).collect();
        let nearest: Vec<&str> = nearest_first(name, &fields).into_iter().take(NAMED).collect();
        match nearest.as_slice() {
            [] => format!("the records were read as {}; ", format.describe()),
            nearest => {
                format!("the records were read as {}, with the fields {}; ", format.describe(), nearest.join(", "))
            }
        }
    }

    /// A format that is never found by itself, in which a sampled record has all that is named; and the flag for it.
    fn other_format(&self, names: &Names) -> Option<(&'static str, Format)> {
        let sample = self.sample.as_ref()?;
        let lines =
            sample.bytes.split(|byte| *byte == self.terminator).map(|line| line.strip_suffix(b"\r").unwrap_or(line));
        let header = lines.clone().next().unwrap_or_default();
        let table = |delimiter: u8| Table { delimiter, names: csv::header(header, delimiter), header: header.to_vec() };
        let formats = [
            ("-i logfmt", Format::Logfmt),
            ("-i cri", Format::Cri),
            ("-i klog", Format::Klog),
            ("-i syslog", Format::Syslog),
            ("-i csv", Format::Csv(table(b','))),
            ("-i tsv", Format::Csv(table(b'\t'))),
            ("-i csv -d ';'", Format::Csv(table(b';'))),
        ];
        let opens = |line: &[u8]| matches!(line.trim_ascii(), b"{" | b"[" | b"[{");
        if opens(header) {
            return Some(("-i json-stream", Format::JsonStream));
        }
        formats.into_iter().find(|(_, format)| {
            let Ok(parts) = names.parts(format) else { return false };
            let Ok(mut locator) = Locator::new(&parts, format, self.separator, false) else { return false };
            let mut found = Found::default();
            lines
                .clone()
                .take(LOOKED_AT)
                .any(|line| locator.locate(line, &mut found).is_ok() && found.places.iter().all(Option::is_some))
        })
    }

    /// The fields that may have the time, as one would type them.
    pub fn likely_times(&self, stamps: &StampReader) -> Vec<String> {
        self.first_said(|format, record| likely_times(format, self.separator, record, stamps))
    }

    /// What is said of the first of the records of which there is something to say.
    fn first_said<T>(&self, say: impl Fn(&Format, &[u8]) -> Vec<T>) -> Vec<T> {
        let Some(Sample { bytes, layout }) = &self.sample else { return Vec::new() };
        let mut ends = Vec::new();
        layout.format.find_ends(bytes, self.terminator, &mut ends, &mut Vec::new());
        let ends = ends.iter().map(|end| *end as usize);
        let starts = std::iter::once(0).chain(ends.clone());
        let records = starts.zip(ends.chain([bytes.len()]));
        let records = records.map(|(start, end)| layout.format.content(&bytes[start..end], self.terminator));
        records
            .take(LOOKED_AT)
            .map(|record| say(&layout.format, record))
            .find(|said| !said.is_empty())
            .unwrap_or_default()
    }
}
