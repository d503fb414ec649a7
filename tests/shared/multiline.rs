//! Real logs whose records go on over several lines: each stays whole.

use super::sets::Set;
use super::{dedup_in_every_way, line_count, stats};
use crate::support::{dedup, lines, shared_folder};
use std::fs;

/// A set with records of several lines.
struct Blocks {
    name: &'static str,
    options: &'static [&'static str],
    /// Whether a record begins with this line.
    begins: fn(&[u8]) -> bool,
}

const BLOCKS: [Blocks; 5] = [
    Blocks { name: "gdrive-sync", options: &["--ttl", "60s", "--multiline"], begins: begins_with_a_date },
    Blocks {
        name: "gdrive-sync",
        options: &["--ttl", "60s", "--multiline", "--mask", "all"],
        begins: begins_with_a_date,
    },
    Blocks { name: "kafka-gc", options: &["--ttl", "60s", "--multiline", "--mask", "all"], begins: begins_with_a_date },
    Blocks {
        name: "setupapi-dev",
        options: &["--ttl", "60s", "--multiline=^>>>", "-T", r"Section (?:start|end) (\S+ \S+)"],
        begins: |line| line.starts_with(b">>>"),
    },
    Blocks {
        name: "setupapi-dev",
        options: &["--ttl", "100r", r"--multiline=^>>>  \[", "--mask", "num,hex"],
        begins: |line| line.starts_with(b">>>  ["),
    },
];

/// `2026-`
fn begins_with_a_date(line: &[u8]) -> bool {
    line.len() > 5 && line[..4].iter().all(u8::is_ascii_digit) && line[4] == b'-'
}

/// The lines before the first record, and the records.
fn records(text: &[u8], begins: fn(&[u8]) -> bool) -> (Vec<u8>, Vec<Vec<u8>>) {
    let (mut before, mut records) = (Vec::new(), Vec::<Vec<u8>>::new());
    for line in lines(text) {
        match records.last_mut() {
            _ if begins(line) => records.push(line.to_vec()),
            Some(record) => record.extend_from_slice(line),
            None => before.extend_from_slice(line),
        }
    }
    (before, records)
}

#[test]
fn records_of_several_lines_stay_whole() {
    let Some(folder) = shared_folder("data") else { return };
    for Blocks { name, options, begins } in &BLOCKS {
        let text = fs::read(Set::open(&folder.join(name)).file).expect("the set can be read");
        let (before, records) = records(&text, *begins);
        let text = &text[before.len()..];
        assert!(records.len() > 100 && (records.len() as u64) < line_count(text), "{name}");

        let verdicts = dedup([options, &["--tag", "--print", "verdict"][..]].concat(), text);
        let verdicts: Vec<_> = lines(&verdicts).collect();
        assert_eq!(verdicts.len(), records.len(), "{name} {options:?}");
        let of = |verdict: &[u8]| {
            let judged = records.iter().zip(&verdicts).filter(|(_, judged)| **judged == verdict);
            judged.map(|(record, _)| record.as_slice()).collect::<Vec<_>>()
        };
        let (new, repeats) = (of(b"new\n"), of(b"repeat\n"));
        assert!(!new.is_empty() && !repeats.is_empty() && new.len() + repeats.len() == records.len(), "{name}");
        assert!([&new, &repeats].iter().all(|some| some.iter().any(|record| line_count(record) > 1)), "{name}");

        // Every record with all of its lines, in the order of the input.
        let passed = dedup_in_every_way(options, text);
        assert!(passed == new.concat(), "{name} {options:?}");
        let dropped = dedup_in_every_way(&[options, &["-v"][..]].concat(), text);
        assert!(dropped == repeats.concat(), "{name} {options:?}");
        assert_eq!(line_count(&passed) + line_count(&dropped), line_count(text), "{name}");
        // Lines that belong to no record pass.
        let whole = [&before[..], text].concat();
        assert!(dedup(*options, &whole) == [&before[..], &passed].concat(), "{name} {options:?}");

        let counts = stats(options, text);
        let found = ["read", "passed", "dropped", "continued"].map(|name| counts[name].as_u64().expect("a count"));
        let wanted = [records.len(), new.len(), repeats.len(), line_count(text) as usize - records.len()];
        assert_eq!(found, wanted.map(|count| count as u64), "{name} {options:?}");
    }
}
