//! `Seen`: the forgetting set. Have I passed this key lately?
//!
//! **Answers** for each key [`Verdict::New`] or [`Verdict::Repeat`], and remembers it. With a time to live (ttl) a key is
//! a repeat for less than the ttl after it was last new; without, for as long as memory allows.
//!
//! **Guarantee.** With a ttl, a key is never remembered longer than the ttl and forgotten at most ttl/2^20 early (one
//! tick; nothing at all when instants are whole multiples of more than a tick, as whole seconds are for a ttl up to 12
//! days). Two errors remain, both counted or computed:
//! - *a new key taken for a repeat*, when its tag equals that of a key in the same bucket: about 8 · load / 2^bits a query
//!   ([`Seen::false_repeat_rate`]), where `bits` is what is left of the tag: 39 with a ttl, 47 without, less one for each
//!   doubling since the first block (29 and 37 bits at 256 MiB);
//! - *a repeat taken for new*, when its slot had to be given to another key while it still counted: 3 in 10^7 at
//!   0.8 of the slots live, one in 10^4 at 0.9, none before, and counted ([`Seen::live_evictions`]). The set fails open.
//!
//! **Memory.** Eight bytes a key over a load of 0.3 to 0.6, taken only as live keys demand, up to a bound that is never
//! passed. **Cost.** One cache line a query, two where the first is full, touched ahead in batches
//! ([`Seen::check_batch`]); no pause over a millisecond, because the table grows by a block of at most 256 KiB at a time.
//!
//! **How.** A table of buckets, each eight slots on one cache line; a key has two candidate buckets and may be moved from
//! one to the other to make room (Pagh and Rodler, "Cuckoo hashing", 2001; with the other bucket told by the tag: Fan et
//! al., "Cuckoo filter: practically better than Bloom", 2014). The table grows in place by linear hashing (Litwin, "Linear
//! hashing: a new tool for file and table addressing", 1980): see the `growth` part of the source.
//!
//! ```
//! use grudge::{seen::{Seen, SeenOptions, Verdict}, time::{Span, Timestamp}};
//! use grudge::hash::{Algorithm, HashKey, KeyHasher, Seed};
//!
//! let hasher = KeyHasher::new(Algorithm::Xxh3, Seed::from_text(b"any text"));
//! let mut seen = Seen::new(&SeenOptions::new().ttl(Span::from_seconds(60)))?;
//! let key = hasher.hash_key(b"192.0.2.1");
//! assert_eq!(seen.check(key, Timestamp::from_seconds(0, 0)), Verdict::New);
//! assert_eq!(seen.check(key, Timestamp::from_seconds(59, 0)), Verdict::Repeat);
//! assert_eq!(seen.check(key, Timestamp::from_seconds(60, 0)), Verdict::New);
//! # Ok::<(), grudge::seen::SeenError>(())
//! ```

mod growth;
mod layout;
mod pressure;
mod shape;
mod slots;
mod table;
mod ticks;

use crate::time::{Span, Timestamp};
use shape::Shape;
use table::{Found, Table};
use ticks::Ticks;

/// What [`Seen`] says of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Verdict {
    /// Not seen within the ttl, as far as is remembered.
    New = 0,
    /// Seen within the ttl.
    Repeat = 1,
}

/// A verdict and what is known of the key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Sighting {
    /// New or a repeat.
    pub verdict: Verdict,
    /// Of a repeat, how long ago the key was last new (or last seen, with refresh), to within ttl/2^20; `None` without a
    /// ttl.
    pub age: Option<Span>,
    /// Where repeats are counted ([`SeenOptions::count_repeats`]), those since the key was last new: of a repeat, itself
    /// included; of a new one, those of its last time, and 0 where that is not remembered.
    pub repeats: u32,
}

impl Sighting {
    /// Of a key that was never seen.
    pub const UNSEEN: Sighting = Sighting { verdict: Verdict::New, age: None, repeats: 0 };
}

/// How a [`Seen`] is to be made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SeenOptions {
    ttl: Option<Span>,
    refresh: bool,
    count_repeats: bool,
    memory: u64,
}

/// Why a [`Seen`] cannot be made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum SeenError {
    /// The ttl is zero or negative.
    NoTtl(Span),
    /// The memory bound holds not even two buckets.
    TooSmall {
        /// The bound that was asked for, in bytes.
        memory: u64,
        /// The least that works, in bytes.
        least: u64,
    },
    /// The memory bound is more than can be addressed, or the system refuses it.
    TooLarge {
        /// The bound that was asked for, in bytes.
        memory: u64,
    },
}

impl std::fmt::Display for SeenError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            SeenError::NoTtl(_) => write!(f, "the ttl must be longer than nothing"),
            SeenError::TooSmall { memory, least } => {
                write!(f, "{memory} B of memory are too few; {least} B are the least that works")
            }
            SeenError::TooLarge { memory } => {
                write!(f, "{memory} B of memory are more than this system gives one program; ask for less")
            }
        }
    }
}

impl std::error::Error for SeenError {}

impl Default for SeenOptions {
    fn default() -> Self {
        SeenOptions { ttl: None, refresh: false, count_repeats: false, memory: SeenOptions::DEFAULT_MEMORY }
    }
}

impl SeenOptions {
    /// The memory bound where none is given: 256 MiB, room for 26 million live keys.
    pub const DEFAULT_MEMORY: u64 = 256 << 20;

    /// No ttl, no refresh, [`SeenOptions::DEFAULT_MEMORY`].
    pub fn new() -> SeenOptions {
        SeenOptions::default()
    }

    /// Forget a key this long after it was last new. Without, keys are forgotten only when memory runs out, those that
    /// came in first before the others.
    #[must_use]
    pub fn ttl(self, ttl: Span) -> SeenOptions {
        SeenOptions { ttl: Some(ttl), ..self }
    }

    /// Whether a repeat starts the ttl anew, so that a key must keep quiet for a ttl to be new again (without a ttl: so
    /// that the keys not seen for longest are forgotten first).
    #[must_use]
    pub fn refresh(self, refresh: bool) -> SeenOptions {
        SeenOptions { refresh, ..self }
    }

    /// Whether to count the repeats of each key, for [`Seen::check_batch_detailed`]: half as much memory again a key.
    #[must_use]
    pub fn count_repeats(self, count_repeats: bool) -> SeenOptions {
        SeenOptions { count_repeats, ..self }
    }

    /// The most memory to use, in bytes.
    #[must_use]
    pub fn memory(self, bytes: u64) -> SeenOptions {
        SeenOptions { memory: bytes, ..self }
    }
}

/// The forgetting set. See the [module](self) for what it promises.
#[derive(Debug)]
pub struct Seen {
    memory: Memory,
}

/// The two slot layouts, each with the code compiled for it.
#[derive(Debug)]
enum Memory {
    Forgetting { table: Table<true>, ticks: Ticks },
    Keeping { table: Table<false> },
}

/// Runs `$body` with `$table` as the table of either layout.
macro_rules! with_table {
    ($memory:expr, $table:ident => $body:expr) => {
        match $memory {
            Memory::Forgetting { table: $table, .. } => $body,
            Memory::Keeping { table: $table } => $body,
        }
    };
}

impl Seen {
    /// The instant of keys that come before any time is known: nothing expires until the first real instant, and that
    /// one dates what was entered before it.
    pub const UNDATED: Timestamp = Timestamp::MIN;

    /// An empty set. Its memory is reserved here and provided by the system as it is touched.
    pub fn new(options: &SeenOptions) -> Result<Seen, SeenError> {
        let too_large = SeenError::TooLarge { memory: options.memory };
        let memory = match options.ttl {
            Some(ttl) if ttl <= Span::ZERO => return Err(SeenError::NoTtl(ttl)),
            Some(ttl) => {
                let table = Table::new(Shape::fit::<true>(options.memory, options.count_repeats)?, options.refresh)
                    .ok_or(too_large)?;
                Memory::Forgetting { table, ticks: Ticks::new(ttl) }
            }
            None => {
                let table = Table::new(Shape::fit::<false>(options.memory, options.count_repeats)?, options.refresh)
                    .ok_or(too_large)?;
                Memory::Keeping { table }
            }
        };
        Ok(Seen { memory })
    }

    /// Whether the key with this hash is new at `now`; it is remembered from now on. O(1).
    ///
    /// `now` should not go back; should it, keys entered at later instants are taken for unseen.
    pub fn check(&mut self, hash: u64, now: Timestamp) -> Verdict {
        let mut verdict = [Verdict::New];
        self.check_batch(&[hash], &[now], &mut verdict);
        verdict[0]
    }

    /// [`Seen::check`] for many keys in order, several times as fast: memory is touched ahead. `now` holds an instant for
    /// each key, or nothing where there is no ttl to need one.
    ///
    /// # Panics
    /// If the lengths differ.
    pub fn check_batch(&mut self, hashes: &[u64], now: &[Timestamp], verdicts: &mut [Verdict]) {
        assert_eq!(hashes.len(), verdicts.len(), "a verdict for each hash");
        let tell = |index: usize, found: Found| verdicts[index] = found.verdict;
        match &mut self.memory {
            Memory::Forgetting { table, ticks } => {
                assert_eq!(hashes.len(), now.len(), "an instant for each hash");
                let tick_of = |index: usize| ticks.at(now[index]);
                if table.memory.counts() {
                    table.check_batch::<true>(hashes, tick_of, tell);
                } else {
                    table.check_batch::<false>(hashes, tick_of, tell);
                }
            }
            Memory::Keeping { table } if table.memory.counts() => table.check_batch::<true>(hashes, |_| 0, tell),
            Memory::Keeping { table } => table.check_batch::<false>(hashes, |_| 0, tell),
        }
    }

    /// [`Seen::check_batch`], telling more of each key.
    ///
    /// # Panics
    /// If the lengths differ.
    pub fn check_batch_detailed(&mut self, hashes: &[u64], now: &[Timestamp], sightings: &mut [Sighting]) {
        assert_eq!(hashes.len(), sightings.len(), "a sighting for each hash");
        match &mut self.memory {
            Memory::Forgetting { table, ticks } => {
                assert_eq!(hashes.len(), now.len(), "an instant for each hash");
                let ttl = ticks.ttl();
                let tell = |index: usize, Found { verdict, age, repeats }: Found| {
                    let age = (verdict == Verdict::Repeat).then(|| ticks::span_of(age, ttl));
                    sightings[index] = Sighting { verdict, age, repeats };
                };
                table.check_batch::<true>(hashes, |index| ticks.at(now[index]), tell);
            }
            Memory::Keeping { table } => {
                let tell = |index: usize, Found { verdict, repeats, .. }: Found| {
                    sightings[index] = Sighting { verdict, age: None, repeats };
                };
                table.check_batch::<true>(hashes, |_| 0, tell);
            }
        }
    }

    /// Counted repeats that went with keys forgotten before they were new again.
    pub fn counts_lost(&self) -> u64 {
        with_table!(&self.memory, table => table.state.counts_lost)
    }

    /// Whether repeats are counted.
    pub fn counts_repeats(&self) -> bool {
        with_table!(&self.memory, table => table.memory.counts())
    }

    /// Slots that hold a key. With a ttl some of them may have expired and not yet been reused.
    pub fn occupied_slots(&self) -> u64 {
        with_table!(&self.memory, table => table.occupied())
    }

    /// Keys that still count at the latest instant given. Reads the whole table.
    pub fn live_keys(&self) -> u64 {
        with_table!(&self.memory, table => table.live())
    }

    /// Slots of the table as it has grown so far.
    pub fn slots(&self) -> u64 {
        with_table!(&self.memory, table => table.slots())
    }

    /// Bytes of memory in use: the table as it has grown so far and what is kept beside it. At most the bound.
    pub fn memory_bytes(&self) -> u64 {
        with_table!(&self.memory, table => table.memory_bytes())
    }

    /// Keys whose slot was given away while they still counted: each may come again and be taken for new.
    pub fn live_evictions(&self) -> u64 {
        with_table!(&self.memory, table => table.state.evictions.total())
    }

    /// The probability that a new key is now taken for a repeat: 8 · load / 2^bits.
    pub fn false_repeat_rate(&self) -> f64 {
        with_table!(&self.memory, table => table.false_repeat_rate())
    }

    /// Slots of the table when it has grown to its bound.
    pub fn max_slots(&self) -> u64 {
        with_table!(&self.memory, table => table.max_slots())
    }

    /// Keys that can be live at once with next to none forgotten early: 0.8 of the slots at the bound.
    pub fn room(&self) -> u64 {
        (self.max_slots() as f64 * table::SAFE_LOAD) as u64
    }

    /// What [`Seen::false_repeat_rate`] is when the table is full at its bound: the most it can become.
    pub fn worst_false_repeat_rate(&self) -> f64 {
        with_table!(&self.memory, table => table.worst_false_repeat_rate())
    }

    /// The memory, in bytes, with which this stream would not have evicted live keys; `None` when none were.
    pub fn memory_that_would_do(&self) -> Option<u64> {
        with_table!(&self.memory, table => table.memory_that_would_do())
    }
}

#[cfg(test)]
mod tests;
