//! Cases about stamps and the clock.

use super::case::Case;
use serde_json::Value;

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
