//! INT and TERM end the input, as the end of a file would; a second one ends the run at once.

use super::exit::Status;
use rustix::event::{PollFd, PollFlags, poll};
use rustix::fd::{AsFd, BorrowedFd};
use rustix::io::Errno;
use signal_hook::consts::{SIGINT, SIGTERM};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// What has been raised so far, and a descriptor that becomes readable when something is.
#[derive(Debug)]
pub struct Signals {
    raised: Arc<AtomicUsize>,
    stopped: AtomicBool,
    wake: UnixStream,
    waker: UnixStream,
}

/// What a wait ended with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ready {
    /// There is something to read, or an end to be seen.
    Input,
    /// A signal came, or the run itself is to stop.
    Stop,
}

impl Signals {
    /// Takes INT and TERM over.
    pub fn listen() -> std::io::Result<Signals> {
        let raised = Arc::new(AtomicUsize::new(0));
        let once = Arc::new(AtomicBool::new(false));
        let (wake, waker) = UnixStream::pair()?;
        for signal in [SIGINT, SIGTERM] {
            // In this order: the first signal finds `once` unset and sets it, the second one ends the process.
            let second = Status::Signal(signal).code();
            signal_hook::flag::register_conditional_shutdown(signal, second, Arc::clone(&once))?;
            signal_hook::flag::register(signal, Arc::clone(&once))?;
            signal_hook::flag::register_usize(signal, Arc::clone(&raised), signal as usize)?;
            signal_hook::low_level::pipe::register(signal, waker.try_clone()?)?;
        }
        Ok(Signals { raised, stopped: AtomicBool::new(false), wake, waker })
    }

    /// The signal that ended the input, if one did.
    pub fn raised(&self) -> Option<i32> {
        match self.raised.load(Ordering::Relaxed) {
            0 => None,
            signal => Some(signal as i32),
        }
    }

    /// Ends the input as a signal would, from within: nobody wants more of it.
    pub fn stop(&self) {
        use std::io::Write;
        self.stopped.store(true, Ordering::Relaxed);
        // Should the pipe be full, it is readable already.
        let _ = (&self.waker).write(&[0]);
    }

    /// Whether the input is to end here.
    pub fn is_over(&self) -> bool {
        self.raised().is_some() || self.stopped.load(Ordering::Relaxed)
    }

    /// Whether a read from `input` would return at once.
    pub fn is_readable(&self, input: BorrowedFd<'_>) -> rustix::io::Result<bool> {
        let no_wait = rustix::event::Timespec { tv_sec: 0, tv_nsec: 0 };
        match poll(&mut [PollFd::new(&input, PollFlags::IN)], Some(&no_wait)) {
            Ok(ready) => Ok(ready > 0),
            Err(Errno::INTR) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Waits until a read from `input` would return at once or a signal comes.
    pub fn wait(&self, input: BorrowedFd<'_>) -> rustix::io::Result<Ready> {
        let wake = self.wake.as_fd();
        loop {
            let mut descriptors = [PollFd::new(&wake, PollFlags::IN), PollFd::new(&input, PollFlags::IN)];
            match poll(&mut descriptors, None) {
                Ok(_) if !descriptors[0].revents().is_empty() => return Ok(Ready::Stop),
                Ok(_) => return Ok(Ready::Input),
                Err(Errno::INTR) => {}
                Err(error) => return Err(error),
            }
        }
    }
}
