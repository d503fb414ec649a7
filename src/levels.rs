//! Where a key lies in a table of several levels: one place a level, all told by the key's one hash.

use crate::hash::range;

/// The most levels a table can have.
pub(crate) const MAX_LEVELS: usize = 16;

/// An odd multiplier a level. The upper half of hash · odd depends on all bits of the hash, and otherwise for each odd
/// number (multiply-shift: Dietzfelbinger, Hagerup, Katajainen and Penttonen, "A reliable randomized algorithm for the
/// closest-pair problem", 1997).
const MULTIPLIERS: [u64; MAX_LEVELS] = multipliers();

/// The outputs of splitmix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014), made odd.
const fn multipliers() -> [u64; MAX_LEVELS] {
    let mut multipliers = [0; MAX_LEVELS];
    let mut state = 0u64;
    let mut level = 0;
    while level < MAX_LEVELS {
        state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let once = (state ^ (state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let twice = (once ^ (once >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        multipliers[level] = (twice ^ (twice >> 31)) | 1;
        level += 1;
    }
    multipliers
}

/// The place of a key among the `cells` of `level`, below `cells`.
///
/// # Panics
/// If there is no such level.
#[inline(always)]
pub(crate) fn place(hash: u64, level: usize, cells: u32) -> usize {
    let bits = hash.wrapping_mul(MULTIPLIERS[level]) >> u32::BITS;
    range(bits as u32, cells) as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::{HashKey, KeyHasher};

    const KEYS: u64 = 100_000;

    fn hashes() -> impl Iterator<Item = u64> {
        let hasher = KeyHasher::new(Default::default(), Default::default());
        (0..KEYS).map(move |key| hasher.hash_key(&key.to_le_bytes()))
    }

    #[test]
    fn multipliers_are_odd_and_all_different() {
        for (level, multiplier) in MULTIPLIERS.iter().enumerate() {
            assert_eq!(multiplier % 2, 1);
            assert!(!MULTIPLIERS[..level].contains(multiplier));
        }
    }

    #[test]
    fn every_level_spreads_its_keys_evenly_over_all_cells() {
        const CELLS: usize = 1_000;
        for level in 0..MAX_LEVELS {
            let mut counts = [0.0; CELLS];
            for hash in hashes() {
                counts[place(hash, level, CELLS as u32)] += 1.0;
            }
            let mean = KEYS as f64 / CELLS as f64;
            let chi_squared: f64 = counts.iter().map(|count| (count - mean) * (count - mean) / mean).sum();
            // Mean CELLS - 1, deviation the square root of twice that: five of them on either side.
            let (degrees, slack) = (CELLS as f64 - 1.0, 5.0 * (2.0 * CELLS as f64).sqrt());
            assert!((chi_squared - degrees).abs() < slack, "level {level}: {chi_squared}");
        }
    }

    #[test]
    fn keys_that_meet_in_one_level_meet_in_another_only_by_chance() {
        const CELLS: u32 = 1_000;
        let probe = hashes().next().unwrap();
        let meets = |hash: u64, level: usize| place(hash, level, CELLS) == place(probe, level, CELLS);
        for (one, two) in [(0, 1), (0, 15), (3, 7), (14, 15)] {
            let both = hashes().skip(1).filter(|hash| meets(*hash, one) && meets(*hash, two)).count();
            // A tenth of a pair is expected.
            assert!(both <= 4, "levels {one} and {two}: {both}");
        }
    }
}
