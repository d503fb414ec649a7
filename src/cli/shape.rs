//! How large the tables of a sketch or a limiter are, and at the end whether that was enough.

use super::args::{ShapeArguments, SketchArguments};
use super::diag::Diag;
use super::stats::Stats;
use super::units::{round_up_size, show_size, show_size_up};
use grudge::limit::LimiterOptions;
use grudge::sizing;
use grudge::sketch::SketchOptions;

/// The memory where nothing is said.
pub const DEFAULT_MEMORY: u64 = 64 << 20;

/// Levels where nothing is said.
pub const DEFAULT_LEVELS: u32 = SketchOptions::DEFAULT_LEVELS;

/// The share of keys that may be over-estimated where only their number is said.
const DEFAULT_ERROR: f64 = 0.001;

/// The share of over-estimates from which on there is a warning.
const WORTH_A_WARNING: f64 = 0.01;

/// Levels, and cells of each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shape {
    pub levels: u32,
    pub cells: u64,
    /// Bytes of a cell, of all tables that are filled side by side.
    pub cell_bytes: u64,
}

impl Shape {
    /// The shape that is asked for, where each cell takes `cell_bytes` in all.
    pub fn resolve(sketch: &SketchArguments, shape: &ShapeArguments, cell_bytes: u64) -> Result<Shape, String> {
        let SketchArguments { memory, keys, error } = sketch;
        if error.is_some() && keys.is_none() {
            return Err(
                "--error is the share of --keys that may be over-estimated; say how many keys there are".to_owned()
            );
        }
        if shape.levels == Some(0) || shape.levels.is_some_and(|levels| levels > LimiterOptions::MAX_LEVELS) {
            return Err(format!(
                "--levels: a key has 1 to {} cells; {DEFAULT_LEVELS} is the default",
                LimiterOptions::MAX_LEVELS
            ));
        }
        match (keys, shape.cells) {
            (Some(_), Some(_)) => Err("--cells says what --keys is to find out; choose one".to_owned()),
            (Some(_), None) if shape.levels.is_some() => {
                Err("--levels says what --keys is to find out; choose one, or say --levels and --cells".to_owned())
            }
            (Some(0), None) => Err("--keys: there is at least one".to_owned()),
            (Some(keys), None) => {
                let wanted = sizing::levels_and_cells(*keys, error.unwrap_or(DEFAULT_ERROR));
                Ok(Shape { levels: wanted.levels, cells: wanted.cells, cell_bytes })
            }
            (None, Some(_)) if memory.is_some() => {
                Err("-m and --cells both say how much memory there is; choose one".to_owned())
            }
            (None, Some(0)) => Err("--cells: there is at least one".to_owned()),
            (None, Some(cells)) => Ok(Shape { levels: shape.levels.unwrap_or(DEFAULT_LEVELS), cells, cell_bytes }),
            (None, None) => {
                Shape::within(memory.unwrap_or(DEFAULT_MEMORY), shape.levels.unwrap_or(DEFAULT_LEVELS), cell_bytes)
            }
        }
    }

    /// The most cells that a memory holds.
    fn within(memory: u64, levels: u32, cell_bytes: u64) -> Result<Shape, String> {
        let cells = memory / (u64::from(levels) * cell_bytes);
        if cells == 0 {
            let least = u64::from(levels) * cell_bytes;
            return Err(format!(
                "-m: {} is too little; a cell for each level takes {}",
                show_size(memory),
                show_size(least)
            ));
        }
        Ok(Shape { levels, cells, cell_bytes })
    }

    /// Bytes of all cells.
    pub fn memory(self) -> u64 {
        self.cells.saturating_mul(self.cell_bytes).saturating_mul(self.levels.into())
    }

    /// Whether so many records can have filled it as far as is worth a warning. To count its cells takes a while.
    pub fn may_be_full(self, records: u64) -> bool {
        let fill = (records as f64 / self.cells as f64).min(1.0);
        fill.powi(self.levels as i32) > WORTH_A_WARNING
    }

    /// For `--explain`.
    pub fn describe(self) -> String {
        format!(
            "{}, all of it whatever comes: {} levels of {} cells; 1 of 1000 keys over-estimated at {} keys at once",
            show_size_up(self.memory()),
            self.levels,
            self.cells,
            sizing::keys_for(DEFAULT_ERROR, self.levels, self.cells),
        )
    }
}

/// How full the tables are.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Fill {
    /// Of each level, the share of its cells that is not at rest.
    pub levels: Vec<f64>,
}

impl Fill {
    /// The share of all cells that is not at rest.
    pub fn mean(&self) -> f64 {
        if self.levels.is_empty() { 0.0 } else { self.levels.iter().sum::<f64>() / self.levels.len() as f64 }
    }

    /// The share of keys that find all their cells taken by others.
    pub fn expected_over(&self) -> f64 {
        if self.levels.is_empty() { 0.0 } else { self.levels.iter().product() }
    }

    /// Adds the counts of [`FILL_COUNTS`].
    pub fn add_to(&self, shape: Shape, stats: &mut Stats) {
        stats.real("fill", self.mean());
        stats.real("expected_over_estimates", self.expected_over());
        stats.count("levels", shape.levels.into());
        stats.count("cells", shape.cells);
        stats.count("memory_bytes", shape.memory());
    }

    /// Says that memory was too small, and which would do. `what` came of it.
    pub fn warn(&self, shape: Shape, what: &str, diag: &Diag) {
        let over = self.expected_over();
        if over <= WORTH_A_WARNING {
            return;
        }
        // Cells that are not at rest tell how many keys are live: fill = 1 - e^(-keys / cells).
        let keys = -(1.0 - self.mean().min(ALMOST_FULL)).ln() * shape.cells as f64;
        let at_least = if self.mean() > ALMOST_FULL { "at least " } else { "" };
        let bytes = sizing::cells_for(keys.ceil() as u64, WORTH_A_WARNING, shape.levels)
            .saturating_mul(shape.cell_bytes * u64::from(shape.levels));
        diag.warning(format_args!(
            "the table was too small: about {:.0} % of the keys {what}; {at_least}-m {} would do (it was {})",
            over * 100.0,
            show_size(round_up_size(bytes)),
            show_size_up(shape.memory()),
        ));
    }
}

/// A table as full as this tells no more how many keys there are.
const ALMOST_FULL: f64 = 0.999;

/// Names of the counts that [`Fill::add_to`] adds.
pub const FILL_COUNTS: [&str; 5] = ["fill", "expected_over_estimates", "levels", "cells", "memory_bytes"];
