//! The limiter: whole numbers against floats, and the sliding window at its worst.

use crate::streams::Random;
use grudge::limit::{Algorithm, Cost, Limiter, LimiterOptions, Quota};
use grudge::time::{Span, Timestamp};

/// A bucket of tokens as a float, as it is usually written.
struct FloatBucket {
    tokens: f64,
    updated: f64,
}

impl FloatBucket {
    fn allows(&mut self, now: f64, rate: f64, burst: f64) -> bool {
        self.tokens = (self.tokens + (now - self.updated) * rate).min(burst);
        self.updated = now;
        let allowed = self.tokens >= 1.0;
        if allowed {
            self.tokens -= 1.0;
        }
        allowed
    }
}

/// One key that comes at whole seconds, about as often as it may.
pub fn float_against_integer() {
    const RECORDS: usize = 200_000;
    println!("\n## Verdicts of a float bucket against whole numbers, {RECORDS} records of a key at whole seconds\n");
    println!("| rate | records apart, s | differ | denied though a token is back |");
    println!("|---|---|---|---|");
    for (count, per, apart) in [(10, 60, 6), (100, 60, 1), (7, 60, 9), (1, 60, 60), (3, 10, 3)] {
        let quota = Quota::new(count, Span::from_seconds(per)).expect("a rate");
        let mut limiter = Limiter::new(&[quota], &LimiterOptions::new().cells(64)).expect("the options are right");
        let (rate, burst) = (count as f64 / per as f64, count as f64);
        // Seconds since 1970 of a day in 2026: what a float has to hold beside the fraction of a token.
        let mut now = 1_772_323_200i64;
        let mut bucket = FloatBucket { tokens: burst, updated: now as f64 };
        let mut random = Random::new(5);
        let (mut differ, mut denied) = (0, 0);
        for _ in 0..RECORDS {
            now += random.below(2 * apart + 1) as i64;
            let exact = limiter.limit(1, Cost::ONE, Timestamp::from_seconds(now, 0)).allowed;
            let float = bucket.allows(now as f64, rate, burst);
            differ += u32::from(float != exact);
            denied += u32::from(exact && !float);
        }
        println!("| {count}/{per} s | {apart} | {differ} | {denied} |");
    }
}

/// All of a window's records at its end, and as many as are let through afterwards: the most within one period.
pub fn sliding_window() {
    const COUNT: u64 = 100;
    const PERIOD: i64 = 100;
    println!("\n## Most records that pass within one period of {PERIOD} s, at {COUNT} allowed\n");
    println!("| algorithm | all at the end of a window, then one each tenth of a second | one each second |");
    println!("|---|---|---|");
    for (algorithm, name) in [
        (Algorithm::TokenBucket, "token-bucket"),
        (Algorithm::FixedWindow, "fixed-window"),
        (Algorithm::SlidingWindow, "sliding-window"),
    ] {
        let most = |times: &[i64]| {
            let quota = Quota::new(COUNT, Span::from_seconds(PERIOD)).expect("a rate");
            let options = LimiterOptions::new().cells(64).algorithm(algorithm);
            let mut limiter = Limiter::new(&[quota], &options).expect("the options are right");
            let mut passed: Vec<i64> = Vec::new();
            let mut most = 0;
            for &tenth in times {
                let now = Timestamp::from_nanos(tenth * 100_000_000);
                if limiter.limit(1, Cost::ONE, now).allowed {
                    passed.push(tenth);
                }
                let from = passed.partition_point(|time| *time <= tenth - PERIOD * 10);
                most = most.max(passed.len() - from);
            }
            most
        };
        let end = 10 * PERIOD - 1;
        let border: Vec<i64> = std::iter::repeat_n(end, COUNT as usize).chain(end + 1..end + 20 * PERIOD).collect();
        let steady: Vec<i64> = (0..100 * PERIOD).map(|second| second * 10).collect();
        println!("| {name} | {} | {} |", most(&border), most(&steady));
    }
}
