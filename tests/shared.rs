//! Real logs and awkward inputs that are kept beside the project, in `../shared`, with exact answers worked out by other
//! programs. Where the folder is not there, each test skips itself and says so.

mod support;

use serde_json::Value;
use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use support::{GRUDGE, dedup, grudge, lines, plain_surroundings, run, shared_folder};

/// Fewer sets than this means that some were not found.
const LEAST_SETS: usize = 11;

/// The file with the answers beside a set's data.
const FACTS: &str = "facts.json";

/// The file with the answers of a case.
const EXPECTED: &str = "expect.json";

/// The same input must give the same output however it is cut into reads; nothing is the default.
const READS: [&[&str]; 3] = [&[], &["--read-bytes", "1"], &["--read-bytes", "7"]];

/// A set of real lines.
struct Set {
    file: PathBuf,
    facts: Value,
}

impl Set {
    fn open(folder: &Path) -> Set {
        let facts = read_json(&folder.join(FACTS));
        let file = folder.join(facts["file"].as_str().expect("the facts name the file"));
        Set { file, facts }
    }

    fn count(&self, pointer: &str) -> u64 {
        self.facts.pointer(pointer).and_then(Value::as_u64).unwrap_or_else(|| panic!("{:?}: no {pointer}", self.file))
    }
}

fn read_json(path: &Path) -> Value {
    serde_json::from_slice(&fs::read(path).expect("the answers can be read")).expect("the answers are JSON")
}

fn all_sets() -> Option<Vec<Set>> {
    let folders = fs::read_dir(shared_folder("data")?).expect("the sets can be listed");
    let folders = folders.map(|entry| entry.expect("an entry").path()).filter(|path| path.join(FACTS).is_file());
    let mut folders: Vec<_> = folders.collect();
    folders.sort();
    Some(folders.iter().map(|folder| Set::open(folder)).collect())
}

fn line_count(text: &[u8]) -> u64 {
    lines(text).count() as u64
}

/// A line without its ending, of which a carriage return before the newline is a part.
fn without_ending(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line)
}

/// A line as it is passed: a last one without a newline gets it.
fn passed(line: &[u8]) -> impl Iterator<Item = u8> {
    line.iter().copied().chain((!line.ends_with(b"\n")).then_some(b'\n'))
}

/// What `awk '!seen[$0]++'` prints.
fn first_occurrences(text: &[u8]) -> Vec<u8> {
    let mut seen = HashSet::new();
    lines(text).filter(|line| seen.insert(without_ending(line))).flat_map(passed).collect()
}

#[test]
fn no_set_loses_a_line_against_awk() {
    let Some(sets) = all_sets() else { return };
    assert!(sets.len() >= LEAST_SETS, "only {} sets were found", sets.len());
    for set in &sets {
        let text = fs::read(&set.file).expect("the set can be read");
        let output = dedup([&set.file], b"");
        assert!(output == first_occurrences(&text), "{:?}: other lines than those of awk", set.file);
        assert_eq!(line_count(&output), set.count("/distinct_lines_trailing_cr_dropped"), "{:?}", set.file);
    }
}

/// How the time of a set's records is found.
enum Time {
    Leading,
    Options(&'static [&'static str]),
}

/// How the key of a set's records is found.
enum Key {
    /// By the pattern that the facts give.
    OfFacts,
    Options(&'static [&'static str]),
}

/// The sets whose time and key can be reached. A pattern that wants a digit leaves a column's name out.
const KEYED_SETS: [(&str, Time, Key); 12] = [
    ("apache-combined", Time::Options(&["-t", "4,5"]), Key::Options(&["-k", "1"])),
    ("apache-combined", Time::Options(&["-t", "4,5"]), Key::OfFacts),
    ("kafka-controller", Time::Leading, Key::OfFacts),
    ("kafka-gc", Time::Leading, Key::OfFacts),
    ("gdrive-sync", Time::Leading, Key::OfFacts),
    ("endlessh", Time::Leading, Key::OfFacts),
    ("iis-w3c-big", Time::Leading, Key::OfFacts),
    ("zeek-http-tsv", Time::Options(&["-d", "\\t", "-t", "1"]), Key::OfFacts),
    ("aws-alb", Time::Options(&["-t", "2"]), Key::OfFacts),
    ("nab-traveltime", Time::Options(&["-d", ",", "-t", "1"]), Key::Options(&["-K", r"^\d[^,]*,(.*)$"])),
    ("weather-csv", Time::Options(&["-d", ",", "-t", "1"]), Key::Options(&["-K", r"^\d[^,]*,[^,]*,([^,]*)"])),
    (
        "birdstrikes-csv",
        Time::Options(&["-d", ",", "-t", "4"]),
        Key::Options(&["-K", r"^(?:[^,]*,){3}\d[^,]*,(?:[^,]*,){4}([^,]*),"]),
    ),
];

#[test]
fn keys_and_their_repeats_within_a_minute_are_those_of_the_facts() {
    let Some(folder) = shared_folder("data") else { return };
    let mut differences = Vec::new();
    for (name, time, key) in &KEYED_SETS {
        let set = Set::open(&folder.join(name));
        let mut arguments: Vec<&str> = match key {
            Key::OfFacts => vec!["-K", set.facts["key_regex"].as_str().expect("the facts have a pattern")],
            Key::Options(options) => options.to_vec(),
        };
        arguments.extend(["--missing", "skip", set.file.to_str().expect("a plain path")]);
        let mut check = |what: &str, more: &[&str]| {
            let found = line_count(&dedup(arguments.iter().chain(more), b""));
            let wanted = set.count(what);
            if found != wanted {
                differences.push(format!("{name} {what}: wanted {wanted}, found {found}"));
            }
        };
        check("/distinct_keys", &[]);
        let mut minute = vec!["--ttl", "60s"];
        if let Time::Options(options) = time {
            minute.extend(*options);
        }
        check("/dedup_by_key_60s/passed_window_from_last_passed", &minute);
        minute.push("--refresh");
        check("/dedup_by_key_60s/passed_window_from_last_seen", &minute);
    }
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}

/// A folder of `../shared/cases`, by its number.
struct Case {
    folder: PathBuf,
    expected: Value,
}

impl Case {
    fn open(number: &str) -> Option<Case> {
        let folders = fs::read_dir(shared_folder("cases")?).expect("the cases can be listed");
        let is_it = |path: &PathBuf| {
            path.file_name().and_then(|name| name.to_str()).is_some_and(|name| name.starts_with(&format!("{number}-")))
        };
        let folder = folders.map(|entry| entry.expect("an entry").path()).find(is_it);
        let folder = folder.unwrap_or_else(|| panic!("there is no case {number}"));
        let expected = read_json(&folder.join(EXPECTED));
        Some(Case { folder, expected })
    }

    fn read(&self, file: &str) -> Vec<u8> {
        fs::read(self.folder.join(file)).expect("the case's input can be read")
    }

    fn count(&self, name: &str) -> u64 {
        self.expected[name].as_u64().unwrap_or_else(|| panic!("{:?}: no count {name}", self.folder))
    }

    /// The sum of the counts in a list of names with a count each, and the length of the list.
    fn totals(&self, name: &str) -> (u64, u64) {
        let list = self.expected[name].as_array().expect("a list of names and counts");
        (list.iter().map(|entry| entry[1].as_u64().expect("a count")).sum(), list.len() as u64)
    }

    /// Checks that of `text` those lines pass whose numbers are listed under `name`.
    fn check_kept(&self, name: &str, text: &[u8], arguments: &[&str]) {
        let numbers = self.expected[name].as_array().expect("a list of line numbers");
        let all: Vec<_> = lines(text).collect();
        let line = |number: &Value| all[number.as_u64().expect("a line number") as usize - 1];
        let wanted: Vec<u8> = numbers.iter().flat_map(|number| passed(line(number))).collect();
        for reads in READS {
            let output = dedup(arguments.iter().chain(reads), text);
            let shown = output.escape_ascii().to_string();
            assert!(output == wanted, "{:?} {name} {arguments:?} {reads:?}: {shown:.2000}", self.folder);
        }
    }

    /// Checks how many lines of `text` pass.
    fn check_passed(&self, wanted: u64, text: &[u8], arguments: &[&str]) {
        for reads in READS {
            let output = dedup(arguments.iter().chain(reads), text);
            assert_eq!(line_count(&output), wanted, "{:?} {arguments:?} {reads:?}", self.folder);
        }
    }

    /// The counts of a run as `--stats=json` gives them, which must not depend on how the input is read.
    fn stats(&self, text: &[u8], arguments: &[&str]) -> Value {
        let runs = READS.map(|reads| {
            let fixed = ["dedup", "--stats=json", "--seed", "case"];
            let output = run(grudge(fixed.iter().chain(arguments).chain(reads)), text);
            serde_json::from_slice::<Value>(&output.stderr).expect("stderr is the counts")
        });
        assert!(runs[0] == runs[1] && runs[0] == runs[2], "{:?}: {runs:?}", self.folder);
        let [stats, ..] = runs;
        stats
    }
}

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
fn case_03_byte_order_marks() {
    let Some(case) = Case::open("03") else { return };
    let check = |files: &[&str], pattern: &str, name: &str| {
        let (records, keys) = case.totals(name);
        let mut arguments: Vec<_> = files.iter().map(|file| case.folder.join(file).into_os_string()).collect();
        arguments.extend(["-K", pattern, "--missing", "skip"].map(Into::into));
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
fn case_32_out_of_order_by_minutes() {
    let Some(case) = Case::open("32") else { return };
    let text = case.read("input.log");
    let arguments = ["--ttl", "60s", "-k", "2"];
    case.check_kept("dedup_by_k_60s_kept", &text, &arguments);
    let stats = case.stats(&text, &arguments);
    assert_eq!(stats["late"], case.expected["late"]);
    assert_eq!(stats["greatest_lag_seconds"].as_f64(), case.expected["greatest_lag_s"].as_f64());
}

#[test]
fn case_33_lines_without_a_time() {
    let Some(case) = Case::open("33") else { return };
    let text = case.read("input.log");
    case.check_kept("dedup_whole_line_60s_kept", &text, &["--ttl", "60s"]);
    assert_eq!(case.stats(&text, &["--ttl", "60s"])["untimed"], case.expected["records_without_time"]);
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
