//! Real logs and awkward inputs that are kept beside the project, in `../shared`, with exact answers worked out by other
//! programs. Where the folder is not there, each test skips itself and says so.

mod support;

use serde_json::Value;
use std::collections::{BTreeMap, HashSet};
use std::ffi::OsStr;
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
    /// Without a word: where the format has it, or at the start of the line.
    Found,
    Options(&'static [&'static str]),
}

/// How the key of a set's records is found.
enum Key {
    /// By the pattern that the facts give.
    OfFacts,
    Options(&'static [&'static str]),
}

/// The sets whose time and key can be reached. A pattern that wants a digit leaves a column's name out.
const KEYED_SETS: [(&str, Time, Key); 15] = [
    ("apache-combined", Time::Found, Key::Options(&["-k", "ip"])),
    ("apache-combined", Time::Options(&["-t", "4,5"]), Key::Options(&["-k", "1"])),
    ("apache-combined", Time::Options(&["-t", "4,5"]), Key::OfFacts),
    ("kafka-controller", Time::Found, Key::OfFacts),
    ("kafka-gc", Time::Found, Key::OfFacts),
    ("gdrive-sync", Time::Found, Key::OfFacts),
    ("endlessh", Time::Found, Key::OfFacts),
    ("iis-w3c-big", Time::Found, Key::OfFacts),
    ("traefik-clf", Time::Options(&["-T", "time=\"([^\"]*)\""]), Key::OfFacts),
    ("setupapi-dev", Time::Options(&["-T", r"Section (?:start|end) (\S+ \S+)"]), Key::OfFacts),
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

/// A set into which records of a wrong clock are put.
struct Disturbed {
    name: &'static str,
    options: &'static [&'static str],
    /// A record with this stamp, and with the key [`STRANGER`].
    record: fn(&str) -> String,
    /// How the stamp is written.
    stamp: fn(i64) -> String,
}

/// The key of a record that was put in.
const STRANGER: &str = "203.0.113.99";

const DISTURBED: [Disturbed; 3] = [
    Disturbed {
        name: "apache-combined",
        options: &["-k", "ip"],
        record: |stamp| format!("{STRANGER} - - [{stamp} +0000] \"GET / HTTP/1.1\" 200 5 \"-\" \"-\"\n"),
        stamp: |nanos| {
            const MONTHS: [&str; 12] =
                ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
            let [year, month, day, hour, minute, second] = civil(nanos);
            format!("{day:02}/{}/{year}:{hour:02}:{minute:02}:{second:02}", MONTHS[month as usize - 1])
        },
    },
    Disturbed {
        name: "kafka-controller",
        options: &["-K", r"\(([^()]*)\)$"],
        record: |stamp| format!("[{stamp},000] INFO stranger ({STRANGER})\n"),
        stamp: iso,
    },
    Disturbed {
        name: "weather-csv",
        options: &["-d", ",", "-t", "1", "-k", "3"],
        record: |stamp| format!("{stamp},1,{STRANGER},1\n"),
        stamp: iso,
    },
];

/// `2026-03-01 10:00:00`
fn iso(nanos: i64) -> String {
    let [year, month, day, hour, minute, second] = civil(nanos);
    format!("{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02}")
}

/// One record in a thousand has a stamp that is too far ahead. Two days are promised not to be believed where a stream's
/// pauses are hours, 400 and 10,000 days anywhere.
#[test]
fn stamps_far_ahead_change_nothing_for_the_others() {
    const EVERY: usize = 1000;
    let Some(folder) = shared_folder("data") else { return };
    for set in &DISTURBED {
        let text = fs::read(Set::open(&folder.join(set.name)).file).expect("the set can be read");
        let options =
            |more: &[&'static str]| [&["--ttl", "60s", "--missing", "pass", "--tag"], set.options, more].concat();
        let undisturbed = dedup(options(&[]), &text);
        let times = own_times(&dedup(options(&["--print", "time"]), &text));
        for days in [2, 400, 10_000] {
            let (mut disturbed, mut put_in, mut latest) = (Vec::new(), 0, i64::MIN);
            for (number, (line, time)) in lines(&text).zip(&times).enumerate() {
                disturbed.extend_from_slice(line);
                latest = latest.max(time.unwrap_or(latest));
                if number % EVERY == EVERY / 2 {
                    let ahead = latest + (days * SECONDS_PER_DAY + 1) * NANOS_PER_SECOND;
                    disturbed.extend_from_slice((set.record)(&(set.stamp)(ahead)).as_bytes());
                    put_in += 1;
                }
            }
            let mut command = grudge(["dedup", "--stats=json"]);
            command.args(options(&[]));
            let output = run(command, &disturbed);
            let honest = |line: &&[u8]| !line.windows(STRANGER.len()).any(|part| part == STRANGER.as_bytes());
            let others = lines(&output.stdout).filter(honest).collect::<Vec<_>>().concat();
            assert!(others == undisturbed, "{} {days} days ahead", set.name);
            let stats: Value = serde_json::from_slice(&output.stderr).expect("stderr is the counts");
            assert_eq!((&stats["future"], &stats["steps_back"]), (&put_in.into(), &0.into()), "{}: {stats}", set.name);
        }
    }
}

const NANOS_PER_SECOND: i64 = 1_000_000_000;

const SECONDS_PER_DAY: i64 = 86_400;

/// Days before a year began, counted from the first one.
fn days_before(year: i64) -> i64 {
    let past = year - 1;
    past * 365 + past / 4 - past / 100 + past / 400
}

fn days_of_months(year: i64) -> [i64; 12] {
    let february = if days_before(year + 1) - days_before(year) == 366 { 29 } else { 28 };
    [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
}

/// Year, month, day, hour, minute and second of an instant.
fn civil(nanos: i64) -> [i64; 6] {
    let seconds = nanos.div_euclid(NANOS_PER_SECOND);
    let mut day = seconds.div_euclid(SECONDS_PER_DAY) + days_before(1970);
    let year = (1..).find(|year| days_before(year + 1) > day).expect("years go on");
    day -= days_before(year);
    let mut month = 0;
    while day >= days_of_months(year)[month] {
        day -= days_of_months(year)[month];
        month += 1;
    }
    let of_day = seconds.rem_euclid(SECONDS_PER_DAY);
    [year, month as i64 + 1, day + 1, of_day / 3600, of_day / 60 % 60, of_day % 60]
}

/// The instant that the program prints as `2026-03-01T10:00:00.12Z`, or nothing for `-`.
fn own_time(text: &str) -> Option<i64> {
    if text == "-" {
        return None;
    }
    let parts: Vec<&str> = text.strip_suffix('Z').expect("times are in UTC").split(['-', 'T', ':', '.']).collect();
    let number = |index: usize| parts[index].parse::<i64>().expect("a number");
    let (year, month) = (number(0), number(1) as usize);
    let day =
        days_before(year) - days_before(1970) + days_of_months(year)[..month - 1].iter().sum::<i64>() + number(2) - 1;
    let seconds = day * SECONDS_PER_DAY + number(3) * 3600 + number(4) * 60 + number(5);
    let fraction = format!("{:0<9}", parts.get(6).unwrap_or(&""));
    Some(seconds * NANOS_PER_SECOND + fraction.parse::<i64>().expect("a fraction"))
}

/// What `--print time` has printed of each record.
fn own_times(printed: &[u8]) -> Vec<Option<i64>> {
    std::str::from_utf8(printed).expect("times are plain text").lines().map(own_time).collect()
}

#[test]
fn times_are_read_back_as_they_are_printed() {
    for (text, nanos) in [
        ("1970-01-01T00:00:00Z", 0),
        ("1969-12-31T23:59:59.9Z", -100_000_000),
        ("2000-02-29T00:00:00Z", 951_782_400 * NANOS_PER_SECOND),
        ("2026-03-01T10:00:00.012Z", 1_772_359_200_012_000_000),
    ] {
        assert_eq!(own_time(text), Some(nanos), "{text}");
        assert_eq!(iso(nanos).replace(' ', "T"), text[..19], "{text}");
    }
    assert_eq!(own_time("-"), None);
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

    /// The time of each record of `text`.
    fn times(&self, text: &[u8], arguments: &[&str]) -> Vec<Option<i64>> {
        // Every record, those without a key or with a bad stamp as well; without a ttl no time is needed.
        let fixed = ["--ttl", "1ns", "--tag", "--print", "time", "--missing", "pass", "--on-error", "pass", "-q"];
        let runs = READS.map(|reads| own_times(&dedup(fixed.iter().chain(arguments).chain(reads), text)));
        assert!(runs[0] == runs[1] && runs[0] == runs[2], "{:?}: {runs:?}", self.folder);
        let [times, ..] = runs;
        times
    }

    /// Checks that the times of the records of `text` lie between those listed under two names.
    fn check_times(&self, names: [&str; 2], text: &[u8], arguments: &[&str]) {
        let times = self.times(text, arguments);
        let [low, high] = names.map(|name| self.expected[name].as_array().expect("a list of times"));
        assert_eq!((times.len(), times.len()), (low.len(), high.len()), "{:?}", self.folder);
        for (index, time) in times.into_iter().enumerate() {
            let (low, high) = (low[index].as_i64(), high[index].as_i64());
            assert!(low <= time && time <= high, "{:?} {index}: {low:?} <= {time:?} <= {high:?}", self.folder);
        }
    }

    /// How often each key is printed.
    fn count_keys(&self, text: &[u8], arguments: &[&str]) -> BTreeMap<String, u64> {
        let printed = dedup(["--print", "key"].iter().chain(arguments), text);
        let mut counts = BTreeMap::new();
        for key in String::from_utf8(printed).expect("the keys are plain text").lines() {
            *counts.entry(key.to_owned()).or_default() += 1;
        }
        counts
    }

    /// A list of names with a count each.
    fn counts(&self, name: &str) -> BTreeMap<String, u64> {
        let list = self.expected[name].as_array().expect("a list of names and counts");
        let entry = |entry: &Value| Some((entry[0].as_str()?.to_owned(), entry[1].as_u64()?));
        list.iter().map(|pair| entry(pair).expect("a name and a count")).collect()
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
fn case_21_syslog_over_new_year() {
    let Some(case) = Case::open("21") else { return };
    let text = case.read("input.log");
    let year = ["--year", &case.count("start_year").to_string()];
    let minute = [&["-K", r"\]: (.*)", "--ttl", "60s"], &year[..]].concat();
    case.check_kept("dedup_by_message_60s_from_last_passed_kept", &text, &minute);
    let stats = case.stats(&text, &minute);
    assert_eq!((&stats["late"], &stats["future"]), (&1.into(), &0.into()), "{stats}");
    case.check_times(["time_ns"; 2], &text, &year);
}

#[test]
fn case_23_leap_seconds() {
    let Some(case) = Case::open("23") else { return };
    let text = case.read("input.log");
    case.check_times(["low_ns", "high_ns"], &text, &[]);
    assert!(case.times(&text, &[])[..4].is_sorted());
    assert_eq!(case.stats(&text, &["--ttl", "60s", "-q"])["bad"], 1);
}

#[test]
fn case_24_digits_of_a_fraction() {
    let Some(case) = Case::open("24") else { return };
    let text = case.read("input.log");
    let times = case.times(&text, &[]);
    let mut wanted: Vec<_> = case.expected["time_ns"].as_array().expect("a list").iter().map(Value::as_i64).collect();
    // A dot without a digit is a bad time or no fraction: here it is none.
    *wanted.last_mut().expect("a last time") = wanted[0];
    assert_eq!(times, wanted);
}

#[test]
fn case_28_time_zones() {
    let Some(case) = Case::open("28") else { return };
    let text = case.read("input.log");
    for format in [&[][..], &["-i", "lines"], &["--tz", "UTC"]] {
        case.check_times(["time_ns"; 2], &text, format);
    }
    assert_eq!(case.stats(&text, &["--ttl", "60s", "-q"])["bad"], 1);
}

#[test]
fn case_31_a_stamp_far_in_the_future() {
    let Some(case) = Case::open("31") else { return };
    let text = case.read("input.log");
    let arguments = ["-K", r"k=(\S+)", "--ttl", "60s"];
    case.check_kept("dedup_by_k_60s_kept", &text, &arguments);
    assert_eq!(case.stats(&text, &arguments)["future"], case.expected["future_records"]);
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
fn case_42_one_a_minute_on_replay() {
    let Some(case) = Case::open("42") else { return };
    let text = case.read("input.log");
    let arguments = ["-K", r"k=(\S+)", "--ttl", "60s"];
    let passed = case.expected["limit_1_per_60s_passed"].as_object().expect("names with counts");
    let wanted = passed.iter().map(|(key, count)| (key.clone(), count.as_u64().expect("a count"))).collect();
    assert_eq!(case.count_keys(&text, &arguments), wanted);

    // The same once more is late: it is judged at the last stamp of all.
    let twice = text.repeat(2);
    let stats = case.stats(&twice, &arguments);
    let times = case.times(&text, &[]);
    let before_the_last = times.iter().filter(|time| **time < times.iter().max().copied().flatten()).count();
    assert_eq!(stats["late"], before_the_last, "{stats}");
    // Of `a`, which last passed a minute before that, one more passes.
    assert_eq!(stats["passed"], wanted.values().sum::<u64>() + 1, "{stats}");
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
