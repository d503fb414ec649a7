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
mod tests {
    use super::*;
    use flate2::{Compression, Crc, GzBuilder, write::GzEncoder};
    use rustix::event::Timespec;
    use std::collections::HashSet;
    use std::os::unix::net::UnixStream;
    use std::path::Path;
    use std::sync::Arc;
    use std::time::{Duration, Instant};

    /// No step of a test takes so long, unless something hangs.
    const PATIENCE: Duration = Duration::from_secs(30);

    /// What a block of a zstd frame holds at most.
    const ZSTD_BLOCK_BYTES: usize = 128 << 10;

    /// Input that comes in pieces of `step` bytes.
    struct Pieces {
        bytes: Vec<u8>,
        at: usize,
        step: usize,
    }

    impl Read for Pieces {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            let rest = &self.bytes[self.at..];
            let len = rest.len().min(self.step).min(buffer.len());
            buffer[..len].copy_from_slice(&rest[..len]);
            self.at += len;
            Ok(len)
        }
    }

    /// Everything that came out, how it ended, and the bytes ignored.
    #[derive(Debug)]
    struct Outcome {
        bytes: Vec<u8>,
        error: Option<DecodeError>,
        garbage: u64,
    }

    impl Outcome {
        fn told(&self) -> String {
            self.error.as_ref().map(DecodeError::to_string).unwrap_or_default()
        }

        fn is_cut(&self) -> bool {
            matches!(self.error, Some(DecodeError::Cut { decoded, .. }) if decoded == self.bytes.len() as u64)
        }
    }

    fn is_ready(decompressor: &Decompressor, patience: Duration) -> bool {
        let timeout = Timespec::try_from(patience).unwrap();
        poll(&mut [PollFd::new(decompressor, PollFlags::IN)], Some(&timeout)).unwrap() > 0
    }

    /// Reads to the end, never before the descriptor says that there is something.
    fn drain(mut decompressor: Decompressor, out: usize) -> Outcome {
        let mut buffer = vec![0; out];
        let mut outcome = Outcome { bytes: Vec::new(), error: None, garbage: 0 };
        loop {
            assert!(is_ready(&decompressor, PATIENCE), "hangs after {} bytes", outcome.bytes.len());
            match decompressor.read(&mut buffer) {
                Ok(0) => break,
                Ok(count) => outcome.bytes.extend_from_slice(&buffer[..count]),
                Err(error) => assert!(outcome.error.replace(error).is_none(), "an error told twice"),
            }
        }
        outcome.garbage = decompressor.garbage();
        outcome
    }

    fn decode_in(compressed: &[u8], start: usize, step: usize, out: usize) -> Outcome {
        let (start, rest) = compressed.split_at(start.min(compressed.len()));
        drain(Decompressor::spawn_reader(start, Pieces { bytes: rest.to_vec(), at: 0, step }).unwrap(), out)
    }

    fn decode(compressed: &[u8]) -> Outcome {
        decode_in(compressed, MAGIC_BYTES, usize::MAX, CHUNK_BYTES)
    }

    /// Lines like those of a log: they compress to about a fifth.
    fn log(lines: u64) -> Vec<u8> {
        let mut text = String::new();
        let mut state = 1_u64;
        for line in 0..lines {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            text += &format!("2026-03-01T10:{:02}:{:02}Z key={} n={line}\n", line / 60 % 60, line % 60, state >> 50);
        }
        text.into_bytes()
    }

    /// Bytes that do not compress.
    fn noise(len: usize) -> Vec<u8> {
        let mut state = 7_u64;
        let next = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 32) as u8
        };
        std::iter::repeat_with(next).take(len).collect()
    }

    fn gzip(data: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(data).unwrap();
        encoder.finish().unwrap()
    }

    /// With a checksum, as the tool makes them.
    fn zstd(data: &[u8]) -> Vec<u8> {
        let mut encoder = zstd::Encoder::new(Vec::new(), 3).unwrap();
        encoder.include_checksum(true).unwrap();
        encoder.write_all(data).unwrap();
        encoder.finish().unwrap()
    }

    fn compress(codec: Codec, data: &[u8]) -> Vec<u8> {
        match codec {
            Codec::Gzip => gzip(data),
            Codec::Zstd => zstd(data),
        }
    }

    fn skippable(data: &[u8]) -> Vec<u8> {
        [b"\x5a\x2a\x4d\x18", &(data.len() as u32).to_le_bytes(), data].concat()
    }

    #[test]
    fn content_tells_the_codec_and_few_bytes_leave_it_open() {
        let compressed = [
            (Codec::Gzip, gzip(b"a")),
            (Codec::Zstd, zstd(b"a")),
            (Codec::Zstd, skippable(b"a")),
            (Codec::Gzip, gzip(b"")),
        ];
        for (codec, bytes) in compressed {
            assert_eq!(detect(&bytes), Start::Compressed(codec));
            assert_eq!(detect(&bytes[..MAGIC_BYTES]), Start::Compressed(codec));
            for len in 0..3 {
                assert_eq!(detect(&bytes[..len]), Start::Unsure);
            }
        }
        for low in 0..16 {
            assert_eq!(detect(&[0x50 | low, 0x2a, 0x4d, 0x18]), Start::Compressed(Codec::Zstd));
        }
        for plain in ["a", "\n", "P\n", "PUT /", "(", "\u{1f}\u{1f}", "{\"a\":1}", "P*M", "\0\0\0\0"] {
            let unsure = matches!(plain, "(" | "P*M");
            assert_eq!(detect(plain.as_bytes()), if unsure { Start::Unsure } else { Start::Plain }, "{plain:?}");
        }
        for bytes in noise(1 << 16).windows(MAGIC_BYTES) {
            assert_ne!(detect(bytes), Start::Unsure);
        }
    }

    #[test]
    fn any_sizes_of_reads_give_the_same_bytes() {
        let data = log(300);
        for compressed in [gzip(&data), zstd(&data), zstd::bulk::compress(&data, 3).unwrap()] {
            for step in [1, 7, 1000, usize::MAX] {
                for out in [1, 13, 4096, CHUNK_BYTES] {
                    for start in [1, MAGIC_BYTES, 500, usize::MAX] {
                        let outcome = decode_in(&compressed, start, step, out);
                        assert!(outcome.bytes == data && outcome.error.is_none(), "{step} {out} {start}");
                        assert_eq!(outcome.garbage, 0);
                    }
                }
            }
        }
    }

    #[test]
    fn large_inputs_pass_through_a_few_buffers() {
        for data in [noise(3 << 20), vec![b'a'; 30 << 20], log(100_000)] {
            for compressed in [gzip(&data), zstd(&data), zstd::bulk::compress(&data, 1).unwrap()] {
                let pieces = Pieces { bytes: compressed, at: 0, step: usize::MAX };
                let mut decompressor = Decompressor::spawn_reader(&[], pieces).unwrap();
                let mut buffers = HashSet::new();
                let mut at = 0;
                while let Some(chunk) = decompressor.chunk(true) {
                    assert!(chunk.len > 0 && chunk.bytes.len() == CHUNK_BYTES);
                    assert!(chunk.bytes[..chunk.len] == data[at..][..chunk.len]);
                    at += chunk.len;
                    buffers.insert(chunk.bytes.as_ptr() as usize);
                    decompressor.recycle();
                }
                assert_eq!((at, decompressor.error.is_none()), (data.len(), true));
                assert!(buffers.len() <= CHUNKS, "{} buffers", buffers.len());
            }
        }
    }

    #[test]
    fn a_small_input_needs_one_buffer() {
        let mut decompressor =
            Decompressor::spawn_reader(&gzip(b"small"), Pieces { bytes: Vec::new(), at: 0, step: 1 }).unwrap();
        assert_eq!(decompressor.read(&mut [0; 2]).unwrap(), 2);
        assert!(is_ready(&decompressor, Duration::ZERO), "three bytes are left");
        assert_eq!(decompressor.read(&mut [0; 9]).unwrap(), 3);
        assert_eq!(decompressor.read(&mut [0; 9]).unwrap(), 0);
        assert_eq!(decompressor.read(&mut [0; 9]).unwrap(), 0);
        assert!(is_ready(&decompressor, Duration::ZERO), "the end is there");
    }

    #[test]
    fn all_members_are_read_empty_ones_and_padding_between_them_too() {
        for step in [1, 3, usize::MAX] {
            for codec in [Codec::Gzip, Codec::Zstd] {
                let member = |data: &[u8]| compress(codec, data);
                let padded = [member(b"a 1\n"), member(b""), vec![0; 7], member(b"b 2\n"), vec![0; 512]].concat();
                let outcome = decode_in(&padded, MAGIC_BYTES, step, 100);
                assert_eq!((&outcome.bytes[..], outcome.garbage), (&b"a 1\nb 2\n"[..], 0), "{:?}", outcome.error);
                assert!(outcome.error.is_none());
            }
            let frames =
                [skippable(b"note"), zstd(b"a"), skippable(b""), skippable(&[9; 999]), zstd(b"b"), skippable(b"x")];
            let outcome = decode_in(&frames.concat(), MAGIC_BYTES, step, 100);
            assert_eq!((&outcome.bytes[..], outcome.told().as_str()), (&b"ab"[..], ""));
        }
        let many: Vec<u8> = (0..2_000).flat_map(|n| gzip(format!("{n}\n").as_bytes())).collect();
        let outcome = decode(&many);
        assert_eq!(outcome.bytes.iter().filter(|byte| **byte == b'\n').count(), 2_000);
        assert!(outcome.bytes.ends_with(b"\n1999\n") && outcome.error.is_none());
    }

    #[test]
    fn garbage_behind_the_last_member_is_counted_and_nothing_else() {
        for codec in [Codec::Gzip, Codec::Zstd] {
            for garbage in [&b"garbage\n"[..], b"x", b"\x1f\x8b\x07rest", &[7; 300_000]] {
                for padding in [0, 9] {
                    for step in [1000, usize::MAX] {
                        let bytes = [compress(codec, b"a 1\n"), vec![0; padding], garbage.to_vec()].concat();
                        let outcome = decode_in(&bytes, MAGIC_BYTES, step, 100);
                        assert_eq!((&outcome.bytes[..], outcome.told().as_str()), (&b"a 1\n"[..], ""));
                        assert_eq!(outcome.garbage, garbage.len() as u64);
                    }
                }
            }
        }
    }

    #[test]
    fn headers_with_every_field_are_passed_over() {
        let mut encoder = GzBuilder::new()
            .extra(vec![5; 300])
            .filename("access.log")
            .comment("rotated")
            .mtime(1)
            .write(Vec::new(), Compression::best());
        encoder.write_all(b"data\n").unwrap();
        let mut bytes = encoder.finish().unwrap();
        let header_len = 10 + 2 + 300 + 11 + 8;
        let header_crc = |header: &[u8]| {
            let mut crc = Crc::new();
            crc.update(header);
            (crc.sum() as u16).to_le_bytes()
        };
        assert_eq!(decode(&bytes).bytes, b"data\n");
        const HEADER_CRC: u8 = 2;
        bytes[3] |= HEADER_CRC;
        let checked = [&bytes[..header_len], &header_crc(&bytes[..header_len]), &bytes[header_len..]].concat();
        for step in [1, usize::MAX] {
            let outcome = decode_in(&checked, MAGIC_BYTES, step, 100);
            assert_eq!((&outcome.bytes[..], outcome.told().as_str()), (&b"data\n"[..], ""));
        }
        for len in MAGIC_BYTES..header_len + 2 {
            let outcome = decode(&checked[..len]);
            assert!(outcome.is_cut() && outcome.bytes.is_empty(), "{len}");
        }
        let mut wrong = checked;
        wrong[header_len] ^= 1;
        assert_eq!(
            decode(&wrong).told(),
            "its gzip data cannot be decoded past 0 decompressed bytes: header crc mismatch"
        );
    }

    #[test]
    fn wrong_checksums_and_lengths_are_told_after_the_data() {
        let data = log(20_000);
        let told = |bytes: &[u8]| {
            let outcome = decode(bytes);
            assert!(outcome.bytes == data, "{} of {} bytes", outcome.bytes.len(), data.len());
            let told = outcome.told();
            told.rsplit_once(": ").expect("an error").1.to_owned()
        };
        let flip = |mut bytes: Vec<u8>, from_end: usize| {
            let at = bytes.len() - from_end;
            bytes[at] ^= 1;
            bytes
        };
        assert_eq!(told(&flip(gzip(&data), 8)), "incorrect data check");
        assert_eq!(told(&flip(gzip(&data), 1)), "incorrect length check");
        assert_eq!(told(&flip(zstd(&data), 1)), "restored data doesn't match checksum");
        // A frame that says how little it holds could be decoded in one go, and all of it be lost.
        let small = log(50);
        let mut compressor = zstd::bulk::Compressor::new(3).unwrap();
        compressor.include_checksum(true).unwrap();
        let outcome = decode_in(&flip(compressor.compress(&small).unwrap(), 1), usize::MAX, 1, CHUNK_BYTES);
        assert!(outcome.bytes == small && outcome.told().ends_with("checksum"), "{outcome:?}");
    }

    /// The slow obvious twin: the whole input at once into one large buffer, member for member.
    fn decodable(mut bytes: &[u8]) -> Vec<u8> {
        let mut all = Vec::new();
        while !bytes.is_empty() {
            let mut inflate = Decompress::new_gzip(GZIP_WINDOW_LOG);
            let mut member = Vec::with_capacity(1 << 20);
            let status = inflate.decompress_vec(bytes, &mut member, FlushDecompress::None);
            all.extend_from_slice(&member);
            bytes = &bytes[inflate.total_in() as usize..];
            if !matches!(status, Ok(Status::StreamEnd)) {
                break;
            }
        }
        all
    }

    #[test]
    fn an_input_cut_anywhere_gives_all_that_can_be_decoded() {
        let (first, second) = (log(60), log(30));
        let whole = [&first[..], &second].concat();
        for codec in [Codec::Gzip, Codec::Zstd] {
            let members = [compress(codec, &first), compress(codec, &second)];
            let bytes = members.concat();
            let mut before = 0;
            for len in 1..=bytes.len() {
                let outcome = decode_in(&bytes[..len], MAGIC_BYTES, if len % 2 == 0 { usize::MAX } else { 5 }, 1000);
                let count = outcome.bytes.len();
                assert!(whole.starts_with(&outcome.bytes) && count >= before, "{codec} {len}");
                before = count;
                if codec == Codec::Gzip {
                    assert_eq!(outcome.bytes, decodable(&bytes[..len]), "{len}");
                }
                if len >= members[0].len() {
                    assert!(count >= first.len());
                }
                let at_an_end = len == members[0].len() || len == bytes.len();
                assert_eq!((outcome.is_cut(), outcome.error.is_none()), (!at_an_end, at_an_end), "{codec} {len}");
            }
            assert_eq!(before, whole.len());
        }
    }

    #[test]
    fn a_cut_zstd_frame_gives_all_blocks_before_the_cut() {
        for data in [noise(1 << 20), log(30_000)] {
            for frame in [zstd(&data), zstd::bulk::compress(&data, 3).unwrap()] {
                for tenths in 1..10 {
                    let len = frame.len() * tenths / 10;
                    let outcome = decode(&frame[..len]);
                    assert!(outcome.is_cut() && data.starts_with(&outcome.bytes));
                    // Blocks of like data are of like size: at most one is missing, and a quarter for what is unlike.
                    let least = (data.len() * tenths / 10).saturating_sub(ZSTD_BLOCK_BYTES * 5 / 4);
                    assert!(outcome.bytes.len() >= least, "{} of {least}", outcome.bytes.len());
                }
            }
        }
    }

    #[test]
    fn a_zstd_frame_damaged_in_a_block_gives_all_blocks_before_it() {
        /// In both low bits of a block header's type: a kind of block that does not exist.
        const RESERVED_TYPE: u8 = 0b110;
        for blocks in [2, 3, 8] {
            // Noise is stored as it is, in whole blocks, so that the last block's header can be found.
            let data = noise(blocks * ZSTD_BLOCK_BYTES);
            let mut frame = zstd::bulk::compress(&data, 3).unwrap();
            let header = frame.len() - ZSTD_BLOCK_BYTES - ZSTD_BLOCK_HEADER_BYTES;
            frame[header] |= RESERVED_TYPE;
            let outcome = decode(&frame);
            assert!(outcome.told().ends_with("data corruption detected"), "{}", outcome.told());
            assert!(outcome.bytes == data[..data.len() - ZSTD_BLOCK_BYTES], "{}", outcome.bytes.len());
        }
    }

    #[test]
    fn a_flipped_bit_never_hangs_nor_gives_more_than_the_formats_can() {
        let data = log(12);
        for codec in [Codec::Gzip, Codec::Zstd] {
            let whole = [compress(codec, &data), compress(codec, &data)].concat();
            // A zstd block header can stand for a whole block; a deflate symbol gives far less.
            let most = whole.len() * ZSTD_BLOCK_BYTES;
            for at in 0..whole.len() {
                for mask in [0x01, 0x10, 0x80, 0xff] {
                    let mut bytes = whole.clone();
                    bytes[at] ^= mask;
                    let outcome = decode_in(&bytes, MAGIC_BYTES, usize::MAX, CHUNK_BYTES);
                    assert!(outcome.bytes.len() <= most, "{codec} {at} {mask:#x}");
                }
            }
        }
    }

    #[test]
    fn noise_behind_a_magic_number_is_an_error() {
        for seed in 0..200 {
            for magic in [&b"\x1f\x8b\x08\0"[..], b"\x28\xb5\x2f\xfd"] {
                let outcome = decode(&[magic, &noise(2_000)[seed..]].concat());
                assert!(outcome.error.is_some());
            }
        }
    }

    #[test]
    fn a_zstd_window_is_taken_up_to_128_mib() {
        // A frame of one stored block, "a"; the window's logarithm less ten stands in the upper five bits.
        let frame = |log: u8| [&b"\x28\xb5\x2f\xfd\0"[..], &[(log - 10) << 3], b"\x09\0\0a"].concat();
        assert_eq!(decode(&frame(20)).bytes, b"a");
        assert_eq!(decode(&frame(27)).bytes, b"a");
        let large = "its zstd data cannot be decoded past 0 decompressed bytes: \
                     its window is larger than 128 MiB: try zstd -dc --long=31";
        assert_eq!(decode(&frame(28)).told(), large);
    }

    #[test]
    fn what_is_flushed_comes_out_while_the_pipe_stays_open() {
        for codec in [Codec::Gzip, Codec::Zstd] {
            for blocking in [true, false] {
                let (sender, receiver) = UnixStream::pair().unwrap();
                receiver.set_nonblocking(!blocking).unwrap();
                let mut sender: Box<dyn Write> = match codec {
                    Codec::Gzip => Box::new(GzEncoder::new(sender, Compression::fast())),
                    Codec::Zstd => Box::new(zstd::Encoder::new(sender, 1).unwrap().auto_finish()),
                };
                let mut decompressor = Decompressor::spawn(&[], receiver.into()).unwrap();
                let mut buffer = [0; 4096];
                for line in ["one\n", "two\n", "three\n"] {
                    assert!(!is_ready(&decompressor, Duration::ZERO));
                    sender.write_all(line.as_bytes()).unwrap();
                    sender.flush().unwrap();
                    let mut got = Vec::new();
                    while got.len() < line.len() {
                        assert!(is_ready(&decompressor, PATIENCE), "{codec}: {line:?} is kept back");
                        let count = decompressor.read(&mut buffer).unwrap();
                        got.extend_from_slice(&buffer[..count]);
                    }
                    assert_eq!(got, line.as_bytes());
                }
                drop(sender);
                let outcome = drain(decompressor, 100);
                assert!(outcome.bytes.is_empty() && outcome.error.is_none(), "{:?}", outcome.error);
            }
        }
    }

    #[test]
    fn a_reader_that_goes_ends_a_thread_that_waits_for_input() {
        let (mut sender, receiver) = UnixStream::pair().unwrap();
        let mut decompressor = Decompressor::spawn(&gzip(b"first"), receiver.into()).unwrap();
        assert_eq!(decompressor.read(&mut [0; 100]).unwrap(), 5);
        drop(decompressor);
        // With the next data the thread finds that nobody wants them, and closes its end.
        let start = Instant::now();
        while sender.write_all(&gzip(b"next")).is_ok() {
            assert!(start.elapsed() < PATIENCE, "the thread goes on");
            std::thread::yield_now();
        }
    }

    #[test]
    fn a_reader_that_goes_ends_a_thread_that_waits_for_buffers() {
        struct Endless {
            _alive: Arc<()>,
            member: Vec<u8>,
        }
        impl Read for Endless {
            fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
                buffer[..self.member.len()].copy_from_slice(&self.member);
                Ok(self.member.len())
            }
        }
        let alive = Arc::new(());
        let endless = Endless { _alive: Arc::clone(&alive), member: gzip(&log(2_000)) };
        drop(Decompressor::spawn_reader(&[], endless).unwrap());
        let start = Instant::now();
        while Arc::strong_count(&alive) > 1 {
            assert!(start.elapsed() < PATIENCE, "the thread goes on");
            std::thread::yield_now();
        }
    }

    #[test]
    fn a_failed_read_and_a_dead_thread_are_told_after_the_data() {
        struct Failing(bool);
        impl Read for Failing {
            fn read(&mut self, _: &mut [u8]) -> std::io::Result<usize> {
                assert!(self.0, "a fault of the thread");
                Err(Errno::IO.into())
            }
        }
        let start = gzip(b"data");
        for (fails, told) in [
            (true, "cannot be read: input/output error"),
            (false, "cannot be read: the thread that decompresses has died"),
        ] {
            let outcome = drain(Decompressor::spawn_reader(&start, Failing(fails)).unwrap(), 100);
            assert_eq!((&outcome.bytes[..], outcome.told().as_str()), (&b"data"[..], told));
        }
    }

    /// Files as other programs left them, with what is right for them; only where they are at hand.
    #[test]
    fn collected_files_give_what_is_known_of_them() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/cases");
        let case = |name: &str| -> Option<(Outcome, usize)> {
            let Ok(bytes) = std::fs::read(folder.join(name)) else {
                eprintln!("{name} is not here: skipped");
                return None;
            };
            assert_eq!(detect(&bytes), Start::Compressed(Codec::Gzip));
            let outcome = decode(&bytes);
            let lines = outcome.bytes.iter().filter(|byte| **byte == b'\n').count();
            Some((outcome, lines))
        };
        if let Some((outcome, lines)) = case("35-gzip-cut/cut.log.gz") {
            assert_eq!((outcome.bytes.len(), lines, outcome.is_cut()), (41_954, 1_202, true));
        }
        if let Some((outcome, _)) = case("35-gzip-cut/header-only.gz") {
            assert_eq!((outcome.bytes.len(), outcome.is_cut()), (0, true));
        }
        for (name, lines, garbage) in [
            ("35-gzip-cut/good.log.gz", 1, 0),
            ("36-gzip-members/two.log.gz", 4, 0),
            ("36-gzip-members/padded.log.gz", 2, 0),
            ("36-gzip-members/garbage.log.gz", 2, 8),
        ] {
            if let Some((outcome, found)) = case(name) {
                assert_eq!((found, outcome.garbage, outcome.told().as_str()), (lines, garbage, ""), "{name}");
            }
        }
    }
}
