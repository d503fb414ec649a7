//! Where lines and other records end, and that this does not depend on the pieces in which a stream comes.
#![no_main]

use grudge_fuzz::knobs::Knobs;
use grudge_fuzz::record::format::{Format, Table};
use grudge_fuzz::record::framing::{Choice, Framing, FramingOptions, Portion};
use libfuzzer_sys::fuzz_target;

/// Where in a text one file ends and the next one begins.
const FILE_SEPARATOR: u8 = 0x1c;

/// The names of the files, by turns. Some say what is in them.
const FILE_NAMES: [&str; 4] = ["a.log", "b.csv", "c.log", "d.tsv.gz"];

/// The longest text that is given byte by byte.
const MAX_SINGLE_BYTES: usize = 512;

fuzz_target!(|input: &[u8]| {
    let (mut knobs, text) = Knobs::split(input);
    let terminator = knobs.pick(&[b'\n', 0, b'a']);
    check_ends(text, terminator);
    let files: Vec<&[u8]> = text.split(|byte| *byte == FILE_SEPARATOR).collect();
    for (format, header) in formats() {
        // Only plain lines end otherwise; those that turn out to be of another format as well.
        let is_default = format == Format::Lines;
        let terminator = if is_default { terminator } else { b'\n' };
        let choices = [Choice::Fixed(format.clone()), Choice::Auto(format.clone())];
        for choice in choices.into_iter().take(if is_default { 2 } else { 1 }) {
            let tables_by_name = matches!(choice, Choice::Auto(_)) && terminator == b'\n';
            check_framing(&FramingOptions { terminator, choice, header, tables_by_name }, &files, &mut knobs);
        }
    }
});

fn check_ends(text: &[u8], terminator: u8) {
    let mut ends = Vec::new();
    grudge::lines::find_ends(text, terminator, &mut ends);
    let naive = (1..=text.len()).filter(|end| text[end - 1] == terminator).map(|end| end as u32);
    assert_eq!(ends, naive.collect::<Vec<_>>());
}

/// Every format, and whether its files have a header.
fn formats() -> Vec<(Format, bool)> {
    let table = |delimiter| Format::Csv(Table { delimiter, names: Vec::new(), header: Vec::new() });
    vec![
        (Format::Lines, true),
        (Format::Access, false),
        (Format::Json, false),
        (Format::JsonStream, false),
        (table(b','), true),
        (table(b'\t'), false),
        (Format::W3c(Default::default()), false),
        (Format::Logfmt, false),
        (Format::Syslog, false),
        (Format::Cri, false),
        (Format::Klog, false),
    ]
}

/// What is said of a record: where it is, and how it is to be read. Lines of a heading are not read.
#[derive(Debug, PartialEq)]
struct Record {
    file: usize,
    start: usize,
    end: usize,
    kind: &'static str,
    format: Option<Format>,
}

fn check_framing(options: &FramingOptions, files: &[&[u8]], knobs: &mut Knobs) {
    let whole = cut(options, files, || usize::MAX);
    if matches!(options.choice, Choice::Fixed(Format::W3c(_))) {
        for Record { file, start, kind, .. } in &whole {
            assert_eq!(*kind == "heading", files[*file][*start..].starts_with(b"#"), "at {start} of file {file}");
        }
    }
    assert_eq!(cut(options, files, || knobs.read_bytes()), whole, "{options:?}");
    if files.iter().map(|file| file.len()).sum::<usize>() <= MAX_SINGLE_BYTES {
        assert_eq!(cut(options, files, || 1), whole, "{options:?}");
    }
}

/// The records of the files, which come in reads of so many bytes each.
fn cut(options: &FramingOptions, files: &[&[u8]], mut read_bytes: impl FnMut() -> usize) -> Vec<Record> {
    let mut framing = Framing::new(options.clone());
    let mut records = Vec::new();
    for (file, text) in files.iter().enumerate() {
        framing.begin_file(FILE_NAMES[file % FILE_NAMES.len()]);
        let mut text = text.to_vec();
        let (mut start, mut end) = (0, 0);
        loop {
            while let Some(portion) = framing.cut(&text[start..end]) {
                start += take(&mut framing, portion, file, &text[..end], start, &mut records);
            }
            if end == text.len() {
                break;
            }
            end = text.len().min(end.saturating_add(read_bytes()));
        }
        // What is left is the last record, and lacks its terminator.
        while start < text.len() {
            if text.last() != Some(&options.terminator) {
                text.push(options.terminator);
            }
            let held = &text[start..];
            let portion = framing.cut(held).or_else(|| framing.give_up(held));
            let portion = portion.unwrap_or(Portion::Records(held.len()));
            start += take(&mut framing, portion, file, &text, start, &mut records);
        }
    }
    records
}

/// Adds the records of a portion, and says how long it is.
fn take(
    framing: &mut Framing,
    portion: Portion,
    file: usize,
    text: &[u8],
    start: usize,
    records: &mut Vec<Record>,
) -> usize {
    let (kind, len) = match portion {
        Portion::Records(len) => ("record", len),
        Portion::Heading(len) => ("heading", len),
        Portion::OpenQuote(len) => ("open quote", len),
    };
    let piece = &text[start..][..len];
    assert!(!piece.is_empty(), "an empty piece at {start}");
    let format = &framing.layout().format;
    let (mut ends, mut widths) = (Vec::new(), Vec::new());
    if let Portion::OpenQuote(len) = portion {
        ends.push(len as u32);
    } else {
        format.find_ends(piece, framing.terminator(), &mut ends, &mut widths);
    }
    assert!(ends.is_sorted_by(|end, next| end < next), "{ends:?}");
    assert_eq!(ends.last().copied(), Some(len as u32), "{} is not all records of {format:?}", piece.escape_ascii());
    let mut begin = start;
    for end in ends {
        let end = start + end as usize;
        let format = (kind != "heading").then(|| format.clone());
        records.push(Record { file, start: begin, end, kind, format });
        begin = end;
    }
    framing.go_on();
    len
}
