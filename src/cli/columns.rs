//! What a verb says of a record, in columns: beside it (`--tag`, `--count`) or instead of it (`--print`).
//!
//! Beside a line they stand in front of it, beside a row of a table they are its last columns, in a JSON object its last
//! member.

mod key_texts;
mod values;

pub use key_texts::KeyTexts;
pub use values::{MOST_DECIMALS, push_score, push_time, show_time};

use super::output::{Output, Stop};
use super::record::csv::{find_rows, push_field};
use super::record::format::{Format, Layout, Table};
use super::record::plan::Wanted;
use super::record::{Cut, content};
use grudge::limit::Decision;
use grudge::seen::Sighting;
use grudge::time::Timestamp;
use std::io::{IsTerminal, Write};
use std::sync::Arc;
use values::{push_escaped, push_value};

/// A column of a verb.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Column {
    /// The key as it stands in the record, one column a part.
    Key,
    /// The record's own time; of an event, the time of the event.
    Time,
    /// `new` or `repeat`.
    Verdict,
    /// Of a repeat, how long ago its key was last new.
    Age,
    /// Repeats of the key since it last passed.
    Count,
    /// The score of the key with this record.
    Score,
    /// What this record added to it.
    Delta,
    /// Of an event, `up` or `down`.
    State,
    /// Of an event, when the score will have faded if nothing more comes.
    Until,
    /// Whether the limiter allows the record.
    Allowed,
    /// How many it allows a key at once.
    Limit,
    /// How many of them are left.
    Remaining,
    /// In how long a denied record would be allowed.
    RetryAfter,
    /// In how long the key is at rest.
    ResetAfter,
    /// The record itself.
    Record,
}

/// The columns by the names they are asked for.
const NAMES: [(&str, Column); 15] = [
    ("key", Column::Key),
    ("time", Column::Time),
    ("verdict", Column::Verdict),
    ("age", Column::Age),
    ("count", Column::Count),
    ("score", Column::Score),
    ("delta", Column::Delta),
    ("state", Column::State),
    ("until", Column::Until),
    ("allowed", Column::Allowed),
    ("limit", Column::Limit),
    ("remaining", Column::Remaining),
    ("retry_after", Column::RetryAfter),
    ("reset_after", Column::ResetAfter),
    ("record", Column::Record),
];

impl Column {
    /// The name it is asked for by.
    pub fn name(self) -> &'static str {
        NAMES.iter().find(|(_, column)| *column == self).map_or("", |(name, _)| name)
    }

    /// The columns of a list such as `verdict,age,key`, of those that there are.
    pub fn parse_list(text: &str, known: &[Column]) -> Result<Vec<Column>, String> {
        let column = |name: &str| known.iter().copied().find(|column| column.name() == name);
        let unknown = |name: &str| {
            let names: Vec<&str> = known.iter().map(|column| column.name()).collect();
            format!("--print: `{name}` is no column here; there are {}", names.join(", "))
        };
        text.split(',').map(str::trim).map(|name| column(name).ok_or_else(|| unknown(name))).collect()
    }

    /// Whether its values are texts, not numbers.
    fn is_text(self) -> bool {
        matches!(self, Column::Verdict | Column::Time | Column::State | Column::Until)
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
    /// Lengths of time are numbers of records, not seconds.
    pub in_records: bool,
    /// Digits of a score behind the point.
    pub decimals: u8,
    /// No byte of a value may drive the terminal it is written to.
    pub for_terminal: bool,
}

impl ColumnOptions {
    /// These columns in front of the record or, where `print` has some, those instead of it.
    pub fn beside_or_instead(beside: Vec<Column>, print: Option<Vec<Column>>) -> ColumnOptions {
        ColumnOptions {
            with_record: print.is_none(),
            columns: print.unwrap_or(beside),
            all: false,
            in_records: false,
            decimals: DEFAULT_DECIMALS,
            for_terminal: std::io::stdout().is_terminal(),
        }
    }

    /// Whether a column is shown.
    pub fn shows(&self, column: Column) -> bool {
        self.columns.contains(&column)
    }
}

/// Digits of a score behind the point: thousandths of an event.
pub const DEFAULT_DECIMALS: u8 = 3;

/// What is known of one record.
#[derive(Debug, Clone, Copy)]
pub struct Row {
    /// Of one with a key.
    pub said: Option<Said>,
    pub time: Option<Timestamp>,
}

/// What a verb says of a record.
#[derive(Debug, Clone, Copy)]
pub enum Said {
    Nothing,
    /// Of a set.
    Sighting(Sighting),
    /// Of a sketch.
    Score {
        score: f64,
        delta: f64,
    },
    /// Of a limiter.
    Decision(Decision),
}

/// Writes rows.
pub struct Columns {
    options: ColumnOptions,
    terminator: u8,
    layout: Arc<Layout>,
    key: KeyTexts,
    line: Vec<u8>,
    value: Vec<u8>,
    ends: Vec<u32>,
    widths: Vec<u32>,
}

/// What the columns are called in a table, and the member in a JSON object.
const OWN_NAME: &str = "grudge";

impl Columns {
    pub fn new(options: ColumnOptions, terminator: u8, wanted: Wanted) -> Columns {
        Columns {
            options,
            terminator,
            layout: Arc::default(),
            key: KeyTexts::new(wanted),
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

    /// Whether they stand in front of records of this layout.
    pub fn stand_in_front(&self, layout: &Layout) -> bool {
        let inside = matches!(layout.format, Format::Json | Format::JsonStream | Format::Csv(_));
        self.options.with_record && !inside
    }

    /// The records to come are of this layout.
    pub fn prepare(&mut self, layout: &Arc<Layout>) {
        if !Arc::ptr_eq(&self.layout, layout) {
            self.layout = Arc::clone(layout);
        }
        self.key.prepare(layout);
    }

    /// Writes the columns of a record of which nothing is known, where the record follows them.
    pub fn write_empty(&mut self, output: &mut Output) -> Result<(), Stop> {
        if !self.stand_in_front(&self.layout) {
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
                Column::Key => self.key.push(text, cuts, self.options.for_terminal, &mut self.line),
                Column::Record => push_escaped(&mut self.line, text, self.options.for_terminal),
                column => push_value(&mut self.line, column, row, &self.options),
            }
        }
        self.line.push(self.terminator);
        output.write(&self.line)
    }

    /// Writes the columns of a record, and it behind them.
    #[inline(always)]
    pub fn write_before(&self, record: &[u8], row: &Row, output: &mut Output) -> Result<(), Stop> {
        let line = output.gather()?;
        for column in &self.options.columns {
            push_value(line, *column, row, &self.options);
            line.push(b'\t');
        }
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
            push_value(&mut self.value, *column, row, &self.options);
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
            push_value(&mut self.value, *column, row, &self.options);
            match self.value.as_slice() {
                b"-" => self.line.extend_from_slice(b"null"),
                b"1" if *column == Column::Allowed => self.line.extend_from_slice(b"true"),
                b"0" if *column == Column::Allowed => self.line.extend_from_slice(b"false"),
                value if column.is_text() => {
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

#[cfg(test)]
mod tests;
