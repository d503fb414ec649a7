//! The most memory that a run ever had: bounded by `-m` and a little more, however many keys there are.

#![cfg(target_os = "linux")]

mod support;

use std::io::{BufRead, BufReader, BufWriter, Write};
use support::grudge;

const MIB: u64 = 1 << 20;

/// What the program itself may take: its code, buffers and threads.
const REST: u64 = 16 * MIB;

/// The record that says that all before it has been read.
const LAST: &str = "the last record";

/// The peak of the resident memory of `grudge dedup` that has read `records` and waits for more.
fn peak(arguments: &[&str], records: impl Iterator<Item = u64> + Send) -> u64 {
    let mut child = grudge(["dedup"].iter().chain(arguments)).spawn().expect("the program starts");
    let mut stdin = BufWriter::new(child.stdin.take().expect("stdin is a pipe"));
    let stdout = BufReader::new(child.stdout.take().expect("stdout is a pipe"));
    let peak = std::thread::scope(|scope| {
        let writer = scope.spawn(move || {
            for record in records {
                writeln!(stdin, "record {record:08}").expect("the program reads");
            }
            writeln!(stdin, "{LAST}").and_then(|()| stdin.flush()).expect("the program reads");
            stdin
        });
        let passed = stdout.split(b'\n').map(|line| line.expect("the program writes"));
        assert!(passed.into_iter().any(|line| line == LAST.as_bytes()), "the program ended early");
        let peak = peak_of(child.id());
        drop(writer.join());
        peak
    });
    assert!(child.wait().expect("the program ends").success());
    peak
}

/// The peak of a process's resident memory so far, as the system tells it.
fn peak_of(process: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).expect("the status can be read");
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("the status has the peak");
    let kibibytes: u64 = peak.trim().trim_end_matches(" kB").parse().expect("the peak is a number");
    kibibytes << 10
}

#[test]
fn few_keys_need_little_memory() {
    const KEYS: u64 = 1000;
    const RECORDS: u64 = 500_000;
    let peak = peak(&[], (0..RECORDS).map(|number| number % KEYS));
    assert!(peak < REST, "{peak} bytes");
}

#[test]
fn many_keys_stay_under_the_bound() {
    const BOUND: u64 = 4 * MIB;
    const KEYS: u64 = 1_000_000;
    for threads in ["1", "2"] {
        let peak = peak(&["-m", "4MiB", "--threads", threads], 0..KEYS);
        assert!(peak < BOUND + REST, "{peak} bytes with {threads} threads");
    }
}
