//! Constant-memory memory of the keys in an endless stream, which fades with time.
//!
//! The library has no effects: no clock, no file, no thread, no output. **Time is an argument**, in any unit that is used
//! throughout. Keys are given as 64-bit hashes ([`hash`]), so that nothing here depends on what a key is.
//!
//! # Which structure answers which question
//!
//! | question | structure | memory | error |
//! |---|---|---|---|
//! | Have I seen this key lately? | [`seen::Seen`] | 8 bytes a live key over a load of 0.3 to 0.6, up to a bound | a new key taken for a repeat: 8 · load / 2^bits, 29 or more bits at 256 MiB; a repeat taken for new: next to none up to a load of 0.8, counted |
//! | How much has this key earned lately, with time healing? | [`sketch::Sketch`] | 16 bytes a cell, fixed: 6.4 MB for 38,000 live keys at 1 % | too high for (1 - e^(-keys/cells))^levels of the keys, never too low for deltas that are not negative |
//! | The same, with no error living longer than N periods? | [`rotate::Rotator`] | N times that | the same, and gone after N periods |
//! | May this key go now? | [`limit::Limiter`] | 8 bytes a cell, fixed (16 for the sliding window) | stricter for as many keys, never laxer |
//! | What time is it in a stream that is not quite in order? | [`watermark::Watermark`] | 320 bytes | late records are judged at the watermark; stamps far ahead do not move it alone |
//! | Where do the records of a block end? | [`lines::find_ends`] | 4 bytes a record | none |
//!
//! # From bytes to verdicts
//!
//! ```
//! use grudge::hash::{Algorithm, HashKey, KeyHasher, Seed};
//! use grudge::lines::find_ends;
//! use grudge::seen::{Seen, SeenOptions, Verdict};
//!
//! let block = b"disk full\ndisk ok\ndisk full\n";
//! let hasher = KeyHasher::new(Algorithm::Xxh3, Seed::from_text(b"any text"));
//! let mut seen = Seen::new(&SeenOptions::new().memory(1 << 20))?;
//!
//! let mut ends = Vec::new();
//! find_ends(block, b'\n', &mut ends);
//! let starts = std::iter::once(0).chain(ends.iter().copied());
//! let hashes: Vec<u64> = starts
//!     .zip(&ends)
//!     .map(|(start, end)| hasher.hash_key(&block[start as usize..*end as usize - 1]))
//!     .collect();
//!
//! let mut verdicts = vec![Verdict::New; hashes.len()];
//! seen.check_batch(&hashes, &[], &mut verdicts);
//! assert_eq!(verdicts, [Verdict::New, Verdict::New, Verdict::Repeat]);
//! # Ok::<(), grudge::seen::SeenError>(())
//! ```

#![deny(unsafe_code)]
#![warn(missing_docs)]

pub mod aggregate;
mod bucket;
pub mod decay;
pub mod hash;
mod levels;
pub mod limit;
pub mod lines;
mod memory;
mod processor;
pub mod rotate;
pub mod seen;
pub mod sizing;
pub mod sketch;
pub mod time;
pub mod watermark;
