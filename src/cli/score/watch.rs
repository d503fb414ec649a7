//! The keys whose score has reached a limit, by name, until it has faded to another: what turns scores into events.
//!
//! A key goes up when a record brings its score to `enter`, and down when it has faded to `leave`: at once when a record
//! takes it there, else when the time comes at which it does by itself. That time is known as soon as the last record of the
//! key has come, so all that is to be kept is a queue of such times.

use grudge::decay::{AnyDecay, Decay};
use grudge::sketch::UNDATED;
use grudge::time::{Span, Timestamp};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

/// A crossing of one of the two limits.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Event<'a> {
    /// When; nothing before any time is known.
    pub time: Option<Timestamp>,
    pub is_up: bool,
    /// The key's parts, separated by tabs.
    pub key: &'a [u8],
    pub score: f64,
    /// When it will be down if nothing more comes; nothing where it never will, or is.
    pub until: Option<Timestamp>,
}

/// The keys that are up.
#[derive(Debug)]
pub struct Watch {
    enter: f64,
    leave: f64,
    /// The most keys that are held.
    most: usize,
    decay: AnyDecay,
    /// Times at which keys go down are multiples of this.
    grain: Span,
    up: HashMap<u64, Up>,
    /// When keys may be due to go down: never later than they are, so a key that comes up is looked at again.
    queue: BinaryHeap<Reverse<Due>>,
    counts: WatchCounts,
}

/// What a watch has told.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct WatchCounts {
    pub up: u64,
    pub down: u64,
    /// Crossings that were not told of, as the most keys were held already.
    pub overflow: u64,
}

/// A key that is up.
#[derive(Debug)]
struct Up {
    key: Vec<u8>,
    score: f64,
    /// When it had that score.
    at: Timestamp,
    until: Option<Timestamp>,
    /// The earliest time it stands in the queue with.
    queued: Option<Timestamp>,
    /// The number of its event: keys that are due at the same time go down in the order they came up.
    number: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Due {
    time: Timestamp,
    number: u64,
    hash: u64,
}

/// The queue is made anew when it holds so many times more than there are keys, and some.
const QUEUE_SLACK: usize = 4;
const QUEUE_LEAST: usize = 1024;

impl Watch {
    pub fn new(enter: f64, leave: f64, most: usize, decay: AnyDecay, grain: Span) -> Watch {
        let counts = WatchCounts::default();
        Watch { enter, leave, most, decay, grain, up: HashMap::new(), queue: BinaryHeap::new(), counts }
    }

    pub fn counts(&self) -> WatchCounts {
        self.counts
    }

    /// Keys that are up.
    pub fn held(&self) -> usize {
        self.up.len()
    }

    /// The key with this hash has this score at `now`, of which `delta` came just now; `name` gives its text.
    pub fn take(
        &mut self,
        hash: u64,
        (score, delta): (f64, f64),
        now: Timestamp,
        name: impl FnOnce(&mut Vec<u8>),
        mut tell: impl FnMut(Event<'_>),
    ) {
        if let Some(up) = self.up.get_mut(&hash) {
            if score <= self.leave {
                self.counts.down += 1;
                tell(Event { time: dated(now), is_up: false, key: &up.key, score, until: None });
                self.up.remove(&hash);
                return;
            }
            (up.score, up.at) = (score, now);
            up.until = until(&self.decay, self.grain, score, self.leave, now);
        } else if score >= self.enter {
            if self.up.len() >= self.most {
                // Not again for each record of a key that is above it already.
                self.counts.overflow += u64::from(score - delta < self.enter);
                return;
            }
            let (mut key, number) = (Vec::new(), self.counts.up);
            name(&mut key);
            self.counts.up += 1;
            let until = until(&self.decay, self.grain, score, self.leave, now);
            tell(Event { time: dated(now), is_up: true, key: &key, score, until });
            self.up.insert(hash, Up { key, score, at: now, until, queued: None, number });
        } else {
            return;
        }
        self.enqueue(hash);
    }

    /// When a key may be due to go down.
    pub fn due(&self) -> Option<Timestamp> {
        self.queue.peek().map(|Reverse(due)| due.time)
    }

    /// The time is `now`: tells of the keys that have faded by then.
    pub fn pass(&mut self, now: Timestamp, mut tell: impl FnMut(Event<'_>)) {
        while let Some(Reverse(due)) = self.queue.peek().copied().filter(|Reverse(due)| due.time <= now) {
            self.queue.pop();
            let Some(up) = self.up.get_mut(&due.hash).filter(|up| up.number == due.number) else { continue };
            match up.until {
                Some(until) if until <= due.time => {
                    self.counts.down += 1;
                    let score = self.decay.apply(up.score, until.since(up.at));
                    tell(Event { time: Some(until), is_up: false, key: &up.key, score, until: None });
                    self.up.remove(&due.hash);
                }
                _ => {
                    up.queued = None;
                    self.enqueue(due.hash);
                }
            }
        }
    }

    /// What came before any time was known is dated by the first.
    pub fn date(&mut self, first: Timestamp) {
        let Watch { up, decay, grain, leave, .. } = self;
        for up in up.values_mut().filter(|up| up.at == UNDATED) {
            up.at = first;
            up.until = until(decay, *grain, up.score, *leave, first);
        }
        self.queue_anew();
    }

    /// The stream's clock was set back: what came later came at `to`.
    pub fn step_back(&mut self, to: Timestamp) {
        let Watch { up, decay, grain, leave, .. } = self;
        for up in up.values_mut().filter(|up| up.at > to) {
            up.at = to;
            up.until = until(decay, *grain, up.score, *leave, to);
        }
        self.queue_anew();
    }

    /// Puts a key into the queue unless it stands there with a time that is early enough.
    fn enqueue(&mut self, hash: u64) {
        let Some(up) = self.up.get_mut(&hash) else { return };
        let Some(time) = up.until.filter(|until| up.queued.is_none_or(|queued| *until < queued)) else { return };
        up.queued = Some(time);
        self.queue.push(Reverse(Due { time, number: up.number, hash }));
        if self.queue.len() > QUEUE_LEAST + QUEUE_SLACK * self.up.len() {
            self.queue_anew();
        }
    }

    fn queue_anew(&mut self) {
        let Watch { up, queue, .. } = self;
        queue.clear();
        for (hash, up) in up {
            up.queued = up.until;
            queue.extend(up.until.map(|time| Reverse(Due { time, number: up.number, hash: *hash })));
        }
    }
}

/// When `score` at `now` will have faded to `leave`, where it does and it is known what time it is.
fn until(decay: &AnyDecay, grain: Span, score: f64, leave: f64, now: Timestamp) -> Option<Timestamp> {
    let now = dated(now)?;
    let exact = now.plus(decay.time_to(score, leave)?).nanos();
    // The next multiple of the grain. The end of all time is never.
    let until = exact.checked_add((-exact).rem_euclid(grain.nanos()))?;
    (until < i64::MAX).then_some(Timestamp::from_nanos(until))
}

/// An instant, where it is one.
fn dated(time: Timestamp) -> Option<Timestamp> {
    (time != UNDATED).then_some(time)
}

#[cfg(test)]
mod tests;
