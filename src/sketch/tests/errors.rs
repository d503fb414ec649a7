//! Over-estimates on seeded streams, against the theory.

use super::*;
use crate::decay::{Exponential, NoDecay};
use crate::sizing::{expected_over, over_rate};
use std::collections::HashMap;

/// A sketch of `keys` keys of score 1 each.
fn filled(keys: u64, levels: u32, cells: u64, update: Update) -> Sketch<NoDecay> {
    let options = SketchOptions::new().levels(levels).cells(cells).update(update);
    let mut sketch = Sketch::new(&options, NoDecay, Min).unwrap();
    let hashes: Vec<u64> = (0..keys).map(hash).collect();
    let mut scores = vec![0.0; hashes.len()];
    sketch.update_and_query_batch(&hashes, &[], &[], &mut scores);
    sketch
}

/// Of keys never entered, the share that has a score, and the mean score.
fn over_of(sketch: &Sketch<NoDecay>) -> (f64, f64) {
    let asked: Vec<u64> = (0..ASKED).map(|key| hash(key + (1 << 40))).collect();
    let mut scores = vec![0.0; asked.len()];
    sketch.query_batch(&asked, &[], &mut scores);
    let over = scores.iter().filter(|score| **score > 0.0).count();
    (over as f64 / ASKED as f64, scores.iter().sum::<f64>() / ASKED as f64)
}

/// Keys asked for.
const ASKED: u64 = 200_000;

/// Shapes to fill: powers of two and not, one level and many.
const SHAPES: [(u32, u64); 5] = [(4, 10_000), (4, 1 << 13), (2, 16_384), (1, 5000), (7, 3000)];

#[test]
fn over_estimates_are_as_frequent_and_as_large_as_the_formulas_say() {
    for (levels, cells) in SHAPES {
        for keys_a_cell in [0.3, 1.0, 3.0] {
            let keys = (cells as f64 * keys_a_cell) as u64;
            let (share, mean) = over_of(&filled(keys, levels, cells, Update::Plain));
            let (said, said_mean) = (over_rate(keys, levels, cells), expected_over(keys, levels, cells));
            // Slack: five standard deviations of what is drawn, and of the fills of the levels, which the keys asked
            // share: each is uncertain by sqrt(e^-x (1 - e^-x) / M) or less, the product by L times that, relatively.
            let drawn = (said * (1.0 - said) / ASKED as f64).sqrt();
            let fill = said * f64::from(levels) * 0.5 / (cells as f64).sqrt() / (1.0 - (-keys_a_cell).exp());
            assert!((share - said).abs() < 5.0 * (drawn + fill), "{levels}x{cells}, {keys}: {share} for {said}");
            let drawn = (said_mean * (1.0 + keys_a_cell) / ASKED as f64).sqrt();
            assert!(
                (mean - said_mean).abs() < 5.0 * (drawn + fill.max(said_mean / (cells as f64).sqrt())),
                "{levels}x{cells}, {keys}: {mean} for {said_mean}"
            );
        }
    }
}

#[test]
fn fill_foretells_the_share_of_over_estimates() {
    for (levels, cells) in SHAPES {
        let sketch = filled(cells, levels, cells, Update::Plain);
        let fill = sketch.fill_at(UNDATED, 0.01);
        let (share, _) = over_of(&sketch);
        let said = fill.expected_over();
        // Of these very cells: only the drawing of the keys asked is uncertain.
        assert!((share - said).abs() < 5.0 * (said * (1.0 - said) / ASKED as f64).sqrt(), "{share} for {said}");
        assert_eq!(fill.levels().len(), levels as usize);
        assert!((fill.mean() - (1.0 - (-1f64).exp())).abs() < 0.05);
    }
}

#[test]
fn fill_counts_what_matters_at_its_time() {
    let second = |n: i64| Timestamp::from_seconds(n, 0);
    let decay = Exponential::half_life(Span::from_seconds(1)).unwrap();
    let mut sketch = Sketch::new(&SketchOptions::new().cells(64).levels(1), decay, Min).unwrap();
    sketch.update(hash(1), 1.0, UNDATED).unwrap();
    assert_eq!(sketch.fill_at(second(9), 0.5).levels(), [1.0 / 64.0]);
    sketch.update(hash(1), 0.0, second(0)).unwrap();
    assert_eq!(sketch.fill_at(second(1), 0.5).levels(), [1.0 / 64.0]);
    assert_eq!(sketch.fill_at(second(1), 0.51).levels(), [0.0]);
    // At a time before a cell's, its score is what it is.
    assert_eq!(sketch.fill_at(second(-5), 1.0).levels(), [1.0 / 64.0]);
}

/// The mean over-estimate of the keys of a Zipf-like stream, each weighing the same, by update rule.
fn mean_over(update: Update, exponent: f64, keys: u64, cells: u64) -> f64 {
    let options = SketchOptions::new().cells(cells).update(update);
    let mut sketch = Sketch::new(&options, NoDecay, Min).unwrap();
    let mut truth: HashMap<u64, f64> = HashMap::new();
    let mut number = numbers(7);
    // The n-th key by the inverse of the continuous distribution with density x^-exponent on 1..=keys.
    let top = (keys as f64).powf(1.0 - exponent) - 1.0;
    for _ in 0..20 * keys {
        let uniform = number(1 << 53) as f64 / (1u64 << 53) as f64;
        let key = (1.0 + uniform * top).powf(1.0 / (1.0 - exponent)) as u64;
        sketch.update(hash(key), 1.0, UNDATED).unwrap();
        *truth.entry(key).or_default() += 1.0;
    }
    let over = |(key, truth): (&u64, &f64)| sketch.query(hash(*key), UNDATED) - truth;
    truth.iter().map(over).inspect(|over| assert!(*over >= 0.0)).sum::<f64>() / truth.len() as f64
}

#[test]
fn conservative_updates_are_over_by_two_to_six_times_less() {
    for exponent in [0.8, 1.2] {
        for keys_a_cell in [2, 6] {
            let [plain, conservative] = [Update::Plain, Update::Conservative]
                .map(|update| mean_over(update, exponent, 10_000, 10_000 / keys_a_cell));
            let ratio = plain / conservative;
            assert!((1.9..=6.5).contains(&ratio), "Zipf {exponent}, {keys_a_cell} keys a cell: {ratio}");
        }
    }
}
