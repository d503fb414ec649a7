//! The memory of a sketch: cells, and where a key's are.

use super::{SketchError, SketchOptions};
use crate::levels::{MAX_LEVELS, place};
use crate::memory::zeroed;
use crate::processor::prefetch;
use crate::time::{Span, Timestamp};

/// A score and the instant it was last brought up to. All bits zero are a score of nothing at no known time, so memory as
/// the system hands it out is an empty sketch.
#[derive(Debug, Clone, Copy, Default, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C, align(16))]
pub(super) struct Cell {
    pub(super) score: f64,
    pub(super) time: Instant,
}

/// A [`Timestamp`] with the sign bit flipped: 0 is the earliest, and the time between two always fits.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(transparent)]
pub(super) struct Instant(u64);

/// Flipped, it makes the earliest of the signed numbers the least of the unsigned ones.
const SIGN: u64 = 1 << (u64::BITS - 1);

impl From<Timestamp> for Instant {
    #[inline(always)]
    fn from(at: Timestamp) -> Instant {
        Instant(at.nanos() as u64 ^ SIGN)
    }
}

impl Instant {
    /// How long this lies after `earlier`, which must not be later; saturates.
    #[inline(always)]
    pub(super) fn since(self, earlier: Instant) -> Span {
        Span::from_nanos(self.0.wrapping_sub(earlier.0).min(i64::MAX as u64) as i64)
    }

    pub(super) fn timestamp(self) -> Timestamp {
        Timestamp::from_nanos((self.0 ^ SIGN) as i64)
    }
}

impl Cell {
    /// Whether nothing was ever written here.
    pub(super) fn is_empty(self) -> bool {
        self.time == Instant::default() && self.score == 0.0
    }
}

/// The levels one after another.
#[derive(Debug, Clone)]
pub(super) struct Cells {
    pub(super) all: Vec<Cell>,
    pub(super) levels: usize,
    pub(super) a_level: u32,
}

impl Cells {
    pub(super) fn reserve(options: &SketchOptions) -> Result<Cells, SketchError> {
        let too_large = SketchError::TooLarge { levels: options.levels, cells: options.cells };
        let a_level = u32::try_from(options.cells).map_err(|_| too_large)?;
        let levels = options.levels as usize;
        let count = levels.checked_mul(a_level as usize).ok_or(too_large)?;
        let all = zeroed(count).ok_or(too_large)?;
        Ok(Cells { all, levels, a_level })
    }

    /// Where the cells of a key are, the first `levels` of the answer.
    #[inline(always)]
    pub(super) fn find<const CAPACITY: usize>(&self, levels: usize, hash: u64) -> [usize; CAPACITY] {
        let mut places = [0; CAPACITY];
        let mut start = 0;
        for (level, found) in places.iter_mut().enumerate().take(levels) {
            *found = start + place(hash, level, self.a_level);
            start += self.a_level as usize;
        }
        places
    }

    /// The cells of one level.
    pub(super) fn level(&self, level: usize) -> &[Cell] {
        let n = self.a_level as usize;
        &self.all[level * n..(level + 1) * n]
    }
}

/// Cache lines fetched ahead of their use. A core keeps 10 to 48 of them in flight, and they come back within the time that
/// a few keys take; more only wait in the first-level cache and push others out of it (64 and 128 measure alike, 256 takes
/// half as long again).
const LINES_AHEAD: usize = 64;

/// The places of the next keys of a batch, whose cells are on their way.
pub(super) struct Ahead<const CAPACITY: usize> {
    ring: [usize; LINES_AHEAD],
}

impl<const CAPACITY: usize> Ahead<CAPACITY> {
    /// Keys ahead.
    const KEYS: usize = LINES_AHEAD / CAPACITY;

    #[inline(always)]
    pub(super) fn start(cells: &Cells, levels: usize, hashes: &[u64]) -> Self {
        let mut ahead = Ahead { ring: [0; LINES_AHEAD] };
        for (slot, hash) in ahead.ring.as_chunks_mut().0.iter_mut().zip(hashes) {
            *slot = Self::fetch(cells, levels, *hash);
        }
        ahead
    }

    /// The places of the key at `index`; another one is fetched in its stead.
    #[inline(always)]
    pub(super) fn next(&mut self, cells: &Cells, levels: usize, hashes: &[u64], index: usize) -> [usize; CAPACITY] {
        let slot = &mut self.ring.as_chunks_mut().0[index % Self::KEYS];
        let places = *slot;
        if let Some(hash) = hashes.get(index + Self::KEYS) {
            *slot = Self::fetch(cells, levels, *hash);
        }
        places
    }

    #[inline(always)]
    fn fetch(cells: &Cells, levels: usize, hash: u64) -> [usize; CAPACITY] {
        let places = cells.find(levels, hash);
        for found in &places[..levels] {
            prefetch(&cells.all, *found);
        }
        places
    }
}

/// The number of levels that has code of its own: the default.
pub(super) const USUAL: usize = SketchOptions::DEFAULT_LEVELS as usize;

/// Runs `$body` compiled for the usual number of levels, or for any, with `$capacity` places and `$levels` of them used.
macro_rules! with_levels {
    ($cells:expr, $capacity:ident, $levels:ident => $body:expr) => {
        if $cells.levels == $crate::sketch::cells::USUAL {
            const $capacity: usize = $crate::sketch::cells::USUAL;
            let $levels = $capacity;
            $body
        } else {
            const $capacity: usize = $crate::levels::MAX_LEVELS;
            let $levels = $cells.levels.min($capacity);
            $body
        }
    };
}
pub(super) use with_levels;

const _: () = assert!(LINES_AHEAD.is_multiple_of(MAX_LEVELS) && LINES_AHEAD.is_multiple_of(USUAL));
