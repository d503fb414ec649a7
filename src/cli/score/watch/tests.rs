//! The watch against a twin without a queue: it looks at every key at every step.

use super::*;
use grudge::decay::{Exponential, Linear, NoDecay};
use grudge::time::Span;
use proptest::prelude::*;

const ENTER: f64 = 5.0;
const LEAVE: f64 = 2.0;
const GRAIN: Span = Span::from_nanos(1_000);

/// What an event was.
type Told = (Option<Timestamp>, bool, Vec<u8>, Option<Timestamp>);

fn told(event: &Event<'_>) -> Told {
    (event.time, event.is_up, event.key.to_vec(), event.until)
}

/// A key that is up: its hash, its score and when it had it, when that will have faded.
struct Held {
    hash: u64,
    until: Option<Timestamp>,
}

/// Every key in a list, in the order they came up.
struct Twin {
    decay: AnyDecay,
    held: Vec<Held>,
    events: Vec<Told>,
}

impl Twin {
    fn pass(&mut self, now: Timestamp) {
        loop {
            let due = self.held.iter().enumerate().filter(|(_, held)| held.until.is_some_and(|until| until <= now));
            let Some((place, _)) = due.min_by_key(|(place, held)| (held.until, *place)) else { return };
            let gone = self.held.remove(place);
            self.events.push((gone.until, false, gone.hash.to_string().into_bytes(), None));
        }
    }

    fn take(&mut self, hash: u64, score: f64, now: Timestamp) {
        let key = hash.to_string().into_bytes();
        let up =
            |time: Timestamp| Timestamp::from_nanos((time.nanos() + GRAIN.nanos() - 1) / GRAIN.nanos() * GRAIN.nanos());
        let until = self.decay.time_to(score, LEAVE).map(|span| up(now.plus(span)));
        match self.held.iter().position(|held| held.hash == hash) {
            Some(place) if score <= LEAVE => {
                self.held.remove(place);
                self.events.push((Some(now), false, key, None));
            }
            Some(place) => self.held[place].until = until,
            None if score >= ENTER => {
                self.held.push(Held { hash, until });
                self.events.push((Some(now), true, key, until));
            }
            None => {}
        }
    }
}

fn decays() -> impl Strategy<Value = AnyDecay> {
    prop_oneof![
        Just(AnyDecay::Exponential(Exponential::half_life(Span::from_seconds(10)).unwrap())),
        Just(AnyDecay::Linear(Linear::rate(1.0, Span::from_seconds(3)).unwrap())),
        Just(AnyDecay::None(NoDecay)),
    ]
}

proptest! {
    #[test]
    fn a_queue_tells_what_a_look_at_every_key_tells(
        decay in decays(),
        steps in prop::collection::vec((0u64..6, 0.0f64..12.0, 0i64..9), 1..200),
    ) {
        let mut watch = Watch::new(ENTER, LEAVE, usize::MAX, decay, GRAIN);
        let mut twin = Twin { decay, held: Vec::new(), events: Vec::new() };
        let mut events = Vec::new();
        let mut now = Timestamp::from_seconds(1_000, 0);
        for (hash, score, seconds) in steps {
            now = now.plus(Span::from_seconds(seconds));
            watch.pass(now, |event| events.push(told(&event)));
            let name = |name: &mut Vec<u8>| name.extend_from_slice(hash.to_string().as_bytes());
            watch.take(hash, (score, score), now, name, |event| events.push(told(&event)));
            twin.pass(now);
            twin.take(hash, score, now);
            prop_assert!(watch.queue.len() <= QUEUE_LEAST + QUEUE_SLACK * watch.held() + 1);
        }
        prop_assert_eq!(watch.held(), twin.held.len());
        prop_assert_eq!(events, twin.events);
    }
}

fn linear() -> AnyDecay {
    AnyDecay::Linear(Linear::rate(1.0, Span::from_seconds(1)).unwrap())
}

fn seconds(seconds: i64) -> Timestamp {
    Timestamp::from_seconds(seconds, 0)
}

#[test]
fn what_came_before_any_time_is_dated_by_the_first() {
    let (mut watch, mut events) = (Watch::new(ENTER, LEAVE, 10, linear(), GRAIN), Vec::new());
    watch.take(1, (6.0, 6.0), UNDATED, |name| name.push(b'a'), |event| events.push(told(&event)));
    watch.date(seconds(100));
    watch.pass(seconds(103), |event| events.push(told(&event)));
    watch.pass(seconds(104), |event| events.push(told(&event)));
    assert_eq!(events, [(None, true, b"a".to_vec(), None), (Some(seconds(104)), false, b"a".to_vec(), None)]);
}

#[test]
fn a_clock_that_is_set_back_takes_what_came_later_with_it() {
    let (mut watch, mut events) = (Watch::new(ENTER, LEAVE, 10, linear(), GRAIN), Vec::new());
    watch.take(1, (6.0, 6.0), seconds(1_000_000), |name| name.push(b'a'), |_| {});
    watch.step_back(seconds(100));
    watch.pass(seconds(103), |event| events.push(told(&event)));
    assert_eq!(events, []);
    watch.pass(seconds(104), |event| events.push(told(&event)));
    assert_eq!(events, [(Some(seconds(104)), false, b"a".to_vec(), None)]);
}

#[test]
fn keys_beyond_the_most_are_counted() {
    let mut watch = Watch::new(ENTER, LEAVE, 1, linear(), GRAIN);
    watch.take(1, (6.0, 6.0), seconds(0), |_| {}, |_| {});
    watch.take(2, (6.0, 6.0), seconds(0), |_| {}, |_| panic!("no event tells of it"));
    watch.take(2, (7.0, 1.0), seconds(0), |_| {}, |_| panic!("no event tells of it"));
    assert_eq!(watch.counts(), WatchCounts { up: 1, down: 0, overflow: 1 });
}
