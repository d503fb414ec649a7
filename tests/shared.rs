//! Real logs and awkward inputs that are kept beside the project, in `../shared`, with exact answers worked out by other
//! programs. Where the folder is not there, each test skips itself and says so.

mod support;

#[path = "shared/case.rs"]
mod case;
#[path = "shared/cases_of_json.rs"]
mod cases_of_json;
#[path = "shared/cases_of_tables.rs"]
mod cases_of_tables;
#[path = "shared/cases_of_text.rs"]
mod cases_of_text;
#[path = "shared/cases_of_times.rs"]
mod cases_of_times;
#[path = "shared/masks.rs"]
mod masks;
#[path = "shared/multiline.rs"]
mod multiline;
#[path = "shared/scores.rs"]
mod scores;
#[path = "shared/sets.rs"]
mod sets;
#[path = "shared/times.rs"]
mod times;
#[path = "shared/wrong_clocks.rs"]
mod wrong_clocks;

use serde_json::Value;
use std::ffi::OsStr;
use std::fs;
use std::path::Path;
use support::{dedup, grudge, lines, run};

/// The same input must give the same output however it is cut into reads; nothing is the default.
const READS: [&[&str]; 3] = [&[], &["--read-bytes", "1"], &["--read-bytes", "7"]];

/// And with any number of threads.
const THREADS: [&str; 3] = ["1", "2", "8"];

/// Files up to this size are also read byte by byte.
const SMALL_FILE: usize = 200_000;

fn read_json(path: &Path) -> Value {
    serde_json::from_slice(&fs::read(path).expect("the answers can be read")).expect("the answers are JSON")
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

/// What `grudge dedup` passes of `input`, which must not depend on the number of threads nor on how it is read.
fn dedup_in_every_way<A: AsRef<OsStr>>(arguments: &[A], input: &[u8]) -> Vec<u8> {
    let sizes: &[&str] = if input.len() <= SMALL_FILE { &["1", "7"] } else { &["4096"] };
    let ways = THREADS.iter().map(|count| ["--threads", count]);
    let ways = ways.chain(sizes.iter().map(|size| ["--read-bytes", size]));
    let arguments = || arguments.iter().map(AsRef::as_ref);
    let wanted = dedup(arguments(), input);
    for way in ways {
        let output = dedup(arguments().chain(way.map(OsStr::new)), input);
        assert!(output == wanted, "{:?} {way:?}: other bytes than without", arguments().collect::<Vec<_>>());
    }
    wanted
}

/// The counts of a run of `grudge dedup`, as `--stats=json` gives them.
fn stats<A: AsRef<OsStr>>(arguments: &[A], input: &[u8]) -> Value {
    let mut command = grudge(["dedup", "-q", "--stats=json"]);
    command.args(arguments);
    serde_json::from_slice(&run(command, input).stderr).expect("stderr is the counts")
}
