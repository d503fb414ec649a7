//! The only writer to stderr: messages and counts.

use rustix::io::Errno;
use std::io::{IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};

/// Where messages go, and which of them are wanted.
#[derive(Debug)]
pub struct Diag {
    quiet: bool,
    /// Whether an error was told: the exit status says so too.
    trouble: AtomicBool,
}

impl Diag {
    pub fn new(quiet: bool) -> Diag {
        Diag { quiet, trouble: AtomicBool::new(false) }
    }

    /// Something went wrong; the run goes on but will end with status 2.
    pub fn error(&self, message: impl std::fmt::Display) {
        self.trouble.store(true, Ordering::Relaxed);
        say(message);
    }

    /// All was done, but not as well as might be thought. `-q` silences it.
    pub fn warning(&self, message: impl std::fmt::Display) {
        if !self.quiet {
            say(message);
        }
    }

    /// A remark for a person who watches: only where stderr is a terminal.
    pub fn note(&self, message: impl std::fmt::Display) {
        if self.is_watched() {
            say(message);
        }
    }

    /// Whether there is such a person.
    pub fn is_watched(&self) -> bool {
        !self.quiet && std::io::stderr().is_terminal()
    }

    /// Lines that were asked for, as they are.
    pub fn print(&self, text: &str) {
        // With stderr gone there is nobody left to tell.
        let _ = std::io::stderr().write_all(text.as_bytes());
    }

    pub fn had_trouble(&self) -> bool {
        self.trouble.load(Ordering::Relaxed)
    }
}

/// One message. What is said in it may come from a file's name or a record: control bytes are shown escaped, so that no
/// text can drive the terminal.
fn say(message: impl std::fmt::Display) {
    let mut line = String::from("grudge: ");
    for character in message.to_string().chars() {
        if character.is_control() {
            line.extend(character.escape_default());
        } else {
            line.push(character);
        }
    }
    line.push('\n');
    let _ = std::io::stderr().write_all(line.as_bytes());
}

/// A system error in words, lower case, without its number.
pub fn describe(error: Errno) -> String {
    describe_io(&error.into())
}

/// The same of an error of the standard library.
pub fn describe_io(error: &std::io::Error) -> String {
    let text = error.to_string();
    let words = text.split(" (os error").next().unwrap_or_default();
    let mut letters = words.chars();
    letters.next().map(|first| first.to_lowercase().chain(letters).collect()).unwrap_or_default()
}
