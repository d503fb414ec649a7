//! The only writer to stdout: it gathers what passes and hands it on in large pieces.

use super::diag::describe;
use rustix::io::Errno;

/// What is gathered before it is written. A pipe takes 64 KiB at once; twice that halves the calls and still stays in
/// the second-level cache.
const GATHERED_BYTES: usize = 128 << 10;

/// Why nothing more can be written.
#[derive(Debug, PartialEq, Eq)]
pub enum Stop {
    /// The reader has gone, as `head` does: no fault.
    ReaderGone,
    /// The system refused, a full disk for one.
    Failed(Errno),
}

impl Stop {
    /// In words.
    pub fn describe(&self) -> String {
        match self {
            Stop::ReaderGone => "stdout: nobody reads it any more".to_owned(),
            Stop::Failed(error) => format!("stdout: cannot be written: {}", describe(*error)),
        }
    }
}

/// Stdout.
#[derive(Debug)]
pub struct Output {
    gathered: Vec<u8>,
}

impl Output {
    pub fn new() -> Output {
        Output { gathered: Vec::with_capacity(GATHERED_BYTES) }
    }

    /// Adds bytes to the output, in order.
    #[inline(always)]
    pub fn write(&mut self, bytes: &[u8]) -> Result<(), Stop> {
        if bytes.len() + self.gathered.len() > GATHERED_BYTES {
            return self.write_through(bytes);
        }
        self.gathered.extend_from_slice(bytes);
        Ok(())
    }

    /// What is gathered, for those who add to it piece by piece; there is room for a few hundred bytes without a copy.
    #[inline(always)]
    pub fn gather(&mut self) -> Result<&mut Vec<u8>, Stop> {
        /// Bytes that most who add piece by piece do not exceed.
        const ROOM: usize = 512;
        if self.gathered.len() + ROOM > GATHERED_BYTES {
            self.flush()?;
        }
        Ok(&mut self.gathered)
    }

    #[cold]
    fn write_through(&mut self, bytes: &[u8]) -> Result<(), Stop> {
        self.flush()?;
        if bytes.len() >= GATHERED_BYTES {
            return write_all(bytes);
        }
        self.gathered.extend_from_slice(bytes);
        Ok(())
    }

    /// Hands on all that was gathered.
    pub fn flush(&mut self) -> Result<(), Stop> {
        if self.gathered.is_empty() {
            return Ok(());
        }
        let written = write_all(&self.gathered);
        // Even where it failed: what cannot be written now cannot be written later either.
        self.gathered.clear();
        written
    }
}

/// Writes a text that is all of the output.
pub fn print(text: &[u8]) -> Result<(), Stop> {
    let mut output = Output::new();
    output.write(text)?;
    output.flush()
}

fn write_all(mut bytes: &[u8]) -> Result<(), Stop> {
    while !bytes.is_empty() {
        match rustix::io::write(rustix::stdio::stdout(), bytes) {
            Ok(0) => return Err(Stop::Failed(Errno::IO)),
            Ok(count) => bytes = &bytes[count..],
            Err(Errno::INTR) => {}
            Err(Errno::AGAIN) => wait_until_writable()?,
            Err(Errno::PIPE) => return Err(Stop::ReaderGone),
            Err(error) => return Err(Stop::Failed(error)),
        }
    }
    Ok(())
}

/// Another program may have made the shared pipe non-blocking.
fn wait_until_writable() -> Result<(), Stop> {
    use rustix::event::{PollFd, PollFlags, poll};
    let stdout = rustix::stdio::stdout();
    match poll(&mut [PollFd::new(&stdout, PollFlags::OUT)], None) {
        Ok(_) | Err(Errno::INTR) => Ok(()),
        Err(error) => Err(Stop::Failed(error)),
    }
}
