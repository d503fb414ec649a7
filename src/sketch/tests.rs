//! [`Sketch`] against its slow, obvious twin, an exact map of every key's score; and against the theory of its errors.

mod errors;
mod laws;
mod order;
mod twin;

use super::*;
use crate::hash::mix;
use crate::time::Span;

/// The hash of the `key`th key: two mixes make neighbours look random.
fn hash(key: u64) -> u64 {
    mix(mix(key ^ 0x5851_F42D_4C95_7F2D))
}

fn at(nanos: i64) -> Timestamp {
    Timestamp::from_nanos(nanos)
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
