//! Rows and columns of tables, against the csv crate.
#![no_main]

use grudge_fuzz::check_places;
use grudge_fuzz::inner::csv::{Cutter, column, columns, find_rows, header, push_field};
use grudge_fuzz::inner::found::Found;
use grudge_fuzz::knobs::Knobs;
use libfuzzer_sys::fuzz_target;

/// The most columns of a row that are asked for one by one.
const MAX_COLUMNS: usize = 40;

/// A row that is not blank: where it ends, and its fields.
#[derive(Debug, PartialEq)]
struct Row {
    end: usize,
    fields: Vec<Vec<u8>>,
}

fuzz_target!(|input: &[u8]| {
    let (mut knobs, text) = Knobs::split(input);
    let delimiter = knobs.pick(b",\t;|\0a");
    let (mut ends, mut widths) = (Vec::new(), Vec::new());
    find_rows(text, delimiter, &mut ends, &mut widths);
    assert_eq!(ends.len(), widths.len());
    assert_eq!(ends.last().copied().unwrap_or_default() as usize, text.len());

    let mut rows = Vec::new();
    let mut start = 0;
    for (end, width) in ends.iter().zip(&widths) {
        let end = *end as usize;
        assert!(start < end);
        let fields = fields(content(&text[start..end], is_open(&text[start..], delimiter)), delimiter, *width as usize);
        if *width > 0 {
            rows.push(Row { end, fields });
        }
        start = end;
    }
    assert_eq!(rows, twin(text, delimiter), "{}", text.escape_ascii());
    check_cutter(text, delimiter, &ends, &mut knobs);
});

/// Whether a quote is open at the end of a text that begins with a row.
fn is_open(text: &[u8], delimiter: u8) -> bool {
    let mut cutter = Cutter::new(delimiter);
    cutter.whole(text).is_none() && cutter.is_inside_quotes()
}

/// A row without its ending. Nothing ends one with an open quote.
fn content(row: &[u8], is_open: bool) -> &[u8] {
    match row {
        _ if is_open => row,
        [row @ .., b'\r', b'\n'] | [row @ .., b'\n'] => row,
        _ => row,
    }
}

/// All fields of a row, found together, one by one, and as a header.
fn fields(row: &[u8], delimiter: u8, width: usize) -> Vec<Vec<u8>> {
    let wanted: Vec<usize> = (0..width).collect();
    let mut found = Found::default();
    columns(row, delimiter, &wanted, &mut found);
    check_places(row, &found);
    let fields: Vec<Vec<u8>> = wanted.iter().map(|part| found.text(row, *part).expect("a field").to_vec()).collect();
    assert_eq!(header(row, delimiter), fields);

    let mut scratch = Vec::new();
    for (index, field) in fields.iter().enumerate().take(MAX_COLUMNS) {
        let place = column(row, delimiter, index, &mut scratch).expect("a field");
        let text = place.decoded.map_or(&row[place.raw], |range| &scratch[range]);
        assert_eq!(text, field);
    }
    assert_eq!(column(row, delimiter, width, &mut scratch), None);

    let backward = [width, width / 2, 0, width / 2];
    columns(row, delimiter, &backward, &mut found);
    let texts = [0, 1, 2, 3].map(|part| found.text(row, part));
    assert_eq!(texts, backward.map(|index| fields.get(index).map(Vec::as_slice)));

    // Written as fields anew they read the same.
    let mut line = Vec::new();
    for (index, field) in fields.iter().enumerate() {
        if index > 0 {
            line.push(delimiter);
        }
        push_field(&mut line, field, delimiter);
    }
    assert!(line.is_empty() || header(&line, delimiter) == fields);
    fields
}

/// The rows as the csv crate reads them.
fn twin(text: &[u8], delimiter: u8) -> Vec<Row> {
    let mut reader = csv::ReaderBuilder::new()
        .flexible(true)
        .has_headers(false)
        .delimiter(delimiter)
        .terminator(csv::Terminator::Any(b'\n'))
        // The usual one takes longer to clear than most inputs to read.
        .buffer_capacity(256)
        .from_reader(text);
    let mut record = csv::ByteRecord::new();
    let mut rows = Vec::new();
    let mut start = 0;
    while reader.read_byte_record(&mut record).expect("no text is an error") {
        let end = reader.position().byte() as usize;
        // That reader passes over blank lines.
        start += text[start..].iter().take_while(|byte| **byte == b'\n').count();
        let row = &text[start..end];
        let mut fields: Vec<Vec<u8>> = record.iter().map(<[u8]>::to_vec).collect();
        // It takes a carriage return for text wherever it stands; here one before a row's end belongs to the end.
        let content = content(row, is_open(&text[start..], delimiter));
        if content.len() + 2 == row.len() {
            assert_eq!(fields.last_mut().and_then(Vec::pop), Some(b'\r'));
        }
        if row != b"\r\n" {
            rows.push(Row { end, fields });
        }
        start = end;
    }
    rows
}

/// Whatever the reads are, the rows that were cut off are those of the whole text.
fn check_cutter(text: &[u8], delimiter: u8, ends: &[u32], knobs: &mut Knobs) {
    let mut cutter = Cutter::new(delimiter);
    let (mut start, mut end) = (0, 0);
    let mut cut = Vec::new();
    let takes = knobs.flag();
    while end < text.len() {
        end = text.len().min(end + knobs.read_bytes());
        let held = &text[start..end];
        let Some(whole) = cutter.whole(held) else { continue };
        let (mut rows, mut widths) = (Vec::new(), Vec::new());
        find_rows(&held[..whole], delimiter, &mut rows, &mut widths);
        assert_eq!(rows.last().copied(), Some(whole as u32));
        let first = Cutter::first(held, delimiter);
        assert_eq!(first.map(|end| end as u32), rows.first().copied());
        // Not taken away, they are found again with the next read.
        if takes || end == text.len() {
            cut.extend(rows.iter().map(|end| start as u32 + end));
            start += whole;
            cutter.restart();
        }
    }
    // Behind the last whole row there may be a piece of one.
    let rest = usize::from(start < text.len());
    assert_eq!(cut, ends[..ends.len() - rest]);
}
