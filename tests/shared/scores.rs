//! `score` and `limit` on real logs, against programs that keep every key exactly.

use super::THREADS;
use super::case::Case;
use super::sets::Set;
use super::times::{NANOS_PER_SECOND, own_time};
use crate::support::{grudge, lines, run, shared_folder};
use std::collections::HashMap;

/// The half-life of the scores that are compared, in seconds.
const HALF_LIFE: f64 = 3600.0;

/// What scores may differ by: they are printed to nine digits, and the sum of a thousand floats is as good as that.
const SCORE_SLACK: f64 = 1e-9;

/// The limit that is compared: so many a minute, and at once.
const LIMIT: i64 = 10;

/// What a token takes to come back.
const TOKEN: i64 = 60 * NANOS_PER_SECOND / LIMIT;

/// A log whose lines are out of order but for one in sixteen.
fn unordered_log() -> Option<Set> {
    Some(Set::open(&shared_folder("data")?.join("apache-combined")))
}

/// What a verb writes; it must end well and say nothing, and write the same with any number of threads.
fn written(arguments: &[&str], set: &Set) -> String {
    let write = |more: &[&str]| {
        let mut command = grudge(arguments);
        command.args(more).arg(&set.file);
        let output = run(command, b"");
        assert!(output.status.success() && output.stderr.is_empty(), "{arguments:?}: {output:?}");
        output.stdout
    };
    let alone = write(&[]);
    for way in THREADS.iter().map(|count| ["--threads", count]).chain([["--read-bytes", "4096"]]) {
        assert!(write(&way) == alone, "{arguments:?} {way:?}: other bytes than without");
    }
    String::from_utf8(alone).expect("addresses, times and numbers")
}

/// Each record's key, its own time, and the latest time so far, at which it is judged.
fn judged(set: &Set) -> Vec<(String, i64, i64)> {
    let mut now = i64::MIN;
    let record = |line: &str| {
        let (key, time) = line.split_once('\t').expect("two columns");
        let time = own_time(time).expect("every record has a time");
        now = now.max(time);
        (key.to_owned(), time, now)
    };
    written(&["score", "-k", "ip", "--print", "key,time"], set).lines().map(record).collect()
}

/// A token bucket in whole numbers: a record is allowed where the debt of its key leaves room for it.
#[test]
fn every_verdict_of_limit_is_that_of_an_exact_bucket() {
    let Some(set) = unordered_log() else { return };
    let mut free_at = HashMap::new();
    let mut wanted = String::new();
    for (key, _, now) in judged(&set) {
        let free_at: &mut i64 = free_at.entry(key).or_insert(now);
        let debt = (*free_at - now).max(0);
        let wait = debt + TOKEN - LIMIT * TOKEN;
        let allowed = wait <= 0;
        if allowed {
            *free_at = now + debt + TOKEN;
        }
        let debt = (*free_at - now).max(0);
        let seconds = |nanos: i64| format!("{}.{:03}", nanos / NANOS_PER_SECOND, nanos % NANOS_PER_SECOND / 1_000_000);
        let retry_after = if allowed { "-1".to_owned() } else { seconds(wait) };
        let remaining = (LIMIT * TOKEN - debt) / TOKEN;
        let allowed = u8::from(allowed);
        wanted += &format!("{allowed}\t{LIMIT}\t{remaining}\t{retry_after}\t{}\n", seconds(debt));
    }
    assert!(wanted.lines().filter(|line| line.starts_with('0')).count() > 1000, "the log has many that are denied");
    let columns = "allowed,limit,remaining,retry_after,reset_after";
    let options = ["limit", "-k", "ip", "--rate", "10/min", "--burst", "10", "--tag", "--print", columns];
    assert!(written(&options, &set) == wanted, "a verdict differs");
    // The same in front of the records.
    let tagged = written(&["limit", "-k", "ip", "--rate", "10/min", "--burst", "10", "--tag"], &set);
    for (tagged, wanted) in tagged.lines().zip(wanted.lines()) {
        assert!(tagged.starts_with(&format!("{wanted}\t198.18.")), "{tagged}");
    }
}

/// What is allowed, what is denied, and both together.
#[test]
fn limit_loses_no_record() {
    let Some(set) = unordered_log() else { return };
    let options = ["limit", "-k", "ip", "--rate", "10/min"];
    let (allowed, denied) = (written(&options, &set), written(&[&options[..], &["-v"]].concat(), &set));
    let mut together: Vec<&str> = allowed.lines().chain(denied.lines()).collect();
    let text = std::fs::read(&set.file).expect("the log can be read");
    let mut all: Vec<&str> =
        lines(&text).map(|line| std::str::from_utf8(line).expect("plain text").trim_end_matches('\n')).collect();
    together.sort_unstable();
    all.sort_unstable();
    assert_eq!(together, all);
}

/// Each record adds what is left of it, and the sum halves every hour.
#[test]
fn every_score_is_that_of_an_exact_sum() {
    let Some(set) = unordered_log() else { return };
    let left = |nanos: i64| (-(nanos as f64) / NANOS_PER_SECOND as f64 / HALF_LIFE).exp2();
    let mut scores: HashMap<String, (f64, i64)> = HashMap::new();
    let options = ["score", "-k", "ip", "--half-life", "1h", "--print", "score", "--decimals", "9"];
    let printed = written(&options, &set);
    let records = judged(&set);
    assert_eq!(printed.lines().count(), records.len());
    let mut late = 0;
    for (printed, (key, time, now)) in printed.lines().zip(records) {
        late += u32::from(time < now);
        let (score, since) = scores.entry(key.clone()).or_insert((0.0, now));
        *score = *score * left(now - *since) + left(now - time);
        *since = now;
        let printed: f64 = printed.parse().expect("a number");
        assert!((printed - *score).abs() <= SCORE_SLACK * score.max(1.0), "{key}: {printed} instead of {score}");
    }
    assert!(late > 9000, "the log is out of order");
}

/// Without fading a score is a count.
#[test]
fn scores_that_do_not_fade_are_the_counts_of_the_keys() {
    let Some(set) = unordered_log() else { return };
    let printed = written(&["score", "-k", "ip", "--print", "key,score", "--decimals", "0"], &set);
    let last: HashMap<&str, &str> = printed.lines().map(|line| line.split_once('\t').expect("two columns")).collect();
    assert_eq!(last.len() as u64, set.count("/distinct_keys"));
    let most = set.facts["top10"].as_array().expect("a list");
    assert!(!most.is_empty());
    for key in most {
        assert_eq!(last[key["key"].as_str().expect("a key")], key["count"].to_string());
    }
}

/// Up and down alternate for each key, in the order of time, and each down is where its up said it would be if nothing
/// more came.
#[test]
fn events_come_in_the_order_of_time_and_in_pairs() {
    let Some(set) = unordered_log() else { return };
    let printed = written(&["score", "-k", "ip", "--half-life", "10m", "--enter", "20", "--leave", "5"], &set);
    let mut up: HashMap<&str, i64> = HashMap::new();
    let (mut last, mut downs) = (i64::MIN, 0);
    for line in printed.lines() {
        let [time, state, key, _, until] = line.split('\t').collect::<Vec<_>>()[..] else { panic!("{line}") };
        let time = own_time(time).expect("a time");
        assert!(time >= last, "{line}: goes back");
        last = time;
        match state {
            "up" => assert_eq!(up.insert(key, own_time(until).expect("a time")), None, "{line}: is up already"),
            _ => {
                assert!(up.remove(key).expect("it was up") <= time, "{line}: goes down before it was to");
                downs += 1;
            }
        }
    }
    assert!(downs > 5, "only {downs} events");
}

#[test]
fn a_backlog_is_limited_by_its_own_times() {
    let Some(case) = Case::open("42") else { return };
    let mut command = grudge(["limit", "-K", r"k=(\S+)", "--rate", "1/min", "--print", "key"]);
    command.arg(case.path("input.log"));
    let output = run(command, b"");
    assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
    let passed = String::from_utf8(output.stdout).expect("plain text");
    for (key, wanted) in case.expected["limit_1_per_60s_passed"].as_object().expect("keys and counts") {
        assert_eq!(Some(passed.lines().filter(|passed| passed == key).count() as u64), wanted.as_u64(), "{key}");
    }
}
