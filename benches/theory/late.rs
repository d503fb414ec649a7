//! Records out of order: what a sketch reads of them, against the truth, under two rules.

use crate::streams::Random;
use grudge::aggregate::Min;
use grudge::decay::{Decay, Exponential, Linear};
use grudge::sketch::{Sketch, SketchOptions};
use grudge::time::{Span, Timestamp};

/// One key, a record a hundredth of a half-life on average, each late by up to `jitter` half-lives.
pub fn lateness() {
    const HALF_LIFE: i64 = 1_000_000;
    const RECORDS: i64 = 20_000;
    const RECORDS_A_HALF_LIFE: i64 = 100;
    /// What drains in a half-life: nine tenths of what comes, so that the truth is far from nothing.
    const DRAINED: f64 = 90.0;
    println!("\n## Scores of records that are late by up to a jitter, against the truth at the same instant\n");
    println!(
        "| jitter, half-lives | exponential: time set to each record's | ours | linear: time set to each record's | ours |"
    );
    println!("|---|---|---|---|---|");
    for jitter in [0.0, 0.03, 0.1, 0.3, 1.0] {
        let mut random = Random::new(7);
        let times: Vec<i64> = (0..RECORDS)
            .map(|index| index * HALF_LIFE / RECORDS_A_HALF_LIFE - (random.unit() * jitter * HALF_LIFE as f64) as i64)
            .collect();
        let exponential = Exponential::half_life(Span::from_nanos(HALF_LIFE)).expect("a half-life");
        let linear = Linear::rate(DRAINED, Span::from_nanos(HALF_LIFE)).expect("a rate");
        let cells = [ratios(&exponential, &times), ratios(&linear, &times)].concat();
        let shown: Vec<String> = cells.iter().map(|ratio| format!("{ratio:.3}")).collect();
        println!("| {jitter} | {} |", shown.join(" | "));
    }
}

/// The mean over the second half of the records of score / truth, for the rule that sets the time of a cell to that of each
/// access, and for the sketch.
fn ratios<D: Decay>(decay: &D, times: &[i64]) -> Vec<f64> {
    let options = SketchOptions::new().cells(100);
    let mut sketch = Sketch::new(&options, decay.clone(), Min).expect("the options are right");
    let (mut score, mut updated) = (0.0, times[0]);
    let (mut truth, mut now) = (0.0, i64::MIN);
    let mut sums = [0.0; 3];
    for (index, &time) in times.iter().enumerate() {
        // The original: no growth from a negative span, and the access's time kept whatever it is.
        if time > updated {
            score = decay.apply(score, Span::from_nanos(time - updated));
        }
        updated = time;
        score += 1.0;
        // The truth goes by the latest time, and a late record counts what is left of it.
        if now != i64::MIN && time > now {
            truth = decay.apply(truth, Span::from_nanos(time - now));
        }
        now = now.max(time);
        truth += decay.late(1.0, Span::from_nanos(now - time));
        let ours = sketch.update_and_query(1, 1.0, Timestamp::from_nanos(time)).expect("one is a delta");
        if index >= times.len() / 2 {
            for (sum, value) in sums.iter_mut().zip([score, ours, truth]) {
                *sum += value;
            }
        }
    }
    vec![sums[0] / sums[2], sums[1] / sums[2]]
}
