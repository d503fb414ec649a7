//! What a test of `../shared/cases` needs: the case's input, its exact answers, and the checks against them.

use super::times::own_times;
use super::{READS, THREADS, line_count, passed, read_json};
use crate::support::{dedup, grudge, lines, run, shared_folder};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

/// The file with the answers of a case.
const EXPECTED: &str = "expect.json";

/// A folder of `../shared/cases`, by its number.
pub struct Case {
    pub folder: PathBuf,
    pub expected: Value,
}

impl Case {
    pub fn open(number: &str) -> Option<Case> {
        let folders = fs::read_dir(shared_folder("cases")?).expect("the cases can be listed");
        let is_it = |path: &PathBuf| {
            path.file_name().and_then(|name| name.to_str()).is_some_and(|name| name.starts_with(&format!("{number}-")))
        };
        let folder = folders.map(|entry| entry.expect("an entry").path()).find(is_it);
        let folder = folder.unwrap_or_else(|| panic!("there is no case {number}"));
        let expected = read_json(&folder.join(EXPECTED));
        Some(Case { folder, expected })
    }

    pub fn read(&self, file: &str) -> Vec<u8> {
        fs::read(self.folder.join(file)).expect("the case's input can be read")
    }

    /// A file of the case as an argument.
    pub fn path(&self, file: &str) -> String {
        self.folder.join(file).into_os_string().into_string().expect("a plain path")
    }

    pub fn count(&self, name: &str) -> u64 {
        self.expected[name].as_u64().unwrap_or_else(|| panic!("{:?}: no count {name}", self.folder))
    }

    /// The sum of the counts in a list of names with a count each, and the length of the list.
    pub fn totals(&self, name: &str) -> (u64, u64) {
        let list = self.expected[name].as_array().expect("a list of names and counts");
        (list.iter().map(|entry| entry[1].as_u64().expect("a count")).sum(), list.len() as u64)
    }

    /// Checks that of `text` those lines pass whose numbers are listed under `name`.
    pub fn check_kept(&self, name: &str, text: &[u8], arguments: &[&str]) {
        let numbers = self.expected[name].as_array().expect("a list of line numbers");
        let all: Vec<_> = lines(text).collect();
        let line = |number: &Value| all[number.as_u64().expect("a line number") as usize - 1];
        let wanted: Vec<u8> = numbers.iter().flat_map(|number| passed(line(number))).collect();
        let threads = THREADS.map(|count| ["--threads", count]);
        for reads in READS.into_iter().chain(threads.iter().map(|way| &way[..])) {
            let output = dedup(arguments.iter().chain(reads), text);
            let shown = output.escape_ascii().to_string();
            assert!(output == wanted, "{:?} {name} {arguments:?} {reads:?}: {shown:.2000}", self.folder);
        }
    }

    /// The time of each record of `text`.
    pub fn times(&self, text: &[u8], arguments: &[&str]) -> Vec<Option<i64>> {
        // Every record, those without a key or with a bad stamp as well; without a ttl no time is needed.
        let fixed = ["--ttl", "1ns", "--tag", "--print", "time", "--missing", "pass", "--on-error", "pass", "-q"];
        let runs = READS.map(|reads| own_times(&dedup(fixed.iter().chain(arguments).chain(reads), text)));
        assert!(runs[0] == runs[1] && runs[0] == runs[2], "{:?}: {runs:?}", self.folder);
        let [times, ..] = runs;
        times
    }

    /// Checks that the times of the records of `text` lie between those listed under two names.
    pub fn check_times(&self, names: [&str; 2], text: &[u8], arguments: &[&str]) {
        let times = self.times(text, arguments);
        let [low, high] = names.map(|name| self.expected[name].as_array().expect("a list of times"));
        assert_eq!((times.len(), times.len()), (low.len(), high.len()), "{:?}", self.folder);
        for (index, time) in times.into_iter().enumerate() {
            let (low, high) = (low[index].as_i64(), high[index].as_i64());
            assert!(low <= time && time <= high, "{:?} {index}: {low:?} <= {time:?} <= {high:?}", self.folder);
        }
    }

    /// How often each key is printed.
    pub fn count_keys(&self, text: &[u8], arguments: &[&str]) -> BTreeMap<String, u64> {
        let runs = READS.map(|reads| dedup(["--print", "key"].iter().chain(arguments).chain(reads), text));
        assert!(runs[0] == runs[1] && runs[0] == runs[2], "{:?} {arguments:?}", self.folder);
        let [printed, ..] = runs;
        let mut counts = BTreeMap::new();
        for key in String::from_utf8(printed).expect("the keys are plain text").lines() {
            *counts.entry(key.to_owned()).or_default() += 1;
        }
        counts
    }

    /// A list of names with a count each.
    pub fn counts(&self, name: &str) -> BTreeMap<String, u64> {
        let list = self.expected[name].as_array().expect("a list of names and counts");
        let entry = |entry: &Value| Some((entry[0].as_str()?.to_owned(), entry[1].as_u64()?));
        list.iter().map(|pair| entry(pair).expect("a name and a count")).collect()
    }

    /// Checks how many lines of `text` pass.
    pub fn check_passed(&self, wanted: u64, text: &[u8], arguments: &[&str]) {
        for reads in READS {
            let output = dedup(arguments.iter().chain(reads), text);
            assert_eq!(line_count(&output), wanted, "{:?} {arguments:?} {reads:?}", self.folder);
        }
    }

    /// The counts of a run as `--stats=json` gives them, which must not depend on how the input is read.
    pub fn stats(&self, text: &[u8], arguments: &[&str]) -> Value {
        let runs = READS.map(|reads| {
            let fixed = ["dedup", "--stats=json", "--seed", "case"];
            let output = run(grudge(fixed.iter().chain(arguments).chain(reads)), text);
            serde_json::from_slice::<Value>(&output.stderr).expect("stderr is the counts")
        });
        assert!(runs[0] == runs[1] && runs[0] == runs[2], "{:?}: {runs:?}", self.folder);
        let [stats, ..] = runs;
        stats
    }

    /// The numbers of the lines that are named in the counts of a run, of the broken records or of those without a key.
    pub fn lines_named(&self, stats: &Value, broken: bool) -> Vec<u64> {
        let problems = stats["problems"].as_array().expect("a list of problems");
        let of_kind = problems.iter().filter(|problem| (problem["why"] != "the record lacks the key") == broken);
        let places = of_kind.flat_map(|problem| problem["first"].as_array().expect("a list of places"));
        let mut numbers: Vec<_> = places.map(|place| place["line"].as_u64().expect("a line number")).collect();
        numbers.sort_unstable();
        numbers
    }

    /// A list of numbers.
    pub fn numbers(&self, name: &str) -> Vec<u64> {
        let list = self.expected[name].as_array().expect("a list of numbers");
        list.iter().map(|number| number.as_u64().expect("a number")).collect()
    }
}
