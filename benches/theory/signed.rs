//! Deltas of both signs: which aggregate serves them, and what becomes of conservative raises among them.

use crate::streams::{Random, hash_of};
use grudge::aggregate::AnyAggregate;
use grudge::decay::{AnyDecay, NoDecay};
use grudge::sketch::{Sketch, SketchOptions, UNDATED};

const CELLS: u64 = 10_000;

/// Records of each key, on average.
const RECORDS_A_KEY: usize = 20;

/// Differences of sums of floats that mean nothing.
const SLACK: f64 = 1e-9;

/// Feedback: a third of the keys are bad (+5 in four of five records), the others good (-1 in nine of ten, else +5).
fn delta(key: usize, random: &mut Random) -> f64 {
    let is_bad = key.is_multiple_of(3);
    let fails = random.unit() < if is_bad { 0.8 } else { 0.1 };
    if fails { 5.0 } else { -1.0 }
}

pub fn negative_deltas() {
    println!(
        "\n## Deltas of both signs, 4 levels of {CELLS} cells, {RECORDS_A_KEY} records a key: share of keys under and over, mean error\n"
    );
    println!("| keys/cells | clamp at 0 | min | mean of the middle two | mean |");
    println!("|---|---|---|---|---|");
    for load in [0.1, 0.25, 0.5, 1.0, 2.0] {
        for clamp in [false, true] {
            let shown: Vec<String> = [AnyAggregate::Min, AnyAggregate::MiddleMean, AnyAggregate::Mean]
                .into_iter()
                .map(|aggregate| {
                    let errors = errors(load, clamp, aggregate);
                    let share = |is: fn(&f64) -> bool| {
                        errors.iter().filter(|error| is(error)).count() as f64 / errors.len() as f64
                    };
                    let mean = errors.iter().map(|error| error.abs()).sum::<f64>() / errors.len() as f64;
                    format!("{:.3} / {:.3}, {mean:.2}", share(|error| *error < -SLACK), share(|error| *error > SLACK))
                })
                .collect();
            println!("| {load} | {} | {} |", if clamp { "yes" } else { "no" }, shown.join(" | "));
        }
    }
    mixed();
}

/// What each key reads too much, after twenty records each in random order.
fn errors(load: f64, clamp: bool, aggregate: AnyAggregate) -> Vec<f64> {
    let keys = (CELLS as f64 * load) as usize;
    let options = SketchOptions::new().cells(CELLS).signed(true).clamp(clamp.then_some(0.0), None);
    let mut sketch = Sketch::new(&options, AnyDecay::from(NoDecay), aggregate).expect("the options are right");
    let (mut truth, mut random) = (vec![0.0f64; keys], Random::new(3));
    for _ in 0..keys * RECORDS_A_KEY {
        let key = random.below(keys as u64) as usize;
        let delta = delta(key, &mut random);
        truth[key] += delta;
        if clamp {
            truth[key] = truth[key].max(0.0);
        }
        sketch.update(hash_of(key), delta, UNDATED).expect("a finite delta");
    }
    truth.iter().enumerate().map(|(key, truth)| sketch.query(hash_of(key), UNDATED) - truth).collect()
}

/// Raises only where they are needed, and takes away everywhere: the share of keys that read too little.
fn mixed() {
    const LEVELS: usize = 4;
    println!("\nConservative raises with plain lowering, no clamp: share of keys under the truth\n");
    println!("| keys/cells | share |\n|---|---|");
    for load in [0.25, 1.0, 2.0] {
        let keys = (CELLS as f64 * load) as usize;
        let mut cells = vec![[0.0f64; CELLS as usize]; LEVELS];
        let place = |key: usize, level: usize| hash_of(key * LEVELS + level) as usize % CELLS as usize;
        let (mut truth, mut random) = (vec![0.0f64; keys], Random::new(3));
        for _ in 0..keys * RECORDS_A_KEY {
            let key = random.below(keys as u64) as usize;
            let delta = delta(key, &mut random);
            truth[key] += delta;
            let least = (0..LEVELS).map(|level| cells[level][place(key, level)]).fold(f64::INFINITY, f64::min);
            for (level, cells) in cells.iter_mut().enumerate() {
                let cell = &mut cells[place(key, level)];
                *cell = if delta > 0.0 { cell.max(least + delta) } else { *cell + delta };
            }
        }
        let read = |key: usize| (0..LEVELS).map(|level| cells[level][place(key, level)]).fold(f64::INFINITY, f64::min);
        let under = (0..keys).filter(|key| read(*key) < truth[*key] - SLACK).count();
        println!("| {load} | {:.3} |", under as f64 / keys as f64);
    }
}
