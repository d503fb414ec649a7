//! [`Limiter`] against its slow, obvious twin, and by itself.

mod bounds;
mod laws;
mod plain;
mod twin;

use super::*;
use crate::hash::mix;
use crate::time::Span;
use proptest::prelude::*;
use twin::Twin;

const SECOND: i64 = crate::time::NANOS_PER_SECOND;
const WEEK: i64 = 7 * 24 * 3_600 * SECOND;

const ALGORITHMS: [Algorithm; 4] =
    [Algorithm::TokenBucket, Algorithm::LeakyBucket, Algorithm::FixedWindow, Algorithm::SlidingWindow];

/// The hash of the `key`th key: two mixes make neighbours look random.
fn hash(key: u64) -> u64 {
    mix(mix(key ^ 0x5851_F42D_4C95_7F2D))
}

fn quota(count: u64, nanos: i64) -> Quota {
    Quota::new(count, Span::from_nanos(nanos)).unwrap()
}

/// A limiter in which a few keys do not meet.
fn roomy(quotas: &[Quota], algorithm: Algorithm) -> Limiter {
    Limiter::new(quotas, &LimiterOptions::new().algorithm(algorithm).cells(256)).unwrap()
}

fn at(nanos: i64) -> Timestamp {
    Timestamp::from_nanos(nanos)
}

/// One record of a generated stream: its key, its cost in millionths, by how much the clock moves before it.
#[derive(Debug, Clone)]
struct Record {
    key: u64,
    millionths: u64,
    step: i64,
}

/// A rate, odd or even, slow or quick, among them two whose range is over within seconds; and how many at once.
fn a_quota(algorithm: Algorithm) -> impl Strategy<Value = Quota> {
    let rates = prop::sample::select(vec![
        (7, SECOND),
        (11, WEEK),
        (1_000_000, SECOND),
        (999_983, SECOND),
        (1, WEEK),
        (100, 60 * SECOND),
        (1_000_000_007, SECOND),
        (1 << 58, 60 * SECOND),
        (10, 1_000),
        (3, 1),
    ]);
    (rates, prop::option::of(1u64..6)).prop_map(move |((count, nanos), burst)| {
        // A burst of 2^58 is more than a bucket can count.
        let count = if is_bucket(algorithm) { count.min(1 << 29) } else { count };
        match burst {
            Some(burst) if is_bucket(algorithm) => quota(count, nanos).burst(burst),
            // Few enough that they are used up.
            Some(few) if count < 1 << 58 => quota(few, nanos),
            _ => quota(count, nanos),
        }
    })
}

fn is_bucket(algorithm: Algorithm) -> bool {
    matches!(algorithm, Algorithm::TokenBucket | Algorithm::LeakyBucket)
}

/// Records of a few keys: the clock mostly stands or moves by about one token or one period, at times it leaps hours or
/// years, or goes back.
fn records(quotas: &[Quota]) -> impl Strategy<Value = Vec<Record>> + use<> {
    let period = quotas[0].per().nanos();
    let token = period / quotas[0].count().min(i64::MAX as u64) as i64;
    let steps = prop_oneof![
        8 => Just(0),
        8 => 0..=2 * token + 1,
        4 => 0..=period,
        2 => 0..=3 * period,
        1 => 0..=4 * 3_600 * SECOND,
        1 => 0..=5 * 52 * WEEK,
        1 => (-2 * period)..=0,
        1 => (-3_600 * SECOND)..=0,
    ];
    let full = quotas[0].most_at_once().min(1 << 40) * 1_000_000;
    let costs = prop_oneof![
        8 => Just(1_000_000),
        2 => 0..4_000_000u64,
        2 => (0..=full / 1_000_000).prop_map(|whole| whole * 1_000_000),
        1 => 0..=2 * full,
        1 => Just(0),
    ];
    let record = (0u64..4, costs, steps).prop_map(|(key, millionths, step)| Record { key, millionths, step });
    prop::collection::vec(record, 1..200)
}

/// An algorithm, one to three quotas and a stream for them.
fn a_case() -> impl Strategy<Value = (Algorithm, Vec<Quota>, Vec<Record>)> {
    prop::sample::select(ALGORITHMS.to_vec())
        .prop_flat_map(|algorithm| (Just(algorithm), prop::collection::vec(a_quota(algorithm), 1..4)))
        .prop_flat_map(|(algorithm, quotas)| (Just(algorithm), Just(quotas.clone()), records(&quotas)))
}

/// Where a stream may begin: today, before 1970, and at both ends of time.
fn a_start() -> impl Strategy<Value = i64> {
    prop_oneof![
        4 => 1_700_000_000 * SECOND..1_700_000_100 * SECOND,
        1 => -100 * SECOND..100 * SECOND,
        1 => i64::MIN + 1..i64::MIN + 1_000,
        1 => i64::MAX - 100 * SECOND..i64::MAX,
    ]
}
