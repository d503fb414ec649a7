//! What a verb says of a record, in columns: in front of it (`--tag`, `--count`) or instead of it (`--print`).

use super::output::{Output, Stop};
use super::record::key::{AnyKey, KeySpec};
use super::record::{ReadOptions, StampPlace, content};
use grudge::seen::{Sighting, Verdict};
use grudge::time::{NANOS_PER_SECOND, Span, Timestamp};
use std::io::Write;
use std::ops::Range;

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
    read: ReadOptions,
    key: AnyKey,
    stamp: Vec<Range<usize>>,
    line: Vec<u8>,
}

impl Columns {
    /// `key` finds the key's text once more in the records that are written.
    pub fn new(options: ColumnOptions, read: ReadOptions, key: KeySpec) -> Columns {
        Columns { options, read, key: AnyKey::new(key), stamp: Vec::new(), line: Vec::new() }
    }

    /// Whether dropped records are written too.
    pub fn writes_all(&self) -> bool {
        self.options.all
    }

    /// Whether anything can be said of a record that is none, such as a banner.
    pub fn with_record(&self) -> bool {
        self.options.with_record
    }

    /// Writes the columns of a record of which nothing is known, where the record follows them.
    pub fn write_empty(&mut self, output: &mut Output) -> Result<(), Stop> {
        let empty: Vec<&[u8]> = self.options.columns.iter().map(|_| &b"-\t"[..]).collect();
        output.write(&empty.concat())
    }

    /// Writes the row of `record`, which ends with its terminator and has its stamp at `stamp`.
    pub fn write(&mut self, record: &[u8], row: &Row, stamp: &[StampPlace], output: &mut Output) -> Result<(), Stop> {
        self.line.clear();
        let content = content(&record[..record.len() - 1], self.read.terminator);
        for (index, column) in self.options.columns.iter().enumerate() {
            if index > 0 {
                self.line.push(b'\t');
            }
            match column {
                Column::Key => {
                    self.stamp.clear();
                    self.stamp.extend(stamp.iter().map(|place| place.range.clone()));
                    let (line, for_terminal) = (&mut self.line, self.options.for_terminal);
                    let mut first = true;
                    self.key.texts(content, &self.stamp, |part| {
                        if !std::mem::take(&mut first) {
                            line.push(b'\t');
                        }
                        push_escaped(line, part, for_terminal);
                    });
                }
                Column::Record => push_escaped(&mut self.line, content, self.options.for_terminal),
                Column::Time => match row.time {
                    Some(time) => push_time(&mut self.line, time),
                    None => self.line.push(b'-'),
                },
                Column::Verdict => self.line.extend_from_slice(match row.sighting.map(|sighting| sighting.verdict) {
                    Some(Verdict::New) => b"new",
                    Some(Verdict::Repeat) => b"repeat",
                    None => b"-",
                }),
                Column::Age => match row.sighting.and_then(|sighting| sighting.age) {
                    Some(age) => push_age(&mut self.line, age, self.options.age_in_records),
                    None => self.line.push(b'-'),
                },
                Column::Count => match row.sighting {
                    // Writing to a vector cannot fail.
                    Some(sighting) => drop(write!(self.line, "{}", sighting.repeats)),
                    None => self.line.push(b'-'),
                },
            }
        }
        if self.options.with_record {
            self.line.push(b'\t');
            output.write(&self.line)?;
            output.write(record)
        } else {
            self.line.push(self.read.terminator);
            output.write(&self.line)
        }
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
        use super::super::record::key::KeySource;
        let columns = [Column::Key, Column::Time, Column::Verdict, Column::Age, Column::Count, Column::Record];
        let options = ColumnOptions {
            columns: columns.to_vec(),
            with_record: false,
            all: true,
            age_in_records: false,
            for_terminal: true,
        };
        let read =
            ReadOptions { terminator: b'\n', max_record: 100, banners: false, stamp_places: true, access_log: false };
        let key = KeySpec { source: KeySource::Whole, ignore_case: false, missing_is_empty: false, keep_time: false };
        let mut columns = Columns::new(options, read, key);
        let sighting = Sighting::UNSEEN;
        let row = Row { sighting: Some(sighting), time: Some(Timestamp::from_seconds(1, 5)) };
        let stamp = [StampPlace { index: 0, range: 2..6 }];
        let mut output = Output::new();
        let mut rows =
            |count: usize| (0..count).for_each(|_| columns.write(b"a 1234 b\n", &row, &stamp, &mut output).unwrap());
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
