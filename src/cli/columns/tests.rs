//! Rows and lists of columns.

use super::super::record::fields::Separator;
use super::super::record::key::{KeySource, KeySpec};
use super::super::record::value::ValueSpec;
use super::*;

#[test]
fn nothing_is_allocated_for_a_row() {
    let shown = [Column::Key, Column::Time, Column::Verdict, Column::Age, Column::Count, Column::Record];
    let options = ColumnOptions {
        all: true,
        for_terminal: true,
        ..ColumnOptions::beside_or_instead(Vec::new(), Some(shown.to_vec()))
    };
    let wanted =
        Wanted { key: KeySpec::new(KeySource::Whole), time: None, value: ValueSpec::One, separator: Separator::Blanks };
    let mut columns = Columns::new(options, b'\n', wanted);
    columns.prepare(&Arc::default());
    let row = Row { said: Some(Said::Sighting(Sighting::UNSEEN)), time: Some(Timestamp::from_seconds(1, 5)) };
    let cuts = [Cut { index: 0, range: 2..6 }];
    let mut output = Output::new();
    let mut rows =
        |count: usize| (0..count).for_each(|_| columns.write(b"a 1234 b\n", &row, true, &cuts, &mut output).unwrap());
    rows(1);
    assert_eq!(allocation_counter::measure(|| rows(100)).count_total, 0);
}

#[test]
fn columns_are_named_in_a_list() {
    let known = [Column::Key, Column::Verdict];
    assert_eq!(Column::parse_list("verdict,key", &known), Ok(vec![Column::Verdict, Column::Key]));
    assert!(
        Column::parse_list("verdict,score", &known).unwrap_err().contains("`score` is no column here; there are key,")
    );
}
