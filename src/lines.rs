//! Where the records of a block end: the first step from bytes to verdict.
//!
//! A whole block is searched at once, 64 bytes to a mask, and the ends are written down before anything else is done with
//! the records: searching line by line starts anew for each, which costs twice as much on short lines.

pub use crate::processor::equal_bytes;

/// Bytes looked at together: one bit each of a word.
const STRIDE: usize = u64::BITS as usize;

/// Adds the position after each `terminator` in `block` to `ends`, ascending. O(block), no allocation beyond `ends`.
///
/// # Panics
/// If `block` is longer than a `u32` can say.
pub fn find_ends(block: &[u8], terminator: u8, ends: &mut Vec<u32>) {
    assert!(u32::try_from(block.len()).is_ok(), "a block of {} bytes", block.len());
    let (strides, rest) = block.as_chunks::<STRIDE>();
    let mut base = 1;
    for stride in strides {
        let mut mask = equal_bytes(stride, terminator);
        while mask != 0 {
            ends.push(base + mask.trailing_zeros());
            mask &= mask - 1;
        }
        base += STRIDE as u32;
    }
    let found = rest.iter().zip(base..).filter(|(byte, _)| **byte == terminator);
    ends.extend(found.map(|(_, end)| end));
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_end_is_found_once(block in prop::collection::vec(prop_oneof![2 => Just(b'\n'), 3 => any::<u8>()], 0..300)) {
            let mut ends = vec![7];
            find_ends(&block, b'\n', &mut ends);
            let obvious = (0..block.len()).filter(|index| block[*index] == b'\n').map(|index| index as u32 + 1);
            prop_assert_eq!(ends, std::iter::once(7).chain(obvious).collect::<Vec<_>>());
        }
    }
}
