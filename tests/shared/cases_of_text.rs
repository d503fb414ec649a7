//! Cases about bytes, lines and their endings, compressed files, and what floods a filter.

use super::case::Case;
use super::{READS, line_count, stats};
use crate::support::{GRUDGE, dedup, grudge, lines, plain_surroundings, run};
use std::fmt::Write;
use std::process::Command;

#[test]
fn case_01_invalid_utf8() {
    let Some(case) = Case::open("01") else { return };
    let text = case.read("input.log");
    case.check_kept("dedup_whole_line_kept", &text, &[]);
    assert_eq!(case.stats(&text, &[])["passed"], case.expected["distinct"]);
}

#[test]
fn case_02_nul_bytes() {
    let Some(case) = Case::open("02") else { return };
    let text = case.read("input.log");
    case.check_kept("dedup_whole_line_kept", &text, &[]);
    let stats = case.stats(&text, &["--ttl", "1ns"]);
    assert_eq!(stats["read"], case.expected["lines"]);
    let times = case.expected["time_ns"].as_array().expect("a list of times");
    let untimed = case.count("lines") - times.len() as u64;
    assert_eq!((&stats["untimed"], &stats["late"]), (&untimed.into(), &0.into()), "{stats}");
}

#[test]
fn case_05_no_final_newline() {
    let Some(case) = Case::open("05") else { return };
    for name in ["dup", "last", "one", "empty"] {
        case.check_kept(&format!("{name}_kept"), &case.read(&format!("{name}.txt")), &[]);
    }
}

#[test]
fn case_06_very_long_lines() {
    /// As long as the case's own lines are; and short enough to be read byte by byte.
    const LONG_LINES: [usize; 2] = [8 << 20, 40_000];
    let Some(case) = Case::open("06") else { return };
    for (bytes, reads) in LONG_LINES.into_iter().zip([&READS[..1], &READS[..]]) {
        // What the case's script prints: long lines that differ in their last byte, between short ones.
        let long = |last: u8| [&vec![b'x'; bytes - 1][..], &[last, b'\n']].concat();
        let text = [b"short one\n", &long(b'A')[..], &long(b'A'), &long(b'B'), &long(b'A'), b"short one\n"].concat();
        assert_eq!(line_count(&text), case.count("lines"));
        for reads in reads {
            let all: Vec<_> = lines(&text).collect();
            let kept = case.expected["dedup_whole_line_kept"].as_array().expect("a list of line numbers");
            let wanted: Vec<_> = kept.iter().map(|number| all[number.as_u64().unwrap() as usize - 1]).collect();
            assert!(dedup(*reads, &text) == wanted.concat(), "{bytes} bytes, {reads:?}");
        }
    }
}

#[test]
fn case_35_gzip_cut_short() {
    let Some(case) = Case::open("35") else { return };
    let files = ["cut.log.gz", "header-only.gz", "good.log.gz"].map(|name| case.folder.join(name));
    let good = dedup([&files[2]], b"");
    assert_eq!(line_count(&good), case.count("good_lines"));
    for reads in READS {
        let mut command = grudge(["dedup"]);
        command.args(reads).args(&files);
        let output = run(command, b"");
        assert_eq!(output.status.code(), Some(2), "{reads:?}");
        let errors = String::from_utf8(output.stderr).expect("plain text");
        let errors: Vec<_> = errors.lines().collect();
        let bytes = case.count("bytes_before_cut");
        for (error, (file, bytes)) in errors.iter().zip([(&files[0], bytes), (&files[1], 0)]) {
            assert!(error.contains(&*file.to_string_lossy()), "{error}");
            assert!(error.contains(&format!(" {bytes} decompressed bytes")), "{error}");
        }
        // The half record at the cut is a broken one.
        assert!(errors.len() == 3 && errors[2].contains(": 1 of "), "{errors:?}");
        assert!(output.stdout.ends_with(&good), "{reads:?}");
        // What is left of the last line gets a newline.
        let used = output.stdout.len() - good.len();
        assert_eq!(used as u64, bytes + 1, "{reads:?}");
        assert_eq!(line_count(&output.stdout[..used]), case.count("full_lines_before_cut") + 1, "{reads:?}");
    }
}

#[test]
fn case_36_gzip_members() {
    let Some(case) = Case::open("36") else { return };
    for reads in READS {
        let lines_of = |name: &str, warnings: usize| {
            let mut command = grudge(["dedup", "--tag"]);
            command.args(reads).arg(case.folder.join(format!("{name}.log.gz")));
            let output = run(command, b"");
            assert!(output.status.success(), "{output:?}");
            assert_eq!(lines(&output.stderr).count(), warnings, "{output:?}");
            assert_eq!(line_count(&output.stdout), case.count(&format!("{name}_lines")), "{output:?}");
        };
        lines_of("two", 0);
        lines_of("padded", 0);
        lines_of("garbage", 1);
    }
    assert_eq!(case.count_keys(&case.read("two.log.gz"), &["-k", "1", "--tag"]), case.counts("two_top_first_word"));
}

#[test]
fn case_40_a_flood_of_keys() {
    let Some(case) = Case::open("40") else { return };
    let [records, heavy, distinct] = ["N", "heavy", "distinct"].map(|name| case.count(name));
    // What the case's script prints.
    let mut text = String::new();
    for index in 0..records {
        let (second, name) = (1_767_323_045 + index / 1000, index * 2_654_435_761 % (1 << 32));
        let key = if index % 100 == 99 { "heavy".to_owned() } else { format!("u{name:08x}") };
        writeln!(text, "{second} k={key}").expect("a text takes all");
    }
    let counts = stats(&["-k", "2", "-v", "--seed", "case"], text.as_bytes());
    assert_eq!((&counts["passed"], &counts["dropped"]), (&(records - distinct).into(), &distinct.into()), "{counts}");
    assert_eq!(heavy, records - distinct + 1);
    assert_eq!(counts["live_evictions"], 0);
    assert!(counts["memory_bytes"].as_u64() <= counts["memory_bound_bytes"].as_u64(), "{counts}");
    assert!(counts["memory_bytes"].as_u64() <= Some(32 * distinct), "{counts}");
}

#[test]
fn case_41_quotes_in_an_access_log() {
    let Some(case) = Case::open("41") else { return };
    let text = case.read("access.log");
    assert_eq!(case.count_keys(&text, &["-k", "ip", "--tag"]), case.counts("top_client"));
    case.check_passed(case.totals("top_client").1, &text, &["-k", "ip", "--missing", "skip"]);
    for format in [&["-k", "ip"][..], &["-i", "combined"], &["-i", "common"], &[]] {
        case.check_times(["time_ns"; 2], &text, format);
    }
}

#[test]
fn case_38_a_closed_pipe() {
    let Some(case) = Case::open("38") else { return };
    let allowed = case.expected["status_allowed"].as_array().expect("a list of statuses");
    for reads in READS {
        let mut command = Command::new("bash");
        plain_surroundings(&mut command).arg(case.folder.join("run.sh")).args([GRUDGE, "dedup"]).args(reads);
        let output = match command.output() {
            Ok(output) => String::from_utf8(output.stdout).expect("plain text"),
            Err(error) => return eprintln!("skipped: bash: {error}"),
        };
        let first = case.expected["stdout_first_line"].as_str().expect("a line");
        let bytes = case.count("stderr_bytes");
        assert!(output.starts_with(&format!("{first}\n")), "{reads:?}: {output}");
        assert!(output.contains(&format!("stderr bytes: {bytes}\n")), "{reads:?}: {output}");
        let statuses = output.lines().find_map(|line| line.strip_prefix("statuses: ")).expect("the statuses");
        let status: u64 = statuses.split(' ').nth(1).expect("a status of the second").parse().expect("a number");
        assert!(allowed.contains(&status.into()), "{reads:?}: {output}");
    }
}

#[test]
fn case_43_repeats_for_ever() {
    let Some(case) = Case::open("43") else { return };
    let text = case.read("input.log");
    for (name, arguments) in [
        ("passed_from_last_passed_60s", &["--ttl", "60s"][..]),
        ("passed_from_last_seen_60s", &["--ttl", "60s", "--refresh"]),
    ] {
        let wanted = case.count(name);
        case.check_passed(wanted, &text, arguments);
        assert_eq!(case.stats(&text, arguments)["dropped"], line_count(&text) - wanted, "{name}");
    }
}
