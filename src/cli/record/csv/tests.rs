//! Tests of the module above, and the slow twins it is held against.

mod against_csv;

use super::super::found::{Found, Place};
use super::*;
use proptest::prelude::*;

/// What a reader knows that goes byte by byte.
#[derive(Debug, Clone, Copy, PartialEq)]
enum State {
    FieldStart,
    Unquoted,
    Quoted,
    QuoteInQuoted,
}

/// A row as that reader has it.
#[derive(Debug, Clone, PartialEq)]
struct SlowRow {
    end: usize,
    fields: Vec<Vec<u8>>,
}

/// The rows of `block`, and whether its end is inside quotes.
fn slow_rows(block: &[u8], delimiter: u8) -> (Vec<SlowRow>, bool) {
    let mut rows = Vec::new();
    let (mut state, mut start, mut fields) = (State::FieldStart, 0, vec![Vec::new()]);
    for (index, byte) in block.iter().copied().enumerate() {
        state = match (state, byte) {
            (State::FieldStart, QUOTE) => State::Quoted,
            (State::Quoted, QUOTE) => State::QuoteInQuoted,
            (State::QuoteInQuoted, QUOTE) | (State::Quoted, _) => {
                fields.last_mut().unwrap().push(byte);
                State::Quoted
            }
            (_, NEWLINE) => {
                let mut fields = std::mem::replace(&mut fields, vec![Vec::new()]);
                if block[start..].starts_with(b"\n") || block[start..].starts_with(b"\r\n") {
                    fields.clear();
                } else if block[index - 1] == CARRIAGE_RETURN {
                    fields.last_mut().unwrap().pop();
                }
                start = index + 1;
                rows.push(SlowRow { end: start, fields });
                State::FieldStart
            }
            (_, byte) if byte == delimiter => {
                fields.push(Vec::new());
                State::FieldStart
            }
            _ => {
                fields.last_mut().unwrap().push(byte);
                State::Unquoted
            }
        };
    }
    if start < block.len() {
        rows.push(SlowRow { end: block.len(), fields });
    }
    (rows, state == State::Quoted)
}

fn rows(block: &[u8], delimiter: u8) -> (Vec<u32>, Vec<u32>) {
    let (mut ends, mut widths) = (Vec::new(), Vec::new());
    find_rows(block, delimiter, &mut ends, &mut widths);
    (ends, widths)
}

/// A row without what ends it; nothing ends an open quote.
fn content(row: &[u8], delimiter: u8) -> &[u8] {
    let (_, open) = slow_rows(row, delimiter);
    match row {
        _ if open => row,
        [row @ .., CARRIAGE_RETURN, NEWLINE] | [row @ .., NEWLINE] => row,
        _ => row,
    }
}

/// All fields of a row, each asked for in the same call.
fn all_fields(row: &[u8], delimiter: u8, width: usize) -> Vec<Vec<u8>> {
    let wanted: Vec<usize> = (0..width).collect();
    let mut found = Found::default();
    columns(row, delimiter, &wanted, &mut found);
    (0..width).map(|part| found.text(row, part).expect("a field as the width has it").to_vec()).collect()
}

const PIECES: [&str; 12] = ["a", ",", "\"", "\n", "\r", "\t", "\0", "\r\n", "\"\"", "\",\"", "\"\n\"", ",\""];

/// Text in which everything happens that can, in pieces long enough to fill chunks.
fn text() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        12 => prop::sample::select(PIECES.to_vec()).prop_map(|piece| piece.as_bytes().to_vec()),
        2 => (1usize..80).prop_map(|len| vec![b'x'; len]),
        1 => (1usize..40).prop_map(|len| vec![QUOTE; len]),
    ];
    prop::collection::vec(piece, 0..150).prop_map(|pieces| pieces.concat())
}

/// Text as a tidy program writes it: each field quoted or plain, and rows that end.
fn tidy() -> impl Strategy<Value = Vec<u8>> {
    let field = prop_oneof![
        prop::sample::select(vec!["", "ab", "\"\"", "\"a,b\"", "\"two\nlines\"", "\"a \"\"b\"\"\"", "\"\"\"\""])
            .prop_map(|field| field.as_bytes().to_vec()),
        (1usize..50).prop_map(|len| vec![b'x'; len]),
    ];
    let end = prop::sample::select(vec!["\n", "\r\n"]);
    let row = (prop::collection::vec(field, 1..8), end).prop_map(|(fields, end)| {
        let mut row = fields.join(&b","[..]);
        row.extend_from_slice(end.as_bytes());
        row
    });
    prop::collection::vec(row, 0..30).prop_map(|rows| rows.concat())
}

fn any_text() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![text(), tidy()]
}

fn delimiter() -> impl Strategy<Value = u8> {
    prop::sample::select(b",\t\0a".to_vec())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn rows_and_their_columns_are_those_of_a_reader_that_goes_byte_by_byte(
        block in any_text(), delimiter in delimiter(),
    ) {
        let (ends, widths) = rows(&block, delimiter);
        let mut start = 0;
        let mut read = Vec::new();
        for (end, width) in ends.into_iter().zip(widths) {
            let end = end as usize;
            let row = content(&block[start..end], delimiter);
            let fields = all_fields(row, delimiter, width as usize);
            prop_assert_eq!(&header(row, delimiter), &fields);
            read.push(SlowRow { end, fields });
            start = end;
        }
        prop_assert_eq!(read, slow_rows(&block, delimiter).0);
    }

    #[test]
    fn a_cutter_finds_the_last_whole_row_whatever_the_pieces_are(
        stream in any_text(),
        delimiter in delimiter(),
        pieces in prop::collection::vec(0usize..200, 1..40),
        takes in any::<bool>(),
    ) {
        let mut cutter = Cutter::new(delimiter);
        let (mut start, mut end) = (0, 0);
        for piece in pieces {
            end = stream.len().min(end + piece);
            let held = &stream[start..end];
            let (rows, inside) = slow_rows(held, delimiter);
            // What does not end yet is the last row and goes on to the end.
            let is_whole = |row: &&SlowRow| row.end < held.len() || held.ends_with(b"\n") && !inside;
            let cut = cutter.whole(held);
            prop_assert_eq!(cut, rows.iter().rev().find(is_whole).map(|row| row.end));
            prop_assert_eq!(cutter.is_inside_quotes(), inside);
            if let Some(cut) = cut.filter(|_| takes) {
                start += cut;
                cutter.restart();
            }
        }
    }

    #[test]
    fn the_first_row_ends_where_the_cutter_first_sees_an_end(
        stream in any_text(), delimiter in delimiter(), splits in prop::array::uniform2(0usize..300),
    ) {
        let mut cutter = Cutter::new(delimiter);
        let first = (0..=stream.len()).find_map(|len| cutter.whole(&stream[..len]));
        prop_assert_eq!(Cutter::first(&stream, delimiter), first);
        let row = first.unwrap_or(stream.len());
        let [held, passed] = splits.map(|split| split.min(row.saturating_sub(1)));
        let (held, passed) = (held.min(passed), held.max(passed));
        let mut cutter = Cutter::new(delimiter);
        prop_assert_eq!(cutter.whole(&stream[..held]), None);
        prop_assert_eq!(cutter.rest_of_row(&stream[held..passed]), None);
        prop_assert_eq!(cutter.rest_of_row(&stream[passed..]).map(|end| passed + end), first);
    }

    #[test]
    fn columns_in_any_order_are_those_found_one_by_one(
        row in any_text(),
        delimiter in delimiter(),
        mut wanted in prop::collection::vec(0usize..12, 0..6),
        sorted in any::<bool>(),
    ) {
        if sorted {
            wanted.sort_unstable();
        }
        let (mut found, mut scratch) = (Found::default(), b"old".to_vec());
        columns(&row, delimiter, &wanted, &mut found);
        prop_assert_eq!(found.places.len(), wanted.len());
        for (slot, index) in wanted.into_iter().enumerate() {
            let place = column(&row, delimiter, index, &mut scratch);
            let text = place.as_ref().map(|place| match &place.decoded {
                Some(range) => &scratch[range.clone()],
                None => &row[place.raw.clone()],
            });
            prop_assert_eq!(found.text(&row, slot), text);
            let ranges = |place: &Place| (place.raw.clone(), place.decoded.is_some(), place.extent.clone());
            prop_assert_eq!(found.places[slot].as_ref().map(ranges), place.as_ref().map(ranges));
            prop_assert!(place.is_none_or(|place| place.decoded.is_none() || text != Some(&row[place.raw])));
        }
    }

    #[test]
    fn extents_and_delimiters_make_up_the_row(row in any_text(), delimiter in delimiter()) {
        let width = header(&row, delimiter).len();
        let mut found = Found::default();
        columns(&row, delimiter, &(0..width).collect::<Vec<_>>(), &mut found);
        let extents: Vec<&[u8]> = found.places.iter().map(|place| &row[place.clone().unwrap().extent]).collect();
        prop_assert_eq!(extents.join(&delimiter), row);
    }

    #[test]
    fn a_pushed_field_is_read_back(values in prop::collection::vec(text(), 1..4), delimiter in delimiter()) {
        let mut line = Vec::new();
        for (index, value) in values.iter().enumerate() {
            if index > 0 {
                line.push(delimiter);
            }
            push_field(&mut line, value, delimiter);
        }
        if !line.is_empty() {
            prop_assert_eq!(header(&line, delimiter), values);
            line.push(NEWLINE);
            prop_assert_eq!(rows(&line, delimiter).0, [line.len() as u32]);
        }
    }
}

#[track_caller]
fn check_rows(block: &str, expected_rows: &[&str], expected_widths: &[u32]) {
    let (ends, widths) = rows(block.as_bytes(), b',');
    let mut start = 0;
    let cut = ends.iter().map(|end| &block[std::mem::replace(&mut start, *end as usize)..*end as usize]);
    assert_eq!(cut.collect::<Vec<_>>(), expected_rows, "{block:?}");
    assert_eq!(widths, expected_widths, "{block:?}");
}

#[test]
fn a_newline_inside_quotes_ends_no_row() {
    check_rows("a,\"b\nc\",d\ne\n", &["a,\"b\nc\",d\n", "e\n"], &[3, 1]);
    check_rows("\"a\r\n,\"\"\n\",b\r\nc,d\n", &["\"a\r\n,\"\"\n\",b\r\n", "c,d\n"], &[2, 2]);
}

#[test]
fn a_quote_in_the_middle_of_a_field_is_text() {
    check_rows("a\"b,c\nd\"\n", &["a\"b,c\n", "d\"\n"], &[2, 1]);
    check_rows(" \"a\n\"b\"x\"\n\"\n", &[" \"a\n", "\"b\"x\"\n", "\"\n"], &[1, 1, 1]);
    check_rows("\r\"a\nb\n", &["\r\"a\n", "b\n"], &[1, 1]);
}

#[test]
fn a_blank_line_has_no_fields_and_an_empty_field_is_one() {
    check_rows(
        "\n\r\na\n\n\"\"\n,\n\r\r\n",
        &["\n", "\r\n", "a\n", "\n", "\"\"\n", ",\n", "\r\r\n"],
        &[0, 0, 1, 0, 1, 2, 1],
    );
    assert!(header(b"", b',').is_empty());
    assert_eq!(column(b"", b',', 0, &mut Vec::new()), None);
    assert_eq!(header(b",", b','), [b"", b""]);
}

#[test]
fn an_open_quote_takes_the_rest_of_the_block() {
    check_rows("a\n\"b\nc,d\n", &["a\n", "\"b\nc,d\n"], &[1, 1]);
    check_rows("", &[], &[]);
}

#[test]
fn what_was_found_before_is_kept() {
    let (mut ends, mut widths) = (vec![7], vec![8]);
    find_rows(b"a,b\n", b',', &mut ends, &mut widths);
    assert_eq!((ends, widths), (vec![7, 4], vec![8, 2]));
}

#[track_caller]
fn check_column(row: &str, index: usize, text: &str, raw: &str, extent: &str) {
    let mut scratch = b"of the row before".to_vec();
    let place = column(row.as_bytes(), b',', index, &mut scratch).unwrap();
    assert_eq!((&row[place.raw.clone()], &row[place.extent]), (raw, extent), "{row}");
    assert_eq!(scratch.len(), place.decoded.as_ref().map_or(0, |range| range.len()), "{row}");
    let decoded = place.decoded.map(|range| String::from_utf8(scratch[range].to_vec()).unwrap());
    assert_eq!(decoded.as_deref(), (text != raw).then_some(text), "{row}");
}

#[test]
fn a_column_is_its_text_without_the_quotes_around_it() {
    check_column("a,b c,d", 1, "b c", "b c", "b c");
    check_column("a,\"b,c\",d", 1, "b,c", "b,c", "\"b,c\"");
    check_column("\"a\",\"\",d", 1, "", "", "\"\"");
    check_column("\"a\",\"\",d", 2, "d", "d", "d");
    check_column("\"say \"\"hi\"\"\"", 0, "say \"hi\"", "say \"\"hi\"\"", "\"say \"\"hi\"\"\"");
    check_column("x,\"\"\"\"", 1, "\"", "\"\"", "\"\"\"\"");
}

#[test]
fn what_follows_a_closing_quote_is_added_as_it_stands() {
    check_column("x,\"a\"b,c", 1, "ab", "\"a\"b", "\"a\"b");
    check_column("\"a,\"\"\" \"b\",c", 0, "a,\" \"b\"", "\"a,\"\"\" \"b\"", "\"a,\"\"\" \"b\"");
    check_column("\"a\"b,c", 1, "c", "c", "c");
}

#[test]
fn the_text_of_an_open_quote_is_all_that_follows() {
    check_column("x,\"a,b", 1, "a,b", "a,b", "\"a,b");
    check_column("x,\"a\"\",b", 1, "a\",b", "a\"\",b", "\"a\"\",b");
    check_column("x,\"", 1, "", "", "\"");
    assert_eq!(column(b"x,\"a,b", b',', 2, &mut Vec::new()), None);
}

#[test]
fn a_column_that_the_row_lacks_is_none() {
    let mut found = Found::default();
    columns(b"a,b", b',', &[5, 1, 2, 1], &mut found);
    assert_eq!(found.places, [None, Some(Place::plain(2..3)), None, Some(Place::plain(2..3))]);
    columns(b"a", b',', &[], &mut found);
    assert!(found.places.is_empty());
    assert_eq!(column(b"a,b", b',', usize::MAX, &mut Vec::new()), None);
}

#[test]
fn a_header_has_its_names_without_quotes() {
    assert_eq!(header(b"id,\"full \"\"name\"\"\",,$ (k)", b','), [&b"id"[..], b"full \"name\"", b"", b"$ (k)"]);
    assert_eq!(header(b"a,b\tc", b'\t'), [&b"a,b"[..], b"c"]);
}

#[test]
fn the_header_ends_at_the_first_newline_outside_quotes() {
    assert_eq!(Cutter::first(b"a,\"b\nc\"\nd\n", b','), Some(8));
    assert_eq!(Cutter::first(b"a,\"b\nc\nd\n", b','), None);
    assert_eq!(Cutter::first(b"\na\n", b','), Some(1));
    assert_eq!(Cutter::first(b"", b','), None);
}

#[test]
fn a_cutter_says_whether_a_quote_is_open() {
    let mut cutter = Cutter::new(b',');
    assert_eq!(cutter.whole(b"a\n\"b"), Some(2));
    assert!(cutter.is_inside_quotes());
    assert_eq!(cutter.whole(b"a\n\"b\nc"), Some(2));
    assert_eq!(cutter.whole(b"a\n\"b\nc\"\n"), Some(8));
    assert!(!cutter.is_inside_quotes());
    cutter.restart();
    assert_eq!(cutter.whole(b"\"a"), None);
    assert!(cutter.is_inside_quotes());
    cutter.restart();
    assert!(!cutter.is_inside_quotes());
    assert_eq!(cutter.whole(b"a\n"), Some(2));
}

#[test]
fn less_than_was_held_before_is_a_new_beginning() {
    let mut cutter = Cutter::new(b',');
    assert_eq!(cutter.whole(b"\"abc"), None);
    assert_eq!(cutter.whole(b"a\n"), Some(2));
}

#[test]
fn any_byte_may_be_the_delimiter_without_harm() {
    for delimiter in [QUOTE, NEWLINE, CARRIAGE_RETURN, 0, u8::MAX] {
        let block = b"\"\"a\"\n,\"\0\"\"\r\n\n\"\"\"".repeat(20);
        let (ends, widths) = rows(&block, delimiter);
        assert_eq!(ends.len(), widths.len());
        assert!(ends.is_sorted() && ends.last() == Some(&(block.len() as u32)), "{ends:?}");
        let mut found = Found::default();
        columns(&block, delimiter, &[0, 3], &mut found);
        Cutter::new(delimiter).whole(&block);
    }
}

#[test]
fn a_field_is_quoted_only_if_it_must_be() {
    let pushed = |value: &str| {
        let mut line = b"x,".to_vec();
        push_field(&mut line, value.as_bytes(), b',');
        String::from_utf8(line).unwrap()
    };
    for plain in ["", "a b", " a ", "a;b", "'a'"] {
        assert_eq!(pushed(plain), format!("x,{plain}"));
    }
    for (value, field) in
        [("a,b", "\"a,b\""), ("\"", "\"\"\"\""), ("a\"b", "\"a\"\"b\""), ("\r", "\"\r\""), ("\n", "\"\n\"")]
    {
        assert_eq!(pushed(value), format!("x,{field}"));
    }
}
