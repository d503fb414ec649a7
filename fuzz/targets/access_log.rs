//! The fields of an access log's lines. An input is the lines.
#![no_main]

use grudge_fuzz::check_range;
use grudge_fuzz::record::access_log::{AccessField, field, fields, is_access_line};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    let mut parts = Vec::new();
    for line in input.split(|byte| *byte == b'\n') {
        fields(line, &AccessField::ALL, &mut parts);
        assert_eq!(parts.len(), AccessField::ALL.len());
        for (name, part) in AccessField::ALL.into_iter().zip(&parts) {
            assert_eq!(&field(line, name), part, "{name:?} alone");
            part.iter().for_each(|range| check_range(line, range));
        }
        // They stand in the line in this order, one behind the other.
        let found: Vec<_> = parts.iter().flatten().collect();
        assert!(found.is_sorted_by(|range, next| range.end <= next.start), "{parts:?} of {}", line.escape_ascii());

        // No other choice of them finds other ones.
        let mut backward = AccessField::ALL;
        backward.reverse();
        for wanted in [&backward[..], &backward[3..7], &AccessField::ALL[..3], &AccessField::ALL[..6]] {
            let expected: Vec<_> = wanted.iter().map(|name| parts[*name as usize].clone()).collect();
            let mut some = Vec::new();
            fields(line, wanted, &mut some);
            assert_eq!(some, expected, "{wanted:?}");
        }

        if is_access_line(line) {
            use AccessField::*;
            for name in [Ip, Ident, User, Time, Path] {
                assert!(parts[name as usize].is_some(), "{name:?} of {}", line.escape_ascii());
            }
        }
    }
});
