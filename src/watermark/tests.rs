use super::*;
use proptest::prelude::*;
use proptest::test_runner::Config;
use run::{AHEAD, BEHIND};
use twin::Twin;

mod sets;
mod twin;

const SECOND: i64 = NANOS_PER_SECOND;
const HOUR: i64 = 3_600 * SECOND;
const A_DAY: i64 = 24 * HOUR;

fn at(nanos: i64) -> Timestamp {
    Timestamp::from_nanos(nanos)
}

fn judged(clock: &mut Watermark, stamps: impl IntoIterator<Item = i64>) -> Vec<i64> {
    stamps.into_iter().map(|stamp| clock.advance(at(stamp)).nanos()).collect()
}

/// What each of `stamps` is judged at where nothing is doubted.
fn running_maximum(stamps: &[i64]) -> Vec<i64> {
    stamps.iter().scan(i64::MIN, |max, stamp| Some((*stamp).max(*max)).inspect(|now| *max = *now)).collect()
}

fn config() -> Config {
    Config { failure_persistence: None, ..Config::default() }
}

/// A stretch of a stream, as stamps from some instant on.
fn stretch() -> impl Strategy<Value = Vec<i64>> {
    let steps = |step: std::ops::Range<i64>, len: std::ops::Range<usize>| {
        prop::collection::vec(step, len).prop_map(|steps| {
            let stamps = steps.into_iter().scan(0, |now, step| Some(*now + step).inspect(|next| *now = *next));
            stamps.collect::<Vec<i64>>()
        })
    };
    prop_oneof![
        // Orderly; with records late by seconds to minutes; sparse, by hours to months; several at each instant.
        4 => steps(0..2 * SECOND, 0..1200),
        4 => steps(-300 * SECOND..310 * SECOND, 0..200),
        2 => steps(0..20 * HOUR, 0..100),
        2 => steps(0..60 * A_DAY, 0..60),
        2 => steps(0..3, 0..100).prop_map(|steps| steps.into_iter().map(|step| step / 2 * SECOND).collect()),
        // Whole days, in order and scattered.
        2 => steps(0..3, 0..100).prop_map(|days| days.into_iter().map(|day| day * A_DAY).collect()),
        1 => prop::collection::vec(-20i64..20, 0..100).prop_map(|days| days.into_iter().map(|day| day * A_DAY).collect()),
        // Anything within thirty years.
        1 => prop::collection::vec(-10_000 * A_DAY..10_000 * A_DAY, 0..40),
    ]
}

/// A stream: stretches, each some way after or before the end of the one before it, with false stamps in between.
fn stream() -> impl Strategy<Value = Vec<i64>> {
    let gap = prop_oneof![
        Just(0),
        0..A_DAY,
        -3 * A_DAY..3 * A_DAY,
        -800 * A_DAY..800 * A_DAY,
        prop::sample::select(vec![A_DAY, -A_DAY, 400 * A_DAY, 730 * A_DAY, -730 * A_DAY]),
    ];
    let false_stamps = prop_oneof![Just(0u32), Just(1), Just(20), Just(200)];
    let stretches = prop::collection::vec((gap, stretch()), 1..6);
    (stretches, false_stamps, any::<u64>()).prop_map(|(stretches, per_thousand, seed)| {
        let mut stamps = Vec::new();
        let mut end = 1_400_000_000 * SECOND;
        let mut draw = seed;
        for (gap, stretch) in stretches {
            let start = end + gap;
            for stamp in stretch {
                draw = draw.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                if (draw >> 32) % 1000 < u64::from(per_thousand) {
                    stamps.push(start + stamp + [2, 400, 10_000, -10_000][(draw >> 60) as usize % 4] * A_DAY);
                }
                end = start + stamp;
                stamps.push(end);
            }
        }
        stamps
    })
}

fn options() -> impl Strategy<Value = (i64, Option<i64>)> {
    (
        prop_oneof![Just(0), Just(60 * SECOND), Just(3 * A_DAY), Just(90 * A_DAY)],
        prop_oneof![4 => Just(None), 1 => Just(Some(0)), 1 => Just(Some(600 * SECOND)), 1 => Just(Some(50 * A_DAY))],
    )
}

/// An orderly stream: steps of at most a minute, records late by at most a day.
fn orderly(len: std::ops::Range<usize>) -> impl Strategy<Value = Vec<i64>> {
    prop::collection::vec((0..60 * SECOND, prop_oneof![3 => Just(0), 1 => 0..=A_DAY]), len).prop_map(|steps| {
        let mut now = 1_600_000_000 * SECOND;
        let stamp = |(step, lag): (i64, i64)| {
            now += step;
            now - lag
        };
        steps.into_iter().map(stamp).collect()
    })
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn the_slow_twin_agrees(stamps in stream(), (scale, fixed) in options()) {
        let max_jump = fixed.map_or(MaxJump::Auto, |span| MaxJump::Fixed(Span::from_nanos(span)));
        let options = WatermarkOptions::new().scale(Span::from_nanos(scale)).max_jump(max_jump);
        let mut clock = Watermark::with(&options);
        let mut twin = Twin::new(scale.into(), fixed.map(i128::from));
        for (index, stamp) in stamps.into_iter().enumerate() {
            prop_assert_eq!(clock.advance(at(stamp)).nanos(), twin.advance(stamp), "stamp {}", index);
            prop_assert_eq!(i128::from(clock.max_jump().nanos()), twin.max_jump(), "after stamp {}", index);
        }
        prop_assert_eq!((clock.late(), clock.future()), (twin.late, twin.future));
        prop_assert_eq!((clock.jumps(), clock.steps_back()), (twin.jumps, twin.steps_back));
        prop_assert_eq!(i128::from(clock.greatest_lag().nanos()), twin.greatest_lag);
        prop_assert_eq!(clock.now().map(|now| i128::from(now.nanos())), twin.now);
    }

    /// Advances of very different sizes, over several blocks: what a sort of them says.
    #[test]
    fn the_pace_is_that_of_the_last_two_blocks(sizes in prop::collection::vec((0u32..62, 1i64..1000), 0..1600)) {
        let all: Vec<i64> = sizes.into_iter().map(|(bits, scale)| (1i64 << bits) / 1000 * scale + 1).collect();
        let mut advances = Advances::default();
        all.iter().for_each(|advance| advances.add(Span::from_nanos(*advance)));
        let block = advances::BLOCK as usize;
        let mut recent = all[(all.len() / block).saturating_sub(1) * block..].to_vec();
        recent.sort();
        recent.pop();
        let expected = recent.last().map(|second| {
            let sum: i128 = recent.iter().map(|advance| i128::from(*advance)).sum();
            (sum * 200 / recent.len() as i128).min(i128::from(*second) * 24).min(i64::MAX.into()) as i64
        });
        prop_assert_eq!(advances.expected().map(Span::nanos), expected);
    }

    #[test]
    fn off_is_the_running_maximum(stamps in prop_oneof![stream(), prop::collection::vec(any::<i64>(), 0..50)]) {
        let mut clock = Watermark::with(&WatermarkOptions::new().max_jump(MaxJump::Off));
        let expected = running_maximum(&stamps);
        let late = stamps.iter().zip(&expected).filter(|(stamp, now)| stamp < now).count();
        let lag = stamps.iter().zip(&expected).map(|(stamp, now)| now.saturating_sub(*stamp)).max().unwrap_or(0);
        prop_assert_eq!(judged(&mut clock, stamps), expected);
        prop_assert_eq!((clock.late(), clock.greatest_lag().nanos()), (late as u64, lag));
        prop_assert_eq!((clock.future(), clock.jumps(), clock.steps_back()), (0, 0, 0));
    }

    #[test]
    fn an_orderly_stream_has_the_running_maximum(stamps in orderly(0..300)) {
        let mut clock = Watermark::new();
        let expected = running_maximum(&stamps);
        prop_assert_eq!(judged(&mut clock, stamps), expected);
        prop_assert_eq!((clock.future(), clock.steps_back()), (0, 0));
    }

    /// Whatever the honest records do, as long as none of them is doubted themselves.
    #[test]
    fn up_to_seven_stamps_too_far_ahead_change_nothing(
        stamps in prop_oneof![orderly(1..300), stretch()],
        false_stamps in prop::collection::vec((any::<prop::sample::Index>(), 1..AHEAD, 0..20_000 * A_DAY), 0..40),
    ) {
        let mut insert_after = vec![(0, 0); stamps.len()];
        for (index, count, distance) in false_stamps {
            if !stamps.is_empty() {
                insert_after[index.index(stamps.len())] = (count, distance);
            }
        }
        let (mut clean, mut clock) = (Watermark::new(), Watermark::new());
        let mut inserted = 0;
        for (stamp, (count, distance)) in stamps.into_iter().zip(insert_after) {
            let expected = clean.advance(at(stamp));
            prop_assume!(expected >= at(stamp) && expected.since(at(stamp)) <= clean.reach);
            prop_assert_eq!(clock.advance(at(stamp)), expected);
            for _ in 0..count {
                let too_far = expected.plus(clock.max_jump()).plus(Span::from_nanos(1 + distance));
                prop_assert_eq!(clock.advance(too_far), expected);
                inserted += 1;
            }
        }
        prop_assert_eq!((clock.late(), clock.greatest_lag()), (clean.late(), clean.greatest_lag()));
        prop_assert_eq!((clock.future(), clock.steps_back(), clock.jumps()), (inserted, 0, 0));
    }

    #[test]
    fn a_real_pause_is_believed_at_the_eighth_record(
        before in orderly(40..200), after in orderly(8..100), days in 600i64..3000,
    ) {
        // Late by no more than an hour after the pause: by a day, a record may lie before the run's median.
        let start = before[before.len() - 1] + days * A_DAY - after[0];
        let after: Vec<i64> = running_maximum(&after).into_iter().map(|stamp| stamp + start).collect();
        let mut clock = Watermark::new();
        let paused_at = *judged(&mut clock, before).last().unwrap();
        let times = judged(&mut clock, after.clone());
        prop_assert!(times[..AHEAD - 1].iter().all(|time| *time == paused_at));
        prop_assert_eq!(&times[AHEAD - 1..], &after[AHEAD - 1..]);
        prop_assert_eq!((clock.future(), clock.jumps()), (AHEAD as u64 - 1, 1));
    }

    #[test]
    fn a_false_first_stamp_is_left_at_the_sixteenth_record(
        stamps in orderly(BEHIND..200), days in prop_oneof![3i64..100, 100i64..30_000],
    ) {
        let stamps = running_maximum(&stamps);
        let wrong = stamps[0] + days * A_DAY;
        let mut clock = Watermark::new();
        prop_assert_eq!(clock.advance(at(wrong)), at(wrong));
        let times = judged(&mut clock, stamps.clone());
        prop_assert!(times[..BEHIND - 1].iter().all(|time| *time == wrong));
        prop_assert_eq!(&times[BEHIND - 1..], &stamps[BEHIND - 1..]);
        prop_assert_eq!((clock.late(), clock.steps_back()), (BEHIND as u64 - 1, 1));
    }

    #[test]
    fn the_log_of_another_host_that_begins_earlier_is_followed(
        first in orderly(1..100), second in orderly(BEHIND..100), days in 10i64..3000,
    ) {
        let start = first[0] - days * A_DAY - second[0];
        let second: Vec<i64> = running_maximum(&second).into_iter().map(|stamp| stamp + start).collect();
        let mut clock = Watermark::new();
        judged(&mut clock, first);
        let times = judged(&mut clock, second.clone());
        prop_assert_eq!(&times[BEHIND - 1..], &second[BEHIND - 1..]);
        prop_assert_eq!(clock.steps_back(), 1);
    }
}

#[test]
fn a_crazier_stamp_among_a_run_does_not_win() {
    let dense = |start: i64, len: i64| (0..len).map(move |second| start + second * SECOND);
    let pause = 730 * A_DAY;
    for place in 0..AHEAD {
        for crazy in [2, 400, 3_650, 20_000].map(|days| days * A_DAY) {
            let mut clock = Watermark::new();
            judged(&mut clock, dense(0, 100));
            let mut run: Vec<i64> = dense(pause, 8).collect();
            run[place] = crazy;
            let honest = *run.iter().filter(|stamp| **stamp != crazy).max().unwrap();
            assert_eq!(*judged(&mut clock, run).last().unwrap(), honest, "{crazy} at {place}");
        }
    }
    for place in 0..BEHIND {
        for crazy in [-20_000, 0, 400, 3_000].map(|days| days * A_DAY) {
            let mut clock = Watermark::new();
            judged(&mut clock, dense(8_000 * A_DAY, 100));
            let mut run: Vec<i64> = dense(pause, 16).collect();
            run[place] = crazy;
            let honest = *run.iter().filter(|stamp| **stamp != crazy).max().unwrap();
            assert_eq!(*judged(&mut clock, run).last().unwrap(), honest, "{crazy} at {place}");
        }
    }
}

#[test]
fn half_a_run_may_be_false() {
    let mut clock = Watermark::new();
    judged(&mut clock, (0..100).map(|second| second * SECOND));
    let pause = 730 * A_DAY;
    let wrong = pause + 9_000 * A_DAY;
    let run = [wrong, pause, wrong, pause + 1, wrong, pause + 2, wrong, pause + 3];
    assert_eq!(*judged(&mut clock, run).last().unwrap(), pause + 3);
    assert_eq!(clock.future(), 7);
}

#[test]
fn any_other_stamp_ends_a_run() {
    let mut clock = Watermark::new();
    judged(&mut clock, (0..100).map(|second| second * SECOND));
    let now = 99 * SECOND;
    let (future, past) = (now + 2 * A_DAY, now - 2 * A_DAY);
    for other in [now, now - 1, past] {
        judged(&mut clock, [future; AHEAD - 1]);
        assert_eq!(judged(&mut clock, [other]), [now]);
        judged(&mut clock, [past; BEHIND - 2]);
        assert_eq!(judged(&mut clock, [now]), [now]);
    }
    assert_eq!((clock.jumps(), clock.steps_back()), (0, 0));
    assert_eq!(*judged(&mut clock, [future; AHEAD]).last().unwrap(), future);
}

#[test]
fn a_weekly_burst_of_three_is_never_doubted() {
    let stamps: Vec<i64> = (0..100).flat_map(|week| (0..3).map(move |i| week * 7 * A_DAY + i * SECOND)).collect();
    let mut clock = Watermark::new();
    assert_eq!(judged(&mut clock, stamps.clone()), stamps);
}

#[test]
fn a_dense_log_that_turns_weekly_is_doubted_once() {
    let dense = (0..5_000).map(|second| second * SECOND);
    let weekly = (1..200).map(|week| 5_000 * SECOND + week * 7 * A_DAY);
    let stamps: Vec<i64> = dense.chain(weekly).collect();
    let mut clock = Watermark::new();
    let times = judged(&mut clock, stamps.clone());
    assert_eq!((clock.jumps(), clock.future(), clock.steps_back()), (1, 8, 0));
    assert_eq!(times[5_008..], stamps[5_008..]);
}

#[test]
fn stamps_scattered_over_days_bring_nothing_back() {
    // Sorted by the day of a report, dated by the day of the event: up to ten days before, in no order.
    let stamps: Vec<i64> = (0..3_000).map(|i| (i / 10 - i * 7 % 11) * A_DAY).collect();
    let mut clock = Watermark::new();
    assert_eq!(judged(&mut clock, stamps.clone()), running_maximum(&stamps));
}

#[test]
fn a_wrong_clock_among_the_first_records_is_found_out_once() {
    // Every tenth record of another host, three days ahead, from the first on.
    let honest = |i: i64| i * SECOND;
    let mut clock = Watermark::new();
    let mut wrong = 0;
    for i in 0..2_000 {
        if i % 20 == 5 {
            clock.advance(at(honest(i) + 3 * A_DAY));
        }
        wrong += u32::from(clock.advance(at(honest(i))) != at(honest(i)));
    }
    assert_eq!((wrong, clock.steps_back()), (15, 1));
}

#[test]
fn a_scale_widens_what_is_believed_and_a_fixed_span_replaces_it() {
    let scaled = WatermarkOptions::new().scale(Span::from_nanos(30 * A_DAY));
    let fixed = |span| WatermarkOptions::new().max_jump(MaxJump::Fixed(Span::from_nanos(span)));
    let cases = [
        (WatermarkOptions::new(), A_DAY),
        (scaled, 30 * A_DAY),
        (scaled.max_jump(MaxJump::Fixed(Span::from_nanos(HOUR))), HOUR),
        (fixed(HOUR), HOUR),
        (fixed(-1), 0),
        (fixed(i64::MAX), i64::MAX),
        (WatermarkOptions::new().max_jump(MaxJump::Off), i64::MAX),
    ];
    for (options, reach) in cases {
        let mut clock = Watermark::with(&options);
        judged(&mut clock, (0..100).map(|second| second * (reach > 0) as i64));
        assert_eq!(clock.max_jump().nanos(), reach);
    }
}

#[test]
fn the_ends_of_time_do_not_overflow() {
    for options in [
        WatermarkOptions::new(),
        WatermarkOptions::new().max_jump(MaxJump::Off),
        WatermarkOptions::new().max_jump(MaxJump::Fixed(Span::ZERO)),
        WatermarkOptions::new().scale(Span::MAX),
    ] {
        let mut clock = Watermark::with(&options);
        assert_eq!(clock.now(), None);
        for stamp in [i64::MIN, i64::MAX, 0].repeat(50) {
            judged(&mut clock, [stamp; 20]);
        }
    }
}

/// One clock among the hosts is wrong by decades: its record is judged at the watermark and remembered, and the ones
/// after it are neither all repeats nor all new. A pause of minutes is believed at once.
#[test]
fn case_31_a_stamp_from_2099() {
    let start = 1_772_359_200;
    let seconds = [0, 5, 2_303_812_800, 10, 20, 600];
    let mut clock = Watermark::new();
    let times = judged(&mut clock, seconds.map(|second| (start + second) * SECOND));
    assert_eq!(times, [0, 5, 5, 10, 20, 600].map(|second| (start + second) * SECOND));
    assert_eq!((clock.future(), clock.late(), clock.jumps()), (1, 0, 0));
}

#[test]
fn case_32_records_late_by_minutes() {
    let mut clock = Watermark::new();
    let times = judged(&mut clock, [0, 300, 90, 330, 120, 360].map(|second| second * SECOND));
    assert_eq!(times, [0, 300, 300, 330, 330, 360].map(|second| second * SECOND));
    assert_eq!((clock.late(), clock.greatest_lag()), (2, Span::from_seconds(210)));
}

#[test]
fn case_21_a_record_of_december_late_in_january() {
    let new_year = 1_767_225_600;
    let mut clock = Watermark::new();
    let times = judged(&mut clock, [-2, -1, 0, 1, -1, 60].map(|second| (new_year + second) * SECOND));
    assert_eq!(times, [-2, -1, 0, 1, 1, 60].map(|second| (new_year + second) * SECOND));
    assert_eq!((clock.late(), clock.greatest_lag()), (1, Span::from_seconds(2)));
}

#[test]
fn it_is_as_small_as_it_says() {
    assert!(size_of::<Watermark>() <= 320, "{}", size_of::<Watermark>());
}
