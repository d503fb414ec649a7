//! Cases about JSON lines.

use super::case::Case;
use super::{line_count, passed};
use crate::support::{grudge, lines, run};
use std::collections::BTreeMap;

#[test]
fn case_13_json_with_a_name_twice() {
    let Some(case) = Case::open("13") else { return };
    let text = case.read("input.jsonl");
    for key in ["ip", ".ip"] {
        assert_eq!(case.count_keys(&text, &["-k", key, "--tag"]), case.counts("top_ip_last_wins"));
        case.check_passed(case.totals("top_ip_last_wins").1, &text, &["-k", key]);
    }
    for time in [&[][..], &["-t", "t"], &["-t", ".t"]] {
        case.check_times(["time_ns_last_wins"; 2], &text, time);
    }
}

#[test]
fn case_15_json_with_big_integers() {
    let Some(case) = Case::open("15") else { return };
    let text = case.read("input.jsonl");
    for key in [&["-k", "id"][..], &["-k", ".id"], &["-k", "id", "--typed-keys"], &[]] {
        case.check_kept("dedup_by_id_kept", &text, key);
    }
    // Their digits are printed as they were given.
    let keys = case.count_keys(&text, &["-k", "id"]);
    assert_eq!(keys.len() as u64, case.count("distinct"));
    let plain = String::from_utf8(text).expect("plain text");
    assert!(keys.keys().all(|key| plain.contains(&format!(":{key}}}"))), "{keys:?}");
}

#[test]
fn case_17_json_with_garbage_behind_it() {
    let Some(case) = Case::open("17") else { return };
    let text = case.read("input.jsonl");
    for key in ["ip", ".ip"] {
        assert_eq!(case.count_keys(&text, &["-q", "-k", key, "--tag"]), case.counts("top_ip"));
        let counts = case.stats(&text, &["-q", "-k", key]);
        let (bad, keyless) = (case.numbers("bad_lines"), case.numbers("not_object_lines"));
        assert_eq!((&counts["bad"], &counts["missing"]), (&bad.len().into(), &keyless.len().into()), "{counts}");
        assert_eq!(case.lines_named(&counts, true), bad);
        assert_eq!(case.lines_named(&counts, false), keyless);
        // Nothing but the repeat is dropped.
        let (records, keys) = case.totals("top_ip");
        case.check_passed(line_count(&text) - (records - keys), &text, &["-q", "-k", key]);
        case.check_passed(keys, &text, &["-q", "-k", key, "--on-error", "skip", "--missing", "skip"]);
    }
}

#[test]
fn case_18_json_with_a_line_that_is_none() {
    let Some(case) = Case::open("18") else { return };
    let text = case.read("input.jsonl");
    let bad = case.numbers("bad_lines");
    for key in [&["-k", ".ip"][..], &["-i", "json", "-k", "ip"]] {
        assert_eq!(case.count_keys(&text, &[key, &["-q", "--tag"]].concat()), case.counts("top_ip"));
        let counts = case.stats(&text, &[key, &["-q"]].concat());
        assert_eq!(counts["bad"], bad.len());
        assert_eq!(counts["read"], case.count("good") + bad.len() as u64);
        assert_eq!(case.lines_named(&counts, true), bad);

        // The first is named, no text is lost, and a script can ask for another status.
        let mut command = grudge(["dedup"]);
        command.args(key);
        let output = run(command, &text);
        let errors = String::from_utf8(output.stderr).expect("plain text");
        assert!(output.status.success() && errors.contains(&format!("line {}", bad[0])), "{errors}");
        for line in &bad {
            let line: Vec<u8> = passed(lines(&text).nth(*line as usize - 1).expect("a line")).collect();
            assert!(lines(&output.stdout).any(|passed| passed == line), "{}", line.escape_ascii());
        }
        for (more, status) in [(["--on-error", "fail"], 2), (["--fail-if", "bad"], 1)] {
            let mut command = grudge(["dedup"]);
            command.args(key).args(more);
            assert_eq!(run(command, &text).status.code(), Some(status), "{more:?}");
        }
    }
    // Where the records show that they are JSON, the line before them is a plain one: it has no such field.
    assert_eq!(case.count_keys(&text, &["-q", "-k", "ip", "--tag"]), case.counts("top_ip"));
    let counts = case.stats(&text, &["-q", "-k", "ip"]);
    assert_eq!((&counts["missing"], &counts["bad"]), (&1.into(), &(bad.len() - 1).into()), "{counts}");
}

#[test]
fn case_19_json_without_the_key_or_with_null() {
    let Some(case) = Case::open("19") else { return };
    let text = case.read("input.jsonl");
    for key in ["k", ".k"] {
        case.check_kept("dedup_by_k_kept", &text, &["-k", key]);
        assert_eq!(case.stats(&text, &["-k", key])["missing"], case.expected["without_key"]);
        let (records, keys) = case.totals("top_k");
        case.check_passed(keys, &text, &["-k", key, "--missing", "skip"]);
        case.check_passed(records - keys, &text, &["-k", key, "-v"]);
        // An empty key is printed as a dash.
        let counts = case.count_keys(&text, &["-k", key, "--tag"]);
        let given = |key: String| if key == "-" { String::new() } else { key };
        let counts: BTreeMap<_, _> = counts.into_iter().map(|(key, count)| (given(key), count)).collect();
        assert_eq!(counts, case.counts("top_k"));
    }
}

#[test]
fn case_26_units_of_epochs() {
    let Some(case) = Case::open("26") else { return };
    let text = case.read("input.jsonl");
    for time in [&["-t", "t"][..], &["-t", ".t"], &["-i", "json", "-t", "t"]] {
        case.check_times(["time_ns"; 2], &text, time);
    }
    // A unit that is given rules all lines.
    let seconds = case.times(&text, &["-t", "t", "--time-format", "s"]);
    let (first, last) = (case.expected["time_ns"][0].as_i64(), case.expected["time_ns"][8].as_i64());
    assert_eq!((seconds[0], seconds[8]), (first, last));
    assert_eq!(seconds[4], case.expected["time_ns"][4].as_i64());
    let millis = case.times(&text, &["-t", "t", "--time-format", "ms"]);
    assert_eq!(millis[1], case.expected["time_ns"][1].as_i64());
    assert_eq!(millis[0], Some(1_767_323_045_000_000));
}
