//! What a slot's word holds.
//!
//! ```text
//!             63                       25  24  23          0
//! with a ttl  [       tag, 39 bits       | away | tick, 24 ]     ttl = 2^20 ticks, modulo 2^24
//! without     [           tag, 47 bits       | away | rank, 16 ] order of arrival, modulo 2^16
//!                     low bits: block -->
//! ```

use super::ticks::TTL_TICKS_LOG2;

/// Bits of a word that hold the time: 16 times the ttl in ticks, so that past and future stay apart between sweeps; or
/// the rank.
pub(super) const fn time_bits<const EXPIRES: bool>() -> u32 {
    if EXPIRES { TTL_TICKS_LOG2 + 4 } else { 16 }
}

/// Bits of a word that hold the tag: all but the time and the mark of a key that lives away from home.
pub(super) const fn tag_bits<const EXPIRES: bool>() -> u32 {
    u64::BITS - time_bits::<EXPIRES>() - 1
}
