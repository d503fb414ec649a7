//! gzip and zstd, known by content and decompressed on a thread of their own, beside the work.
//!
//! The thread decodes into a few buffers that go round between it and the reader, so memory is bounded and no chunk costs
//! an allocation. Whatever it has decoded it hands over before it reads on, because that read may wait: what a sender
//! has flushed into a pipe comes out while the pipe stays open.
//!
//! A file is a run of members (gzip) or frames (zstd). Zero bytes between and behind them are padding; anything else
//! behind the last one is ignored and counted. Where the data end early or are damaged, all that could be decoded before
//! that place has been handed out when the error is.

mod worker;

use super::diag::describe;
use rustix::event::{PollFd, PollFlags, poll};
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::io::Errno;
use std::io::{PipeReader, Read};
use std::sync::mpsc::{Receiver, SyncSender, TryRecvError, sync_channel};
use worker::Worker;

/// So many bytes of an input always tell what it is.
pub const MAGIC_BYTES: usize = 4;

/// Bytes of a buffer that goes round: as many as the input asks for in one read, so one chunk fills one block.
const CHUNK_BYTES: usize = 256 << 10;

/// Buffers that go round: one is being filled and one copied out of, and two lie between to even out their speeds. All of
/// them, and [`COMPRESSED_BYTES`], fit a second-level cache of 2 MiB.
const CHUNKS: usize = 4;

/// How an input is compressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Codec {
    Gzip,
    Zstd,
}

impl std::fmt::Display for Codec {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Codec::Gzip => "gzip",
            Codec::Zstd => "zstd",
        })
    }
}

/// What the first bytes of an input tell of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Start {
    Plain,
    Compressed(Codec),
    /// It may be compressed, one more byte will tell more: only with fewer than [`MAGIC_BYTES`]. Should no more come, it
    /// is plain.
    Unsure,
}

/// How members and frames start. The four low bits of a skippable zstd frame's first byte are free, the mask hides them.
const MAGIC_NUMBERS: [(Codec, u8, &[u8]); 3] = [
    (Codec::Gzip, 0xff, b"\x1f\x8b\x08"),
    (Codec::Zstd, 0xff, b"\x28\xb5\x2f\xfd"),
    (Codec::Zstd, 0xf0, b"\x50\x2a\x4d\x18"),
];

/// Tells by its first bytes whether an input is compressed.
pub fn detect(start: &[u8]) -> Start {
    let Some((&first, rest)) = start.split_first() else { return Start::Unsure };
    for (codec, mask, magic) in MAGIC_NUMBERS {
        let len = rest.len().min(magic.len() - 1);
        if first & mask == magic[0] && rest[..len] == magic[1..][..len] {
            return if start.len() < magic.len() { Start::Unsure } else { Start::Compressed(codec) };
        }
    }
    Start::Plain
}

/// Why the rest of an input could not be had. What was decoded before has been handed out, and the text says how much.
#[derive(Debug)]
pub enum DecodeError {
    /// The input ends in the middle.
    Cut { codec: Codec, decoded: u64 },
    /// The input does not hold what its format demands, or demands more than is given to it. A wrong checksum is told
    /// of bytes that have been handed out.
    Undecodable { codec: Codec, decoded: u64, reason: String },
    /// Reading the compressed bytes failed.
    Read(std::io::Error),
}

impl std::fmt::Display for DecodeError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            DecodeError::Cut { codec, decoded } => {
                write!(f, "its {codec} data are cut short after {decoded} decompressed bytes")
            }
            DecodeError::Undecodable { codec, decoded, reason } => {
                write!(f, "its {codec} data cannot be decoded past {decoded} decompressed bytes: {reason}")
            }
            DecodeError::Read(error) => match Errno::from_io_error(error) {
                Some(errno) => write!(f, "cannot be read: {}", describe(errno)),
                None => write!(f, "cannot be read: {error}"),
            },
        }
    }
}

/// Decompressed bytes on their way to the reader.
#[derive(Debug)]
struct Chunk {
    bytes: Vec<u8>,
    len: usize,
    taken: usize,
}

#[derive(Debug)]
enum Message {
    Chunk(Chunk),
    /// The last message: bytes ignored at the end, or what went wrong.
    End(Result<u64, DecodeError>),
}

/// The receiving end of a thread that decompresses.
///
/// Its descriptor ([`AsFd`]) is readable exactly while [`Decompressor::read`] would not wait, so it stands in for the
/// input's own wherever one polls. Dropping it does not wait: the thread ends when it next wants to hand something over,
/// or with the process.
#[derive(Debug)]
pub struct Decompressor {
    messages: Receiver<Message>,
    empties: SyncSender<Vec<u8>>,
    /// Holds one byte for each chunk that is not used up yet, and is at its end when the thread is at its own.
    ready: PipeReader,
    chunk: Option<Chunk>,
    over: bool,
    error: Option<DecodeError>,
    garbage: u64,
}

impl Decompressor {
    /// Starts a thread that decompresses `input`, of which the bytes `start` have been read already. What they begin
    /// with must have been found to be compressed.
    pub fn spawn(start: &[u8], input: OwnedFd) -> std::io::Result<Decompressor> {
        Decompressor::spawn_reader(start, Descriptor(input))
    }

    fn spawn_reader(start: &[u8], input: impl Read + Send + 'static) -> std::io::Result<Decompressor> {
        // One place more than there are chunks is for the end: the thread waits for empty buffers and nowhere else.
        let (sender, messages) = sync_channel(CHUNKS + 1);
        let (empties, emptied) = sync_channel(CHUNKS);
        let (ready, waker) = std::io::pipe()?;
        let worker = Worker::new(start, input, sender, emptied, waker);
        std::thread::Builder::new().name("decompress".to_owned()).spawn(|| worker.run())?;
        Ok(Decompressor { messages, empties, ready, chunk: None, over: false, error: None, garbage: 0 })
    }

    /// Copies the next decompressed bytes into `buffer` and returns how many; 0 at the end. Waits for the first of them
    /// only. An error is told once, after all bytes before it, and is followed by the end.
    pub fn read(&mut self, buffer: &mut [u8]) -> Result<usize, DecodeError> {
        let mut count = 0;
        while count < buffer.len() {
            let Some(chunk) = self.chunk(count == 0) else { break };
            let bytes = &chunk.bytes[chunk.taken..chunk.len];
            let len = bytes.len().min(buffer.len() - count);
            buffer[count..][..len].copy_from_slice(&bytes[..len]);
            count += len;
            chunk.taken += len;
            if chunk.taken == chunk.len {
                self.recycle();
            }
        }
        match self.error.take_if(|_| count == 0) {
            Some(error) => Err(error),
            None => Ok(count),
        }
    }

    /// Bytes behind the last member that are neither padding nor a member, and were ignored. Known at the end; until
    /// then 0.
    pub fn garbage(&self) -> u64 {
        self.garbage
    }

    /// The chunk at hand, or else the next one; `None` at the end, and where there is none yet and `wait` is not set.
    fn chunk(&mut self, wait: bool) -> Option<&mut Chunk> {
        if self.chunk.is_none() && !self.over {
            let message = match self.messages.try_recv() {
                Err(TryRecvError::Empty) if wait => self.messages.recv().ok(),
                Err(TryRecvError::Empty) => return None,
                message => message.ok(),
            };
            match message {
                Some(Message::Chunk(chunk)) => self.chunk = Some(chunk),
                Some(Message::End(Ok(garbage))) => (self.over, self.garbage) = (true, garbage),
                Some(Message::End(Err(error))) => (self.over, self.error) = (true, Some(error)),
                None => {
                    let died = std::io::Error::other("the thread that decompresses has died");
                    (self.over, self.error) = (true, Some(DecodeError::Read(died)));
                }
            }
        }
        self.chunk.as_mut()
    }

    /// Sends the chunk's buffer back, and takes its byte from the pipe.
    fn recycle(&mut self) {
        if let Some(chunk) = self.chunk.take() {
            // Both fail only where the thread has ended, which wants no buffer and leaves the pipe at its end.
            let _ = self.empties.try_send(chunk.bytes);
            let _ = self.ready.read_exact(&mut [0]);
        }
    }
}

impl AsFd for Decompressor {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.ready.as_fd()
    }
}

/// The compressed input. A descriptor that does not block is waited for.
struct Descriptor(OwnedFd);

impl Read for Descriptor {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        loop {
            match rustix::io::read(&self.0, &mut *buffer) {
                Ok(count) => return Ok(count),
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => match poll(&mut [PollFd::new(&self.0, PollFlags::IN)], None) {
                    Ok(_) | Err(Errno::INTR) => {}
                    Err(error) => return Err(error.into()),
                },
                Err(error) => return Err(error.into()),
            }
        }
    }
}

#[cfg(test)]
mod tests;
