//! `Limiter`: how much each key may do. Is this one within its quota?
//!
//! **Answers** for each record of a key whether it is allowed, how many more would be, and when ([`Decision`]).
//!
//! **Guarantee.** Whole numbers throughout. Where no other key shares all of a key's cells, every answer is exactly
//! that of the named algorithm kept for that key alone. Where others do, a key is judged too strictly, never too laxly:
//! what is allowed of a key, the exact algorithm that is given only that allows too; and with a cost of one each and a
//! clock that does not go back, no more of a key are allowed up to any moment than the exact algorithm allows. (In
//! binary fractions, as rates are mostly kept, a token that is back at just this instant is denied now and then: at 10
//! a minute and stamps of whole seconds to 5,365 of 200,000 records, nearly one in ten of the tokens.)
//!
//! **Memory.** Levels · cells · 8 bytes a quota, 16 for sliding windows, taken at the start and never more. **Cost.**
//! One cache line a level, which the cells of a few quotas share, touched ahead in batches ([`Limiter::allow_batch`],
//! [`Limiter::limit_batch`]); one pass over the table each time half of its range of 2^62 units is over: 73 years at
//! any rate that is one each so many whole nanoseconds, 10 at 7 a second, 38 minutes at 999,983 a second.
//!
//! **Error.** A key that shares all of its cells is denied what it has not used: about (1 - e^(-n/M))^L of keys may be
//! touched, with n keys not at rest, L levels of M cells ([`Limiter::fill_at`] says it of the table as it is).
//!
//! | algorithm | promises | at worst, in one period |
//! |---|---|---|
//! | [`Algorithm::TokenBucket`], [`Algorithm::LeakyBucket`] | a burst at once, and count more in each period | burst + count |
//! | [`Algorithm::FixedWindow`] | count in each window of one period, counted from 1970 | 2 · count, across a border |
//! | [`Algorithm::SlidingWindow`] | count in each such window, and no more than count of a weighted estimate | less than 2 · count, seldom |
//!
//! The sliding window takes the last window's use for even. When it was all at the window's end, and this window's
//! comes as soon as its weight lets it, a period ending at a share x of this window holds all of the last one's and x ·
//! count of this one's: (1 + x) · count, nearly twice at its end. A key that comes evenly, at whatever rate, passes its
//! count by one at most.
//!
//! **How.** A cell holds a value that grows with use and with time, as does that of a key at rest (the floor): a
//! bucket's the instant when it will be at rest (GCRA, ITU-T I.371), a window's its number and its count. A key is
//! taken to be at the least of its cells, one on each level; when it is charged, each of its cells is raised to what it
//! is at now and no higher (conservative update: Estan and Varghese, "New directions in traffic measurement and
//! accounting", 2002, for the table of Cormode and Muthukrishnan, "An improved data stream summary: the count-min
//! sketch", 2005).
//!
//! A cost is counted in the units of the quota and rounded up to the next: of a bucket 1/count ns (the rate in lowest
//! terms), of a window millionths of a token up to four million tokens, thousandths up to four thousand million, else
//! whole tokens. A bucket whose burst is too great for its units is kept too strictly by less than burst / 2^60.
//!
//! **Time.** The first instant is where counting begins: earlier ones are judged as that one, and so are, once the
//! range of 2^62 units has gone by, those more than half of it back. Within that an instant may lie before the last; it
//! is judged as given, and what was used later counts against it: a bucket's debt looks the greater, and a window
//! allows nothing of a key that was used in a later one. When a stream's clock was set back, say so:
//! [`Limiter::step_back`].
//!
//! ```
//! use grudge::{limit::{Cost, Limiter, LimiterOptions, Quota}, time::{Span, Timestamp}};
//! use grudge::hash::{Algorithm, HashKey, KeyHasher, Seed};
//!
//! let hasher = KeyHasher::new(Algorithm::Xxh3, Seed::from_text(b"any text"));
//! let two_a_minute = Quota::new(2, Span::from_seconds(60))?;
//! let mut limiter = Limiter::new(&[two_a_minute], &LimiterOptions::new())?;
//! let key = hasher.hash_key(b"192.0.2.1");
//! let mut at = |seconds| limiter.limit(key, Cost::ONE, Timestamp::from_seconds(seconds, 0));
//! assert!(at(0).allowed && at(0).allowed);
//! let denied = at(10);
//! assert!(!denied.allowed);
//! assert_eq!(denied.retry_after, Some(Span::from_seconds(20)));
//! assert_eq!(denied.reset_after, Span::from_seconds(50));
//! assert!(at(30).allowed);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod decision;
mod fixed;
mod meter;
mod options;
mod quota;
mod sliding;
mod table;
mod tokens;
mod windows;

pub use decision::Decision;
pub use options::{Algorithm, LimitError, LimiterOptions};
pub use quota::{Cost, Quota, QuotaError};

use crate::time::Timestamp;
use fixed::Fixed;
use sliding::Sliding;
use table::Table;
use tokens::Tokens;

/// The rate limiter. See the [module](self) for what it promises.
#[derive(Debug)]
pub struct Limiter {
    memory: Memory,
}

/// The algorithms, each with the code compiled for it.
#[derive(Debug)]
enum Memory {
    Tokens(Table<Tokens>),
    Fixed(Table<Fixed>),
    Sliding(Table<Sliding>),
}

/// Runs `$body` with `$table` as the table of any algorithm.
macro_rules! with_table {
    ($memory:expr, $table:ident => $body:expr) => {
        match $memory {
            Memory::Tokens($table) => $body,
            Memory::Fixed($table) => $body,
            Memory::Sliding($table) => $body,
        }
    };
}

/// The cost and the instant of each record of a batch, where an empty slice stands for all ones, or for no time.
macro_rules! rest_of {
    ($costs:ident, $now:ident) => {
        |index: usize| {
            let cost = if $costs.is_empty() { Cost::ONE } else { $costs[index] };
            let now = if $now.is_empty() { Limiter::UNDATED } else { $now[index] };
            (cost, now.nanos())
        }
    };
}

impl Limiter {
    /// The instant of records that come before any time is known: no time passes for them, and the first real instant
    /// dates what they used. After that one, they are judged at the earliest instant that can be told.
    pub const UNDATED: Timestamp = Timestamp::MIN;

    /// A limiter of keys at rest that holds all `quotas` at once. Its memory is reserved here and provided by the system
    /// as it is touched.
    pub fn new(quotas: &[Quota], options: &LimiterOptions) -> Result<Limiter, LimitError> {
        let memory = match options.algorithm {
            Algorithm::TokenBucket | Algorithm::LeakyBucket => Memory::Tokens(Table::new(quotas, options)?),
            Algorithm::FixedWindow => Memory::Fixed(Table::new(quotas, options)?),
            Algorithm::SlidingWindow => Memory::Sliding(Table::new(quotas, options)?),
        };
        Ok(Limiter { memory })
    }

    /// Decides on a record of the key with this hash and charges what it costs: to all quotas if all allow it, else to
    /// none ([`LimiterOptions::strict`]: to all). O(levels · quotas).
    pub fn limit(&mut self, hash: u64, cost: Cost, now: Timestamp) -> Decision {
        let mut decision = [Decision::FREE];
        self.limit_batch(&[hash], &[cost], &[now], &mut decision);
        decision[0]
    }

    /// What [`Limiter::limit`] would decide. Changes nothing.
    pub fn peek(&self, hash: u64, cost: Cost, now: Timestamp) -> Decision {
        with_table!(&self.memory, table => table.peek(hash, cost, now.nanos()))
    }

    /// [`Limiter::limit`] for many records in order, several times as fast: memory is touched ahead. `costs` holds a
    /// cost for each, or nothing where all cost one; `now` an instant for each, or nothing where none is known.
    ///
    /// # Panics
    /// If the lengths differ.
    pub fn limit_batch(&mut self, hashes: &[u64], costs: &[Cost], now: &[Timestamp], decisions: &mut [Decision]) {
        check_lengths(hashes.len(), costs.len(), now.len(), decisions.len());
        with_table!(&mut self.memory, table => table.limit_batch(hashes, rest_of!(costs, now), decisions));
    }

    /// [`Limiter::limit_batch`] telling only whether each is allowed, which is quicker still.
    ///
    /// # Panics
    /// If the lengths differ.
    pub fn allow_batch(&mut self, hashes: &[u64], costs: &[Cost], now: &[Timestamp], allowed: &mut [bool]) {
        check_lengths(hashes.len(), costs.len(), now.len(), allowed.len());
        with_table!(&mut self.memory, table => table.allow_batch(hashes, rest_of!(costs, now), allowed));
    }

    /// The stream's clock was set back to `to`, before the last instant that was given: no key owes more than a full
    /// burst there; one that was used in a later window is taken to have been used in the window of `to`. One pass over
    /// the table.
    ///
    /// Under buckets keys only become stricter by it. Under windows a cell that several keys share keeps the count of
    /// the last window it was used in, so that another of them may be allowed up to its count once more.
    pub fn step_back(&mut self, to: Timestamp) {
        with_table!(&mut self.memory, table => table.step_back(to.nanos()));
    }

    /// Of each level, the share of cells that are not at rest at `now`; of several quotas the greatest. Their product
    /// is the probability that a new key shares all of its cells. Reads the whole table.
    pub fn fill_at(&self, now: Timestamp) -> Vec<f64> {
        with_table!(&self.memory, table => table.fill_at(now.nanos()))
    }

    /// Bytes of the table.
    pub fn memory_bytes(&self) -> u64 {
        with_table!(&self.memory, table => table.memory_bytes())
    }

    /// Levels: cells a key has for each quota.
    pub fn levels(&self) -> u32 {
        with_table!(&self.memory, table => table.levels())
    }

    /// Cells of a level for each quota.
    pub fn cells(&self) -> u64 {
        with_table!(&self.memory, table => table.cells())
    }

    /// Quotas that are held at once.
    pub fn quotas(&self) -> usize {
        with_table!(&self.memory, table => table.quotas())
    }

    /// The latest instant that was given, or the one the clock was last set back to; `None` before any.
    pub fn last_instant(&self) -> Option<Timestamp> {
        with_table!(&self.memory, table => table.last().map(Timestamp::from_nanos))
    }
}

fn check_lengths(hashes: usize, costs: usize, now: usize, answers: usize) {
    assert_eq!(hashes, answers, "an answer for each hash");
    assert!(costs == 0 || costs == hashes, "a cost for each hash, or none");
    assert!(now == 0 || now == hashes, "an instant for each hash, or none");
}

#[cfg(test)]
mod tests;
