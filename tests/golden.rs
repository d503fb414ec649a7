//! Golden cases: each folder `testdata/cases/<verb>/<behaviour>` holds the lines of a shell (`cmd`), the files they
//! read, and what must come of it: `stdout`, `stderr` (both empty where absent) and `status` (0 where absent), compared
//! byte for byte.
//!
//! `GRUDGE_BLESS=1 cargo test --test golden` writes down what comes now; read the difference before it is committed.

mod support;

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::Duration;
use support::{BLESS, crate_folder};

/// Fewer cases than this means that some were not found.
const LEAST_CASES: usize = 400;

/// The file with the lines to be run.
const COMMAND: &str = "cmd";

/// A case that takes longer than this hangs.
const LONGEST_RUN: Duration = Duration::from_secs(10);

/// The status that stands for a run that was killed because it took too long.
const KILLED: i32 = -1;

/// Lines of a difference that are shown.
const SHOWN_LINES: usize = 40;

/// What a run leaves behind, by the name of the file that holds it.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Outcome(BTreeMap<&'static str, Vec<u8>>);

impl Outcome {
    fn new(stdout: Vec<u8>, stderr: Vec<u8>, status: i32) -> Outcome {
        // A file that would say nothing is left out.
        let status = if status == 0 { Vec::new() } else { format!("{status}\n").into_bytes() };
        Outcome(BTreeMap::from([("stdout", stdout), ("stderr", stderr), ("status", status)]))
    }

    /// What a case's folder expects.
    fn expected(folder: &Path) -> Outcome {
        let content = |name: &str| match fs::read(folder.join(name)) {
            Err(error) if error.kind() == ErrorKind::NotFound => Vec::new(),
            read => read.expect("the expectation can be read"),
        };
        let status = String::from_utf8(content("status")).expect("a status is a number");
        let status = if status.is_empty() { 0 } else { status.trim().parse().expect("a status is a number") };
        Outcome::new(content("stdout"), content("stderr"), status)
    }

    /// What comes of a case's command, run in a copy of its folder.
    fn of_run(folder: &Path) -> Outcome {
        let copy = tempfile::tempdir().expect("a temporary folder");
        for entry in fs::read_dir(folder).expect("the case can be read") {
            let path = entry.expect("the case can be read").path();
            let name = path.file_name().expect("an entry has a name");
            if name != COMMAND && !Outcome::is_expectation(&path) {
                fs::copy(&path, copy.path().join(name)).expect("the input can be copied");
            }
        }
        let script = fs::read_to_string(folder.join(COMMAND)).expect("the command can be read");
        let command = support::shell_command(&script, copy.path());
        let (output, in_time) = support::run_in_time(command, b"", LONGEST_RUN);
        let status = output.status.code().unwrap_or(KILLED);
        Outcome::new(output.stdout, output.stderr, if in_time { status } else { KILLED })
    }

    fn is_expectation(path: &Path) -> bool {
        ["stdout", "stderr", "status"].iter().any(|name| path.ends_with(name))
    }

    fn bless(&self, folder: &Path) {
        for (name, content) in &self.0 {
            let path = folder.join(name);
            if !content.is_empty() {
                fs::write(path, content).expect("the expectation can be written");
            } else if path.exists() {
                fs::remove_file(path).expect("the expectation can be removed");
            }
        }
    }

    /// How another outcome differs from this one; nothing where it does not.
    fn difference(&self, actual: &Outcome) -> Option<String> {
        let mut shown = String::new();
        for (name, expected) in &self.0 {
            let actual = &actual.0[name];
            if expected != actual {
                let _ = writeln!(shown, "  {name}: (- expected, + found)");
                shown.push_str(&line_difference(expected, actual));
            }
        }
        (!shown.is_empty()).then_some(shown)
    }
}

/// The lines between the common first ones and the common last ones, bytes that are not plain ASCII escaped.
fn line_difference(expected: &[u8], actual: &[u8]) -> String {
    let expected: Vec<_> = support::lines(expected).collect();
    let actual: Vec<_> = support::lines(actual).collect();
    let first = expected.iter().zip(&actual).take_while(|(a, b)| a == b).count();
    let rest = || expected[first..].iter().rev().zip(actual[first..].iter().rev());
    let last = rest().take_while(|(a, b)| a == b).count();
    let mut shown = String::new();
    for (sign, lines) in [('-', &expected), ('+', &actual)] {
        let lines = &lines[first..lines.len() - last];
        for (index, line) in lines.iter().take(SHOWN_LINES).enumerate() {
            let _ = writeln!(shown, "  {sign} {:>4}: {}", first + index + 1, line.escape_ascii());
        }
        if lines.len() > SHOWN_LINES {
            let _ = writeln!(shown, "  {sign} … and {} lines more", lines.len() - SHOWN_LINES);
        }
    }
    shown
}

/// All folders with a command below `folder`, in the order of their names.
fn find_cases(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("the folder of cases can be read");
    let mut folders: Vec<_> = entries.map(|entry| entry.expect("an entry").path()).filter(|p| p.is_dir()).collect();
    folders.sort();
    folders
        .into_iter()
        .flat_map(|path| if path.join(COMMAND).is_file() { vec![path] } else { find_cases(&path) })
        .collect()
}

/// Runs every case below `folder`, blessing it where asked; returns how many there are and what differs.
fn run_cases(folder: &Path, bless: bool) -> (usize, Vec<String>) {
    let cases = find_cases(folder);
    let mut failures = Vec::new();
    for case in &cases {
        let actual = Outcome::of_run(case);
        if bless {
            actual.bless(case);
        } else if let Some(difference) = Outcome::expected(case).difference(&actual) {
            failures.push(format!("{}\n{difference}", case.strip_prefix(folder).unwrap_or(case).display()));
        }
    }
    (cases.len(), failures)
}

#[test]
fn every_case_gives_what_it_expects() {
    let bless = support::blessing();
    let (count, failures) = run_cases(&crate_folder().join("testdata/cases"), bless);
    assert!(count >= LEAST_CASES, "only {count} cases were found");
    assert!(
        failures.is_empty(),
        "{} of {count} cases differ; if all that was found is right, {BLESS}=1 writes it down\n\n{}",
        failures.len(),
        failures.join("\n")
    );
}

#[test]
fn a_wrong_expectation_fails_by_name_until_it_is_blessed() {
    let cases = tempfile::tempdir().unwrap();
    let write = |file: &str, content: &str| {
        let path = cases.path().join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    };
    write("dedup/right/cmd", "grudge dedup words; exit 3\n");
    write("dedup/right/words", "a\nb\na\n");
    write("dedup/right/stdout", "a\nb\n");
    write("dedup/right/status", "3\n");
    write("dedup/wrong/cmd", "echo a; echo b; echo c; echo oh >&2\n");
    write("dedup/wrong/stdout", "a\nx\nc\n");

    let (count, failures) = run_cases(cases.path(), false);
    assert_eq!((count, failures.len()), (2, 1), "{failures:?}");
    for piece in ["dedup/wrong\n", "  -    2: x\\n\n  +    2: b\\n\n", "  +    1: oh\\n\n"] {
        assert!(failures[0].contains(piece), "{}", failures[0]);
    }

    assert_eq!(run_cases(cases.path(), true), (2, Vec::new()));
    assert_eq!(run_cases(cases.path(), false), (2, Vec::new()));
    assert_eq!(fs::read(cases.path().join("dedup/wrong/stdout")).unwrap(), b"a\nb\nc\n");
    assert!(!cases.path().join("dedup/wrong/status").exists());
}

#[test]
fn any_byte_and_the_status_make_a_difference() {
    let outcome = |stdout: &[u8], stderr: &[u8], status| Outcome::new(stdout.to_vec(), stderr.to_vec(), status);
    let expected = outcome(b"a\nb\n", b"", 0);
    assert_eq!(expected.difference(&expected), None);
    for actual in [
        outcome(b"a\nb", b"", 0),
        outcome(b"a\r\nb\n", b"", 0),
        outcome(b"", b"", 0),
        outcome(b"a\nb\n", b"\n", 0),
        outcome(b"a\nb\n", b"", 2),
    ] {
        assert!(expected.difference(&actual).is_some(), "{actual:?}");
        assert!(actual.difference(&expected).is_some(), "{actual:?}");
    }
}

#[test]
fn a_long_difference_is_cut() {
    let long = "line\n".repeat(1000);
    let shown = line_difference(long.as_bytes(), b"");
    assert_eq!(shown.lines().count(), SHOWN_LINES + 1);
    assert!(shown.ends_with("… and 960 lines more\n"), "{shown}");
}
