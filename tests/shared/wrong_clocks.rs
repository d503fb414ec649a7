//! Real logs into which records with a wrong clock are put.

use super::sets::Set;
use super::times::{NANOS_PER_SECOND, SECONDS_PER_DAY, civil, iso, own_times};
use crate::support::{dedup, grudge, lines, run, shared_folder};
use serde_json::Value;
use std::fs;

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
