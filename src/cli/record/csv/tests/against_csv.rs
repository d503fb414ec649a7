//! The slow reader of the tests against the csv crate.

use super::super::{CARRIAGE_RETURN, NEWLINE};
use super::{SlowRow, any_text, content, delimiter, slow_rows};
use proptest::prelude::*;

/// The rows of `block` as the csv crate reads them, blank lines left out, each with the position behind it.
fn reference(block: &[u8], delimiter: u8) -> Vec<SlowRow> {
    let mut reader = ::csv::ReaderBuilder::new()
        .flexible(true)
        .has_headers(false)
        .delimiter(delimiter)
        .terminator(::csv::Terminator::Any(NEWLINE))
        .from_reader(block);
    let mut record = ::csv::ByteRecord::new();
    let mut records = Vec::new();
    let mut blank = 0;
    while reader.read_byte_record(&mut record).unwrap() {
        let end = reader.position().byte() as usize;
        while block[blank] == NEWLINE {
            blank += 1;
        }
        let mut fields: Vec<Vec<u8>> = record.iter().map(<[u8]>::to_vec).collect();
        let row = &block[blank..end];
        // That reader takes a carriage return for text wherever it stands.
        if content(row, delimiter).len() + 2 == row.len() {
            assert_eq!(fields.last_mut().unwrap().pop(), Some(CARRIAGE_RETURN));
        }
        if row != b"\r\n" {
            records.push(SlowRow { end, fields });
        }
        blank = end;
    }
    records
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20000))]

    #[test]
    fn the_reader_that_goes_byte_by_byte_reads_as_the_csv_crate_does(block in any_text(), delimiter in delimiter()) {
        let (mut rows, _) = slow_rows(&block, delimiter);
        rows.retain(|row| !row.fields.is_empty());
        prop_assert_eq!(rows, reference(&block, delimiter));
    }
}
