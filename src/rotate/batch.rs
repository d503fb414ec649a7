//! Many keys at a time, over all generations.

use super::Rotator;
use crate::aggregate::Aggregate;
use crate::decay::Decay;
use crate::sketch::{UNDATED, check_lengths};
use crate::time::Timestamp;

/// Keys whose hashes are made for one generation at a time: enough for the fetching ahead to pay, 2 KiB on the stack.
const CHUNK: usize = 128;

impl<D: Decay, A: Aggregate> Rotator<D, A> {
    /// [`Sketch::update_and_query_batch`](crate::sketch::Sketch::update_and_query_batch), over all generations: the same
    /// as [`Rotator::update_and_query`] for each record, and [`Rotator::query`] where a delta is refused.
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
        let at_of = |index: usize| at.get(index).copied().unwrap_or(UNDATED);
        let mut refused = 0;
        let mut start = 0;
        while start < hashes.len() {
            if !self.takes(deltas, start) {
                scores[start] = self.query(hashes[start], at_of(start));
                refused += 1;
                start += 1;
                continue;
            }
            self.rotate_to(at_of(start));
            let stops = |index: &usize| !self.takes(deltas, *index) || self.periods.change_at(at_of(*index));
            let most = hashes.len().min(start + CHUNK);
            let end = (start + 1..most).find(stops).unwrap_or(most);
            let part = |len: usize| if len == 0 { 0..0 } else { start..end };
            let (deltas, at) = (&deltas[part(deltas.len())], &at[part(at.len())]);
            self.run(&hashes[start..end], deltas, at, &mut scores[start..end]);
            start = end;
        }
        refused
    }

    fn takes(&self, deltas: &[f64], index: usize) -> bool {
        deltas.get(index).is_none_or(|delta| self.generations[self.oldest].sketch.check(*delta).is_ok())
    }

    /// Good records of one period.
    fn run(&mut self, hashes: &[u64], deltas: &[f64], at: &[Timestamp], scores: &mut [f64]) {
        let (mut own, mut unread) = ([0; CHUNK], [0.0; CHUNK]);
        let (own, unread) = (&mut own[..hashes.len()], &mut unread[..hashes.len()]);
        for (index, generation) in self.generations.iter_mut().enumerate() {
            own.iter_mut().zip(hashes).for_each(|(own, hash)| *own = generation.hash(*hash));
            let scores = if index == self.oldest { &mut *scores } else { &mut *unread };
            generation.sketch.update_and_query_batch(own, deltas, at, scores);
        }
    }

    /// [`Rotator::query`] for many keys, several times as fast. `at` holds an instant a key, or nothing where no time is
    /// known.
    ///
    /// # Panics
    /// If the lengths differ.
    pub fn query_batch(&self, hashes: &[u64], at: &[Timestamp], scores: &mut [f64]) {
        check_lengths(hashes, at, scores);
        let ended_by = |index: usize| self.periods.ended_by(at.get(index).copied().unwrap_or(UNDATED));
        let mut own = [0; CHUNK];
        let mut start = 0;
        while start < hashes.len() {
            let most = hashes.len().min(start + CHUNK);
            let ended = ended_by(start);
            let end = (start + 1..most).find(|index| ended_by(*index) != ended).unwrap_or(most);
            match self.oldest_after(ended) {
                None => scores[start..end].fill(0.0),
                Some(oldest) => {
                    let own = &mut own[..end - start];
                    own.iter_mut().zip(&hashes[start..end]).for_each(|(own, hash)| *own = oldest.hash(*hash));
                    let at = if at.is_empty() { at } else { &at[start..end] };
                    oldest.sketch.query_batch(own, at, &mut scores[start..end]);
                }
            }
            start = end;
        }
    }
}
