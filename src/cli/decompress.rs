//! gzip and zstd, known by content and decompressed on a thread of their own, beside the work.
//!
//! The thread decodes into a few buffers that go round between it and the reader, so memory is bounded and no chunk costs
//! an allocation. Whatever it has decoded it hands over before it reads on, because that read may wait: what a sender
//! has flushed into a pipe comes out while the pipe stays open.
//!
//! A file is a run of members (gzip) or frames (zstd). Zero bytes between and behind them are padding; anything else
//! behind the last one is ignored and counted. Where the data end early or are damaged, all that could be decoded before
//! that place has been handed out when the error is.

use super::input::describe;
use flate2::{Decompress, FlushDecompress, Status};
use rustix::event::{PollFd, PollFlags, poll};
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::io::Errno;
use std::io::{PipeReader, PipeWriter, Read, Write};
use std::sync::mpsc::{Receiver, SyncSender, TryRecvError, sync_channel};
use zstd::zstd_safe::{DCtx, DParameter, ErrorCode, InBuffer, OutBuffer, get_error_name, zstd_sys::ZSTD_ErrorCode};

/// So many bytes of an input always tell what it is.
pub const MAGIC_BYTES: usize = 4;

/// Bytes of a buffer that goes round: as many as the input asks for in one read, so one chunk fills one block.
const CHUNK_BYTES: usize = 256 << 10;

/// Buffers that go round: one is being filled and one copied out of, and two lie between to even out their speeds. All of
/// them, and [`COMPRESSED_BYTES`], fit a second-level cache of 2 MiB.
const CHUNKS: usize = 4;

/// Compressed bytes asked for in one read: at the usual ratios of logs, 2 to 10, they become one chunk to five. Speed does
/// not depend on it from 32 KiB up.
const COMPRESSED_BYTES: usize = 128 << 10;

/// The base-2 logarithm of the widest window a gzip member can ask for: that of the format.
const GZIP_WINDOW_LOG: u8 = 15;

/// The same for zstd, where the format allows far more: 128 MiB, as the tool of that name takes by default.
const ZSTD_WINDOW_LOG: u32 = 27;

/// Bytes of the header in front of each block of a zstd frame.
const ZSTD_BLOCK_HEADER_BYTES: usize = 3;

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
        let outlet =
            Outlet { messages: sender, empties: emptied, waker, allocated: 0, buffer: Vec::new(), len: 0, handed: 0 };
        let worker = Worker { source: Source::new(start, input), outlet, codec: Codec::Gzip, zstd: None };
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

/// Why the thread stops before the end.
enum Halt {
    /// Nobody reads any more.
    Abandoned,
    Failed(DecodeError),
}

/// The compressed bytes that were read and not decoded yet.
struct Source<R> {
    input: R,
    bytes: Vec<u8>,
    start: usize,
    end: usize,
}

impl<R: Read> Source<R> {
    fn new(start: &[u8], input: R) -> Source<R> {
        let mut bytes = vec![0; COMPRESSED_BYTES.max(start.len())];
        bytes[..start.len()].copy_from_slice(start);
        Source { input, bytes, start: 0, end: start.len() }
    }

    fn unread(&self) -> &[u8] {
        &self.bytes[self.start..self.end]
    }

    fn skip(&mut self, len: usize) {
        self.start += len;
    }

    /// Reads more behind what is unread; `false` at the end.
    fn fill(&mut self) -> std::io::Result<bool> {
        self.bytes.copy_within(self.start..self.end, 0);
        self.end -= self.start;
        self.start = 0;
        let count = self.input.read(&mut self.bytes[self.end..])?;
        self.end += count;
        Ok(count > 0)
    }
}

/// The sending end.
struct Outlet {
    messages: SyncSender<Message>,
    empties: Receiver<Vec<u8>>,
    waker: PipeWriter,
    /// Buffers made so far: small inputs need one.
    allocated: usize,
    /// The buffer being filled; empty where there is none.
    buffer: Vec<u8>,
    len: usize,
    /// Bytes handed over so far.
    handed: u64,
}

impl Outlet {
    /// Where the next bytes go, at least one. Waits for the reader where all buffers are under way.
    fn room(&mut self) -> Result<&mut [u8], Halt> {
        if self.len == self.buffer.len() {
            self.hand_over()?;
            self.buffer = match self.empties.try_recv() {
                Ok(buffer) => buffer,
                Err(TryRecvError::Empty) if self.allocated < CHUNKS => {
                    self.allocated += 1;
                    vec![0; CHUNK_BYTES]
                }
                Err(_) => self.empties.recv().map_err(|_| Halt::Abandoned)?,
            };
        }
        Ok(&mut self.buffer[self.len..])
    }

    fn filled(&mut self, len: usize) {
        self.len += len;
    }

    fn is_full(&self) -> bool {
        self.len == self.buffer.len()
    }

    /// Bytes decoded so far.
    fn decoded(&self) -> u64 {
        self.handed + self.len as u64
    }

    /// Gives the reader what there is.
    fn hand_over(&mut self) -> Result<(), Halt> {
        let len = std::mem::take(&mut self.len);
        if len == 0 {
            return Ok(());
        }
        self.handed += len as u64;
        let bytes = std::mem::take(&mut self.buffer);
        // First the byte, so that it is there as long as the chunk is. No more bytes than there are chunks are ever in the
        // pipe: this does not wait.
        self.waker.write_all(&[0]).map_err(|_| Halt::Abandoned)?;
        self.messages.send(Message::Chunk(Chunk { bytes, len, taken: 0 })).map_err(|_| Halt::Abandoned)
    }
}

/// What runs on the thread.
struct Worker<R> {
    source: Source<R>,
    outlet: Outlet,
    /// Of the member being decoded.
    codec: Codec,
    /// Made for the first frame and used for all.
    zstd: Option<DCtx<'static>>,
}

impl<R: Read> Worker<R> {
    fn run(mut self) {
        let end = self.members().and_then(|garbage| self.outlet.hand_over().map(|()| garbage));
        let end = match end {
            Ok(garbage) => Ok(garbage),
            Err(Halt::Abandoned) => return,
            Err(Halt::Failed(error)) => match self.outlet.hand_over() {
                Ok(()) => Err(error),
                Err(_) => return,
            },
        };
        // First the pipe, so that it is at its end when the reader is told. That fails where nobody is left.
        drop(self.outlet.waker);
        let _ = self.outlet.messages.send(Message::End(end));
    }

    /// Decodes all members and returns how many bytes of garbage follow.
    fn members(&mut self) -> Result<u64, Halt> {
        loop {
            match detect(self.source.unread()) {
                Start::Compressed(codec) => {
                    self.codec = codec;
                    match codec {
                        Codec::Gzip => self.gzip_member()?,
                        Codec::Zstd => self.zstd_frame()?,
                    }
                    self.skip_padding()?;
                }
                Start::Unsure if self.refill()? => {}
                Start::Unsure if self.source.unread().is_empty() => return Ok(0),
                Start::Unsure => return Err(self.cut()),
                Start::Plain => return self.count_rest(),
            }
        }
    }

    /// One member: header, data and trailer. The decoder checks them all.
    fn gzip_member(&mut self) -> Result<(), Halt> {
        let mut inflate = Decompress::new_gzip(GZIP_WINDOW_LOG);
        loop {
            let (before_in, before_out) = (inflate.total_in(), inflate.total_out());
            let result = inflate.decompress(self.source.unread(), self.outlet.room()?, FlushDecompress::None);
            let (taken, given) = (inflate.total_in() - before_in, inflate.total_out() - before_out);
            self.source.skip(taken as usize);
            self.outlet.filled(given as usize);
            match result {
                Ok(Status::StreamEnd) => return Ok(()),
                Ok(Status::Ok | Status::BufError) => {}
                Err(error) => return Err(self.undecodable(error.message().unwrap_or("not a deflate stream"))),
            }
            if !self.outlet.is_full() {
                self.need_input(taken + given > 0)?;
            }
        }
    }

    /// One frame, skippable ones too.
    ///
    /// A call that ends in an error discards all that it has decoded. Therefore each call is fed what one step needs and
    /// no more: the decoder's own hint without the block header it adds to read ahead. The first one gets the magic number
    /// alone, which also keeps the decoder from doing a small frame in one go.
    fn zstd_frame(&mut self) -> Result<(), Halt> {
        let mut feed = MAGIC_BYTES;
        loop {
            let decoder = match &mut self.zstd {
                Some(decoder) => decoder,
                empty => empty.insert(new_zstd().map_err(DecodeError::Read).map_err(Halt::Failed)?),
            };
            let unread = self.source.unread();
            let mut input = InBuffer::around(&unread[..feed.min(unread.len())]);
            let mut output = OutBuffer::around(self.outlet.room()?);
            let result = decoder.decompress_stream(&mut output, &mut input);
            let (taken, given) = (input.pos(), output.pos());
            self.source.skip(taken);
            self.outlet.filled(given);
            feed = match result {
                Ok(0) => return Ok(()),
                Ok(hint) if hint > ZSTD_BLOCK_HEADER_BYTES => hint - ZSTD_BLOCK_HEADER_BYTES,
                Ok(hint) => hint,
                Err(code) => return Err(self.undecodable(&explain_zstd(code))),
            };
            if !self.outlet.is_full() {
                self.need_input(taken + given > 0)?;
            }
        }
    }

    /// The decoder had room left, so it wants input: reads on when there is none. One that has input and room and yet
    /// does nothing would do so for ever.
    fn need_input(&mut self, progress: bool) -> Result<(), Halt> {
        if self.source.unread().is_empty() {
            if !self.refill()? {
                return Err(self.cut());
            }
        } else if !progress {
            return Err(self.undecodable("the decoder is stuck"));
        }
        Ok(())
    }

    /// Skips zero bytes; members may follow on them, as on a tape.
    fn skip_padding(&mut self) -> Result<(), Halt> {
        loop {
            let unread = self.source.unread();
            let zeros = unread.iter().position(|byte| *byte != 0);
            self.source.skip(zeros.unwrap_or(unread.len()));
            if zeros.is_some() || !self.refill()? {
                return Ok(());
            }
        }
    }

    /// Reads to the end and counts the bytes.
    fn count_rest(&mut self) -> Result<u64, Halt> {
        let mut count = 0;
        loop {
            let unread = self.source.unread().len();
            count += unread as u64;
            self.source.skip(unread);
            if !self.refill()? {
                return Ok(count);
            }
        }
    }

    /// Hands over what has been decoded, then reads more, which may wait; `false` at the end.
    fn refill(&mut self) -> Result<bool, Halt> {
        self.outlet.hand_over()?;
        self.source.fill().map_err(|error| Halt::Failed(DecodeError::Read(error)))
    }

    fn cut(&self) -> Halt {
        Halt::Failed(DecodeError::Cut { codec: self.codec, decoded: self.outlet.decoded() })
    }

    fn undecodable(&self, reason: &str) -> Halt {
        let reason = reason.to_owned();
        Halt::Failed(DecodeError::Undecodable { codec: self.codec, decoded: self.outlet.decoded(), reason })
    }
}

fn new_zstd() -> std::io::Result<DCtx<'static>> {
    let mut decoder = DCtx::try_create().ok_or(std::io::ErrorKind::OutOfMemory)?;
    let set = decoder.set_parameter(DParameter::WindowLogMax(ZSTD_WINDOW_LOG));
    set.map_err(|code| std::io::Error::other(explain_zstd(code)))?;
    Ok(decoder)
}

/// The decoder's own words in lower case; where they do not say what was found, others.
fn explain_zstd(code: ErrorCode) -> String {
    let window_too_large = ZSTD_ErrorCode::ZSTD_error_frameParameter_windowTooLarge as ErrorCode;
    if code == window_too_large.wrapping_neg() {
        return format!("its window is larger than {} MiB: try zstd -dc --long=31", (1 << ZSTD_WINDOW_LOG) >> 20);
    }
    get_error_name(code).to_lowercase()
}

#[cfg(test)]
mod tests;
