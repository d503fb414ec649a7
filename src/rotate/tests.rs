//! [`Rotator`] against what it promises, and against an exact map of generations.

use super::*;
use crate::decay::{Exponential, NoDecay};
use crate::sketch::UNDATED;
use proptest::prelude::*;
use std::collections::HashMap;

/// The hash of the `key`th key: two mixes make neighbours look random.
fn hash(key: u64) -> u64 {
    mix(mix(key ^ 0x5851_F42D_4C95_7F2D))
}

fn at(nanos: i64) -> Timestamp {
    Timestamp::from_nanos(nanos)
}

fn rotator(generations: u32, period: i64, options: &SketchOptions) -> Rotator<NoDecay> {
    Rotator::new(options, generations, Span::from_nanos(period), NoDecay, Min).unwrap()
}

/// Cells for a handful of keys not to meet.
const ROOMY: u64 = 1 << 20;

/// The exact twin without decay: of each generation the sums of its keys, the oldest first.
struct Exact {
    generations: Vec<HashMap<u64, f64>>,
    period: i64,
    end: Option<i64>,
}

impl Exact {
    fn new(generations: u32, period: i64) -> Exact {
        Exact { generations: vec![HashMap::new(); generations as usize], period, end: None }
    }

    fn advance(&mut self, now: Option<i64>) {
        let Some(now) = now else { return };
        let end = self.end.get_or_insert(now + self.period);
        while now >= *end {
            *end += self.period;
            self.generations.remove(0);
            self.generations.push(HashMap::new());
        }
    }

    fn update(&mut self, key: u64, delta: f64, now: Option<i64>) -> f64 {
        self.advance(now);
        self.generations.iter_mut().for_each(|sums| *sums.entry(key).or_default() += delta);
        self.generations[0][&key]
    }

    fn query(&self, key: u64) -> f64 {
        self.generations[0].get(&key).copied().unwrap_or(0.0)
    }

    fn step_back(&mut self, to: i64) {
        if let Some(end) = &mut self.end {
            while *end - self.period > to {
                *end -= self.period;
            }
        }
    }
}

/// Records of whole deltas: a key, a delta, and a step of the clock in periods of 100; `None` is undated.
fn records() -> impl Strategy<Value = Vec<(u64, f64, Option<i64>)>> {
    let step = prop_oneof![
        6 => (0i64..60).prop_map(Some),
        2 => (-150i64..0).prop_map(Some),
        1 => (0i64..600).prop_map(Some),
        1 => Just(None),
    ];
    let record = (0u64..12, (0u32..100).prop_map(f64::from), step);
    prop::collection::vec(record, 1..200).prop_map(|records| {
        let mut now = 5000;
        let date = |(key, delta, step): (u64, f64, Option<i64>)| {
            now += step.unwrap_or(0);
            (key, delta, step.map(|_| now))
        };
        records.into_iter().map(date).collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn it_is_the_exact_generations_where_no_keys_meet(records in records(), generations in 2u32..5) {
        let mut rotator = rotator(generations, 100, &SketchOptions::new().levels(2).cells(1 << 16));
        let mut exact = Exact::new(generations, 100);
        for (index, (key, delta, now)) in records.into_iter().enumerate() {
            let stamp = now.map_or(UNDATED, at);
            let asked = rotator.query(hash(key), stamp);
            let told = rotator.update_and_query(hash(key), delta, stamp);
            prop_assert_eq!(told, Ok(exact.update(key, delta, now)));
            // What was foreseen is what has come, but for the delta.
            prop_assert_eq!(asked + delta, told.unwrap());
            prop_assert_eq!(rotator.query((hash)(key + 1), stamp), exact.query(key + 1));
            if let (Some(now), 49) = (now, index % 50) {
                rotator.step_back(at(now - 250));
                exact.step_back(now - 250);
            }
        }
    }

    #[test]
    fn batches_of_any_size_give_the_answers_of_one_by_one(
        records in records(), generations in 2u32..5, cut in 1usize..200, levels in 3u32..6, with_time in any::<bool>(),
    ) {
        let options = SketchOptions::new().levels(levels).cells(8);
        let mut alone = Rotator::<Exponential>::new(
            &options, generations, Span::from_nanos(100), Exponential::half_life(Span::from_nanos(150)).unwrap(), Min,
        ).unwrap();
        let mut together = alone.clone();
        let hashes: Vec<u64> = records.iter().map(|(key, _, _)| hash(*key)).collect();
        let deltas: Vec<f64> = records.iter().map(|(_, delta, _)| if *delta > 90.0 { -1.0 } else { *delta }).collect();
        let mut times: Vec<Timestamp> = records.iter().map(|(_, _, now)| now.map_or(UNDATED, at)).collect();
        if !with_time {
            times.clear();
        }
        let now = |index: usize| times.get(index).copied().unwrap_or(UNDATED);
        let mut refused = 0;
        let mut expected = Vec::new();
        for index in 0..hashes.len() {
            expected.push(alone.update_and_query(hashes[index], deltas[index], now(index)).unwrap_or_else(|_| {
                refused += 1;
                alone.query(hashes[index], now(index))
            }));
        }
        let mut scores = vec![0.0; hashes.len()];
        for start in (0..hashes.len()).step_by(cut) {
            let part = start..hashes.len().min(start + cut);
            let times = if with_time { &times[part.clone()] } else { &[] };
            refused -= together.update_and_query_batch(&hashes[part.clone()], &deltas[part.clone()], times, &mut scores[part]);
        }
        prop_assert_eq!(&scores, &expected);
        prop_assert_eq!(refused, 0);
        together.query_batch(&hashes, &times, &mut scores);
        for index in 0..hashes.len() {
            prop_assert_eq!(scores[index], alone.query(hashes[index], now(index)));
        }
    }

    #[test]
    fn a_score_is_never_under_that_of_the_last_periods_nor_fed_by_what_is_older(
        steps in prop::collection::vec((0u64..40, 0i64..30), 50..400), generations in 2u32..5,
    ) {
        // Crowded, so that keys meet: the promise is of never under, whatever the collisions.
        let period = 100;
        let mut rotator = rotator(generations, period, &SketchOptions::new().levels(2).cells(16));
        let mut now = 0;
        let mut past: Vec<(u64, i64)> = Vec::new();
        for (key, step) in steps {
            now += step;
            past.push((key, now));
            let score = rotator.update_and_query(hash(key), 1.0, at(now)).unwrap();
            let within = |periods: i64, key: Option<u64>| {
                past.iter().filter(|(other, then)| key.is_none_or(|key| *other == key) && now - then < periods * period).count() as f64
            };
            prop_assert!(score >= within(i64::from(generations) - 1, Some(key)));
            // Whatever has met the key's cells is no older than N periods.
            prop_assert!(score <= within(i64::from(generations), None));
        }
    }
}

#[test]
fn keys_that_meet_in_one_generation_do_not_in_the_next() {
    // Two keys with the same cells in all levels of the oldest generation: found by trying.
    let options = SketchOptions::new().levels(2).cells(64);
    let mut rotator = rotator(2, 100, &options);
    rotator.update(hash(0), 1.0, at(0)).unwrap();
    let meets: Vec<u64> = (1..40_000).filter(|key| rotator.query(hash(*key), at(0)) > 0.0).collect();
    assert!(meets.len() > 4, "nothing to see: {}", meets.len());
    // 1 of 64 · 64 meets; of those that met, again only so many.
    let again = meets.iter().filter(|key| rotator.query(hash(**key), at(100)) > 0.0).count();
    assert!(again <= 2, "{again} of {}", meets.len());
}

#[test]
fn a_false_positive_lives_at_most_its_periods() {
    let options = SketchOptions::new().levels(1).cells(1);
    for generations in 2..5i64 {
        let mut rotator = rotator(generations as u32, 100, &options);
        rotator.update(hash(0), 1.0, at(0)).unwrap();
        // In the one cell there is, every key takes the blame, until N periods are over.
        assert_eq!(rotator.query(hash(1), at(100 * generations - 1)), 1.0);
        assert_eq!(rotator.query(hash(1), at(100 * generations)), 0.0);
        rotator.update(hash(1), 0.0, at(100 * generations)).unwrap();
        assert_eq!(rotator.query(hash(1), at(0)), 0.0);
    }
}

#[test]
fn a_jump_of_all_periods_forgets_everything_and_late_records_rotate_nothing_back() {
    let mut rotator = rotator(3, 100, &SketchOptions::new().cells(ROOMY).levels(1));
    rotator.update(hash(1), 5.0, at(0)).unwrap();
    assert_eq!(rotator.update_and_query(hash(2), 1.0, at(250)), Ok(1.0));
    assert_eq!(rotator.update_and_query(hash(1), 1.0, at(50)), Ok(6.0));
    assert_eq!(rotator.query_detailed(hash(1), at(50)).score, 6.0);
    assert_eq!(rotator.update_and_query(hash(1), 1.0, at(1_000_000)), Ok(1.0));
    assert_eq!(rotator.query_detailed(hash(1), at(2_000_000)).cells, []);
    assert_eq!(rotator.last(), at(1_000_000));
}

#[test]
fn try_update_is_all_or_nothing_in_every_generation() {
    let mut rotator = rotator(2, 100, &SketchOptions::new().cells(ROOMY).levels(2));
    let mut entered =
        |now: i64| (0..9).filter(|_| rotator.try_update(hash(1), 1.0, 4.0, at(now)).unwrap().entered).count();
    assert_eq!(entered(0), 4);
    // The second generation has the same four, and none of the five denied.
    assert_eq!(entered(150), 0);
    assert_eq!(entered(199), 0);
    assert_eq!(entered(200), 4);
}

#[test]
fn clear_makes_it_new() {
    let mut rotator = rotator(3, 100, &SketchOptions::new().cells(100));
    let run = |rotator: &mut Rotator<NoDecay>| -> Vec<f64> {
        (0..1000).map(|n| rotator.update_and_query(hash(n % 321), 1.0, at(n as i64)).unwrap()).collect()
    };
    let first = run(&mut rotator);
    rotator.clear();
    assert_eq!((rotator.last(), rotator.query(hash(1), at(5))), (UNDATED, 0.0));
    assert_eq!(run(&mut rotator), first);
}

#[test]
fn nothing_is_allocated_for_a_record_nor_for_a_rotation() {
    let mut rotator = rotator(3, 1000, &SketchOptions::new().cells(1000));
    let hashes: Vec<u64> = (0..10_000).map(hash).collect();
    let times: Vec<Timestamp> = (0..10_000).map(at).collect();
    let mut scores = vec![0.0; hashes.len()];
    let count = allocation_counter::measure(|| {
        rotator.update_and_query_batch(&hashes, &[], &times, &mut scores);
        rotator.query_batch(&hashes, &times, &mut scores);
        rotator.update(1, 1.0, at(500_000)).unwrap();
    });
    assert_eq!(count.count_total, 0, "{count:?}");
}

#[test]
fn what_cannot_be_is_refused_and_what_is_made_tells_its_dimensions() {
    let options = SketchOptions::new();
    let make = |generations, period| Rotator::new(&options, generations, Span::from_nanos(period), NoDecay, Min);
    assert_eq!(make(1, 5).unwrap_err(), RotatorError::TooFewGenerations(1));
    assert_eq!(make(2, 0).unwrap_err(), RotatorError::NoPeriod(Span::ZERO));
    let none = Rotator::new(&options.levels(0), 2, Span::MAX, NoDecay, Min).unwrap_err();
    assert_eq!(none, RotatorError::Sketch(SketchError::NoLevels));
    assert!(!none.to_string().is_empty());
    let mut rotator = make(3, 5).unwrap();
    assert_eq!((rotator.generations(), rotator.levels(), rotator.cells()), (3, 4, 100_000));
    assert_eq!((rotator.memory_bytes(), rotator.period()), (3 * 6_400_000, Span::from_nanos(5)));
    assert_eq!(rotator.update(1, -1.0, at(9)), Err(DeltaError::Negative(-1.0)));
    assert_eq!(rotator.last(), UNDATED);
    rotator.update(1, 1.0, at(9)).unwrap();
    assert_eq!(rotator.fill_at(at(9), 0.5).levels(), [1e-5; 4]);
}
