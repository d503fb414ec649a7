//! How far a long run has come, on stderr where somebody watches it.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::ffi::OsString;
use std::io::IsTerminal;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// A run that is shorter shows nothing.
const SHOW_AFTER: Duration = Duration::from_secs(1);

/// A bar that is drawn once the run has lasted a while. It counts from the start, so that its rate is true.
pub struct Progress {
    started: Instant,
    bar: ProgressBar,
}

impl Progress {
    /// For regular files, read while stderr is a terminal and stdout is not (the bar and the records would spoil each
    /// other there).
    pub fn new(files: &[OsString], quiet: bool) -> Option<Progress> {
        if quiet || files.is_empty() || !std::io::stderr().is_terminal() || std::io::stdout().is_terminal() {
            return None;
        }
        let size =
            |file: &OsString| Path::new(file).metadata().ok().filter(|file| file.is_file()).map(|file| file.len());
        let total = files.iter().map(size).sum::<Option<u64>>()?;
        let bar = ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::hidden());
        // A style that cannot be read would be a fault of the line below, and the plain bar is there all the same.
        if let Ok(style) = ProgressStyle::with_template("{wide_bar} {bytes}/{total_bytes}  {bytes_per_sec}  {eta} left")
        {
            bar.set_style(style);
        }
        Some(Progress { started: Instant::now(), bar })
    }

    /// Shows that so many bytes have been read.
    pub fn show(&mut self, read: &AtomicU64) {
        self.bar.set_position(read.load(Ordering::Relaxed));
        if self.bar.is_hidden() && self.started.elapsed() >= SHOW_AFTER {
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
        }
    }
}

impl Drop for Progress {
    /// The bar makes room for what is said at the end.
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
