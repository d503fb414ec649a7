//! How a run ends.

use std::process::ExitCode;

/// The ends a run can come to. Others win over [`Status::Done`]; trouble wins over a condition that held.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// All was read and written, or nobody reads the output any more.
    Done,
    /// What `--fail-if` asked for held.
    ConditionHeld,
    /// Something could not be read, written or understood; what could be done was done.
    Trouble,
    /// A signal ended the input; all before it was done.
    Signal(i32),
}

/// Shells report a death by signal n as 128 + n.
const SIGNAL_BASE: i32 = 128;

impl Status {
    /// The process's exit code.
    pub fn code(self) -> i32 {
        match self {
            Status::Done => 0,
            Status::ConditionHeld => 1,
            Status::Trouble => 2,
            Status::Signal(signal) => SIGNAL_BASE + signal,
        }
    }
}

impl From<Status> for ExitCode {
    fn from(status: Status) -> ExitCode {
        ExitCode::from(status.code() as u8)
    }
}
