//! Real logs, each with the answers that other programs gave.

use super::times::own_times;
use super::{READS, dedup_in_every_way, line_count, passed, read_json, stats, without_ending};
use crate::support::{dedup, grudge, lines, run, shared_folder};
use serde_json::Value;
use std::collections::{HashMap, HashSet};
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Fewer sets than this means that some were not found.
const LEAST_SETS: usize = 16;

/// The file with the answers beside a set's data.
const FACTS: &str = "facts.json";

/// A set of real lines.
pub struct Set {
    pub file: PathBuf,
    pub facts: Value,
}

impl Set {
    pub fn open(folder: &Path) -> Set {
        let facts = read_json(&folder.join(FACTS));
        let file = folder.join(facts["file"].as_str().expect("the facts name the file"));
        Set { file, facts }
    }

    pub fn count(&self, pointer: &str) -> u64 {
        self.facts.pointer(pointer).and_then(Value::as_u64).unwrap_or_else(|| panic!("{:?}: no {pointer}", self.file))
    }
}

fn all_sets() -> Option<Vec<Set>> {
    let folders = fs::read_dir(shared_folder("data")?).expect("the sets can be listed");
    let folders = folders.map(|entry| entry.expect("an entry").path()).filter(|path| path.join(FACTS).is_file());
    let mut folders: Vec<_> = folders.collect();
    folders.sort();
    Some(folders.iter().map(|folder| Set::open(folder)).collect())
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
    /// Without a word: where the format has it, or at the start of the line.
    Found,
    Options(&'static [&'static str]),
}

/// How the key of a set's records is found.
enum Key {
    /// By the pattern that the facts give.
    OfFacts,
    /// By that pattern, and the records are read as this format.
    OfFactsIn(&'static str),
    Options(&'static [&'static str]),
}

/// The ways to the time and the key of every set: by its own format, and by columns and patterns, as for a format that
/// nobody knows. A pattern that wants a digit leaves a column's name out.
const KEYED_SETS: [(&str, Time, Key); 36] = [
    ("apache-combined", Time::Found, Key::Options(&["-k", "ip"])),
    ("apache-combined", Time::Options(&["-t", "time"]), Key::Options(&["-i", "combined", "-k", "ip"])),
    ("apache-combined", Time::Options(&["-t", "4,5"]), Key::Options(&["-k", "1"])),
    ("apache-combined", Time::Options(&["-t", "4,5"]), Key::OfFacts),
    ("aws-alb", Time::Options(&["-t", "2"]), Key::OfFacts),
    ("birdstrikes-csv", Time::Options(&["-t", "Flight Date"]), Key::Options(&["-k", "Wildlife Species"])),
    ("birdstrikes-csv", Time::Options(&["-t", "4"]), Key::Options(&["-k", "9"])),
    (
        "birdstrikes-csv",
        Time::Options(&["-d", ",", "-t", "4"]),
        Key::Options(&["-K", r"^(?:[^,]*,){3}\d[^,]*,(?:[^,]*,){4}([^,]*),"]),
    ),
    ("caddy-coraza", Time::Found, Key::Options(&["-k", "logger"])),
    ("caddy-coraza", Time::Options(&["-t", "ts"]), Key::Options(&["-k", ".logger"])),
    ("cloudtrail", Time::Found, Key::Options(&["-k", "eventName"])),
    ("cloudtrail", Time::Options(&["-t", "eventTime"]), Key::Options(&["-k", ".eventName"])),
    ("cloudtrail", Time::Options(&["-t", ".eventTime"]), Key::Options(&["-i", "json", "-k", "eventName"])),
    ("endlessh", Time::Found, Key::OfFacts),
    ("endlessh", Time::Options(&["-T", r"^(\d{4}-\S+Z)"]), Key::Options(&["-i", "logfmt", "-k", "host"])),
    ("gdrive-sync", Time::Found, Key::OfFacts),
    ("iis-w3c-big", Time::Found, Key::Options(&["-k", "c-ip"])),
    ("iis-w3c-big", Time::Options(&["-t", "date,time"]), Key::Options(&["-i", "w3c", "-k", "c-ip"])),
    ("iis-w3c-big", Time::Found, Key::OfFacts),
    ("kafka-controller", Time::Found, Key::OfFacts),
    ("kafka-gc", Time::Found, Key::OfFacts),
    ("nab-traveltime", Time::Found, Key::Options(&["-k", "value"])),
    ("nab-traveltime", Time::Options(&["-t", "timestamp"]), Key::Options(&["-k", "value"])),
    ("nab-traveltime", Time::Options(&["-d", ",", "-t", "1"]), Key::Options(&["-K", r"^\d[^,]*,(.*)$"])),
    ("nginxplus-json", Time::Found, Key::Options(&["-k", "pid"])),
    ("nginxplus-json", Time::Found, Key::Options(&["-k", ".pid"])),
    ("nginxplus-json", Time::Options(&["-t", ".timestamp"]), Key::Options(&["-k", ".pid"])),
    ("setupapi-dev", Time::Options(&["-T", r"Section (?:start|end) (\S+ \S+)"]), Key::OfFacts),
    ("traefik-clf", Time::Found, Key::OfFactsIn("logfmt")),
    ("traefik-clf", Time::Options(&["-t", "time"]), Key::OfFactsIn("logfmt")),
    ("traefik-clf", Time::Options(&["-T", "time=\"([^\"]*)\""]), Key::OfFacts),
    ("weather-csv", Time::Found, Key::Options(&["-k", "temperature"])),
    ("weather-csv", Time::Options(&["-t", "date"]), Key::Options(&["-k", "3"])),
    ("weather-csv", Time::Options(&["-d", ",", "-t", "1"]), Key::Options(&["-K", r"^\d[^,]*,[^,]*,([^,]*)"])),
    ("zeek-http-tsv", Time::Found, Key::Options(&["-k", "id.resp_h"])),
    ("zeek-http-tsv", Time::Options(&["-d", "\\t", "-t", "1"]), Key::OfFacts),
];

impl Key {
    fn options<'a>(&self, set: &'a Set) -> Vec<&'a str> {
        let of_facts = || ["-K", set.facts["key_regex"].as_str().expect("the facts have a pattern")];
        match *self {
            Key::OfFacts => of_facts().to_vec(),
            Key::OfFactsIn(format) => [["-i", format], of_facts()].concat(),
            Key::Options(options) => options.to_vec(),
        }
    }
}

impl Time {
    fn options(&self) -> &'static [&'static str] {
        match *self {
            Time::Found => &[],
            Time::Options(options) => options,
        }
    }
}

/// A minute from the last record that passed, and from the last one seen.
const MINUTES: [(&str, &[&str]); 2] = [
    ("/dedup_by_key_60s/passed_window_from_last_passed", &["--ttl", "60s"]),
    ("/dedup_by_key_60s/passed_window_from_last_seen", &["--ttl", "60s", "--refresh"]),
];

#[test]
fn every_set_has_a_way_to_its_key() {
    let Some(sets) = all_sets() else { return };
    for set in &sets {
        let name = set.facts["name"].as_str().expect("a set has a name");
        assert!(KEYED_SETS.iter().any(|(keyed, ..)| *keyed == name), "{name}");
    }
}

#[test]
fn keys_and_their_repeats_within_a_minute_are_those_of_the_facts() {
    let Some(folder) = shared_folder("data") else { return };
    let mut differences = Vec::new();
    for (name, time, key) in &KEYED_SETS {
        let set = Set::open(&folder.join(name));
        let text = fs::read(&set.file).expect("the set can be read");
        // The facts leave records without a key out.
        let path = set.file.to_str().expect("a plain path");
        let by_key = [&key.options(&set)[..], &["--missing", "skip", path]].concat();
        let in_time = MINUTES.map(|(what, minute)| (what, [minute, time.options()].concat()));
        for (what, more) in [("/distinct_keys", vec![])].into_iter().chain(in_time) {
            let arguments = [&by_key[..], &more].concat();
            // Printed keys are one a record: headings have none.
            let found = line_count(&dedup([&arguments[..], &["--print", "key"]].concat(), b""));
            let wanted = set.count(what);
            if found != wanted {
                differences.push(format!("{name} {arguments:?} {what}: wanted {wanted}, found {found}"));
            }
            let counts = stats(&arguments, b"");
            let headings = line_count(&text) - number(&counts, "read") - number(&counts, "headings_repeated");
            let output = dedup_in_every_way(&on_stdin(&arguments, &set), &text);
            if line_count(&output) != found + headings {
                differences.push(format!("{name} {arguments:?}: {} lines, {found} keys", line_count(&output)));
            }
        }
    }
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}

#[test]
fn scores_that_do_not_fade_are_the_counts_of_the_facts() {
    let Some(folder) = shared_folder("data") else { return };
    for (name, _, key) in &KEYED_SETS {
        let set = Set::open(&folder.join(name));
        let path = set.file.to_str().expect("a plain path");
        let options = ["score", "--print", "key,score", "--decimals", "0", path];
        let output = run(grudge(options.iter().chain(&key.options(&set))), b"");
        assert!(output.status.success(), "{name}: {output:?}");
        let printed = String::from_utf8_lossy(&output.stdout);
        let scores: HashMap<&str, &str> = printed.lines().filter_map(|line| line.rsplit_once('\t')).collect();
        assert_eq!(scores.len() as u64, set.count("/distinct_keys"), "{name}");
        for key in set.facts["top10"].as_array().expect("a list of keys") {
            let text = key["key"].as_str().expect("a key").replace('\\', "\\\\");
            assert_eq!(scores.get(text.as_str()).copied(), Some(key["count"].to_string().as_str()), "{name}: {text}");
        }
    }
}

#[test]
fn counts_and_times_are_those_of_the_facts() {
    let Some(folder) = shared_folder("data") else { return };
    let mut differences = Vec::new();
    for (name, time, key) in &KEYED_SETS {
        let set = Set::open(&folder.join(name));
        let path = set.file.to_str().expect("a plain path");
        let arguments = [&key.options(&set)[..], &["--ttl", "60s", path], time.options()].concat();
        let counts = stats(&arguments, b"");
        let read = number(&counts, "read");
        let mut check = |what: &str, found: Value, wanted: &Value| {
            if found.as_f64() != wanted.as_f64() {
                differences.push(format!("{name} {arguments:?} {what}: wanted {wanted}, found {found}"));
            }
        };
        check("with a key", (read - number(&counts, "missing")).into(), &set.facts["records_with_key"]);
        check("with a time", (read - number(&counts, "untimed")).into(), &set.facts["timestamps_parsed"]);
        check("late", counts["late"].clone(), &set.facts["out_of_order_vs_running_max"]);
        let lag = counts["greatest_lag_seconds"].clone();
        check("greatest lag", lag, &set.facts["largest_lag_behind_running_max_s"]);
        check("broken", counts["bad"].clone(), &0.into());
        check("steps back", counts["steps_back"].clone(), &0.into());

        let printed = dedup([&arguments[..], &["--tag", "--print", "time", "--missing", "pass"]].concat(), b"");
        let times = || own_times(&printed).into_iter().flatten();
        for (name, found) in [("min_time_ns", times().min()), ("max_time_ns", times().max())] {
            assert_eq!(found, set.facts[name].as_i64(), "{arguments:?} {name}");
        }
    }
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}

fn number(counts: &Value, name: &str) -> u64 {
    counts[name].as_u64().unwrap_or_else(|| panic!("no {name} in {counts}"))
}

/// The arguments for the set's text on stdin, with the format that its file's name tells.
fn on_stdin<'a>(arguments: &[&'a str], set: &Set) -> Vec<&'a str> {
    let path = set.file.to_str().expect("a plain path");
    let others = arguments.iter().copied().filter(|argument| *argument != path);
    let told = arguments.iter().any(|argument| ["-i", "-d"].contains(argument));
    let table = !told && path.ends_with(".csv");
    others.chain(if table { &["-i", "csv"][..] } else { &[] }.iter().copied()).collect()
}

#[test]
fn a_compressed_set_gives_what_it_gives_as_it_is() {
    let Some(folder) = shared_folder("data") else { return };
    let set = Set::open(&folder.join("apache-combined"));
    let text = fs::read(&set.file).expect("the set can be read");
    let compressed = match Command::new("gzip").arg("-c").arg(&set.file).output() {
        Ok(output) => output.stdout,
        Err(error) => return eprintln!("skipped: gzip: {error}"),
    };
    assert!(compressed.len() < text.len() / 4);
    let copy = tempfile::tempdir().expect("a temporary folder");
    let file = copy.path().join("access.log");
    fs::write(&file, &compressed).expect("the copy can be written");
    let minute = ["-k", "ip", "--ttl", "60s"];
    let wanted = dedup(minute, &text);
    assert_eq!(line_count(&wanted), set.count("/dedup_by_key_60s/passed_window_from_last_passed"));
    for reads in READS {
        let options = || minute.iter().chain(reads).map(OsStr::new);
        assert!(dedup(options(), &compressed) == wanted, "{reads:?}");
        assert!(dedup(options().chain([file.as_os_str()]), b"") == wanted, "{reads:?}");
    }
}

#[test]
fn a_file_given_twice_is_the_file_and_its_repeats() {
    let Some(sets) = all_sets() else { return };
    for set in &sets {
        let once = dedup([&set.file], b"");
        let twice = [set.file.as_os_str(); 2];
        assert!(dedup(twice, b"") == once, "{:?}", set.file);
        let repeats = dedup(twice.into_iter().chain([OsStr::new("-v")]), b"");
        assert_eq!(line_count(&repeats), 2 * set.count("/lines") - line_count(&once), "{:?}", set.file);
    }
}
