//! The limiter again, slow and plain, to be run against it: a map of keys, whole numbers wide enough for anything, and
//! every span found by looking for the first instant at which it would be over.

use super::super::{Algorithm, Decision, Quota};
use crate::time::Span;
use std::collections::HashMap;

const LONG_AGO: i128 = -(1 << 100);

/// What is known of a key: under buckets the instant at which it is at rest, in units of 1/count ns; under windows the
/// last window it was used in, how much, and how much in the one before.
#[derive(Debug, Clone, Copy)]
struct State {
    rest: i128,
    window: i128,
    used: i128,
    before: i128,
}

const FRESH: State = State { rest: LONG_AGO, window: LONG_AGO, used: 0, before: 0 };

/// One quota. Instants are counted from the first one that was given.
struct Exact {
    algorithm: Algorithm,
    count: i128,
    period: i128,
    /// Units of a token, and of as many as are allowed at once.
    token: i128,
    full: i128,
    /// Where the first instant lies in its window.
    phase: i128,
    earliest: i128,
    keys: HashMap<u64, State>,
}

fn gcd(one: i128, other: i128) -> i128 {
    if other == 0 { one } else { gcd(other, one % other) }
}

impl Exact {
    fn new(algorithm: Algorithm, quota: &Quota) -> Exact {
        let (count, period) = (i128::from(quota.count()), i128::from(quota.per().nanos()));
        let common = gcd(count, period);
        let at_once = i128::from(quota.most_at_once());
        let token = match algorithm {
            Algorithm::TokenBucket | Algorithm::LeakyBucket => period / common,
            _ if count * 1_000_000 <= 1 << 42 => 1_000_000,
            _ if count * 1_000 <= 1 << 42 => 1_000,
            _ => 1,
        };
        let (full, count) = (at_once * token, count / common);
        Exact { algorithm, count, period, token, full, phase: 0, earliest: 0, keys: HashMap::new() }
    }

    fn is_bucket(&self) -> bool {
        matches!(self.algorithm, Algorithm::TokenBucket | Algorithm::LeakyBucket)
    }

    fn units(&self, millionths: u64) -> i128 {
        let exact = i128::from(millionths) * self.token;
        (exact + 999_999) / 1_000_000
    }

    /// The window of an instant, counted from that of the first, and how much of it is over.
    fn window(&self, t: i128) -> (i128, i128) {
        ((t + self.phase).div_euclid(self.period), (t + self.phase).rem_euclid(self.period))
    }

    fn state(&self, key: u64) -> State {
        self.keys.get(&key).copied().unwrap_or(FRESH)
    }

    /// How much of a key was used in a window, and in the one before.
    fn counts(state: &State, window: i128) -> (i128, i128) {
        match window - state.window {
            0 => (state.used, state.before),
            1 => (0, state.used),
            _ => (0, 0),
        }
    }

    /// What is left at `t`, times the period, in units.
    fn room(&self, state: &State, t: i128) -> i128 {
        let (window, elapsed) = self.window(t);
        let (used, before) = Self::counts(state, window);
        match self.algorithm {
            Algorithm::FixedWindow => (self.full - used) * self.period,
            _ => (self.full - used) * self.period - before * (self.period - elapsed),
        }
    }

    fn allows(&self, state: &State, t: i128, cost: i128) -> bool {
        if cost == 0 {
            true
        } else if self.is_bucket() {
            state.rest.max(t * self.count) + cost <= t * self.count + self.full
        } else {
            state.window <= self.window(t).0 && cost * self.period <= self.room(state, t)
        }
    }

    fn charged(&self, state: &State, t: i128, cost: i128) -> State {
        if self.is_bucket() {
            let now = t * self.count;
            let rest = (state.rest.max(now) + cost).min(now + self.full).max(state.rest);
            return State { rest, ..*state };
        }
        let (window, _) = self.window(t);
        if window < state.window {
            return *state;
        }
        let (used, before) = Self::counts(state, window);
        State { window, used: (used + cost).min(self.full), before, ..*state }
    }

    fn left(&self, state: &State, t: i128) -> i128 {
        let units = if self.is_bucket() {
            t * self.count + self.full - state.rest.max(t * self.count)
        } else if self.window(t).0 < state.window {
            0
        } else {
            self.room(state, t).div_euclid(self.period)
        };
        units.max(0) / self.token
    }

    fn is_at_rest(&self, state: &State, t: i128) -> bool {
        if self.is_bucket() {
            return state.rest <= t * self.count;
        }
        let (window, _) = self.window(t);
        let counts = Self::counts(state, window);
        let forgets = self.algorithm == Algorithm::FixedWindow;
        window >= state.window && counts.0 == 0 && (forgets || counts.1 == 0)
    }

    /// Moves the earliest instant when the range of 2^62 units is over, and forgets what is at rest there.
    fn go_to(&mut self, t: i128) {
        if self.is_bucket() {
            let range = (1 << 62) / self.count;
            if t - self.earliest > range {
                let earliest = t - range / 2;
                self.earliest = earliest;
                self.keys.retain(|_, state| state.rest > earliest * self.count);
            }
            return;
        }
        let range = (1 << 62) / (self.full + 1);
        let window = self.window(t).0;
        if window - self.window(self.earliest).0 > range {
            let first = window - range / 2;
            self.earliest = first * self.period - self.phase;
            let slides = self.algorithm == Algorithm::SlidingWindow;
            self.keys.retain(|_, state| state.window >= first - i128::from(slides));
            for state in self.keys.values_mut().filter(|state| state.window < first) {
                *state = State { window: first, used: 0, before: state.used, ..*state };
            }
        }
    }

    fn step_back(&mut self, t: i128) {
        self.earliest = self.earliest.min(t);
        let (now, window) = (t * self.count, self.window(t).0);
        for state in self.keys.values_mut() {
            state.rest = state.rest.min(now + self.full);
            state.window = state.window.min(window);
        }
    }
}

/// The first instant from `t` on at which `holds`, which then goes on.
fn first(t: i128, holds: impl Fn(i128) -> bool) -> i128 {
    if holds(t) {
        return t;
    }
    let (mut no, mut yes) = (t, t + (1 << 66));
    while yes - no > 1 {
        let middle = no + (yes - no) / 2;
        if holds(middle) { yes = middle } else { no = middle }
    }
    yes
}

fn span(nanos: i128) -> Span {
    Span::from_nanos(nanos.min(i64::MAX.into()) as i64)
}

/// The exact limiter.
pub(super) struct Twin {
    quotas: Vec<Exact>,
    strict: bool,
    origin: Option<i128>,
}

impl Twin {
    pub(super) fn new(quotas: &[Quota], algorithm: Algorithm, strict: bool) -> Twin {
        let quotas = quotas.iter().map(|quota| Exact::new(algorithm, quota)).collect();
        Twin { quotas, strict, origin: None }
    }

    /// The decision on a record at `now`, or at no known time.
    pub(super) fn limit(&mut self, key: u64, millionths: u64, now: Option<i64>) -> Decision {
        let now = now.map(i128::from);
        if self.origin.is_none() && now.is_some() {
            self.origin = now;
            for quota in &mut self.quotas {
                quota.phase = now.unwrap_or(0).rem_euclid(quota.period);
            }
        }
        let given = now.map(|now| now - self.origin.unwrap_or(0));
        let instants: Vec<i128> = self
            .quotas
            .iter_mut()
            .map(|quota| given.inspect(|t| quota.go_to(*t)).unwrap_or(quota.earliest).max(quota.earliest))
            .collect();
        let each = || self.quotas.iter().zip(&instants).map(|(quota, t)| (quota, *t, quota.units(millionths)));
        let allowed = each().all(|(quota, t, cost)| quota.allows(&quota.state(key), t, cost));
        let states: Vec<State> = each()
            .map(|(quota, t, cost)| {
                let state = quota.state(key);
                if (allowed || self.strict) && cost > 0 { quota.charged(&state, t, cost) } else { state }
            })
            .collect();
        let never = each().any(|(quota, _, cost)| cost > quota.full);
        let since = |from: i128, end: i128, t: i128| if end == t { 0 } else { end - from };
        let mut decision = Decision { allowed, never, ..Decision::FREE };
        for ((quota, t, cost), state) in each().zip(&states) {
            let from = given.unwrap_or(t);
            let left = quota.left(state, t) as u64;
            if left < decision.remaining {
                (decision.remaining, decision.limit) = (left, (quota.full / quota.token) as u64);
            }
            let rest = first(t, |t| quota.is_at_rest(state, t));
            decision.reset_after = decision.reset_after.max(span(since(from, rest, t)));
            if !allowed && !never {
                let retry = first(t, |t| quota.allows(state, t, cost));
                decision.retry_after = decision.retry_after.max(Some(span(since(from, retry, t))));
            }
        }
        for (quota, state) in self.quotas.iter_mut().zip(states) {
            if state.rest != LONG_AGO || state.window != LONG_AGO {
                quota.keys.insert(key, state);
            }
        }
        decision
    }

    pub(super) fn step_back(&mut self, to: i64) {
        let Some(origin) = self.origin else { return };
        self.quotas.iter_mut().for_each(|quota| quota.step_back(i128::from(to) - origin));
    }
}
