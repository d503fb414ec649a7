//! The sketch against an exact map.

use super::*;
use crate::aggregate::{AnyAggregate, MiddleMean};
use crate::decay::{Exponential, Linear, NoDecay};
use proptest::prelude::*;
use std::collections::HashMap;

/// The exact twin: a score and its time for each key, under the same rule of time.
struct Exact {
    decay: AnyDecay,
    lo: f64,
    hi: f64,
    first: Option<i64>,
    scores: HashMap<u64, (f64, Option<i64>)>,
}

impl Exact {
    fn new(decay: AnyDecay, lo: f64, hi: f64) -> Exact {
        Exact { decay, lo, hi, first: None, scores: HashMap::new() }
    }

    /// A key's score, the time it is of, and how late a record of `now` is then.
    fn bring(&self, key: u64, now: Option<i64>) -> (f64, Option<i64>, Span) {
        let (score, time) = self.scores.get(&key).copied().unwrap_or((0.0, None));
        let Some(first) = self.first.or(now) else { return (score, None, Span::ZERO) };
        let (time, now) = (time.unwrap_or(first).max(first), now.unwrap_or(first));
        let then = time.max(now).max(first);
        let span = |from: i64| Span::from_nanos(then - from);
        (self.decay.apply(score, span(time)), Some(then), span(now))
    }

    fn update(&mut self, key: u64, delta: f64, now: Option<i64>) -> f64 {
        self.first = self.first.or(now);
        let (score, then, lateness) = self.bring(key, now);
        let score = (score + self.decay.late(delta, lateness)).min(self.hi).max(self.lo);
        self.scores.insert(key, (score, then));
        score
    }

    fn step_back(&mut self, to: i64) {
        self.first = self.first.map(|first| first.min(to));
        for (_, time) in self.scores.values_mut() {
            *time = time.map(|time| time.min(to));
        }
    }
}

fn decays() -> impl Strategy<Value = AnyDecay> {
    prop_oneof![
        (1i64..1 << 40).prop_map(|ns| Exponential::half_life(Span::from_nanos(ns)).unwrap().into()),
        (0.001f64..1e3, 1i64..1 << 40).prop_map(|(n, ns)| Linear::rate(n, Span::from_nanos(ns)).unwrap().into()),
        Just(NoDecay.into()),
    ]
}

/// A record: a key, a delta, and a step of the clock, mostly forward, at times far, at times back; `None` is undated.
type Record = (u64, f64, Option<i64>);

fn records(keys: u64, deltas: std::ops::Range<f64>) -> impl Strategy<Value = Vec<Record>> {
    let step = prop_oneof![
        6 => (0i64..1 << 36).prop_map(Some),
        2 => Just(Some(0)),
        2 => (-(1i64 << 36)..0).prop_map(Some),
        1 => (0i64..1 << 44).prop_map(Some),
        1 => Just(None),
    ];
    prop::collection::vec((0..keys, deltas, step), 1..200)
}

fn dated(records: &[Record]) -> Vec<(u64, f64, Option<i64>)> {
    let mut now = 1_700_000_000_000_000_000;
    let date = |(key, delta, step): &Record| {
        now += step.unwrap_or(0);
        (*key, *delta, step.map(|_| now))
    };
    records.iter().map(date).collect()
}

fn stamp(now: Option<i64>) -> Timestamp {
    now.map_or(UNDATED, at)
}

/// What adding up a few hundred scores may cost in last bits.
const SLACK: f64 = 1e-12;

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn it_is_never_under_the_truth(
        decay in decays(), records in records(30, 0.0..100.0), levels in 1u32..=6, cells in 1u64..20,
        plain in any::<bool>(), hi in prop_oneof![Just(f64::MAX), 50.0f64..500.0],
    ) {
        let update = if plain { Update::Plain } else { Update::Conservative };
        let options = SketchOptions::new().levels(levels).cells(cells).update(update).clamp(None, Some(hi));
        let mut sketch = Sketch::<AnyDecay>::new(&options, decay, Min).unwrap();
        let mut exact = Exact::new(decay, f64::MIN, hi);
        for (key, delta, now) in dated(&records) {
            // The cells a key shares may have been brought to a later time: there the truth is what the twin tells.
            let score = sketch.update_and_query(hash(key), delta, stamp(now)).unwrap();
            exact.update(key, delta, now);
            let then = sketch.query_detailed(hash(key), UNDATED).cells.iter().map(|cell| cell.time).max().unwrap();
            let truth = exact.bring(key, (then != UNDATED).then_some(then.nanos())).0;
            prop_assert!(score >= truth * (1.0 - SLACK), "{} under {}", score, truth);
            prop_assert!(score <= hi);
        }
    }

    #[test]
    fn a_key_alone_in_a_level_has_its_exact_score(
        decay in decays(), records in records(8, -100.0..100.0), levels in 1u32..=6, signed in any::<bool>(),
        (lo, hi) in prop_oneof![Just((f64::MIN, f64::MAX)), (-500.0f64..0.0, 0.0f64..500.0), Just((0.0, 1.0))],
    ) {
        // 8 keys in so many cells a level: no two of these meet anywhere.
        let options = SketchOptions::new().levels(levels).cells(1 << 13).signed(signed).clamp(Some(lo), Some(hi));
        let mut sketch = Sketch::<AnyDecay, _>::new(&options, decay, MiddleMean).unwrap();
        let mut exact = Exact::new(decay, lo, hi);
        for (index, (key, delta, now)) in dated(&records).into_iter().enumerate() {
            let delta = if signed { delta } else { delta.abs() };
            let score = sketch.update_and_query(hash(key), delta, stamp(now)).unwrap();
            let truth = exact.update(key, delta, now);
            prop_assert!((score - truth).abs() <= SLACK * truth.abs(), "{} for {}", score, truth);
            prop_assert!((lo..=hi).contains(&score));
            let asked = exact.bring((key + 1) % 8, now).0;
            prop_assert!((sketch.query(hash((key + 1) % 8), stamp(now)) - asked).abs() <= SLACK * asked.abs());
            if let (Some(now), 0) = (now, index % 50) {
                sketch.step_back(at(now - (1 << 30)));
                exact.step_back(now - (1 << 30));
            }
        }
    }

    #[test]
    fn try_update_is_all_or_nothing_and_never_over_its_limit(
        decay in decays(), records in records(30, 0.0..10.0), levels in 1u32..6, cells in 1u64..200, limit in 0.0f64..50.0,
        aggregate in prop::sample::select(vec![AnyAggregate::Min, AnyAggregate::Max, AnyAggregate::Mean, AnyAggregate::MiddleMean]),
    ) {
        let options = SketchOptions::new().levels(levels).cells(cells);
        let mut sketch = Sketch::<AnyDecay, AnyAggregate>::new(&options, decay, aggregate).unwrap();
        for (index, (key, delta, now)) in dated(&records).into_iter().enumerate() {
            let now = stamp(now);
            let mut tried = sketch.clone();
            let before = sketch.query_detailed(hash(key), now);
            // At times the limit is just what the delta reaches: there the last bits of the cells decide.
            let limit = if index % 3 == 0 { before.score + delta } else { limit };
            let attempt = tried.try_update(hash(key), delta, limit, now).unwrap();
            prop_assert!(attempt.score <= limit || !attempt.entered);
            if attempt.entered {
                sketch.update(hash(key), delta, now).unwrap();
                prop_assert_eq!(tried.query_detailed(hash(key), now), sketch.query_detailed(hash(key), now));
            } else {
                prop_assert_eq!(attempt.score, before.score);
                prop_assert!(before.score + delta > limit * (1.0 - SLACK));
                prop_assert_eq!(tried.query_detailed(hash(key), now), before);
            }
            sketch = tried;
        }
    }

    #[test]
    fn batches_of_any_size_give_the_answers_of_one_by_one(
        decay in decays(), records in records(60, -10.0..100.0), levels in 1u32..=16, cells in 1u64..60, cut in 1usize..90,
        signed in any::<bool>(), with_deltas in any::<bool>(), with_time in any::<bool>(),
    ) {
        let options = SketchOptions::new().levels(levels).cells(cells).signed(signed);
        let mut alone = Sketch::<AnyDecay>::new(&options, decay, Min).unwrap();
        let mut together = alone.clone();
        let records = dated(&records);
        let hashes: Vec<u64> = records.iter().map(|(key, _, _)| hash(*key)).collect();
        let deltas: Vec<f64> = records.iter().map(|(_, delta, _)| if *delta > 90.0 { f64::NAN } else { *delta }).collect();
        let times: Vec<Timestamp> = records.iter().map(|(_, _, now)| stamp(*now)).collect();
        let mut refused = 0;
        let mut expected = Vec::new();
        for index in 0..hashes.len() {
            let delta = if with_deltas { deltas[index] } else { 1.0 };
            let now = if with_time { times[index] } else { UNDATED };
            expected.push(alone.update_and_query(hashes[index], delta, now).unwrap_or_else(|_| {
                refused += 1;
                alone.query(hashes[index], now)
            }));
        }
        let mut scores = vec![0.0; hashes.len()];
        let mut refused_together = 0;
        for start in (0..hashes.len()).step_by(cut) {
            let part = start..hashes.len().min(start + cut);
            let deltas = if with_deltas { &deltas[part.clone()] } else { &[] };
            let times = if with_time { &times[part.clone()] } else { &[] };
            refused_together += together.update_and_query_batch(&hashes[part.clone()], deltas, times, &mut scores[part]);
        }
        prop_assert_eq!(&scores, &expected);
        prop_assert_eq!(refused, refused_together);
        together.query_batch(&hashes, &times, &mut scores);
        for index in 0..hashes.len() {
            prop_assert_eq!(scores[index], alone.query(hashes[index], times[index]));
        }
    }
}
