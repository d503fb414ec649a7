//! How a sketch is to be made, and why it cannot be.

use super::cells::Cell;
use crate::aggregate::Aggregate;
use crate::levels::MAX_LEVELS;

/// How an update enters a key's cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Update {
    /// Each cell is raised only to what the key's least cell and the delta make: never under the truth, and over it two
    /// to six times less than plain (Estan and Varghese, "New directions in traffic measurement and accounting", 2002).
    /// For deltas of one sign and [`Min`](struct@crate::aggregate::Min).
    Conservative,
    /// The delta is added to each cell: free of the order of records, and the sum of two sketches is the sketch of both.
    Plain,
}

/// How a [`Sketch`](super::Sketch) is to be made.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SketchOptions {
    pub(super) levels: u32,
    pub(super) cells: u64,
    pub(super) signed: bool,
    update: Option<Update>,
    pub(super) lo: f64,
    pub(super) hi: f64,
}

/// Why a [`Sketch`](super::Sketch) cannot be made.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum SketchError {
    /// No levels at all.
    NoLevels,
    /// More levels than there are ways to find a key's cell.
    TooManyLevels {
        /// The number that was asked for.
        levels: u32,
    },
    /// Levels without cells.
    NoCells,
    /// More cells than can be addressed, or than the system gives memory for.
    TooLarge {
        /// The levels that were asked for.
        levels: u32,
        /// The cells a level that were asked for.
        cells: u64,
    },
    /// The clamp is no range around zero: every key starts at zero and fades toward it.
    BadClamp {
        /// The lower end.
        lo: f64,
        /// The upper end.
        hi: f64,
    },
    /// Conservative update of a sketch whose deltas may be negative.
    ConservativeSigned,
    /// Conservative update under another aggregate than the least.
    ConservativeWithoutMin,
}

impl std::fmt::Display for SketchError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            SketchError::NoLevels => write!(f, "a sketch needs at least one level"),
            SketchError::TooManyLevels { levels } => {
                write!(f, "{levels} levels are too many; {MAX_LEVELS} are the most")
            }
            SketchError::NoCells => write!(f, "a level needs at least one cell"),
            SketchError::TooLarge { levels, cells } => {
                write!(f, "{levels} levels of {cells} cells are more than this system gives one program; ask for less")
            }
            SketchError::BadClamp { lo, hi } => write!(f, "the scores must have room around zero, not {lo} to {hi}"),
            SketchError::ConservativeSigned => {
                write!(f, "conservative update cannot take negative deltas; ask for plain update")
            }
            SketchError::ConservativeWithoutMin => {
                write!(f, "conservative update goes with the least of the levels only; ask for plain update")
            }
        }
    }
}

impl std::error::Error for SketchError {}

impl Default for SketchOptions {
    fn default() -> Self {
        SketchOptions {
            levels: SketchOptions::DEFAULT_LEVELS,
            cells: SketchOptions::DEFAULT_CELLS,
            signed: false,
            update: None,
            lo: f64::MIN,
            hi: f64::MAX,
        }
    }
}

impl SketchOptions {
    /// The levels where none are given.
    pub const DEFAULT_LEVELS: u32 = 4;
    /// The cells a level where none are given: 6.4 MB in 4 levels, which over-estimate 1 of 100 keys at 38,000 live ones.
    pub const DEFAULT_CELLS: u64 = 100_000;

    /// Bytes of a cell: a score and a time.
    pub const CELL_BYTES: u64 = size_of::<Cell>() as u64;

    /// Four levels of 100,000 cells, for deltas that are not negative, without clamps.
    pub fn new() -> SketchOptions {
        SketchOptions::default()
    }

    /// The number of levels, 1 to 16: each is another chance for a key to have a cell of its own.
    #[must_use]
    pub fn levels(self, levels: u32) -> SketchOptions {
        SketchOptions { levels, ..self }
    }

    /// The number of cells in each level, at most 2^32 - 1, of 16 bytes each.
    #[must_use]
    pub fn cells(self, cells: u64) -> SketchOptions {
        SketchOptions { cells, ..self }
    }

    /// Whether deltas may be negative. Updates are plain then.
    #[must_use]
    pub fn signed(self, signed: bool) -> SketchOptions {
        SketchOptions { signed, ..self }
    }

    /// How updates enter. Without, conservative wherever that is right (no negative deltas, and
    /// [`Min`](struct@crate::aggregate::Min)), plain elsewhere.
    #[must_use]
    pub fn update(self, update: Update) -> SketchOptions {
        SketchOptions { update: Some(update), ..self }
    }

    /// The least and the greatest a cell may hold; zero must lie within. What an update would carry beyond is lost.
    #[must_use]
    pub fn clamp(self, lo: Option<f64>, hi: Option<f64>) -> SketchOptions {
        SketchOptions { lo: lo.unwrap_or(f64::MIN), hi: hi.unwrap_or(f64::MAX), ..self }
    }

    /// Whether each option is right by itself and beside the others; the update rule they lead to.
    pub(super) fn check(&self, aggregate: &impl Aggregate) -> Result<Update, SketchError> {
        if self.levels == 0 {
            return Err(SketchError::NoLevels);
        }
        if self.levels as usize > MAX_LEVELS {
            return Err(SketchError::TooManyLevels { levels: self.levels });
        }
        if self.cells == 0 {
            return Err(SketchError::NoCells);
        }
        if !(self.lo <= 0.0 && self.hi >= 0.0) {
            return Err(SketchError::BadClamp { lo: self.lo, hi: self.hi });
        }
        match self.update {
            Some(Update::Conservative) if self.signed => Err(SketchError::ConservativeSigned),
            Some(Update::Conservative) if !aggregate.is_min() => Err(SketchError::ConservativeWithoutMin),
            Some(update) => Ok(update),
            None if self.signed || !aggregate.is_min() => Ok(Update::Plain),
            None => Ok(Update::Conservative),
        }
    }
}

/// The scores that can be held: endless ones would have no decay.
pub(super) fn finite_clamp(options: &SketchOptions) -> (f64, f64) {
    (options.lo.max(f64::MIN), options.hi.min(f64::MAX))
}
