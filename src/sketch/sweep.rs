//! What goes over all cells: how full they are, the clock set back, a fresh start.

use super::cells::{Cell, Instant};
use super::{Sketch, UNDATED};
use crate::aggregate::Aggregate;
use crate::decay::Decay;
use crate::time::{Span, Timestamp};

/// How full a sketch is: of each level, the share of cells that hold a score that matters.
#[derive(Debug, Clone, PartialEq)]
pub struct Fill {
    levels: Vec<f64>,
}

impl Fill {
    /// The share of each level's cells, 0 to 1.
    pub fn levels(&self) -> &[f64] {
        &self.levels
    }

    /// The mean of the levels' shares.
    pub fn mean(&self) -> f64 {
        self.levels.iter().sum::<f64>() / self.levels.len() as f64
    }

    /// The probability that all cells of a key not seen before hold another's score: the share of keys that are
    /// over-estimated, under plain update exactly, under conservative update at most.
    pub fn expected_over(&self) -> f64 {
        self.levels.iter().product()
    }
}

/// Cells whose scores are brought to one time together.
const GROUP: usize = 16;

/// Cells looked at before any of them is written, when memory is cleared: a page of 4 KiB. What the system has not handed
/// out yet is left with it.
const PAGE_CELLS: usize = 4096 / size_of::<Cell>();

impl<D: Decay, A: Aggregate> Sketch<D, A> {
    /// How full the sketch is at `now`: the shares of cells whose score is then at least `least` on either side of zero.
    /// Reads all memory that was ever written.
    ///
    /// A good `least` is a hundredth of the smallest delta: under [`Exponential`](crate::decay::Exponential) decay a
    /// score fades for ever, and what is smaller over-estimates no other by much.
    pub fn fill_at(&self, now: Timestamp, least: f64) -> Fill {
        let share = |level| self.count_at(self.cells.level(level), now, least) as f64 / f64::from(self.cells.a_level);
        Fill { levels: (0..self.cells.levels).map(share).collect() }
    }

    fn count_at(&self, cells: &[Cell], now: Timestamp, least: f64) -> usize {
        let first = Instant::from(if self.first == UNDATED { now } else { self.first });
        let now = Instant::from(now);
        let of_group = |group: &[Cell]| {
            let (mut scores, mut elapsed) = ([0.0; GROUP], [Span::ZERO; GROUP]);
            for (index, cell) in group.iter().enumerate() {
                scores[index] = cell.score;
                elapsed[index] = now.since(cell.time.max(first).min(now));
            }
            let scores = &mut scores[..group.len()];
            self.decay.apply_each(scores, &elapsed[..group.len()]);
            scores.iter().filter(|score| score.abs() >= least).count()
        };
        cells.chunks(GROUP).map(of_group).sum()
    }

    /// The stream's clock was set back to `to`: what was entered at later instants is taken to be of that one, so that it
    /// fades from there on instead of waiting until the clock has come round to it again. Reads all cells.
    pub fn step_back(&mut self, to: Timestamp) {
        if to >= self.last {
            return;
        }
        let latest = Instant::from(to);
        for cell in self.cells.all.iter_mut().filter(|cell| cell.time > latest) {
            cell.time = latest;
        }
        self.first = self.first.min(to);
        self.last = to;
    }

    /// Forgets everything, the time too, as if newly made.
    pub fn clear(&mut self) {
        self.clear_scores();
        (self.first, self.last) = (UNDATED, UNDATED);
    }

    /// Forgets all scores; the stream's time goes on.
    pub(crate) fn clear_scores(&mut self) {
        for page in self.cells.all.chunks_mut(PAGE_CELLS) {
            if !page.iter().all(|cell| cell.is_empty()) {
                page.fill(Cell::default());
            }
        }
    }
}
