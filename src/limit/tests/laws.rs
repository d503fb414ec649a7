//! What holds of any stream.

use super::*;
use std::collections::HashMap;

proptest! {
    #![proptest_config(ProptestConfig { cases: 250, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_answer_is_the_exact_one_where_keys_do_not_meet(
        (algorithm, quotas, records) in a_case(),
        start in a_start(),
        strict in any::<bool>(),
        undated in 0usize..6,
        back in prop::option::of((0usize..200, -200 * SECOND..SECOND)),
    ) {
        let options = LimiterOptions::new().algorithm(algorithm).cells(256).strict(strict);
        let mut limiter = Limiter::new(&quotas, &options).unwrap();
        let mut twin = Twin::new(&quotas, algorithm, strict);
        let (mut now, mut last) = (start, i64::MIN);
        for (index, record) in records.iter().enumerate() {
            now = now.saturating_add(record.step).max(i64::MIN + 1);
            if let Some((_, step)) = back.filter(|(when, _)| *when == index) {
                now = now.saturating_add(step).max(i64::MIN + 1);
                limiter.step_back(at(now));
                if now < last {
                    (last, _) = (now, twin.step_back(now));
                }
            }
            // A few come before any time is known, and one after.
            let given = (index >= undated && index != 50).then_some(now);
            last = last.max(given.unwrap_or(i64::MIN));
            let stamp = given.map_or(Limiter::UNDATED, at);
            let cost = Cost::from_millionths(record.millionths);
            let peeked = limiter.peek(hash(record.key), cost, stamp);
            let decision = limiter.limit(hash(record.key), cost, stamp);
            prop_assert_eq!(peeked, decision);
            let exact = twin.limit(record.key, record.millionths, given);
            prop_assert_eq!(decision, exact, "record {} at {:?}: {:?}", index, given, record);
        }
        prop_assert_eq!(limiter.last_instant(), (last > i64::MIN).then_some(at(last)));
    }

    #[test]
    fn what_is_allowed_of_keys_that_meet_the_exact_algorithm_allows_too(
        (algorithm, quotas, records) in a_case(),
        (levels, cells) in (1u32..4, 1u64..8),
        start in a_start(),
    ) {
        let options = LimiterOptions::new().algorithm(algorithm).levels(levels).cells(cells);
        let mut limiter = Limiter::new(&quotas, &options).unwrap();
        let mut twin = Twin::new(&quotas, algorithm, false);
        let mut now = start;
        for record in &records {
            now = now.saturating_add(record.step).max(i64::MIN + 1);
            let decision = limiter.limit(hash(record.key), Cost::from_millionths(record.millionths), at(now));
            if decision.allowed {
                prop_assert!(twin.limit(record.key, record.millionths, Some(now)).allowed, "{:?} at {}", record, now);
            } else {
                // The twin's clock has to be the same.
                twin.limit(u64::MAX, 0, Some(now));
                prop_assert_eq!(decision.never, decision.retry_after.is_none());
            }
        }
    }

    #[test]
    fn no_more_is_allowed_of_keys_that_meet_than_the_exact_algorithm_allows(
        (algorithm, quotas, records) in a_case(),
        (levels, cells) in (1u32..4, 1u64..8),
        strict in any::<bool>(),
    ) {
        let quotas = &quotas[..1];
        let options = LimiterOptions::new().algorithm(algorithm).levels(levels).cells(cells).strict(strict);
        let mut limiter = Limiter::new(quotas, &options).unwrap();
        let mut twin = Twin::new(quotas, algorithm, strict);
        let mut counts: HashMap<u64, (u64, u64)> = HashMap::new();
        let mut now = 1_700_000_000 * SECOND;
        for record in &records {
            now = now.saturating_add(record.step.abs());
            let allowed = limiter.limit(hash(record.key), Cost::ONE, at(now)).allowed;
            let exact = twin.limit(record.key, 1_000_000, Some(now)).allowed;
            let (ours, theirs) = counts.entry(record.key).or_default();
            (*ours, *theirs) = (*ours + u64::from(allowed), *theirs + u64::from(exact));
            prop_assert!(*ours <= *theirs, "{} of {} at {}", ours, theirs, now);
            // Where denied records cost too, each verdict by itself is no laxer.
            prop_assert!(!strict || exact || !allowed);
        }
    }

    #[test]
    fn a_retry_is_allowed_when_it_is_said_to_be_and_not_a_nanosecond_earlier(
        (algorithm, quotas, records) in a_case(),
        strict in any::<bool>(),
        meet in any::<bool>(),
    ) {
        let cells = if meet { 2 } else { 256 };
        let options = LimiterOptions::new().algorithm(algorithm).cells(cells).strict(strict);
        let mut limiter = Limiter::new(&quotas, &options).unwrap();
        let mut now = 1_700_000_000 * SECOND;
        for record in &records {
            now = now.saturating_add(record.step);
            let (key, cost) = (hash(record.key), Cost::from_millionths(record.millionths));
            let decision = limiter.limit(key, cost, at(now));
            if let Some(wait) = decision.retry_after.filter(|wait| at(now).plus(*wait) < Timestamp::MAX) {
                let then = at(now).plus(wait);
                prop_assert!(limiter.peek(key, cost, then).allowed, "{:?} after {:?}", record, wait);
                let before = then.minus(Span::from_nanos(1));
                prop_assert!(meet || wait == Span::ZERO || !limiter.peek(key, cost, before).allowed);
            }
            let rest = at(now).plus(decision.reset_after);
            if rest < Timestamp::MAX {
                let left = limiter.peek(key, Cost::ZERO, rest);
                prop_assert!(meet || (left.reset_after == Span::ZERO && left.remaining == left.limit));
            }
        }
    }

    #[test]
    fn batches_of_any_size_give_the_answers_of_one_by_one(
        (algorithm, quotas, records) in a_case(),
        cut in 1usize..70,
        strict in any::<bool>(),
    ) {
        let options = LimiterOptions::new().algorithm(algorithm).levels(2).cells(3).strict(strict);
        let new = || Limiter::new(&quotas, &options).unwrap();
        let (mut single, mut batch, mut bare) = (new(), new(), new());
        let mut now = 1_700_000_000 * SECOND;
        for part in records.chunks(cut) {
            let hashes: Vec<u64> = part.iter().map(|record| hash(record.key)).collect();
            let costs: Vec<Cost> = part.iter().map(|record| Cost::from_millionths(record.millionths)).collect();
            let instants: Vec<Timestamp> = part.iter().map(|record| {
                now = now.saturating_add(record.step);
                at(now)
            }).collect();
            let (mut decisions, mut allowed) = (vec![Decision::FREE; part.len()], vec![false; part.len()]);
            batch.limit_batch(&hashes, &costs, &instants, &mut decisions);
            bare.allow_batch(&hashes, &costs, &instants, &mut allowed);
            for index in 0..part.len() {
                let one = single.limit(hashes[index], costs[index], instants[index]);
                prop_assert_eq!(one, decisions[index]);
                prop_assert_eq!(one.allowed, allowed[index]);
            }
        }
    }
}
