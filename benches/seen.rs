//! What `Seen` forgets by load, how long its growth holds a record up, and what a key costs by the size of the table:
//! `cargo bench --bench seen`.

use grudge::seen::{Seen, SeenOptions, Verdict};
use std::collections::HashSet;
use std::time::{Duration, Instant};

/// The hash of the `n`th key (SplitMix64).
fn hash(n: u64) -> u64 {
    let mut z = n.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

const MIB: u64 = 1 << 20;
const BATCH: usize = 64;

fn main() {
    forgotten_by_load();
    pauses_of_growth();
    cost_by_size();
}

/// Keys forgotten when so many of the slots of a 64 MiB table are to be live.
fn forgotten_by_load() {
    println!("keys forgotten by load, 64 MiB (8.4 million slots)");
    for percent in [60, 70, 80, 85, 90, 95, 100] {
        let mut seen = Seen::new(&SeenOptions::new().memory(64 * MIB)).unwrap();
        let keys = seen.max_slots() * percent / 100;
        fill(&mut seen, keys);
        let forgotten = seen.live_evictions();
        let load = percent as f64 / 100.0;
        println!("  {load:.2}  {forgotten:>8} of {keys}  ({:.1e})", forgotten as f64 / keys as f64);
    }
}

fn fill(seen: &mut Seen, keys: u64) {
    let mut verdicts = [Verdict::New; BATCH];
    let mut hashes = [0; BATCH];
    for start in (0..keys).step_by(BATCH) {
        hashes.iter_mut().zip(start..).for_each(|(hash_of, key)| *hash_of = hash(key));
        seen.check_batch(&hashes, &[], &mut verdicts);
    }
}

/// The longest batches of 64 keys while a table of 256 MiB grows from nothing to 14 million keys.
fn pauses_of_growth() {
    const KEYS: u64 = 14_000_000;
    let mut seen = Seen::new(&SeenOptions::new().memory(256 * MIB)).unwrap();
    let mut verdicts = [Verdict::New; BATCH];
    let mut times = Vec::new();
    let begun = Instant::now();
    for start in (0..KEYS).step_by(BATCH) {
        let hashes: [u64; BATCH] = std::array::from_fn(|index| hash(start + index as u64));
        let started = Instant::now();
        seen.check_batch(&hashes, &[], &mut verdicts);
        times.push(started.elapsed());
    }
    let total = begun.elapsed();
    times.sort_unstable();
    let longest: Vec<String> = times.iter().rev().take(3).map(|time| format!("{time:.0?}")).collect();
    let at = |share: f64| times[(times.len() as f64 * share) as usize];
    println!(
        "growth to {KEYS} keys: {total:.2?} in all; a batch of {BATCH}: median {:.1?}, 99.9 % {:.0?}, longest {}; forgotten {}",
        at(0.5),
        at(0.999),
        longest.join(", "),
        seen.live_evictions()
    );
}

/// Nanoseconds a key, half of the keys repeats, by the number of keys; an exact set beside it.
fn cost_by_size() {
    println!("ns a key, half of them repeats: Seen in batches, one by one, and a HashSet<u64> with its own hashing");
    for keys in [1_000u64, 10_000, 100_000, 1_000_000, 10_000_000] {
        let queries = 4_000_000u64;
        let key_of = |index: u64| hash(hash(index) % (2 * keys));
        let batched = median(|| {
            let mut seen = Seen::new(&SeenOptions::new()).unwrap();
            let hashes: Vec<u64> = (0..queries).map(key_of).collect();
            let mut verdicts = vec![Verdict::New; hashes.len()];
            let started = Instant::now();
            seen.check_batch(&hashes, &[], &mut verdicts);
            started.elapsed()
        });
        let alone = median(|| {
            let mut seen = Seen::new(&SeenOptions::new()).unwrap();
            let started = Instant::now();
            let new = (0..queries).filter(|index| seen.check(key_of(*index), Seen::UNDATED) == Verdict::New).count();
            assert!(new > 0);
            started.elapsed()
        });
        let exact = median(|| {
            let mut set = HashSet::new();
            let started = Instant::now();
            let new = (0..queries).filter(|index| set.insert(key_of(*index))).count();
            assert!(new > 0);
            started.elapsed()
        });
        let ns = |time: Duration| time.as_nanos() as f64 / queries as f64;
        println!("  {keys:>9} keys  {:5.1}  {:5.1}  {:5.1}", ns(batched), ns(alone), ns(exact));
    }
}

/// The median of a few runs.
fn median(mut run: impl FnMut() -> Duration) -> Duration {
    const RUNS: usize = 5;
    let mut times: Vec<Duration> = (0..RUNS).map(|_| run()).collect();
    times.sort_unstable();
    times[RUNS / 2]
}
