//! Cuts a stream into pieces of whole records, and finds out what format they have.
//!
//! What one record says of those behind it is settled here, before the records are read: which format they have, the
//! header of a table, the `#Fields` of a log, the quote that is still open. So each piece can be read on its own, by
//! whichever thread is free.

use super::access_log::is_access_line;
use super::format::{Format, Layout, Table};
use super::{content, cri, csv, is_banner, json, w3c};
use memchr::{memchr, memrchr};
use std::sync::Arc;

/// Records among which one must show the format; without any they are plain lines.
pub const DECIDE_WITHIN: u32 = 100;

/// How a stream is cut.
#[derive(Debug, Clone)]
pub struct FramingOptions {
    /// The byte that ends a record, where a line is one.
    pub terminator: u8,
    pub choice: Choice,
    /// Whether the first row of a table names its columns.
    pub header: bool,
    /// Whether a file that is called so is a table.
    pub tables_by_name: bool,
}

/// Which format records have.
#[derive(Debug, Clone)]
pub enum Choice {
    Fixed(Format),
    /// What the first records show, or else this.
    Auto(Format),
}

/// A piece of a stream, by its length.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Portion {
    /// Whole records.
    Records(usize),
    /// Lines that are no records, and say how those behind them are laid out.
    Heading(usize),
    /// A line with a quote that nothing closes.
    OpenQuote(usize),
}

/// Cuts one file after the other.
#[derive(Debug)]
pub struct Framing {
    options: FramingOptions,
    layout: Arc<Layout>,
    /// The layout of files that are no tables by their name.
    usual: Arc<Layout>,
    /// Records that may still decide the format.
    undecided: u32,
    schema: w3c::Schema,
    rows: csv::Cutter,
    values: json::Cutter,
    /// The next row is a header.
    at_header: bool,
    /// Headings that have named fields.
    headings: u64,
    /// Bytes of what is held that are known to have no end of a record.
    searched: usize,
}

impl Framing {
    pub fn new(options: FramingOptions) -> Framing {
        let (format, is_provisional) = match &options.choice {
            Choice::Fixed(format) => (format.clone(), false),
            Choice::Auto(format) => (format.clone(), true),
        };
        let layout = Arc::new(Layout { format, is_provisional, ..Layout::default() });
        Framing {
            options,
            usual: Arc::clone(&layout),
            layout,
            undecided: DECIDE_WITHIN,
            schema: w3c::Schema::default(),
            rows: csv::Cutter::new(b','),
            values: json::Cutter::new(),
            at_header: false,
            headings: 0,
            searched: 0,
        }
    }

    /// The byte that ends a line.
    pub fn terminator(&self) -> u8 {
        self.options.terminator
    }

    /// How the records of the last piece are laid out.
    pub fn layout(&self) -> &Arc<Layout> {
        &self.layout
    }

    /// A file of this name begins.
    pub fn begin_file(&mut self, name: &str) {
        self.restart();
        self.schema = w3c::Schema::default();
        let by_name = if self.options.tables_by_name { delimiter_by_name(name) } else { None };
        self.layout = match by_name {
            Some(delimiter) => {
                let table = Table { delimiter, names: Vec::new(), header: Vec::new() };
                Arc::new(Layout { format: Format::Csv(table), is_first: self.headings == 0, ..Layout::default() })
            }
            None => self.usual_again(),
        };
        if let Format::Csv(table) = &self.layout.format {
            self.rows = csv::Cutter::new(table.delimiter);
            self.at_header = self.options.header;
        }
    }

    /// The layout of the files before, which the first records of this one may change: a line of another format decides
    /// anew.
    fn usual_again(&mut self) -> Arc<Layout> {
        if matches!(self.options.choice, Choice::Auto(_)) {
            self.undecided = DECIDE_WITHIN;
            let format = match &self.usual.format {
                // What named the fields of another file does not name those of this.
                Format::W3c(_) => Format::W3c(w3c::Schema::default()),
                format => format.clone(),
            };
            self.usual =
                Arc::new(Layout { format, is_provisional: true, is_shown: self.usual.is_shown, ..Layout::default() });
        }
        Arc::clone(&self.usual)
    }

    /// What is held begins anew, at a record's start, and nothing of it has been searched.
    pub fn restart(&mut self) {
        self.searched = 0;
        self.rows.restart();
        self.values.restart();
    }

    /// The first piece of what is held, if there is a whole one. What is held begins with a record and has grown at its
    /// end since the last call; what is left of it behind the piece is held from then on.
    pub fn cut(&mut self, held: &[u8]) -> Option<Portion> {
        if held.is_empty() {
            return None;
        }
        if self.at_header {
            return self.cut_header(held);
        }
        if self.layout.is_provisional {
            return self.cut_undecided(held);
        }
        match &self.layout.format {
            Format::Csv(_) => {
                let end = self.rows.whole(held)?;
                self.rows.restart();
                Some(Portion::Records(end))
            }
            Format::JsonStream => {
                let end = self.values.whole(held)?;
                self.values.restart();
                Some(Portion::Records(end))
            }
            Format::W3c(_) => self.cut_w3c(held),
            Format::Cri => {
                let end = self.last_end(held)?;
                let whole = last_whole_container_record(&held[..end]);
                // A line that is a piece waits for the next one.
                self.searched = if whole == end { held.len() - end } else { 0 };
                (whole > 0).then_some(Portion::Records(whole))
            }
            _ => {
                let end = self.last_end(held)?;
                self.searched = held.len() - end;
                Some(Portion::Records(end))
            }
        }
    }

    /// What to do where no record ends in all that may be held, or is to come: a line with an open quote is given up, so
    /// that those behind it can be read.
    pub fn give_up(&mut self, held: &[u8]) -> Option<Portion> {
        let is_table = matches!(self.layout.format, Format::Csv(_));
        if !is_table || !self.at_header && !self.rows.is_inside_quotes() {
            return None;
        }
        self.restart();
        memchr(b'\n', held).map(|end| Portion::OpenQuote(end + 1))
    }

    /// The end of the last whole line.
    fn last_end(&mut self, held: &[u8]) -> Option<usize> {
        let from = self.searched.min(held.len());
        let end = memrchr(self.options.terminator, &held[from..]).map(|at| from + at + 1);
        if end.is_none() {
            self.searched = held.len();
        }
        end
    }

    fn cut_header(&mut self, held: &[u8]) -> Option<Portion> {
        let Format::Csv(Table { delimiter, .. }) = self.layout.format else { return None };
        let end = csv::Cutter::first(held, delimiter)?;
        let header = content(&held[..end], b'\n').to_vec();
        self.restart();
        if !header.is_empty() && !is_banner(&header) {
            self.at_header = false;
            let table = Table { delimiter, names: csv::header(&header, delimiter), header };
            self.name_fields(Format::Csv(table));
        }
        Some(Portion::Heading(end))
    }

    /// The records from here on have these fields.
    fn name_fields(&mut self, format: Format) {
        if self.layout.format == format {
            return;
        }
        self.layout = Arc::new(Layout { format, is_first: self.headings == 0, is_shown: true, ..Layout::default() });
        self.headings += 1;
    }

    fn cut_w3c(&mut self, held: &[u8]) -> Option<Portion> {
        if !w3c::is_directive(held) {
            let from = self.searched.saturating_sub(1);
            if let Some(directive) = w3c::next_directive(held, from) {
                self.searched = 0;
                return Some(Portion::Records(directive));
            }
            let end = self.last_end(held)?;
            self.searched = held.len() - end;
            return Some(Portion::Records(end));
        }
        let mut end = 0;
        while w3c::is_directive(&held[end..]) {
            let Some(len) = memchr(self.options.terminator, &held[end..]) else { break };
            self.schema.take(content(&held[end..][..=len], self.options.terminator));
            end += len + 1;
        }
        if end == 0 {
            return None;
        }
        self.searched = 0;
        if self.schema.is_known() {
            self.name_fields(Format::W3c(self.schema.clone()));
        }
        Some(Portion::Heading(end))
    }

    /// Looks for a line that shows the format; those before it are of the fallback. Directives wait for the line behind
    /// them: they may be the beginning of the heading that shows it.
    fn cut_undecided(&mut self, held: &[u8]) -> Option<Portion> {
        let (mut start, mut directives) = (0, None);
        while let Some(len) = memchr(self.options.terminator, &held[start..]) {
            let line = content(&held[start..][..=len], self.options.terminator);
            if let Some(format) = self.shown_format(line) {
                self.searched = 0;
                let begins = directives.filter(|_| matches!(format, Format::W3c(_))).map_or(start, |(begin, _)| begin);
                if begins > 0 {
                    return Some(Portion::Records(begins));
                }
                self.decide(format, true);
                return self.cut(held);
            }
            let (begin, count) = directives.unwrap_or((start, 0));
            if self.has_lines() && w3c::may_precede_fields(line) && count < self.undecided {
                // What Zeek announces before it names the fields.
                self.schema.take(line);
                directives = Some((begin, count + 1));
                start += len + 1;
                continue;
            }
            start += len + 1;
            let looked_at = 1 + directives.take().map_or(0, |(_, count)| count);
            self.undecided = self.undecided.saturating_sub(looked_at);
            if self.undecided == 0 {
                self.searched = 0;
                return Some(Portion::Records(start));
            }
        }
        let end = directives.map_or(start, |(begin, _)| begin);
        self.searched = 0;
        (end > 0).then_some(Portion::Records(end))
    }

    /// Whether records end as lines do; others have no headings.
    fn has_lines(&self) -> bool {
        self.options.terminator == b'\n'
    }

    /// The format that a line shows.
    fn shown_format(&self, line: &[u8]) -> Option<Format> {
        if json::is_object(line) {
            Some(Format::Json)
        } else if is_access_line(line) {
            Some(Format::Access)
        } else if self.has_lines() && w3c::is_fields_line(line) {
            Some(Format::W3c(self.schema.clone()))
        } else {
            None
        }
    }

    /// The records from here on are of this format; `is_shown`: a record shows it.
    fn decide(&mut self, format: Format, is_shown: bool) {
        self.usual = Arc::new(Layout { format, is_shown, ..Layout::default() });
        self.layout = Arc::clone(&self.usual);
    }

    /// The piece was taken over with its layout: the one of the next may be decided by now.
    pub fn go_on(&mut self) {
        if self.layout.is_provisional && self.undecided == 0 {
            let is_shown = self.layout.is_shown;
            self.decide(self.layout.format.clone(), is_shown);
        }
    }
}

/// The delimiter of a table that a file's name tells: `a.csv`, `a.tsv.gz`.
fn delimiter_by_name(name: &str) -> Option<u8> {
    let name = name.to_ascii_lowercase();
    let name = [".gz", ".zst", ".zstd"].iter().find_map(|end| name.strip_suffix(end)).unwrap_or(&name);
    match name.rsplit_once('.')?.1 {
        "csv" => Some(b','),
        "tsv" => Some(b'\t'),
        _ => None,
    }
}

/// The end of the last line that is no piece of a longer one; 0 where there is none.
fn last_whole_container_record(lines: &[u8]) -> usize {
    let mut end = lines.len();
    while end > 0 {
        let start = memrchr(b'\n', &lines[..end - 1]).map_or(0, |at| at + 1);
        if !cri::is_partial(content(&lines[start..end], b'\n')) {
            break;
        }
        end = start;
    }
    end
}
