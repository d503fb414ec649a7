//! Single cases, told plainly.

use super::*;

const MINUTE: i64 = 60 * SECOND;

/// How many of so many records of key 0 that cost one are allowed at an instant.
fn allowed_of(limiter: &mut Limiter, records: usize, nanos: i64) -> usize {
    (0..records).filter(|_| limiter.limit(hash(0), Cost::ONE, at(nanos)).allowed).count()
}

#[test]
fn a_burst_is_exactly_so_many_at_once_from_rest_and_then_one_each_time_a_token_is_back() {
    for algorithm in [Algorithm::TokenBucket, Algorithm::LeakyBucket] {
        let mut limiter = roomy(&[quota(7, SECOND).burst(3)], algorithm);
        assert_eq!(allowed_of(&mut limiter, 100, 0), 3);
        for token in 1..=10_000 {
            // The first whole nanosecond of token / 7 seconds.
            let back = (token * SECOND + 6) / 7;
            assert_eq!(allowed_of(&mut limiter, 2, back - 1), 0, "{token}");
            assert_eq!(allowed_of(&mut limiter, 2, back), 1, "{token}");
        }
        assert_eq!(allowed_of(&mut limiter, 100, 3_600 * SECOND), 3);
    }
}

#[test]
fn a_token_that_is_back_is_never_denied_where_binary_fractions_deny_it() {
    // 10 a minute, one record each second or not: a token is back every six seconds, and 1/6 is no binary fraction.
    let mut limiter = roomy(&[quota(10, MINUTE).burst(1)], Algorithm::TokenBucket);
    let (mut debt, mut last, mut denied, mut records, mut back) = (0.0f64, 0, 0, 0, i64::MIN);
    for second in (0..400_000).filter(|second| hash(*second as u64) & 1 == 0) {
        let allowed = limiter.limit(hash(0), Cost::ONE, at(second * SECOND)).allowed;
        assert_eq!(allowed, second >= back);
        // The same in binary fractions, as rates are mostly kept: a debt that drains.
        debt = (debt - (second - last) as f64 * (10.0 / 60.0)).max(0.0);
        let too = debt + 1.0 <= 1.0;
        assert!(allowed || !too);
        denied += usize::from(allowed && !too);
        records += 1;
        last = second;
        if allowed {
            // It is set right again, so that one denial does not lead to others.
            (debt, back) = (1.0, second + 6);
        }
    }
    // 5,365 of 199,839 records: nearly one in ten of the tokens.
    assert!((5_000..6_000).contains(&denied), "{denied} of {records}");
}

#[test]
fn what_costs_more_than_is_ever_allowed_never_is() {
    for algorithm in ALGORITHMS {
        let mut limiter = roomy(&[quota(5, MINUTE)], algorithm);
        for cost in [Cost::whole(6), Cost::from_millionths(5_000_001), Cost::whole(u64::MAX)] {
            let decision = limiter.limit(hash(0), cost, at(0));
            assert!(!decision.allowed && decision.never && decision.retry_after.is_none(), "{decision:?}");
            assert_eq!((decision.limit, decision.remaining), (5, 5));
        }
        assert!(limiter.limit(hash(0), Cost::whole(5), at(0)).allowed);
    }
}

#[test]
fn what_costs_nothing_is_always_allowed_and_changes_nothing() {
    for algorithm in ALGORITHMS {
        let mut limiter = roomy(&[quota(5, MINUTE)], algorithm);
        let free = limiter.limit(hash(0), Cost::ZERO, at(10 * MINUTE));
        assert_eq!((free.allowed, free.remaining, free.reset_after), (true, 5, Span::ZERO));
        assert_eq!(allowed_of(&mut limiter, 9, 10 * MINUTE), 5);
        assert!(limiter.limit(hash(0), Cost::ZERO, at(10 * MINUTE)).allowed);
        // The key was not asked at 20 minutes, as far as a record at 15 can tell.
        limiter.limit(hash(1), Cost::ZERO, at(20 * MINUTE));
        assert!(limiter.limit(hash(1), Cost::ONE, at(15 * MINUTE)).allowed);
    }
}

#[test]
fn of_several_quotas_all_must_allow_and_a_denied_record_costs_nothing_anywhere() {
    let quotas = [quota(2, SECOND), quota(5, MINUTE)];
    for algorithm in ALGORITHMS {
        let mut limiter = roomy(&quotas, algorithm);
        assert_eq!(allowed_of(&mut limiter, 10, 0), 2, "{algorithm:?}");
        let denied = limiter.limit(hash(0), Cost::ONE, at(0));
        // The eight that the first quota denied cost nothing of the second.
        assert_eq!((denied.limit, denied.remaining), (2, 0));
        assert_eq!(allowed_of(&mut limiter, 10, 2 * SECOND), 2, "{algorithm:?}");
        assert_eq!(allowed_of(&mut limiter, 10, 4 * SECOND), 1, "{algorithm:?}");
        let denied = limiter.limit(hash(0), Cost::ONE, at(8 * SECOND));
        assert_eq!((denied.limit, denied.remaining), (5, 0));
        assert!(denied.retry_after > Some(Span::from_seconds(3)), "{algorithm:?}: {denied:?}");
    }
}

#[test]
fn where_denied_records_cost_a_key_must_keep_quiet_but_no_longer_than_a_full_burst_takes() {
    let options = LimiterOptions::new().strict(true).cells(256);
    let mut limiter = Limiter::new(&[quota(6, MINUTE)], &options).unwrap();
    assert_eq!(allowed_of(&mut limiter, 1_000, 0), 6);
    // A token would be back every ten seconds, but a record every nine keeps the debt full.
    assert!((1..=20).all(|record| allowed_of(&mut limiter, 1, record * 9 * SECOND) == 0));
    let quiet_from = 180 * SECOND;
    let denied = limiter.peek(hash(0), Cost::ONE, at(quiet_from));
    assert_eq!(denied.reset_after, Span::from_seconds(60));
    assert_eq!(allowed_of(&mut limiter, 10, quiet_from + MINUTE), 6);
}

#[test]
fn records_without_a_time_are_dated_by_the_first_instant_and_earlier_ones_count_as_that() {
    for algorithm in ALGORITHMS {
        let mut limiter = roomy(&[quota(4, MINUTE)], algorithm);
        let undated = |limiter: &mut Limiter| limiter.limit(hash(0), Cost::ONE, Limiter::UNDATED);
        assert!((0..3).all(|_| undated(&mut limiter).allowed));
        assert_eq!(limiter.last_instant(), None);
        let start = 1_000 * MINUTE;
        assert_eq!(allowed_of(&mut limiter, 5, start), 1, "{algorithm:?}");
        assert_eq!(limiter.last_instant(), Some(at(start)));
        assert!(!undated(&mut limiter).allowed);
        // A day earlier is judged at the start, and what is told reaches from the day before.
        let day = 24 * 60 * MINUTE;
        let early = limiter.limit(hash(0), Cost::ONE, at(start - day));
        assert!(!early.allowed && early.retry_after > Some(Span::from_nanos(day)));
        assert!(limiter.peek(hash(0), Cost::ONE, at(start - day).plus(early.retry_after.unwrap())).allowed);
    }
}

#[test]
fn a_clock_set_back_locks_no_key_out() {
    let (there, here) = (Timestamp::from_seconds(1_900_000_000, 0), Timestamp::from_seconds(1_700_000_040, 0));
    for algorithm in ALGORITHMS {
        // Also where the stream began in the wrong year, so that all its instants lie before the first.
        for began_here in [true, false] {
            let mut limiter = roomy(&[quota(5, MINUTE)], algorithm);
            if began_here {
                limiter.limit(hash(1), Cost::ONE, here);
            }
            assert_eq!(allowed_of(&mut limiter, 9, there.nanos()), 5);
            assert_eq!(limiter.peek(hash(0), Cost::ONE, here).remaining, 0);
            limiter.step_back(here);
            assert_eq!(limiter.last_instant(), Some(here));
            assert!(!limiter.peek(hash(0), Cost::ONE, here).allowed, "{algorithm:?}");
            // As after a full burst, and keys that were not used are at rest.
            let rested = here.plus(Span::from_seconds(120));
            let decision = limiter.peek(hash(0), Cost::ONE, rested);
            assert!(decision.allowed && decision.remaining == 4, "{algorithm:?}: {decision:?}");
            assert_eq!(limiter.peek(hash(2), Cost::ONE, here).remaining, 4);
        }
    }
    // Setting it forward, or before any time is known, does nothing.
    let mut limiter = roomy(&[quota(5, MINUTE)], Algorithm::TokenBucket);
    limiter.step_back(here);
    assert_eq!(limiter.last_instant(), None);
    limiter.limit(hash(0), Cost::whole(5), here);
    limiter.step_back(there);
    assert_eq!(limiter.last_instant(), Some(here));
}

#[test]
fn leaps_over_the_whole_range_forget_and_instants_far_back_count_as_the_earliest_that_can_be_told() {
    // 999,983 a second: 2^62 units are 77 minutes.
    let mut limiter = roomy(&[quota(999_983, SECOND).burst(2)], Algorithm::TokenBucket);
    for hour in [0, 1, 2, 3, 5_000, 2_000_000] {
        assert_eq!(allowed_of(&mut limiter, 5, hour * 60 * MINUTE), 2, "{hour}");
    }
    let now = 2_000_000 * 60 * MINUTE;
    // Half of that stays behind: a key that is new at 30 minutes back is at rest a token later, one at 40 minutes back is
    // judged at 38.4.
    let [near, far] = [30, 40].map(|minutes| limiter.peek(hash(1), Cost::ONE, at(now - minutes * MINUTE)));
    assert_eq!(near.reset_after, Span::from_nanos(1_001));
    assert_eq!(far.reset_after.nanos() / SECOND, 2_400 - 2_306);
    assert!(!limiter.peek(hash(0), Cost::ONE, at(now - 40 * MINUTE)).allowed);
    assert!(limiter.peek(hash(1), Cost::ONE, at(0)).allowed);
}

#[test]
fn no_memory_is_asked_for_by_a_record() {
    let quotas = [quota(7, SECOND), quota(1_000_000_007, SECOND)];
    let hashes: Vec<u64> = (0..10_000).map(|key| hash(key % 3_000)).collect();
    let now: Vec<Timestamp> = (0..10_000).map(|record| at(record * 20_000_000)).collect();
    let (mut decisions, mut allowed) = (vec![Decision::FREE; 10_000], vec![false; 10_000]);
    for algorithm in ALGORITHMS {
        for quotas in [&quotas[..1], &quotas[..]] {
            let mut limiter = roomy(quotas, algorithm);
            let count = allocation_counter::measure(|| {
                limiter.limit_batch(&hashes, &[], &now, &mut decisions);
                limiter.allow_batch(&hashes, &[], &now, &mut allowed);
                limiter.peek(hash(0), Cost::ONE, at(0));
            });
            assert_eq!(count.count_total, 0, "{algorithm:?}");
        }
    }
}

#[test]
fn the_shape_is_as_asked_and_memory_is_what_it_says() {
    let options = LimiterOptions::new().levels(3).cells(1_000);
    let two = [quota(1, SECOND), quota(2, SECOND)];
    for (algorithm, bytes) in ALGORITHMS.into_iter().zip([8, 8, 8, 16]) {
        let limiter = Limiter::new(&two, &options.algorithm(algorithm)).unwrap();
        assert_eq!((limiter.levels(), limiter.cells(), limiter.quotas()), (3, 1_000, 2));
        assert_eq!(limiter.memory_bytes(), 2 * 3 * 1_000 * bytes);
    }
}

#[test]
fn what_cannot_be_is_refused() {
    let one = [quota(1, SECOND)];
    let error = |quotas: &[Quota], options: LimiterOptions| Limiter::new(quotas, &options).unwrap_err();
    let new = LimiterOptions::new;
    let errors = [
        (error(&[], new()), LimitError::NoQuotas),
        (error(&one, new().levels(0)), LimitError::Levels(0)),
        (error(&one, new().levels(17)), LimitError::Levels(17)),
        (error(&one, new().cells(0)), LimitError::Cells(0)),
        (error(&one, new().cells(1 << 32)), LimitError::Cells(1 << 32)),
        (error(&[one[0].burst(0)], new()), LimitError::NoBurst),
        (error(&[one[0].burst(3)], new().algorithm(Algorithm::FixedWindow)), LimitError::BurstOfWindow),
        (error(&[one[0].burst(3)], new().algorithm(Algorithm::SlidingWindow)), LimitError::BurstOfWindow),
        (error(&[quota(1, WEEK).burst(4_000)], new()), LimitError::TooMany { tokens: 4_000 }),
        (error(&[quota(u64::MAX, WEEK)], new()), LimitError::TooMany { tokens: u64::MAX }),
        (
            error(&[quota(u64::MAX, WEEK)], new().algorithm(Algorithm::FixedWindow)),
            LimitError::TooMany { tokens: u64::MAX },
        ),
    ];
    for (found, expected) in errors {
        assert_eq!(found, expected);
        assert!(!found.to_string().is_empty());
    }
    // 16 levels of 2^32 - 1 cells for 8,192 quotas are 4 PiB, more than any system gives.
    let many = vec![one[0]; 8_192];
    let memory = 16 * u64::from(u32::MAX) * 8_192 * 8;
    assert_eq!(error(&many, new().levels(16).cells(u32::MAX.into())), LimitError::TooLarge { memory });
    assert!(Limiter::new(&[quota(1, WEEK).burst(3_800)], &new()).is_ok());
}

#[test]
#[should_panic(expected = "an answer for each hash")]
fn a_batch_without_room_for_its_answers_panics() {
    roomy(&[quota(1, SECOND)], Algorithm::TokenBucket).allow_batch(&[1, 2], &[], &[], &mut [false]);
}
