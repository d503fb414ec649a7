//! The laws of decay, and the power of two against the platform's.

use super::*;
use crate::time::NANOS_PER_SECOND;
use proptest::prelude::*;

/// What composing may cost, beside the score: the roundings of three powers of up to 2^-1022, each of which multiplies its
/// exponent's error of 2^-53 by up to 1022 · ln 2.
const SLACK: f64 = 1e-12;

/// What a power of two may be off by, beside itself: its polynomial's roundings, about two of a last bit.
const POWER_SLACK: f64 = 5e-16;

/// Any of the decays, from a nanosecond to a century.
fn decays() -> impl Strategy<Value = AnyDecay> {
    let span = || (0.0f64..18.5).prop_map(|digits| Span::from_nanos(10f64.powf(digits) as i64));
    prop_oneof![
        4 => span().prop_map(|half_life| Exponential::half_life(half_life).unwrap().into()),
        2 => (1e-9f64..1e3).prop_map(|lambda| Exponential::lambda(lambda).unwrap().into()),
        4 => (1e-5f64..1e6, span()).prop_map(|(amount, per)| Linear::rate(amount, per).unwrap().into()),
        1 => Just(NoDecay.into()),
    ]
}

fn scores() -> impl Strategy<Value = f64> {
    prop_oneof![8 => -1e6f64..1e6, 1 => Just(0.0), 1 => -1e-5f64..1e-5]
}

/// Spans of every magnitude, up to 146 years: two of them still have a sum.
fn spans() -> impl Strategy<Value = Span> {
    (0u32..63, any::<i64>()).prop_map(|(shift, bits)| Span::from_nanos((bits & i64::MAX) >> 1 >> shift))
}

fn sum(a: Span, b: Span) -> Span {
    Span::from_nanos(a.nanos() + b.nanos())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_time_changes_no_bit(decay in decays(), score in any::<f64>(), back in 0i64..i64::MAX) {
        prop_assume!(score.is_finite());
        prop_assert_eq!(decay.apply(score, Span::ZERO).to_bits(), score.to_bits());
        prop_assert_eq!(decay.apply(score, Span::from_nanos(-back)).to_bits(), score.to_bits());
    }

    #[test]
    fn it_goes_toward_zero_and_never_across(decay in decays(), score in scores(), a in spans(), b in spans()) {
        let (less, more) = if a < b { (a, b) } else { (b, a) };
        let (sooner, later) = (decay.apply(score, less), decay.apply(score, more));
        prop_assert!(sooner.abs() <= score.abs());
        prop_assert!(later.abs() <= sooner.abs() * (1.0 + 2.0 * POWER_SLACK), "{} then {}", sooner, later);
        prop_assert!(sooner * score >= 0.0 && later * score >= 0.0);
    }

    #[test]
    fn the_greater_score_stays_the_greater(decay in decays(), one in scores(), other in scores(), elapsed in spans()) {
        let (less, more) = if one < other { (one, other) } else { (other, one) };
        prop_assert!(decay.apply(less, elapsed) <= decay.apply(more, elapsed));
    }

    #[test]
    fn it_does_not_matter_when_it_is_looked_at(decay in decays(), score in scores(), a in spans(), b in spans()) {
        let twice = decay.apply(decay.apply(score, a), b);
        let once = decay.apply(score, sum(a, b));
        // Of an exponential the law holds beside what is left, of a drained one beside what there was.
        let beside = if matches!(decay, AnyDecay::Exponential(_)) { once.abs() } else { score.abs() };
        // Where less is left than the smallest float of full precision, there is nothing to be precise about.
        prop_assert!((twice - once).abs() <= SLACK * beside + f64::MIN_POSITIVE * 1e6, "{} and {}", twice, once);
    }

    #[test]
    fn many_at_once_are_the_same_bits(
        decay in decays(), all in prop::collection::vec((scores(), spans()), 0..=16), fewer in 0usize..3,
    ) {
        let (mut together, elapsed): (Vec<f64>, Vec<Span>) = all.iter().copied().unzip();
        let used = elapsed.len().saturating_sub(fewer);
        decay.apply_each(&mut together, &elapsed[..used]);
        for (index, (score, elapsed)) in all.into_iter().enumerate() {
            let alone = if index < used { decay.apply(score, elapsed) } else { score };
            prop_assert_eq!(together[index].to_bits(), alone.to_bits());
        }
    }

    #[test]
    fn a_late_delta_counts_at_least_what_it_would_by_now(decay in decays(), delta in 0.0f64..1e6, lateness in spans()) {
        let (counts, truth) = (decay.late(delta, lateness), decay.apply(delta, lateness));
        prop_assert!(truth <= counts && counts <= delta);
        if let AnyDecay::Exponential(_) = decay {
            prop_assert_eq!(counts, truth);
        } else {
            prop_assert_eq!(counts, delta);
        }
    }

    #[test]
    fn the_power_of_two_is_the_platforms_to_the_last_bits(half_life in 1i64..1 << 40, halves in 0.0f64..1000.0) {
        let elapsed = (half_life as f64 * halves) as i64;
        let ours = Exponential::half_life(Span::from_nanos(half_life)).unwrap().apply(1.0, Span::from_nanos(elapsed));
        let exponent = -elapsed as f64 * (1.0 / half_life as f64);
        let theirs = exponent.exp2();
        prop_assert!((ours - theirs).abs() <= POWER_SLACK * theirs, "2^{} is {} or {}", exponent, ours, theirs);
    }

    #[test]
    fn the_time_to_a_score_is_the_least_that_gets_there(
        decay in decays(), score in scores(), share in 0.0f64..1.5,
    ) {
        let target = score * share;
        let faded = |elapsed: i64| {
            let left = decay.apply(score, Span::from_nanos(elapsed));
            if score < 0.0 { left >= target } else { left <= target }
        };
        match decay.time_to(score, target) {
            Some(Span::ZERO) => prop_assert!(faded(0)),
            Some(time) => prop_assert!(faded(time.nanos()) && !faded(time.nanos() - 1)),
            None => prop_assert!(!faded(i64::MAX)),
        }
    }
}

#[test]
fn a_half_life_halves_and_a_lambda_leaves_an_eth() {
    let minute = Span::from_seconds(60);
    let half = Exponential::half_life(minute).unwrap();
    assert_eq!((0..=3).map(|n| half.apply(-80.0, minute.times(n))).collect::<Vec<_>>(), [-80.0, -40.0, -20.0, -10.0]);
    let lambda = Exponential::lambda(0.1).unwrap();
    assert!((lambda.apply(1.0, Span::from_seconds(10)) - (-1f64).exp()).abs() < 1e-15);
    assert_eq!(half.time_to(80.0, 10.0), Some(minute.times(3)));
    assert_eq!(half.time_to(-80.0, -10.0), Some(minute.times(3)));
}

#[test]
fn a_drain_is_exact_in_whole_amounts() {
    let drain = Linear::rate(100.0, Span::from_seconds(60)).unwrap();
    for second in 0..=60 {
        let left = drain.apply(1000.0, Span::from_seconds(3 * second));
        assert_eq!(left, 1000.0 - 5.0 * second as f64);
    }
    assert_eq!(drain.time_to(100.0, 0.0), Some(Span::from_seconds(60)));
}

#[test]
fn powers_of_the_shortest_half_life_end_in_nothing_and_stay_there() {
    for rate in [1.0, 0.999_51, 0.75, 0.5, 1e-3] {
        let decay = Exponential::lambda(rate * std::f64::consts::LN_2 * NANOS_PER_SECOND as f64).unwrap();
        let nothing = (1100.0 / rate) as i64;
        assert!(decay.apply(1.0, Span::from_nanos((1000.0 / rate) as i64)) > 0.0);
        for elapsed in [nothing, nothing + 1, i64::MAX] {
            assert_eq!(decay.apply(1e300, Span::from_nanos(elapsed)), 0.0, "{rate}");
        }
    }
}

#[test]
fn what_never_comes_takes_no_time_to_tell() {
    let half = Exponential::half_life(Span::from_seconds(1)).unwrap();
    assert_eq!(half.time_to(1.0, 2.0), Some(Span::ZERO));
    assert_eq!(half.time_to(1.0, -1.0), None);
    assert_eq!(half.time_to(-1.0, 1.0), None);
    assert_eq!(half.time_to(0.0, 0.0), Some(Span::ZERO));
    assert_eq!(half.time_to(1.0, f64::NAN), None);
    assert_eq!(half.time_to(f64::NAN, 1.0), None);
    assert_eq!(NoDecay.time_to(2.0, 1.0), None);
    assert_eq!(NoDecay.time_to(2.0, 2.0), Some(Span::ZERO));
}

#[test]
fn decays_that_are_none_are_refused() {
    assert_eq!(Exponential::half_life(Span::ZERO), Err(DecayError::NoHalfLife(Span::ZERO)));
    for lambda in [0.0, -1.0, f64::INFINITY, 1e-320, 1e10] {
        assert_eq!(Exponential::lambda(lambda), Err(DecayError::BadLambda(lambda)));
    }
    assert!(matches!(Exponential::lambda(f64::NAN), Err(DecayError::BadLambda(_))));
    for amount in [0.0, -1.0, f64::INFINITY, 1e-320] {
        assert_eq!(Linear::rate(amount, Span::MAX), Err(DecayError::BadAmount(amount)));
    }
    assert_eq!(Linear::rate(1.0, Span::ZERO), Err(DecayError::NoPeriod(Span::ZERO)));
    assert!(!DecayError::BadLambda(f64::NAN).to_string().is_empty());
}
