//! What is refused, what is told, what is not done.

use super::*;
use crate::aggregate::{AnyAggregate, Mean};
use crate::decay::{Exponential, Linear, NoDecay};

fn sketch(options: &SketchOptions) -> Result<Sketch<NoDecay>, SketchError> {
    Sketch::new(options, NoDecay, Min)
}

#[test]
fn what_cannot_be_is_refused() {
    let options = SketchOptions::new();
    let error = |options: SketchOptions| sketch(&options).unwrap_err();
    assert_eq!(error(options.levels(0)), SketchError::NoLevels);
    assert_eq!(error(options.levels(17)), SketchError::TooManyLevels { levels: 17 });
    assert_eq!(error(options.cells(0)), SketchError::NoCells);
    // More than places can tell apart, and more than any machine has.
    assert_eq!(error(options.cells(1 << 32)), SketchError::TooLarge { levels: 4, cells: 1 << 32 });
    let absurd = options.levels(16).cells(u64::MAX);
    assert_eq!(error(absurd), SketchError::TooLarge { levels: 16, cells: u64::MAX });
    for (lo, hi) in
        [(Some(1.0), None), (None, Some(-1.0)), (Some(1.0), Some(-1.0)), (Some(f64::NAN), None), (None, Some(f64::NAN))]
    {
        assert!(matches!(error(options.clamp(lo, hi)), SketchError::BadClamp { .. }), "{lo:?} {hi:?}");
    }
    assert_eq!(error(options.signed(true).update(Update::Conservative)), SketchError::ConservativeSigned);
    let mean = Sketch::<_, Mean>::new(&options.update(Update::Conservative), NoDecay, Mean);
    assert_eq!(mean.unwrap_err(), SketchError::ConservativeWithoutMin);
    for error in [SketchError::NoLevels, SketchError::BadClamp { lo: 1.0, hi: f64::NAN }] {
        assert!(!error.to_string().is_empty());
    }
}

#[test]
fn updates_are_conservative_where_that_is_right() {
    let options = SketchOptions::new().cells(10);
    assert_eq!(sketch(&options).unwrap().update_rule(), Update::Conservative);
    assert_eq!(sketch(&options.signed(true)).unwrap().update_rule(), Update::Plain);
    assert_eq!(sketch(&options.update(Update::Plain)).unwrap().update_rule(), Update::Plain);
    let rule = |aggregate| Sketch::<_, AnyAggregate>::new(&options, NoDecay, aggregate).unwrap().update_rule();
    assert_eq!(rule(AnyAggregate::Min), Update::Conservative);
    assert_eq!(rule(AnyAggregate::MiddleMean), Update::Plain);
}

#[test]
fn deltas_that_are_none_are_refused_and_change_nothing() {
    let mut sketch = sketch(&SketchOptions::new().cells(10)).unwrap();
    sketch.update(hash(1), 3.0, at(5)).unwrap();
    let before = sketch.query_detailed(hash(1), at(5));
    for delta in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        assert!(matches!(sketch.update(hash(1), delta, at(9)), Err(DeltaError::NotFinite(_))));
        assert!(matches!(sketch.try_update(hash(1), delta, 9.0, at(9)), Err(DeltaError::NotFinite(_))));
    }
    assert_eq!(sketch.update_and_query(hash(1), -1.0, at(9)), Err(DeltaError::Negative(-1.0)));
    let mut scores = [0.0; 2];
    assert_eq!(sketch.update_and_query_batch(&[hash(1); 2], &[f64::NAN, -1.0], &[at(9); 2], &mut scores), 2);
    assert_eq!(scores, [3.0; 2]);
    assert_eq!((sketch.query_detailed(hash(1), at(5)), sketch.last()), (before, at(5)));
    assert_eq!(sketch.update_and_query(hash(1), -0.0, at(9)), Ok(3.0));
    assert!(!DeltaError::Negative(-1.0).to_string().is_empty());
}

#[test]
fn scores_stay_finite_and_within_their_clamps() {
    let signed = SketchOptions::new().cells(10).signed(true);
    let mut endless = sketch(&signed).unwrap();
    for _ in 0..3 {
        endless.update(hash(1), f64::MAX, at(0)).unwrap();
    }
    assert_eq!(endless.query(hash(1), at(0)), f64::MAX);
    let mut clamped = sketch(&signed.clamp(Some(0.0), Some(f64::INFINITY))).unwrap();
    assert_eq!(clamped.update_and_query(hash(1), -1000.0, at(0)), Ok(0.0));
    assert_eq!(clamped.update_and_query(hash(1), 2.0, at(0)), Ok(2.0));
    let mut latch = sketch(&SketchOptions::new().cells(10).clamp(None, Some(1.0))).unwrap();
    assert_eq!(latch.update_and_query(hash(1), 1.0, at(0)), Ok(1.0));
    assert_eq!(latch.update_and_query(hash(1), 1.0, at(0)), Ok(1.0));
}

#[test]
fn a_bucket_lets_its_burst_through_and_then_its_rate() {
    let drain = Linear::rate(10.0, Span::from_seconds(60)).unwrap();
    let mut debts = Sketch::new(&SketchOptions::new(), drain, Min).unwrap();
    let passed = |debts: &mut Sketch<Linear>, second: i64| {
        let now = Timestamp::from_seconds(second, 0);
        (0..100).filter(|_| debts.try_update(hash(1), 1.0, 10.0, now).unwrap().entered).count()
    };
    assert_eq!([0, 0, 5, 6, 30, 90, 1000].map(|second| passed(&mut debts, second)), [10, 0, 0, 1, 4, 10, 10]);
    let denied = Attempt { entered: false, score: 10.0 };
    assert_eq!(debts.try_update(hash(1), 1.0, 10.0, Timestamp::from_seconds(1000, 0)), Ok(denied));
    assert_eq!(debts.try_update(hash(1), 0.0, f64::NAN, at(0)).map(|attempt| attempt.entered), Ok(false));
}

#[test]
fn details_tell_each_cell() {
    let mut sketch = Sketch::new(&SketchOptions::new().levels(5).cells(1000), NoDecay, Min).unwrap();
    sketch.update(hash(1), 3.0, at(7)).unwrap();
    let detail = sketch.query_detailed(hash(1), at(9));
    assert_eq!(detail.score, 3.0);
    assert_eq!(detail.cells.iter().map(|cell| cell.level).collect::<Vec<_>>(), [0, 1, 2, 3, 4]);
    assert!(detail.cells.iter().all(|cell| cell.index < 1000 && cell.score == 3.0 && cell.time == at(7)));
    let unseen = sketch.query_detailed(hash(2), at(9));
    assert!(unseen.cells.iter().all(|cell| cell.score == 0.0 && cell.time == UNDATED));
}

#[test]
fn the_same_records_make_the_same_sketch_and_clear_makes_it_new() {
    let options = SketchOptions::new().cells(500);
    let make = || Sketch::new(&options, Exponential::half_life(Span::from_nanos(1000)).unwrap(), Min).unwrap();
    let run = |sketch: &mut Sketch<Exponential>| -> Vec<u64> {
        let mut number = numbers(1);
        (0..5000).map(|n| sketch.update_and_query(hash(number(900)), 1.0, at(n)).unwrap().to_bits()).collect()
    };
    let mut one = make();
    let first = run(&mut one);
    assert_eq!(first, run(&mut make()));
    one.clear();
    assert_eq!((one.query(hash(1), at(0)), one.last()), (0.0, UNDATED));
    assert_eq!(first, run(&mut one));
}

#[test]
fn nothing_is_allocated_for_a_record() {
    for levels in [4, 7] {
        let options = SketchOptions::new().levels(levels).cells(10_000);
        let decay = Exponential::half_life(Span::from_nanos(1_000_000)).unwrap().into();
        let mut sketch = Sketch::<AnyDecay, _>::new(&options, decay, AnyAggregate::Min).unwrap();
        let hashes: Vec<u64> = (0..20_000).map(hash).collect();
        let times: Vec<Timestamp> = (0..20_000).map(|index| at(index * 7)).collect();
        let mut scores = vec![0.0; hashes.len()];
        let count = allocation_counter::measure(|| {
            sketch.update_and_query_batch(&hashes, &[], &times, &mut scores);
            sketch.query_batch(&hashes, &times, &mut scores);
            for hash in &hashes {
                sketch.update(*hash, 1.0, times[0]).unwrap();
                sketch.try_update(*hash, 1.0, 3.0, times[0]).unwrap();
                sketch.query(*hash, times[0]);
            }
        });
        assert_eq!(count.count_total, 0, "{count:?}");
    }
}

#[test]
fn a_sketch_tells_its_dimensions() {
    let sketch = sketch(&SketchOptions::new()).unwrap();
    assert_eq!((sketch.levels(), sketch.cells(), sketch.memory_bytes()), (4, 100_000, 6_400_000));
    assert_eq!(sketch.decay(), &NoDecay);
    assert!(format!("{sketch:?}").len() < 300);
}

#[test]
#[should_panic(expected = "an instant for each hash")]
fn one_instant_does_not_stand_for_all() {
    sketch(&SketchOptions::new().cells(10)).unwrap().query_batch(&[1, 2], &[at(0)], &mut [0.0; 2]);
}
