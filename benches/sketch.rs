//! What a key costs in a sketch, beside a twin laid out as a straightforward sketch of locked cells is:
//! `cargo bench --bench sketch`.
//!
//! Both take `update_and_query` of the same pseudo-random keys, all different, with the time advancing; each round runs
//! one after the other, and the medians of the rounds are told. The twin has a mutex a cell, takes one key at a time,
//! finds a cell by (h1 + l · h2) modulo M, ages each cell by itself and uses the platform's exponential.

use grudge::aggregate::Min;
use grudge::decay::{AnyDecay, Decay, Exponential, Linear, NoDecay};
use grudge::sketch::{Sketch, SketchOptions};
use grudge::time::{Span, Timestamp};
use std::hint::black_box;
use std::sync::Mutex;
use std::time::Instant;

/// The sizes of the library's default, and of the 64 MiB that the command line takes where none is given.
const SHAPES: [(&str, u32, u64); 2] = [("6.4 MB", 4, 100_000), ("64 MiB", 4, 1 << 20)];
/// Rounds of so many keys: 64 million in all.
const ROUNDS: u64 = 8;
const KEYS_A_ROUND: u64 = 8_000_000;
/// Keys handed over at a time.
const BATCH: usize = 1024;
/// A million keys a second, so that a second's half-life leaves every cell partly faded.
const NANOS_A_KEY: i64 = 1000;
const HALF_LIFE: Span = Span::from_seconds(1);
const DRAIN_A_SECOND: f64 = 1.0;

/// The hash of the `n`th key (SplitMix64).
fn hash(n: u64) -> u64 {
    let mut z = n.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

fn main() {
    println!("ns a key, median of {ROUNDS} rounds of {KEYS_A_ROUND} keys");
    println!("{:8} {:12} {:>7} {:>7} {:>9} {:>7}", "cells", "decay", "sketch", "chosen", "twin", "ratio");
    let exponential = Exponential::half_life(HALF_LIFE).unwrap();
    let linear = Linear::rate(DRAIN_A_SECOND, Span::from_seconds(1)).unwrap();
    for shape in SHAPES {
        compare("none", shape, NoDecay, Fading::None);
        compare("linear", shape, linear, Fading::Linear(DRAIN_A_SECOND / 1e9));
        compare("exponential", shape, exponential, Fading::Exponential(std::f64::consts::LN_2 / 1e9));
    }
}

/// One line of the table: the sketch with its decay known to the compiler, with one chosen at run time, and the twin.
fn compare<D: Decay + Into<AnyDecay>>(name: &str, (size, levels, cells): (&str, u32, u64), decay: D, fading: Fading) {
    let options = SketchOptions::new().levels(levels).cells(cells);
    let mut known = Sketch::new(&options, decay.clone(), Min).unwrap();
    let mut chosen = Sketch::<AnyDecay>::new(&options, decay.into(), Min).unwrap();
    let mut twin = Twin::new(levels as usize, cells as usize, fading);
    let (mut of_known, mut of_chosen, mut of_twin) = (Vec::new(), Vec::new(), Vec::new());
    for round in 0..ROUNDS {
        let keys = round * KEYS_A_ROUND..(round + 1) * KEYS_A_ROUND;
        of_known.push(batched(&mut known, keys.clone()));
        of_chosen.push(batched(&mut chosen, keys.clone()));
        of_twin.push(one_by_one(&mut twin, keys));
    }
    let [of_known, of_chosen, of_twin] = [of_known, of_chosen, of_twin].map(median);
    let ratio = of_twin / of_known;
    println!("{size:8} {name:12} {of_known:7.1} {of_chosen:7.1} {of_twin:9.1} {ratio:6.1}x");
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

fn batched<D: Decay>(sketch: &mut Sketch<D, Min>, keys: std::ops::Range<u64>) -> f64 {
    let count = keys.end - keys.start;
    let (mut hashes, mut at, mut scores) = ([0; BATCH], [Timestamp::MIN; BATCH], [0.0; BATCH]);
    let started = Instant::now();
    for first in keys.clone().step_by(BATCH) {
        let len = BATCH.min((keys.end - first) as usize);
        for index in 0..len {
            let key = first + index as u64;
            hashes[index] = hash(key);
            at[index] = Timestamp::from_nanos(key as i64 * NANOS_A_KEY);
        }
        sketch.update_and_query_batch(&hashes[..len], &[], &at[..len], &mut scores[..len]);
        black_box(&scores);
    }
    started.elapsed().as_nanos() as f64 / count as f64
}

fn one_by_one(twin: &mut Twin, keys: std::ops::Range<u64>) -> f64 {
    let count = keys.end - keys.start;
    let started = Instant::now();
    for key in keys {
        black_box(twin.update_and_query(hash(key), 1.0, key as i64 * NANOS_A_KEY));
    }
    started.elapsed().as_nanos() as f64 / count as f64
}

/// How the twin's cells fade, by the nanosecond.
#[derive(Clone, Copy)]
enum Fading {
    None,
    Linear(f64),
    Exponential(f64),
}

#[derive(Default)]
struct TwinCell {
    score: f64,
    last_updated: i64,
}

/// The twin.
struct Twin {
    cells: Vec<Vec<Mutex<TwinCell>>>,
    fading: Fading,
}

impl Twin {
    fn new(levels: usize, cells: usize, fading: Fading) -> Twin {
        let level = || (0..cells).map(|_| Mutex::default()).collect();
        Twin { cells: (0..levels).map(|_| level()).collect(), fading }
    }

    #[inline(never)]
    fn update_and_query(&mut self, hash: u64, delta: f64, now: i64) -> f64 {
        let (h1, h2) = (hash & u64::from(u32::MAX), hash >> u32::BITS);
        let mut scores = [0.0; 16];
        for (level, cells) in self.cells.iter().enumerate() {
            let index = (h1 + level as u64 * h2) % cells.len() as u64;
            let mut cell = cells[index as usize].lock().unwrap();
            let elapsed = now - cell.last_updated;
            if elapsed > 0 {
                cell.score = match self.fading {
                    Fading::None => cell.score,
                    Fading::Linear(rate) => (cell.score.abs() - rate * elapsed as f64).max(0.0).copysign(cell.score),
                    Fading::Exponential(lambda) => cell.score * (-lambda * elapsed as f64).exp(),
                };
            }
            cell.last_updated = now;
            cell.score += delta;
            scores[level] = cell.score;
        }
        scores[..self.cells.len()].iter().copied().fold(f64::INFINITY, f64::min)
    }
}
