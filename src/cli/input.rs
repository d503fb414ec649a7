//! Files and stdin as one stream of blocks of whole records.
//!
//! Nothing is mapped into memory: logs are truncated under their readers. A record that is longer than the limit comes as
//! fragments, so that no input makes memory grow.

use super::block::{Block, Broken, Content};
use super::decompress::{Start, detect};
use super::diag::{Diag, describe};
use super::output::Stop;
use super::record::framing::{Framing, FramingOptions, Portion};
use super::signals::{Ready, Signals};
use super::source::{BYTE_ORDER_MARK, Beginning, Descriptor, ReadError, Source};
use rustix::io::Errno;
use std::ffi::{OsStr, OsString};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Bytes of one read. Fewer make system calls felt, more do not stay in the second-level cache until they are used.
pub const READ_BYTES: usize = 256 << 10;

/// The longest record taken whole, where nothing else is said.
pub const MAX_RECORD_BYTES: u64 = 16 << 20;

/// How files begin that are compressed in a way that is not read, what they are, and what reads them.
const UNREAD: [(&[u8], &str, &str); 3] =
    [(b"\xFD7zXZ\0", "xz", "xz -dc"), (b"BZh91AY&SY", "bzip2", "bzip2 -dc"), (b"PK\x03\x04", "zip", "unzip -p")];

/// How bytes are cut into records.
#[derive(Debug, Clone)]
pub struct Cut {
    pub framing: FramingOptions,
    /// Bytes of the longest record that is not bad.
    pub max_record: usize,
    /// Bytes to ask for in one read.
    pub read_bytes: usize,
}

/// How an input came to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    /// All of it was read.
    Whole,
    /// It could not be read any further.
    Failed,
    /// A signal came, or nobody wants more.
    Stopped,
}

/// The inputs, read one after the other.
#[derive(Debug)]
pub struct Input<'a> {
    names: Vec<OsString>,
    next: usize,
    open: Option<Source>,
    /// How the open one ended, of which what is left over is still to be handed out.
    ended: Option<End>,
    leftover: Vec<u8>,
    overlong: bool,
    cut: Cut,
    framing: Framing,
    signals: &'a Signals,
    /// Bytes of the inputs that have been read, and those of them that are of finished ones.
    bytes_read: Arc<AtomicU64>,
    finished_bytes: u64,
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
            ended: None,
            leftover: Vec::new(),
            overlong: false,
            framing: Framing::new(cut.framing.clone()),
            cut,
            signals,
            bytes_read: Arc::default(),
            finished_bytes: 0,
        }
    }

    /// Bytes of the inputs that have been read so far, as they are on the disk; goes on counting.
    pub fn bytes_read(&self) -> Arc<AtomicU64> {
        Arc::clone(&self.bytes_read)
    }

    /// Tells a person who typed no file what is waited for.
    pub fn greet(&self, diag: &Diag) {
        if self.names == ["-"] && rustix::termios::isatty(rustix::stdio::stdin()) {
            diag.note("reads what you type; Ctrl-D ends it");
        }
    }

    /// The names of all inputs as messages give them.
    pub fn names(&self) -> Vec<String> {
        self.names.iter().map(|name| show_name(name)).collect()
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
            // What is left over may hold whole records of another layout.
            let mut may_hold = !block.held().is_empty();
            loop {
                if std::mem::take(&mut may_hold) && self.cut_whole(block) {
                    return Ok(true);
                }
                if let Some(end) = self.ended {
                    if self.finish(block, end) {
                        return Ok(true);
                    }
                    self.close(source, diag);
                    break;
                }
                match self.read(block, &mut before_wait)? {
                    Ok(0) if self.signals.is_over() => self.ended = Some(End::Stopped),
                    Ok(0) => self.ended = Some(End::Whole),
                    Ok(_) => may_hold = self.begin(block, diag),
                    Err(error) => {
                        diag.error(format_args!("{}: {error}", self.name(source)));
                        self.ended = Some(End::Failed);
                    }
                }
                if self.open.is_none() {
                    break;
                }
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
                    self.framing.begin_file(&show_name(name));
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
    ) -> Result<Result<usize, ReadError>, Stop> {
        let Some(source) = &mut self.open else { return Ok(Ok(0)) };
        loop {
            if self.signals.is_over() {
                return Ok(Ok(0));
            }
            let descriptor = source.descriptor.as_fd();
            if !source.regular && !self.signals.is_readable(descriptor).unwrap_or(true) {
                before_wait()?;
                match self.signals.wait(descriptor) {
                    Ok(Ready::Stop) => return Ok(Ok(0)),
                    Ok(Ready::Input) => {}
                    Err(error) => return Ok(Err(ReadError::System(error))),
                }
            }
            match source.descriptor.read(block.room(self.cut.read_bytes)) {
                Ok(count) => {
                    block.filled(count);
                    let read = match &source.offset {
                        Some(file) => self.finished_bytes + rustix::fs::tell(file).unwrap_or_default(),
                        None => self.bytes_read.load(Ordering::Relaxed) + count as u64,
                    };
                    self.bytes_read.store(read, Ordering::Relaxed);
                    return Ok(Ok(count));
                }
                Err(ReadError::System(Errno::INTR | Errno::AGAIN)) => {}
                Err(error) => return Ok(Err(error)),
            }
        }
    }

    /// Looks at the first bytes of a source: compressed ones are decompressed from here on, a byte order mark is dropped.
    /// `false` while more bytes must come before any can be used.
    fn begin(&mut self, block: &mut Block, diag: &Diag) -> bool {
        let name = self.next - 1;
        let Some(source) = self.open.as_mut() else { return true };
        if source.beginning == Beginning::Unknown {
            match detect(block.held()) {
                Start::Unsure => return false,
                // What may still become one of those that are not read.
                Start::Plain
                    if UNREAD
                        .iter()
                        .any(|(magic, ..)| block.held().len() < magic.len() && magic.starts_with(block.held())) =>
                {
                    return false;
                }
                Start::Plain => {
                    source.beginning = Beginning::Decoded;
                    if let Some((_, what, tool)) = UNREAD.iter().find(|(magic, ..)| block.held().starts_with(magic)) {
                        let file = show_name(&self.names[name]);
                        let way_out = format_args!("{tool} {file} | grudge …");
                        diag.error(format_args!("{file}: looks like {what}, which is not read: {way_out}"));
                        block.restart(&[], name);
                        self.open = None;
                        return false;
                    }
                }
                Start::Compressed(_) => {
                    source.beginning = Beginning::Decoded;
                    if let Err(error) = source.decompress(block.held()) {
                        diag.error(format_args!("{}: cannot be decompressed: {error}", show_name(&self.names[name])));
                        self.open = None;
                    }
                    // What was read is compressed: nothing of it is handed out.
                    block.restart(&[], name);
                    return false;
                }
            }
        }
        if source.beginning == Beginning::Decoded {
            let held = block.held();
            if held.len() < BYTE_ORDER_MARK.len() && BYTE_ORDER_MARK.starts_with(held) {
                return false;
            }
            if held.starts_with(BYTE_ORDER_MARK) {
                block.skip(BYTE_ORDER_MARK.len());
            }
            source.beginning = Beginning::Over;
        }
        true
    }

    /// Finds what can be handed out of what is held.
    fn cut_whole(&mut self, block: &mut Block) -> bool {
        let held = block.held();
        if self.overlong {
            let end = memchr::memchr(self.cut.framing.terminator, held);
            let len = end.map_or(held.len(), |end| end + 1);
            self.overlong = end.is_none();
            self.framing.restart();
            return self.hand_out(block, Content::Fragment { first: false, why: Broken::TooLong }, len);
        }
        if let Some(portion) = self.framing.cut(held) {
            return self.hand_out_portion(block, portion);
        }
        if held.len() - usize::from(held.last() == Some(&b'\r')) <= self.cut.max_record {
            return false;
        }
        if let Some(portion) = self.framing.give_up(held) {
            return self.hand_out_portion(block, portion);
        }
        self.overlong = true;
        let len = held.len();
        self.hand_out(block, Content::Fragment { first: true, why: Broken::TooLong }, len)
    }

    fn hand_out_portion(&mut self, block: &mut Block, portion: Portion) -> bool {
        let (content, len) = match portion {
            Portion::Records(len) => (Content::Records, len),
            Portion::Heading(len) => (Content::Heading, len),
            Portion::OpenQuote(len) => (Content::Fragment { first: true, why: Broken::OpenQuote }, len),
        };
        self.hand_out(block, content, len)
    }

    /// Hands out the first `len` bytes of what is held; the rest is left over.
    fn hand_out(&mut self, block: &mut Block, content: Content, len: usize) -> bool {
        block.set_content(content, len);
        block.layout = Arc::clone(self.framing.layout());
        self.framing.go_on();
        self.leftover.extend_from_slice(block.leftover());
        true
    }

    /// At a file's end what is still held is its last record; `false` when there is none.
    fn finish(&mut self, block: &mut Block, end: End) -> bool {
        let terminator = self.cut.framing.terminator;
        if std::mem::take(&mut self.overlong) {
            // The terminator of a record that came in fragments is a fragment of its own.
            let content = Content::Fragment { first: false, why: Broken::TooLong };
            block.finish(content, terminator);
            if block.held().is_empty() {
                block.room(1)[0] = terminator;
                block.filled(1);
                block.set_content(content, 1);
            }
            return true;
        }
        if block.held().is_empty() {
            return false;
        }
        match end {
            End::Whole => {
                block.terminate(terminator);
                if self.cut_whole(block) {
                    return true;
                }
                if let Some(portion) = self.framing.give_up(block.held()) {
                    return self.hand_out_portion(block, portion);
                }
                let len = block.held().len();
                self.hand_out(block, Content::Records, len)
            }
            // The rest of a record in a file was there and has not been read: it is none yet.
            End::Stopped if self.open.as_ref().is_some_and(|source| source.regular) => false,
            End::Failed | End::Stopped => {
                block.terminate(terminator);
                let len = block.held().len();
                self.hand_out(block, Content::Fragment { first: true, why: Broken::Cut }, len)
            }
        }
    }

    /// All of the open input has been handed out.
    fn close(&mut self, source: usize, diag: &Diag) {
        self.finished_bytes = self.bytes_read.load(Ordering::Relaxed);
        self.ended = None;
        if let Some(Source { descriptor: Descriptor::Compressed(decompressor), .. }) = self.open.take()
            && decompressor.garbage() > 0
        {
            let (name, garbage) = (self.name(source), decompressor.garbage());
            diag.warning(format_args!("{name}: {garbage} bytes behind its compressed data are ignored"));
        }
    }
}

fn show_name(name: &OsStr) -> String {
    if name == "-" { "stdin".to_owned() } else { name.to_string_lossy().into_owned() }
}
