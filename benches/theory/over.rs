//! How often and by how much scores are too high.

use crate::streams::{Random, Zipf, hash_of};
use grudge::aggregate::Min;
use grudge::decay::NoDecay;
use grudge::sizing;
use grudge::sketch::{Sketch, SketchOptions, UNDATED, Update};

fn sketch(levels: u32, cells: u64, update: Update) -> Sketch<NoDecay, Min> {
    let options = SketchOptions::new().levels(levels).cells(cells).update(update);
    Sketch::new(&options, NoDecay, Min).expect("the options are right")
}

/// Plain update, one event a key: the share of keys that read too high and what keys read, beside the formulas.
pub fn formula() {
    println!("\n## Over-estimates of plain update, unit scores: measured (formula)\n");
    println!("| levels | cells | keys/cells | share of new keys that read above 0 | what a new key reads |");
    println!("|---|---|---|---|---|");
    for (levels, cells) in [(2, 10_000), (4, 10_000), (4, 16_384), (8, 10_000)] {
        for load in [0.25, 0.5, 1.0, 2.0, 4.0] {
            let keys = (cells as f64 * load) as usize;
            let mut sketch = sketch(levels, cells, Update::Plain);
            for key in 0..keys {
                sketch.update(hash_of(key), 1.0, UNDATED).expect("one is a delta");
            }
            // Keys that never came read what others left in their cells.
            const STRANGERS: usize = 200_000;
            let strangers = (0..STRANGERS).map(|key| sketch.query(hash_of(keys + key), UNDATED));
            let (over, sum) =
                strangers.fold((0, 0.0), |(over, sum), score| (over + usize::from(score > 0.0), sum + score));
            let share = over as f64 / STRANGERS as f64;
            println!(
                "| {levels} | {cells} | {load} | {share:.5} ({:.5}) | {:.5} ({:.5}) |",
                sizing::over_rate(keys as u64, levels, cells),
                sum / STRANGERS as f64,
                sizing::expected_over(keys as u64, levels, cells),
            );
        }
    }
}

/// Conservative against plain, and how many levels serve best at the same memory.
pub fn conservative() {
    const CELLS_IN_ALL: u64 = 40_000;
    const EVENTS: usize = 1_000_000;
    println!("\n## Mean over-estimate of a key, plain and conservative, {CELLS_IN_ALL} cells in all\n");
    println!(
        "| Zipf | keys/cells of a level at L = 4 | plain L=2 | L=4 | L=8 | conservative L=2 | L=4 | L=8 | ratio at L=4 |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    for exponent in [0.8, 1.0, 1.2] {
        for load in [1, 2, 4, 10] {
            let keys = (CELLS_IN_ALL as usize / 4) * load;
            let zipf = Zipf::new(keys, exponent);
            let mut row = Vec::new();
            for update in [Update::Plain, Update::Conservative] {
                for levels in [2, 4, 8] {
                    let mut sketch = sketch(levels, CELLS_IN_ALL / u64::from(levels), update);
                    let (mut truth, mut random) = (vec![0u32; keys], Random::new(1));
                    for _ in 0..EVENTS {
                        let key = zipf.draw(&mut random);
                        truth[key] += 1;
                        sketch.update(hash_of(key), 1.0, UNDATED).expect("one is a delta");
                    }
                    let over = |(key, truth): (usize, &u32)| sketch.query(hash_of(key), UNDATED) - f64::from(*truth);
                    row.push(truth.iter().enumerate().map(over).sum::<f64>() / keys as f64);
                }
            }
            let shown: Vec<String> = row.iter().map(|over| format!("{over:.2}")).collect();
            println!("| {exponent} | {load} | {} | {:.1} |", shown.join(" | "), row[1] / row[4]);
        }
    }
}
