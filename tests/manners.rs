//! How the program behaves among others: output while the input is still open, signals, readers that go away, a full
//! disk.

#![cfg(unix)]

mod support;

use std::fs::File;
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::time::Duration;
use support::{GRUDGE, grudge, plain_surroundings, run};

/// A record must be out so soon after it came in, with room for a machine that is busy with other tests. Nothing else in
/// these tests depends on how long something takes.
const PROMPT: Duration = Duration::from_millis(500);

/// What takes longer than this does not come at all.
const HANGS: Duration = Duration::from_secs(20);

/// Both ways in which the path of a record is laid out.
const THREADS: [&str; 2] = ["1", "2"];

/// A run whose streams are in the hands of the test.
struct Run {
    child: Child,
    stdin: ChildStdin,
    stdout: Receiver<Vec<u8>>,
}

impl Run {
    fn start(arguments: &[&str]) -> Run {
        Run::of("dedup", arguments)
    }

    fn of(verb: &str, arguments: &[&str]) -> Run {
        let mut child = grudge([&verb].into_iter().chain(arguments)).spawn().expect("the program starts");
        let stdin = child.stdin.take().expect("stdin is a pipe");
        let mut pipe = child.stdout.take().expect("stdout is a pipe");
        let (pieces, stdout) = mpsc::channel();
        std::thread::spawn(move || {
            let mut buffer = [0; 4096];
            // Ends with the program's output, or when the test wants no more of it.
            while let Ok(count @ 1..) = pipe.read(&mut buffer) {
                if pieces.send(buffer[..count].to_vec()).is_err() {
                    break;
                }
            }
        });
        Run { child, stdin, stdout }
    }

    fn write(&mut self, text: &str) {
        self.stdin.write_all(text.as_bytes()).expect("the program reads");
    }

    /// What comes out, until there is as much as is expected.
    fn expect_within(&self, longest: Duration, expected: &str) {
        let mut found = Vec::new();
        while found.len() < expected.len() {
            let piece = self.stdout.recv_timeout(longest);
            found.extend(piece.unwrap_or_else(|_| panic!("{expected:?} did not come, only {found:?}")));
        }
        assert_eq!(String::from_utf8_lossy(&found), expected);
    }

    fn signal(&self, name: &str) {
        signal(&self.child, name);
    }

    /// Waits for the end, stdin still open. Gives the status, the rest of stdout, and stderr.
    fn end(self) -> (Option<i32>, String, String) {
        let Run { child, stdin, stdout } = self;
        let (status, said) = end(child);
        drop(stdin);
        (status, text(&stdout.iter().flatten().collect::<Vec<u8>>()), said)
    }

    /// The same with stdin closed.
    fn close(self) -> (Option<i32>, String, String) {
        let Run { child, stdin, stdout } = self;
        drop(stdin);
        let (status, said) = end(child);
        (status, text(&stdout.iter().flatten().collect::<Vec<u8>>()), said)
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Waits for the end of a process that must not hang. Gives its status and what it said on stderr, which is little.
fn end(mut child: Child) -> (Option<i32>, String) {
    let mut stderr = child.stderr.take().expect("stderr is a pipe");
    let status = wait(child).code();
    let mut said = String::new();
    stderr.read_to_string(&mut said).expect("stderr can be read");
    (status, said)
}

fn signal(child: &Child, name: &str) {
    let sent = Command::new("kill").args(["-s", name, &child.id().to_string()]).status().expect("kill can be run");
    assert!(sent.success());
}

/// Waits for the end of a process that must not hang.
fn wait(mut child: Child) -> ExitStatus {
    let id = child.id();
    let (ended, end) = mpsc::channel();
    std::thread::spawn(move || ended.send(child.wait()));
    match end.recv_timeout(HANGS) {
        Ok(status) => status.expect("the program can be waited for"),
        Err(_) => {
            let _ = Command::new("kill").args(["-s", "KILL", &id.to_string()]).status();
            panic!("the program does not end");
        }
    }
}

#[test]
fn a_record_comes_out_at_once_while_stdin_is_open() {
    for threads in THREADS {
        let mut run = Run::start(&["--threads", threads]);
        // The start of the program is not what is measured.
        run.write("first\n");
        run.expect_within(HANGS, "first\n");
        for record in ["oak\n", "elm\n", "ash\n"] {
            // A repeat goes before, so that something is dropped and something passes of one read.
            run.write(&format!("first\n{record}"));
            run.expect_within(PROMPT, record);
        }
        assert_eq!(run.close(), (Some(0), String::new(), String::new()), "{threads} threads");
    }
}

#[test]
fn what_time_alone_brings_about_is_told_though_no_record_comes() {
    for threads in THREADS {
        let wall = ["--clock", "wall", "--half-life", "50ms", "--enter", "1", "--leave", "0.5"];
        let mut run = Run::of("score", &[&wall[..], &["--print", "state,key", "--threads", threads]].concat());
        run.write("oak\n");
        run.expect_within(HANGS, "up\toak\n");
        run.expect_within(PROMPT, "down\toak\n");
        assert_eq!(run.close(), (Some(0), String::new(), String::new()), "{threads} threads");
    }
}

#[test]
fn a_record_without_its_newline_waits_for_it() {
    for threads in THREADS {
        let mut run = Run::start(&["--threads", threads]);
        run.write("oak\nel");
        run.expect_within(HANGS, "oak\n");
        run.write("m\n");
        run.expect_within(HANGS, "elm\n");
        assert_eq!(run.close(), (Some(0), String::new(), String::new()), "{threads} threads");
    }
}

#[test]
fn a_signal_ends_the_input_and_nothing_is_lost() {
    for threads in THREADS {
        for (name, code) in [("INT", 130), ("TERM", 143)] {
            let mut run = Run::start(&["--threads", threads, "--stats"]);
            run.write("oak\nelm\noak\nlast without a newline");
            run.expect_within(HANGS, "oak\nelm\n");
            run.signal(name);
            let (status, rest, said) = run.end();
            assert_eq!(status, Some(code), "{name}, {threads} threads");
            assert_eq!(rest, "last without a newline\n", "{name}, {threads} threads");
            let counts = ["read", "passed", "dropped"].map(|name| count_of(&said, name));
            assert_eq!(counts, [Some(4), Some(3), Some(1)], "{said}");
        }
    }
}

#[test]
fn a_signal_ends_the_wait_for_a_named_pipe_that_nobody_opens() {
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().expect("mkfifo can be run").success());
    for threads in THREADS {
        let mut run = Run::start(&["--threads", threads, "-", pipe.to_str().expect("a plain path")]);
        run.write("oak\n");
        run.expect_within(HANGS, "oak\n");
        // With the end of stdin it turns to the pipe; whether the signal comes before or after makes no difference.
        let Run { child, stdin, .. } = run;
        drop(stdin);
        signal(&child, "INT");
        assert_eq!(end(child), (Some(130), String::new()), "{threads} threads");
    }
}

/// A count in the text of `--stats`.
fn count_of(stats: &str, name: &str) -> Option<u64> {
    stats.lines().find_map(|line| line.strip_prefix(name)?.trim().parse().ok())
}

#[test]
#[cfg(target_os = "linux")]
fn a_second_signal_ends_a_run_that_is_stuck_in_a_full_pipe() {
    /// Far more than a pipe and all buffers hold.
    const LINES: usize = 1_000_000;
    let folder = tempfile::tempdir().unwrap();
    let numbers = folder.path().join("numbers");
    let text: String = (0..LINES).map(|number| format!("{number}\n")).collect();
    std::fs::write(&numbers, text).unwrap();
    for threads in THREADS {
        let mut child = grudge(["dedup", "--threads", threads]).arg(&numbers).spawn().expect("the program starts");
        // Once its first byte is there the program writes a piece that is longer than the pipe.
        let mut stdout = child.stdout.take().expect("stdout is a pipe");
        stdout.read_exact(&mut [0]).expect("something comes out");
        signal(&child, "INT");
        while has_pending_signal(&child) {
            std::thread::yield_now();
        }
        assert!(child.try_wait().expect("the program can be asked").is_none(), "the first signal ended it at once");
        signal(&child, "INT");
        assert_eq!(wait(child).code(), Some(130), "{threads} threads");
    }
}

/// Whether a signal was sent to a process that it has not taken yet.
#[cfg(target_os = "linux")]
fn has_pending_signal(child: &Child) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).expect("the status can be read");
    let mut pending = status.lines().filter_map(|line| line.strip_prefix("ShdPnd:"));
    pending.any(|mask| mask.trim().chars().any(|digit| digit != '0'))
}

#[test]
fn a_reader_that_goes_away_is_a_quiet_end_with_the_next_record() {
    for threads in THREADS {
        let mut child = grudge(["dedup", "--threads", threads]).spawn().expect("the program starts");
        let mut stdin = child.stdin.take().expect("stdin is a pipe");
        let mut stdout = child.stdout.take().expect("stdout is a pipe");
        stdin.write_all(b"oak\n").expect("the program reads");
        stdout.read_exact(&mut [0; 4]).expect("the record comes out");
        drop(stdout);
        stdin.write_all(b"elm\n").expect("the program reads");
        assert_eq!(end(child), (Some(0), String::new()), "{threads} threads");
        drop(stdin);
    }
}

#[test]
fn a_full_disk_is_trouble_that_names_stdout() {
    const FULL: &str = "/dev/full";
    if !Path::new(FULL).exists() {
        return eprintln!("skipped: there is no {FULL}");
    }
    let little = "oak\n".to_owned();
    let much: String = (0..200_000).map(|number| format!("{number}\n")).collect();
    for threads in THREADS {
        for input in [&little, &much] {
            let mut command = Command::new(GRUDGE);
            plain_surroundings(&mut command).args(["dedup", "--threads", threads]);
            command.stdin(Stdio::piped()).stderr(Stdio::piped());
            command.stdout(File::options().write(true).open(FULL).expect("it can be opened"));
            let mut child = command.spawn().expect("the program starts");
            let mut stdin = child.stdin.take().expect("stdin is a pipe");
            // The program may well end before it has read all.
            let _ = stdin.write_all(input.as_bytes());
            drop(stdin);
            let (status, said) = end(child);
            assert_eq!(status, Some(2), "{said}");
            assert!(said.starts_with("grudge: stdout: ") && said.lines().count() == 1, "{said}");
        }
    }
}

#[test]
fn a_good_run_says_nothing() {
    let output = run(grudge(["dedup", "-k", "1", "--ttl", "1d", "-t", "2"]), b"a 2026-03-01\nb 2026-03-02\n");
    assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(0), &b""[..]));
}
