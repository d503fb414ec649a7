//! [`Seen`] against its slow, obvious twin: an exact map of when each key was last new.

use super::*;
use crate::hash::mix;
use proptest::prelude::*;
use std::collections::HashMap;

/// The hash of the `key`th key: two mixes make neighbours look random.
fn hash(key: u64) -> u64 {
    mix(mix(key ^ 0x5851_F42D_4C95_7F2D))
}

/// The exact twin. It counts in the ticks of the set, so that the one tick of rounding is no difference.
struct Exact {
    ttl: Option<Span>,
    refresh: bool,
    ticks: ticks::Ticks,
    latest: i64,
    /// When each key was last new (or seen); and whether the clock has stepped back since, to before that or from where
    /// it had expired: such a one may be forgotten, and need not.
    last: HashMap<u64, (i64, bool)>,
}

impl Exact {
    fn new(options: &SeenOptions) -> Exact {
        let ticks = ticks::Ticks::new(options.ttl.unwrap_or(Span::MAX));
        Exact { ttl: options.ttl, refresh: options.refresh, ticks, latest: i64::MIN, last: HashMap::new() }
    }

    /// The exact verdict; `None` where either will do. The twin then goes by what it is told of.
    fn check(&mut self, key: u64, now: Timestamp) -> Option<Verdict> {
        let ttl = 1 << ticks::TTL_TICKS_LOG2;
        let tick = self.ticks.at(now);
        if self.ttl.is_some() && tick < self.latest {
            let lost = |last: i64| last > tick || i128::from(self.latest) - i128::from(last) >= ttl;
            self.last.values_mut().filter(|(last, _)| lost(*last)).for_each(|(_, doubtful)| *doubtful = true);
        }
        self.latest = tick;
        match self.last.get(&key) {
            None => Some(Verdict::New),
            Some(_) if self.ttl.is_none() => Some(Verdict::Repeat),
            Some((last, doubtful)) if (0..ttl).contains(&(i128::from(tick) - i128::from(*last))) => {
                (!doubtful).then_some(Verdict::Repeat)
            }
            Some(_) => Some(Verdict::New),
        }
    }

    fn enter(&mut self, key: u64, now: Timestamp, verdict: Verdict) {
        if verdict == Verdict::New || self.refresh {
            self.last.insert(key, (self.ticks.at(now), false));
        }
    }
}

/// Both twins over one stream: where they differ, and how.
#[derive(Debug, Default, PartialEq, Eq)]
struct Differences {
    false_repeats: u64,
    false_news: u64,
}

fn compare(options: &SeenOptions, stream: impl IntoIterator<Item = (u64, Timestamp)>) -> (Differences, Seen) {
    let (mut seen, mut exact) = (Seen::new(options).unwrap(), Exact::new(options));
    let mut differences = Differences::default();
    for (key, now) in stream {
        let (found, right) = (seen.check(hash(key), now), exact.check(key, now));
        match (found, right) {
            (Verdict::Repeat, Some(Verdict::New)) => differences.false_repeats += 1,
            (Verdict::New, Some(Verdict::Repeat)) => differences.false_news += 1,
            _ => {}
        }
        exact.enter(key, now, right.unwrap_or(found));
    }
    (differences, seen)
}

const NONE: Differences = Differences { false_repeats: 0, false_news: 0 };

/// A step of the clock: mostly none or a little, at times a leap over the ttl, over the sweeps (4 ttl), over the range of
/// the stored ticks (16 ttl), and back.
fn step(ttl: i64) -> impl Strategy<Value = i64> {
    prop_oneof![
        8 => Just(0),
        8 => 0..=ttl / 50 + 1,
        2 => 0..=ttl + 1,
        1 => 0..=20 * ttl,
        1 => (15 * ttl..=17 * ttl).prop_map(|step| step),
        1 => (-40 * ttl..=0).prop_map(|step| step),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_clock_gives_the_exact_answer(
        (ttl, steps) in (1i64..1_000_000).prop_flat_map(|ttl| (Just(ttl), prop::collection::vec((0u64..40, step(ttl)), 1..600))),
        refresh in any::<bool>(),
        undated in 0usize..20,
    ) {
        let options = SeenOptions::new().ttl(Span::from_nanos(ttl)).refresh(refresh).memory(4 << 20);
        let mut now = 1_700_000_000_000_000_000;
        let stream = steps.iter().enumerate().map(|(index, (key, step))| {
            now += step;
            (*key, if index < undated { Seen::UNDATED } else { Timestamp::from_nanos(now) })
        });
        let (differences, seen) = compare(&options, stream);
        prop_assert_eq!(differences, NONE);
        prop_assert_eq!(seen.live_evictions(), 0);
    }

    #[test]
    fn batches_of_any_size_give_the_answers_of_one_by_one(
        keys in prop::collection::vec(0u64..3000, 1..4000),
        cut in 1usize..200,
        ttl in prop::option::of(1i64..5000),
        // The smaller ones forget under pressure, the others grow.
        memory in prop::sample::select(vec![4u64 << 10, 16 << 10, 1 << 20]),
    ) {
        let mut options = SeenOptions::new().memory(memory);
        if let Some(ttl) = ttl {
            options = options.ttl(Span::from_nanos(ttl));
        }
        let hashes: Vec<u64> = keys.iter().map(|key| hash(*key)).collect();
        let now: Vec<Timestamp> = (0..keys.len() as i64).map(Timestamp::from_nanos).collect();
        let (mut alone, mut together) = (Seen::new(&options).unwrap(), Seen::new(&options).unwrap());
        let one_by_one: Vec<Verdict> = hashes.iter().zip(&now).map(|(hash, now)| alone.check(*hash, *now)).collect();
        let mut verdicts = vec![Verdict::New; keys.len()];
        for ((hashes, now), verdicts) in hashes.chunks(cut).zip(now.chunks(cut)).zip(verdicts.chunks_mut(cut)) {
            together.check_batch(hashes, now, verdicts);
        }
        prop_assert_eq!(one_by_one, verdicts);
    }
}

/// A small generator of uniform numbers (SplitMix64), so that long streams need no list.
fn numbers(seed: u64) -> impl FnMut(u64) -> u64 {
    let mut state = seed;
    move |below| {
        state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (z ^ (z >> 31)) % below
    }
}

#[test]
fn growth_over_many_doublings_loses_no_key_and_invents_none() {
    // 3 M different keys in a bound of 64 MiB: from one block of 16,384 slots to 256 blocks, eight doublings.
    let options = SeenOptions::new().memory(64 << 20);
    let mut number = numbers(1);
    let stream = (0..6_000_000).map(|_| (number(3_000_000), Seen::UNDATED));
    let (differences, seen) = compare(&options, stream);
    assert_eq!(differences, NONE);
    assert_eq!(seen.live_evictions(), 0);
    assert_eq!(seen.occupied_slots(), seen.live_keys());
    let load = seen.occupied_slots() as f64 / seen.slots() as f64;
    assert!((0.3..=0.61).contains(&load), "{load}");
    assert!(seen.memory_bytes() <= 64 << 20);
}

#[test]
fn a_steady_stream_of_keys_that_expire_keeps_the_table_small() {
    // 20,000 keys live at any time, 2 M in all: what has expired is swept or reused, so the table stays that of 20,000
    // live keys, between loads of 0.6 and 0.45 / 2.
    let options = SeenOptions::new().ttl(Span::from_nanos(20_000)).memory(64 << 20);
    let mut number = numbers(2);
    let stream = (0..2_000_000i64).map(|now| (number(1 << 40), Timestamp::from_nanos(now)));
    let (differences, seen) = compare(&options, stream);
    assert_eq!(differences, NONE);
    assert_eq!(seen.live_evictions(), 0);
    assert!(seen.slots() <= (20_000.0 / (0.45 / 2.0)) as u64, "{} slots", seen.slots());
    assert!(seen.live_keys().abs_diff(20_000) < 10, "{} live keys", seen.live_keys());
}

#[test]
fn expired_keys_make_room_for_live_ones_through_every_growth() {
    // The number of live keys rises and falls between 1,000 and 100,000, with repeats at every distance.
    let options = SeenOptions::new().ttl(Span::from_nanos(1_000_000)).refresh(true).memory(16 << 20);
    let mut number = numbers(3);
    let mut now = 0;
    let stream = (0..3_000_000u64).map(|index| {
        now += if index / 500_000 % 2 == 0 { 10 } else { 1_000 };
        (number(200_000), Timestamp::from_nanos(now))
    });
    let (differences, seen) = compare(&options, stream);
    assert_eq!(differences, NONE);
    assert_eq!(seen.live_evictions(), 0);
}

/// Fills a table of a fixed size to `load` of its slots with keys that never expire, then asks for all of them again.
fn forgotten_at(load: f64) -> (f64, u64) {
    let options = SeenOptions::new().memory(4 << 20);
    let mut seen = Seen::new(&options).unwrap();
    let max_slots = (4 << 20) as f64 / 8.0;
    let keys = (load * max_slots) as u64;
    for key in 0..keys {
        assert_eq!(seen.check(hash(key), Seen::UNDATED), Verdict::New);
    }
    let evicted = seen.live_evictions();
    assert_eq!(seen.occupied_slots() + evicted, keys, "every key has a slot or was evicted");
    (evicted as f64 / keys as f64, evicted)
}

#[test]
fn a_full_table_forgets_little_before_nine_tenths_and_says_how_much() {
    // The emptier of two buckets, without moving, forgets 8e-5 at 0.7 and 2.4e-3 at 0.8.
    assert_eq!(forgotten_at(0.8).1, 0);
    assert!(forgotten_at(0.9).0 < 1e-3, "{:?}", forgotten_at(0.9));
    // Beyond the slots there are: all the rest, and few more.
    let (rate, _) = forgotten_at(1.2);
    assert!((1.0 - 1.0 / 1.2..0.2).contains(&rate), "{rate}");
}

#[test]
fn evictions_take_the_oldest_and_are_the_only_repeats_that_pass() {
    // 4 times as many keys as slots, each asked for again at once: none of those can have been forgotten yet.
    let options = SeenOptions::new().memory(64 << 10);
    let mut seen = Seen::new(&options).unwrap();
    for key in 0..32_768 {
        assert_eq!(seen.check(hash(key), Seen::UNDATED), Verdict::New);
        assert_eq!(seen.check(hash(key), Seen::UNDATED), Verdict::Repeat);
    }
    assert!(seen.live_evictions() > 20_000);
    // The youngest half of the table's 8,192 slots is still there, but for a few.
    let remembered = (28_672..32_768).filter(|key| seen.check(hash(*key), Seen::UNDATED) == Verdict::Repeat).count();
    assert!(remembered > 4_000, "{remembered} of 4,096");
    assert!(seen.memory_that_would_do().unwrap() > 32_768 * 8);
}

#[test]
fn the_memory_that_would_do_does() {
    for ttl in [None, Some(Span::from_nanos(50_000))] {
        let mut options = SeenOptions::new().memory(64 << 10);
        if let Some(ttl) = ttl {
            options = options.ttl(ttl);
        }
        let run = |options: &SeenOptions| {
            let mut number = numbers(4);
            let stream = (0..400_000).map(|now| (number(100_000), Timestamp::from_nanos(now)));
            compare(options, stream).1
        };
        let would_do = run(&options).memory_that_would_do().unwrap();
        let seen = run(&options.memory(would_do));
        assert_eq!(seen.live_evictions(), 0, "{ttl:?} {would_do}");
        // An estimate may be generous, within reason: evicted keys that come again are counted each time.
        assert!(would_do < 64 << 20, "{ttl:?} {would_do}");
    }
}

#[test]
fn false_repeats_are_as_rare_as_is_said() {
    // Nothing shows at 47 bits. So: hashes whose tags differ in 13 bits only, of which the doublings to 32 blocks spend 5,
    // leaving 8: as with any tag the rate is 8 · load / 2^bits, with a slack of a fifth for the load's change on the way.
    let options = SeenOptions::new().memory(4 << 20);
    let mut seen = Seen::new(&options).unwrap();
    let tag_bits = 13;
    let coarse = |key: u64| {
        let full = hash(key);
        let tag = (full >> 17) & ((1 << tag_bits) - 1);
        // The home depends on all bits, so that it stays random.
        (tag << 17) | (full & 0x1_FFFF) | 1 << 63
    };
    let keys = 150_000;
    let before: u64 = (0..keys).map(|key| u64::from(seen.check(coarse(key), Seen::UNDATED) == Verdict::Repeat)).sum();
    assert!(before > 0, "the tags are too fine for this test");
    let load = seen.occupied_slots() as f64 / seen.slots() as f64;
    let blocks = seen.slots() / 16_384;
    let said = 8.0 * load / (f64::from(1 << tag_bits) / blocks as f64);
    let asked = 100_000;
    let mut probe = Probe { seen: &mut seen };
    let found = (keys..keys + asked).filter(|key| probe.contains(coarse(*key))).count() as f64 / asked as f64;
    assert!((found - said).abs() < 0.2 * said + 0.002, "{found} found, {said} said");
}

/// Asks without remembering: checks a key in a copy of its answer's cost, a table of its own.
struct Probe<'a> {
    seen: &'a mut Seen,
}

impl Probe<'_> {
    fn contains(&mut self, hash: u64) -> bool {
        self.seen.check(hash, Seen::UNDATED) == Verdict::Repeat
    }
}

#[test]
fn nothing_is_allocated_for_a_record() {
    let mut seen = Seen::new(&SeenOptions::new().ttl(Span::from_nanos(1_000_000)).memory(8 << 20)).unwrap();
    let hashes: Vec<u64> = (0..500_000).map(hash).collect();
    let now: Vec<Timestamp> = (0..500_000).map(|index| Timestamp::from_nanos(index * 7)).collect();
    let mut verdicts = vec![Verdict::New; hashes.len()];
    let count = allocation_counter::measure(|| seen.check_batch(&hashes, &now, &mut verdicts));
    // The list of buckets whose keys are brought home grows a few times, by doubling.
    assert!(count.count_total < 20, "{count:?}");
}

#[test]
fn what_cannot_be_is_refused() {
    assert_eq!(Seen::new(&SeenOptions::new().ttl(Span::ZERO)).unwrap_err(), SeenError::NoTtl(Span::ZERO));
    assert!(matches!(Seen::new(&SeenOptions::new().memory(100)), Err(SeenError::TooSmall { least: 256, .. })));
    assert!(matches!(Seen::new(&SeenOptions::new().memory(u64::MAX)), Err(SeenError::TooLarge { .. })));
    for error in [SeenError::NoTtl(Span::ZERO), SeenError::TooSmall { memory: 1, least: 256 }] {
        assert!(!error.to_string().is_empty());
    }
}

#[test]
fn counts_go_wherever_their_keys_go() {
    // Eight doublings, homes that fill and keys that move over and back: each repeat must know how many came before it.
    let options = SeenOptions::new().memory(64 << 20).count_repeats(true);
    let mut seen = Seen::new(&options).unwrap();
    let mut exact: HashMap<u64, u32> = HashMap::new();
    let mut number = numbers(5);
    let mut sightings = vec![Sighting::UNSEEN; 1000];
    for _ in 0..3_000 {
        let keys: Vec<u64> = (0..1000).map(|_| number(1_500_000)).collect();
        let hashes: Vec<u64> = keys.iter().map(|key| hash(*key)).collect();
        seen.check_batch_detailed(&hashes, &[], &mut sightings);
        for (key, sighting) in keys.iter().zip(&sightings) {
            let before = exact.entry(*key).and_modify(|count| *count += 1).or_insert(0);
            assert_eq!(sighting.repeats, *before);
            assert_eq!(sighting.verdict == Verdict::Repeat, *before > 0);
        }
    }
    assert_eq!(seen.counts_lost(), 0);
    assert!(seen.memory_bytes() <= 64 << 20);
}

#[test]
fn a_count_is_told_when_its_key_is_new_again_or_counted_as_lost() {
    let ttl = 1_000_000;
    let options = SeenOptions::new().memory(1 << 20).ttl(Span::from_nanos(ttl)).count_repeats(true);
    let mut seen = Seen::new(&options).unwrap();
    let mut number = numbers(6);
    let (mut repeats, mut told, mut held) = (0u64, 0u64, HashMap::new());
    for index in 0..2_000_000i64 {
        let key = number(30_000 + index as u64 / 10);
        let mut sighting = [Sighting::UNSEEN];
        seen.check_batch_detailed(&[hash(key)], &[Timestamp::from_nanos(index * 20)], &mut sighting);
        let [Sighting { verdict, age, repeats: count }] = sighting;
        if verdict == Verdict::Repeat {
            repeats += 1;
            held.insert(key, u64::from(count));
            assert!(age.unwrap().nanos() < ttl);
        } else {
            told += u64::from(count);
            held.insert(key, 0);
        }
    }
    // What is still held is known of the keys that are live; those that expired may be held or lost.
    let known: u64 = held.values().sum();
    assert!(told + seen.counts_lost() <= repeats && repeats <= told + seen.counts_lost() + known);
    assert!(told > repeats / 4, "{told} of {repeats} told");
}

#[test]
fn ages_are_those_of_the_last_new_one() {
    let second = |seconds: i64| Timestamp::from_seconds(seconds, 0);
    let ages = |refresh: bool| {
        let mut seen = Seen::new(&SeenOptions::new().ttl(Span::from_seconds(60)).refresh(refresh)).unwrap();
        let mut sightings = [Sighting::UNSEEN; 4];
        seen.check_batch_detailed(&[hash(1); 4], &[0, 25, 59, 119].map(second), &mut sightings);
        sightings.map(|sighting| sighting.age.map(|age| (age.nanos() as f64 / 1e9).round()))
    };
    assert_eq!(ages(false), [None, Some(25.0), Some(59.0), None]);
    assert_eq!(ages(true), [None, Some(25.0), Some(34.0), None]);
}
