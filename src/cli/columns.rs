//! What a verb says of a record, in columns: beside it (`--tag`, `--count`) or instead of it (`--print`).
//!
//! Beside a line they stand in front of it, beside a row of a table they are its last columns, in a JSON object its last
//! member.

use super::output::{Output, Stop};
use super::record::csv::{find_rows, push_field};
use super::record::format::{Format, Layout, Table};
use super::record::found::Found;
use super::record::key::{AnyKey, Look};
use super::record::plan::{KeyFinder, Wanted};
use super::record::{Cut, content};
use grudge::seen::{Sighting, Verdict};
use grudge::time::{NANOS_PER_SECOND, Span, Timestamp};
use std::io::Write;
use std::ops::Range;
use std::sync::Arc;

/// A column of `dedup`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Column {
    /// The key as it stands in the record, one column a part.
    Key,
    /// The record's own time.
    Time,
    /// `new` or `repeat`.
    Verdict,
    /// Of a repeat, how long ago its key was last new.
    Age,
    /// Repeats of the key since it last passed.
    Count,
    /// The record itself.
    Record,
}

/// The columns by the names they are asked for.
const NAMES: [(&str, Column); 6] = [
    ("key", Column::Key),
    ("time", Column::Time),
    ("verdict", Column::Verdict),
    ("age", Column::Age),
    ("count", Column::Count),
    ("record", Column::Record),
];

impl Column {
    /// The name it is asked for by.
    pub fn name(self) -> &'static str {
        NAMES.iter().find(|(_, column)| *column == self).map_or("", |(name, _)| name)
    }

    /// The columns of a list such as `verdict,age,key`.
    pub fn parse_list(text: &str) -> Result<Vec<Column>, String> {
        let column = |name: &str| NAMES.iter().find(|(known, _)| *known == name).map(|(_, column)| *column);
        let unknown = |name: &str| {
            let names = NAMES.map(|(name, _)| name).join(", ");
            format!("`{name}` is no column; there are {names}")
        };
        text.split(',').map(str::trim).map(|name| column(name).ok_or_else(|| unknown(name))).collect()
    }
}

/// Which columns are written, and whether the record follows them.
#[derive(Debug, Clone)]
pub struct ColumnOptions {
    pub columns: Vec<Column>,
    /// The record as it is follows its columns.
    pub with_record: bool,
    /// Records that are dropped are written too.
    pub all: bool,
    /// Ages are numbers of records, not seconds.
    pub age_in_records: bool,
    /// No byte of a value may drive the terminal it is written to.
    pub for_terminal: bool,
}

/// What is known of one record.
#[derive(Debug, Clone, Copy)]
pub struct Row {
    /// Of one with a key.
    pub sighting: Option<Sighting>,
    pub time: Option<Timestamp>,
}

/// Writes rows.
pub struct Columns {
    options: ColumnOptions,
    terminator: u8,
    wanted: Wanted,
    layout: Arc<Layout>,
    /// Finds the parts of the key once more in the records that are written.
    finder: Option<KeyFinder>,
    key: AnyKey,
    found: Found,
    cuts: Vec<Range<usize>>,
    line: Vec<u8>,
    value: Vec<u8>,
    ends: Vec<u32>,
    widths: Vec<u32>,
}

/// What the columns are called in a table, and the member in a JSON object.
const OWN_NAME: &str = "grudge";

impl Columns {
    pub fn new(options: ColumnOptions, terminator: u8, wanted: Wanted) -> Columns {
        let key = AnyKey::new(wanted.key.clone());
        let (layout, finder) = (Arc::default(), None);
        Columns {
            options,
            terminator,
            wanted,
            layout,
            finder,
            key,
            found: Found::default(),
            cuts: Vec::new(),
            line: Vec::new(),
            value: Vec::new(),
            ends: Vec::new(),
            widths: Vec::new(),
        }
    }

    /// Whether dropped records are written too.
    pub fn writes_all(&self) -> bool {
        self.options.all
    }

    /// Whether anything can be said of a record that is none, such as a banner.
    pub fn with_record(&self) -> bool {
        self.options.with_record
    }

    /// The records to come are of this layout.
    pub fn prepare(&mut self, layout: &Arc<Layout>) {
        if self.finder.is_none() || !Arc::ptr_eq(&self.layout, layout) {
            self.layout = Arc::clone(layout);
            self.finder = Some(KeyFinder::new(&self.wanted, layout));
        }
    }

    /// Writes the columns of a record of which nothing is known, where the record follows them.
    pub fn write_empty(&mut self, output: &mut Output) -> Result<(), Stop> {
        if matches!(self.layout.format, Format::Json | Format::JsonStream | Format::Csv(_)) {
            return Ok(());
        }
        let empty: Vec<&[u8]> = self.options.columns.iter().map(|_| &b"-\t"[..]).collect();
        output.write(&empty.concat())
    }

    /// Writes a heading, and in a table the names of the columns behind its own.
    pub fn write_heading(&mut self, heading: &[u8], output: &mut Output) -> Result<(), Stop> {
        let Format::Csv(table) = &self.layout.format else { return output.write(heading) };
        let text = content(heading, self.terminator);
        if text.is_empty() {
            return output.write(heading);
        }
        self.line.clear();
        self.line.extend_from_slice(text);
        for column in &self.options.columns {
            self.line.push(table.delimiter);
            // Writing to a vector cannot fail.
            let _ = write!(self.line, "{OWN_NAME}_{}", column.name());
        }
        self.line.extend_from_slice(&heading[text.len()..]);
        output.write(&self.line)
    }

    /// Writes the row of `record`, which ends with its terminator. `cuts` are what is no part of its key; one that is
    /// not whole has no place for columns where they stand inside of it or behind it.
    pub fn write(
        &mut self,
        record: &[u8],
        row: &Row,
        is_whole: bool,
        cuts: &[Cut],
        output: &mut Output,
    ) -> Result<(), Stop> {
        self.line.clear();
        if self.options.with_record {
            return match &self.layout.format {
                Format::Json | Format::JsonStream | Format::Csv(_) if !is_whole => output.write(record),
                Format::Json | Format::JsonStream => self.write_into_object(record, row, output),
                Format::Csv(_) => {
                    let layout = Arc::clone(&self.layout);
                    let Format::Csv(table) = &layout.format else { return Ok(()) };
                    self.write_behind(record, row, table, output)
                }
                _ => self.write_before(record, row, output),
            };
        }
        let text = self.layout.format.content(record, self.terminator);
        for index in 0..self.options.columns.len() {
            if index > 0 {
                self.line.push(b'\t');
            }
            match self.options.columns[index] {
                Column::Key => self.push_key(text, cuts),
                Column::Record => push_escaped(&mut self.line, text, self.options.for_terminal),
                column => push_value(&mut self.line, column, row, self.options.age_in_records),
            }
        }
        self.line.push(self.terminator);
        output.write(&self.line)
    }

    fn push_key(&mut self, record: &[u8], cuts: &[Cut]) {
        let Columns { finder, key, found, line, options, .. } = self;
        if let Some(finder) = finder {
            finder.find(record, found);
        }
        self.cuts.clear();
        self.cuts.extend(cuts.iter().map(|cut| cut.range.clone()));
        let mut first = true;
        key.texts(Look { record, found, cuts: &self.cuts }, |part| {
            if !std::mem::take(&mut first) {
                line.push(b'\t');
            }
            push_escaped(line, part, options.for_terminal);
        });
    }

    fn write_before(&mut self, record: &[u8], row: &Row, output: &mut Output) -> Result<(), Stop> {
        for column in &self.options.columns {
            push_value(&mut self.line, *column, row, self.options.age_in_records);
            self.line.push(b'\t');
        }
        output.write(&self.line)?;
        output.write(record)
    }

    /// The columns as the last ones of a row. One that lacks fields gets empty ones, so that they stand below their names.
    fn write_behind(&mut self, record: &[u8], row: &Row, table: &Table, output: &mut Output) -> Result<(), Stop> {
        let delimiter = table.delimiter;
        let text = content(record, self.terminator);
        self.line.extend_from_slice(text);
        self.ends.clear();
        self.widths.clear();
        find_rows(record, delimiter, &mut self.ends, &mut self.widths);
        let width = self.widths.first().map_or(0, |width| *width as usize);
        self.line.extend(std::iter::repeat_n(delimiter, table.names.len().saturating_sub(width)));
        for column in &self.options.columns {
            self.value.clear();
            push_value(&mut self.value, *column, row, self.options.age_in_records);
            self.line.push(delimiter);
            // Nothing stands for nothing in a table.
            push_field(&mut self.line, if self.value == b"-" { b"" } else { &self.value }, delimiter);
        }
        self.line.extend_from_slice(&record[text.len()..]);
        output.write(&self.line)
    }

    /// The columns as the last member of an object; anything else has no place for them.
    fn write_into_object(&mut self, record: &[u8], row: &Row, output: &mut Output) -> Result<(), Stop> {
        let text = record.trim_ascii_end();
        let Some(rest) = text.strip_suffix(b"}") else { return output.write(record) };
        self.line.extend_from_slice(rest);
        if rest.trim_ascii_end().last() != Some(&b'{') {
            self.line.push(b',');
        }
        // Writing to a vector cannot fail.
        let _ = write!(self.line, "\"{OWN_NAME}\":{{");
        for (index, column) in self.options.columns.iter().enumerate() {
            let comma = if index > 0 { "," } else { "" };
            let _ = write!(self.line, "{comma}\"{}\":", column.name());
            self.value.clear();
            push_value(&mut self.value, *column, row, self.options.age_in_records);
            let is_text = matches!(column, Column::Verdict | Column::Time);
            match self.value.as_slice() {
                b"-" => self.line.extend_from_slice(b"null"),
                value if is_text => {
                    self.line.push(b'"');
                    self.line.extend_from_slice(value);
                    self.line.push(b'"');
                }
                value => self.line.extend_from_slice(value),
            }
        }
        self.line.extend_from_slice(b"}}");
        self.line.extend_from_slice(&record[text.len()..]);
        output.write(&self.line)
    }
}

/// What is known of a record beside its own text, `-` where nothing is.
fn push_value(line: &mut Vec<u8>, column: Column, row: &Row, age_in_records: bool) {
    match column {
        Column::Time => match row.time {
            Some(time) => push_time(line, time),
            None => line.push(b'-'),
        },
        Column::Verdict => line.extend_from_slice(match row.sighting.map(|sighting| sighting.verdict) {
            Some(Verdict::New) => b"new",
            Some(Verdict::Repeat) => b"repeat",
            None => b"-",
        }),
        Column::Age => match row.sighting.and_then(|sighting| sighting.age) {
            Some(age) => push_age(line, age, age_in_records),
            None => line.push(b'-'),
        },
        Column::Count => match row.sighting {
            // Writing to a vector cannot fail.
            Some(sighting) => drop(write!(line, "{}", sighting.repeats)),
            None => line.push(b'-'),
        },
        Column::Key | Column::Record => {}
    }
}

/// A value in which no byte ends its column, nor drives a terminal; an empty one is `-`.
fn push_escaped(line: &mut Vec<u8>, value: &[u8], for_terminal: bool) {
    if value.is_empty() {
        line.push(b'-');
    }
    for byte in value {
        match byte {
            b'\t' => line.extend_from_slice(b"\\t"),
            b'\n' => line.extend_from_slice(b"\\n"),
            b'\r' => line.extend_from_slice(b"\\r"),
            b'\\' => line.extend_from_slice(b"\\\\"),
            byte if for_terminal && byte.is_ascii_control() => drop(write!(line, "\\x{byte:02x}")),
            byte => line.push(*byte),
        }
    }
}

/// RFC 3339 in UTC, the fraction as short as it is exact.
fn push_time(line: &mut Vec<u8>, time: Timestamp) {
    // Writing to a vector cannot fail.
    let _ = match jiff::Timestamp::from_nanosecond(time.nanos().into()) {
        Ok(time) => write!(line, "{time}"),
        Err(_) => write!(line, "{}", time.nanos()),
    };
}

/// An instant as RFC 3339 in UTC.
pub fn show_time(time: Timestamp) -> String {
    let mut text = Vec::new();
    push_time(&mut text, time);
    String::from_utf8_lossy(&text).into_owned()
}

/// Seconds to the millisecond, or records.
fn push_age(line: &mut Vec<u8>, age: Span, in_records: bool) {
    /// A millisecond is finer than the millionth of a ttl that is known, from a ttl of 17 minutes on.
    const NANOS_PER_MILLI: i64 = NANOS_PER_SECOND / 1000;
    let _ = if in_records {
        write!(line, "{}", age.nanos())
    } else {
        let millis = (age.nanos() + NANOS_PER_MILLI / 2) / NANOS_PER_MILLI;
        write!(line, "{}.{:03}", millis / 1000, millis % 1000)
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(push: impl FnOnce(&mut Vec<u8>)) -> String {
        let mut line = Vec::new();
        push(&mut line);
        String::from_utf8(line).unwrap()
    }

    #[test]
    fn values_stay_in_their_columns() {
        assert_eq!(text(|line| push_escaped(line, b"a\tb\nc\\d\r", false)), "a\\tb\\nc\\\\d\\r");
        assert_eq!(text(|line| push_escaped(line, b"\x1b[2J", true)), "\\x1b[2J");
        assert_eq!(text(|line| push_escaped(line, b"\x1b[2J", false)), "\x1b[2J");
        assert_eq!(text(|line| push_escaped(line, b"", false)), "-");
    }

    #[test]
    fn nothing_is_allocated_for_a_row() {
        use super::super::record::fields::Separator;
        use super::super::record::key::{KeySource, KeySpec};
        let columns = [Column::Key, Column::Time, Column::Verdict, Column::Age, Column::Count, Column::Record];
        let options = ColumnOptions {
            columns: columns.to_vec(),
            with_record: false,
            all: true,
            age_in_records: false,
            for_terminal: true,
        };
        let key = KeySpec::new(KeySource::Whole);
        let mut columns = Columns::new(options, b'\n', Wanted { key, time: None, separator: Separator::Blanks });
        columns.prepare(&Arc::default());
        let sighting = Sighting::UNSEEN;
        let row = Row { sighting: Some(sighting), time: Some(Timestamp::from_seconds(1, 5)) };
        let cuts = [Cut { index: 0, range: 2..6 }];
        let mut output = Output::new();
        let mut rows = |count: usize| {
            (0..count).for_each(|_| columns.write(b"a 1234 b\n", &row, true, &cuts, &mut output).unwrap())
        };
        rows(1);
        assert_eq!(allocation_counter::measure(|| rows(100)).count_total, 0);
    }

    #[test]
    fn ages_and_times_are_short_and_exact() {
        assert_eq!(text(|line| push_age(line, Span::from_nanos(59_999_600_000), false)), "60.000");
        assert_eq!(text(|line| push_age(line, Span::from_nanos(1_500_000), false)), "0.002");
        assert_eq!(text(|line| push_age(line, Span::from_nanos(17), true)), "17");
        assert_eq!(text(|line| push_time(line, Timestamp::from_seconds(0, 0))), "1970-01-01T00:00:00Z");
        assert_eq!(text(|line| push_time(line, Timestamp::from_seconds(0, 120_000_000))), "1970-01-01T00:00:00.12Z");
    }

    #[test]
    fn columns_are_named_in_a_list() {
        assert_eq!(Column::parse_list("verdict,key"), Ok(vec![Column::Verdict, Column::Key]));
        assert!(Column::parse_list("verdict,nothing").unwrap_err().contains("`nothing` is no column; there are key,"));
    }
}
