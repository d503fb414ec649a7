//! What a cell of half the size, with a score of 32 bits, would cost.

use crate::streams::Random;
use grudge::decay::{Decay, Exponential};
use grudge::time::Span;

/// A key that earns one a thousandth of a half-life, its score rounded to 32 bits after each record.
pub fn short_scores() {
    const RECORDS: usize = 1_000_000;
    println!("\n## A score of 32 bits against one of 64, {RECORDS} records of one key\n");
    println!("| records a half-life | relative error at the end | largest |");
    println!("|---|---|---|");
    for pace in [10, 1_000, 100_000, 10_000_000] {
        let half_life = 1_000_000_000i64;
        let decay = Exponential::half_life(Span::from_nanos(half_life)).expect("a half-life");
        let (mut short, mut long, mut largest) = (0f32, 0f64, 0f64);
        let mut random = Random::new(11);
        let mut error = 0.0;
        for _ in 0..RECORDS {
            let apart = Span::from_nanos(random.below((2 * half_life / pace) as u64) as i64);
            long = decay.apply(long, apart) + 1.0;
            short = (decay.apply(short.into(), apart) + 1.0) as f32;
            error = (f64::from(short) / long - 1.0).abs();
            largest = largest.max(error);
        }
        println!("| {pace} | {error:.1e} | {largest:.1e} |");
    }
    // The first whole number that has no neighbour one above it.
    let mut stuck = 1f32;
    while stuck + 1.0 > stuck {
        stuck *= 2.0;
    }
    println!("\nWithout fading a score of 32 bits stops counting at {stuck}.");
}
