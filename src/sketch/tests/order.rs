//! Late records.

use super::*;
use crate::decay::Exponential;
use proptest::prelude::*;

const HALF_LIFE: Span = Span::from_seconds(1);

/// Records of a few keys, each at its time, in order.
fn records() -> impl Strategy<Value = Vec<(u64, f64, i64)>> {
    let second = HALF_LIFE.nanos();
    let record = (0u64..20, 0.0f64..10.0, 0..30 * second);
    prop::collection::vec(record, 1..150).prop_map(|mut records| {
        records.sort_by_key(|(_, _, now)| *now);
        records
    })
}

fn scores(update: Update, records: &[(u64, f64, i64)], cells: u64) -> Vec<f64> {
    let options = SketchOptions::new().cells(cells).update(update);
    let mut sketch = Sketch::new(&options, Exponential::half_life(HALF_LIFE).unwrap(), Min).unwrap();
    for (key, delta, now) in records {
        sketch.update(hash(*key), *delta, at(*now)).unwrap();
    }
    (0..20).map(|key| sketch.query(hash(key), at(31 * HALF_LIFE.nanos()))).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn plain_updates_are_free_of_order_and_conservative_ones_lie_between_them_and_the_truth(
        (sorted, shuffled) in records().prop_flat_map(|records| (Just(records.clone()), Just(records).prop_shuffle())),
        cells in 2u64..40,
    ) {
        let plain = scores(Update::Plain, &sorted, cells);
        let truth: Vec<f64> = (0..20).map(|key| {
            let decay = Exponential::half_life(HALF_LIFE).unwrap();
            let worth = |delta: f64, now: i64| decay.apply(delta, at(31 * HALF_LIFE.nanos()).since(at(now)));
            sorted.iter().filter(|record| record.0 == key).map(|(_, delta, now)| worth(*delta, *now)).sum()
        }).collect();
        for (index, score) in scores(Update::Plain, &shuffled, cells).into_iter().enumerate() {
            prop_assert!((score - plain[index]).abs() <= 1e-12 * plain[index]);
        }
        for order in [&sorted, &shuffled] {
            for (index, score) in scores(Update::Conservative, order, cells).into_iter().enumerate() {
                prop_assert!(truth[index] * (1.0 - 1e-12) <= score && score <= plain[index] * (1.0 + 1e-12));
            }
        }
    }
}

#[test]
fn a_late_record_turns_no_clock_back() {
    // Every second record is a tenth of a half-life late: under a rule that set the cell's time to the record's, each
    // would make the next one fade that tenth again.
    let options = SketchOptions::new();
    let mut sketch = Sketch::new(&options, Exponential::half_life(HALF_LIFE).unwrap(), Min).unwrap();
    let step = HALF_LIFE.nanos() / 1000;
    let mut truth = 0.0;
    for record in 0..20_000i64 {
        let lateness = if record % 2 == 1 { 100 * step } else { 0 };
        sketch.update(hash(1), 1.0, at(record * step - lateness)).unwrap();
        truth += 2f64.powf(-((19_999 - record) * step + lateness) as f64 / HALF_LIFE.nanos() as f64);
    }
    let score = sketch.query(hash(1), at(19_999 * step));
    assert!((score - truth).abs() < 1e-9 * truth, "{score} for {truth}");
}

#[test]
fn the_first_instant_dates_what_came_before_it() {
    let mut sketch = Sketch::new(&SketchOptions::new(), Exponential::half_life(HALF_LIFE).unwrap(), Min).unwrap();
    assert_eq!(sketch.update_and_query(hash(1), 8.0, UNDATED), Ok(8.0));
    assert_eq!(sketch.query(hash(1), at(i64::MAX)), 8.0);
    assert_eq!(sketch.last(), UNDATED);
    let second = |n: i64| Timestamp::from_seconds(1_700_000_000 + n, 0);
    assert_eq!(sketch.update_and_query(hash(2), 1.0, second(0)), Ok(1.0));
    assert_eq!(sketch.query(hash(1), second(0)), 8.0);
    assert_eq!(sketch.query(hash(1), second(2)), 2.0);
    // A record before the first instant fades from its own time on; one without a time counts as of the first instant.
    assert_eq!(sketch.update_and_query(hash(3), 4.0, second(-1)), Ok(2.0));
    assert_eq!(sketch.update_and_query(hash(2), 1.0, second(1)), Ok(1.5));
    assert_eq!(sketch.update_and_query(hash(2), 1.0, UNDATED), Ok(2.0));
    assert_eq!(sketch.last(), second(1));
}

#[test]
fn a_clock_set_back_fades_from_there() {
    let second = |n: i64| Timestamp::from_seconds(n, 0);
    let make = || {
        let mut sketch = Sketch::new(&SketchOptions::new(), Exponential::half_life(HALF_LIFE).unwrap(), Min).unwrap();
        sketch.update(hash(1), 8.0, second(1000)).unwrap();
        sketch.update(hash(2), 8.0, second(10)).unwrap();
        sketch
    };
    // Without being told, a score waits for the clock to come round.
    assert_eq!(make().query(hash(1), second(101)), 8.0);
    let mut sketch = make();
    sketch.step_back(second(100));
    assert_eq!(sketch.query(hash(1), second(101)), 4.0);
    assert_eq!(sketch.last(), second(100));
    // A step to where the clock has not been is none.
    sketch.step_back(second(2000));
    assert_eq!(sketch.last(), second(100));
}
