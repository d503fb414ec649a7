//! One input: a file or stdin, opened, and decompressed where its first bytes say that it is compressed.

use super::decompress::{DecodeError, Decompressor, Start, detect};
use super::diag::describe;
use rustix::event::{PollFd, PollFlags, poll};
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::io::Errno;
use std::ffi::OsStr;
use std::path::Path;

/// What some programs write in front of UTF-8.
pub const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// An input that is being read.
#[derive(Debug)]
pub struct Source {
    pub descriptor: Descriptor,
    /// Reads from a regular file never wait.
    pub regular: bool,
    /// Nothing of it has been handed out yet.
    pub beginning: Beginning,
    /// Tells how far a file has been read that is decompressed meanwhile.
    pub offset: Option<OwnedFd>,
}

/// What is still to be found out from the first bytes of a source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Beginning {
    /// Whether it is compressed.
    Unknown,
    /// Whether it starts with a byte order mark.
    Decoded,
    /// Nothing.
    Over,
}

/// Where its bytes come from.
#[derive(Debug)]
pub enum Descriptor {
    Stdin,
    File(OwnedFd),
    Compressed(Box<Decompressor>),
}

impl Descriptor {
    /// Is readable when a read would not wait.
    pub fn as_fd(&self) -> BorrowedFd<'_> {
        match self {
            Descriptor::Stdin => rustix::stdio::stdin(),
            Descriptor::File(file) => file.as_fd(),
            Descriptor::Compressed(decompressor) => decompressor.as_fd(),
        }
    }

    /// The next bytes; 0 of them at the end.
    pub fn read(&mut self, buffer: &mut [u8]) -> Result<usize, ReadError> {
        match self {
            Descriptor::Compressed(decompressor) => decompressor.read(buffer).map_err(ReadError::Decode),
            plain => rustix::io::read(plain.as_fd(), buffer).map_err(ReadError::System),
        }
    }
}

/// Why a read failed.
#[derive(Debug)]
pub enum ReadError {
    System(Errno),
    Decode(DecodeError),
}

impl std::fmt::Display for ReadError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            ReadError::System(error) => write!(f, "cannot be read: {}", describe(*error)),
            ReadError::Decode(error) => error.fmt(f),
        }
    }
}

impl Source {
    /// Opens the input of this name, `-` being stdin.
    pub fn open(name: &OsStr) -> rustix::io::Result<Source> {
        use rustix::fs::{FileType, Mode, OFlags};
        let descriptor = if name == "-" {
            Descriptor::Stdin
        } else {
            // Opening a named pipe would wait for its writer, deaf to signals; reads are waited for by polling.
            let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK;
            Descriptor::File(rustix::fs::open(Path::new(name), flags, Mode::empty())?)
        };
        let kind = FileType::from_raw_mode(rustix::fs::fstat(descriptor.as_fd())?.st_mode);
        if kind == FileType::Directory {
            return Err(Errno::ISDIR);
        }
        let regular = kind == FileType::RegularFile;
        Ok(Source { descriptor, regular, beginning: Beginning::Unknown, offset: None })
    }

    /// Goes on with what the bytes decompress to, of which `start` have been read.
    pub fn decompress(&mut self, start: &[u8]) -> std::io::Result<()> {
        let compressed = self.descriptor.as_fd().try_clone_to_owned()?;
        self.offset = self.regular.then(|| compressed.try_clone()).transpose()?;
        self.descriptor = Descriptor::Compressed(Box::new(Decompressor::spawn(start, compressed)?));
        Ok(())
    }
}

/// Up to `len` bytes from the start of a file or of what it decompresses to, and no more once `enough` says so; `None` where
/// it cannot be read. What is read from a pipe is gone.
pub fn peek(name: &OsStr, len: usize, enough: impl Fn(&[u8]) -> bool) -> Option<Vec<u8>> {
    let mut source = Source::open(name).ok()?;
    let mut bytes = read_up_to(&mut source, len, &enough);
    if let Start::Compressed(_) = detect(&bytes) {
        source.decompress(&bytes).ok()?;
        bytes = read_up_to(&mut source, len, &enough);
    }
    if bytes.starts_with(BYTE_ORDER_MARK) {
        bytes.drain(..BYTE_ORDER_MARK.len());
    }
    Some(bytes)
}

/// Reads until `len` bytes, or enough, or all there are have come.
fn read_up_to(source: &mut Source, len: usize, enough: impl Fn(&[u8]) -> bool) -> Vec<u8> {
    let mut bytes = vec![0; len];
    let mut filled = 0;
    while filled < len && !enough(&bytes[..filled]) {
        match source.descriptor.read(&mut bytes[filled..]) {
            Ok(0) => break,
            Ok(count) => filled += count,
            Err(ReadError::System(Errno::INTR)) => {}
            Err(ReadError::System(Errno::AGAIN)) => {
                let descriptor = source.descriptor.as_fd();
                // Whatever became of the wait, the next read tells.
                let _ = poll(&mut [PollFd::new(&descriptor, PollFlags::IN)], None);
            }
            // What can be had is what is looked at; the run itself will tell of the error.
            Err(_) => break,
        }
    }
    bytes.truncate(filled);
    bytes
}
