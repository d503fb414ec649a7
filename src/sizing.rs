//! Sizing: how many cells a number of keys needs, and what a number of cells is good for.
//!
//! **Answers**, for a [`Sketch`](crate::sketch::Sketch) (and whatever else keeps the least of several levels), which
//! shape holds a number of keys at a given share of over-estimates, and the other way round. Pure functions.
//!
//! **How.** With n keys thrown into M cells a level, a cell is free of others with probability e^(-n/M); a key is
//! over-estimated when none of its L cells is, with probability (1 - e^(-n/M))^L. That is exact for plain updates and a
//! bound for conservative ones. The fewest cells for a probability p follow at L = log2(1/p), where half of the cells are
//! in use (Mitzenmacher and Upfal, "Probability and Computing", 2005, section 5.5.3).
//!
//! `keys` are those whose decayed score still matters, at one time: not all that ever came.
//!
//! **Cost.** Nothing to speak of. **Errors.** The formulas hold to about one part in a thousand from a hundred cells a
//! level on; sizes are rounded up to a multiple of 64 cells, so that the last bits of a platform's mathematics do not show.
//!
//! ```
//! use grudge::sizing::{Shape, keys_for, levels_and_cells, over_rate};
//!
//! let shape = levels_and_cells(38_000, 0.01);
//! assert!(shape.levels == 7 && over_rate(38_000, shape.levels, shape.cells) <= 0.01);
//! // The library's default: 1 % of 38,000 keys, 16 % of 100,000.
//! assert_eq!((over_rate(38_000, 4, 100_000) * 100.0).round(), 1.0);
//! assert_eq!((over_rate(100_000, 4, 100_000) * 100.0).round(), 16.0);
//! // What 64 MiB of 16-byte cells in 4 levels are good for.
//! let shape = Shape::within(64 << 20, 4, 16).unwrap();
//! assert!(keys_for(0.01, shape.levels, shape.cells) > 390_000);
//! ```

use crate::levels::MAX_LEVELS;

/// Fewer levels than this leave a key without a second chance.
const MIN_LEVELS: f64 = 2.0;

/// Sizes are multiples of this many cells: 1 KiB of those of a sketch.
const CELL_UNIT: u64 = 64;

/// The most cells a level can have: places are reduced from 32 bits.
const MAX_CELLS: u64 = u32::MAX as u64;

/// The shares of over-estimates that are sized for; what is beyond is taken for the nearer end.
const ERRORS: std::ops::RangeInclusive<f64> = 1e-18..=0.999_999;

/// The dimensions of a sketch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shape {
    /// Levels.
    pub levels: u32,
    /// Cells in each level.
    pub cells: u64,
}

impl Shape {
    /// The largest shape of so many levels whose cells, of `cell_bytes` each, fit within `memory_bytes`; `None` where not
    /// even one cell a level does, or there are no levels or bytes to divide by.
    pub fn within(memory_bytes: u64, levels: u32, cell_bytes: u64) -> Option<Shape> {
        let each = cell_bytes.checked_mul(u64::from(levels))?;
        let cells = memory_bytes.checked_div(each)?.min(MAX_CELLS);
        (cells > 0).then_some(Shape { levels, cells })
    }

    /// Bytes of all cells; saturates.
    pub fn memory_bytes(self, cell_bytes: u64) -> u64 {
        self.cells.saturating_mul(u64::from(self.levels)).saturating_mul(cell_bytes)
    }
}

/// The shape with the fewest cells in which at most a share `error` of `keys` is over-estimated (as far as 2^32 cells a
/// level go).
pub fn levels_and_cells(keys: u64, error: f64) -> Shape {
    let error = within_errors(error);
    let levels = (1.0 / error).log2().round().clamp(MIN_LEVELS, MAX_LEVELS as f64) as u32;
    Shape { levels, cells: cells_for(keys, error, levels) }
}

/// The fewest cells a level with which at most a share `error` of `keys` is over-estimated in so many levels.
pub fn cells_for(keys: u64, error: f64, levels: u32) -> u64 {
    let exact = keys as f64 / keys_a_cell(within_errors(error), levels);
    let units = (exact / CELL_UNIT as f64).ceil().max(1.0);
    // Converting saturates.
    (units as u64).saturating_mul(CELL_UNIT).min(MAX_CELLS)
}

/// The share of `keys` that is over-estimated: (1 - e^(-n/M))^L.
pub fn over_rate(keys: u64, levels: u32, cells: u64) -> f64 {
    let taken = -(-load(keys, cells)).exp_m1();
    taken.powf(f64::from(levels))
}

/// The most keys of which at most a share `error` is over-estimated.
pub fn keys_for(error: f64, levels: u32, cells: u64) -> u64 {
    (cells as f64 * keys_a_cell(within_errors(error), levels)) as u64
}

/// By how much a key is over-estimated in the mean when each has a score of 1, under plain updates: the mean of the least
/// of L Poisson numbers of mean n/M.
///
/// Conservative updates are over by two to six times less.
pub fn expected_over(keys: u64, levels: u32, cells: u64) -> f64 {
    /// Beyond this many keys a cell the least is the mean, to one part in a thousand.
    const CROWDED: f64 = 1e8;
    let mean = load(keys, cells);
    if mean > CROWDED { mean } else { mean_of_least(mean, f64::from(levels)) }
}

/// The mean of the least of so many Poisson numbers: the sum over j >= 1 of P(X >= j)^L. Weights are built up from the
/// most likely number in both directions, so that none underflows that counts.
fn mean_of_least(mean: f64, levels: f64) -> f64 {
    /// What is less likely than this, beside the most likely, is left out.
    const NEGLIGIBLE: f64 = 1e-20;
    let top = mean.floor();
    let mut weights = Vec::new();
    let (mut least, mut weight) = (top, 1.0);
    while weight > NEGLIGIBLE {
        weights.push(weight);
        if least == 0.0 {
            break;
        }
        weight *= least / mean;
        least -= 1.0;
    }
    weights.reverse();
    let least = top - (weights.len() - 1) as f64;
    let (mut number, mut weight) = (top + 1.0, mean / (top + 1.0));
    while weight > NEGLIGIBLE {
        weights.push(weight);
        number += 1.0;
        weight *= mean / number;
    }
    let total: f64 = weights.iter().sum();
    let (mut tail, mut beyond) = (0.0, 0.0);
    for weight in weights[1..].iter().rev() {
        tail += weight / total;
        beyond += f64::powf(tail, levels);
    }
    least + beyond
}

/// n/M for a share of over-estimates: -ln(1 - p^(1/L)).
fn keys_a_cell(error: f64, levels: u32) -> f64 {
    let taken = error.powf(1.0 / f64::from(levels.max(1)));
    -(-taken).ln_1p()
}

/// n/M.
fn load(keys: u64, cells: u64) -> f64 {
    keys as f64 / cells.max(1) as f64
}

/// The nearest share that can be sized for; of what is not a number, the least.
fn within_errors(error: f64) -> f64 {
    error.max(*ERRORS.start()).min(*ERRORS.end())
}

#[cfg(test)]
mod tests;
