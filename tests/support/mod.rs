//! What the tests of the command line share: where the program is and how it is run.

// Every test file is a crate of its own and uses only a part of this.
#![allow(dead_code)]

use std::ffi::OsStr;
use std::io::Write;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::mpsc;
use std::time::Duration;

/// The built program.
pub const GRUDGE: &str = env!("CARGO_BIN_EXE_grudge");

/// Variables that would change what the program does or how it writes.
const FOREIGN_VARIABLES: [&str; 5] = ["GRUDGE_SEED", "COLUMNS", "LINES", "CLICOLOR_FORCE", "RUST_BACKTRACE"];

/// A run that takes longer than this hangs.
const LONGEST_RUN: Duration = Duration::from_secs(60);

/// The folder of the crate.
pub fn crate_folder() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Gives a command the surroundings that every test expects: no seed, no colours, the C locale.
pub fn plain_surroundings(command: &mut Command) -> &mut Command {
    for variable in FOREIGN_VARIABLES {
        command.env_remove(variable);
    }
    command.env("LC_ALL", "C").env("TZ", "UTC").env("NO_COLOR", "1")
}

/// The program with arguments, all of its streams being pipes.
pub fn grudge<I: IntoIterator<Item: AsRef<OsStr>>>(arguments: I) -> Command {
    let mut command = Command::new(GRUDGE);
    plain_surroundings(&mut command).args(arguments);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Runs a command to its end with `input` on its stdin.
pub fn run(command: Command, input: &[u8]) -> Output {
    let (output, in_time) = run_in_time(command, input, LONGEST_RUN);
    assert!(in_time, "the program hangs");
    output
}

/// Runs a command to its end, or for so long; then it and all that it started is killed. Says whether it ended itself.
pub fn run_in_time(mut command: Command, input: &[u8], longest: Duration) -> (Output, bool) {
    // A group of its own, so that a whole pipeline can be killed.
    command.process_group(0).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("it starts");
    let mut stdin = child.stdin.take().expect("stdin is a pipe");
    let group = format!("-{}", child.id());
    let (ended, watched) = mpsc::channel();
    std::thread::scope(|scope| {
        // The program may well end before it has read all.
        scope.spawn(move || stdin.write_all(input).ok());
        let watch = scope.spawn(move || {
            let in_time = watched.recv_timeout(longest).is_ok();
            if !in_time {
                Command::new("kill").args(["-s", "KILL", "--", &group]).status().expect("kill can be run");
            }
            in_time
        });
        let output = child.wait_with_output().expect("it ends");
        // The watch may have given up already.
        let _ = ended.send(());
        (output, watch.join().expect("the watch ends"))
    })
}

/// Runs `grudge dedup` on `input`; it must end well and say nothing. Returns what passed.
pub fn dedup<I: IntoIterator<Item: AsRef<OsStr>>>(arguments: I, input: &[u8]) -> Vec<u8> {
    let mut command = grudge(["dedup"]);
    command.args(arguments);
    let shown = format!("{command:?}");
    let output = run(command, input);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && stderr.is_empty(), "{shown}: {}: {stderr}", output.status);
    output.stdout
}

/// The folder of inputs that are kept beside the project, or nothing (and a remark) where it is not.
pub fn shared_folder(name: &str) -> Option<PathBuf> {
    let folder = crate_folder().join("../shared").join(name);
    if !folder.is_dir() {
        eprintln!("skipped: there is no {}", folder.display());
        return None;
    }
    Some(folder)
}

/// The lines of a text, each with its ending.
pub fn lines(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split_inclusive(|byte| *byte == b'\n')
}

/// Set to 1, this variable makes the tests write down what comes now instead of comparing.
pub const BLESS: &str = "GRUDGE_BLESS";

/// Whether what comes now is to be written down.
pub fn blessing() -> bool {
    std::env::var_os(BLESS).is_some_and(|value| value == "1")
}

/// A command line to be run in `folder` with `sh`, the built program first on the path.
pub fn shell_command(command_line: &str, folder: &Path) -> Command {
    let program = Path::new(GRUDGE).parent().expect("it lies in a folder");
    let others = std::env::var_os("PATH").unwrap_or_default();
    let path = std::iter::once(program.to_owned()).chain(std::env::split_paths(&others));
    let mut command = Command::new("sh");
    plain_surroundings(&mut command)
        .args(["-c", command_line])
        .current_dir(folder)
        .env("PATH", std::env::join_paths(path).expect("a search path"));
    command
}
