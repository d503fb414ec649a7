//! By how much each algorithm can pass its count, and how many keys are judged too strictly.

use super::*;

const COUNT: usize = 100;
const PERIOD: i64 = 60 * SECOND;

/// The instants at which a key that comes at all of `instants` is allowed.
fn allowed_at(algorithm: Algorithm, instants: impl IntoIterator<Item = i64>) -> Vec<i64> {
    let mut limiter = roomy(&[quota(COUNT as u64, PERIOD)], algorithm);
    instants.into_iter().filter(|now| limiter.limit(hash(0), Cost::ONE, at(*now)).allowed).collect()
}

/// The most of the instants that lie within any one period.
fn most_in_a_period(instants: &[i64]) -> usize {
    let ends = (0..instants.len()).map(|end| {
        let first = instants.partition_point(|instant| instants[end] - instant >= PERIOD);
        end + 1 - first
    });
    ends.max().unwrap_or(0)
}

#[test]
fn a_fixed_window_passes_twice_its_count_across_a_border_and_no_more() {
    let border = 1_000 * PERIOD;
    let both_sides = [border - 1, border].into_iter().flat_map(|now| [now; 3 * COUNT]);
    let allowed = allowed_at(Algorithm::FixedWindow, both_sides);
    assert_eq!(allowed.len(), 2 * COUNT);
    assert_eq!(most_in_a_period(&allowed), 2 * COUNT);
    // Windows begin at whole minutes since 1970, before it too.
    let before = allowed_at(Algorithm::FixedWindow, [-1, 0].into_iter().flat_map(|now| [now; 3 * COUNT]));
    assert_eq!(before.len(), 2 * COUNT);
}

#[test]
fn a_bucket_passes_its_burst_and_its_count_in_a_period_and_no_more() {
    let always = (0..3 * PERIOD).step_by(50_000_000);
    assert_eq!(most_in_a_period(&allowed_at(Algorithm::TokenBucket, always)), 2 * COUNT - 1);
}

#[test]
fn a_sliding_window_passes_nearly_twice_its_count_after_a_window_used_at_its_end() {
    let border = 1_000 * PERIOD;
    let end = std::iter::repeat_n(border - 1, COUNT);
    let after = (border..border + PERIOD).step_by(PERIOD as usize / (10 * COUNT));
    let allowed = allowed_at(Algorithm::SlidingWindow, end.chain(after));
    // One more of this window each time its hundredth is over: at a share x of it, (1 + x) · count, the last at 99/100.
    for (index, instant) in allowed[COUNT..].iter().enumerate() {
        assert_eq!(*instant, border + (index as i64 + 1) * PERIOD / COUNT as i64);
    }
    assert_eq!(most_in_a_period(&allowed), 2 * COUNT - 1);
}

#[test]
fn a_sliding_window_keeps_its_count_give_or_take_one_where_records_come_evenly() {
    for gaps_a_period in (COUNT / 2..12 * COUNT).step_by(7) {
        let steady = (0..20 * PERIOD).step_by(PERIOD as usize / gaps_a_period);
        let allowed = allowed_at(Algorithm::SlidingWindow, steady);
        let most = most_in_a_period(&allowed);
        assert!(most <= COUNT + 1, "{gaps_a_period}: {most}");
        // And gives it.
        let wanted = gaps_a_period.min(COUNT);
        assert!(allowed.len() >= 19 * wanted, "{gaps_a_period}: {}", allowed.len());
    }
}

#[test]
fn as_many_keys_are_judged_too_strictly_as_is_said() {
    const KEYS: u64 = 38_000;
    const FRESH: u64 = 50_000;
    let mut limiter = Limiter::new(&[quota(1, WEEK)], &LimiterOptions::new()).unwrap();
    let hashes: Vec<u64> = (0..KEYS).map(hash).collect();
    let mut allowed = vec![false; hashes.len()];
    limiter.allow_batch(&hashes, &[], &vec![at(0); hashes.len()], &mut allowed);
    let denied = (KEYS..KEYS + FRESH).filter(|key| !limiter.peek(hash(*key), Cost::ONE, at(0)).allowed).count();
    let found = denied as f64 / FRESH as f64;
    let formula = (1.0 - (-(KEYS as f64) / LimiterOptions::DEFAULT_CELLS as f64).exp()).powi(4);
    let said: f64 = limiter.fill_at(at(0)).iter().product();
    // Five deviations of a count of about 500 are 0.0022.
    assert!((found - formula).abs() < 0.0022 && (found - said).abs() < 0.0022, "{found} {formula} {said}");
    // A week later all are at rest.
    assert_eq!(limiter.fill_at(at(WEEK)), [0.0; 4]);
}
