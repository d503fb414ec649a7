//! Many keys at a time, with their cells fetched ahead.

use super::cells::{Ahead, with_levels};
use super::{Sketch, UNDATED};
use crate::aggregate::Aggregate;
use crate::decay::Decay;
use crate::time::Timestamp;

/// What a record counts where no deltas are given.
const UNIT: f64 = 1.0;

impl<D: Decay, A: Aggregate> Sketch<D, A> {
    /// [`Sketch::update_and_query`] for many keys in order, several times as fast: memory is touched ahead.
    ///
    /// `deltas` holds one a key, or nothing where each counts 1; `at` an instant a key, or nothing where no time is known
    /// ([`UNDATED`]). `scores` takes each key's score after its record.
    ///
    /// A delta that [`Sketch::update`] would refuse changes nothing, its score is what [`Sketch::query`] tells, and the
    /// others are entered all the same; how many were refused is returned.
    ///
    /// # Panics
    /// If the lengths differ.
    pub fn update_and_query_batch(
        &mut self,
        hashes: &[u64],
        deltas: &[f64],
        at: &[Timestamp],
        scores: &mut [f64],
    ) -> usize {
        check_lengths(hashes, at, scores);
        assert!(deltas.is_empty() || deltas.len() == hashes.len(), "a delta for each hash, or none");
        with_levels!(self.cells, CAPACITY, levels => {
            let mut ahead = Ahead::<CAPACITY>::start(&self.cells, levels, hashes);
            let mut refused = 0;
            for (index, score) in scores.iter_mut().enumerate() {
                let places = ahead.next(&self.cells, levels, hashes, index);
                let at = at.get(index).copied().unwrap_or(UNDATED);
                let delta = deltas.get(index).copied().unwrap_or(UNIT);
                *score = if self.check(delta).is_ok() {
                    self.enter(&places, levels, delta, at)
                } else {
                    refused += 1;
                    self.read(&places, levels, at)
                };
            }
            refused
        })
    }

    /// [`Sketch::query`] for many keys, several times as fast. `at` holds an instant a key, or nothing where no time is
    /// known.
    ///
    /// # Panics
    /// If the lengths differ.
    pub fn query_batch(&self, hashes: &[u64], at: &[Timestamp], scores: &mut [f64]) {
        check_lengths(hashes, at, scores);
        with_levels!(self.cells, CAPACITY, levels => {
            let mut ahead = Ahead::<CAPACITY>::start(&self.cells, levels, hashes);
            for (index, score) in scores.iter_mut().enumerate() {
                let places = ahead.next(&self.cells, levels, hashes, index);
                *score = self.read(&places, levels, at.get(index).copied().unwrap_or(UNDATED));
            }
        });
    }
}

/// One score a hash, and one instant or none.
pub(crate) fn check_lengths(hashes: &[u64], at: &[Timestamp], scores: &[f64]) {
    assert_eq!(hashes.len(), scores.len(), "a score for each hash");
    assert!(at.is_empty() || at.len() == hashes.len(), "an instant for each hash, or none");
}
