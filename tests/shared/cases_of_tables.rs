//! Cases about tables, and what spreadsheets and editors do to them.

use super::case::Case;
use super::{READS, line_count};
use crate::support::{dedup, lines};

#[test]
fn case_03_byte_order_marks() {
    let Some(case) = Case::open("03") else { return };
    let check = |files: &[&str], pattern: &str, name: &str| {
        let (records, keys) = case.totals(name);
        let mut arguments: Vec<_> = files.iter().map(|file| case.folder.join(file).into_os_string()).collect();
        // As lines a header is a record without the key.
        arguments.extend(["-i", "lines", "-K", pattern, "--missing", "skip"].map(Into::into));
        for reads in READS {
            let count = |more: &[&str]| {
                let more = reads.iter().chain(more).map(Into::into);
                line_count(&dedup(arguments.iter().cloned().chain(more), b""))
            };
            assert_eq!((count(&[]), count(&["-v"])), (keys, records - keys), "{files:?} {reads:?}");
        }
    };
    check(&["quoted.csv", "second.csv"], r"^(\d[^,]*),", "top_ip_csv_both_files");
    check(&["lines.jsonl"], r#"^\{"ip":"([^"]*)""#, "top_ip_jsonl");
    // By their names, the quoted header of the first file included.
    let named = ["quoted.csv", "second.csv", "lines.jsonl"].map(|file| case.path(file));
    let by_ip = |files: &[String]| {
        let files = files.iter().map(String::as_str);
        case.count_keys(b"", &files.chain(["-k", "ip", "--tag"]).collect::<Vec<_>>())
    };
    assert_eq!(by_ip(&named[..2]), case.counts("top_ip_csv_both_files"));
    assert_eq!(by_ip(&named[2..]), case.counts("top_ip_jsonl"));
    assert_eq!(case.stats(b"", &["-k", ".ip", &named[2]])["bad"], case.expected["jsonl_bad_lines"]);
    // A mark that stays would hide that a header is the same in both files, and the first line of two equal ones.
    let unquoted: Vec<u8> = case.read("quoted.csv").into_iter().filter(|byte| *byte != b'"').collect();
    assert!(dedup([case.folder.join("second.csv").to_str().unwrap(), "-"], &unquoted).starts_with(b"ip,n\n"));
    case.check_passed(case.totals("top_ip_jsonl").1, &case.read("lines.jsonl"), &[]);
}

#[test]
fn case_04_mixed_line_endings() {
    let Some(case) = Case::open("04") else { return };
    case.check_kept("dedup_whole_line_kept", &case.read("input.log"), &[]);
    let (records, keys) = case.totals("top_user");
    let key = ["-K", r"^\d[^,]*,(.*)$", "--missing", "skip"];
    case.check_passed(keys, &case.read("input.csv"), &key);
    case.check_passed(records - keys, &case.read("input.csv"), &[&key[..], &["-v"]].concat());
    let text = case.read("input.csv");
    assert_eq!(case.count_keys(&text, &["-i", "csv", "-k", "user", "--tag"]), case.counts("top_user"));
    // The header and the first row keep their own endings.
    let first_lines = lines(&text).take(1 + keys as usize).collect::<Vec<_>>().concat();
    assert!(dedup([&case.path("input.csv"), "-k", "user"], b"") == first_lines);
}

/// The header of a table and its rows, which end at a newline outside of quotes.
fn rows(text: &[u8]) -> Vec<Vec<u8>> {
    let mut rows = vec![Vec::new()];
    let mut quoted = false;
    for &byte in text {
        quoted ^= byte == b'"';
        rows.last_mut().expect("a row").push(byte);
        if byte == b'\n' && !quoted {
            rows.push(Vec::new());
        }
    }
    rows.retain(|row| !row.is_empty());
    rows
}

#[test]
fn case_08_newlines_in_fields() {
    let Some(case) = Case::open("08") else { return };
    let text = case.read("input.csv");
    let table = ["-i", "csv"];
    let rows = rows(&text);
    assert_eq!((line_count(&text), rows.len() as u64 - 1), (case.count("physical_lines"), case.count("records")));
    assert_eq!(case.stats(&text, &[&table[..], &["-k", "note"]].concat())["read"], case.expected["records"]);
    let kept = case.numbers("dedup_by_note_kept_records").into_iter();
    let wanted = [0].into_iter().chain(kept).flat_map(|number| rows[number as usize].clone()).collect::<Vec<_>>();
    for reads in READS {
        assert!(dedup(["-i", "csv", "-k", "note"].iter().chain(reads), &text) == wanted, "{reads:?}");
        assert!(dedup([&case.path("input.csv"), "-k", "note"].into_iter().chain(reads.iter().copied()), b"") == wanted);
    }
    assert_eq!(case.count_keys(&text, &[&table[..], &["-k", "ip", "--tag"]].concat()), case.counts("top_ip"));
}

#[test]
fn case_10_ragged_rows() {
    let Some(case) = Case::open("10") else { return };
    let text = case.read("input.csv");
    for (key, name, keyless) in [("ip", "top_ip", 0), ("path", "top_path", case.count("without_path"))] {
        let by_key = ["-i", "csv", "-k", key];
        assert_eq!(case.count_keys(&text, &[&by_key[..], &["--tag"]].concat()), case.counts(name));
        let counts = case.stats(&text, &by_key);
        assert_eq!((&counts["read"], &counts["ragged"]), (&case.expected["records"], &case.expected["ragged"]));
        assert_eq!((&counts["missing"], &counts["bad"]), (&keyless.into(), &0.into()), "{counts}");
    }
    // All of these differ or have no key, and pass as they are.
    for reads in READS {
        assert!(dedup(["-i", "csv", "-k", "path"].iter().chain(reads), &text) == text, "{reads:?}");
    }
}

#[test]
fn case_12_headers_again() {
    let Some(case) = Case::open("12") else { return };
    let two = [&case.path("a.csv"), &case.path("b.csv"), "-k", "ip"];
    let joined = [&case.path("cat.csv"), "-k", "ip"];
    assert_eq!(case.count_keys(b"", &[&two[..], &["--tag"]].concat()), case.counts("top_ip_two_files"));
    assert_eq!(case.count_keys(b"", &[&joined[..], &["--tag"]].concat()), case.counts("top_ip_cat"));
    let counts = case.stats(b"", &joined);
    assert_eq!(counts["headings_repeated"], case.expected["cat_headers_skipped"]);
    assert_eq!((&counts["read"], &counts["passed"]), (&case.totals("top_ip_cat").0.into(), &2.into()));
    // On stdin too.
    let counts = case.stats(&case.read("cat.csv"), &["-i", "csv", "-k", "ip"]);
    assert_eq!(counts["headings_repeated"], case.expected["cat_headers_skipped"]);
    // The header of the second file is another one, and is needed to read what follows.
    let output = dedup(two, b"");
    for header in ["a.csv", "b.csv"].map(|file| lines(&case.read(file)).next().expect("a header").to_vec()) {
        assert!(lines(&output).any(|line| line == header), "{}", header.escape_ascii());
    }
}
