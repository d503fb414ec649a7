//! Files and stdin as one stream of blocks of whole records.
//!
//! Nothing is mapped into memory: logs are truncated under their readers. A record that is longer than the limit comes as
//! fragments, so that no input makes memory grow.

use super::block::{Block, Content};
use super::diag::Diag;
use super::output::Stop;
use super::signals::{Ready, Signals};
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::io::Errno;
use std::ffi::OsString;
use std::path::Path;

/// Bytes of one read. Fewer make system calls felt, more do not stay in the second-level cache until they are used.
pub const READ_BYTES: usize = 256 << 10;

/// The longest record taken whole, where nothing else is said.
pub const MAX_RECORD_BYTES: u64 = 16 << 20;

const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// How bytes are cut into records.
#[derive(Debug, Clone, Copy)]
pub struct Cut {
    /// The byte that ends a record: a newline, or NUL.
    pub terminator: u8,
    /// Bytes of the longest record that is not bad.
    pub max_record: usize,
    /// Bytes to ask for in one read.
    pub read_bytes: usize,
}

/// The inputs, read one after the other.
#[derive(Debug)]
pub struct Input<'a> {
    names: Vec<OsString>,
    next: usize,
    open: Option<Source>,
    leftover: Vec<u8>,
    /// The leftover may hold whole records: it follows the last fragment of an overlong one.
    leftover_unread: bool,
    overlong: bool,
    cut: Cut,
    signals: &'a Signals,
}

#[derive(Debug)]
struct Source {
    descriptor: Descriptor,
    /// Reads from a regular file never wait.
    regular: bool,
    /// Nothing of it has been handed out yet: a byte order mark may still come.
    fresh: bool,
}

#[derive(Debug)]
enum Descriptor {
    Stdin,
    File(OwnedFd),
}

impl Descriptor {
    fn as_fd(&self) -> BorrowedFd<'_> {
        match self {
            Descriptor::Stdin => rustix::stdio::stdin(),
            Descriptor::File(file) => file.as_fd(),
        }
    }
}

impl<'a> Input<'a> {
    /// `names` in the order given; `-` is stdin, and so is no name at all.
    pub fn new(mut names: Vec<OsString>, cut: Cut, signals: &'a Signals) -> Input<'a> {
        if names.is_empty() {
            names.push("-".into());
        }
        Input {
            names,
            next: 0,
            open: None,
            leftover: Vec::new(),
            leftover_unread: false,
            overlong: false,
            cut,
            signals,
        }
    }

    /// Tells a person who typed no file what is waited for.
    pub fn greet(&self, diag: &Diag) {
        if self.names == ["-"] && rustix::termios::isatty(rustix::stdio::stdin()) {
            diag.note("reads what you type; Ctrl-D ends it");
        }
    }

    /// The names of all inputs as messages give them.
    pub fn names(&self) -> Vec<String> {
        self.names.iter().map(show_name).collect()
    }

    /// What can end the input early.
    pub fn signals(&self) -> &'a Signals {
        self.signals
    }

    /// Bytes asked for in one read.
    pub fn read_bytes(&self) -> usize {
        self.cut.read_bytes
    }

    /// The name of an input as messages give it.
    pub fn name(&self, source: usize) -> String {
        show_name(&self.names[source])
    }

    /// Fills `block` with the next records; `false` at the end of all input. Before a read that would wait, `before_wait`
    /// is called, so that what is done already can be seen.
    pub fn fill(
        &mut self,
        block: &mut Block,
        diag: &Diag,
        mut before_wait: impl FnMut() -> Result<(), Stop>,
    ) -> Result<bool, Stop> {
        while self.open.is_some() || self.open_next(diag) {
            let source = self.next - 1;
            block.restart(&self.leftover, source);
            self.leftover.clear();
            if std::mem::take(&mut self.leftover_unread) && self.cut_whole(block, 0) {
                return Ok(true);
            }
            loop {
                let before = block.held().len();
                match self.read(block, &mut before_wait)? {
                    Ok(0) => break,
                    Ok(_) => {
                        if self.skip_byte_order_mark(block) && self.cut_whole(block, before) {
                            return Ok(true);
                        }
                    }
                    Err(error) => {
                        diag.error(format_args!("{}: cannot be read: {}", self.name(source), describe(error)));
                        break;
                    }
                }
            }
            if self.finish(block) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Opens the next input that can be; `false` when there is none or a signal has ended the input.
    fn open_next(&mut self, diag: &Diag) -> bool {
        while !self.signals.is_over() && self.next < self.names.len() {
            let name = &self.names[self.next];
            self.next += 1;
            match Source::open(name) {
                Ok(source) => {
                    self.open = Some(source);
                    return true;
                }
                Err(error) => {
                    diag.error(format_args!("{}: cannot be opened: {}", show_name(name), describe(error)));
                }
            }
        }
        false
    }

    /// One read. A signal is the end of the input.
    fn read(
        &mut self,
        block: &mut Block,
        before_wait: &mut impl FnMut() -> Result<(), Stop>,
    ) -> Result<rustix::io::Result<usize>, Stop> {
        let Some(source) = &self.open else { return Ok(Ok(0)) };
        let descriptor = source.descriptor.as_fd();
        loop {
            if self.signals.is_over() {
                return Ok(Ok(0));
            }
            if !source.regular && !self.signals.is_readable(descriptor).unwrap_or(true) {
                before_wait()?;
                match self.signals.wait(descriptor) {
                    Ok(Ready::Stop) => return Ok(Ok(0)),
                    Ok(Ready::Input) => {}
                    Err(error) => return Ok(Err(error)),
                }
            }
            match rustix::io::read(descriptor, block.room(self.cut.read_bytes)) {
                Ok(count) => {
                    block.filled(count);
                    return Ok(Ok(count));
                }
                Err(Errno::INTR | Errno::AGAIN) => {}
                Err(error) => return Ok(Err(error)),
            }
        }
    }

    /// Drops a byte order mark at a file's start; `false` while it may still turn out to be one.
    fn skip_byte_order_mark(&mut self, block: &mut Block) -> bool {
        let Some(source) = self.open.as_mut().filter(|source| source.fresh) else { return true };
        let held = block.held();
        if held.len() < BYTE_ORDER_MARK.len() && BYTE_ORDER_MARK.starts_with(held) {
            return false;
        }
        if held.starts_with(BYTE_ORDER_MARK) {
            block.skip(BYTE_ORDER_MARK.len());
        }
        source.fresh = false;
        true
    }

    /// Finds what can be handed out, the bytes before `searched` being known to hold no terminator.
    fn cut_whole(&mut self, block: &mut Block, searched: usize) -> bool {
        let held = block.held();
        let fresh = &held[searched.min(held.len())..];
        let start = held.len() - fresh.len();
        if self.overlong {
            let end = memchr::memchr(self.cut.terminator, fresh);
            let len = end.map_or(held.len(), |end| start + end + 1);
            block.set_content(Content::Fragment { first: false, last: end.is_some() }, len);
            self.overlong = end.is_none();
            self.leftover_unread = true;
        } else if let Some(end) = memchr::memrchr(self.cut.terminator, fresh) {
            block.set_content(Content::Records, start + end + 1);
        } else if held.len() > self.cut.max_record {
            block.set_content(Content::Fragment { first: true, last: false }, held.len());
            self.overlong = true;
        } else {
            return false;
        }
        self.leftover.extend_from_slice(block.leftover());
        true
    }

    /// At a file's end what is still held is its last record; `false` when there is none.
    fn finish(&mut self, block: &mut Block) -> bool {
        self.open = None;
        let overlong = std::mem::take(&mut self.overlong);
        if overlong {
            // The terminator of a record that came in fragments is a fragment of its own.
            block.finish(Content::Fragment { first: false, last: true }, self.cut.terminator);
            if block.held().is_empty() {
                block.room(1)[0] = self.cut.terminator;
                block.filled(1);
                block.set_content(Content::Fragment { first: false, last: true }, 1);
            }
            return true;
        }
        block.finish(Content::Records, self.cut.terminator);
        !block.held().is_empty()
    }
}

impl Source {
    fn open(name: &OsString) -> rustix::io::Result<Source> {
        use rustix::fs::{FileType, Mode, OFlags};
        let descriptor = if name == "-" {
            Descriptor::Stdin
        } else {
            Descriptor::File(rustix::fs::open(Path::new(name), OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty())?)
        };
        let kind = FileType::from_raw_mode(rustix::fs::fstat(descriptor.as_fd())?.st_mode);
        if kind == FileType::Directory {
            return Err(Errno::ISDIR);
        }
        Ok(Source { descriptor, regular: kind == FileType::RegularFile, fresh: true })
    }
}

fn show_name(name: &OsString) -> String {
    if name == "-" { "stdin".to_owned() } else { name.to_string_lossy().into_owned() }
}

/// A system error in words, lower case, without its number.
pub fn describe(error: Errno) -> String {
    let text = std::io::Error::from(error).to_string();
    let words = text.split(" (os error").next().unwrap_or_default();
    let mut letters = words.chars();
    letters.next().map(|first| first.to_lowercase().chain(letters).collect()).unwrap_or_default()
}
