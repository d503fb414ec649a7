//! The formats of records, and where the records of each end.

use super::w3c::Schema;
use super::{content, cri, csv, json};
use grudge::lines::find_ends;

/// How records are laid out, with what their file said of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Format {
    /// Plain lines.
    Lines,
    /// An access log, common or combined.
    Access,
    /// A JSON object a line, perhaps behind other text.
    Json,
    /// JSON values one after the other, however they are broken into lines.
    JsonStream,
    /// Comma-separated values and their kin.
    Csv(Table),
    /// Lines below a heading that names their fields.
    W3c(Schema),
    /// `name=value` pairs.
    Logfmt,
    /// System logs of RFC 3164 and RFC 5424.
    Syslog,
    /// What containerd writes.
    Cri,
    /// What Kubernetes' own programs write.
    Klog,
}

/// The table that rows belong to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Table {
    pub delimiter: u8,
    /// The names of its columns; empty without a header.
    pub names: Vec<Vec<u8>>,
    /// The header as it stands, without its ending.
    pub header: Vec<u8>,
}

impl Format {
    /// In words.
    pub fn describe(&self) -> &'static str {
        match self {
            Format::Lines => "plain lines",
            Format::Access => "an access log",
            Format::Json => "JSON lines",
            Format::JsonStream => "a stream of JSON values",
            Format::Csv(Table { delimiter: b'\t', .. }) => "tab-separated values",
            Format::Csv(_) => "comma-separated values",
            Format::W3c(_) => "lines below a #Fields heading",
            Format::Logfmt => "logfmt",
            Format::Syslog => "syslog",
            Format::Cri => "container log",
            Format::Klog => "klog",
        }
    }

    /// Whether a record may go over several lines.
    pub fn spans_lines(&self) -> bool {
        matches!(self, Format::JsonStream | Format::Csv(_) | Format::Cri)
    }

    /// A record without its terminator, and of JSON values without the blanks behind them.
    #[inline(always)]
    pub fn content<'a>(&self, record: &'a [u8], terminator: u8) -> &'a [u8] {
        match self {
            Format::JsonStream => record.trim_ascii_end(),
            _ => content(record, terminator),
        }
    }

    /// Adds the end of each record of `block`, which holds whole records of this format; `widths` are the fields of each
    /// row of a table.
    pub fn find_ends(&self, block: &[u8], terminator: u8, ends: &mut Vec<u32>, widths: &mut Vec<u32>) {
        match self {
            Format::Csv(table) => csv::find_rows(block, table.delimiter, ends, widths),
            Format::JsonStream => {
                json::find_value_ends(block, ends);
                // Half a value at the end of a file is a record, though a broken one.
                if ends.last().is_none_or(|end| (*end as usize) < block.len()) {
                    ends.push(block.len() as u32);
                }
            }
            Format::Cri => cri::find_record_ends(block, ends),
            _ => find_ends(block, terminator, ends),
        }
    }
}

/// What is known of the records of a block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layout {
    pub format: Format,
    /// No heading before has named fields: a name that it lacks is a mistake, not a record's own way.
    pub is_first: bool,
    /// A record may still come that decides the format.
    pub is_provisional: bool,
    /// A record has shown the format.
    pub is_shown: bool,
}

impl Default for Layout {
    fn default() -> Layout {
        Layout { format: Format::Lines, is_first: true, is_provisional: false, is_shown: false }
    }
}
