//! The thread's side of [`Decompressor`](super::Decompressor): from compressed bytes to chunks.

use super::*;
use flate2::{Decompress, FlushDecompress, Status};
use std::io::{PipeWriter, Write};
use zstd::zstd_safe::{DCtx, DParameter, ErrorCode, InBuffer, OutBuffer, get_error_name, zstd_sys::ZSTD_ErrorCode};

/// Compressed bytes asked for in one read: at the usual ratios of logs, 2 to 10, they become one chunk to five. Speed does
/// not depend on it from 32 KiB up.
const COMPRESSED_BYTES: usize = 128 << 10;

/// The base-2 logarithm of the widest window a gzip member can ask for: that of the format.
pub(super) const GZIP_WINDOW_LOG: u8 = 15;

/// The same for zstd, where the format allows far more: 128 MiB, as the tool of that name takes by default.
const ZSTD_WINDOW_LOG: u32 = 27;

/// Bytes of the header in front of each block of a zstd frame.
pub(super) const ZSTD_BLOCK_HEADER_BYTES: usize = 3;

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
pub(super) struct Worker<R> {
    source: Source<R>,
    outlet: Outlet,
    /// Of the member being decoded.
    codec: Codec,
    /// Made for the first frame and used for all.
    zstd: Option<DCtx<'static>>,
}

impl<R: Read> Worker<R> {
    /// A worker on `input`, of which the bytes `start` have been read already.
    pub(super) fn new(
        start: &[u8],
        input: R,
        messages: SyncSender<Message>,
        empties: Receiver<Vec<u8>>,
        waker: PipeWriter,
    ) -> Worker<R> {
        let outlet = Outlet { messages, empties, waker, allocated: 0, buffer: Vec::new(), len: 0, handed: 0 };
        Worker { source: Source::new(start, input), outlet, codec: Codec::Gzip, zstd: None }
    }

    pub(super) fn run(mut self) {
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
