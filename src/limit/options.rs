//! How a limiter is to be made, and why it cannot be.

use crate::levels::MAX_LEVELS;

/// How a quota is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Algorithm {
    /// Tokens come back one by one, up to a burst; a record takes its cost or is denied. The default.
    #[default]
    TokenBucket,
    /// A bucket that holds a burst and runs out at the rate; what would make it overflow is denied. The token bucket seen
    /// from the other side (the tokens that are gone are the water that is in): the same verdicts.
    LeakyBucket,
    /// A count that starts anew with each window of one period, counted from 1970. Up to twice the count across a border.
    FixedWindow,
    /// The count of this window and the share of the last one's that a window ending now would still see.
    SlidingWindow,
}

/// How a [`Limiter`](super::Limiter) is to be made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LimiterOptions {
    pub(super) algorithm: Algorithm,
    pub(super) levels: u32,
    pub(super) cells: u64,
    pub(super) strict: bool,
}

impl Default for LimiterOptions {
    fn default() -> Self {
        LimiterOptions {
            algorithm: Algorithm::default(),
            levels: LimiterOptions::DEFAULT_LEVELS,
            cells: LimiterOptions::DEFAULT_CELLS,
            strict: false,
        }
    }
}

impl LimiterOptions {
    /// Levels where nothing is said: at one live key for each two cells of a level, one key in 42 shares all of its four
    /// cells, and one in six both of two.
    pub const DEFAULT_LEVELS: u32 = 4;
    /// Cells of a level where nothing is said: one key in a hundred is judged too strictly at 38,000 live ones.
    pub const DEFAULT_CELLS: u64 = 100_000;
    /// The most levels.
    pub const MAX_LEVELS: u32 = MAX_LEVELS as u32;

    /// A token bucket, [`LimiterOptions::DEFAULT_LEVELS`] of [`LimiterOptions::DEFAULT_CELLS`], denied records free.
    pub fn new() -> LimiterOptions {
        LimiterOptions::default()
    }

    /// How quotas are kept.
    #[must_use]
    pub fn algorithm(self, algorithm: Algorithm) -> LimiterOptions {
        LimiterOptions { algorithm, ..self }
    }

    /// Bytes of a cell, for each quota: a whole number, and under the sliding window another one.
    pub fn cell_bytes(&self) -> u64 {
        let numbers = if self.algorithm == Algorithm::SlidingWindow { 2 } else { 1 };
        numbers * size_of::<u64>() as u64
    }

    /// Cells a key has, one on each level: 1 to 16.
    #[must_use]
    pub fn levels(self, levels: u32) -> LimiterOptions {
        LimiterOptions { levels, ..self }
    }

    /// Cells of each level, up to 2^32 - 1.
    #[must_use]
    pub fn cells(self, cells: u64) -> LimiterOptions {
        LimiterOptions { cells, ..self }
    }

    /// Whether a denied record costs too: the debt rises by its cost, though never above a full burst, so that a key
    /// has to keep quiet to be let through again, and is forgiven when it does.
    #[must_use]
    pub fn strict(self, strict: bool) -> LimiterOptions {
        LimiterOptions { strict, ..self }
    }
}

/// Why a [`Limiter`](super::Limiter) cannot be made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum LimitError {
    /// No quota was given.
    NoQuotas,
    /// There are no levels, or more than [`LimiterOptions::MAX_LEVELS`].
    Levels(u32),
    /// There are no cells, or more than 2^32 - 1 a level.
    Cells(u64),
    /// The table is more than can be addressed, or the system refuses it.
    TooLarge {
        /// The table's bytes; saturates.
        memory: u64,
    },
    /// The burst is zero: nothing would ever be allowed.
    NoBurst,
    /// A burst was given for windows, which have none.
    BurstOfWindow,
    /// So many tokens at once cannot be counted at this rate: a full burst takes more than 73 years to come back, or is
    /// so many tokens that one of them could not be told to 1/100,000.
    TooMany {
        /// The tokens that were asked for at once.
        tokens: u64,
    },
}

impl std::fmt::Display for LimitError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            LimitError::NoQuotas => write!(f, "no rate is given"),
            LimitError::Levels(levels) => write!(f, "{levels} levels; there can be 1 to {MAX_LEVELS}"),
            LimitError::Cells(cells) => write!(f, "{cells} cells a level; there can be 1 to {}", u32::MAX),
            LimitError::TooLarge { memory } => {
                write!(f, "{memory} B of memory are more than this system gives one program; ask for less")
            }
            LimitError::NoBurst => write!(f, "a burst of none allows nothing; the least is 1"),
            LimitError::BurstOfWindow => write!(f, "a window has no burst; only buckets have"),
            LimitError::TooMany { tokens } => {
                write!(f, "{tokens} at once are more than can be counted at this rate; ask for a smaller burst")
            }
        }
    }
}

impl std::error::Error for LimitError {}
